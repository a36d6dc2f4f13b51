"""Marks: the exact matches inside passages, verified letter by letter as all matches are."""

from dataclasses import dataclass

import numpy as np

from whorl import kernel
from whorl.matching.deep.seeds import Seeds
from whorl.matching.deep.words import Places, Words
from whorl.matching.matches import Matches
from whorl.matching.passage import Match, Passage
from whorl.matching.passages import Readable
from whorl.model import Hashes, Offsets
from whorl.scheme import Scheme

# Symbols of the shortest match that is marked: a longer word in letters, in consonants, or one word.
SHORTEST = {"characters": 5, "consonants": 3, "words": 1}

# Where the kernel's keys have a diagonal's zero: see ``kernel.twin_matching``.
_ORIGIN = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Matches in the order of the left side, and where those so far end at most."""

    matches: Matches
    reached: Places


def marks(
    matches: Matches, seeds: Seeds, sides: tuple[Readable, Readable], words: tuple[Words, Words], scheme: Scheme
) -> Marks:
    """The maximal matches through exact matches and seeds, those that say the same twice left out."""
    loops = kernel.matching()
    left, right = sides[0].evidence, sides[1].evidence
    keys = np.unique(np.concatenate((_keys(matches.lefts, matches.rights), _seed_keys(seeds, *words))))
    width = np.result_type(left.symbols, right.symbols)
    symbols = [np.ascontiguousarray(side.symbols, width) for side in (left, right)]
    lefts, rights, lengths = loops.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, 1)
    shortest, sure = SHORTEST[str(scheme.symbols)], scheme.guarantee or scheme.k
    chosen = loops.choose(lefts, rights, lengths, (len(left), len(right)), shortest, sure)
    chosen = chosen[np.lexsort((lengths[chosen], rights[chosen], lefts[chosen]))]
    found = Matches(lefts[chosen], rights[chosen], lengths[chosen], shortest)
    return Marks(found, np.maximum.accumulate(found.lefts.astype(np.int64) + found.lengths))


def passage(box: Places, found: Marks, left: Readable, right: Readable) -> Passage:
    """A box of symbols as a passage, with what is marked in it."""
    rows = _inside(box, found)
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
    """How many places are in some spans, each counted once."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(np.concatenate((np.zeros(1, np.int64), ends)))
    return int(np.maximum(0, ends - np.maximum(starts, reached[:-1])).sum())


def _inside(box: Places, found: Marks) -> tuple[Places, Places, Places]:
    """The parts of matches that are inside a box on both sides."""
    start, end, other_start, other_end = box.tolist()
    chosen = slice(int(np.searchsorted(found.reached, start, "right")), int(np.searchsorted(found.matches.lefts, end)))
    columns = (found.matches.lefts, found.matches.rights, found.matches.lengths)
    lefts, rights, lengths = (column[chosen].astype(np.int64) for column in columns)
    cut = np.maximum(0, np.maximum(start - lefts, other_start - rights))
    last = np.minimum(lengths, np.minimum(end - lefts, other_end - rights))
    kept = cut < last
    return lefts[kept] + cut[kept], rights[kept] + cut[kept], (last - cut)[kept]


def _seed_keys(seeds: Seeds, left: Words, right: Words) -> Hashes:
    """The places of the words of seeds that are equal: a bigram in another order has its words crossed."""
    ones, twos = seeds[:, [0, 0, 1, 1]].ravel(), seeds[:, [2, 3, 2, 3]].ravel()
    equal = left.hashes[ones] == right.hashes[twos]
    return _keys(left.firsts[ones[equal]], right.firsts[twos[equal]])


def _keys(lefts: Offsets, rights: Offsets) -> Hashes:
    lefts = lefts.astype(np.int64)
    keys: Hashes = ((lefts - rights + _ORIGIN) << 32 | lefts).astype(np.uint64)
    return keys


def _file(side: Readable, symbol: int) -> int:
    own = side.evidence
    return int(own.files[np.searchsorted(own.bounds, symbol, "right") - 1])
