"""Seeds, word bigrams that are unique on each side, and their clusters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.words import Places, Words
from whorl.model import Hashes

# Largest distance of neighbours, in words: a clause. It limits the bigrams of longer words and each step of an edge.
NEAR = 8

# Odd constants of splitmix64, to mix two hashes. A collision makes a false seed, never a false match.
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_HIGH = np.uint64(31)


@dataclass(frozen=True, slots=True, eq=False)
class Bigrams:
    """Word bigrams of a document: their hashes, and the positions of their two words."""

    hashes: Hashes
    firsts: Places
    seconds: Places

    def between(self, start: int, end: int) -> "Bigrams":
        """Return the bigrams with both words from ``start`` to ``end``; ``firsts`` ascend."""
        chosen = slice(*np.searchsorted(self.firsts, [start, end]).tolist())
        is_inside = self.seconds[chosen] < end
        return Bigrams(self.hashes[chosen][is_inside], self.firsts[chosen][is_inside], self.seconds[chosen][is_inside])


# Rows of seeds: two words of the left side, their two counterparts on the right side, and the number of the window.
Seeds = NDArray[np.int64]


def ordered(words: Words) -> Bigrams:
    """Return the bigrams of neighbouring words, in their order."""
    firsts = np.flatnonzero(words.is_evidence[:-1] & words.is_evidence[1:] & (words.files[:-1] == words.files[1:]))
    return Bigrams(_mixed(words.hashes[firsts], words.hashes[firsts + 1]), firsts, firsts + 1)


def unordered(words: Words) -> Bigrams:
    """Return the bigrams of neighbouring longer words, in either order."""
    chosen = np.flatnonzero(words.is_evidence & words.is_long)
    firsts, seconds = chosen[:-1], chosen[1:]
    near = (seconds - firsts <= NEAR) & (words.files[firsts] == words.files[seconds])
    firsts, seconds = firsts[near], seconds[near]
    one, two = words.hashes[firsts], words.hashes[seconds]
    return Bigrams(_mixed(np.minimum(one, two), np.maximum(one, two)), firsts, seconds)


def unique_pairs(left: Hashes, right: Hashes) -> tuple[Places, Places]:
    """Return the positions of the hashes that occur once on each side."""
    lefts, rights = _once(left), _once(right)
    _, at_left, at_right = np.intersect1d(left[lefts], right[rights], assume_unique=True, return_indices=True)
    return lefts[at_left], rights[at_right]


def seeds(left: Bigrams, right: Bigrams, window: int) -> Seeds:
    """Return the seeds of two documents, or of a window of each."""
    at_left, at_right = unique_pairs(left.hashes, right.hashes)
    windows = np.full(len(at_left), window)
    columns = left.firsts[at_left], left.seconds[at_left], right.firsts[at_right], right.seconds[at_right], windows
    return np.stack(columns, axis=1)


def distinct(rows: list[Seeds]) -> Seeds:
    """Concatenate seeds and drop duplicates."""
    table: NDArray[Any] = np.concatenate([*rows, np.zeros((0, 5), np.int64)])
    table = table[np.lexsort(table.T[::-1])]
    is_new = np.ones(len(table), np.bool_)
    is_new[1:] = (table[1:] != table[:-1]).any(axis=1)
    return table[is_new]


def word_pairs(rows: Seeds, size: int) -> Places:
    """Return the pairs of corresponding words of each seed as numbers; ``size`` is the right side's number of words."""
    return rows[:, [0, 0, 1, 1]] * size + rows[:, [2, 3, 2, 3]]


def _once(hashes: Hashes) -> Places:
    """Return the positions of the hashes that occur once."""
    order = np.argsort(hashes, kind="stable")
    differs = np.ones(len(hashes) + 1, np.bool_)
    differs[1:-1] = hashes[order[1:]] != hashes[order[:-1]]
    return order[differs[1:] & differs[:-1]]


def _mixed(one: Hashes, two: Hashes) -> Hashes:
    mixed: Hashes = (one * _FIRST) ^ (two + (one >> _HIGH))
    mixed = mixed * _SECOND
    return mixed ^ (mixed >> _HIGH)


# Rounds of splitting. Ordinary pairs are stable after three; the limit bounds adversarial ones.
ROUNDS = 32

# Rows of boxes: start and end on the left side, then on the right side.
Boxes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SeedClusters:
    """Boxes of clusters of seeds, and the number of words of each side that the seeds of each cover."""

    boxes: Boxes
    lefts: Places
    rights: Places

    def dense(self, words: Places, density: float) -> NDArray[np.bool_]:
        """Return which clusters cover this many words and this share of their boxes, on both sides."""
        sizes = self.boxes[:, 1::2] - self.boxes[:, ::2]
        counts = np.stack((self.lefts, self.rights), axis=1)
        is_dense: NDArray[np.bool_] = np.all((counts >= words[:, None]) & (counts >= density * sizes), axis=1)
        return is_dense


def split(boxes: Boxes, gap: int, labels: Places) -> Places:
    """Return cluster numbers, from 0: split the boxes of each label at gaps longer than ``gap``, on each side in turn,
    until nothing changes. Boxes may have more than two sides."""
    count = -1
    for _ in range(ROUNDS):
        for side in range(0, boxes.shape[1], 2):
            labels = _parted(boxes[:, side], boxes[:, side + 1], gap, labels)
        before, count = count, int(labels.max(initial=-1)) + 1
        if count == before:
            break
    return labels


def points(seeds: Seeds) -> Boxes:
    """Return the start of each seed as an empty box: gaps are measured between starts, so that a seed of two distant
    words bridges none."""
    return seeds[:, [0, 0, 2, 2]]


def boxes_of(seeds: Seeds) -> Boxes:
    """Return the box of each seed."""
    lefts, rights = np.sort(seeds[:, :2], axis=1), np.sort(seeds[:, 2:4], axis=1)
    boxes: Boxes = np.concatenate((lefts, rights), axis=1)
    boxes[:, 1::2] += 1
    return boxes


def around(boxes: Boxes, labels: Places) -> Boxes:
    """Return the bounding box of each label, from 0."""
    count = int(labels.max(initial=-1)) + 1
    bounding = np.empty((count, 4), np.int64)
    order = np.argsort(labels, kind="stable")
    firsts = np.searchsorted(labels[order], np.arange(count))
    if count:
        bounding[:, ::2] = np.minimum.reduceat(boxes[order][:, ::2], firsts)
        bounding[:, 1::2] = np.maximum.reduceat(boxes[order][:, 1::2], firsts)
    return bounding


def clusters(seeds: Seeds, labels: Places) -> SeedClusters:
    """Return the clusters of labelled seeds."""
    boxes = around(boxes_of(seeds), labels)
    return SeedClusters(boxes, *(_covered(seeds[:, side : side + 2], labels, len(boxes)) for side in (0, 2)))


def _covered(places: Places, labels: Places, count: int) -> Places:
    """Return the number of distinct positions of each label."""
    width = int(places.max(initial=0)) + 1
    distinct = np.unique(np.repeat(labels, 2) * width + places.ravel())
    return np.bincount(distinct // width, minlength=count)


def _parted(starts: Places, ends: Places, gap: int, labels: Places) -> Places:
    """Split labels at the gaps of one side."""
    order = np.lexsort((starts, labels))
    sorted_labels = labels[order]
    # The furthest end so far in each label: labels ascend, so one running maximum serves all.
    width = int(ends.max(initial=0)) + gap + 1
    reached = np.maximum.accumulate(ends[order] + sorted_labels * width)
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (starts[order] + sorted_labels * width)[1:] - reached[:-1] > gap
    is_first[1:] |= sorted_labels[1:] != sorted_labels[:-1]
    split_labels = np.empty_like(labels)
    split_labels[order] = np.cumsum(is_first) - 1
    return split_labels
