"""Phase 3 for what is new: ⟨content, content, count⟩ of the pairs whose later member is new.

The paper expands the sorted file of all ⟨shingle, document⟩. Here the shingles of the new contents are looked up in it
(section "On the fly resemblance"), a batch of contents at a time: the cost grows with what is new, and the count of a
pair is complete when its batch is done, so nothing has to be merged.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.counting import Pairs
from whorl.index.segment import Segment
from whorl.model import Hashes
from whorl.sweeps.segments import counts, look_up

# Bytes that a pair takes while it is counted: itself, its weight, and both once more while they are sorted.
EACH = 32

Numbers = NDArray[np.int64]


class Candidates:
    """Finds pairs within a budget of memory."""

    def __init__(self, segments: Sequence[Segment], common: int, memory: int, contents: int) -> None:
        self._segments, self._common = segments, common
        self._room = max(1, memory // EACH)
        # Of each content of a batch that was gone through: how many values of its sketch are common.
        self.common = np.zeros(contents + 1, np.int64)

    @property
    def room(self) -> int:
        """Sketch values that a batch should have at the most."""
        return self._room

    def pairs(self, batch: Sequence[tuple[int, Hashes]]) -> Iterator[Pairs]:
        """The pairs of each content of a batch with all that came before it, by the sketched shingles that both have
        and that are not common. A batch with too many pairs is divided."""
        numbers = np.repeat([number for number, _ in batch], [len(sketch) for _, sketch in batch]).astype(np.int64)
        hashes = np.concatenate([np.zeros(0, np.uint64), *(sketch for _, sketch in batch)])
        order = np.argsort(hashes, kind="stable")
        found = self._counted(hashes[order], numbers[order], is_one=len(batch) == 1)
        if found is None:
            half = len(batch) // 2
            yield from self.pairs(batch[:half])
            yield from self.pairs(batch[half:])
        else:
            yield found

    def _counted(self, hashes: Hashes, numbers: Numbers, is_one: bool) -> Pairs | None:
        """None if there are too many; those of one content are never too many, for each is with another content."""
        held, weights = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
        for part in self._expanded(hashes, numbers):
            pairs = np.concatenate([held, part])
            order = np.argsort(pairs, kind="stable")
            ones = np.concatenate([weights, np.ones(len(part), np.uint32)])
            held, weights = kernel.tallies().count(pairs[order], ones[order])
            if len(held) > self._room and not is_one:
                return None
        return Pairs(*unpacked(held), weights.astype(np.int64))

    def _expanded(self, hashes: Hashes, numbers: Numbers) -> Iterator[NDArray[np.uint64]]:
        """Each posting of the batch with each earlier content that has the same value, some values at a time."""
        distinct, starts, own = np.unique(hashes, return_index=True, return_counts=True)
        having = counts(self._segments, distinct)
        self.common[np.unique(numbers)] = 0
        np.add.at(self.common, numbers[np.repeat(having > self._common, own)], 1)
        kept = np.flatnonzero((having > 1) & (having <= self._common))
        distinct, starts, own, having = distinct[kept], starts[kept], own[kept], having[kept]
        for first, last in parts(having * own, self._room):
            which, contents = look_up(self._segments, distinct[first:last])
            firsts = np.searchsorted(which, np.arange(last - first))
            # One row for each posting of the batch: which value it has, and which contents have that.
            value = np.repeat(np.arange(last - first), own[first:last])
            posting = np.repeat(starts[first:last], own[first:last]) + _within(own[first:last])
            repeats = having[first:last][value]
            right = np.repeat(numbers[posting], repeats)
            left = contents[np.repeat(firsts[value], repeats) + _within(repeats)]
            earlier = left < right
            yield packed(left[earlier], right[earlier])


def parts(weights: Numbers, room: int) -> Iterator[tuple[int, int]]:
    """Where a row is cut so that no part weighs more than there is room; one that alone does is a part of its own."""
    bounds = np.concatenate([[0], np.cumsum(weights)])
    cuts = [0]
    while cuts[-1] < len(weights):
        after = int(np.searchsorted(bounds, bounds[cuts[-1]] + room, "right")) - 1
        cuts.append(max(cuts[-1] + 1, after))
    return pairwise(cuts)


def became_common(
    old: Sequence[Segment], hashes: Hashes, having: Numbers, common: int, memory: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
    """The pairs of old contents by the values that were not common before, and are now that ``having`` contents have
    them; each with the number of such values. In sorted parts; a pair may be in several."""
    before = counts(old, hashes)
    crossing = (having > common) & (before <= common) & (before > 1)
    hashes, before = hashes[crossing], before[crossing]
    for first, last in parts(before * (before - 1) // 2, max(1, memory // EACH)):
        which, contents = look_up(old, hashes[first:last])
        # Each posting with those after it that have the same value.
        after = before[first:last][which] - 1 - _within(before[first:last])
        left = np.repeat(contents, after)
        right = contents[np.repeat(np.arange(len(contents)), after) + 1 + _within(after)]
        pairs = packed(left, right)
        pairs.sort()
        yield kernel.tallies().count(pairs, np.ones(len(pairs), np.uint32))


def packed(left: Numbers, right: Numbers) -> NDArray[np.uint64]:
    """Two contents in one number, the left one above."""
    return left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)


def unpacked(pairs: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
    """Both contents of each pair."""
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _within(lengths: Numbers) -> Numbers:
    """0, 1, 2 … within each of some runs."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
