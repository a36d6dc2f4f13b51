"""Extracted text with its pages and cells, and which extractors run in a worker."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError
from whorl.sandbox import WorkerFault, default_sandbox
from whorl.sandbox.limits import one_line

Kind: TypeAlias = Literal["cell", "chapter", "page", "slide", "style"]

# An extracted text as a worker sends it: text, note, the kind of its marks, their starts, their ends, their labels.
Plain: TypeAlias = tuple[str, str, Kind, NDArray[np.int64], NDArray[np.int64], list[str]]

# The separator of two parts. No form feed: programs disagree on whether it ends a line.
BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class SectionMark:
    """``text[start:end]`` is the text of a numbered part of the document, counted from 1. The label describes the part:
    for a notebook's cell, its language; for a paragraph with a style, ``quotation`` or ``bibliography``."""

    kind: Kind
    number: int
    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A text, and its marks in order. ``note`` is a printable one-line remark about the reading."""

    text: str
    marks: tuple[SectionMark, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "note", one_line(self.note))


def in_parts(kind: Kind, texts: Iterable[str], labels: Iterable[str] = (), note: str = "") -> Extracted:
    """Return the texts of all parts, one after the other, each with its mark."""
    parts = list(texts)
    named = list(labels) or [""] * len(parts)
    marks: list[SectionMark] = []
    start = 0
    for number, (text, label) in enumerate(zip(parts, named, strict=True), 1):
        marks.append(SectionMark(kind, number, start, start + len(text), label))
        start += len(text) + len(BETWEEN)
    return Extracted(BETWEEN.join(parts), tuple(marks), note)


def to_plain(extracted: Extracted) -> Plain:
    """Return the plain values that a worker sends. All marks of a text are of one kind, numbered from 1."""
    starts = np.array([mark.start for mark in extracted.marks], np.int64)
    ends = np.array([mark.end for mark in extracted.marks], np.int64)
    labels = [mark.label for mark in extracted.marks] if any(mark.label for mark in extracted.marks) else []
    return extracted.text, extracted.note, extracted.marks[0].kind if extracted.marks else "page", starts, ends, labels


def from_plain(plain: Plain) -> Extracted:
    """Return the text from a worker's plain values."""
    text, note, kind, starts, ends, labels = plain
    named = labels or [""] * len(starts)
    rows = zip(starts.tolist(), ends.tolist(), named, strict=True)
    return Extracted(text, tuple(SectionMark(kind, number, *row) for number, row in enumerate(rows, 1)), note)


# Bytes or characters of the largest document that Whorl's own readers read in this process. The slowest of them makes
# a megabyte a second on hostile input: a quarter of a second, and some megabytes.
IN_PROCESS = 1 << 18

TARGET = f"{__name__}:plain"

# The function that reads each format, imported when a document of the format comes.
READERS = {
    "docx": "whorl.formats.documents.office:extract_docx",
    "epub": "whorl.formats.documents.office:extract",
    "html": "whorl.formats.documents.html:extract",
    "latex": "whorl.formats.documents.latex:extract",
    "markdown": "whorl.formats.documents.markdown:extract",
    "notebook": "whorl.formats.documents.notebook:extract",
    "odt": "whorl.formats.documents.office:extract_odt",
    "postscript": "whorl.formats.documents.pages:extract_postscript",
    "pptx": "whorl.formats.documents.office:extract_pptx",
    "rtf": "whorl.formats.documents.rtf:extract",
}


def always_in_worker() -> None:
    """Read every document in a worker, however small: for a process with many users."""
    global IN_PROCESS
    IN_PROCESS = -1


def in_worker(target: str, *arguments: Any, run: str | None = None) -> Any:
    """Run ``target(*arguments)`` in a worker, which may ``run`` one program; raise ``DocumentError`` if it fails."""
    try:
        return default_sandbox(run).call(target, *arguments)
    except WorkerFault as fault:
        raise DocumentError(fault.reason) from fault


def isolated(reader: str, *arguments: Any, run: str | None = None) -> Extracted:
    """Run the reader of this name in a worker, which may ``run`` one program."""
    return from_plain(in_worker(TARGET, reader, *arguments, run=run))


def extracted(reader: str, data: bytes | str, *arguments: Any) -> Extracted:
    """Run one of Whorl's own readers; small documents are read in this process."""
    if len(data) > IN_PROCESS:
        return isolated(reader, data, *arguments)
    return _reader(reader)(data, *arguments)


def plain(reader: str, *arguments: Any) -> Plain:
    """Run a reader inside a worker."""
    return to_plain(_reader(reader)(*arguments))


def _reader(name: str) -> Callable[..., Extracted]:
    module, _, function_name = READERS[name].partition(":")
    function: Callable[..., Extracted] = getattr(import_module(module), function_name)
    return function
