"""The records of this package: a document of a corpus, something that is none, and the names of the columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from whorl.errors import InputError
from whorl.model import Document

Feature = int | str


class Place(NamedTuple):
    """Where a row is. ``row`` counts from 1: lines of JSONL, rows of Parquet, records of WARC; 0 is the whole file."""

    file: str
    row: int


@dataclass(frozen=True, slots=True)
class Record:
    """One document of a corpus. ``features`` stand for its text where the corpus has them.

    ``path`` and ``row`` are where it is: the name of the file in the corpus, and 0 if the document is all of the file.
    ``offset`` is how many bytes of the corpus on the disk are behind, of the number that ``size`` gives.
    """

    id: str
    document: Document
    path: str
    row: int
    features: tuple[Feature, ...] | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A row, a record or a file that gives no document, and why. ``row`` 0 is the whole file.

    ``left_out`` tells what rules leave out, such as a hidden file or an image, from what is wrong with the corpus.
    """

    path: str
    row: int
    reason: str
    left_out: bool = False


class BadRowError(Exception):
    """One row gives no document, for this reason; the rest goes on. Never leaves this package."""


class LeftOutError(BadRowError):
    """A row that is sound, and no document. Never leaves this package."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The names of the columns of JSONL and Parquet. Checks itself.

    ``text`` must be there, or ``features`` if that is named: lists of integers or of strings. The others may be missing
    if they have their default names. ``contact`` is read only if it is named: most who read a corpus have no use
    for it, and what a corpus calls so may be anything. Its usual name is ``CONTACT``.
    """

    id: str = "id"
    text: str = "text"
    url: str = "url"
    date: str = "date"
    features: str | None = None
    contact: str | None = None

    def __post_init__(self) -> None:
        for role in ("id", "text", "url", "date", "features", "contact"):
            name = getattr(self, role)
            if (not isinstance(name, str) or not name) and not (role in ("features", "contact") and name is None):
                raise InputError(f"{role}: {name!r} is not the name of a column")

    @property
    def content(self) -> str:
        """The column that a document is made of."""
        return self.text if self.features is None else self.features

    def needed(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        contact = () if self.contact is None else (self.contact,)
        return tuple(dict.fromkeys((self.id, self.content, self.url, self.date, *contact)))

    def missing(self, there: "set[str]") -> Iterator[str]:
        """Each column that must be there and is not, with its option."""
        for role, usual in (("id", DEFAULT.id), ("url", DEFAULT.url), ("date", DEFAULT.date), ("contact", CONTACT)):
            name = getattr(self, role)
            if name not in (usual, None) and name not in there:
                yield f"{name!r} (--{role})"
        if self.content not in there:
            yield f"{self.content!r} (--{'text' if self.features is None else 'features'})"


DEFAULT = Columns()

# The usual name of the column that says whom to write to about a document.
CONTACT = "contact"
