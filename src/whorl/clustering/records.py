"""What phase 1 knows of documents: a row for each, of one length, and the texts that the rows tell the lengths of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.features import Features
from whorl.model import Document, Hashes

Item: TypeAlias = Document | Features

# What is kept of a document in words: its name, where and when it was, and why it could not be read, if so.
TEXTS = ("id", "url", "date", "reason")

# Digests of the content, of its symbols and of its set of shingles; bytes read; how many distinct shingles; the bytes
# of each text, -1 if there is none.
RECORD = np.dtype(
    [
        ("content", "<u8", 2),
        ("lexical", "<u8", 2),
        ("shingle", "<u8", 2),
        ("size", "<i8"),
        ("shingles", "<i8"),
        *((field, "<i4") for field in TEXTS),
    ]
)

Records: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents that were read together: their rows, their texts by column, and all their shingles."""

    records: Records
    texts: dict[str, bytes]
    shingles: Hashes

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sorted hashes of each document: those of document i are ``hashes[bounds[i] : bounds[i + 1]]``. ``path`` is the
    file that they are mapped from. What the system maps counts as memory of this process, and it maps more than is
    looked at: what must not take much is read instead."""

    hashes: Hashes
    bounds: NDArray[np.int64]
    path: Path | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many each document has."""
        return np.diff(self.bounds)

    def spans(self, step: int) -> Iterator[tuple[int, int]]:
        """First and last of documents that have about so many together; at least one document."""
        return spans(self.bounds, step)

    def part(self, first: int, last: int) -> "Rows":
        """Documents that follow each other, in memory."""
        start, end = self.bounds[first], self.bounds[last]
        bounds = self.bounds[first : last + 1] - start
        if self.path is None:
            return Rows(self.hashes[start:end], bounds)
        return Rows(_read(self.path, self.bounds[first : first + 1], bounds[[0, -1]]), bounds)

    def fits(self, memory: int) -> bool:
        """Whether any document may be looked at where it is, without taking more memory than this."""
        return self.path is None or self.hashes.nbytes <= memory

    def gathered(self, documents: NDArray[np.int64]) -> "Rows":
        """Any documents, in memory, one after the other."""
        bounds = np.zeros(len(documents) + 1, np.int64)
        starts = self.bounds[documents]
        np.cumsum(self.bounds[documents + 1] - starts, out=bounds[1:])
        if self.path is None:
            places = np.repeat(starts - bounds[:-1], np.diff(bounds)) + np.arange(bounds[-1])
            return Rows(self.hashes[places], bounds)
        return Rows(_read(self.path, starts, bounds), bounds)


def _read(path: Path, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> Hashes:
    """Stretches of a file's hashes, one after the other: the first becomes ``bounds[0]`` to ``bounds[1]``."""
    with path.open("rb") as file:
        found: Hashes = kernel.files().gather(file.fileno(), starts, bounds)
    return found


def spans(bounds: NDArray[np.int64], step: int) -> Iterator[tuple[int, int]]:
    """First and last of things that have about so much together, if thing i has what is between ``bounds[i]`` and the
    next; at least one thing."""
    first = 0
    while first < len(bounds) - 1:
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + step, "right")) - 1)
        yield first, last
        first = last


def packed(column: Sequence[str | None]) -> tuple[NDArray[np.int64], bytes]:
    """The lengths of some texts in bytes, -1 for what is not there, and the bytes. A lone surrogate, which UTF-8 has
    not, is spelled out."""
    data = [None if text is None else text.encode("utf-8", "backslashreplace") for text in column]
    return np.array([-1 if part is None else len(part) for part in data], np.int64), b"".join(filter(None, data))


class Texts(Sequence[str | None]):
    """A column of texts, read from where it lies. ``data`` has their bytes, ``starts`` where each begins and the last
    one ends."""

    def __init__(self, data: NDArray[np.uint8], lengths: NDArray[np.int32]) -> None:
        self.data = np.asarray(data)  # a mapped file's own class costs a microsecond each time it is cut
        self.is_there: NDArray[np.bool_] = lengths >= 0
        self.starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(np.maximum(lengths, 0), out=self.starts[1:])

    def __len__(self) -> int:
        return len(self.is_there)

    @overload
    def __getitem__(self, index: int) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | None]: ...
    def __getitem__(self, index: int | slice) -> str | list[str | None] | None:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        if not self.is_there[index]:
            return None
        number = range(len(self))[index]
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str | None]:
        return (self[number] for number in range(len(self)))

    def packed(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """The bytes of some of the texts, one after the other, and where each begins and the last one ends."""
        starts = self.starts[numbers]
        lengths = self.starts[numbers + 1] - starts
        ends = np.zeros(len(numbers) + 1, np.int32)
        np.cumsum(lengths, out=ends[1:])
        return self.data[np.repeat(starts - ends[:-1], lengths) + np.arange(ends[-1])], ends

    def lines(self, numbers: NDArray[np.int64]) -> bytes:
        """Some of the texts, each on a line of its own."""
        data, ends = self.packed(numbers)
        return np.insert(data, ends[1:], ord("\n")).tobytes()

    def held(self) -> "Texts":
        """The same, in memory."""
        lengths = np.where(self.is_there, np.diff(self.starts), -1).astype(np.int32)
        return Texts(np.array(self.data), lengths)
