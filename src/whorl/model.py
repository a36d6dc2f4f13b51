"""The records that layers hand to each other. Small, frozen, without I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Offsets: TypeAlias = NDArray[np.signedinteger[Any]]
Hashes: TypeAlias = NDArray[np.uint64]


class Span(NamedTuple):
    """A piece of a text: ``text[start:end]``, counted in code points."""

    start: int
    end: int


class Spans(Sequence[Span]):
    """Many spans, kept as two arrays; reads as a sequence of ``Span``."""

    __slots__ = ("ends", "starts")

    def __init__(self, starts: Offsets, ends: Offsets) -> None:
        self.starts = starts
        self.ends = ends

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> "Spans": ...
    def __getitem__(self, index: int | slice) -> "Span | Spans":
        if isinstance(index, slice):
            return Spans(self.starts[index], self.ends[index])
        return Span(int(self.starts[index]), int(self.ends[index]))

    def __iter__(self) -> Iterator[Span]:
        return map(Span, self.starts.tolist(), self.ends.tolist())

    def __repr__(self) -> str:
        return f"Spans({len(self)})"


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The canonical form of a text: its symbols, and for each the span of the text that it came from.

    ``symbols`` is an array of unsigned integers of 8, 16, 32 or 64 bits. The width says nothing about the
    symbols: the same values give the same fingerprints in any width. Spans do not decrease, and those of
    neighbouring symbols may coincide (one ligature, two letters). The stream of a piece of a text counts ``starts``
    and ``ends`` from the piece's ``offset``. ``note`` is what whoever asked should be told of the reading.
    """

    symbols: Symbols
    starts: Offsets
    ends: Offsets
    offset: int = 0
    note: str = ""

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def spans(self) -> Spans:
        """The span of each symbol in the whole text."""
        return Spans(self.starts + self.offset, self.ends + self.offset)


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes (or text that needs no decoding, or a file to read) with a name, and what is known about it."""

    name: str
    content: bytes | str | Path
    url: str | None = None
    date: str | None = None
    contact: str | None = None
    owner: str | None = None
    labels: tuple[str, ...] = ()
    format: str | None = None
    """What it is, if somebody says so: a name that ``whorl formats`` lists. Otherwise content and name tell."""


class Skipped(NamedTuple):
    """A file that was left out, and why, in one line."""

    name: str
    reason: str
