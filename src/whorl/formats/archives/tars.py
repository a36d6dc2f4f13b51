"""Tar archives, plain or compressed, read forwards: once for the directory, once for the members."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from whorl.formats.archives import gitignore
from whorl.formats.archives.decompression import ByteStream
from whorl.formats.archives.kinds import header_sum
from whorl.formats.archives.names import BrokenError, RefusedFileError, broken, decoded, parts, reason
from whorl.formats.archives.rules import ArchiveMember, Budget, Listed

BLOCK = 512
# Bytes of one extended header. A name has at most 4,096; the rest is attributes that Macs add, some hundred kilobytes.
LONGEST = 1 << 20

EXTENDED = {b"x": "pax", b"X": "pax", b"g": "global", b"L": "name", b"K": "link"}
REGULAR = (b"0", b"\x00", b"7")
_REFUSED = {
    b"1": "refused: a hard link",
    b"2": "refused: a symbolic link",
    b"3": "refused: a device",
    b"4": "refused: a device",
    b"6": "refused: a pipe",
    b"S": "refused: a sparse file",
    b"M": "refused: a part of a split file",
}


@dataclass(frozen=True, slots=True)
class Header:
    """A parsed header block."""

    kind: bytes
    name: bytes
    size: int
    goes_on: bool = False
    """Whether a map of holes goes on in the blocks that follow (GNU's old sparse files)."""

    def is_folder(self, name: bytes) -> bool:
        """Return whether it is a folder. Old archives mark a folder by a slash at the end of its name, which may come
        from an extended header."""
        return self.kind == b"5" or (self.kind in REGULAR and name.endswith(b"/"))

    @property
    def refused(self) -> str:
        """Why it is not read; "" for a regular file."""
        return "" if self.kind in REGULAR else _REFUSED.get(self.kind, "refused: an unknown type of entry")


def header(block: bytes) -> Header:
    """Parse a header block; raise ``BrokenError`` if it is none."""
    if len(block) < BLOCK or not header_sum(block):
        raise BrokenError("its checksum is wrong")
    name, prefix = _text(block[:100]), b""
    if block[257:263] == b"ustar\x00":  # GNU's own format keeps other things there
        prefix = _text(block[345:500])
    kind = block[156:157]
    path = prefix + b"/" + name if prefix else name
    return Header(kind, path, number(block[124:136]), kind == b"S" and block[482] != 0)


def number(field: bytes) -> int:
    """Parse octal digits or, for large numbers, a big-endian integer behind a set bit."""
    if field[0] & 0x80:
        value = int.from_bytes(field, "big", signed=False) - (0x80 << (8 * (len(field) - 1)))
        if field[0] & 0x40 or value >= 1 << 63:
            raise BrokenError("its size is impossible")
        return value
    digits = _text(field).strip(b" ")
    if not all(0x30 <= byte <= 0x37 for byte in digits):
        raise BrokenError("its size is no number")
    return int(digits or b"0", 8)


def records(data: bytes) -> dict[bytes, bytes]:
    """Parse the records of a pax header (``length key=value``, one a line) up to the first malformed one."""
    fields: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        blank = data.find(b" ", at, at + 20)  # no length has more digits
        if blank < 0 or not data[at:blank].isdigit():
            break
        end = at + int(data[at:blank])
        key, equals, value = data[blank + 1 : end - 1].partition(b"=")
        if not equals or end <= blank or end > len(data):
            break
        fields[key] = value
        at = end
    return fields


def name_of(raw: bytes) -> str:
    """Decode a name as UTF-8, else as Latin-1, in which every byte is a character."""
    return decoded(raw, "latin-1")


def _text(field: bytes) -> bytes:
    return field.partition(b"\x00")[0]


_STEP = 1 << 18  # what is read at once where data are passed over
# Bytes of .gitignore files that are kept from the first pass: hundreds of the largest that hold.
_NOTES = 4 << 20


class TarArchive:
    """A tar archive; ``start`` opens it at its beginning, as often as it is called."""

    def __init__(self, start: Callable[[], ByteStream], budget: Budget) -> None:
        self._start = start
        self._budget = budget
        self._notes: dict[int, bytes] = {}
        self._noted = 0

    def listing(self) -> Iterator[ArchiveMember | Listed]:
        """Yield every member. Damage ends the listing; members before it are kept."""
        stream = _TarStream(self._start(), self._budget)
        try:
            yield from self._headers(stream)
        except broken() as error:
            yield Listed("", refused=f"damaged at byte {stream.at:,}: {reason(error)}; the rest was not read")

    def read(self, members: Iterable[ArchiveMember]) -> Iterator[tuple[ArchiveMember, bytes | RefusedFileError]]:
        """Yield the members in the archive's order, whatever the order of ``members``."""
        stream = _TarStream(self._start(), None)
        for member in sorted(members, key=lambda member: member.at):
            try:
                self._budget.check_member(member.size)
                stream.skip(member.at - stream.at)
                content = stream.take(member.size)
            except RefusedFileError as refusal:
                yield member, refusal
            except broken() as error:
                yield member, RefusedFileError(f"damaged: {reason(error)}")
            else:
                yield member, content

    def read_small(self, member: ArchiveMember, most: int) -> bytes:
        """Return a .gitignore that was kept in the first pass."""
        if member.at not in self._notes:
            raise RefusedFileError(f"more than {most:,} bytes, or too many of them")
        return self._notes[member.at]

    def _headers(self, stream: "_TarStream") -> Iterator[ArchiveMember | Listed]:
        lasting: dict[bytes, bytes] = {}
        while (described := self._next(stream, lasting)) is not None:
            self._budget.enter(described.name)
            listed = _entry(described, stream.at)
            data, padding = described.size, -described.size % BLOCK
            if isinstance(listed, ArchiveMember) and self._is_note(listed):
                self._notes[listed.at] = stream.take(data)
                data = 0
            yield listed
            stream.skip(data + padding)

    def _is_note(self, member: ArchiveMember) -> bool:
        wanted = member.parts[-1] == gitignore.NAME and member.size <= gitignore.MOST
        self._noted += member.size if wanted else 0
        return wanted and self._noted <= _NOTES

    def _next(self, stream: "_TarStream", lasting: dict[bytes, bytes]) -> "_DescribedMember | None":
        """Return the next member with its extended headers applied; None at the end mark."""
        extended = dict(lasting)
        while True:
            block = stream.take(BLOCK, may_end=True)
            if not block:
                raise BrokenError("it ends without an end mark")
            if not any(block):
                return None
            read = header(block)
            if read.kind not in EXTENDED:
                _pass_map(stream, read.goes_on)
                return _describe(read, extended)
            if read.size > LONGEST:
                raise BrokenError(f"an extended header of {read.size:,} bytes")
            data = stream.take(read.size)
            stream.skip(-read.size % BLOCK)
            _remember(EXTENDED[read.kind], data, extended, lasting)


@dataclass(frozen=True, slots=True)
class _DescribedMember:
    """A member as all its headers together describe it."""

    header: Header
    name: bytes
    size: int
    sparse: bool


@dataclass(slots=True)
class _TarStream:
    """A stream and its position. With a budget, every byte read is counted."""

    stream: ByteStream
    budget: Budget | None
    at: int = field(default=0)

    def take(self, size: int, may_end: bool = False) -> bytes:
        """Return exactly ``size`` bytes; none if the stream ends here and ``may_end`` is set."""
        content = io.BytesIO()  # gives its bytes away without a copy
        while content.tell() < size:
            block = self._read(min(size - content.tell(), _STEP))
            if not block and may_end and not content.tell():
                return b""
            if not block:
                raise BrokenError("it breaks off")
            content.write(block)
        return content.getvalue()

    def skip(self, size: int) -> None:
        """Skip ``size`` bytes."""
        if size < 0:
            raise BrokenError("two of its members overlap")
        while size > 0:
            block = self._read(min(size, _STEP))
            if not block:
                raise BrokenError("it breaks off")
            size -= len(block)

    def _read(self, size: int) -> bytes:
        block = self.stream.read(size)
        self.at += len(block)
        if self.budget is not None:
            self.budget.spend(len(block))
        return block


def _pass_map(stream: _TarStream, goes_on: bool) -> None:
    """Skip the sparse map behind a header: each block says whether another follows."""
    while goes_on:
        goes_on = stream.take(BLOCK)[504] != 0


def _remember(kind: str, data: bytes, extended: dict[bytes, bytes], lasting: dict[bytes, bytes]) -> None:
    if kind == "name":
        extended[b"path"] = data.partition(b"\x00")[0]
    elif kind in ("pax", "global"):
        wanted = {key: value for key, value in records(data).items() if _matters(key)}
        extended.update(wanted)
        if kind == "global":
            lasting.update(wanted)


def _matters(key: bytes) -> bool:
    return key in (b"path", b"size") or key.startswith(b"GNU.sparse.")


def _describe(read: Header, extended: dict[bytes, bytes]) -> _DescribedMember:
    stated = extended.get(b"size", b"")
    if stated and not (stated.isdigit() and len(stated) < 20):
        raise BrokenError("the size in an extended header is no number")
    sparse = any(key.startswith(b"GNU.sparse.") for key in extended)
    # Only regular files have data, whatever the header says: a hard link repeats the size of its target.
    size = (int(stated) if stated else read.size) if read.kind not in (b"1", b"2", b"3", b"4", b"5", b"6") else 0
    return _DescribedMember(read, extended.get(b"path") or read.name, size, sparse)


def _entry(described: _DescribedMember, at: int) -> ArchiveMember | Listed:
    name = name_of(described.name)
    try:
        path = parts(name)
    except ValueError as error:
        return Listed(name, refused=str(error))
    if described.header.is_folder(described.name) or not path:
        return Listed(name, path)
    fault = "refused: a sparse file" if described.sparse else described.header.refused
    return Listed(name, path, fault) if fault else ArchiveMember(path, at, described.size)
