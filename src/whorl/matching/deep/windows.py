"""Windows round shared fingerprints: a stretch of words on each side, in which rarity is told.

In a long document few bigrams occur once, and in one that holds a text twice none of its do. In a window round a match
they do: what is far away, or is the other copy, is outside.
"""

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.anchors import BUDGET, within
from whorl.matching.deep.clusters import Boxes
from whorl.matching.deep.words import Places

# Words of a document that is one window itself: thirty pages. Longer ones lose too many bigrams that occur once.
WHOLE = 16_384

# Words round the matches of a window: some pages. A passage with one unchanged phrase in it reaches so far.
MARGIN = 1000


# Rows of windows: a box, and its number. The window of two whole documents is number 0.
Windows = NDArray[np.int64]


def windows(boxes: Boxes, sizes: tuple[int, int]) -> Windows:
    """The windows in which two documents with so many words are looked at: their wholes if they are short, else those
    round the boxes."""
    if max(sizes) <= WHOLE:
        return np.array([[0, sizes[0], 0, sizes[1], 0]])
    return widened(boxes, sizes, np.ones(len(boxes), np.bool_))


def widened(boxes: Boxes, sizes: tuple[int, int], chosen: NDArray[np.bool_]) -> Windows:
    """Boxes with their margins, which end before another copy of the same: as many of those that are chosen as the
    budget allows. Box i becomes window i + 1."""
    found = boxes.copy()
    for side, size in zip((0, 2), sizes, strict=True):
        before, after = _limits(boxes, side, size)
        found[:, side] = np.maximum(boxes[:, side] - MARGIN, before)
        found[:, side + 1] = np.minimum(boxes[:, side + 1] + MARGIN, after)
    found = np.concatenate((found, np.arange(1, len(found) + 1)[:, None]), axis=1)[chosen]
    costs = found[:, 1] - found[:, 0] + found[:, 3] - found[:, 2]
    return found[within(costs, BUDGET * sum(sizes))]


def _limits(boxes: Boxes, side: int, size: int) -> tuple[Places, Places]:
    """How far each box may grow on a side: to the next box there, if that stands for the same on the other side."""
    other = 2 - side
    by_start, by_end = np.argsort(boxes[:, side], kind="stable"), np.argsort(boxes[:, side + 1], kind="stable")
    after, before = np.full(len(boxes), size), np.zeros(len(boxes), np.int64)
    following = np.searchsorted(boxes[by_start, side], boxes[:, side + 1])
    preceding = np.searchsorted(boxes[by_end, side + 1], boxes[:, side], "right") - 1
    for limit, order, nearest, column in ((after, by_start, following, side), (before, by_end, preceding, side + 1)):
        there = np.flatnonzero((nearest >= 0) & (nearest < len(boxes)))
        neighbour = order[nearest[there]]
        same = _overlap(boxes[there][:, other : other + 2], boxes[neighbour][:, other : other + 2])
        limit[there[same]] = boxes[neighbour[same], column]
    return before, after


def _overlap(one: Places, two: Places) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.maximum(one[:, 0], two[:, 0]) < np.minimum(one[:, 1], two[:, 1])
    return found
