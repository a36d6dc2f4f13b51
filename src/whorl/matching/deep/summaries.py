"""Summaries: a short passage drawn from all over a long one. Its words stand close together on one side only."""

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.clusters import Boxes, clusters, points, split
from whorl.matching.deep.seeds import Seeds
from whorl.matching.deep.words import Places

# What the short side must have: a few sentences of it, two words in five from the long side. One side alone says less
# than two, so more is asked of it than of a passage.
WORDS, DENSITY = 30, 0.4

# How many times as long the long side is at least. What is shorter is an edited copy.
RATIO = 3

# The share of the seeds that may lie close together on the long side as well: with more it is a copy of that place, and
# some chance seeds elsewhere.
TOGETHER = 0.7

# Words of the longest piece that a summary takes from one place: a few sentences. Longer ones are copies that follow
# each other. From 40 to 80 the other classes of text alignment lose nothing.
PIECE = 60


def summaries(seeds: Seeds, apart: Places, gap: int) -> Boxes:
    """The boxes of summaries on either side. Seeds with other numbers in ``apart`` have nothing to do with
    each other."""
    turned = _short_left(seeds[:, [2, 3, 0, 1]], apart, gap)
    return np.concatenate((_short_left(seeds, apart, gap), turned[:, [2, 3, 0, 1]]))


def pieced(drawn: Boxes, pieces: Boxes, fewest: int) -> Boxes:
    """The summaries with so many pieces in them that are passages themselves, none of them too long for one."""
    sizes = np.minimum(pieces[:, 1] - pieces[:, 0], pieces[:, 3] - pieces[:, 2])
    kept = np.zeros(len(drawn), np.bool_)
    for number, box in enumerate(drawn):
        inside = sizes[_overlap(pieces, box)]
        kept[number] = len(inside) >= fewest and inside.max(initial=0) <= PIECE
    return drawn[kept]


def without(boxes: Boxes, taken: Boxes) -> Boxes:
    """The boxes that lie on both sides outside of all that is taken."""
    kept = np.ones(len(boxes), np.bool_)
    for box in taken:
        kept &= ~_overlap(boxes, box)
    return boxes[kept]


def _overlap(boxes: Boxes, box: Boxes) -> NDArray[np.bool_]:
    """Which boxes have something in common with one, on both sides."""
    found: NDArray[np.bool_] = (
        (boxes[:, 0] < box[1]) & (box[0] < boxes[:, 1]) & (boxes[:, 2] < box[3]) & (box[2] < boxes[:, 3])
    )  # fmt: skip
    return found


def _short_left(seeds: Seeds, apart: Places, gap: int) -> Boxes:
    """The boxes of summaries whose short side is the left one."""
    places = points(seeds)
    groups = split(places[:, :2], gap, apart)
    found = clusters(seeds, groups)
    sizes = found.boxes[:, 1::2] - found.boxes[:, ::2]
    enough = (found.lefts >= WORDS) & (found.lefts >= DENSITY * sizes[:, 0]) & (sizes[:, 1] >= RATIO * sizes[:, 0])
    return found.boxes[enough & (_together(places, groups, gap) <= TOGETHER)]


def _together(places: Boxes, groups: Places, gap: int) -> NDArray[np.float64]:
    """The share of each group's seeds that is in the largest of its clusters."""
    labels = split(places, gap, groups)
    counts = np.bincount(labels)
    owners = np.zeros(len(counts), np.int64)
    owners[labels] = groups
    largest = np.zeros(int(groups.max(initial=-1)) + 1)
    np.maximum.at(largest, owners, counts)
    return largest / np.maximum(1, np.bincount(groups))
