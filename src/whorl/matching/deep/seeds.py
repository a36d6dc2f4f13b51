"""Seeds: pairs of words that occur once on each side, and so stand for each other.

A word alone says little and a phrase of four does not survive an edit. Two words that stand together once in one text
and once in the other are seldom there by chance, and many such pairs close to each other never are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.words import Places, Words
from whorl.model import Hashes

# How many words off is near: a clause. Two longer words with more between them are no neighbours, and no edge of a
# passage moves further at a time.
NEAR = 8

# What mixes two hashes into one: the odd constants of splitmix64. A collision makes a false seed, never a false match.
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_HIGH = np.uint64(31)


@dataclass(frozen=True, slots=True, eq=False)
class Grams:
    """Word bigrams of a document: their hashes, and the places of their two words."""

    hashes: Hashes
    firsts: Places
    seconds: Places

    def between(self, start: int, end: int) -> "Grams":
        """Those with both words from ``start`` to ``end``; ``firsts`` ascend."""
        chosen = slice(*np.searchsorted(self.firsts, [start, end]).tolist())
        kept = self.seconds[chosen] < end
        return Grams(self.hashes[chosen][kept], self.firsts[chosen][kept], self.seconds[chosen][kept])


# Rows of seeds: two words of the left side, the two of the right side that they stand for, and the number of the window
# that they were found in.
Seeds = NDArray[np.int64]


def ordered(words: Words) -> Grams:
    """Bigrams of neighbouring words, in their order."""
    firsts = np.flatnonzero(words.own[:-1] & words.own[1:] & (words.files[:-1] == words.files[1:]))
    return Grams(_mixed(words.hashes[firsts], words.hashes[firsts + 1]), firsts, firsts + 1)


def unordered(words: Words) -> Grams:
    """Bigrams of neighbouring longer words, in either order."""
    chosen = np.flatnonzero(words.own & words.is_long)
    firsts, seconds = chosen[:-1], chosen[1:]
    near = (seconds - firsts <= NEAR) & (words.files[firsts] == words.files[seconds])
    firsts, seconds = firsts[near], seconds[near]
    one, two = words.hashes[firsts], words.hashes[seconds]
    return Grams(_mixed(np.minimum(one, two), np.maximum(one, two)), firsts, seconds)


def rare(left: Hashes, right: Hashes) -> tuple[Places, Places]:
    """Where the hashes stand that occur once on each side."""
    lefts, rights = _once(left), _once(right)
    _, at_left, at_right = np.intersect1d(left[lefts], right[rights], assume_unique=True, return_indices=True)
    return lefts[at_left], rights[at_right]


def seeds(left: Grams, right: Grams, window: int) -> Seeds:
    """The seeds of two documents, or of a window of each."""
    at_left, at_right = rare(left.hashes, right.hashes)
    windows = np.full(len(at_left), window)
    columns = left.firsts[at_left], left.seconds[at_left], right.firsts[at_right], right.seconds[at_right], windows
    return np.stack(columns, axis=1)


def distinct(rows: list[Seeds]) -> Seeds:
    """All seeds, each once."""
    found: NDArray[Any] = np.concatenate([*rows, np.zeros((0, 5), np.int64)])
    order = np.lexsort(found.T[::-1])
    found = found[order]
    is_new = np.ones(len(found), np.bool_)
    is_new[1:] = (found[1:] != found[:-1]).any(axis=1)
    return found[is_new]


def word_pairs(rows: Seeds, size: int) -> Places:
    """The pairs of words that each seed may stand for, as numbers; ``size`` is that of the right side, in words."""
    return rows[:, [0, 0, 1, 1]] * size + rows[:, [2, 3, 2, 3]]


def _once(hashes: Hashes) -> Places:
    """Where the hashes stand that occur once."""
    order = np.argsort(hashes, kind="stable")
    differs = np.ones(len(hashes) + 1, np.bool_)
    differs[1:-1] = hashes[order[1:]] != hashes[order[:-1]]
    return order[differs[1:] & differs[:-1]]


def _mixed(one: Hashes, two: Hashes) -> Hashes:
    mixed: Hashes = (one * _FIRST) ^ (two + (one >> _HIGH))
    mixed = mixed * _SECOND
    return mixed ^ (mixed >> _HIGH)
