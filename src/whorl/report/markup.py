"""Render a source as lines of markup: passages, matches, starter code, marks for hidden characters, short names."""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from heapq import heappop, heappush
from itertools import groupby, islice, pairwise
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from markupsafe import Markup, escape

from whorl.sandbox import Outcome, default_sandbox
from whorl.threads import Answer

T = TypeVar("T")

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but tab and line feed
    "\xad\u034f\u180e\u200b\u2060-\u2064\ufeff"  # characters without width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks, embeddings, overrides and isolates of direction
    "\u2028\u2029\ufff9-\ufffb"  # separators and annotations
    "\ud800-\udfff"  # halves of a surrogate pair, which UTF-8 does not have
    "\U000e0000-\U000e007f"  # tags
    "]"
)

# Maximum number of hidden characters in a text to show by name.
MANY = 10_000

REPLACEMENT = "\ufffd"

# The names that editors use; others are shown by their number.
ABBREVIATIONS = {
    "\u061c": "ALM", "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE",
    "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI",
    "\u2069": "PDI", "\u2060": "WJ", "\ufeff": "BOM", "\xad": "SHY", "\x7f": "DEL",
}  # fmt: skip

# The ASCII controls, in order. Few fonts have the Unicode pictures of them.
CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip


def mark(character: str) -> str:
    """Return the short name of a hidden character."""
    if character < " ":
        return CONTROLS[ord(character)]
    return ABBREVIATIONS.get(character, f"U+{ord(character):04X}")


def plain(text: str) -> str:
    """Return a text on one line, with hidden characters as ⟨marks⟩, for attributes, titles and data."""
    if text.isascii() and text.isprintable():  # the usual case, checked quickly
        return text
    return HIDDEN.sub(lambda match: f"⟨{mark(match[0])}⟩", text.replace("\n", "⟨LF⟩"))


def printable(value: Any) -> Any:
    """Make every string that a template prints plain, unless it is markup."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def code(text: str) -> str:
    """Return a piece of a source as markup; ``data-u`` has the code of each hidden character."""
    escaped = str(escape(text))
    return HIDDEN.sub(_element, escaped) if HIDDEN.search(escaped) else escaped


def coarse(text: str) -> str:
    """Return a piece of a source with one sign for every hidden character, for texts with very many of them, such as a
    two-byte encoding read as a one-byte one."""
    return HIDDEN.sub(REPLACEMENT, str(escape(text)))


def has_many(text: str) -> bool:
    """Return whether there are too many hidden characters to name each."""
    return len(text) > MANY and next(islice(HIDDEN.finditer(text), MANY, None), None) is not None


def _element(match: re.Match[str]) -> str:
    character = match[0]
    name = unicodedata.name(character, "control character")
    return f'<i class="hidden" data-u="{ord(character):X}" title="U+{ord(character):04X} {name}">{mark(character)}</i>'


# Maximum length of a shown id, URL or reason, in letters: two lines on a wide screen.
LONGEST_NAME = 240
# Letters kept at the end of a longer one, where names differ.
NAME_END = 80

# Maximum length of a link: a hundred longer ones would make the page too large.
LONGEST_LINK = 500

LINKABLE = re.compile(r"https?://[^\s/?#\"'<>\\`]+([/?#][^\s\"'<>\\`]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShownName:
    """A text to show, and its link, if any."""

    text: str
    href: str | None = None

    @property
    def cost(self) -> int:
        """Its size in the page, in bytes."""
        return len(escape(self.text).encode()) + (len(escape(self.href).encode()) if self.href else 0)


def short(text: str) -> str:
    """Return a text on one line, with hidden characters visible, cut in the middle to ``LONGEST_NAME``."""
    # Marks only lengthen a text, so the middle of a long one need not be read.
    shown = plain(text) if len(text) <= LONGEST_NAME else f"{plain(text[:LONGEST_NAME])}…{plain(text[-NAME_END:])}"
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - NAME_END - 1]}…{shown[-NAME_END:]}"


def link(url: str) -> ShownName:
    """Return a URL, with a link if it is http or https without hidden characters."""
    safe = len(url) <= LONGEST_LINK and LINKABLE.fullmatch(url) and not HIDDEN.search(url)
    return ShownName(short(url), url if safe else None)


# Number of colours that are distinct for every kind of colour vision (Okabe and Ito), without black. Passages cycle.
COLOURS = 7

# Markup between two lines, and the text there: line feeds and the indentation after them.
LINE = "</li>\n<li>"
LINE_ENDS = re.compile(r"(?:\n[ \t]*)+")


class Look(IntEnum):
    """The look of a piece of text; of two that overlap, the higher wins."""

    PLAIN = 0
    GAP = 1
    MATCH = 2
    SANCTIONED = 3


@dataclass(frozen=True, slots=True)
class TextMark:
    """The look of ``text[start:end]``. ``passage`` is the number of its passage, from 1, or 0."""

    start: int
    end: int
    look: Look
    passage: int = 0


class StyledSegment(NamedTuple):
    """A piece of a text with one look."""

    start: int
    end: int
    look: Look
    passage: int


class SyntaxSpan(NamedTuple):
    """``text[start:end]`` is of one syntactic class, by its name in the style sheet."""

    start: int
    end: int
    name: str


def colour(passage: int) -> int:
    """Return the number of a passage's colour."""
    return (passage - 1) % COLOURS


def segments(length: int, marks: Iterable[TextMark]) -> Iterator[StyledSegment]:
    """Yield a whole text in segments, in order. Of overlapping passages, the one that starts last is on top."""
    looks, passages = _Stack(), _Stack()
    ordered = sorted((mark for mark in marks if mark.start < min(mark.end, length)), key=lambda mark: mark.start)
    bounds = sorted({0, length, *(mark.start for mark in ordered), *(min(mark.end, length) for mark in ordered)})
    coming = iter(ordered)
    following = next(coming, None)
    for start, end in pairwise(bounds):
        while following is not None and following.start <= start:
            looks.push(-following.look, following.end, following.look)
            if following.passage:
                passages.push(-following.start, following.end, following.passage)
            following = next(coming, None)
        yield StyledSegment(start, end, Look(looks.top(start)), passages.top(start))


class _Stack:
    """The marks over a position. Ended marks are dropped when they reach the top, so any overlap costs n log n."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def push(self, rank: int, end: int, value: int) -> None:
        heappush(self._heap, (rank, end, value))

    def top(self, place: int) -> int:
        while self._heap and self._heap[0][1] <= place:
            heappop(self._heap)
        return self._heap[0][2] if self._heap else 0


# Maximum length of pieces whose markup is kept: the names, keywords and blanks of a program, which occur many times.
SHORT_PIECE = 40


class PaintedText:
    """A text in pieces of one syntactic class; the class is empty between coloured spans. The markup of a piece is made
    once for all pages that show it."""

    def __init__(self, text: str, syntax: Iterable[SyntaxSpan] = ()) -> None:
        self.text = text
        self._shown = coarse if has_many(text) else code
        self._has_returns = "\r" in text
        self._bounds, names = array("q"), list[str]()
        place = 0
        for start, end, name in syntax:
            if start >= len(text):
                break
            if place < start:
                self._bounds.append(place)
                names.append("")
                place = start
            if place < end:
                self._bounds.append(place)
                names.append(name)
                place = min(end, len(text))
        if place < len(text):
            self._bounds.append(place)
            names.append("")
        self._bounds.append(len(text))
        self._names = tuple(names)

    @cached_property
    def _pieces(self) -> list[str]:
        return list(map(self._piece, self._names, self._bounds, self._bounds[1:]))

    def markup(self, start: int, end: int) -> str:
        """Return a part of the text, which is not empty, as markup."""
        first, last = bisect_right(self._bounds, start) - 1, bisect_left(self._bounds, end) - 1
        names = self._names
        if first == last:
            return self._piece(names[first], start, end)
        opening = self._piece(names[first], start, self._bounds[first + 1])
        closing = self._piece(names[last], self._bounds[last], end)
        return "".join([opening, *self._pieces[first + 1 : last], closing])

    def _piece(self, name: str, start: int, end: int) -> str:
        piece = _piece(self.text, start, end) if self._has_returns else self.text[start:end]
        return (_kept if end - start <= SHORT_PIECE else _made)(piece, name, self._shown)


def lines(text: str, marks: Sequence[TextMark], side: str) -> Markup:
    """Return the lines of a text as list items. ``side``, l or r, prefixes the anchors of its passages."""
    return Markup("\n".join(line_items(PaintedText(text), marks, side)))


def line_items(painted: PaintedText, marks: Sequence[TextMark], side: str) -> list[str]:
    """Return each line of a text as a list item."""
    beginnings = _beginnings(marks)
    out = ["<li>"]
    for segment in segments(len(painted.text), marks):
        out += [_badge(passage, side) for passage in beginnings.get(segment.start, ())]
        content = painted.markup(segment.start, segment.end)
        out.append(_cut(content, *_tags(segment)).replace("\n", LINE))
    out.append("</li>")
    return "".join(out).split("\n")


def _made(piece: str, name: str, shown: Callable[[str], str]) -> str:
    content = shown(piece)
    return _cut(content, f'<span class="{name}">', "</span>") if name else content


_kept = lru_cache(1 << 14)(_made)


def _cut(content: str, opening: str, closing: str) -> str:
    """Put markup into an element on each line. Line ends and indentation stay outside, so that colour marks text
    only."""
    if not opening:
        return content
    if "\n" not in content:
        return opening + content + closing if content else ""
    inside = LINE_ENDS.sub(lambda match: closing + match[0] + opening, content)
    return (opening + inside + closing).replace(opening + closing, "")


# Lines shown before and after a passage, and the minimum number of lines that are folded.
CONTEXT = 3
SHORTEST_FOLD = 6


class Stretch(NamedTuple):
    """Neighbouring lines of a file: the number of the first, from 1, and their markup. A ``folded`` stretch has no
    passage."""

    first: int
    lines: list[str]
    folded: bool


def stretches(text: str, marks: Sequence[TextMark], items: Sequence[str]) -> list[Stretch]:
    """Divide the lines of a file into those near a passage and those to fold."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    near = bytearray(len(items))
    for mark in marks:
        if mark.passage and mark.start < mark.end:
            first, last = bisect_left(breaks, mark.start), bisect_left(breaks, mark.end - 1)
            low, high = max(0, first - CONTEXT), min(len(items), last + CONTEXT + 1)
            near[low:high] = b"\1" * (high - low)
    runs = [(kind, len(list(group))) for kind, group in groupby(near)]
    parts: list[Stretch] = []
    place = 0
    for kind, length in runs:
        piece, folded = list(items[place : place + length]), not kind and length >= SHORTEST_FOLD
        if parts and not folded and not parts[-1].folded:
            parts[-1].lines.extend(piece)
        else:
            parts.append(Stretch(place + 1, piece, folded))
        place += length
    return parts


def _beginnings(marks: Sequence[TextMark]) -> dict[int, list[int]]:
    """Return the passages that begin at each position: at their first non-empty mark."""
    first: dict[int, int] = {}
    for mark in marks:
        if mark.passage and mark.start < mark.end:
            first[mark.passage] = min(mark.start, first.get(mark.passage, mark.start))
    places: dict[int, list[int]] = {}
    for passage, start in first.items():
        places.setdefault(start, []).append(passage)
    return places


def _piece(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` with one line feed per line end, even if it ends inside a line end."""
    piece = text[start:end]
    if piece.endswith("\r") and text.startswith("\n", end):
        piece = piece[:-1]
    return piece.replace("\r\n", "\n")


def _tags(segment: StyledSegment) -> tuple[str, str]:
    if not segment.passage:
        return ('<span class="s">', "</span>") if segment.look is Look.SANCTIONED else ("", "")
    look = {Look.GAP: " g", Look.SANCTIONED: " s"}.get(segment.look, "")
    return f'<mark class="p{colour(segment.passage)}{look}" data-p="{segment.passage}">', "</mark>"


def _badge(passage: int, side: str) -> str:
    """Return the badge at the start of a passage. The style sheet draws its number, so that copied text omits it."""
    other, name = ("r", "right") if side == "l" else ("l", "left")
    label = f"Passage {passage}: show it on the {name}"
    return (
        f'<a class="badge p{colour(passage)}" id="{side}{passage}" href="#{other}{passage}"'
        f' data-p="{passage}" aria-label="{label}"></a>'
    )


# Maximum size of a text to colour, in characters: Pygments takes a second for it.
COLOURED = 500_000

# Colours a program, in a worker: some texts of a few kilobytes cost a lexer minutes.
COLOURER = "whorl.formats.code.lexers:syntax"

# A program: its text and its language.
Program = tuple[str, str]


class RecentTexts(Generic[T]):
    """A cache of values made from texts: the most recently used ones, up to a number of letters. Thread-safe."""

    def __init__(self, letters: int) -> None:
        self._most, self._letters, self._turn = letters, 0, Lock()
        self._values: dict[Any, tuple[int, T]] = {}

    def __contains__(self, key: Any) -> bool:
        return key in self._values

    def get(self, key: Any, length: int, make: Callable[[], T]) -> T:
        """Return the value of a key, or make it. ``length`` is the number of letters of its text."""
        with self._turn:
            if (kept := self._values.pop(key, None)) is not None:
                self._values[key] = kept  # the last one is the one used last
                return kept[1]
        value = make()
        with self._turn:
            if key not in self._values:
                self._letters += length
            self._values[key] = length, value
            while self._letters > self._most and len(self._values) > 1:
                self._letters -= self._values.pop(next(iter(self._values)))[0]
        return value


class Colours(NamedTuple):
    """The coloured spans of a program: their starts, their ends, and the letters of their classes."""

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    classes: str = ""

    def spans(self, place: int = 0) -> Iterator[SyntaxSpan]:
        """Yield the spans of a program that begins at a place of a text."""
        return (SyntaxSpan(place + start, place + end, name) for start, end, name in zip(*self, strict=True))


_known: RecentTexts[Colours] = RecentTexts(3_000_000)


def colours(text: str, language: str) -> Colours:
    """Return the coloured spans of a program; none if nothing installed knows the language, or it takes too long."""
    return _known.get((text, language), len(text), lambda: _answered(_asked(text, language)))


# How many pages ahead of the one that is written workers find colours.
AHEAD = 16


def coloured_ahead(pages: Iterable[Iterable[Program]]) -> Iterator[None]:
    """Yield for each page when the colours of its programs are known. Workers find those of the pages after it
    meanwhile."""
    asked: deque[list[tuple[Program, Answer[Outcome] | None]]] = deque()
    for page in pages:
        under_way = {program for those in asked for program, _ in those}
        new = (each for each in dict.fromkeys(page) if each not in under_way and each not in _known)
        asked.append([(each, _asked(*each)) for each in new])
        if len(asked) > AHEAD:
            _settle(asked.popleft())
            yield
    while asked:
        _settle(asked.popleft())
        yield


def _settle(asked: Iterable[tuple[Program, Answer[Outcome] | None]]) -> None:
    for program, answer in asked:
        _known.get(program, len(program[0]), partial(_answered, answer))


def _asked(text: str, language: str) -> Answer[Outcome] | None:
    if len(text) > COLOURED:
        return None
    return default_sandbox().begin(COLOURER, language, text.encode("utf-8", "surrogatepass"))


def _answered(answer: Answer[Outcome] | None) -> Colours:
    outcome = None if answer is None else answer.take()
    if outcome is None or outcome.fault is not None:
        return Colours()  # a page without colours has the same text
    try:
        starts, ends, classes = outcome.value
        colours = Colours(array("i", starts), array("i", ends), classes)
    except (TypeError, ValueError):
        return Colours()
    # A program may have damaged its worker, and classes become markup.
    is_sound = isinstance(classes, str) and classes.isalpha() and len({len(column) for column in colours}) == 1
    return colours if is_sound else Colours()
