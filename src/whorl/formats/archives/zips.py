"""Zip archives: the directory at the end, and one member at a time.

``zipfile`` is not used: up to Python 3.11.7 it does not notice overlapping members, gives up a whole archive for one
name that is not UTF-8, and unpacks bzip2 without a bound.
"""

import bz2
import io
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import BinaryIO

from whorl.formats.archives.names import RefusedFileError, damage, decoded, parts, reason, special
from whorl.formats.archives.rules import ArchiveMember, Budget, Listed

# The records of the format (PKWARE's APPNOTE 4.3), without their signatures where those are searched for.
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_SIZE = 20
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 65_535

STORED, DEFLATED, _BZIPPED = 0, 8, 12
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # members, strongly, and the directory itself
_UNKNOWN32 = 0xFFFFFFFF  # "see the zip64 field"
_ZIP64 = 1
_BLOCK = 1 << 14  # what is decompressed at once: it can grow to 17 MB, and the loop costs nothing

_OFFICE_OPEN = {("[Content_Types].xml",), ("_rels", ".rels")}


@dataclass(frozen=True, slots=True)
class ZipMember(ArchiveMember):
    """A member: the offset of its local header, and where its data must end."""

    raw: bytes
    packed: int
    method: int
    crc: int
    end: int

    @property
    def overlaps(self) -> bool:
        """Whether its header and data reach into the next member."""
        return self.at + _LOCAL.size + self.packed > self.end


class ZipArchive:
    def __init__(self, file: BinaryIO, size: int, budget: Budget) -> None:
        self._file = file
        self._size = size
        self._budget = budget

    def listing(self) -> Iterator[ZipMember | Listed]:
        """Yield the directory. A member must end where the next one begins, so all records are read first."""
        start, size, shift = self._directory()
        entries = list(self._central(start, size, shift))
        starts = sorted((at, index) for index, (at, _) in enumerate(entries) if at >= 0)
        ends = {index: end for (_, index), (end, _) in pairwise([*starts, (start, 0)])}
        for index, (_, item) in enumerate(entries):
            yield replace(item, end=ends[index]) if isinstance(item, ZipMember) else item

    def read(self, members: Iterable[ZipMember]) -> Iterator[tuple[ZipMember, bytes | RefusedFileError]]:
        """Yield members in the given order."""
        for member in members:
            try:
                yield member, self._content(member)
            except RefusedFileError as refusal:
                yield member, refusal
            except damage() as error:
                yield member, RefusedFileError(f"damaged: {reason(error)}")

    def read_small(self, member: ZipMember, most: int) -> bytes:
        """Return a member of at most ``most`` bytes."""
        if member.size > most:
            raise RefusedFileError(f"more than {most:,} bytes")
        content = next(self.read([member]))[1]
        if isinstance(content, RefusedFileError):
            raise content
        return content

    def _directory(self) -> tuple[int, int, int]:
        """Return where the directory starts, its size, and the length of what precedes the archive (a program, say)."""
        tail_at = max(0, self._size - _LONGEST_COMMENT - _END.size - _LOCATOR_SIZE - _END64.size)
        self._file.seek(tail_at)
        tail = self._file.read(self._size - tail_at)
        at = tail.rfind(b"PK\x05\x06", 0, max(0, len(tail) - _END.size + 4))
        if at < 0:
            raise RefusedFileError("damaged: the zip file has no directory at its end; it may have been cut short")
        _, disk, first, _, _, size, offset, _ = _END.unpack_from(tail, at)
        at64 = at - _LOCATOR_SIZE - _END64.size
        if at64 >= 0 and tail.startswith(b"PK\x06\x06", at64) and tail.startswith(b"PK\x06\x07", at - _LOCATOR_SIZE):
            *_, disk, first, _, _, size, offset = _END64.unpack_from(tail, at64)
            at = at64
        if disk or first:
            raise RefusedFileError("refused: a part of a split zip file")
        start = tail_at + at - size
        if start < 0 or start < offset:
            raise RefusedFileError("damaged: the zip file's directory is not where its end says")
        return start, size, start - offset

    def _central(self, start: int, size: int, shift: int) -> Iterator[tuple[int, ZipMember | Listed]]:
        """Yield each record of the directory with the offset of its local header, or -1."""
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

    def blocks(self, member: ZipMember) -> Iterator[bytes]:
        """Unpack a member block by block; check its size and checksum at the end. Does not use the budget."""
        self._seek_data(member)
        yield from self._verified(member)

    def _content(self, member: ZipMember) -> bytes:
        self._budget.check_member(member.size, member.packed)
        self._seek_data(member)
        self._budget.spend(member.size)
        content = io.BytesIO()  # returns its bytes without a copy
        for block in self._verified(member):
            content.write(block)
        return content.getvalue()

    def _seek_data(self, member: ZipMember) -> None:
        begin = self._data_start(member)
        if begin + member.packed > member.end:
            raise RefusedFileError("refused: it overlaps another member of the zip file")
        self._file.seek(begin)

    def _verified(self, member: ZipMember) -> Iterator[bytes]:
        size = crc = 0
        for block in _unpacked(self._packed_blocks(member.packed), member):
            size += len(block)
            crc = zlib.crc32(block, crc)
            yield block
        if size != member.size:
            raise RefusedFileError("damaged: shorter than the zip file says")
        if crc != member.crc:
            raise RefusedFileError("damaged: its checksum is wrong")

    def _data_start(self, member: ZipMember) -> int:
        """Return where a member's data begin: after the local header, which must name the same member."""
        if member.at > self._size:
            raise RefusedFileError("damaged: it is not where the zip file says")
        self._file.seek(member.at)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
            raise RefusedFileError("damaged: it is not where the zip file says")
        name_length: int
        extra_length: int
        *_, name_length, extra_length = _LOCAL.unpack(header)
        if self._file.read(name_length) != member.raw:
            raise RefusedFileError("damaged: the zip file has two names for it")
        return member.at + _LOCAL.size + name_length + extra_length

    def _packed_blocks(self, size: int) -> Iterator[bytes]:
        while size > 0:
            block = self._file.read(min(size, _BLOCK))
            if not block:
                raise RefusedFileError("damaged: it breaks off")
            size -= len(block)
            yield block


def is_document(members: Iterable[ArchiveMember]) -> bool:
    """Return whether a zip file is an office file or an EPUB without its usual name.

    Office Open XML always has two parts; OpenDocument and EPUB begin with an uncompressed ``mimetype``.
    """
    known = list(members)
    first = min(known, key=lambda member: member.at, default=None)
    if isinstance(first, ZipMember) and first.parts == ("mimetype",) and first.method == STORED:
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
    return "" if method in (STORED, DEFLATED, _BZIPPED) else f"unknown compression method ({method})"


def _zip64(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Return the three numbers. Those that exceed 32 bits are in a separate field, in this order."""
    if _UNKNOWN32 not in (size, packed, offset):
        return size, packed, offset
    wide = iter(_wide_numbers(extra, sum(number == _UNKNOWN32 for number in (size, packed, offset))))
    numbers = [next(wide) if number == _UNKNOWN32 else number for number in (size, packed, offset)]
    return numbers[0], numbers[1], numbers[2]


def _wide_numbers(extra: bytes, count: int) -> tuple[int, ...]:
    at = 0
    while count and at + 4 <= len(extra):
        identity, length = struct.unpack_from("<2H", extra, at)
        if identity == _ZIP64:
            return struct.unpack_from(f"<{count}Q", extra[: at + 4 + length], at + 4)
        at += 4 + length
    return (_UNKNOWN32,) * count


def _unpacked(blocks: Iterator[bytes], member: ZipMember) -> Iterator[bytes]:
    """Unpack blocks: never more than one byte above the size that the directory states."""
    if member.method == STORED:
        if member.packed != member.size:
            raise RefusedFileError("damaged: stored, but with two sizes")
        yield from blocks
        return
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == DEFLATED else bz2.BZ2Decompressor()
    size = 0
    for packed in blocks:
        block = unpacker.decompress(packed, member.size - size + 1)
        size += len(block)
        if size > member.size:
            raise RefusedFileError("damaged: longer than the zip file says")
        yield block
        if unpacker.eof:
            return
    raise RefusedFileError("damaged: it breaks off")
