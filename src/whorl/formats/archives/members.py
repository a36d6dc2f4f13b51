"""Members of an archive, the interface of every archive, and the budget of unpacking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from whorl.formats.archives.gitignore import Allowance
from whorl.formats.archives.names import RefusedFileError
from whorl.formats.archives.rules import Rules
from whorl.sandbox.limits import format_bytes

# Bytes of all names of an archive: they are held together. 335 for each of 200,000 entries.
NAMES = 64 << 20


class Budget:
    """Counts unpacked bytes and entries. Spent bytes are never given back."""

    def __init__(self, packed: int, rules: Rules) -> None:
        self._rules = rules
        self._most = min(rules.total, max(rules.free, rules.ratio * packed))
        self._bytes = 0
        self._entries = 0
        self._names = 0
        self.patterns = Allowance()

    def spend(self, size: int) -> None:
        """Count bytes before they are unpacked."""
        if self._bytes + size > self._most:
            if self._most == self._rules.total:
                raise RefusedFileError(f"too large: one archive may unpack to {format_bytes(self._most, 0)} in all")
            raise RefusedFileError(
                f"perhaps a bomb: an archive may expand {self._rules.ratio} times when it is unpacked"
            )
        self._bytes += size

    def enter(self, name: bytes = b"") -> None:
        """Count a file or a folder, and its name in the archive's directory."""
        self._entries += 1
        self._names += len(name)
        if self._names > NAMES:
            raise RefusedFileError(
                f"too many long names: the names of one archive may have {format_bytes(NAMES, 0)} together"
            )
        if self._entries > self._rules.entries:
            raise RefusedFileError(f"too many entries: one archive may have {self._rules.entries:,}")

    def check_member(self, size: int, packed: int | None = None) -> None:
        """Refuse a member that is too large or expands too much."""
        if size > self._rules.member:
            raise RefusedFileError(
                f"too large: {format_bytes(size, 0)}; one member may have {format_bytes(self._rules.member, 0)}"
            )
        if packed is not None and size > max(self._rules.free, self._rules.ratio * packed):
            raise RefusedFileError(
                f"perhaps a bomb: it would expand more than {self._rules.ratio} times when it is unpacked"
            )


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive: its path and offset."""

    parts: tuple[str, ...]
    at: int
    size: int


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of an archive's directory that is not read: a folder, or a refused member.

    ``name`` is as the archive states it; "" means the archive itself.
    """

    name: str
    parts: tuple[str, ...] = ()
    refused: str = ""


M = TypeVar("M", bound=ArchiveMember)


class Archive(Protocol, Generic[M]):
    """An archive that is read without unpacking it to disk."""

    def listing(self) -> Iterator[M | Listed]:
        """Yield every member in the archive's order; raise ``RefusedFileError`` if the whole archive is refused."""
        ...

    def read(self, members: Iterable[M]) -> Iterator[tuple[M, bytes | RefusedFileError]]:
        """Yield each member with its content, or with the reason why it is refused."""
        ...

    def read_small(self, member: M, most: int) -> bytes:
        """Return the content of a small member that is needed before the others."""
        ...
