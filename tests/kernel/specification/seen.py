"""Tables of digests that were seen, in plain Python: the specification of ``native_seen``.

A table has 64 bits of each digest, at a place that its other 64 bits choose, or in the first empty cell after it. An
empty cell is 0. The number of cells is a power of two, and some of them are always empty.
"""

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.uint64]
Digests = NDArray[np.uint64]
Known = NDArray[np.bool_]


def find(cells: Cells, digests: Digests, known: Known) -> None:
    """Mark the digests that the table has."""
    for number, (home, tag) in enumerate(digests.tolist()):
        known[number] = known[number] or bool(cells[_place(cells, home, tag or 1)])


def insert(cells: Cells, digests: Digests, known: Known, first: int, room: int) -> tuple[int, int]:
    """Put those from ``first`` on into the table that are not known yet, ``room`` of them at the most; mark those that
    it had. How many digests are behind then, and how much room is left."""
    for number in range(first, len(digests)):
        if known[number]:
            continue
        home, tag = digests[number].tolist()
        at = _place(cells, home, tag or 1)
        if cells[at]:
            known[number] = True
        elif not room:
            return number, 0
        else:
            cells[at], room = tag or 1, room - 1
    return len(digests), room


def firsts(digests: Digests) -> NDArray[np.int64]:
    """For each row the first one that is equal to it."""
    places: dict[tuple[int, int], int] = {}
    rows = enumerate(digests.tolist())
    return np.array([places.setdefault((one, two), number) for number, (one, two) in rows], np.int64)


def _place(cells: Cells, home: int, tag: int) -> int:
    """The cell that has the tag, or the empty one where it belongs."""
    at = home % len(cells)
    while cells[at] not in (0, tag):
        at = (at + 1) % len(cells)
    return at
