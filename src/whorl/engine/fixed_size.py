"""Selectors of a fixed number of k-grams per document: the n smallest, the n rarest, n at random."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Grams
from whorl.engine.sampling import distinct
from whorl.engine.selectors import Positions, Values

ALL = 0xFFFFFFFF

Candidates: TypeAlias = tuple[Positions, NDArray[np.uint32]]


@dataclass(frozen=True)
class Minima:
    """Select the n smallest distinct hashes of a document, each where it first occurs (Heintze 1996; Broder's MIN_s).

    A fixed size makes whole documents comparable, but not parts of them: see section 2.3 of the winnowing paper.
    """

    n: int

    def select(self, values: Values) -> Positions:
        _, first = np.unique(values, return_index=True)
        return np.sort(first[: self.n]).astype(np.int64)

    def begin(self, k: int) -> "MinimaSelection":
        return MinimaSelection(self.n)

    def density(self, k: int) -> None:
        return None


class MinimaSelection:
    """A pass: every run offers its n smallest hashes, and ``finish`` chooses among them."""

    overlap = 0

    def __init__(self, n: int) -> None:
        self._n = n
        self._offered: list[NDArray[np.uint32]] = []

    def prepare(self, grams: Grams) -> Candidates:
        """Return the n smallest of a run: by order value and, if order values tie, by identity."""
        bound = self._bound(grams.order)
        near = np.flatnonzero(grams.order <= bound)
        positions = near[_smallest(grams.order[near], grams.identity(near), self._n)]
        return positions, grams.order[positions]

    def _bound(self, order: NDArray[np.uint32]) -> int:
        """Return an order value that the n smallest distinct hashes do not exceed.

        Sorts the 2n smallest, and twice as many while too few of them differ.
        """
        size = 2 * self._n
        while size < len(order):
            smallest = distinct(np.partition(order, size)[:size])
            if len(smallest) >= self._n:
                return int(smallest[self._n - 1])
            size *= 2
        return ALL

    def settle(self, grams: Grams, prepared: Candidates) -> Positions:
        positions, order = prepared
        self._offered.append(order)
        return positions

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        order = np.concatenate(self._offered) if self._offered else np.empty(0, np.uint32)
        return _smallest(order, hashes, self._n)


def _smallest(order: NDArray[np.uint32], identity: NDArray[np.uint64], n: int) -> Positions:
    """Return the ascending indices of the n smallest distinct (order, identity) pairs, each at its first occurrence."""
    ranked = np.lexsort((np.arange(len(order)), identity, order))
    fresh = np.ones(len(ranked), bool)
    fresh[1:] = (order[ranked[1:]] != order[ranked[:-1]]) | (identity[ranked[1:]] != identity[ranked[:-1]])
    return np.sort(ranked[fresh][:n])


# Marsaglia's xorshift with a multiplication (Steele, Lea and Flood's SplitMix64): its step and its two factors.
_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True)
class Random:
    """Select n distinct hashes at random, each where it first occurs. For experiments.

    Heintze (1996, section 3.4) shows that this gives poor results. The seed depends on the whole document: equal
    documents draw the same sample, near copies draw another one and share few fingerprints.
    """

    n: int

    overlap = 0

    def select(self, values: Values) -> Positions:
        return _sample(values.astype(np.uint64), self.n)

    def begin(self, k: int) -> "Random":
        return self

    def density(self, k: int) -> None:
        return None

    def prepare(self, grams: Grams) -> Positions:
        return np.arange(len(grams), dtype=np.int64)

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        return _sample(hashes, self.n)


def _sample(hashes: NDArray[np.uint64], n: int) -> Positions:
    _, first = np.unique(hashes, return_index=True)
    seed = hashes.sum(dtype=np.uint64)
    ranks = _mixed(seed + np.arange(len(first), dtype=np.uint64) * _STEP)
    return np.sort(first[np.argsort(ranks, kind="stable")[:n]]).astype(np.int64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Map consecutive numbers to numbers that look unrelated."""
    values = (values ^ values >> np.uint64(30)) * _FIRST
    values = (values ^ values >> np.uint64(27)) * _SECOND
    return values ^ values >> np.uint64(31)


Beginnings: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32]]

_ORDER_BITS = np.uint64(32)


@dataclass(frozen=True)
class Rarity:
    """Select the n distinct k-grams whose first ``letters`` symbols occur least often (Heintze 1996, section 6.1).

    A k-gram that begins with letters rare in one document is rare in general, so fewer documents share it by accident.
    Of equally rare k-grams, those with the smallest hashes are selected, so that similar documents select alike; each
    where it first occurs. Rarity is known only at the end of the document, so memory grows with it.
    """

    n: int
    letters: int

    def select(self, values: Values) -> Positions:
        """Select the n hashes that occur least often, the smallest first: hashes have no letters."""
        distinct, first, counts = np.unique(values, return_index=True, return_counts=True)
        return np.sort(first[np.lexsort((distinct, counts))[: self.n]]).astype(np.int64)

    def begin(self, k: int) -> "RaritySelection":
        return RaritySelection(self.n, min(self.letters, k))

    def density(self, k: int) -> None:
        return None


class RaritySelection:
    """A pass: every k-gram is offered, and ``finish`` chooses among them."""

    overlap = 0

    def __init__(self, n: int, letters: int) -> None:
        self._n, self._letters = n, letters
        self._offered: list[Beginnings] = []

    def prepare(self, grams: Grams) -> Beginnings:
        """Return the order values of each k-gram and of its first letters."""
        return grams.order, grams.shorter_order(self._letters)[: len(grams)]

    def settle(self, grams: Grams, prepared: Beginnings) -> Positions:
        self._offered.append(prepared)
        return np.arange(len(grams), dtype=np.int64)

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        """Return the n rarest; of equally rare ones, those with the smallest order values."""
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
        """Return a rank that the n first distinct ones do not exceed; sort more while too few of them differ."""
        size = self._n + self._n // 4
        while size < len(rank):
            smallest = distinct(np.partition(rank, size)[:size])
            if len(smallest) >= self._n:
                return np.uint64(smallest[self._n - 1])
            size *= 2
        return np.uint64(rank.max())


def _counts(values: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return for each value how often it occurs. Sorting values packed with their indices beats looking them up."""
    ordered = np.sort(values.astype(np.uint64) << _ORDER_BITS | np.arange(len(values), dtype=np.uint64))
    sorted_values = (ordered >> _ORDER_BITS).astype(np.uint32)
    starts = np.flatnonzero(np.concatenate(([True], sorted_values[1:] != sorted_values[:-1])))
    counts = np.diff(starts, append=len(ordered))
    occurrences = np.empty(len(values), np.uint64)
    occurrences[ordered.astype(np.uint32)] = np.repeat(counts, counts)
    return occurrences
