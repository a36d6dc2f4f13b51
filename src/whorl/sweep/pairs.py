"""Phases 3 and 4 of an add: find candidate pairs of new contents by their sketches, verify them on all shingles, and
cluster all pairs by the rule of ``whorl cluster``.

The whole list of pairs is in memory, as in the paper.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import Pairs
from whorl.clustering.joining import Measured, components, may_reach, needed, stars
from whorl.engine.sampling import distinct
from whorl.kernel import native_pairs, native_tallies
from whorl.model import Hashes
from whorl.storage.segments import Segment
from whorl.sweep.contents import Sketched, counts, look_up
from whorl.sweep.result import ContentLikeness
from whorl.sweep.store import CONTENT_COLUMNS, Content, SweepStore

# Bytes of a pair while it is counted: itself, its weight, and both once more while they are sorted.
PAIR_BYTES = 32

Numbers = NDArray[np.int64]


class CandidateFinder:
    """Finds candidate pairs within a budget of memory."""

    def __init__(self, segments: Sequence[Sketched], common: int, memory: int, contents: int) -> None:
        self._segments, self._common = segments, common
        self._room = max(1, memory // PAIR_BYTES)
        # For each content of a finished batch: how many values of its sketch are common.
        self.common = np.zeros(contents + 1, np.int64)

    @property
    def room(self) -> int:
        """The maximum of sketch values in a batch."""
        return self._room

    def pairs(self, batch: Sequence[tuple[int, Hashes]]) -> Iterator[Pairs]:
        """Return the pairs of each content of a batch with earlier contents, and how many sketched shingles that are
        not common they share. Divide a batch with too many pairs."""
        numbers = np.repeat([number for number, _ in batch], [len(sketch) for _, sketch in batch]).astype(np.int64)
        hashes = np.concatenate([np.zeros(0, np.uint64), *(sketch for _, sketch in batch)])
        order = np.argsort(hashes, kind="stable")
        pairs = self._counted(hashes[order], numbers[order], is_one=len(batch) == 1)
        if pairs is None:
            half = len(batch) // 2
            yield from self.pairs(batch[:half])
            yield from self.pairs(batch[half:])
        else:
            yield pairs

    def _counted(self, hashes: Hashes, numbers: Numbers, is_one: bool) -> Pairs | None:
        """Count pairs; return None if there are too many. The pairs of one content are never too many."""
        packed_pairs, weights = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
        for part in self._expanded(hashes, numbers):
            pairs = np.concatenate([packed_pairs, part])
            order = np.argsort(pairs, kind="stable")
            ones = np.concatenate([weights, np.ones(len(part), np.uint32)])
            packed_pairs, weights = native_tallies.count(pairs[order], ones[order])
            if len(packed_pairs) > self._room and not is_one:
                return None
        return Pairs(*unpacked(packed_pairs), weights.astype(np.int64))

    def _expanded(self, hashes: Hashes, numbers: Numbers) -> Iterator[NDArray[np.uint64]]:
        """Pair each posting of the batch with each earlier content that has the same value, some values at a time."""
        distinct, starts, repeated = np.unique(hashes, return_index=True, return_counts=True)
        having = counts(self._segments, distinct)
        self.common[numbers] = 0
        np.add.at(self.common, numbers[np.repeat(having > self._common, repeated)], 1)
        useful = np.flatnonzero((having > 1) & (having <= self._common))
        distinct, starts, repeated, having = distinct[useful], starts[useful], repeated[useful], having[useful]
        for first, last in parts(having * repeated, self._room):
            which, contents = look_up(self._segments, distinct[first:last])
            firsts = np.searchsorted(which, np.arange(last - first))
            # One row for each posting of the batch: its value, and the contents that have it.
            value = np.repeat(np.arange(last - first), repeated[first:last])
            posting = np.repeat(starts[first:last], repeated[first:last]) + _within(repeated[first:last])
            repeats = having[first:last][value]
            right = np.repeat(numbers[posting], repeats)
            left = contents[np.repeat(firsts[value], repeats) + _within(repeats)]
            earlier = left < right
            yield packed(left[earlier], right[earlier])


def parts(weights: Numbers, room: int) -> Iterator[tuple[int, int]]:
    """Divide a row of weights into parts that fit the room. A single weight that is larger makes its own part."""
    bounds = np.concatenate([[0], np.cumsum(weights)])
    cuts = [0]
    while cuts[-1] < len(weights):
        after = int(np.searchsorted(bounds, bounds[cuts[-1]] + room, "right")) - 1
        cuts.append(max(cuts[-1] + 1, after))
    return pairwise(cuts)


def became_common(
    old: Sequence[Segment], hashes: Hashes, having: Numbers, common: int, memory: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
    """Return the pairs of old contents that share values which have just become common, each with the number of such
    values. ``having`` is the new number of contents of each value. In sorted parts; a pair may be in several."""
    before = counts(old, hashes)
    crossing = (having > common) & (before <= common) & (before > 1)
    hashes, before = hashes[crossing], before[crossing]
    for first, last in parts(before * (before - 1) // 2, max(1, memory // PAIR_BYTES)):
        which, contents = look_up(old, hashes[first:last])
        # Pair each posting with those after it that have the same value.
        after = before[first:last][which] - 1 - _within(before[first:last])
        left = np.repeat(contents, after)
        right = contents[np.repeat(np.arange(len(contents)), after) + 1 + _within(after)]
        pairs = packed(left, right)
        pairs.sort()
        yield native_tallies.count(pairs, np.ones(len(pairs), np.uint32))


def packed(left: Numbers, right: Numbers) -> NDArray[np.uint64]:
    """Pack two contents into one number, the left one in the upper half."""
    return left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)


def unpacked(pairs: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
    """Return both contents of each packed pair."""
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _within(lengths: Numbers) -> Numbers:
    """Return 0, 1, 2 … within each run."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)


SAME = ContentLikeness(1.0, 1.0, 1.0)


def shared_by(
    hashes: Hashes, bounds: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many shingles the contents of each pair share, exactly: without a bound at which counting stops."""
    return native_pairs.shared(hashes, bounds, left, right, np.zeros(len(left)))


def likeness(query: Hashes, other: Hashes) -> ContentLikeness:
    """Compare a content with the query, both by their sorted distinct shingles."""
    bounds = np.array([0, len(query), len(query) + len(other)], np.int64)
    first, second = np.zeros(1, np.int64), np.ones(1, np.int64)
    shared = int(shared_by(np.concatenate([query, other]), bounds, first, second)[0])
    union = len(query) + len(other) - shared
    return ContentLikeness(_ratio(shared, union), _ratio(shared, len(query)), _ratio(shared, len(other)))


class LikenessCache:
    """Compares contents with a query, each representative once."""

    def __init__(self, store: SweepStore, query: Hashes) -> None:
        self._store, self._query = store, query
        self._known: dict[int, ContentLikeness] = {}

    def of(self, row: int) -> ContentLikeness:
        """Return the likeness of a content that represents itself."""
        if row not in self._known:
            self._known[row] = likeness(self._query, self._store.hashes(row))
        return self._known[row]


def between(store: SweepStore, before: int, after: int) -> ContentLikeness:
    """Compare a content with the previous one."""
    rows = store.content(before).row, store.content(after).row
    return SAME if rows[0] == rows[1] else likeness(store.hashes(rows[0]), store.hashes(rows[1]))


def _ratio(part: int, whole: int) -> float:
    """Return the ratio; 1 for an empty whole, of which nothing is missing."""
    return part / whole if whole else 1.0


# Bytes of a shingle.
SHINGLE = 8


@dataclass(frozen=True, slots=True, eq=False)
class ContentSizes:
    """The number of shingles and the modulus of the sketch of every content, by its number."""

    shingles: Numbers
    moduli: Numbers


def may_reach_threshold(
    pairs: Pairs, common: Numbers, sizes: ContentSizes, settings: ClusterSettings
) -> NDArray[np.bool_]:
    """Return which pairs the sketches do not rule out. ``common``: how many values of the right sketch are common, and
    may be shared without being counted."""
    expected = expected_count(pairs, sizes, settings)
    # The values of the sketches are not available: assume that the number of shared ones has a Poisson distribution.
    return may_reach(pairs.count + common, expected, expected, expected)


def expected_count(pairs: Pairs, sizes: ContentSizes, settings: ClusterSettings) -> NDArray[np.float64]:
    """Return how many sketched shingles pairs share that just reach the threshold."""
    # The coarser sketch decides which shingles both could have: one in ``modulus`` of those that they must share.
    modulus = np.maximum(sizes.moduli[pairs.left], sizes.moduli[pairs.right])
    expected: NDArray[np.float64] = needed(sizes.shingles[pairs.left], sizes.shingles[pairs.right], settings) / modulus
    return expected


class Verifier:
    """Verifies pairs. The shingles in memory fit a budget, unless those of a single pair do not."""

    def __init__(
        self, hashes: Callable[[int], Hashes], sizes: ContentSizes, settings: ClusterSettings, memory: int
    ) -> None:
        self._hashes, self._sizes, self._settings = hashes, sizes, settings
        self._room = max(1, memory // SHINGLE)

    def verify(self, pairs: Pairs, common: Numbers) -> Iterator[tuple[Pairs, Numbers]]:
        """Yield the pairs that reach the threshold, and how many shingles they share, in parts. ``common``: how many
        values of each content's sketch are common."""
        candidates = may_reach_threshold(pairs, common[pairs.right], self._sizes, self._settings)
        chosen = Pairs(pairs.left[candidates], pairs.right[candidates], pairs.count[candidates])
        for part, shared in self.counted(chosen):
            measures = measured(part.left, part.right, shared, self._sizes.shingles)
            alike = measures.measure(self._settings.measure) >= self._settings.threshold
            yield Pairs(part.left[alike], part.right[alike], part.count[alike]), shared[alike]

    def counted(self, pairs: Pairs) -> Iterator[tuple[Pairs, Numbers]]:
        """Yield pairs, in parts, with the number of shingles that they share."""
        left, right, count = pairs.left, pairs.right, pairs.count
        for first, last in self._cuts(left, right):
            part = slice(first, last)
            yield Pairs(left[part], right[part], count[part]), self._shared(left[part], right[part])

    def _cuts(self, left: Numbers, right: Numbers) -> Iterator[tuple[int, int]]:
        """Divide the pairs so that the shingles of their members fit."""
        if self._sizes.shingles[distinct(np.concatenate([left, right]))].sum() <= self._room:
            yield from [(0, len(left))] if len(left) else []
            return
        first, loaded, room = 0, set[int](), self._room
        for at, ends in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            fresh = set(ends) - loaded
            room -= sum(int(self._sizes.shingles[number]) for number in fresh)
            loaded |= fresh
            if room < 0 and at > first:
                yield first, at
                first, loaded = at, set(ends)
                room = self._room - sum(int(self._sizes.shingles[number]) for number in loaded)
        if len(left) > first:
            yield first, len(left)

    def _shared(self, left: Numbers, right: Numbers) -> Numbers:
        members = distinct(np.concatenate([left, right]))
        shingles = [self._hashes(number) for number in members.tolist()]
        bounds = np.concatenate([[0], np.cumsum([len(each) for each in shingles])]).astype(np.int64)
        places = np.searchsorted(members, left), np.searchsorted(members, right)
        return shared_by(np.concatenate(shingles), bounds, *places)


def measured(left: Numbers, right: Numbers, shared: Numbers, sizes: Numbers) -> Measured:
    """Return the measures of pairs, from the shingles that they share and that each content has."""
    one, two = np.maximum(1, sizes[left]), np.maximum(1, sizes[right])
    counted = np.minimum(shared, np.minimum(one, two)).astype(np.float64)
    return Measured(left.astype(np.int32), right.astype(np.int32), counted, one, two)


@dataclass(slots=True, eq=False)
class PairTable:
    """All pairs of a store, sorted: both contents in one number (``keys``), the sketched shingles that they share and
    that are not common (``counts``), and all shingles that they share."""

    keys: NDArray[np.uint64]
    counts: Numbers
    shared: Numbers

    @classmethod
    def read(cls, store: SweepStore) -> "PairTable":
        """Read all pairs of a store."""
        table = np.array(list(store.scan("pairs", "left, right, count, shared", "left, right")), np.int64).reshape(
            -1, 4
        )
        return cls(packed(table[:, 0], table[:, 1]), table[:, 2].copy(), table[:, 3].copy())

    def reduce(self, keys: NDArray[np.uint64], by: NDArray[np.uint32]) -> None:
        """Subtract shingles that became common from the counts of these pairs, sorted. Ignore unknown pairs."""
        if not len(self.keys):
            return
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        self.counts[places[known]] -= by[known]

    def write_reduced(self, store: SweepStore, before: Numbers) -> None:
        """Write the reduced counts. Drop the pairs that share only common shingles."""
        left, right = unpacked(self.keys)
        for at in np.flatnonzero(self.counts != before).tolist():
            old = int(left[at]), int(right[at]), int(before[at]), int(self.shared[at])
            store.reduce_pair(old, int(self.counts[at]))
        remaining = self.counts > 0
        self.keys, self.counts, self.shared = self.keys[remaining], self.counts[remaining], self.shared[remaining]

    def add(self, verified: list[tuple[Pairs, Numbers]]) -> None:
        """Append new pairs with the numbers of shared shingles. Only ``reduce`` needs the order."""
        self.keys = np.concatenate([self.keys, *(packed(pairs.left, pairs.right) for pairs, _ in verified)])
        self.counts = np.concatenate([self.counts, *(pairs.count for pairs, _ in verified)])
        self.shared = np.concatenate([self.shared, *(shared for _, shared in verified)])


def heads(
    rows: Numbers, ties: NDArray[np.uint64], table: PairTable, sizes: ContentSizes, settings: ClusterSettings
) -> Numbers:
    """Return the representative of the cluster of each row."""
    left, right = (np.searchsorted(rows, ends) for ends in unpacked(table.keys))
    pairs = measured(left, right, table.shared, sizes.shingles[rows])
    if settings.closure:
        return rows[components(len(rows), pairs, ties)]
    return rows[stars(len(rows), pairs, ties, settings)]


def changed(store: SweepStore, rows: Numbers, heads: Numbers) -> Iterator[tuple[int, int, int | None]]:
    """Yield the rows that change their cluster, with the new head and the old."""
    old = dict(store.scan("clusters", "content, head"))
    for row, head in zip(rows.tolist(), heads.tolist(), strict=True):
        if old.get(row) != head:
            yield row, head, old.get(row)


def clusters(store: SweepStore) -> list[tuple[str, ...]]:
    """Return every cluster as the digests of its contents, the largest first."""
    heads = dict(store.scan("clusters", "content, head"))
    members: dict[int, list[str]] = {}
    for fields in store.scan("contents", CONTENT_COLUMNS):
        content = Content(*fields)
        members.setdefault(heads[content.row], []).append(content.digest.hex())
    return sorted(
        (tuple(sorted(digests)) for digests in members.values()), key=lambda digests: (-len(digests), digests)
    )
