"""The files of folders, dealt to tasks. A folder is listed once by the driver; each task walks it and opens its own."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from whorl.collection.rules import Rules
from whorl.collection.walk import Walk
from whorl.errors import InputError
from whorl.index.place import is_index

# Tasks for each core: files are not alike, and a task that was dealt the large ones must not be the last.
TASKS = 4


@dataclass(frozen=True, slots=True)
class Share:
    """Some files of one of the paths, by their places in its walk."""

    path: int
    part: range


def shares(paths: Sequence[Path], rules: Rules, cores: int, *, by_child: bool = False) -> list[Share]:
    """All files of all paths, in order, in parts of about the same number. A file, an archive or an index is one part;
    ``by_child``, so is at least each child of a folder."""
    _check_apart(paths)
    names = [[path.name] if is_index(path) else list(Walk(path, rules).names()) for path in paths]
    step = max(1, -(-sum(map(len, names)) // (TASKS * cores)))
    return [
        Share(number, range(first, last))
        for number, those in enumerate(names)
        for first, last in pairwise(_cuts(those, step, by_child))
    ]


def described(paths: Sequence[Path], rules: Rules) -> str:
    """What tells these files from others, and from themselves after a change: names, sizes and times."""
    hashed = blake2b(digest_size=16)
    for path in paths:
        names = [""] if path.is_file() or is_index(path) else Walk(path, rules).names()
        for name in names:
            file = path / name if name else path
            seen = file.lstat() if name and os.path.lexists(file) else file.stat() if not name else None
            hashed.update(f"{path.resolve()}\0{name}\0{seen and (seen.st_size, seen.st_mtime_ns)}\0".encode())
    return hashed.hexdigest()


def _cuts(names: Sequence[str], step: int, by_child: bool) -> list[int]:
    """Where parts begin, and where the last one ends."""
    cuts = [0]
    for place, (before, name) in enumerate(pairwise(names), 1):
        inside = by_child and before.partition("/")[0] == name.partition("/")[0]
        if place - cuts[-1] >= step and not inside:
            cuts.append(place)
    return [*cuts, len(names)] if names else []


def _check_apart(paths: Sequence[Path]) -> None:
    """Tasks do not know of each other: a file that two paths have would be read twice."""
    places = sorted((path.resolve(), path) for path in paths)
    for (one, before), (two, after) in pairwise(places):
        if one == two or one in two.parents:
            raise InputError(f"{after} is in {before}: name it once")
