"""Why two documents are a pair: their texts, the words that both have, and the longest passage of these."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.joining import Measured, closest_first
from whorl.clustering.reading import joined_letters, letter_ends
from whorl.clustering.result import Clustering
from whorl.engine.documents import read_stream
from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import permutation
from whorl.formats.text import half_letters
from whorl.kernel import native_shingles
from whorl.model import Document, Hashes
from whorl.scheme import Scheme

# Words of a document that are compared. Some hundred texts are in memory together.
MOST_WORDS = 10_000

# Pairs just above the threshold that are shown, and below it.
NEAR_PAIRS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ShownText:
    """A text, or its beginning, and its words: a symbol for each, with the characters where it starts and ends."""

    text: str
    symbols: Hashes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.symbols)


# Reads the texts of documents, by their numbers; one that cannot be read any more is missing.
TextReader: TypeAlias = Callable[[Collection[int]], Mapping[int, ShownText]]


def read_shown(document: Document, scheme: Scheme) -> ShownText:
    """Read a document. Raises DocumentError."""
    text, stream = read_stream(document, scheme)
    spans, count = stream.spans, min(len(stream), MOST_WORDS)
    starts, ends = (np.array(side[:count], np.int64) for side in (spans.starts, spans.ends))
    is_cut = count < len(stream)
    text = text[: int(ends.max(initial=0))] if is_cut else text
    return ShownText(text, np.array(stream.symbols[:count], np.uint64), starts, ends)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterEvidence:
    """A clustering and what reads its texts; None if it has no texts, or if they have changed."""

    clustering: Clustering
    settings: ClusterSettings
    texts: TextReader | None

    def above(self) -> Measured:
        """Return the pairs that just reach the threshold, the lowest first."""
        pairs, most = self.clustering.pairs, NEAR_PAIRS
        measures = pairs.measure(self.settings.measure)
        if len(pairs) > most:
            is_low = measures <= np.partition(measures, most)[most]
            pairs, measures = pairs.chosen(is_low), measures[is_low]
        return pairs.chosen(np.lexsort((pairs.right, pairs.left, measures))[:most])

    def below(self) -> Measured:
        """Return pairs that nearly reach it, the highest first."""
        return closest_first(self.clustering.below, self.settings.measure, NEAR_PAIRS)


@dataclass(frozen=True, slots=True, eq=False)
class SharedWords:
    """Which words of two texts are in shingles that both have; and the longest passage that both have: where it starts
    in each, and its number of words."""

    left: NDArray[np.bool_]
    right: NDArray[np.bool_]
    left_start: int
    right_start: int
    length: int


def shared_words(left: ShownText, right: ShownText, scheme: Scheme) -> SharedWords:
    """Compare two texts by their shingles, as clustering does; boilerplate counts here."""
    one, two = _Shingles.of(left, scheme), _Shingles.of(right, scheme)
    if min(len(left), len(right)) < scheme.k:  # a short text is one shingle
        are_equal = np.array_equal(left.symbols, right.symbols)
        masks = np.full(len(left), are_equal), np.full(len(right), are_equal)
        return SharedWords(*masks, 0, 0, len(left) if are_equal else 0)
    places = one.places_in(two)
    masks = one.covered(places >= 0), two.covered(two.places_in(one) >= 0)
    return SharedWords(*masks, *_longest(places, one, left.symbols, right.symbols))


def _longest(places: NDArray[np.int64], one: "_Shingles", left: Hashes, right: Hashes) -> tuple[int, int, int]:
    """Return the longest passage: consecutive shingles with consecutive places in the other text, extended by the words
    around them."""
    if not (places >= 0).any():
        return 0, 0, 0
    is_first = np.append(True, (places[1:] != places[:-1] + 1) | (places[:-1] < 0))
    firsts = np.flatnonzero(is_first)
    lengths = np.where(places[firsts] >= 0, np.diff(np.append(firsts, len(places))), 0)
    best = int(np.argmax(lengths))
    start, other = int(firsts[best]), int(places[firsts[best]])
    end = int(one.ends[start + int(lengths[best]) - 1])
    before = _equal(left[:start][::-1], right[:other][::-1])
    behind = _equal(left[end:], right[other + end - start :])
    return start - before, other - before, end + behind - (start - before)


def _equal(one: Hashes, two: Hashes) -> int:
    """Return how many words are equal from the beginning on."""
    length = min(len(one), len(two))
    different = np.flatnonzero(one[:length] != two[:length])
    return int(different[0]) if len(different) else length


@dataclass(frozen=True, slots=True, eq=False)
class _Shingles:
    """The shingles of a text, in order, and the word behind each."""

    hashes: Hashes
    ends: NDArray[np.int64]
    words: int

    @classmethod
    def of(cls, text: ShownText, scheme: Scheme) -> "_Shingles":
        k, bounds = scheme.k, np.array([0, len(text)], np.int64)
        letters = half_letters(text.symbols).astype(np.int64) if scheme.symbols == "words" else np.zeros(0, np.int64)
        symbols = joined_letters(text.symbols, bounds, k) if letters.any() else text.symbols
        constants, turn = hasher(Key.PUBLIC, k).constants, permutation(Key.PUBLIC).constants
        hashes = native_shingles.values(symbols, bounds, k, *constants, turn)
        ends = np.arange(len(hashes)) + k
        if letters.any():
            word_ends = np.minimum(*letter_ends(letters, bounds, k))
            word_ends = np.where(letters > 0, word_ends, np.arange(1, len(text) + 1))
            ends = word_ends[np.arange(len(hashes))[:, None] + np.arange(k)].max(axis=1, initial=0)
        return cls(hashes, ends, len(text))

    def places_in(self, other: "_Shingles") -> NDArray[np.int64]:
        """Return where each shingle first is in another text; -1 if it is not there."""
        known, firsts = np.unique(other.hashes, return_index=True)
        at = np.minimum(np.searchsorted(known, self.hashes), max(0, len(known) - 1))
        is_there = known[at] == self.hashes if len(known) else np.zeros(len(self.hashes), np.bool_)
        return np.where(is_there, firsts[at] if len(known) else -1, -1)

    def covered(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which words are in one of the chosen shingles."""
        steps = np.zeros(self.words + 1, np.int64)
        np.add.at(steps, np.flatnonzero(chosen), 1)
        np.add.at(steps, self.ends[chosen], -1)
        covered: NDArray[np.bool_] = np.cumsum(steps)[:-1] > 0
        return covered
