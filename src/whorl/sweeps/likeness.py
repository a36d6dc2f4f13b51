"""How alike two contents of a store are: exactly, on all their shingles."""

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.model import Hashes
from whorl.sweeps.result import Likeness
from whorl.sweeps.store import SweepStore

SAME = Likeness(1.0, 1.0, 1.0)


def shared_by(
    hashes: Hashes, bounds: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many shingles the contents of each pair share, exactly: whatever they are needed for, none is given up."""
    found: NDArray[np.int64] = kernel.pairs().shared(hashes, bounds, left, right, np.zeros(len(left)))
    return found


def likeness(asked: Hashes, other: Hashes) -> Likeness:
    """How alike another content is to the one asked about, both by their sorted distinct shingles."""
    bounds = np.array([0, len(asked), len(asked) + len(other)], np.int64)
    first, second = np.zeros(1, np.int64), np.ones(1, np.int64)
    shared = int(shared_by(np.concatenate([asked, other]), bounds, first, second)[0])
    union = len(asked) + len(other) - shared
    return Likeness(_ratio(shared, union), _ratio(shared, len(asked)), _ratio(shared, len(other)))


class Likenesses:
    """How alike contents are to one that is asked about; each that stands for others is looked at once."""

    def __init__(self, store: SweepStore, asked: Hashes) -> None:
        self._store, self._asked = store, asked
        self._known: dict[int, Likeness] = {}

    def of(self, row: int) -> Likeness:
        """Of a content that stands for itself."""
        if row not in self._known:
            self._known[row] = likeness(self._asked, self._store.hashes(row))
        return self._known[row]


def between(store: SweepStore, before: int, after: int) -> Likeness:
    """How alike a content is to the one before it."""
    rows = store.content(before).row, store.content(after).row
    return SAME if rows[0] == rows[1] else likeness(store.hashes(rows[0]), store.hashes(rows[1]))


def _ratio(part: int, whole: int) -> float:
    """Without any shingles, nothing is missing."""
    return part / whole if whole else 1.0
