"""Phase 4: filter pairs by sketches, verify them on all shingles, join similar documents to clusters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import PAIRS_STEP, Pairs, PairsDone, PairsToVerify, shared, side_by_side
from whorl.clustering.records import Rows
from whorl.clustering.sketching import Sketches, common_among
from whorl.components import Components
from whorl.kernel import native_pairs
from whorl.model import Hashes
from whorl.threads import Prefetch

# Standard errors below the expected count at which a pair is ruled out. This loses one pair in 2,000 that just reaches
# the threshold.
DOUBT = 3.3

# A smaller sample of shingles says nothing about a pair, so it is verified.
SMALL_SAMPLE = 8

# Rounding error of the threshold, in shingles.
ROUNDING = 1e-6

# Part of the memory budget for candidates that wait, and for shingles while they are compared; bytes of a verified
# pair.
MEMORY_SHARE = 3
VERIFIED_PAIR_BYTES = 128

# Pairs below the threshold that are measured again. Counting stops when a pair cannot reach the threshold any more, so
# the counts of pairs below it are too low, and the closest of them is not the first by these counts.
MISSES = 256

# Numbers in one cache line: the facts of a document lie together.
LINE = 16

Numbers: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Pairs of documents by number, left < right, with how many shingles they share and how many each has."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    shared: NDArray[np.float64]
    left_size: NDArray[np.int64]
    right_size: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def resemblance(self) -> NDArray[np.float64]:
        """|A ∩ B| / |A ∪ B|."""
        return self.shared / (self.left_size + self.right_size - self.shared)

    @property
    def left_in_right(self) -> NDArray[np.float64]:
        """|A ∩ B| / |A|."""
        return self.shared / self.left_size

    @property
    def right_in_left(self) -> NDArray[np.float64]:
        """|A ∩ B| / |B|."""
        return self.shared / self.right_size

    def measure(self, name: str) -> NDArray[np.float64]:
        """Return the resemblance of each pair, or the larger containment."""
        return self.resemblance if name == "resemblance" else np.maximum(self.left_in_right, self.right_in_left)

    def chosen(self, rows: NDArray[np.bool_] | NDArray[np.int64] | slice) -> "Measured":
        return Measured(*(getattr(self, column)[rows] for column in self.__slots__))

    @classmethod
    def joined(cls, parts: Iterable["Measured"]) -> "Measured":
        every = list(parts)
        kinds = (np.int32, np.int32, np.float64, np.int64, np.int64)
        return cls(
            *(
                np.concatenate([np.empty(0, kind), *(getattr(part, column) for part in every)])
                for column, kind in zip(cls.__slots__, kinds, strict=True)
            )
        )

    @property
    def ends(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return each pair twice: one document of each, and the other."""
        return np.concatenate([self.left, self.right]), np.concatenate([self.right, self.left])


def needed(one: NDArray[np.int64], two: NDArray[np.int64], settings: ClusterSettings) -> NDArray[np.float64]:
    """Return how many shingles documents of these sizes must share to reach the threshold."""
    threshold = np.float64(settings.threshold)
    if settings.measure == "resemblance":
        return threshold / (1 + threshold) * (one + two)
    return threshold * np.minimum(one, two)


def may_reach(count: Numbers, expected: Numbers, variance: Numbers, sample: Numbers) -> NDArray[np.bool_]:
    """Return which pairs may reach the threshold, by how many values of their sketches they share.

    A pair that just reaches it shares ``expected`` values, with this variance. It is ruled out if it shares ``DOUBT``
    standard errors less, unless the ``sample`` is too small to say anything. The kernel's loop, which knows the values
    of both sketches, and the sweeps, which know only the sizes of the documents, follow this rule.
    """
    may: NDArray[np.bool_] = (sample < SMALL_SAMPLE) | (count + DOUBT * np.sqrt(variance) >= expected)
    return may


def _facts(sketches: Sketches, common: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the level of each sketch, and by level its number of values and of common values.

    All facts of a document lie together in memory: pairs access documents at random, and every cache miss costs.
    """
    count, levels = common.shape
    facts = np.zeros((count, -(-(1 + 2 * levels) // LINE) * LINE), np.int32)
    facts[:, 0] = np.log2(sketches.moduli)
    facts[:, 1 : levels + 1] = sketches.level_counts
    facts[:, levels + 1 : 2 * levels + 1] = common
    return facts[:, 0], facts[:, 1 : levels + 1], facts[:, levels + 1 : 2 * levels + 1]


class _Misses:
    """The pairs that come closest to the threshold without reaching it. Several threads add to them."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._measure, self._threshold, self._lock = settings.measure, settings.threshold, Lock()
        self.pairs, self._least = Measured.joined(()), 0.0

    def add(self, pairs: Measured, measures: NDArray[np.float64]) -> None:
        close = np.flatnonzero((measures >= self._least) & (measures < self._threshold))
        if not len(close):
            return
        with self._lock:
            self.pairs = closest_first(Measured.joined([self.pairs, pairs.chosen(close)]), self._measure, MISSES)
            if len(self.pairs) == MISSES:
                self._least = float(self.pairs.measure(self._measure)[-1])


def closest_first(pairs: Measured, measure: str, most: int) -> Measured:
    """Return the pairs with the greatest measure, at most so many; ties go to the first documents."""
    measures = pairs.measure(measure)
    if len(pairs) > most:
        is_close = measures >= np.partition(measures, -most)[-most]
        pairs, measures = pairs.chosen(is_close), measures[is_close]
    return pairs.chosen(np.lexsort((pairs.right, pairs.left, -measures))[:most])


class Measurer:
    """Measure how alike documents are."""

    def __init__(self, shingles: Rows, sketches: Sketches, common: Hashes, settings: ClusterSettings) -> None:
        self._shingles, self._sketches, self._settings = shingles, sketches, settings
        self._sizes = np.maximum(1, shingles.sizes)
        self._levels, self._level_counts, self._common = _facts(sketches, common_among(sketches, common))
        self._misses = _Misses(settings)

    def estimated(self, pairs: Pairs) -> Measured:
        """Return the candidates that reach the threshold by their sketches. The counts are of sketch values, unless
        candidates share super shingles."""
        if self._settings.super_shingles:
            return self.reached(self.between(pairs.left, pairs.right))
        # Common shingles were not counted, so count again for sketches that may share some.
        again = self._samples(pairs)[2] > 0
        count = pairs.count.copy()
        count[again] = self._shared(self._sketches.rows, pairs.left[again], pairs.right[again])
        return self.reached(self._estimated(Pairs(pairs.left, pairs.right, count)))

    def verified(
        self, left: Numbers, right: Numbers, ahead: Prefetch, report: PairsDone = lambda count: None
    ) -> Iterator[Measured]:
        """Yield the candidates, which come in order, that reach the threshold on all shingles; in parts."""
        pairs = PairsToVerify(np.ascontiguousarray(left, np.int32), np.ascontiguousarray(right, np.int32), self._needed)
        counts = shared(self._shingles, pairs, self._settings.memory // MEMORY_SHARE, ahead, report)

        def reached(start: int) -> Measured:
            part = slice(start, start + PAIRS_STEP)
            return self.reached(self._measured(pairs.left[part], pairs.right[part], counts[part]))

        return ahead.map(reached, range(0, len(pairs), PAIRS_STEP))

    def candidates(
        self, pairs: Iterable[Pairs], ahead: Prefetch, report: PairsDone
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the candidates that sketches do not rule out, left and right, as many at a time as memory allows."""

        def sifted(part: Pairs) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
            chosen = self.hopeful(part)
            return len(part), part.left[chosen].astype(np.int32), part.right[chosen].astype(np.int32)

        room = self._settings.memory // MEMORY_SHARE // VERIFIED_PAIR_BYTES
        lefts, rights, count_waiting = [], [], 0
        for count, left, right in ahead.map(sifted, pairs):
            report(count - len(left))
            lefts.append(left)
            rights.append(right)
            count_waiting += len(left)
            if count_waiting > room:
                yield np.concatenate(lefts), np.concatenate(rights)
                lefts, rights, count_waiting = [], [], 0
        if count_waiting:
            yield np.concatenate(lefts), np.concatenate(rights)

    def between(self, left: Numbers, right: Numbers) -> Measured:
        """Measure any documents: on all shingles, or by their sketches if ``estimate`` is set."""
        if not self._settings.estimate:
            return self._measured(left, right, self._shared(self._shingles, left, right))
        return self._estimated(Pairs(left, right, self._shared(self._sketches.rows, left, right)))

    def reached(self, measured: Measured) -> Measured:
        """Return the pairs that reach the threshold; remember the closest of the others."""
        measures = measured.measure(self._settings.measure)
        self._misses.add(measured, measures)
        return measured.chosen(measures >= self._settings.threshold)

    def missed(self, most: int) -> Measured:
        """Return the candidates just below the threshold, the closest first."""
        pairs = self.between(self._misses.pairs.left, self._misses.pairs.right)
        is_below = pairs.measure(self._settings.measure) < self._settings.threshold
        return closest_first(pairs.chosen(is_below), self._settings.measure, most)

    def _needed(self, left: Numbers, right: Numbers) -> NDArray[np.float64]:
        return needed(self._sizes[left], self._sizes[right], self._settings) - ROUNDING

    def _estimated(self, pairs: Pairs) -> Measured:
        """Return the paper's estimates, as a number of shared shingles."""
        kept_left, kept_right, _ = self._samples(pairs)
        left, right = self._sizes[pairs.left], self._sizes[pairs.right]
        if self._settings.measure == "resemblance":
            estimate = pairs.count / np.maximum(1, kept_left + kept_right - pairs.count)
            shared = estimate / (1 + estimate) * (left + right)
        else:
            shared = (
                pairs.count / np.maximum(1, np.where(left <= right, kept_left, kept_right)) * np.minimum(left, right)
            )
        return self._measured(pairs.left, pairs.right, shared)

    def _samples(self, pairs: Pairs) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return how many sketch values of each document the other's sketch could hold, as the coarser one decides; and
        how many common values, which are not counted, both may share."""
        values, common = self._level_counts, self._common
        left, right = pairs.left, pairs.right
        level = np.maximum(self._levels[left], self._levels[right])
        may_share = np.minimum(common[left, level], common[right, level])
        return values[left, level].astype(np.int64), values[right, level].astype(np.int64), may_share.astype(np.int64)

    def _measured(self, left: Numbers, right: Numbers, shared: NDArray[np.int64] | NDArray[np.float64]) -> Measured:
        one, two = self._sizes[left], self._sizes[right]
        least = np.minimum(shared.astype(np.float64), np.minimum(one, two))
        return Measured(left.astype(np.int32), right.astype(np.int32), least, one, two)

    def hopeful(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Return which pairs may reach the threshold by their sketches; all that share super shingles."""
        if self._settings.super_shingles:
            return np.ones(len(pairs), np.bool_)
        sizes = None if self._settings.measure == "resemblance" else self._sizes
        left, right, count = (np.asarray(column, np.uint32) for column in (pairs.left, pairs.right, pairs.count))
        return native_pairs.hopeful(
            left, right, count, self._levels, self._level_counts, self._common, sizes,
            self._settings.threshold, DOUBT, SMALL_SAMPLE,
        )  # fmt: skip

    def _shared(self, rows: Rows, left: Numbers, right: Numbers) -> NDArray[np.int64]:
        return side_by_side(rows, left, right, np.zeros(len(left)), self._settings.memory // MEMORY_SHARE)


# A document joins a cluster if at most this many of the members, or this share of them, are no pair with it. Copies
# that resemble their original, but not each other, stay together. Costs and gains: docs/decisions/0014-clustering.md.
MISSING_PAIRS = 5
MISSING_SHARE = 0.02


def components(count: int, pairs: Measured, ties: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the head of each document: the member of its component with most pairs."""
    roots = Components.of(count, pairs.left, pairs.right).roots()
    best = np.full(count, -1, np.int64)
    near = _Near(count, *pairs.ends, np.zeros(2 * len(pairs)), ties)
    for number in near.order(ties)[::-1].tolist():
        best[roots[number]] = number
    heads = best[roots]
    return np.where(heads < 0, np.arange(count), heads)


def stars(count: int, pairs: Measured, ties: NDArray[np.uint64], settings: ClusterSettings) -> NDArray[np.int64]:
    """Return the head of each document, with which it is a pair."""
    near = _Near(count, *pairs.ends, np.tile(pairs.measure(settings.measure), 2), ties)
    is_mutual = settings.measure == "resemblance"
    may_join = near if is_mutual else _contained(count, pairs, ties, settings.threshold)
    # A document that shares super shingles with very many is compared with only one of them, so missing pairs say
    # nothing.
    few = count if settings.super_shingles else MISSING_PAIRS
    return native_pairs.gather(
        may_join.order(ties),
        may_join.bounds,
        may_join.others,
        may_join.likeness,
        near.bounds,
        near.others,
        few,
        MISSING_SHARE,
    )


def similarities(heads: NDArray[np.int64], pairs: Measured, measure: str) -> NDArray[np.float64]:
    """Return how alike each document and its head are; -1 if they are no pair."""
    similarity = np.where(heads == np.arange(len(heads)), 1.0, -1.0)
    values = pairs.measure(measure)
    for one, other in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
        is_head = heads[one] == other
        similarity[one[is_head]] = values[is_head]
    return similarity


class _Near:
    """For each document the others that it is a pair with, and how alike they are."""

    def __init__(
        self,
        count: int,
        owners: NDArray[np.int32],
        others: NDArray[np.int32],
        likeness: NDArray[np.float64],
        ties: NDArray[np.uint64],
    ) -> None:
        self.others, self.likeness, self.bounds = native_pairs.near(count, owners, others, likeness, ties)
        self.degrees = np.diff(self.bounds)

    def order(self, ties: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the documents with any pair, those with most pairs first; ties go to the smaller ``tie``."""
        paired = np.flatnonzero(self.degrees)
        return paired[np.lexsort((ties[paired], -self.degrees[paired]))]


def _contained(count: int, pairs: Measured, ties: NDArray[np.uint64], threshold: float) -> _Near:
    """For each document, find the documents contained in it. A cluster of parts has the whole as its head: a page that
    is nearly all menu is part of every page with the menu."""
    left, right = pairs.left_in_right >= threshold, pairs.right_in_left >= threshold
    return _Near(
        count,
        np.concatenate([pairs.right[left], pairs.left[right]]),
        np.concatenate([pairs.left[left], pairs.right[right]]),
        np.concatenate([pairs.left_in_right[left], pairs.right_in_left[right]]),
        ties,
    )
