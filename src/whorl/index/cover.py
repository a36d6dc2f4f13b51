"""Choose the documents of an index that together explain a query, for a check of a manuscript, within a time limit; and
leave out those that cannot share a passage with it."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import distinct
from whorl.formats.text import TextFrontend
from whorl.index.search import ORIGIN, SearchCandidates
from whorl.kernel import native_matching, native_postings, native_words
from whorl.matching.chains import NO_BACKGROUND, can_be_significant
from whorl.matching.evidence import Evidence
from whorl.matching.passage import Passage
from whorl.model import Symbols
from whorl.scheme import Scheme
from whorl.storage.postings import PostingHits

# Sources that a cover has for each fingerprint, where there are so many.
LAYERS = 3

# Documents with a longest run that are considered. Many have the same idiom; the names in their texts decide then. A
# snippet, of so many tokens at most, may be nothing but an idiom. Whole files would take 40% more time with as many.
TIED, TIED_SNIPPET, SNIPPET = 300, 1500, 500

# Fingerprints by which a run may be longer by chance, and the share of its own: the statement after a snippet may
# continue as in another program, and a list of names is like any other.
BY_CHANCE, SHARE_BY_CHANCE = 2, 0.5

# Documents of a cover that share single fingerprints: a second or two of reading. Most have a common phrase, and no
# passage.
PHRASES = 1000


# Pairs of places that a query and all candidates share, before fingerprints that occur often pair in turn only: 400 MB.
PAIRS = 1 << 23

# Neighbouring fingerprints of a query within which those of an edited copy are counted together: some hundred words.
PARAGRAPH = 50


class Timer:
    """The time that a check may take; without ``seconds``, there is no limit."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds, self._start = seconds, time.monotonic()

    def __str__(self) -> str:
        return f"The time limit of {self._seconds:g} seconds was reached"

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self._seconds is not None and time.monotonic() - self._start >= self._seconds


class Cover:
    """The choice of documents that together explain a query.

    Each passage of any document that has two neighbouring fingerprints is also in the passages of the chosen ones. Of
    documents that share single fingerprints, ``PHRASES`` are chosen at most; ``unread`` counts the others.

    ``runs_first`` chooses first, for each fingerprint, the documents that have it in the longest run of neighbours. In
    programs, large documents have most fingerprints of a small one here and there, and its origin has them in a row.
    Common fingerprints propose no document, but count in a run: a short snippet may have hardly any others.
    """

    def __init__(self, candidates: SearchCandidates, query: Evidence, k: int, *, runs_first: bool = False) -> None:
        self._candidates, self._layers, self._phrases, self._runs_first = candidates, 0, 0, runs_first
        order = np.argsort(query.places, kind="stable")
        places = query.places[order].astype(np.int64)
        self._starts, self._ends = query.starts[places], query.ends[np.minimum(places + k, len(query)) - 1]
        self._most_tied = TIED_SNIPPET if len(query) <= SNIPPET else TIED
        self._is_left = np.ones(len(places), np.bool_)
        self._is_tried = np.zeros(len(candidates), np.bool_)
        self._hashes = np.searchsorted(distinct(query.hashes), query.hashes[order])
        self._places = places
        self._rows, self._at, self._distances = _shared_places(candidates, candidates.postings, self._hashes, places)

    def tried(self, number: int, passages: Iterable[Passage]) -> None:
        """Note the passages of a document, whether it was chosen or not."""
        row = int(np.searchsorted(self._candidates.numbers, number))
        if row == len(self._candidates) or self._candidates.numbers[row] != number:
            return
        self._is_tried[row] = True
        lefts = [match.left for passage in passages for match in passage.matches]
        if lefts:
            starts, ends = np.array(lefts).T
            firsts, lasts = self._starts.searchsorted(starts), self._ends.searchsorted(ends, "right")
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                self._is_left[first:last] = False

    @property
    def unread(self) -> int:
        """The number of documents that may explain more and were not chosen."""
        return len(np.unique(self._rows[self._is_left[self._at] & ~self._is_tried[self._rows]]))

    def likely_edited(self, documents: int) -> SearchCandidates:
        """Return the documents that were not tried, those first that most likely have an edited copy of a paragraph.

        A copy with changed words keeps some fingerprints. A document ranks by the inverse document frequencies of
        those that it shares within one paragraph of the query, outside of all passages. ``documents`` is the size of
        the index.
        """
        self._forget(explained=True)
        if not len(self._rows):
            return self._candidates[self._rows]
        keys = np.unique(self._rows << 32 | self._at)
        rows, at = keys >> 32, keys & 0xFFFFFFFF
        weights = np.log1p(documents / np.maximum(1, self._candidates.postings.counts[self._hashes[at]]))
        sums = np.concatenate(([0.0], np.cumsum(weights)))
        sums = sums[np.searchsorted(keys, keys + PARAGRAPH)] - sums[:-1]
        firsts = np.flatnonzero(np.diff(rows, prepend=-1))
        best = np.maximum.reduceat(sums, firsts)
        return self._candidates[rows[firsts][np.argsort(-best, kind="stable")]]

    def choose(self) -> SearchCandidates:
        """Return more documents to try, or none: greedily, the one first that has most of the fingerprints to explain,
        then the one that has most of the rest.

        The first few times these are all fingerprints, for a second and a third source of everything. Then they are
        those outside of all passages.
        """
        if self._runs_first:
            self._runs_first = False
            return self._candidates[self._longest_runs()]
        self._forget(explained=self._layers >= LAYERS)
        self._layers += 1
        in_a_row = self._in_a_row()
        if in_a_row.any():
            return self._candidates[self._greedy(in_a_row)]
        self._forget(explained=True)
        rows = self._greedy(np.ones(len(self._rows), np.bool_))[: PHRASES - self._phrases]
        self._phrases += len(rows)
        return self._candidates[rows]

    def _forget(self, *, explained: bool) -> None:
        """Forget the shared fingerprints of documents that were tried and, if ``explained``, those in passages."""
        wanted = ~self._is_tried[self._rows]
        if explained:
            wanted &= self._is_left[self._at]
        self._rows, self._at, self._distances = self._rows[wanted], self._at[wanted], self._distances[wanted]

    def _longest_runs(self) -> NDArray[np.intp]:
        """Return the documents that have a fingerprint in the longest run of neighbours, by row: those first that have
        most in such runs. After them come documents whose runs may be shorter by chance only."""
        candidates = self._candidates
        rows, at, distances = _shared_places(candidates, candidates.with_common, self._hashes, self._places)
        if not len(rows):
            return rows
        numbers = np.concatenate(([0], np.cumsum(~_follows(rows, at, distances))))
        lengths = np.bincount(numbers)[numbers]
        longest = np.zeros(len(self._is_left), np.int64)
        np.maximum.at(longest, at, lengths)
        is_long = lengths >= longest[at] - np.maximum(BY_CHANCE, longest[at] * SHARE_BY_CHANCE)
        chosen, members, counts = np.unique(rows[is_long], return_inverse=True, return_counts=True)
        has_longest = np.zeros(len(chosen), np.bool_)
        has_longest[members[(lengths == longest[at])[is_long]]] = True
        return chosen[np.lexsort((-counts, ~has_longest))][: self._most_tied]

    def _in_a_row(self) -> NDArray[np.bool_]:
        """Return which fingerprints have a neighbour that is shared as well, at the same distance."""
        together = np.zeros(len(self._rows) + 1, np.bool_)
        together[1:-1] = _follows(self._rows, self._at, self._distances)
        return together[1:] | together[:-1]

    def _greedy(self, wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the documents of a greedy cover of fingerprints, by row."""
        rows, starts = np.unique(self._rows[wanted], return_index=True)
        chosen = native_postings.greedy_cover(np.append(starts, wanted.sum()), self._at[wanted], len(self._is_left))
        return rows[chosen]


def _follows(rows: NDArray[np.intp], at: NDArray[np.intp], distances: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which fingerprints, from the second on, follow the one before in the document as in the query."""
    follows: NDArray[np.bool_] = (np.diff(rows) == 0) & (np.diff(distances) == 0) & (np.diff(at) == 1)
    return follows


def _shared_places(
    candidates: SearchCandidates, postings: PostingHits, hashes: NDArray[np.intp], places: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Return the fingerprints of the query that each candidate has: the row of the candidate, the number of the
    fingerprint among those of the query, and the distance of the two places, in the order of row, distance and number.

    ``hashes`` and ``places`` are those of the query's fingerprints, in the order of the query. In texts that repeat
    themselves, a fingerprint that occurs often in the query pairs with the candidate's in turn, the first with the
    first: all pairs would grow with the square of the text. Passages of a document that is read cover the others.
    """
    rows = np.searchsorted(candidates.numbers, postings.documents)
    is_candidate = rows < len(candidates)
    is_candidate[is_candidate] = candidates.numbers[rows[is_candidate]] == postings.documents[is_candidate]
    rows, which, others = rows[is_candidate], postings.which[is_candidate], postings.places[is_candidate]
    order = np.argsort(hashes, kind="stable")
    starts, ends = (np.searchsorted(hashes[order], which, side) for side in ("left", "right"))
    counts = ends - starts
    most = _most_paired(counts)
    if most is not None:
        is_many = counts > most
        turns = np.zeros(len(rows), np.intp)
        turns[is_many] = _turns(rows[is_many], which[is_many], others[is_many])
        starts += turns
        counts = np.where(is_many, (turns < counts).astype(counts.dtype), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    rows, numbers = np.repeat(rows, counts), order[np.repeat(starts, counts) + within]
    distances = places[numbers] - np.repeat(others.astype(np.int64), counts)
    return _in_order(rows, numbers, distances)


def _most_paired(counts: NDArray[np.intp]) -> int | None:
    """Return how often a fingerprint may occur in the query so that it pairs with all places of a candidate; None if
    there are few pairs. ``counts`` has the occurrences for each place of a candidate."""
    if counts.sum() <= PAIRS:
        return None
    most = int(counts.max())
    while most and np.where(counts > most, 1, counts).sum() > PAIRS:
        most //= 2
    return most


def _turns(rows: NDArray[np.intp], which: NDArray[Any], places: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each place among those of its row with the same fingerprint, from 0."""
    order = np.lexsort((places, which, rows))
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (np.diff(rows[order]) != 0) | (np.diff(which[order].astype(np.int64)) != 0)
    firsts = np.flatnonzero(is_first)
    turns = np.zeros(len(order), np.intp)
    turns[order] = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
    return turns


def _in_order(
    rows: NDArray[np.intp], numbers: NDArray[np.intp], distances: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Return shared fingerprints in the order of row, distance and number. Columns that fit into 64 bits are sorted as
    one, in a tenth of the time."""
    least = int(distances.min(initial=0))
    wide, narrow = (int(column.max(initial=0)).bit_length() for column in (distances - least, numbers))
    if int(rows.max(initial=0)).bit_length() + wide + narrow > 63:
        ordered = np.lexsort((numbers, distances, rows))
        return rows[ordered], numbers[ordered], distances[ordered]
    keys = np.sort((rows << wide | distances - least) << narrow | numbers)
    return keys >> wide + narrow, keys & (1 << narrow) - 1, (keys >> narrow & (1 << wide) - 1) + least


# Words before each, with which it is compared: 16 bits for each of four words in a row are one number.
REACH = 16


def words_of(text: str) -> NDArray[np.uint64]:
    """Return the hashes of a program's words, in order: names, numbers, and words of its strings and comments."""
    return native_words.program_words(np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8))


def repetitions(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return for each few words in a row which of the ``REACH`` words before it each one repeats.

    A copy whose names were changed, each to one other, has the same ones: Baker's parameterized matching, in windows.
    """
    return native_words.repetitions(words, REACH)


def likeliest_copied(text: str, others: Iterable[str]) -> Iterator[int]:
    """Yield the places of other texts: in turns the one with most of the distinct words of a text, and the one with
    most of its repetitions, for names may have been changed."""
    words, sizes = words_of(text), list[int]()
    names, rows = _Shared(words), _Shared(repetitions(words))
    for other in others:
        theirs = words_of(other)
        sizes.append(len(theirs))
        names.add(theirs)
        rows.add(repetitions(theirs))
    for two in zip(names.rarest_first(sizes), rows.rarest_first(sizes), strict=True):
        yield from two


class _Shared:
    """The numbers of a text that each of many others shares with it."""

    def __init__(self, numbers: NDArray[np.uint64]) -> None:
        self._numbers = distinct(numbers)
        self._is_there = np.zeros(1 << 16, np.bool_)
        self._is_there[self._slots(self._numbers)] = True
        self._shared = list[NDArray[np.intp]]()

    def add(self, others: NDArray[np.uint64]) -> None:
        """Add the numbers of another text."""
        possible = others[self._is_there.take(self._slots(others))]
        places = np.searchsorted(self._numbers[1:], possible, "right")
        self._shared.append(distinct(places[self._numbers[places] == possible]) if len(possible) else places)

    def rarest_first(self, sizes: Sequence[int]) -> list[int]:
        """Return the order of the others by what they share; it counts by its inverse document frequency, so rare names
        decide. Among equals the one with fewer words comes first: it has less by chance."""
        shared = np.concatenate(self._shared) if self._shared else np.zeros(0, np.intp)
        counts = np.bincount(shared, minlength=len(self._numbers))
        weights = np.log((1 + len(sizes)) / np.maximum(1, counts))
        owners = np.repeat(np.arange(len(sizes)), [len(each) for each in self._shared])
        sums = np.bincount(owners, weights[shared], len(sizes))
        order: list[int] = np.lexsort((np.array(sizes), -sums)).tolist()
        return order

    @staticmethod
    def _slots(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the highest bits of numbers after mixing: repetitions have few bits, in the same places."""
        return numbers * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(48)


# Characters of texts that are filtered together: enough that calls cost little, and a few dozen megabytes.
TOGETHER = 1 << 20

# Slots of a filter per k-gram, as a power of two: of k-grams that the query has not, one in 16 to 32 passes.
SPARE = 4

# Shared k-grams of one document on average, beyond which texts are not filtered: they repeat a few phrases everywhere.
MOST_SHARED = 1 << 14


class PassageFilter:
    """Chooses the texts that may share a passage with a query, many at a time.

    It finds all matches through a fingerprint of the query or a k-gram that occurs once in it, which are more than
    ``whorl.matching.matches`` finds, and keeps the texts whose matches can make a significant chain.
    """

    def __init__(self, query: Evidence, scheme: Scheme) -> None:
        self._query, self._scheme = query, scheme
        self._frontend = TextFrontend(scheme.symbols or "characters")
        self._width = np.dtype(np.uint64 if scheme.symbols == "words" else np.uint32)
        self._symbols = query.symbols.astype(self._width)
        hashes = self._hashes(self._symbols)
        self._places = self._seeding(hashes)
        self._sorted = hashes[self._places]
        self._shift = np.uint32(32 - min(32, len(self._places).bit_length() + SPARE))
        self._is_there = np.zeros(1 << (32 - int(self._shift)), np.bool_)
        self._is_there[self._sorted >> self._shift] = True

    @staticmethod
    def suits(scheme: Scheme) -> bool:
        """Return whether the texts of a scheme can be filtered: those that are read from their first to their last
        character as text."""
        return scheme.frontend == "text" and scheme.prolog is None

    def _seeding(self, hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Return the places of fingerprints and of k-grams that occur once, in the order of their hashes."""
        places = np.flatnonzero(_inside(self._query.bounds, len(hashes), self._scheme.k))
        places = places[np.argsort(hashes[places], kind="stable")]
        differs = np.ones(len(places) + 1, np.bool_)
        differs[1:-1] = hashes[places[1:]] != hashes[places[:-1]]
        is_seed = np.zeros(len(hashes), np.bool_)
        is_seed[self._query.places] = True
        return places[is_seed[places] | (differs[1:] & differs[:-1])]

    def promising(self, texts: Sequence[str]) -> Iterator[bool]:
        """Return for each text whether it may share a passage with the query."""
        first, size = 0, 0
        for number, text in enumerate(texts):
            size += len(text)
            if size >= TOGETHER or number == len(texts) - 1:
                yield from self._promising(texts[first : number + 1]).tolist()
                first, size = number + 1, 0

    def _promising(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        symbols, bounds = self._read(texts)
        keys = self._keys(symbols, bounds, len(texts) * MOST_SHARED)
        if keys is None:
            return np.ones(len(texts), np.bool_)
        sides = self._symbols, self._query.bounds, symbols, bounds.astype(np.int32)
        lefts, rights, lengths = native_matching.matches(*sides, keys, self._scheme.k)
        owners = np.searchsorted(bounds, rights, "right") - 1
        sizes, scheme = np.diff(bounds), self._scheme
        sures = np.minimum(sizes, min(scheme.guarantee or scheme.k, len(self._query)))
        leasts = np.log2(np.maximum(1, sizes)) + NO_BACKGROUND.least((len(self._query), 1))
        return can_be_significant(lefts, lengths, owners, sures, leasts, scheme)

    def _read(self, texts: Sequence[str]) -> tuple[Symbols, NDArray[np.int64]]:
        """Return the symbols of all texts, and the bounds between them. A line feed is no symbol and parts them."""
        stream = self._frontend.stream("\n".join(texts))
        ends = np.cumsum([len(text) + 1 for text in texts]) - 1
        bounds = np.concatenate(([0], np.searchsorted(stream.ends, ends, "right")))
        return stream.symbols.astype(self._width), bounds

    def _keys(self, symbols: Symbols, bounds: NDArray[np.int64], most: int) -> NDArray[np.uint64] | None:
        """Return the keys of all k-grams that the query and a text share, as ``native_matching.matches`` takes them;
        None if there are more than ``most``."""
        hashes = self._hashes(symbols)
        is_possible = self._is_there.take(hashes >> self._shift) & _inside(bounds, len(hashes), self._scheme.k)
        rights = np.flatnonzero(is_possible)
        starts, ends = (self._sorted.searchsorted(hashes[rights], side) for side in ("left", "right"))
        counts = ends - starts
        if counts.sum() > most:
            return None
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        lefts = self._places[np.repeat(starts, counts) + within]
        keys = (lefts - np.repeat(rights, counts) + ORIGIN).astype(np.uint64) << np.uint64(32) | lefts.astype(np.uint64)
        return np.sort(keys)

    def _hashes(self, symbols: Symbols) -> NDArray[np.uint32]:
        if len(symbols) < self._scheme.k:
            return np.zeros(0, np.uint32)
        rolling = hasher(Key.PUBLIC, self._scheme.k)
        return rolling.order(rolling.fold(symbols), self._scheme.k)


def _inside(bounds: NDArray[np.int64] | NDArray[np.int32], count: int, k: int) -> NDArray[np.bool_]:
    """Return which of ``count`` k-grams cross no bound."""
    inner = bounds[1:-1]
    firsts, ends = np.clip(inner - k + 1, 0, count), np.clip(inner, 0, count)
    crossed = np.cumsum(np.bincount(firsts, minlength=count + 1) - np.bincount(ends, minlength=count + 1))
    is_inside: NDArray[np.bool_] = crossed[:count] == 0
    return is_inside
