"""A source as lines of markup: passages, the exact matches in them, and what is sanctioned.

Spans become one flat row of segments, each with one look, so that nothing that overlaps can break the page. A segment
is sliced, escaped and cut into lines as a whole: there is no loop over characters or lines.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from whorl.report.visible import coarse, code, has_many

# Colours that differ for every kind of colour vision (Okabe and Ito), less black. Passages take turns.
COLOURS = 7

# Between two lines, and what of a text is there: line feeds, and the indentation that follows them.
LINE = "</li>\n<li>"
LINE_ENDS = re.compile(r"(?:\n[ \t]*)+")


class Look(IntEnum):
    """How a piece of text looks; of two that overlap, the higher wins."""

    PLAIN = 0
    GAP = 1
    MATCH = 2
    SANCTIONED = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` has a look. ``passage`` is the number of its passage, from 1; 0 for none."""

    start: int
    end: int
    look: Look
    passage: int = 0


class Segment(NamedTuple):
    """A piece of a text that looks the same from its start to its end."""

    start: int
    end: int
    look: Look
    passage: int


def colour(passage: int) -> int:
    """Which of the colours a passage has."""
    return (passage - 1) % COLOURS


def segments(length: int, marks: Iterable[Mark]) -> Iterator[Segment]:
    """The whole of a text in segments, in order. Where passages overlap, the one that starts last is on top."""
    looks, passages = _Stack(), _Stack()
    ordered = sorted((mark for mark in marks if mark.start < mark.end), key=lambda mark: mark.start)
    bounds = sorted({0, length, *(mark.start for mark in ordered), *(min(mark.end, length) for mark in ordered)})
    coming = iter(ordered)
    following = next(coming, None)
    for start, end in pairwise(bounds):
        while following is not None and following.start <= start:
            looks.push(-following.look, following.end, following.look)
            if following.passage:
                passages.push(-following.start, following.end, following.passage)
            following = next(coming, None)
        yield Segment(start, end, Look(looks.top(start)), passages.top(start))


class _Stack:
    """What covers a place; what has ended is dropped when it comes to the top, so any overlap costs n log n."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def push(self, rank: int, end: int, value: int) -> None:
        heappush(self._heap, (rank, end, value))

    def top(self, place: int) -> int:
        while self._heap and self._heap[0][1] <= place:
            heappop(self._heap)
        return self._heap[0][2] if self._heap else 0


def lines(text: str, marks: Sequence[Mark], side: str) -> Markup:
    """The lines of a text as list items. ``side``, l or r, is in the anchors of the passages that begin in it."""
    beginnings = _beginnings(marks)
    shown = coarse if has_many(text) else code
    out = ["<li>"]
    for segment in segments(len(text), marks):
        out += [_badge(passage, side) for passage in beginnings.get(segment.start, ())]
        out.append(_cut(shown(_piece(text, segment)), *_tags(segment)))
    out.append("</li>")
    return Markup("".join(out))


def _cut(content: str, opening: str, closing: str) -> str:
    """A segment's markup in lines; line ends and indentation are outside its element, so that colour marks text."""
    if not opening:
        return content.replace("\n", LINE)
    inside = LINE_ENDS.sub(lambda found: closing + found[0].replace("\n", LINE) + opening, content)
    return (opening + inside + closing).replace(opening + closing, "")


def _beginnings(marks: Sequence[Mark]) -> dict[int, list[int]]:
    """Where passages begin: of each the first mark that is not empty."""
    first: dict[int, int] = {}
    for mark in marks:
        if mark.passage and mark.start < mark.end:
            first[mark.passage] = min(mark.start, first.get(mark.passage, mark.start))
    places: dict[int, list[int]] = {}
    for passage, start in first.items():
        places.setdefault(start, []).append(passage)
    return places


def _piece(text: str, segment: Segment) -> str:
    """The text of a segment with one line feed for each end of a line, also if the segment ends within one."""
    piece = text[segment.start : segment.end]
    if "\r" not in piece:
        return piece
    if piece.endswith("\r") and text.startswith("\n", segment.end):
        piece = piece[:-1]
    return piece.replace("\r\n", "\n")


def _tags(segment: Segment) -> tuple[str, str]:
    if not segment.passage:
        return ('<span class="s">', "</span>") if segment.look is Look.SANCTIONED else ("", "")
    look = {Look.GAP: " g", Look.SANCTIONED: " s"}.get(segment.look, "")
    return f'<mark class="p{colour(segment.passage)}{look}" data-p="{segment.passage}">', "</mark>"


def _badge(passage: int, side: str) -> str:
    """Where a passage begins: its number, drawn by the style sheet so that copied text has none of it."""
    other, name = ("r", "right") if side == "l" else ("l", "left")
    label = f"Passage {passage}: show it on the {name}"
    return (
        f'<a class="badge p{colour(passage)}" id="{side}{passage}" href="#{other}{passage}"'
        f' data-p="{passage}" aria-label="{label}"></a>'
    )
