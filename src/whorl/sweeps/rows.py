"""Rows of a sweep store's tables as records. Each row ends with its seal; what does not fit it is damage."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from whorl.index.seals import seal


class Shown(NamedTuple):
    """A page showed a content in a sweep. A larger ``id`` was seen later."""

    id: int
    page: int
    sweep: int
    content: int
    contact: str | None

    def row(self) -> tuple[Any, ...]:
        """As the table has it."""
        return (*self, seal("places", *self))


@dataclass(frozen=True, slots=True)
class Content:
    """A distinct content. ``row`` is the content that stands for it among all that have the same shingles, itself if it
    was the first, and ``kind`` how it is equal to that. One that stands for itself has the digest of its shingles,
    their number, and one in how many of them its sketch keeps."""

    id: int
    digest: bytes
    lexical: bytes
    shingles: bytes | None
    row: int
    kind: str
    size: int
    modulus: int

    def fields(self) -> tuple[Any, ...]:
        """The columns, in order."""
        return self.id, self.digest, self.lexical, self.shingles, self.row, self.kind, self.size, self.modulus

    def sealed(self) -> tuple[Any, ...]:
        """As the table has it."""
        return (*self.fields(), seal("contents", *self.fields()))


CONTENT_COLUMNS = "id, digest, lexical, shingles, row, kind, size, modulus, seal"
SHOWN_COLUMNS = "id, page, sweep, content, contact, seal"


def is_sound(table: str, row: tuple[Any, ...]) -> bool:
    """Whether a row is as it was written."""
    return bool(seal(table, *row[:-1]) == row[-1])
