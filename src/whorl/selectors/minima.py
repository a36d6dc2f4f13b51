"""The n smallest hashes of a document, whatever its length (Heintze 1996; Broder's MIN_s is the same idea).

A fixed size makes whole documents comparable and parts of them not: see section 2.3 of the winnowing paper.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values

ALL = 0xFFFFFFFF

Candidates: TypeAlias = tuple[Positions, NDArray[np.uint32]]


@dataclass(frozen=True)
class Minima:
    """Selects the n smallest different hashes, each where it first occurs."""

    n: int

    def select(self, values: Values) -> Positions:
        """The n smallest values of any sequence of hashes."""
        _, first = np.unique(values, return_index=True)
        return np.sort(first[: self.n]).astype(np.int64)

    def begin(self, k: int) -> "MinimaSelection":
        """Start a pass."""
        return MinimaSelection(self.n)

    def density(self, k: int) -> None:
        """It depends on the document's length."""


class MinimaSelection:
    """A pass: every run offers its n smallest, and the end decides between them."""

    overlap = 0

    def __init__(self, n: int) -> None:
        self._n = n
        self._offered: list[NDArray[np.uint32]] = []

    def prepare(self, grams: Grams) -> Candidates:
        """The n smallest of a run: by order value and, where order values tie, by identity."""
        bound = self._bound(grams.order)
        near = np.flatnonzero(grams.order <= bound)
        kept = near[_smallest(grams.order[near], grams.identity(near), self._n)]
        return kept, grams.order[kept]

    def _bound(self, order: NDArray[np.uint32]) -> int:
        """An order value that the n smallest different hashes do not exceed.

        Looks at a few more than n of the smallest, and at twice as many as long as too few of them differ.
        """
        looked_at = 2 * self._n
        while looked_at < len(order):
            distinct = np.unique(np.partition(order, looked_at)[:looked_at])
            if len(distinct) >= self._n:
                return int(distinct[self._n - 1])
            looked_at *= 2
        return ALL

    def settle(self, grams: Grams, prepared: Candidates) -> Positions:
        """Offer them."""
        positions, order = prepared
        self._offered.append(order)
        return positions

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        """The n smallest of all that was offered."""
        order = np.concatenate(self._offered) if self._offered else np.empty(0, np.uint32)
        return _smallest(order, hashes, self._n)


def _smallest(order: NDArray[np.uint32], identity: NDArray[np.uint64], n: int) -> Positions:
    """The indices, ascending, of the n smallest different (order, identity) pairs, each at its first occurrence."""
    ranked = np.lexsort((np.arange(len(order)), identity, order))
    fresh = np.ones(len(ranked), bool)
    fresh[1:] = (order[ranked[1:]] != order[ranked[:-1]]) | (identity[ranked[1:]] != identity[ranked[:-1]])
    return np.sort(ranked[fresh][:n])
