"""The pairs of a class: each submission's fingerprints are looked up, and those that share enough become pairs.

One submission at a time (winnowing paper, section 5.2): no pair below the threshold is ever kept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.comparison.postings import Postings
from whorl.comparison.statements import trust

# How much of it is made up for if tokens are less alike than the normal form. Unlike tokens are what a disguise leaves
# behind, so they speak less against a pair than for it. At 1 they would not speak at all, and nothing would tell a copy
# from an independent program of the same normal form; from .5 to .9 every labelled level of disguise gains or stays.
DISGUISED = 0.9

# What fingerprints alone tell of a pair.
MEASURES = ("score", "similarity", "containment", "shared")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Pairs by the numbers of their submissions, left < right, and their measures, best first."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: NDArray[np.float64]
    containment: NDArray[np.float64]
    shared: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.left)

    def measure(self, name: str) -> NDArray[np.float64]:
        """One of the ``MEASURES`` of all pairs."""
        if name == "score":
            return (self.similarity + self.containment) / 2
        if name == "shared":
            return self.shared.astype(np.float64)
        return self.similarity if name == "similarity" else self.containment

    def chosen(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Scores":
        """Some of the pairs."""
        return Scores(
            self.left[rows], self.right[rows], self.similarity[rows], self.containment[rows], self.shared[rows]
        )


def score(postings: Postings, numbers: Iterable[int]) -> Iterator[Scores]:
    """For each of these submissions, all pairs with later ones that share anything."""
    submissions = len(postings.totals)
    sums, counts = np.zeros(submissions), np.zeros(submissions, np.int32)
    shared = kernel.matching().shared
    lists = postings.offsets, postings.groups, postings.starts, postings.members, postings.weights
    for number in numbers:
        others, weights, times = shared(*lists, number, sums, counts)
        mine, theirs = postings.totals[number], postings.totals[others]
        yield Scores(
            np.full(len(others), number, np.int32),
            others,
            np.minimum(1, weights / (mine + theirs - weights)),
            np.minimum(1, weights / np.minimum(mine, theirs)),
            times,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """What submissions have, by number: whether a normal form, how many different statements in it, and how many as
    they stand."""

    has_normal: NDArray[np.bool_]
    statements: NDArray[np.int64]
    standing: NDArray[np.int64]


def fuse(plain: Scores, normal: Scores, whole: Scores, standing: Scores, forms: Forms) -> Scores:
    """The pairs of one submission by their tokens, by the k-grams of their normal form and by whole statements: each
    measure is the mean of the three. Statements count by the normal form or as they stand, as is more. As far as there
    are too few statements to tell, the k-grams of the normal form count for them; for what tokens are less alike than
    the normal form see ``DISGUISED``. A pair that has a side without a normal form has its plain measures."""
    every = (plain, normal, whole, standing)
    if not any(map(len, every)):
        return plain
    right = np.unique(np.concatenate([each.right for each in every]))
    left = np.full(len(right), next(each.left[0] for each in every if len(each)), np.int32)
    both = forms.has_normal[left] & forms.has_normal[right]
    trusted = [trust(counts, left, right) for counts in (forms.statements, forms.standing)]
    fused = []
    for name in ("similarity", "containment"):
        tokens, grams, *told = (_spread(getattr(each, name), each.right, right) for each in every)
        said = np.max([much * each + (1 - much) * grams for each, much in zip(told, trusted, strict=True)], axis=0)
        fused.append(np.where(both, _joined_measures(tokens, (grams + said) / 2), tokens))
    shared = [_spread(each.shared, each.right, right) for each in every]
    most = np.where(both, np.max(shared, axis=0), shared[0])
    found = Scores(left, right.astype(np.int32), fused[0], fused[1], most)
    return found.chosen(found.shared > 0)


def _joined_measures(tokens: NDArray[np.float64], normal_form: NDArray[np.float64]) -> NDArray[np.float64]:
    """A measure by tokens and by the normal form, which counts twice."""
    made_up = DISGUISED * np.maximum(0, normal_form - tokens)
    joined: NDArray[np.float64] = (tokens + made_up + 2 * normal_form) / 3
    return joined


def _spread(values: NDArray[Any], of: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[Any]:
    """Values of some submissions, with 0 for the others in ``right``."""
    spread = np.zeros(len(right), values.dtype)
    spread[np.searchsorted(right, of)] = values
    return spread


class Best:
    """The best pairs of at least a threshold, no more than ``limit`` of them, and a histogram of all scores."""

    def __init__(self, threshold: float, measure: str, limit: int) -> None:
        self._threshold, self._measure, self._limit = threshold, measure, limit
        self._held: list[Scores] = []
        self._size = 0
        self.reached = 0
        self.histogram = np.zeros(101, np.int64)

    def add(self, found: Scores) -> None:
        """Look at some pairs."""
        values = found.measure(self._measure)
        self.histogram += np.bincount((found.measure("score") * 100).astype(np.int64), minlength=101)
        is_enough = values >= self._threshold
        self.reached += int(np.count_nonzero(is_enough))
        if is_enough.any():
            self._held.append(found.chosen(is_enough))
            self._size += len(self._held[-1])
            if self._size > 2 * self._limit:
                self._held = [self.ranked()]
                self._size = len(self._held[0])

    def join(self, other: "Best") -> None:
        """Take what another has seen."""
        self.histogram += other.histogram
        self.reached += other.reached
        self._held.append(other.ranked())
        self._held = [self.ranked()]
        self._size = len(self._held[0])

    def ranked(self) -> Scores:
        """The best so far, best first; of equal ones, by the other measures and then by number."""
        every = _joined(self._held)
        measures = [-every.measure(name) for name in (*reversed(MEASURES), self._measure)]
        keys: list[NDArray[Any]] = [every.right, every.left, *measures]
        return every.chosen(np.lexsort(keys)[: self._limit])


def _joined(parts: list[Scores]) -> Scores:
    nothing = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(0), np.zeros(0, np.int32)
    parts = [Scores(*nothing), *parts]
    return Scores(
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.right for part in parts]),
        np.concatenate([part.similarity for part in parts]),
        np.concatenate([part.containment for part in parts]),
        np.concatenate([part.shared for part in parts]),
    )
