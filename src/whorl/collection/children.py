"""The children of a folder or an archive: each is one submission.

A child is a file, a folder or an archive at the top. An archive whose top is one folder is looked through once: course
systems pack a folder.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from whorl.collection.rules import DEFAULT, Rules
from whorl.collection.walk import Item, Walk


class Member(NamedTuple):
    """An item of the walk, the child that it belongs to, and its name inside the child."""

    child: str
    inside: str
    item: Item


def children(path: Path, rules: Rules = DEFAULT, part: range | None = None) -> Iterator[Member]:
    """Every item of the walk with the name of the child that it belongs to.

    A flat sequence, so that an archive is read once however its members are mixed: in a folder or a zip file the items
    of a child follow each other, in a tar archive they may not. Every child has an item at least; one without a
    document has nothing to compare. A child that is a single file has its own name inside. ``part`` is ``Walk``'s.
    """
    the_walk = Walk(path, rules, part)
    return (_member(item, the_walk) for item in the_walk.items())


def _member(item: Item, the_walk: Walk) -> Member:
    """By the first part of the item's name, behind the wrapper."""
    inner = item.name.removeprefix(f"{the_walk.wrapper}/") if the_walk.wrapper else item.name
    child, _, inside = (inner or item.name).partition("/")
    return Member(child, inside or child, item)
