"""Clusters: what lies close together on both sides, and which of it is enough to be a passage."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.seeds import Seeds
from whorl.matching.deep.words import Places

# Rounds of splitting. Ordinary pairs are stable after three; rows that were made to fall apart one seed a round are not
# followed for ever.
ROUNDS = 32

# Rows of boxes: start and end on the left side, then on the right side.
Boxes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Boxes round clusters of seeds, and how many words of each side the seeds of each cover."""

    boxes: Boxes
    lefts: Places
    rights: Places

    def dense(self, words: Places, density: float) -> NDArray[np.bool_]:
        """Which cover so many words on both sides, and so great a share of their boxes."""
        sizes = self.boxes[:, 1::2] - self.boxes[:, ::2]
        counts = np.stack((self.lefts, self.rights), axis=1)
        found: NDArray[np.bool_] = np.all((counts >= words[:, None]) & (counts >= density * sizes), axis=1)
        return found


def split(boxes: Boxes, gap: int, labels: Places) -> Places:
    """Numbers of clusters, from 0: boxes of one label are parted where more than ``gap`` is between them, on the left
    side and on the right side in turn, until nothing more is parted. Boxes may have more sides than these two."""
    count = -1
    for _ in range(ROUNDS):
        for side in range(0, boxes.shape[1], 2):
            labels = _parted(boxes[:, side], boxes[:, side + 1], gap, labels)
        before, count = count, int(labels.max(initial=-1)) + 1
        if count == before:
            break
    return labels


def points(seeds: Seeds) -> Boxes:
    """Where each seed begins, as a box without width: gaps are between beginnings, so that a seed of two distant words
    bridges none."""
    return seeds[:, [0, 0, 2, 2]]


def boxes_of(seeds: Seeds) -> Boxes:
    """The box of each seed."""
    lefts, rights = np.sort(seeds[:, :2], axis=1), np.sort(seeds[:, 2:4], axis=1)
    found: Boxes = np.concatenate((lefts, rights), axis=1)
    found[:, 1::2] += 1
    return found


def around(boxes: Boxes, labels: Places) -> Boxes:
    """The box round all boxes of each label; every label from 0 has one."""
    count = int(labels.max(initial=-1)) + 1
    found = np.empty((count, 4), np.int64)
    order = np.argsort(labels, kind="stable")
    firsts = np.searchsorted(labels[order], np.arange(count))
    if count:
        found[:, ::2] = np.minimum.reduceat(boxes[order][:, ::2], firsts)
        found[:, 1::2] = np.maximum.reduceat(boxes[order][:, 1::2], firsts)
    return found


def clusters(seeds: Seeds, labels: Places) -> Clusters:
    """The clusters of labelled seeds."""
    found = around(boxes_of(seeds), labels)
    return Clusters(found, *(_covered(seeds[:, side : side + 2], labels, len(found)) for side in (0, 2)))


def _covered(places: Places, labels: Places, count: int) -> Places:
    """How many places each label has, each counted once."""
    width = int(places.max(initial=0)) + 1
    distinct = np.unique(np.repeat(labels, 2) * width + places.ravel())
    return np.bincount(distinct // width, minlength=count)


def _parted(starts: Places, ends: Places, gap: int, labels: Places) -> Places:
    """The labels, parted by the gaps of one side."""
    order = np.lexsort((starts, labels))
    sorted_labels = labels[order]
    # What was reached so far in each label: labels ascend, so one running maximum serves all of them.
    width = int(ends.max(initial=0)) + gap + 1
    reached = np.maximum.accumulate(ends[order] + sorted_labels * width)
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (starts[order] + sorted_labels * width)[1:] - reached[:-1] > gap
    is_first[1:] |= sorted_labels[1:] != sorted_labels[:-1]
    found = np.empty_like(labels)
    found[order] = np.cumsum(is_first) - 1
    return found
