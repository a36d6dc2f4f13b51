"""The deep comparison of two documents, step by step: seeds, the boxes of passages and summaries, exact matches."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.formats.tables import KINDS
from whorl.kernel import native_matching, native_passages
from whorl.matching.chains import NO_BACKGROUND, Background
from whorl.matching.deep.anchors import anchors, find_seeds
from whorl.matching.deep.seeds import NEAR, Boxes, Seeds, around, clusters, points, split, unique_pairs, word_pairs
from whorl.matching.deep.words import Places, Words, snap
from whorl.matching.likeness import ComparedDocument, Likeness, WeighPart, is_mirrored, likeness
from whorl.matching.matches import Matches, find_matches
from whorl.matching.passage import Match, Passage
from whorl.model import Hashes, Offsets
from whorl.scheme import Scheme

# Minimum length of a marked match, in symbols: a longer word in letters or consonants, or one word.
SHORTEST = {"characters": 5, "consonants": 3, "words": 1}

# Added to a diagonal in the kernel's keys so that it is not negative: see ``whorl.kernel.native_passages``.
_ORIGIN = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Matches in the order of the left side, and the running maximum of their ends."""

    matches: Matches
    reached: Places


def marks(
    matches: Matches,
    seeds: Seeds,
    sides: tuple[ComparedDocument, ComparedDocument],
    words: tuple[Words, Words],
    scheme: Scheme,
) -> Marks:
    """Return the maximal matches through exact matches and seeds, without redundant ones."""
    left, right = sides[0].evidence, sides[1].evidence
    keys = np.unique(np.concatenate((_keys(matches.lefts, matches.rights), _seed_keys(seeds, *words))))
    width = np.result_type(left.symbols, right.symbols)
    symbols = [np.ascontiguousarray(side.symbols, width) for side in (left, right)]
    lefts, rights, lengths = native_matching.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, 1)
    shortest, guarantee = SHORTEST[str(scheme.symbols)], scheme.guarantee or scheme.k
    chosen = native_passages.choose(lefts, rights, lengths, (len(left), len(right)), shortest, guarantee)
    chosen = chosen[np.lexsort((lengths[chosen], rights[chosen], lefts[chosen]))]
    maximal = Matches(lefts[chosen], rights[chosen], lengths[chosen], shortest)
    return Marks(maximal, np.maximum.accumulate(maximal.lefts.astype(np.int64) + maximal.lengths))


def passage(box: Places, marked: Marks, left: ComparedDocument, right: ComparedDocument) -> Passage:
    """Return a box of symbols as a passage with its marks."""
    rows = _inside(box, marked)
    matches = tuple(
        Match(left.span(a, a + size), right.span(b, b + size), size)
        for a, b, size in zip(*(row.tolist() for row in rows), strict=True)
    )
    start, end, other_start, other_end = box.tolist()
    return Passage(
        left.side(_file(left, start), start, end),
        right.side(_file(right, other_start), other_start, other_end),
        min(covered(rows[0], rows[0] + rows[2]), covered(rows[1], rows[1] + rows[2])),
        matches,
    )


def covered(starts: Places, ends: Places) -> int:
    """Return the number of positions in some spans, each counted once."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(np.concatenate((np.zeros(1, np.int64), ends)))
    return int(np.maximum(0, ends - np.maximum(starts, reached[:-1])).sum())


def _inside(box: Places, marked: Marks) -> tuple[Places, Places, Places]:
    """Clip matches to a box, on both sides."""
    start, end, other_start, other_end = box.tolist()
    chosen = slice(
        int(np.searchsorted(marked.reached, start, "right")), int(np.searchsorted(marked.matches.lefts, end))
    )
    columns = (marked.matches.lefts, marked.matches.rights, marked.matches.lengths)
    lefts, rights, lengths = (column[chosen].astype(np.int64) for column in columns)
    cut = np.maximum(0, np.maximum(start - lefts, other_start - rights))
    last = np.minimum(lengths, np.minimum(end - lefts, other_end - rights))
    is_inside = cut < last
    return lefts[is_inside] + cut[is_inside], rights[is_inside] + cut[is_inside], (last - cut)[is_inside]


def _seed_keys(seeds: Seeds, left: Words, right: Words) -> Hashes:
    """Return the keys of the equal words of seeds: the words of a reordered bigram are crossed."""
    ones, twos = seeds[:, [0, 0, 1, 1]].ravel(), seeds[:, [2, 3, 2, 3]].ravel()
    equal = left.hashes[ones] == right.hashes[twos]
    return _keys(left.firsts[ones[equal]], right.firsts[twos[equal]])


def _keys(lefts: Offsets, rights: Offsets) -> Hashes:
    lefts = lefts.astype(np.int64)
    keys: Hashes = ((lefts - rights + _ORIGIN) << 32 | lefts).astype(np.uint64)
    return keys


def _file(side: ComparedDocument, symbol: int) -> int:
    evidence = side.evidence
    return int(evidence.files[np.searchsorted(evidence.bounds, symbol, "right") - 1])


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """A document for the deep pass, with its words."""

    document: ComparedDocument
    words: Words


def check_prose(scheme: Scheme) -> None:
    """Raise InputError for a scheme that does not read prose."""
    if scheme.symbols not in KINDS:
        raise InputError(
            f"deep: the deep pass reads prose, but this scheme reads {scheme.symbols}; "
            "leave out deep, or choose a scheme for text, such as 'text'"
        )


def deep_likeness(
    left: Prose,
    right: Prose,
    scheme: Scheme,
    weigh: WeighPart,
    background: Background = NO_BACKGROUND,
    *,
    summarised: bool = False,
) -> Likeness:
    """Compare two documents and find edited passages too. The score is that of the plain comparison. A coverage is the
    share of a side's symbols inside passages, edited words included."""
    if is_mirrored(left.document.evidence, right.document.evidence):
        return deep_likeness(right, left, scheme, weigh, background, summarised=summarised).mirrored()
    sides = left.document, right.document
    plain = likeness(*sides, scheme, weigh, background)
    passages, places = _deep_passages(left, right, scheme, summarised)
    sizes = [max(1, len(side.evidence)) for side in sides]
    return replace(
        plain,
        left_coverage=covered(places[:, 0], places[:, 1]) / sizes[0],
        right_coverage=covered(places[:, 2], places[:, 3]) / sizes[1],
        passages=tuple(sorted(passages, key=lambda each: -each.symbols)),
    )


def edited_passages(left: Prose, right: Prose, scheme: Scheme) -> list[Passage]:
    """Return the passages of two documents, edited ones too."""
    if is_mirrored(left.document.evidence, right.document.evidence):
        return [each.mirrored() for each in edited_passages(right, left, scheme)]
    return _deep_passages(left, right, scheme, False)[0]


def _deep_passages(left: Prose, right: Prose, scheme: Scheme, summarised: bool) -> tuple[list[Passage], Boxes]:
    """Return the passages of two documents, and their boxes in symbols."""
    sides, words = (left.document, right.document), (left.words, right.words)
    exact = find_matches(sides[0].evidence, sides[1].evidence, scheme)
    anchored = anchors(exact, *words)
    seeds = find_seeds(anchored, *words)
    places = _symbols(boxes(seeds, anchored.seeds, *words, summarised), *words)
    marked = marks(exact, seeds, sides, words, scheme)
    return [passage(box, marked, *sides) for box in places], places


def _symbols(boxes: Boxes, left: Words, right: Words) -> Boxes:
    """Convert boxes of words into boxes of symbols."""
    left_start, left_end, right_start, right_end = boxes.T
    return np.stack(
        (left.firsts[left_start], left.lasts[left_end - 1], right.firsts[right_start], right.lasts[right_end - 1]),
        axis=1,
    )


# Minimum length of the short side, in words, and minimum share of them from the long side. One dense side says less
# than two, so both are higher than for a passage.
MIN_SUMMARY_WORDS, MIN_SUMMARY_DENSITY = 30, 0.4

# Minimum ratio of the long side to the short one. Below it, the pair is an edited copy.
RATIO = 3

# Maximum share of the seeds that are close together on the long side too. Above it, the pair is a copy of that place.
TOGETHER = 0.7

# Longest piece, in words, that a summary takes from one place: a few sentences. Longer ones are consecutive copies.
# From 40 to 80 the other classes of text alignment lose nothing.
PIECE = 60


def summaries(seeds: Seeds, apart: Places, gap: int) -> Boxes:
    """Return the boxes of summaries on either side. Only seeds with the same number in ``apart`` belong together."""
    mirrored = _short_left(seeds[:, [2, 3, 0, 1]], apart, gap)
    return np.concatenate((_short_left(seeds, apart, gap), mirrored[:, [2, 3, 0, 1]]))


def pieced(candidates: Boxes, pieces: Boxes, fewest: int) -> Boxes:
    """Return the summaries with at least ``fewest`` pieces that are passages themselves, none of them too long."""
    sizes = np.minimum(pieces[:, 1] - pieces[:, 0], pieces[:, 3] - pieces[:, 2])
    is_summary = np.zeros(len(candidates), np.bool_)
    for number, box in enumerate(candidates):
        inside = sizes[_overlap(pieces, box)]
        is_summary[number] = len(inside) >= fewest and inside.max(initial=0) <= PIECE
    return candidates[is_summary]


def without(boxes: Boxes, summaries: Boxes) -> Boxes:
    """Return the boxes that overlap no summary."""
    is_outside = np.ones(len(boxes), np.bool_)
    for box in summaries:
        is_outside &= ~_overlap(boxes, box)
    return boxes[is_outside]


def _overlap(boxes: Boxes, box: Boxes) -> NDArray[np.bool_]:
    """Return which boxes overlap one on both sides."""
    overlaps: NDArray[np.bool_] = (
        (boxes[:, 0] < box[1]) & (box[0] < boxes[:, 1]) & (boxes[:, 2] < box[3]) & (box[2] < boxes[:, 3])
    )  # fmt: skip
    return overlaps


def _short_left(seeds: Seeds, apart: Places, gap: int) -> Boxes:
    """Return the boxes of summaries whose short side is the left one."""
    places = points(seeds)
    groups = split(places[:, :2], gap, apart)
    grouped = clusters(seeds, groups)
    sizes = grouped.boxes[:, 1::2] - grouped.boxes[:, ::2]
    enough = (grouped.lefts >= MIN_SUMMARY_WORDS) & (grouped.lefts >= MIN_SUMMARY_DENSITY * sizes[:, 0])
    enough &= sizes[:, 1] >= RATIO * sizes[:, 0]
    return grouped.boxes[enough & (_together(places, groups, gap) <= TOGETHER)]


def _together(places: Boxes, groups: Places, gap: int) -> NDArray[np.float64]:
    """Return the share of each group's seeds in its largest cluster."""
    labels = split(places, gap, groups)
    counts = np.bincount(labels)
    owners = np.zeros(len(counts), np.int64)
    owners[labels] = groups
    largest = np.zeros(int(groups.max(initial=-1)) + 1)
    np.maximum.at(largest, owners, counts)
    return largest / np.maximum(1, np.bincount(groups))


def extended(boxes: Boxes, left: Words, right: Words, reach: int, step: int) -> Boxes:
    """Extend boxes by words within ``step`` words on both sides, repeatedly. A word must be unique on each side within
    ``reach`` words of the box."""
    rows = [_extended(box, left, right, reach, step) for box in boxes.tolist()]
    return np.array(rows, np.int64).reshape(-1, 4)


def _extended(box: list[int], left: Words, right: Words, reach: int, step: int) -> list[int]:
    bounds = [*_neighbourhood(left, box[0], box[1], reach), *_neighbourhood(right, box[2], box[3], reach)]
    at_left, at_right = unique_pairs(left.hashes[bounds[0] : bounds[1]], right.hashes[bounds[2] : bounds[3]])
    lefts, rights = at_left + bounds[0], at_right + bounds[2]
    counts = left.is_evidence[lefts] & right.is_evidence[rights]
    return _grown(box, lefts[counts], rights[counts], step)


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


def _neighbourhood(words: Words, start: int, end: int, reach: int) -> tuple[int, int]:
    """Return the range of ``reach`` words around a box, within its file."""
    file = words.files[start]
    inside = np.searchsorted(words.files, [file, file + 1]).tolist()
    return max(inside[0], start - reach), min(inside[1], end + reach)


# Longest gap between seeds of a passage, in words, on either side: a long sentence, or two rewritten ones.
GAP = 25

# Minimum number of words of a side that seeds cover, and their minimum share of it. Texts that share only their
# language reach neither.
MIN_WORDS, MIN_DENSITY = 10, 0.2

# Minimum number of words of a passage without a shared fingerprint. With 10, one unrelated pair in two thousand had a
# passage, made of set phrases; with 12, none of five thousand.
MIN_UNANCHORED_WORDS = 12

# Words around a passage: a paragraph. Passages no further apart on both sides are merged, and a word that is unique
# within this distance extends the passage.
AROUND = 50

# Minimum number of passages that make a summary, unless summaries are requested: one may be a copy; two that are
# neighbours on the short side only are no chance.
PIECES = 2


def boxes(seeds: Seeds, exact: Seeds, left: Words, right: Words, summarised: bool) -> Boxes:
    """Return the boxes of passages. ``exact`` are the words in matches through shared fingerprints, as seeds. With
    ``summarised``, include summaries without a piece that is a passage itself."""
    apart = _numbered(_file_pairs(points(seeds), left, right), seeds[:, 4])
    rows = _filtered(seeds, split(points(seeds), GAP, apart), exact, (len(left), len(right)))
    rows = extended(rows, left, right, AROUND, NEAR)
    summarising = pieced(summaries(seeds, apart, GAP), rows, 0 if summarised else PIECES)
    rows = np.concatenate((without(rows, summarising), summarising))
    rows = around(rows, split(rows, AROUND, _file_pairs(rows, left, right)))
    snapped = [(*snap(a, b, left.opens, NEAR), *snap(c, d, right.opens, NEAR)) for a, b, c, d in rows.tolist()]
    return np.array(snapped, np.int64).reshape(-1, 4)


def _filtered(seeds: Seeds, labels: Places, exact: Seeds, sizes: tuple[int, int]) -> Boxes:
    """Return the boxes of the clusters that are evidence. A document shorter than the minimum must be covered whole."""
    grouped = clusters(seeds, labels)
    fewest = np.where(_anchored(seeds, labels, exact, sizes[1]), MIN_WORDS, MIN_UNANCHORED_WORDS)
    return grouped.boxes[grouped.dense(np.minimum(fewest, min(sizes)), MIN_DENSITY)]


def _anchored(seeds: Seeds, labels: Places, exact: Seeds, size: int) -> NDArray[np.bool_]:
    """Return which labels have a seed in an exact match."""
    inside = np.isin(word_pairs(seeds, size), word_pairs(exact, size)[:, 0]).any(axis=1)
    return np.bincount(labels[inside], minlength=int(labels.max(initial=-1)) + 1) > 0


def _numbered(one: Places, two: Places) -> Places:
    """Number the distinct pairs of numbers, from 0."""
    labels: Places = np.unique(one * (int(two.max(initial=0)) + 1) + two, return_inverse=True)[1]
    return labels


def _file_pairs(places: Boxes, left: Words, right: Words) -> Places:
    """Return the number of the pair of files of each box."""
    count = int(right.files.max(initial=0)) + 1
    return left.files[places[:, 0]] * count + right.files[places[:, 2]]
