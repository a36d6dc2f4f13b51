"""The bytes of a saved sketch. ``docs/formats/sketch.md`` shows every one of them."""

import struct

import numpy as np

from whorl import kernel
from whorl.model import Hashes
from whorl.sketches.faults import SketchFormatError
from whorl.sketches.rules import RULES

VERSION = 1

MAGIC = b"WHORLSKT"

# Magic, version, kind, level, zeros, scheme, key, size, shingles, number of hashes.
_HEADER = struct.Struct("<8sIBB2x32s32sQQQ")

LONGEST_ID = 32

CHECKSUM_SIZE = 4

# A kind is stored as its place in this row; new kinds go to its end.
KINDS = tuple(RULES)


def pack(kind: str, level: int, scheme: str, key: str, size: int, shingles: int, hashes: Hashes) -> bytes:
    """All that a sketch has, in one way only."""
    header = _HEADER.pack(
        MAGIC, VERSION, KINDS.index(kind), level, scheme.encode(), key.encode(), size, shingles, len(hashes)
    )
    packed = header + hashes.astype("<u8").tobytes()
    return packed + _checksum(packed)


def unpack(data: bytes) -> tuple[str, int, str, str, int, int, Hashes]:
    """What was packed: kind, level, scheme, key, size, shingles and hashes."""
    if len(data) < _HEADER.size + CHECKSUM_SIZE or data[: len(MAGIC)] != MAGIC:
        raise SketchFormatError("not a sketch: it does not begin as one does; give bytes that Sketch.to_bytes made")
    packed, told = data[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if _checksum(packed) != told:
        raise SketchFormatError("damaged sketch: its checksum is wrong; make it again from the document")
    _, version, kind, level, scheme, key, size, shingles, count = _HEADER.unpack_from(packed)
    if version > VERSION:
        raise SketchFormatError(
            f"sketch format {version} is newer than this Whorl, which reads up to {VERSION}: update Whorl"
        )
    hashes = np.frombuffer(packed, "<u8", offset=_HEADER.size) if len(packed) == _HEADER.size + 8 * count else None
    if version != VERSION or hashes is None or kind >= len(KINDS) or not (scheme + key).isascii():
        raise _contradiction()
    found = KINDS[kind], level, _text(scheme), _text(key), size, shingles, hashes.astype(np.uint64)
    if pack(*found) != data:
        raise _contradiction()
    return found


def _contradiction() -> SketchFormatError:
    return SketchFormatError("damaged sketch: its header contradicts itself; make it again from the document")


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii")


def _checksum(data: bytes) -> bytes:
    total: int = kernel.segments().checksum(np.frombuffer(data, np.uint8), 0)
    return total.to_bytes(CHECKSUM_SIZE, "little")
