"""A zip file of submissions of which some are the template: told apart by its directory, without unpacking anything.

Course systems pack what was handed in together with what was handed out. The parts of a zip file are listed by its
directory alone; two copies with shorter directories are then the submissions and the template. What a member unpacks to
is the comparison's to limit.
"""

import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from whorl.collection.names import decoded, parts
from whorl.errors import InputError

# The records of the format (PKWARE's APPNOTE 4.3).
END = struct.Struct("<4s4H2LH")
CENTRAL = struct.Struct("<4s6H3L5H2L")
LONGEST_COMMENT = 65_535

# Names of the directory that are looked at: beyond a class of any size.
MEMBERS = 65_534

# What archivers add of themselves; it is nobody's submission.
NOISE = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class Record:
    """A member's record in the directory, whole, and the parts of its name; none if the name is refused."""

    raw: bytes
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Directory:
    """Where the directory starts in the file, how many bytes stand before the archive, and its records."""

    start: int
    shift: int
    records: tuple[Record, ...]

    @property
    def wrapper(self) -> tuple[str, ...]:
        """The one folder at the top, if there is one only: course systems pack a folder."""
        tops = {record.parts[:1] for record in self.records if record.parts and record.parts[0] not in NOISE}
        inside = any(len(record.parts) > 1 for record in self.records)
        return next(iter(tops)) if len(tops) == 1 and inside else ()

    def child(self, record: Record) -> str:
        """The submission that a member belongs to; "" if to none."""
        inner = record.parts[len(self.wrapper) :] if record.parts[: len(self.wrapper)] == self.wrapper else ()
        return "" if not inner or inner[0] in NOISE else inner[0]

    @property
    def children(self) -> tuple[str, ...]:
        """The submissions, by name."""
        return tuple(sorted({child for record in self.records if (child := self.child(record))}))


def directory(path: Path) -> Directory:
    """The directory of a zip file; raises if it cannot be told apart here."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start, length, shift = _end(file, size, path.name)
        file.seek(start)
        return Directory(start, shift, tuple(_records(file.read(length), path.name)))


def part(path: Path, found: Directory, chosen: frozenset[str], target: Path, *, keep: bool) -> None:
    """A copy of a zip file with the chosen children only, or with all but them."""
    records = [record.raw for record in found.records if (found.child(record) in chosen) is keep]
    listed = b"".join(records)
    with path.open("rb") as source, target.open("wb") as out:
        _copy(source, out, found.start)
        out.write(listed)
        count = len(records)
        out.write(END.pack(b"PK\x05\x06", 0, 0, count, count, len(listed), found.start - found.shift, 0))


def _copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    shutil.copyfileobj(source, out)
    out.seek(size)
    out.truncate()


def _end(file: BinaryIO, size: int, name: str) -> tuple[int, int, int]:
    """Where the directory starts, its length, and what was put before the archive."""
    tail_at = max(0, size - LONGEST_COMMENT - END.size)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06", 0, max(0, len(tail) - END.size + 4))
    if at < 0:
        raise InputError(f"{name}: the zip file is damaged or was cut short: pack it again")
    _, disk, first, _, count, length, offset, _ = END.unpack_from(tail, at)
    start = tail_at + at - length
    if disk or first or count > MEMBERS or start < offset:
        raise InputError(
            f"{name}: this zip file cannot be told apart here: unpack it, and give the template as a file of its own"
        )
    return start, length, start - offset


def _records(listed: bytes, name: str) -> Iterator[Record]:
    at = 0
    while at < len(listed):
        if not listed.startswith(b"PK\x01\x02", at) or len(listed) - at < CENTRAL.size:
            raise InputError(f"{name}: the zip file's directory breaks off: pack it again")
        lengths = CENTRAL.unpack_from(listed, at)[10:13]
        end = at + CENTRAL.size + sum(lengths)
        raw_name = listed[at + CENTRAL.size : at + CENTRAL.size + lengths[0]]
        yield Record(listed[at:end], _parts(raw_name))
        at = end


def _parts(raw: bytes) -> tuple[str, ...]:
    """The parts of a name; none of one that points out of the archive, which the comparison will refuse by itself."""
    try:
        return parts(decoded(raw, "cp437"))
    except ValueError:
        return ()
