"""Anchors, groups of exact matches, and the windows around them in which seeds are unique."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.seeds import (
    Bigrams,
    Boxes,
    Seeds,
    around,
    distinct,
    ordered,
    seeds,
    split,
    unordered,
    word_pairs,
)
from whorl.matching.deep.words import Places, Words
from whorl.matching.matches import Matches

# Limit of the deep pass, in words per word of the two documents. A text pasted a hundred times has countless matches
# and windows; matches beyond the limit are still marked inside passages.
BUDGET = 8

# Longest gap between matches of one group, and largest difference of their diagonals, in words: a paragraph. A second
# copy of a text lies further off, on a diagonal of its own.
REACH = 100

# Page size, in words of the left side, into which groups are split: longer ones have few unique bigrams.
PAGE = 4096

# Minimum number of exactly matching words that are evidence although they repeat in a document: a long sentence or two.
# Shorter repeats are set phrases and menus.
REPEATED = 30


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Boxes of groups of neighbouring exact matches. ``seeds`` are the matching words, as seeds of one word in the
    window of their group: group i has window i + 1."""

    boxes: Boxes
    seeds: Seeds

    @property
    def groups(self) -> Places:
        """The group of each seed."""
        return self.seeds[:, 4] - 1


def anchors(matches: Matches, left: Words, right: Words) -> Anchors:
    """Group matches, given in symbols, into anchors: the longest first, within the budget."""
    starts, others, sizes = (
        column.astype(np.int64) for column in (matches.lefts, matches.rights, matches.lengths)
    )  # fmt: skip
    boxes = np.stack(
        (left.at(starts), left.at(starts + sizes - 1) + 1, right.at(others), right.at(others + sizes - 1) + 1), axis=1
    )
    chosen = within(boxes[:, 1] - boxes[:, 0], BUDGET * (len(left) + len(right)))
    boxes = boxes[chosen]
    labels = _grouped(boxes, len(right))
    words, numbers = _paired(boxes, starts[chosen], others[chosen], sizes[chosen], left, right)
    owners = labels[numbers]
    return Anchors(around(boxes, labels), np.concatenate((words, owners[:, None] + 1), axis=1))


def repeats(grouped: Anchors, seeds: Seeds, sizes: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which groups have many words and few of them in seeds: their text occurs more than once on a side.
    ``sizes`` are the words of both documents."""
    count = len(grouped.boxes)
    known = np.isin(word_pairs(grouped.seeds, sizes[1])[:, 0], word_pairs(seeds, sizes[1]))
    words = np.bincount(grouped.groups, minlength=count)
    return (words >= min(REPEATED, *sizes)) & (2 * np.bincount(grouped.groups[known], minlength=count) < words)


def within(costs: Places, most: int) -> Places:
    """Return the indices of the largest costs whose sum is at most ``most``, ascending."""
    order = np.argsort(-costs, kind="stable")
    return np.sort(order[np.cumsum(costs[order]) <= most])


def _grouped(boxes: Boxes, size: int) -> Places:
    """Return the group of each match: near on both sides and on near diagonals, split into pages."""
    diagonals = boxes[:, :1] - boxes[:, 2:3] + size
    labels = split(np.concatenate((boxes, diagonals, diagonals), axis=1), REACH, np.zeros(len(boxes), np.int64))
    pages = (boxes[:, 0] - around(boxes, labels)[labels, 0]) // PAGE
    _, labels = np.unique(labels * (int(pages.max(initial=0)) + 1) + pages, return_inverse=True)
    return labels


def _paired(
    boxes: Boxes, starts: Places, others: Places, sizes: Places, left: Words, right: Words
) -> tuple[Seeds, Places]:
    """Return the words that are whole and equal on both sides of a match, and the number of the match. Letters may
    match although words do not: "the rapist" and "therapist"."""
    at, numbers = _spread(boxes)
    inside = left.is_evidence[at] & (left.firsts[at] >= starts[numbers]) & (left.lasts[at] <= (starts + sizes)[numbers])
    at, numbers = at[inside], numbers[inside]
    places = left.firsts[at] - starts[numbers] + others[numbers]
    partners = right.at(places)
    equal = (right.firsts[partners] == places) & (right.hashes[partners] == left.hashes[at])
    return np.stack((at, at, partners, partners), axis=1)[equal], numbers[equal]


def _spread(boxes: Boxes) -> tuple[Places, Places]:
    """Return every position on the left side of boxes, and the number of its box."""
    sizes = boxes[:, 1] - boxes[:, 0]
    numbers = np.repeat(np.arange(len(boxes)), sizes)
    return np.arange(len(numbers)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + boxes[numbers, 0], numbers


# Longest document, in words, that is one window: thirty pages. Longer ones have too few unique bigrams.
WHOLE = 16_384

# Words around the matches of a window: some pages. A passage with one unchanged phrase extends so far.
MARGIN = 1000

# Rows of windows: a box, and its number. The window of two whole documents is number 0.
Windows = NDArray[np.int64]


def windows(boxes: Boxes, sizes: tuple[int, int]) -> Windows:
    """Return the windows of two documents of these sizes in words: one if both are short, else one around each box."""
    if max(sizes) <= WHOLE:
        return np.array([[0, sizes[0], 0, sizes[1], 0]])
    return widened(boxes, sizes, np.ones(len(boxes), np.bool_))


def widened(boxes: Boxes, sizes: tuple[int, int], chosen: NDArray[np.bool_]) -> Windows:
    """Return the chosen boxes with margins, within the budget. A margin ends before another copy of the same text. Box
    i becomes window i + 1."""
    rows = boxes.copy()
    for side, size in zip((0, 2), sizes, strict=True):
        before, after = _limits(boxes, side, size)
        rows[:, side] = np.maximum(boxes[:, side] - MARGIN, before)
        rows[:, side + 1] = np.minimum(boxes[:, side + 1] + MARGIN, after)
    rows = np.concatenate((rows, np.arange(1, len(rows) + 1)[:, None]), axis=1)[chosen]
    costs = rows[:, 1] - rows[:, 0] + rows[:, 3] - rows[:, 2]
    return rows[within(costs, BUDGET * sum(sizes))]


def _limits(boxes: Boxes, side: int, size: int) -> tuple[Places, Places]:
    """Return the limits of each box on a side: the next box there that overlaps it on the other side."""
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
    overlaps: NDArray[np.bool_] = np.maximum(one[:, 0], two[:, 0]) < np.minimum(one[:, 1], two[:, 1])
    return overlaps


def find_seeds(grouped: Anchors, left: Words, right: Words) -> Seeds:
    """Return the bigrams that are unique in their window, and the repeated exact matches that these miss."""
    sizes = len(left), len(right)
    grams = [(kind(left), kind(right)) for kind in (ordered, unordered)]
    unique = distinct(_in_windows(grams, windows(grouped.boxes, sizes)))
    is_repeat = repeats(grouped, unique, sizes)
    rows = _in_windows(grams, widened(grouped.boxes, sizes, is_repeat))
    return distinct([unique, grouped.seeds[is_repeat[grouped.groups]], *rows])


def _in_windows(grams: Sequence[tuple[Bigrams, Bigrams]], rows: Windows) -> list[Seeds]:
    return [
        seeds(left.between(a, b), right.between(c, d), number)
        for a, b, c, d, number in rows.tolist()
        for left, right in grams
    ]
