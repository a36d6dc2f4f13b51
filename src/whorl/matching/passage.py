"""The passage: the record of a shared piece of two documents, its sides, matches and lines; and sets of spans."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from whorl.formats import tables
from whorl.kernel.constants import SOLO
from whorl.model import Span, Spans


class Lines:
    """Map positions in a text to line numbers, counted from 1."""

    def __init__(self, text: str) -> None:
        if text.isascii():
            codes: NDArray[np.generic] = np.frombuffer(text.encode(), np.uint8)
        else:
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self._places = (codes == ord("\n")).nonzero()[0]
        self._breaks: list[int] = self._places.tolist()

    def line(self, place: int) -> int:
        """Return the line of ``text[place]``."""
        return bisect_left(self._breaks, place) + 1

    def lines(self, places: Sequence[int]) -> list[int]:
        """Return the lines of many places."""
        lines: list[int] = (np.searchsorted(self._places, places) + 1).tolist()
        return lines


class Match(NamedTuple):
    """Two maximal spans with equal symbols, one in each text, and the number of these symbols."""

    left: Span
    right: Span
    symbols: int


# Make a span or a match of a tuple of its fields: much faster than a call with these fields.
_make_span = partial(tuple.__new__, Span)
make_match = partial(tuple.__new__, Match)


def make_spans(starts: NDArray[np.integer[Any]], ends: NDArray[np.integer[Any]]) -> Iterator[Span]:
    """Return the spans between these starts and ends."""
    return map(_make_span, zip(starts.tolist(), ends.tolist(), strict=True))


class Side(NamedTuple):
    """One side of a passage: a file, the span ``text[start:end]`` in it, and its lines, counted from 1."""

    file: str
    start: int
    end: int
    start_line: int
    end_line: int


# The streams of a passage: the text itself, and one with changed words.
PLAIN, EDITED = "plain", "edited"


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring matches with gaps between them: one copied piece to a reader.

    ``symbols`` counts the symbols of the matches, without the gaps. ``stream`` is the stream in which they match: the
    ``plain`` one, a program's ``normal`` form, or ``edited`` if a deep pass found changed words between them;
    ``rewrites`` names the rewrites undone on one side only.
    """

    left: Side
    right: Side
    symbols: int
    matches: tuple[Match, ...]
    stream: str = PLAIN
    rewrites: tuple[str, ...] = ()

    def mirrored(self) -> "Passage":
        """Return the passage with its sides exchanged."""
        matches = tuple(Match(right, left, symbols) for left, right, symbols in self.matches)
        return Passage(self.right, self.left, self.symbols, matches, self.stream, self.rewrites)


def stretches(passage: Passage, text: str) -> Iterator[Span]:
    """Yield the matches of a passage in the left text: joined where only punctuation and white space separate them,
    without the parts of words at their ends."""
    last: Span | None = None
    for span in union(match.left for match in passage.matches):
        if last is not None and any(map(str.isalnum, text[last.end : span.start])):
            yield from _whole_words(last, text)
            last = span
        else:
            last = span if last is None else Span(last.start, span.end)
    if last is not None:
        yield from _whole_words(last, text)


# Letters of a word at most. A longer run, such as a sequence of DNA, has no words that could be cut.
_LONGEST_WORD = 60


def _whole_words(span: Span, text: str) -> Iterator[Span]:
    start, end = span
    while start < end and start and _in_word(text[start - 1]) and _in_word(text[start]):
        start += 1
    start = start if start - span.start <= _LONGEST_WORD else span.start
    while start < end < len(text) and _in_word(text[end - 1]) and _in_word(text[end]):
        end -= 1
    end = end if span.end - end <= _LONGEST_WORD else span.end
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _in_word(character: str) -> bool:
    """Return whether a character is a letter of a script with cases. Others may not separate words."""
    return character.lower() != character.upper()


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans as disjoint ones, in order; adjacent ones are joined, empty ones dropped."""
    joined: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(Span(*span))
    return joined


def subtract(spans: Iterable[Span], others: Sequence[Span]) -> list[Span]:
    """Return the parts of spans outside of others, which are disjoint and in order."""
    rest: list[Span] = []
    for start, end in union(spans):
        place, number = start, bisect_right(others, start, key=lambda span: span.end)
        while number < len(others) and others[number].start < end:
            if place < others[number].start:
                rest.append(Span(place, others[number].start))
            place = max(place, others[number].end)
            number += 1
        if place < end:
            rest.append(Span(place, end))
    return rest


def covered_once(coverages: Iterable[Sequence[Span]]) -> list[Span]:
    """Return what exactly one of several unions of spans covers."""
    edges = sorted(edge for spans in coverages for start, end in union(spans) for edge in ((start, 1), (end, -1)))
    depth, once = 0, list[Span]()
    for (place, change), (following, _) in pairwise(edges):
        depth += change
        if depth == 1 and place < following:
            once.append(Span(place, following))
    return union(once)


class Measure:
    """The letters and the words of a text, inside any spans of it. Letters and digits count; with ``symbols``, all that
    can be seen of these; none in the spans ``without``. A letter of a script without spaces is a word of its own."""

    def __init__(self, text: str, symbols: Spans | None = None, without: Iterable[Span] = ()) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        is_letter = _are(_is_letter, codes)
        begins = _begins(codes, is_letter)
        if symbols is not None:
            begun, ended = (
                np.bincount(np.asarray(places, np.int64), minlength=len(text) + 1)
                for places in (symbols.starts, symbols.ends)
            )
            is_letter = _are(_is_visible, codes) & (np.cumsum(begun - ended)[:-1] > 0)
        for start, end in without:
            is_letter[start:end] = begins[start:end] = False
        self._letters = np.concatenate([[0], np.cumsum(is_letter)])
        self._words = np.concatenate([[0], np.cumsum(begins)])

    @property
    def total(self) -> int:
        """The letters of the whole text."""
        return int(self._letters[-1])

    def letters(self, spans: Iterable[Span]) -> int:
        """Return the letters in disjoint spans."""
        return _inside(self._letters, spans)

    def words(self, spans: Iterable[Span]) -> int:
        """Return the words that begin in disjoint spans."""
        return _inside(self._words, spans)


# Letters by their category that are not seen: fillers of Hangul.
_FILLERS = "\u115f\u1160\u3164\uffa0"


def _is_letter(character: str) -> bool:
    return character.isalnum() and character not in _FILLERS


def _is_visible(character: str) -> bool:
    return not character.isspace() and not _is_attached(character)


def _is_attached(character: str) -> bool:
    """Return whether a character neither is seen alone nor ends a word: a mark, or a format character."""
    return category(character) in ("Mn", "Mc", "Me", "Cf") or character in _FILLERS


def _begins(codes: NDArray[np.uint32], is_letter: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where words begin: at a letter behind none, and at each letter of a script without spaces."""
    begins = np.zeros(len(codes), np.bool_)
    places = np.flatnonzero(is_letter | ~_are(_is_attached, codes))
    letters = is_letter[places]
    is_alone = (tables.table("words").entries[codes[places]] & SOLO) > 0
    follows = np.concatenate([[False], (letters & ~is_alone)[:-1]]) if len(places) else letters
    begins[places] = letters & (is_alone | ~follows)
    return begins


def _are(test: Callable[[str], bool], codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which characters pass a test, which is asked once for each that occurs."""
    passes = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    occurring = np.flatnonzero(np.bincount(codes)) if len(codes) else codes
    passes[occurring] = [test(chr(code)) for code in occurring.tolist()]
    return passes[codes]


def _inside(before: NDArray[np.int64], spans: Iterable[Span]) -> int:
    return sum(int(before[end] - before[start]) for start, end in spans)
