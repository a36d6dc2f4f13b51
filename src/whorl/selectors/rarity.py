"""The n rarest k-grams of a document, by how often their first letters occur in it (Heintze 1996, section 6.1).

What begins with letters that are rare in one document is rare in general, so fewer documents share such k-grams by
accident. Which ones are rare is known at the end only, so all are offered: memory grows with the document.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values

Beginnings: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32]]

_ORDER_BITS = np.uint64(32)


@dataclass(frozen=True)
class Rarity:
    """Selects the n different k-grams whose first ``letters`` symbols occur least often; of equally rare ones those
    with the smallest hashes, so that similar documents choose alike. Each where it first occurs."""

    n: int
    letters: int

    def select(self, values: Values) -> Positions:
        """Of any sequence of hashes, which have no letters: the n that occur least often, the smallest first."""
        distinct, first, counts = np.unique(values, return_index=True, return_counts=True)
        return np.sort(first[np.lexsort((distinct, counts))[: self.n]]).astype(np.int64)

    def begin(self, k: int) -> "RaritySelection":
        """Start a pass."""
        return RaritySelection(self.n, min(self.letters, k))

    def density(self, k: int) -> None:
        """It depends on the document's length."""


class RaritySelection:
    """A pass: every k-gram is offered, and the end decides between them."""

    overlap = 0

    def __init__(self, n: int, letters: int) -> None:
        self._n, self._letters = n, letters
        self._offered: list[Beginnings] = []

    def prepare(self, grams: Grams) -> Beginnings:
        """The order value of each k-gram, and of its first letters."""
        return grams.order, grams.shorter_order(self._letters)[: len(grams)]

    def settle(self, grams: Grams, prepared: Beginnings) -> Positions:
        """Offer them all."""
        self._offered.append(prepared)
        return np.arange(len(grams), dtype=np.int64)

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        """The n rarest, of equally rare ones those with the smallest order values."""
        if not len(hashes):
            return np.empty(0, np.int64)
        order, beginnings = (np.concatenate(column) for column in zip(*self._offered, strict=True))
        rank = _counts(beginnings) << _ORDER_BITS | order
        near = np.flatnonzero(rank <= self._bound(rank))
        ranked = near[np.lexsort((near, hashes[near], rank[near]))]
        fresh = np.ones(len(ranked), bool)
        fresh[1:] = (rank[ranked[1:]] != rank[ranked[:-1]]) | (hashes[ranked[1:]] != hashes[ranked[:-1]])
        return np.sort(ranked[fresh][: self._n])

    def _bound(self, rank: NDArray[np.uint64]) -> np.uint64:
        """A rank that the n first different ones do not exceed: looks at more as long as too few of them differ."""
        looked_at = self._n + self._n // 4
        while looked_at < len(rank):
            least = np.sort(np.partition(rank, looked_at)[:looked_at])
            distinct = least[np.concatenate(([True], least[1:] != least[:-1]))]
            if len(distinct) >= self._n:
                return np.uint64(distinct[self._n - 1])
            looked_at *= 2
        return np.uint64(rank.max())


def _counts(values: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """How often each value occurs, beside each. Values are sorted together with their places: to sort whole numbers is
    several times as fast as to look each of them up."""
    ordered = np.sort(values.astype(np.uint64) << _ORDER_BITS | np.arange(len(values), dtype=np.uint64))
    sorted_values = (ordered >> _ORDER_BITS).astype(np.uint32)
    starts = np.flatnonzero(np.concatenate(([True], sorted_values[1:] != sorted_values[:-1])))
    counts = np.diff(starts, append=len(ordered))
    found = np.empty(len(values), np.uint64)
    found[ordered.astype(np.uint32)] = np.repeat(counts, counts)
    return found
