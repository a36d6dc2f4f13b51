"""Reading a segment: an immutable file of sorted postings, mapped into memory. ``docs/formats/segment.md`` shows it.

The header, the directory and the footer are checked when a segment is opened; a block, the first time that it is
touched; everything, and the order of the postings, by ``verify``. Several threads can read one segment.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.index import files
from whorl.index.faults import DamageError
from whorl.index.postings import Postings
from whorl.index.segment_directory import Directory, read_directory
from whorl.index.segment_header import HEADER_SIZE, SegmentHeader, directory_start, read_header

LAST_HASH = 2**64 - 1

# Postings that a scan decodes at once: a megabyte, which stays in the processor's cache.
SCANNED = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Postings of hashes that were asked for: ``which`` of the hashes each is for, its document and its place.

    ``counts`` says, for each hash, how many postings the segment has, though fewer may be here.
    """

    which: NDArray[np.int32]
    documents: NDArray[np.uint32]
    places: NDArray[np.uint32]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.which)


@dataclass(frozen=True, slots=True, eq=False)
class _Mapped:
    """The bytes of a file, its directory, and for each block whether it was found right."""

    data: NDArray[np.uint8]
    directory: Directory
    verified: NDArray[np.uint8]


class Segment:
    """An open segment. It stays readable when its file is removed, until it is closed."""

    def __init__(self, path: Path, content: mmap.mmap | bytes) -> None:
        self.path = path
        self.header, directory = _checked(memoryview(content), path)
        self._mapped: _Mapped | None = _Mapped(
            np.frombuffer(content, np.uint8), directory, np.zeros(self.header.blocks, np.uint8)
        )

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file, and check all of it but the blocks."""
        return cls(path, files.map_file(path))

    def close(self) -> None:
        """Give the memory back; a thread that is reading meanwhile finishes first, and the memory goes with it."""
        self._mapped = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """How many postings."""
        return self.header.postings

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return len(self._content().data)

    def count(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many postings each hash has. Hashes in order are found soonest."""
        _, counts = self._find(hashes)
        return counts

    def look_up(self, hashes: NDArray[np.uint64], most: int | None = None) -> Found:
        """The postings of the hashes, in the order of the hashes; of each hash the first ``most`` at the most.

        Hashes in order are found soonest. A hash that is given twice is answered twice.
        """
        starts, counts = self._find(hashes)
        taken = counts if most is None else np.minimum(counts, most)
        header, content = self.header, self._content()
        which, documents, places = kernel.segments().gather(
            content.data,
            content.directory.rows,
            header.depth,
            header.document_width,
            header.least,
            hashes,
            starts,
            taken,
        )
        return Found(which, documents, places, counts)

    def forget(self) -> None:
        """Give back the memory of what was read; it is read again if it is asked for again."""
        base = self._content().data.base
        mapping = base.obj if isinstance(base, memoryview) else base
        if isinstance(mapping, mmap.mmap):
            mapping.madvise(mmap.MADV_DONTNEED)

    def scan(self, first: int = 0, last: int = LAST_HASH) -> Iterator[Postings]:
        """All postings with hashes from ``first`` to ``last``, in order, in parts. A hash is never in two parts."""
        shift = self.header.width - self.header.bits
        ends = self._content().directory.ends
        block, stop = first >> shift, min((last >> shift) + 1, self.header.blocks)
        while block < stop:
            before = int(ends[block - 1]) if block else 0
            after = max(block + 1, int(np.searchsorted(ends, before + SCANNED, "right")))
            part = self._decode(block, min(after, stop))
            part = part if first == 0 and last == LAST_HASH else _between(part, first, last)
            if len(part):
                yield part
            block = after

    def verify(self) -> None:
        """Check every byte, and that the postings are in order and within what the header says."""
        content = self._content()
        _checked(content.data.data, self.path)
        content.verified[:] = 0
        for block in range(self.header.blocks):
            found = self._decode(block, block + 1)
            if len(found):
                start, end = content.directory.span(block)
                self._check(block, found, content.data[start:end])

    def _check(self, block: int, found: Postings, written: NDArray[np.uint8]) -> None:
        """There is one way to write a block, so writing it again tells whether anything in it is wrong."""
        header = self.header
        columns = found.hashes, found.documents, found.places
        try:
            again, _, _ = kernel.segments().encode(*columns, header.depth, header.document_width, header.least)
        except ValueError as error:
            raise DamageError(self.path, f"block {block}: {error}") from error
        if int(found.documents.max()) > header.greatest or not np.array_equal(again, written):
            raise DamageError(self.path, f"block {block} is not as it is written")

    def _content(self) -> _Mapped:
        if self._mapped is None:
            raise ValueError(f"{self.path}: this segment is closed")
        return self._mapped

    def _find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        header, content = self.header, self._content()
        if len(hashes) and int(hashes.max()) >> header.width:
            raise ValueError(f"{self.path}: its hashes have {header.width} bits, and others were asked for")
        damaged, starts, counts = kernel.segments().find(
            content.data, content.directory.rows, header.depth, header.document_width, hashes, content.verified
        )
        self._refuse(damaged)
        return starts, counts

    def _decode(self, first: int, last: int) -> Postings:
        header, content = self.header, self._content()
        shape = header.depth, header.document_width, header.least
        damaged, columns = kernel.segments().decode(
            content.data, content.directory.rows, first, last, *shape, content.verified
        )
        self._refuse(damaged)
        return Postings(*columns)

    def _refuse(self, damaged: int) -> None:
        if damaged >= 0:
            raise DamageError(self.path, f"the checksum of block {damaged} is wrong")


def _checked(data: memoryview, path: Path) -> tuple[SegmentHeader, Directory]:
    """The header and the directory of a file, found right."""
    header = read_header(bytes(data[:HEADER_SIZE]), path)
    return header, read_directory(data, directory_start(data, path), header, path)


def _between(part: Postings, first: int, last: int) -> Postings:
    start = np.searchsorted(part.hashes, np.uint64(first), "left")
    end = np.searchsorted(part.hashes, np.uint64(last), "right")
    return part[int(start) : int(end)]
