"""The text that was taken out of a document, and where its parts came from. No format is known here."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.sandbox.faults import one_line

Kind: TypeAlias = Literal["cell", "chapter", "page", "slide"]

# An extracted text as a worker sends it: text, note, the kind of its marks, their starts, their ends, their labels.
Plain: TypeAlias = tuple[str, str, Kind, NDArray[np.int64], NDArray[np.int64], list[str]]

# What stands between two parts. Not a form feed: whoever counts lines would disagree about it.
BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` is what a numbered part of the document held, counted from 1. The label says what the part
    is: of a notebook's cell, its language."""

    kind: Kind
    number: int
    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A text, and its marks in order. ``note`` is what whoever asked should be told of the reading: one line that can
    be printed, whatever of the document it quotes."""

    text: str
    marks: tuple[Mark, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "note", one_line(self.note))


def in_parts(kind: Kind, texts: Iterable[str], labels: Iterable[str] = (), note: str = "") -> Extracted:
    """The texts of all parts, one after the other, each with its mark."""
    parts = list(texts)
    named = list(labels) or [""] * len(parts)
    marks: list[Mark] = []
    start = 0
    for number, (text, label) in enumerate(zip(parts, named, strict=True), 1):
        marks.append(Mark(kind, number, start, start + len(text), label))
        start += len(text) + len(BETWEEN)
    return Extracted(BETWEEN.join(parts), tuple(marks), note)


def to_plain(found: Extracted) -> Plain:
    """What a worker can send. All marks of a text are of one kind, and numbered from 1."""
    starts = np.array([mark.start for mark in found.marks], np.int64)
    ends = np.array([mark.end for mark in found.marks], np.int64)
    labels = [mark.label for mark in found.marks] if any(mark.label for mark in found.marks) else []
    return found.text, found.note, found.marks[0].kind if found.marks else "page", starts, ends, labels


def from_plain(plain: Plain) -> Extracted:
    """What a worker sent."""
    text, note, kind, starts, ends, labels = plain
    named = labels or [""] * len(starts)
    rows = zip(starts.tolist(), ends.tolist(), named, strict=True)
    return Extracted(text, tuple(Mark(kind, number, *row) for number, row in enumerate(rows, 1)), note)
