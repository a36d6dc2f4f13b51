"""Read a segment: an immutable file of sorted postings, mapped into memory. See ``docs/formats/segment.md``.

A file has a header, blocks, a directory of the blocks, and a footer. The kernel decodes the blocks. Header, directory
and footer are checked when a segment is opened, a block when it is first used, and everything by ``verify``. Several
threads can read one segment.
"""

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DamageError, StoreFormatError
from whorl.kernel import native_segments
from whorl.kernel.constants import DISTINCT, LARGE, OFFSET, OFFSET_HIGH, PLACE_WIDTH, POSTINGS, SLOT_BITS, SLOTS
from whorl.storage import files
from whorl.storage.postings import PostingHits, Postings

# Version 2 allows hashes of fewer than 64 bits. A segment of 64-bit hashes is written as version 1, which all read.
VERSION, WHOLE_VERSION = 2, 1

MAGIC, END_MAGIC = b"WHORLSEG", b"WHORLEND"

# Magic, version, zeros, scheme, key, postings, distinct hashes, least and greatest document, bits, document width, 64
# less the bits of a hash, zeros; then the checksum of all that. Every version of the format begins with 124 bytes and
# their checksum.
_HEADER = struct.Struct("<8sI4x32s32sQQIIBBB17x")
HEADER_SIZE = _HEADER.size + 4

# The start of the directory, the length of the file, the checksum of header and directory; then the checksum of the
# footer so far, and the magic.
_FOOTER = struct.Struct("<QQI")
FOOTER_SIZE = _FOOTER.size + 4 + len(END_MAGIC)

# Ids are short names in ASCII; a longer one would be cut.
LONGEST_ID = 32

# Postings of a block: about 9 kB, which a look-up may have to verify.
USUAL_BLOCK = 1024

# At most 2^32 blocks: a larger directory is of no use.
MOST_BITS = 32

# Bits of a full hash, and the minimum: with fewer nearly all documents would share some.
WHOLE, LEAST_WIDTH = 64, 16


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    """The contents and the layout of a segment. A hash has ``width`` bits: it is below 2^width."""

    scheme: str
    key: str
    postings: int
    distinct: int
    least: int
    greatest: int
    bits: int
    width: int = WHOLE

    @property
    def blocks(self) -> int:
        """The number of blocks that divide the range of hashes."""
        return 1 << self.bits

    @property
    def depth(self) -> int:
        """The bits by which the kernel selects a block. It assumes 64-bit hashes, so it counts the blocks that these
        would have. The file omits the blocks after the last, which would be empty."""
        return self.bits + WHOLE - self.width

    @property
    def version(self) -> int:
        """The oldest version of the format that can express this."""
        return WHOLE_VERSION if self.width == WHOLE else VERSION

    @property
    def document_width(self) -> int:
        """Bits of a document number minus the least one."""
        return (self.greatest - self.least).bit_length()

    def pack(self) -> bytes:
        """Encode the header."""
        packed = _HEADER.pack(
            MAGIC, self.version, self.scheme.encode("latin-1"), self.key.encode("latin-1"), self.postings,
            self.distinct, self.least, self.greatest, self.bits, self.document_width, WHOLE - self.width,
        )  # fmt: skip
        return packed + checksum(packed).to_bytes(4, "little")


def bits_for(postings: int, width: int = WHOLE) -> int:
    """Return the bits that divide the postings into blocks of about the usual size. The slots use some bits too."""
    # The nearest power of two: a block has between 0.71 and 1.41 times the usual size, on average.
    return min(max(0, (postings * 1414 // (USUAL_BLOCK * 1000)).bit_length() - 1), MOST_BITS, width - SLOT_BITS)


def checksum(*parts: bytes | memoryview) -> int:
    """Return the checksum of the concatenated parts."""
    total = 0
    for part in parts:
        total = native_segments.checksum(np.frombuffer(part, np.uint8), total)
    return total


def read_header(data: bytes, path: Path) -> SegmentHeader:
    """Decode the header from the first bytes of a file."""
    if len(data) < HEADER_SIZE or data[: len(MAGIC)] != MAGIC:
        raise DamageError(path, "it does not begin as a segment does")
    packed = data[: _HEADER.size]
    if checksum(packed) != int.from_bytes(data[_HEADER.size : HEADER_SIZE], "little"):
        raise DamageError(path, "the checksum of its header is wrong")
    version = int.from_bytes(packed[len(MAGIC) : len(MAGIC) + 4], "little")
    if version > VERSION:
        raise StoreFormatError(
            f"{path}: segment format {version} is newer than this Whorl, which reads up to {VERSION}: update Whorl"
        )
    _, _, scheme, key, postings, distinct, least, greatest, bits, document_width, dropped = _HEADER.unpack(packed)
    header = SegmentHeader(_text(scheme), _text(key), postings, distinct, least, greatest, bits, WHOLE - dropped)
    is_possible = header.width >= LEAST_WIDTH and header.bits <= min(MOST_BITS, header.width - SLOT_BITS)
    is_possible = is_possible and header.least <= header.greatest and header.document_width == document_width
    if not is_possible or header.pack() != data[:HEADER_SIZE]:
        raise DamageError(path, "its header contradicts itself")
    return header


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("latin-1")


def pack_footer(header: bytes, directory: bytes, start: int) -> bytes:
    """Encode the footer of a file whose directory begins at ``start``."""
    length = start + len(directory) + FOOTER_SIZE
    packed = _FOOTER.pack(start, length, checksum(header, directory))
    return packed + checksum(packed).to_bytes(4, "little") + END_MAGIC


def directory_start(data: memoryview, path: Path) -> int:
    """Check the footer, and the header and directory that it covers. Return where the directory begins."""
    footer = bytes(data[-FOOTER_SIZE:])
    packed, stored = footer[: _FOOTER.size], int.from_bytes(footer[_FOOTER.size : _FOOTER.size + 4], "little")
    if len(data) < HEADER_SIZE + FOOTER_SIZE or footer[-len(END_MAGIC) :] != END_MAGIC or checksum(packed) != stored:
        raise DamageError(path, "it does not end as a segment does")
    start, length, covered = _FOOTER.unpack(packed)
    if length != len(data) or not HEADER_SIZE <= start <= length - FOOTER_SIZE:
        raise DamageError(path, f"it has {len(data)} bytes and should have {length}")
    if checksum(data[:HEADER_SIZE], data[start:-FOOTER_SIZE]) != covered:
        raise DamageError(path, "the checksum of its directory is wrong")
    return int(start)


# Six numbers of 32 bits, which the kernel names.
ROW = np.dtype("<u4"), 6
ROW_SIZE = 24

# Places have 32 bits.
WIDEST_PLACE = 32


@dataclass(frozen=True, slots=True, eq=False)
class Directory:
    """``rows`` for the kernel; ``ends``, the postings up to the end of each block; ``sizes``, the bytes of each
    block."""

    rows: NDArray[np.uint32]
    ends: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def span(self, block: int) -> tuple[int, int]:
        """Return the first byte of a block, and the first after it."""
        start = int(self.rows[block, OFFSET]) | int(self.rows[block, OFFSET_HIGH]) << 32
        return start, start + int(self.sizes[block])


def read_directory(data: memoryview, start: int, header: SegmentHeader, path: Path) -> Directory:
    """Decode and check the directory at ``start``. Its blocks fill the file from the header to the directory without
    gaps, so the kernel reads nothing outside the file."""
    if len(data) - FOOTER_SIZE - start != ROW_SIZE * header.blocks:
        raise DamageError(path, "its directory has another number of blocks than its header says")
    rows = np.frombuffer(data[start:-FOOTER_SIZE], ROW[0]).reshape(-1, ROW[1]).astype(np.uint32, copy=False)
    sizes = _sizes(rows, header)
    offsets = rows[:, OFFSET].astype(np.int64) | rows[:, OFFSET_HIGH].astype(np.int64) << 32
    ends = np.cumsum(rows[:, POSTINGS], dtype=np.int64)
    expected = HEADER_SIZE + np.cumsum(sizes) - sizes
    totals = int(ends[-1]), int(rows[:, DISTINCT].sum(dtype=np.int64))
    is_possible = bool((rows[:, PLACE_WIDTH] <= WIDEST_PLACE).all() and (rows[:, DISTINCT] <= rows[:, POSTINGS]).all())
    fits = np.array_equal(offsets, expected) and int(expected[-1] + sizes[-1]) == start
    if not (is_possible and fits and totals == (header.postings, header.distinct)):
        raise DamageError(path, "its directory contradicts itself")
    return Directory(rows, ends, sizes)


def _sizes(rows: NDArray[np.uint32], header: SegmentHeader) -> NDArray[np.int64]:
    """Return the bytes of each block: its columns, each padded to 64-bit words."""
    postings, distinct = rows[:, POSTINGS].astype(np.int64), rows[:, DISTINCT].astype(np.int64)
    columns = (
        SLOTS * np.where(distinct < LARGE, 16, 32),
        distinct * (header.width - header.bits - SLOT_BITS),
        postings,
        postings * header.document_width,
        postings * np.minimum(rows[:, PLACE_WIDTH].astype(np.int64), WIDEST_PLACE),
    )
    total = np.zeros(len(rows), np.int64)
    for bits in columns:
        total += (bits + 63) // 64 * 8
    return np.where(postings > 0, total, 0)


LAST_HASH = 2**64 - 1

# Postings that a scan decodes at once: a megabyte, which fits the processor's cache.
SCANNED = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class _Mapped:
    """The bytes of a file, its directory, and a flag for each block that was verified."""

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
        """Map a file, and check all but the blocks."""
        return cls(path, files.map_file(path))

    def close(self) -> None:
        """Release the memory, once no thread reads it any more."""
        self._mapped = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.header.postings

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return len(self._content().data)

    def count(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of postings of each hash. Sorted hashes are fastest."""
        _, counts = self._find(hashes)
        return counts

    def look_up(self, hashes: NDArray[np.uint64], most: int | None = None) -> PostingHits:
        """Return the postings of the hashes, in the order of the hashes; at most the first ``most`` of each.

        Sorted hashes are fastest. A repeated hash is answered each time.
        """
        starts, counts = self._find(hashes)
        wanted = counts if most is None else np.minimum(counts, most)
        header, content = self.header, self._content()
        which, documents, places = native_segments.gather(
            content.data,
            content.directory.rows,
            header.depth,
            header.document_width,
            header.least,
            hashes,
            starts,
            wanted,
        )
        return PostingHits(which, documents, places, counts)

    def forget(self) -> None:
        """Release the pages that were read; the system reads them again when needed."""
        base = self._content().data.base
        mapping = base.obj if isinstance(base, memoryview) else base
        if isinstance(mapping, mmap.mmap):
            mapping.madvise(mmap.MADV_DONTNEED)

    def scan(self, first: int = 0, last: int = LAST_HASH) -> Iterator[Postings]:
        """Return all postings with hashes from ``first`` to ``last``, sorted, in parts. No hash is in two parts."""
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
        """Check every byte, the order of the postings, and that they fit the header."""
        content = self._content()
        _checked(content.data.data, self.path)
        content.verified[:] = 0
        for block in range(self.header.blocks):
            postings = self._decode(block, block + 1)
            if len(postings):
                start, end = content.directory.span(block)
                self._check(block, postings, content.data[start:end])

    def _check(self, block: int, postings: Postings, written: NDArray[np.uint8]) -> None:
        """Encode the block again: there is one encoding, so any difference is damage."""
        header = self.header
        columns = postings.hashes, postings.documents, postings.places
        try:
            again, _, _ = native_segments.encode(*columns, header.depth, header.document_width, header.least)
        except ValueError as error:
            raise DamageError(self.path, f"block {block}: {error}") from error
        if int(postings.documents.max()) > header.greatest or not np.array_equal(again, written):
            raise DamageError(self.path, f"block {block} differs from what was written")

    def _content(self) -> _Mapped:
        if self._mapped is None:
            raise ValueError(f"{self.path}: this segment is closed")
        return self._mapped

    def _find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        header, content = self.header, self._content()
        if len(hashes) and int(hashes.max()) >> header.width:
            raise ValueError(f"{self.path}: a hash has more than {header.width} bits")
        damaged, starts, counts = native_segments.find(
            content.data, content.directory.rows, header.depth, header.document_width, hashes, content.verified
        )
        self._refuse(damaged)
        return starts, counts

    def _decode(self, first: int, last: int) -> Postings:
        header, content = self.header, self._content()
        shape = header.depth, header.document_width, header.least
        damaged, columns = native_segments.decode(
            content.data, content.directory.rows, first, last, *shape, content.verified
        )
        self._refuse(damaged)
        return Postings(*columns)

    def _refuse(self, damaged: int) -> None:
        if damaged >= 0:
            raise DamageError(self.path, f"the checksum of block {damaged} is wrong")


def _checked(data: memoryview, path: Path) -> tuple[SegmentHeader, Directory]:
    """Return the header and the directory of a file, checked."""
    header = read_header(bytes(data[:HEADER_SIZE]), path)
    return header, read_directory(data, directory_start(data, path), header, path)


def _between(part: Postings, first: int, last: int) -> Postings:
    start = np.searchsorted(part.hashes, np.uint64(first), "left")
    end = np.searchsorted(part.hashes, np.uint64(last), "right")
    return part[int(start) : int(end)]
