"""Split a zip file of submissions into submissions and starter code by its directory, without unpacking it."""

import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from whorl.errors import InputError
from whorl.formats.archives.names import decoded, parts

# The records of the format (PKWARE's APPNOTE 4.3).
END = struct.Struct("<4s4H2LH")
CENTRAL = struct.Struct("<4s6H3L5H2L")
LONGEST_COMMENT = 65_535

# Members of a zip file, and bytes of the directory that lists them: beyond a class of any size. Members are counted:
# the number that the file declares may be wrong.
MEMBERS, LONGEST_DIRECTORY = 65_534, 16 << 20

# Submissions that a person can mark on one page: as many as its form may have fields.
CHILDREN = 1900

# What archivers add of themselves; it is nobody's submission.
NOISE = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


class UnsplittableError(InputError):
    """A zip file that a comparison may read, but that cannot be split here."""


@dataclass(frozen=True, slots=True)
class ZipRecord:
    """A member's record in the directory, whole, and the parts of its name; none if the name is refused, for the
    reason in ``fault``."""

    raw: bytes
    parts: tuple[str, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ZipDirectory:
    """Where the directory starts in the file, how many bytes stand before the archive, its records, and the one folder
    at the top, if there is one only: course systems pack a folder."""

    start: int
    shift: int
    records: tuple[ZipRecord, ...]
    wrapper: tuple[str, ...]

    def child(self, record: ZipRecord) -> str:
        """Return the submission that a member belongs to; "" if none."""
        inner = record.parts[len(self.wrapper) :] if record.parts[: len(self.wrapper)] == self.wrapper else ()
        return "" if not inner or inner[0] in NOISE else inner[0]

    @property
    def children(self) -> tuple[str, ...]:
        """The submissions, by name."""
        return tuple(sorted({child for record in self.records if (child := self.child(record))}))

    @property
    def fault(self) -> str:
        """Why the first of the refused names is refused; "" if none is."""
        return next((record.fault for record in self.records if record.fault), "")


def directory(path: Path) -> ZipDirectory:
    """Read the directory of a zip file; raise if it is damaged or cannot be split here."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start, length, shift = _end(file, size, path.name)
        file.seek(start)
        records = tuple(_records(file.read(length), path.name))
    listed = ZipDirectory(start, shift, records, _wrapper(records))
    if len(listed.children) > CHILDREN:
        raise _not_here(path.name)
    return listed


def part(path: Path, listing: ZipDirectory, chosen: frozenset[str], target: Path, *, keep: bool) -> None:
    """Write a copy of a zip file with the chosen children only, or with all but them."""
    records = [record.raw for record in listing.records if (listing.child(record) in chosen) is keep]
    listed = b"".join(records)
    with path.open("rb") as source, target.open("wb") as out:
        _copy(source, out, listing.start)
        out.write(listed)
        count = len(records)
        out.write(END.pack(b"PK\x05\x06", 0, 0, count, count, len(listed), listing.start - listing.shift, 0))


def _copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    shutil.copyfileobj(source, out)
    out.seek(size)
    out.truncate()


def _end(file: BinaryIO, size: int, name: str) -> tuple[int, int, int]:
    """Return the start and the length of the directory, and the size of what precedes the archive."""
    tail_at = max(0, size - LONGEST_COMMENT - END.size)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06", 0, max(0, len(tail) - END.size + 4))
    if at < 0:
        raise InputError(f"{name}: the zip file is damaged or was cut short: pack it again")
    _, disk, first, _, count, length, offset, _ = END.unpack_from(tail, at)
    start = tail_at + at - length
    if disk or first or count > MEMBERS or length > LONGEST_DIRECTORY or start < offset:
        raise _not_here(name)
    return start, length, start - offset


def _wrapper(records: Sequence[ZipRecord]) -> tuple[str, ...]:
    tops = {record.parts[:1] for record in records if record.parts and record.parts[0] not in NOISE}
    inside = any(len(record.parts) > 1 for record in records)
    return next(iter(tops)) if len(tops) == 1 and inside else ()


def _records(listed: bytes, name: str) -> Iterator[ZipRecord]:
    at = count = 0
    while at < len(listed):
        count += 1
        if count > MEMBERS:
            raise _not_here(name)
        if not listed.startswith(b"PK\x01\x02", at) or len(listed) - at < CENTRAL.size:
            raise InputError(f"{name}: the zip file's directory breaks off: pack it again")
        lengths = CENTRAL.unpack_from(listed, at)[10:13]
        end = at + CENTRAL.size + sum(lengths)
        raw_name = listed[at + CENTRAL.size : at + CENTRAL.size + lengths[0]]
        yield _record(listed[at:end], raw_name)
        at = end


def _not_here(name: str) -> UnsplittableError:
    remedy = "unpack it, and upload the starter code separately"
    return UnsplittableError(f"{name}: this zip file cannot be split: {remedy}")


def _record(raw: bytes, name: bytes) -> ZipRecord:
    """Return the record of a member. A name that points out of the archive has no parts: the comparison refuses it."""
    try:
        return ZipRecord(raw, parts(decoded(name, "cp437")))
    except ValueError as error:
        return ZipRecord(raw, (), str(error))
