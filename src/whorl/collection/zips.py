"""Zip archives: the directory at the end, and one member at a time.

The format is read here and not by ``zipfile``, which up to Python 3.11.7 does not notice members that overlap, gives up
a whole archive for one name that is not UTF-8, and unpacks bzip2 without a bound.
"""

import bz2
import io
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import BinaryIO

from whorl.collection.budget import Budget
from whorl.collection.faults import RefusedError, damage, reason
from whorl.collection.files import special
from whorl.collection.members import Listed, Member
from whorl.collection.names import decoded, parts

# The records of the format (PKWARE's APPNOTE 4.3), without their signatures where those are searched for.
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_SIZE = 20
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 65_535

_STORED, _DEFLATED, _BZIPPED = 0, 8, 12
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # members, strongly, and the directory itself
_UNKNOWN32 = 0xFFFFFFFF  # "see the zip64 field"
_ZIP64 = 1
_BLOCK = 1 << 14  # what is decompressed at once: it can grow to 17 MB, and the loop costs nothing

_OFFICE_OPEN = {("[Content_Types].xml",), ("_rels", ".rels")}


@dataclass(frozen=True, slots=True)
class ZipMember(Member):
    """A member: where its local header is, and where its data must end at the latest."""

    raw: bytes
    packed: int
    method: int
    crc: int
    end: int


class ZipArchive:
    """An open zip file."""

    def __init__(self, file: BinaryIO, size: int, budget: Budget) -> None:
        self._file = file
        self._size = size
        self._budget = budget

    def listing(self) -> Iterator[ZipMember | Listed]:
        """The directory. Where each member must end is known only when all are: the next one begins there."""
        start, size, shift = self._directory()
        found = list(self._central(start, size, shift))
        starts = sorted((at, index) for index, (at, _) in enumerate(found) if at >= 0)
        ends = {index: end for (_, index), (end, _) in pairwise([*starts, (start, 0)])}
        for index, (_, item) in enumerate(found):
            yield replace(item, end=ends[index]) if isinstance(item, ZipMember) else item

    def read(self, members: Iterable[ZipMember]) -> Iterator[tuple[ZipMember, bytes | RefusedError]]:
        """In any order: a zip file can be read anywhere."""
        for member in members:
            try:
                yield member, self._content(member)
            except RefusedError as refusal:
                yield member, refusal
            except damage() as error:
                yield member, RefusedError(f"damaged: {reason(error)}")

    def note(self, member: ZipMember, most: int) -> bytes:
        """A small member."""
        if member.size > most:
            raise RefusedError(f"more than {most:,} bytes")
        content = next(self.read([member]))[1]
        if isinstance(content, RefusedError):
            raise content
        return content

    def _directory(self) -> tuple[int, int, int]:
        """Where the directory starts, its size, and how many bytes were put before the archive (a program, say)."""
        tail_at = max(0, self._size - _LONGEST_COMMENT - _END.size - _LOCATOR_SIZE - _END64.size)
        self._file.seek(tail_at)
        tail = self._file.read(self._size - tail_at)
        at = tail.rfind(b"PK\x05\x06", 0, max(0, len(tail) - _END.size + 4))
        if at < 0:
            raise RefusedError("damaged: the zip file has no directory at its end; it may have been cut short")
        _, disk, first, _, _, size, offset, _ = _END.unpack_from(tail, at)
        at64 = at - _LOCATOR_SIZE - _END64.size
        if at64 >= 0 and tail.startswith(b"PK\x06\x06", at64) and tail.startswith(b"PK\x06\x07", at - _LOCATOR_SIZE):
            *_, disk, first, _, _, size, offset = _END64.unpack_from(tail, at64)
            at = at64
        if disk or first:
            raise RefusedError("refused: one part of a zip file that was split")
        start = tail_at + at - size
        if start < 0 or start < offset:
            raise RefusedError("damaged: the zip file's directory is not where its end says")
        return start, size, start - offset

    def _central(self, start: int, size: int, shift: int) -> Iterator[tuple[int, ZipMember | Listed]]:
        """Each record of the directory with the place of its local header, or -1."""
        self._file.seek(start)
        left = size
        while left > 0:
            record = self._file.read(_CENTRAL.size)
            if len(record) < _CENTRAL.size or not record.startswith(b"PK\x01\x02"):
                yield -1, Listed("", refused="damaged: the zip file's directory breaks off; the rest is not listed")
                return
            fields = _CENTRAL.unpack(record)
            lengths = fields[10:13]
            rest = self._file.read(sum(lengths))
            left -= _CENTRAL.size + sum(lengths)
            self._budget.enter(rest[: lengths[0]])
            yield _entry(fields, rest[: lengths[0]], rest[lengths[0] : lengths[0] + lengths[1]], shift)

    def _content(self, member: ZipMember) -> bytes:
        self._budget.check_member(member.size, member.packed)
        begin = self._data_start(member)
        if begin + member.packed > member.end:
            raise RefusedError("refused: it overlaps another member of the zip file")
        self._budget.spend(member.size)
        self._file.seek(begin)
        content = _unpacked(self._blocks(member.packed), member)
        if len(content) != member.size:
            raise RefusedError("damaged: shorter than the zip file says")
        if zlib.crc32(content) != member.crc:
            raise RefusedError("damaged: its checksum is wrong")
        return content

    def _data_start(self, member: ZipMember) -> int:
        """Behind the local header, which must be of the same member."""
        if member.at > self._size:
            raise RefusedError("damaged: it is not where the zip file says")
        self._file.seek(member.at)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
            raise RefusedError("damaged: it is not where the zip file says")
        name_length: int
        extra_length: int
        *_, name_length, extra_length = _LOCAL.unpack(header)
        if self._file.read(name_length) != member.raw:
            raise RefusedError("damaged: the zip file has two names for it")
        return member.at + _LOCAL.size + name_length + extra_length

    def _blocks(self, size: int) -> Iterator[bytes]:
        while size > 0:
            block = self._file.read(min(size, _BLOCK))
            if not block:
                raise RefusedError("damaged: it breaks off")
            size -= len(block)
            yield block


def is_document(members: Iterable[Member]) -> bool:
    """Whether a zip file is an office file or an EPUB without its usual name.

    Office Open XML has two parts that are always there; OpenDocument and EPUB begin with a ``mimetype``, uncompressed.
    """
    known = list(members)
    first = min(known, key=lambda member: member.at, default=None)
    if isinstance(first, ZipMember) and first.parts == ("mimetype",) and first.method == _STORED:
        return True
    return {member.parts for member in known} >= _OFFICE_OPEN


def _entry(fields: tuple[int, ...], raw: bytes, extra: bytes, shift: int) -> tuple[int, ZipMember | Listed]:
    flags, method, crc, packed, size = fields[3], fields[4], *fields[7:10]
    try:
        size, packed, offset = _zip64(extra, size, packed, fields[16])
    except struct.error:
        return -1, Listed(decoded(raw, "cp437"), refused="damaged: its zip64 field is too short")
    name = decoded(raw, "cp437")
    fault = _fault(flags, method, fields[15] >> 16)
    try:
        path = parts(name)
    except ValueError as error:
        return offset + shift, Listed(name, refused=str(error))
    if fault and not name.endswith("/"):
        return offset + shift, Listed(name, path, fault)
    if name.endswith("/") or not path:
        return offset + shift, Listed(name, path)
    return offset + shift, ZipMember(path, offset + shift, size, raw, packed, method, crc, 0)


def _fault(flags: int, method: int, mode: int) -> str:
    if refused := special(mode):
        return refused
    if flags & _ENCRYPTED:
        return "encrypted"
    return "" if method in (_STORED, _DEFLATED, _BZIPPED) else f"compressed by a method that is not known ({method})"


def _zip64(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The three numbers; those that did not fit 32 bits are in a field of their own, in this order."""
    if _UNKNOWN32 not in (size, packed, offset):
        return size, packed, offset
    wide = iter(_wide_numbers(extra, sum(number == _UNKNOWN32 for number in (size, packed, offset))))
    found = [next(wide) if number == _UNKNOWN32 else number for number in (size, packed, offset)]
    return found[0], found[1], found[2]


def _wide_numbers(extra: bytes, count: int) -> tuple[int, ...]:
    at = 0
    while count and at + 4 <= len(extra):
        identity, length = struct.unpack_from("<2H", extra, at)
        if identity == _ZIP64:
            return struct.unpack_from(f"<{count}Q", extra[: at + 4 + length], at + 4)
        at += 4 + length
    return (_UNKNOWN32,) * count


def _unpacked(blocks: Iterator[bytes], member: ZipMember) -> bytes:
    """What blocks unpack to: never more than one byte above what the directory promises."""
    if member.method == _STORED:
        if member.packed != member.size:
            raise RefusedError("damaged: stored, and yet of two sizes")
        return b"".join(blocks)
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == _DEFLATED else bz2.BZ2Decompressor()
    content = io.BytesIO()  # gives its bytes away without a copy
    for block in blocks:
        content.write(unpacker.decompress(block, member.size - content.tell() + 1))
        if content.tell() > member.size:
            raise RefusedError("damaged: longer than the zip file says")
        if unpacker.eof:
            return content.getvalue()
    raise RefusedError("damaged: it breaks off")
