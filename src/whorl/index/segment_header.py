"""The fixed parts of a segment file: its header and its footer. ``docs/formats/segment.md`` shows every byte.

The blocks between them are the kernel's (``whorl.kernel.twin_segments``).
"""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from whorl import kernel
from whorl.index.faults import DamageError, IndexFormatError
from whorl.kernel.twin_segments import SLOT_BITS

# Version 2 has hashes of fewer than 64 bits. A segment of whole hashes is written as version 1, which all read.
VERSION, WHOLE_VERSION = 2, 1

MAGIC, END_MAGIC = b"WHORLSEG", b"WHORLEND"

# Magic, version, zeros, scheme, key, postings, distinct hashes, least and greatest document, bits, document width, 64
# less the bits of a hash, zeros; then the checksum of all that. Every version of the format begins with 124 bytes and
# their checksum.
_HEADER = struct.Struct("<8sI4x32s32sQQIIBBB17x")
HEADER_SIZE = _HEADER.size + 4

# Where the directory begins, the length of the file, the checksum of header and directory; then the checksum of the
# footer so far, and the magic.
_FOOTER = struct.Struct("<QQI")
FOOTER_SIZE = _FOOTER.size + 4 + len(END_MAGIC)

# Ids are short names in ASCII; a longer one would be cut.
LONGEST_ID = 32

# A block of 1,024 postings is what a look-up may have to verify and a scan decodes at once: about 9 kB.
USUAL_BLOCK = 1024

# More blocks than this many bits count would make a directory that no machine of today needs.
MOST_BITS = 32

# Bits of a whole hash, and the fewest that one may have: below that nearly all documents would share some.
WHOLE, LEAST_WIDTH = 64, 16


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    """What a segment is made of and how it is laid out. A hash has ``width`` bits: it is below 2^width."""

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
        """How many blocks the range of hashes is divided into."""
        return 1 << self.bits

    @property
    def depth(self) -> int:
        """Bits by which the kernel tells blocks apart: it knows whole hashes only, so it is told of all the blocks that
        2^64 hashes would have. Those past the last of ours would be empty, and are not there."""
        return self.bits + WHOLE - self.width

    @property
    def version(self) -> int:
        """The oldest version of the format that can say this."""
        return WHOLE_VERSION if self.width == WHOLE else VERSION

    @property
    def document_width(self) -> int:
        """Bits of a document, less the least one."""
        return (self.greatest - self.least).bit_length()

    def pack(self) -> bytes:
        """The bytes at the beginning of the file."""
        packed = _HEADER.pack(
            MAGIC, self.version, self.scheme.encode("latin-1"), self.key.encode("latin-1"), self.postings,
            self.distinct, self.least, self.greatest, self.bits, self.document_width, WHOLE - self.width,
        )  # fmt: skip
        return packed + checksum(packed).to_bytes(4, "little")


def bits_for(postings: int, width: int = WHOLE) -> int:
    """Bits that divide this many postings into blocks of about the usual size; the slots take some of a hash's own."""
    # The nearest power of two: a block has between 0.71 and 1.41 times the usual size, on average.
    return min(max(0, (postings * 1414 // (USUAL_BLOCK * 1000)).bit_length() - 1), MOST_BITS, width - SLOT_BITS)


def checksum(*parts: bytes | memoryview) -> int:
    """The checksum of the parts, one after the other."""
    total = 0
    for part in parts:
        total = kernel.segments().checksum(np.frombuffer(part, np.uint8), total)
    return total


def read_header(data: bytes, path: Path) -> SegmentHeader:
    """The header in the first bytes of a file."""
    if len(data) < HEADER_SIZE or data[: len(MAGIC)] != MAGIC:
        raise DamageError(path, "it does not begin as a segment does")
    packed, told = data[: _HEADER.size], int.from_bytes(data[_HEADER.size : HEADER_SIZE], "little")
    if checksum(packed) != told:
        raise DamageError(path, "the checksum of its header is wrong")
    version = int.from_bytes(packed[len(MAGIC) : len(MAGIC) + 4], "little")
    if version > VERSION:
        raise IndexFormatError(
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
    """The bytes at the end of a file whose directory begins at ``start``."""
    length = start + len(directory) + FOOTER_SIZE
    packed = _FOOTER.pack(start, length, checksum(header, directory))
    return packed + checksum(packed).to_bytes(4, "little") + END_MAGIC


def directory_start(data: memoryview, path: Path) -> int:
    """Where the directory begins, once the footer and all that it covers were found right."""
    footer = bytes(data[-FOOTER_SIZE:])
    packed, told = footer[: _FOOTER.size], int.from_bytes(footer[_FOOTER.size : _FOOTER.size + 4], "little")
    if len(data) < HEADER_SIZE + FOOTER_SIZE or footer[-len(END_MAGIC) :] != END_MAGIC or checksum(packed) != told:
        raise DamageError(path, "it does not end as a segment does")
    start, length, covered = _FOOTER.unpack(packed)
    if length != len(data) or not HEADER_SIZE <= start <= length - FOOTER_SIZE:
        raise DamageError(path, f"it has {len(data)} bytes and should have {length}")
    if checksum(data[:HEADER_SIZE], data[start:-FOOTER_SIZE]) != covered:
        raise DamageError(path, "the checksum of its directory is wrong")
    return int(start)
