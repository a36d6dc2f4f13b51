"""Tar archives, plain or compressed, read forwards: once for the directory, once for the members.

The first pass is what lets an archive be judged as a whole before anything is given out: which of two members of one
name holds, what its .gitignore files say, whether it is a bomb. The members come in the archive's order, since a
compressed stream cannot go back.

The format is read here and not by ``tarfile``, which takes extended headers of any size into memory, calls itself for
each of a chain of them, and reads past the end of damaged ones.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from whorl.collection import ignores
from whorl.collection.budget import Budget
from whorl.collection.faults import BrokenError, RefusedError, broken, reason
from whorl.collection.headers import BLOCK, EXTENDED, LONGEST, Header, header, name_of, records
from whorl.collection.members import Listed, Member
from whorl.collection.names import parts
from whorl.collection.unpack import Readable

_STEP = 1 << 18  # what is read at once where data are passed over
# Bytes of .gitignore files that are kept from the first pass: hundreds of the largest that hold.
_NOTES = 4 << 20


class TarArchive:
    """A tar archive; ``start`` opens it at its beginning, as often as it is called."""

    def __init__(self, start: Callable[[], Readable], budget: Budget) -> None:
        self._start = start
        self._budget = budget
        self._notes: dict[int, bytes] = {}
        self._noted = 0

    def listing(self) -> Iterator[Member | Listed]:
        """Every header. Damage ends the listing; what was found before it holds."""
        tape = _Tape(self._start(), self._budget)
        try:
            yield from self._headers(tape)
        except broken() as error:
            yield Listed("", refused=f"damaged at byte {tape.at:,}: {reason(error)}; what follows was not read")

    def read(self, members: Iterable[Member]) -> Iterator[tuple[Member, bytes | RefusedError]]:
        """In the archive's order, whatever order is asked for."""
        tape = _Tape(self._start(), None)
        for member in sorted(members, key=lambda member: member.at):
            try:
                self._budget.check_member(member.size)
                tape.skip(member.at - tape.at)
                content = tape.take(member.size)
            except RefusedError as refusal:
                yield member, refusal
            except broken() as error:
                yield member, RefusedError(f"damaged: {reason(error)}")
            else:
                yield member, content

    def note(self, member: Member, most: int) -> bytes:
        """A .gitignore: kept when the first pass came by."""
        if member.at not in self._notes:
            raise RefusedError(f"more than {most:,} bytes, or too many of them")
        return self._notes[member.at]

    def _headers(self, tape: "_Tape") -> Iterator[Member | Listed]:
        lasting: dict[bytes, bytes] = {}
        while (found := self._next(tape, lasting)) is not None:
            self._budget.enter(found.name)
            listed = _entry(found, tape.at)
            data, padding = found.size, -found.size % BLOCK
            if isinstance(listed, Member) and self._is_note(listed):
                self._notes[listed.at] = tape.take(data)
                data = 0
            yield listed
            tape.skip(data + padding)

    def _is_note(self, member: Member) -> bool:
        wanted = member.parts[-1] == ignores.NAME and member.size <= ignores.MOST
        self._noted += member.size if wanted else 0
        return wanted and self._noted <= _NOTES

    def _next(self, tape: "_Tape", lasting: dict[bytes, bytes]) -> "_Found | None":
        """The next member with what the extended headers before it say; None at the end mark."""
        said = dict(lasting)
        while True:
            block = tape.take(BLOCK, may_end=True)
            if not block:
                raise BrokenError("it ends without an end mark")
            if not any(block):
                return None
            read = header(block)
            if read.kind not in EXTENDED:
                _pass_map(tape, read.goes_on)
                return _found(read, said)
            if read.size > LONGEST:
                raise BrokenError(f"an extended header of {read.size:,} bytes")
            data = tape.take(read.size)
            tape.skip(-read.size % BLOCK)
            _remember(EXTENDED[read.kind], data, said, lasting)


@dataclass(frozen=True, slots=True)
class _Found:
    """A member as all its headers together describe it."""

    header: Header
    name: bytes
    size: int
    sparse: bool


@dataclass(slots=True)
class _Tape:
    """A stream and how far it is read. With a budget, all that is read counts."""

    stream: Readable
    budget: Budget | None
    at: int = field(default=0)

    def take(self, size: int, may_end: bool = False) -> bytes:
        """So many bytes; none at all if it may end here and does."""
        taken = io.BytesIO()  # gives its bytes away without a copy
        while taken.tell() < size:
            block = self._read(min(size - taken.tell(), _STEP))
            if not block and may_end and not taken.tell():
                return b""
            if not block:
                raise BrokenError("it breaks off")
            taken.write(block)
        return taken.getvalue()

    def skip(self, size: int) -> None:
        """Passes over so many bytes."""
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


def _pass_map(tape: _Tape, goes_on: bool) -> None:
    """Passes over the map of holes behind a header: each block says whether one more follows."""
    while goes_on:
        goes_on = tape.take(BLOCK)[504] != 0


def _remember(kind: str, data: bytes, said: dict[bytes, bytes], lasting: dict[bytes, bytes]) -> None:
    if kind == "name":
        said[b"path"] = data.partition(b"\x00")[0]
    elif kind in ("pax", "global"):
        wanted = {key: value for key, value in records(data).items() if _matters(key)}
        said.update(wanted)
        if kind == "global":
            lasting.update(wanted)


def _matters(key: bytes) -> bool:
    return key in (b"path", b"size") or key.startswith(b"GNU.sparse.")


def _found(read: Header, said: dict[bytes, bytes]) -> _Found:
    given = said.get(b"size", b"")
    if given and not (given.isdigit() and len(given) < 20):
        raise BrokenError("the size in an extended header is no number")
    sparse = any(key.startswith(b"GNU.sparse.") for key in said)
    # What is no regular file has no data, whatever its header says: a hard link repeats the size of what it links to.
    size = (int(given) if given else read.size) if read.kind not in (b"1", b"2", b"3", b"4", b"5", b"6") else 0
    return _Found(read, said.get(b"path") or read.name, size, sparse)


def _entry(found: _Found, at: int) -> Member | Listed:
    name = name_of(found.name)
    try:
        path = parts(name)
    except ValueError as error:
        return Listed(name, refused=str(error))
    if found.header.is_folder(found.name) or not path:
        return Listed(name, path)
    fault = "refused: a file with holes (sparse)" if found.sparse else found.header.refused
    return Listed(name, path, fault) if fault else Member(path, at, found.size)
