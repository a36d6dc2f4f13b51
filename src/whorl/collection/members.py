"""The members of an archive, and what every kind of archive can do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from whorl.collection.faults import RefusedError


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its folders and name, and where it is."""

    parts: tuple[str, ...]
    at: int
    size: int


@dataclass(frozen=True, slots=True)
class Listed:
    """What an archive's directory says of something that is not to be read: a folder, or a reason to refuse it.

    ``name`` is as the archive has it; "" means the archive itself.
    """

    name: str
    parts: tuple[str, ...] = ()
    refused: str = ""


M = TypeVar("M", bound=Member)


class Archive(Protocol, Generic[M]):
    """An archive that is never unpacked to the disk."""

    def listing(self) -> Iterator[M | Listed]:
        """Every member, in the archive's order; ``RefusedError`` if the archive as a whole is refused."""
        ...

    def read(self, members: Iterable[M]) -> Iterator[tuple[M, bytes | RefusedError]]:
        """The content of each member, one at a time, or why it cannot be had."""
        ...

    def note(self, member: M, most: int) -> bytes:
        """The content of a small member that the sieve asks for ahead of the others."""
        ...
