"""Estimate the scores of all pairs by shared fingerprints, and choose the candidate pairs to verify."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.normal_form import PRIOR_STATEMENTS
from whorl.comparison.result import Pair
from whorl.comparison.settings import LATE, MEASURES, Settings
from whorl.comparison.weights import ClassPostings, Forms
from whorl.components import Components
from whorl.engine.sampling import distinct
from whorl.kernel import native_pairs, native_tallies
from whorl.matching.score import LOWEST, enough
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Candidate pairs, by the numbers of their submissions, with their estimated measures. ``shared`` counts the shared
    fingerprints of the stream that has most; ``plain`` those of the plain stream."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: NDArray[np.float64]
    containment: NDArray[np.float64]
    shared: NDArray[np.int32]
    plain: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.left)

    def measure(self, name: str, scheme: Scheme) -> NDArray[np.float64]:
        """Return one of the ``MEASURES`` of all pairs, or ``plain``."""
        if name == "score":
            return (self.similarity + self.containment) / 2 * damping(self.shared, scheme)
        values: NDArray[Any] = getattr(self, name)
        return values.astype(np.float64)

    def chosen(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Estimates":
        """Return some of the pairs."""
        return Estimates(*(column[rows] for column in self.columns()))

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Return all columns, in order."""
        return self.left, self.right, self.similarity, self.containment, self.shared, self.plain


def damping(shared: NDArray[np.int32], scheme: Scheme) -> NDArray[np.float64]:
    """Estimate the damping of scores (``matching/score.py``) as if all shared fingerprints were in one passage, with
    one per window."""
    window = (scheme.guarantee or 2 * scheme.k) - scheme.k + 1
    values: NDArray[np.float64] = np.sqrt(np.minimum(1, (shared * window + scheme.k - 1.0) / enough(scheme)))
    return values


# Pairs that are estimated together, at most, by all streams, unless one submission has more. Most submissions share
# fingerprints with few others, and each call of NumPy has a fixed cost.
BATCH = 1 << 17


def estimates(
    streams: Sequence[ClassPostings], numbers: Sequence[int], forms: Forms | None
) -> Iterator[tuple[int, Estimates]]:
    """Estimate the pairs of these submissions, which ascend, with later ones that share a fingerprint: by one stream,
    or by the four that ``fuse`` takes. Yield the pairs of some submissions at a time, and how many these are."""
    documents = np.array(numbers, np.int64)
    reaches = [native_pairs.reach(each.offsets, each.groups, each.starts, documents) for each in streams]
    ends = np.cumsum(np.sum(reaches, axis=0))
    totals = np.stack([each.totals for each in streams])
    done = 0
    while done < len(documents):
        room = BATCH + (int(ends[done - 1]) if done else 0)
        end = max(done + 1, int(ends.searchsorted(room, "right")))
        shared = [_shared(each, documents[done:end]) for each in streams]
        yield end - done, _estimated(*shared[0], totals[0]) if forms is None else fuse(shared, totals, forms)
        done = end


# Pairs that share fingerprints of a stream: the numbers of both submissions, and the weight and the number of these.
Shared: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]


def _shared(postings: ClassPostings, numbers: NDArray[np.int64]) -> Shared:
    """Return the pairs of these submissions with later ones that share a fingerprint of a stream."""
    lists = postings.offsets, postings.groups, postings.starts, postings.members, postings.weights
    return native_pairs.partners(*lists, numbers)


def _estimated(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    weights: NDArray[np.float64],
    counts: NDArray[np.int32],
    totals: NDArray[np.float64],
) -> Estimates:
    """Estimate pairs by one stream, in which each submission weighs its total."""
    mine, theirs = totals[left], totals[right]
    return Estimates(
        left,
        right,
        np.minimum(1, weights / (mine + theirs - weights)),
        np.minimum(1, weights / np.minimum(mine, theirs)),
        counts,
        counts,
    )


def fuse(streams: Sequence[Shared], totals: NDArray[np.float64], forms: Forms) -> Estimates:
    """Estimate pairs by tokens, by k-grams of the normal form, by its statements and by those of the text: each measure
    is the mean of tokens, k-grams and statements, as in ``NormalWeights.parts`` and ``matching.score.mean``. A pair
    with a side without a normal form has its plain measures."""
    bounds = np.cumsum([0, *(len(left) for left, *_ in streams)])
    left, right, weights, counts = map(np.concatenate, zip(*streams, strict=True))
    statements = np.stack([forms.statements, forms.standing])
    has_normal = forms.has_normal.view(np.uint8)
    return Estimates(
        *native_tallies.fuse(
            bounds, left, right, weights, counts, totals, has_normal, statements, PRIOR_STATEMENTS, LOWEST
        )
    )


class BestPairs:
    """The best ``limit`` pairs that reach the threshold of a measure. ``reached`` counts all that reach it."""

    def __init__(self, threshold: float, measure: str, limit: int, scheme: Scheme) -> None:
        self._threshold, self._measure, self._limit, self._scheme = threshold, measure, limit, scheme
        self._parts: list[Estimates] = []
        self._size = 0
        # What the best pairs so far reach: any other must, too, to be one of them.
        self._least = threshold
        self.reached = 0

    def add(self, pairs: Estimates, values: NDArray[np.float64], rows: NDArray[np.bool_]) -> None:
        """Add those of some pairs that are in ``rows``. ``values`` is the measure of all."""
        self.reached += int(np.count_nonzero(rows & (values >= self._threshold)))
        is_enough = rows & (values >= self._least)
        if is_enough.any():
            self._add_part(pairs.chosen(is_enough))

    def join(self, other: "BestPairs") -> None:
        """Merge the best pairs of another part of the class."""
        self.reached += other.reached
        self._add_part(other.ranked())

    def _add_part(self, pairs: Estimates) -> None:
        self._parts.append(pairs)
        self._size += len(pairs)
        if self._size > 2 * self._limit:
            best = self.ranked()
            self._parts, self._size = [best], len(best)
            self._least = float(best.measure(self._measure, self._scheme)[-1])

    def ranked(self) -> Estimates:
        """Return the best pairs so far, best first; ties by the other measures, then by number."""
        pairs = joined(self._parts)
        measures = [-pairs.measure(name, self._scheme) for name in (*reversed(MEASURES), self._measure)]
        keys: list[NDArray[Any]] = [pairs.right, pairs.left, *measures]
        return pairs.chosen(np.lexsort(keys)[: self._limit])


def joined(parts: Sequence[Estimates]) -> Estimates:
    """Concatenate pairs."""
    none, no_share = np.zeros(0, np.int32), np.zeros(0)
    empty = Estimates(none, none, no_share, no_share, none, none)
    return Estimates(
        *(np.concatenate(column) for column in zip(*(part.columns() for part in [empty, *parts]), strict=True))
    )


# Minimum number of pairs to verify, because estimates do not rank the best pairs exactly.
MIN_VERIFIED = 100

# Pairs with a cluster's score that wait until they are verified. Beyond this number, their estimates link them.
MAX_STRONG = 1 << 16


class CandidatePairs:
    """Collect candidate pairs from estimates: the pairs to verify, a histogram of all scores, and the links of
    clusters.

    ``people`` has the person of each submission, if known: two submissions of one person are no candidate. ``groups``
    are submissions with identical streams. One pair represents each set of identical pairs, so that many equal
    submissions do not fill the list; the others have a limit of their own.
    """

    def __init__(
        self, settings: Settings, scheme: Scheme, people: Sequence[str | None], groups: Sequence[Sequence[int]]
    ) -> None:
        self._scheme, self._cluster = scheme, settings.cluster
        self._least, self._measure = settings.least, settings.measure
        if settings.measure in LATE or settings.deep:  # known for verified pairs only
            self._least, self._measure = 0.0, "score"
        limit = max(MIN_VERIFIED, settings.limit)
        self._best = BestPairs(self._least, self._measure, limit, scheme)
        self._repeated = BestPairs(self._least, self._measure, limit, scheme)
        least = _least_fingerprints(settings.long_passage(scheme), scheme)
        self._long = BestPairs(least, "plain", limit, scheme)
        self._repeated_long = BestPairs(least, "plain", limit, scheme)
        self._wants_long = settings.long_passage(scheme) > 0
        self._people = person_numbers(people)
        self._firsts, self._seconds = _representatives(self._people, groups)
        self._links = Components(len(people))
        self._strong: list[Estimates] = []
        self._strong_size = 0
        self.histogram = np.zeros(101, np.int64)

    def add(self, pairs: Estimates) -> None:
        """Add the estimates of some pairs."""
        are_of_two = self._people[pairs.left] != self._people[pairs.right]
        if not are_of_two.all():
            pairs = pairs.chosen(are_of_two)
        scores = pairs.measure("score", self._scheme)
        self.histogram += np.bincount((scores * 100).astype(np.int64), minlength=101)
        self._add_strong_of_each(pairs.chosen(scores >= self._cluster))
        values = scores if self._measure == "score" else pairs.measure(self._measure, self._scheme)
        represents = self._represents(pairs)
        self._best.add(pairs, values, represents)
        self._repeated.add(pairs, values, ~represents)
        if self._wants_long:
            plain, is_low = pairs.measure("plain", self._scheme), values < self._least
            self._long.add(pairs, plain, is_low & represents)
            self._repeated_long.add(pairs, plain, is_low & ~represents)

    def join(self, other: "CandidatePairs") -> None:
        """Merge the candidates of another part of the class."""
        self.histogram += other.histogram
        self._links.join(other._links)
        self._add_strong(joined(other._strong))
        self._best.join(other._best)
        self._repeated.join(other._repeated)
        self._long.join(other._long)
        self._repeated_long.join(other._repeated_long)

    def _add_strong_of_each(self, pairs: Estimates) -> None:
        """Add strong pairs, those of one submission after the other where their number can reach the limit: when it
        does must not depend on how many were estimated together."""
        if self._strong_size + len(pairs) <= MAX_STRONG:
            self._add_strong(pairs)
        else:
            for left in distinct(pairs.left).tolist():
                self._add_strong(pairs.chosen(pairs.left == left))

    def _add_strong(self, pairs: Estimates) -> None:
        if len(pairs):
            self._strong.append(pairs)
            self._strong_size += len(pairs)
        if self._strong_size > MAX_STRONG:
            strong = joined(self._strong)
            self._links.add(strong.left, strong.right)
            self._strong, self._strong_size = [], 0

    def links(self, verified: Sequence[Pair]) -> Components:
        """Return the links of clusters: by the score of verified pairs, by the estimate of others."""
        ends = {(pair.left, pair.right): pair.score >= self._cluster for pair in verified}
        strong = joined(self._strong)
        for pair in zip(strong.left.tolist(), strong.right.tolist(), strict=True):
            ends.setdefault(pair, True)
        linked = np.array([pair for pair, is_linked in ends.items() if is_linked], np.int32).reshape(-1, 2).T
        self._links.add(np.ascontiguousarray(linked[0]), np.ascontiguousarray(linked[1]))
        return self._links

    @property
    def reached(self) -> int:
        """The number of pairs whose estimates reach the threshold."""
        every = self._best, self._repeated, self._long, self._repeated_long
        return sum(pairs.reached for pairs in every)

    def ranked(self) -> tuple[Estimates, NDArray[np.bool_]]:
        """Return the pairs to verify, and which of them only if they share a long passage."""
        by_score = joined([self._best.ranked(), self._repeated.ranked()])
        by_passage = joined([self._long.ranked(), self._repeated_long.ranked()])
        return joined([by_score, by_passage]), np.arange(len(by_score) + len(by_passage)) >= len(by_score)

    def representative(self, left: int, right: int) -> tuple[int, int]:
        """Return the pair that represents this one and all pairs identical to it."""
        first, other = int(self._firsts[left]), int(self._firsts[right])
        ends = (first, int(self._seconds[first])) if first == other else (min(first, other), max(first, other))
        return (left, right) if self._people[ends[0]] == self._people[ends[1]] else ends

    def _represents(self, pairs: Estimates) -> NDArray[np.bool_]:
        first, other = self._firsts[pairs.left], self._firsts[pairs.right]
        expected = np.where(first == other, self._seconds[first], other)
        is_first = (first == pairs.left) & (expected == pairs.right)
        represents: NDArray[np.bool_] = is_first | (self._people[first] == self._people[expected])
        return represents


def person_numbers(people: Sequence[str | None]) -> NDArray[np.int32]:
    """Return a number for the person of each submission; a submission without one has a number of its own."""
    numbers: dict[str, int] = {}
    return np.array(
        [place if person is None else numbers.setdefault(person, place) for place, person in enumerate(people)],
        np.int32,
    )


def _representatives(
    people: NDArray[np.int32], groups: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first submission identical with each, and the second one of each group, by somebody else."""
    firsts = np.arange(len(people), dtype=np.int32)
    seconds = firsts.copy()
    for members in groups:
        firsts[list(members)] = members[0]
        others = (member for member in members if people[member] != people[members[0]])
        seconds[members[0]] = next(others, members[0])
    return firsts, seconds


def _least_fingerprints(length: int, scheme: Scheme) -> int:
    """Return the minimum number of fingerprints in a passage of this length: one per window."""
    window = (scheme.guarantee or scheme.k) - scheme.k + 1
    return max(1, (length - scheme.k + 1) // window)
