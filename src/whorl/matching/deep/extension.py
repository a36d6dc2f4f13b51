"""Extension: the edges of a passage moved out over words that occur once on each side, round it."""

import numpy as np

from whorl.matching.deep.clusters import Boxes
from whorl.matching.deep.seeds import rare
from whorl.matching.deep.words import Places, Words


def extended(boxes: Boxes, left: Words, right: Words, reach: int, step: int) -> Boxes:
    """The boxes, grown. A box takes in a word within ``step`` words of it on both sides, if that occurs once on each
    side of the box with ``reach`` words round it; then it looks again."""
    rows = [_extended(box, left, right, reach, step) for box in boxes.tolist()]
    return np.array(rows, np.int64).reshape(-1, 4)


def _extended(box: list[int], left: Words, right: Words, reach: int, step: int) -> list[int]:
    bounds = [*_around(left, box[0], box[1], reach), *_around(right, box[2], box[3], reach)]
    at_left, at_right = rare(left.hashes[bounds[0] : bounds[1]], right.hashes[bounds[2] : bounds[3]])
    lefts, rights = at_left + bounds[0], at_right + bounds[2]
    kept = left.own[lefts] & right.own[rights]
    return _grown(box, lefts[kept], rights[kept], step)


def _grown(box: list[int], lefts: Places, rights: Places, step: int) -> list[int]:
    while True:
        near = (lefts >= box[0] - step) & (lefts < box[1] + step) & (rights >= box[2] - step) & (rights < box[3] + step)
        some, others = lefts[near], rights[near]
        grown = [
            int(some.min(initial=box[0])),
            int(some.max(initial=box[1] - 1)) + 1,
            int(others.min(initial=box[2])),
            int(others.max(initial=box[3] - 1)) + 1,
        ]
        if grown == box:
            return box
        box = grown


def _around(words: Words, start: int, end: int, reach: int) -> tuple[int, int]:
    """Words round a box, none of them in another file."""
    file = words.files[start]
    inside = np.searchsorted(words.files, [file, file + 1]).tolist()
    return max(inside[0], start - reach), min(inside[1], end + reach)
