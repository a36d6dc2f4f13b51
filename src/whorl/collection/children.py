"""The children of a folder or an archive: each is one submission.

A child is a file, a folder or an archive at the top. An archive whose top is one folder is looked through once: course
systems pack a folder.
"""

from collections.abc import Iterator
from pathlib import Path

from whorl.collection.rules import DEFAULT, Rules
from whorl.collection.walk import Item, Walk


def children(path: Path, rules: Rules = DEFAULT) -> Iterator[tuple[str, Item]]:
    """Every item of the walk with the name of the child that it belongs to.

    A flat sequence, so that an archive is read once however its members are mixed: in a folder or a zip file the items
    of a child follow each other, in a tar archive they may not. Every child has an item at least; one without a
    document has nothing to compare.
    """
    the_walk = Walk(path, rules)
    return ((_child(item.name, the_walk), item) for item in the_walk.items())


def _child(name: str, the_walk: Walk) -> str:
    """The first part of a name, behind the wrapper."""
    inner = name.removeprefix(f"{the_walk.wrapper}/") if the_walk.wrapper else name
    return (inner or name).partition("/")[0]
