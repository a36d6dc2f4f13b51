"""Anchors: the exact matches through shared fingerprints, told in words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.clusters import Boxes, around, split
from whorl.matching.deep.seeds import Seeds, word_pairs
from whorl.matching.deep.words import Places, Words
from whorl.matching.matches import Matches

# What the deep pass takes up at most, in words, for each word of the two documents. A text that was pasted a hundred
# times has matches and windows without number; what is beyond this stays marked where it is in a passage.
BUDGET = 8

# Words between matches of one group, and by which one side may be longer than the other: a paragraph. A second copy of
# a text lies further off, on a diagonal of its own.
REACH = 100

# Words of the left side that a group is cut into: what is longer has few bigrams that occur once.
PAGE = 4096

# Words of exact matches that are evidence even though they stand more than once in a document: a long sentence or two.
# Shorter ones are the set phrases and menus that pages repeat.
REPEATED = 30


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Groups of exact matches that are near each other: the box of each. ``seeds`` are the words in the matches that
    stand for each other, as seeds of one word. Their window is that round their group: group i has window i + 1."""

    boxes: Boxes
    seeds: Seeds

    @property
    def groups(self) -> Places:
        """The group that each seed is in."""
        return self.seeds[:, 4] - 1


def anchors(matches: Matches, left: Words, right: Words) -> Anchors:
    """The anchors of matches, given in symbols: the longest, as far as the budget reaches."""
    starts, others, sizes = (
        column.astype(np.int64) for column in (matches.lefts, matches.rights, matches.lengths)
    )  # fmt: skip
    boxes = np.stack(
        (left.at(starts), left.at(starts + sizes - 1) + 1, right.at(others), right.at(others + sizes - 1) + 1), axis=1
    )
    kept = within(boxes[:, 1] - boxes[:, 0], BUDGET * (len(left) + len(right)))
    boxes = boxes[kept]
    labels = _grouped(boxes, len(right))
    words, numbers = _paired(boxes, starts[kept], others[kept], sizes[kept], left, right)
    owners = labels[numbers]
    return Anchors(around(boxes, labels), np.concatenate((words, owners[:, None] + 1), axis=1))


def repeats(found: Anchors, seeds: Seeds, sizes: tuple[int, int]) -> NDArray[np.bool_]:
    """Which groups have many words of which few are in seeds: their text stands more than once on a side. ``sizes`` are
    the words of both sides: of a short document, all of it is many."""
    count = len(found.boxes)
    known = np.isin(word_pairs(found.seeds, sizes[1])[:, 0], word_pairs(seeds, sizes[1]))
    words = np.bincount(found.groups, minlength=count)
    return (words >= min(REPEATED, *sizes)) & (2 * np.bincount(found.groups[known], minlength=count) < words)


def within(costs: Places, most: int) -> Places:
    """The numbers of what costs most, as long as all of it costs no more than ``most`` together; ascending."""
    order = np.argsort(-costs, kind="stable")
    return np.sort(order[np.cumsum(costs[order]) <= most])


def _grouped(boxes: Boxes, size: int) -> Places:
    """The groups of matches that are near each other on both sides, and on diagonals that are; in pages."""
    diagonals = boxes[:, :1] - boxes[:, 2:3] + size
    labels = split(np.concatenate((boxes, diagonals, diagonals), axis=1), REACH, np.zeros(len(boxes), np.int64))
    pages = (boxes[:, 0] - around(boxes, labels)[labels, 0]) // PAGE
    _, labels = np.unique(labels * (int(pages.max(initial=0)) + 1) + pages, return_inverse=True)
    return labels


def _paired(
    boxes: Boxes, starts: Places, others: Places, sizes: Places, left: Words, right: Words
) -> tuple[Seeds, Places]:
    """The words that are whole and equal on both sides of a match, and the number of the match. Letters may match where
    words do not: "the rapist" has those of "therapist"."""
    at, numbers = _spread(boxes)
    inside = left.own[at] & (left.firsts[at] >= starts[numbers]) & (left.lasts[at] <= (starts + sizes)[numbers])
    at, numbers = at[inside], numbers[inside]
    places = left.firsts[at] - starts[numbers] + others[numbers]
    partners = right.at(places)
    equal = (right.firsts[partners] == places) & (right.hashes[partners] == left.hashes[at])
    return np.stack((at, at, partners, partners), axis=1)[equal], numbers[equal]


def _spread(boxes: Boxes) -> tuple[Places, Places]:
    """Every place on the left side of some boxes, and the number of the box that it is in."""
    sizes = boxes[:, 1] - boxes[:, 0]
    numbers = np.repeat(np.arange(len(boxes)), sizes)
    return np.arange(len(numbers)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + boxes[numbers, 0], numbers
