"""The database of a registry: the compressed log of documents, and the counts of searches."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from whorl.errors import DamageError
from whorl.registry.reading import DIGEST
from whorl.storage.checksums import seal
from whorl.storage.database import DOCUMENTS, LAST_DOCUMENT, Database
from whorl.storage.files import point

# Searches since the last draw that make a document suspicious, and searches for texts less than half as long. Each
# piece of a document that finds it reveals one or two of its 100 stored substrings.
SEARCHES, PIECES = 100, 20


@dataclass(frozen=True, slots=True)
class Activity:
    """How often a document was a hit since its fingerprint was drawn (``searches``), and how often the query was less
    than half as long, perhaps a piece of it (``pieces``)."""

    searches: int = 0
    pieces: int = 0

    def __add__(self, other: "Activity") -> "Activity":
        return Activity(self.searches + other.searches, self.pieces + other.pieces)

    @property
    def is_suspicious(self) -> bool:
        """Whether the searches may be attempts to learn the stored fingerprint."""
        return self.searches >= SEARCHES or self.pieces >= PIECES


# Days are counted from here.
FIRST_DAY = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """A document in a registry.

    ``number`` identifies its postings; every draw assigns a new one. ``serial`` is its place in the order of
    registration, which stays. ``symbols`` is its length, ``stored`` and ``searched`` are the sizes of its two
    fingerprints, ``digest`` that of the search fingerprint. ``draws`` counts the rotations, ``drawn`` is the day of the
    last draw, counted from 1970.
    """

    number: int
    serial: int
    name: str
    url: str | None
    date: str | None
    contact: str | None
    symbols: int
    stored: int
    searched: int
    digest: bytes
    draws: int
    drawn: int

    def as_dict(self) -> dict[str, Any]:
        """Return the known facts for output."""
        facts = {"id": self.name, "date": self.date, "url": self.url, "contact": self.contact}
        known = {name: value for name, value in facts.items() if value is not None}
        sizes = {"symbols": self.symbols, "stored": self.stored, "searched": self.searched}
        return {**known, **sizes, "rotations": self.draws, "drawn": day_of(self.drawn)}


def today() -> int:
    """Return the number of today, counted from 1970."""
    return (datetime.now(UTC).date() - FIRST_DAY).days


def day_of(number: int) -> str:
    """Return the ISO date of a day counted from 1970."""
    return (FIRST_DAY + timedelta(days=number)).isoformat()


# Documents on a page. Twice as many save 3 of 72 bytes a document, and double the time to read a hit.
PAGE = 64

# The text columns, and the numbers, each of 32 bits.
TEXTS = ("name", "url", "date", "contact")
NUMBERS = ("number", "serial", "symbols", "stored", "searched", "draws", "drawn")

# zstd's level. Level 3 takes 3 bytes a document more; 9 saves a third of a byte and takes 1.5 times as long, 12 thrice.
LEVEL = 6


def page_of(number: int) -> int:
    """Return the page of a document."""
    return number // PAGE


def pack_page(entries: Sequence[RegistryEntry]) -> bytes:
    """Encode a page, column by column. Numbers are stored as differences, byte by byte: this compresses best."""
    import zstandard

    texts = json.dumps([[getattr(entry, name) for entry in entries] for name in TEXTS], ensure_ascii=False)
    numbers = np.array([[getattr(entry, name) for entry in entries] for name in NUMBERS], np.uint32)
    steps = np.diff(numbers, axis=1, prepend=np.uint32(0)).astype("<u4")
    columns = np.frombuffer(steps.tobytes(), np.uint8).reshape(len(NUMBERS), len(entries), 4).transpose(0, 2, 1)
    digests = b"".join(entry.digest for entry in entries)
    data = b"".join((len(entries).to_bytes(4, "little"), columns.tobytes(), digests, texts.encode()))
    return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True).compress(data)


def unpack_page(data: bytes, wanted: Container[int] | None = None) -> list[RegistryEntry]:
    """Decode a page whose seal was checked: all entries, or those with the ``wanted`` numbers. Creating an entry costs
    more than reading its bytes."""
    import zstandard

    raw = zstandard.ZstdDecompressor().decompress(data)
    count = int.from_bytes(raw[:4], "little")
    middle = 4 + 4 * len(NUMBERS) * count
    columns = np.frombuffer(raw[4:middle], np.uint8).reshape(len(NUMBERS), 4, count).transpose(0, 2, 1)
    steps = np.frombuffer(columns.tobytes(), "<u4").reshape(len(NUMBERS), count)
    numbers = np.cumsum(steps, axis=1, dtype=np.uint32).T.tolist()
    texts = list(zip(*json.loads(raw[middle + DIGEST * count :]), strict=True))
    chosen = [at for at, row in enumerate(numbers) if wanted is None or row[0] in wanted]
    return [_entry(numbers[at], texts[at], raw[middle + DIGEST * at :][:DIGEST]) for at in chosen]


def _entry(numbers: list[int], texts: tuple[str | None, ...], digest: bytes) -> RegistryEntry:
    number, serial, symbols, stored, searched, draws, drawn = numbers
    name, url, date, contact = texts
    return RegistryEntry(
        number, serial, name or "", url, date, contact, symbols, stored, searched, digest, draws, drawn
    )


# Increase it when a table changes. A newer one is refused.
VERSION = 1

_TABLES = """
CREATE TABLE pages (id INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE activity (
    id INTEGER PRIMARY KEY, searches INTEGER NOT NULL, pieces INTEGER NOT NULL, seal INTEGER NOT NULL
);
"""
# The last serial that was assigned.
LAST_SERIAL = "last serial"


class RegistryStore(Database):
    """The database of a registry."""

    kind, version_of_format, tables = "registry", VERSION, _TABLES
    counted = (DOCUMENTS, "pages", "activity", LAST_SERIAL)

    def page(self, number: int, wanted: Container[int] | None = None) -> list[RegistryEntry]:
        """Return the documents on a page, or the wanted ones; none if the page does not exist."""
        row = self._first("SELECT id, data, seal FROM pages WHERE id = ?", (number,))
        return [] if row is None else self._unpack(row, wanted)

    def entries(self) -> Iterator[RegistryEntry]:
        """Return all documents by number. Check first that no page is missing."""
        with self.reading():
            rows = list(self._execute("SELECT id, data, seal FROM pages ORDER BY id"))
            self._add_up("pages", rows)
        for row in rows:
            yield from self._unpack(row)

    def numbered(self, numbers: Iterable[int]) -> dict[int, RegistryEntry]:
        """Return the documents of these numbers, as far as they exist."""
        wanted = set(numbers)
        pages = sorted({page_of(number) for number in wanted})
        return {entry.number: entry for page in pages for entry in self.page(page, wanted)}

    def known(self, numbers: Iterable[int]) -> dict[int, RegistryEntry]:
        """Return the documents of numbers that postings name. Raise DamageError if one has no entry."""
        wanted = set(numbers)
        entries = self.numbered(wanted)
        for number in sorted(wanted - set(entries)):
            raise DamageError(self.path, f"document {number} has postings but no entry in the log")
        return entries

    def activity(self) -> dict[int, Activity]:
        """Return the searches of all documents that were searched for, by number."""
        with self.reading():
            rows = list(self._execute("SELECT id, searches, pieces, seal FROM activity ORDER BY id"))
            self._add_up("activity", rows)
        return {row[0]: self._activity(row) for row in rows}

    # Call the following inside a transaction.

    def last_numbers(self) -> tuple[int, int]:
        """Return the last number of a document that was ever assigned, and the last serial."""
        return self.total(LAST_DOCUMENT), self.total(LAST_SERIAL)

    def assign(self, numbers: int, serials: int) -> None:
        """Record that so many more numbers and serials were assigned."""
        self._count(LAST_DOCUMENT, numbers, 0)
        self._count(LAST_SERIAL, serials, 0)

    def change(self, gone: Iterable[int], entries: Iterable[RegistryEntry]) -> None:
        """Delete the documents of some numbers, and insert or update others. Write each page once."""
        pages: dict[int, dict[int, RegistryEntry]] = {}
        count = 0
        for number in gone:
            count -= self._on_page(pages, number).pop(number, None) is not None
        for entry in entries:
            page = self._on_page(pages, entry.number)
            count += entry.number not in page
            page[entry.number] = entry
        for number, page in pages.items():
            self._write_page(number, [page[key] for key in sorted(page)])
        self._count(DOCUMENTS, count, 0)

    def note(self, seen: Mapping[int, Activity]) -> None:
        """Count searches of documents."""
        for number, more in seen.items():
            row = self._first("SELECT id, searches, pieces, seal FROM activity WHERE id = ?", (number,))
            now = more if row is None else self._activity(row) + more
            values = number, now.searches, now.pieces
            self.forget(number)
            sealed = seal("activity", *values)
            self._execute("INSERT INTO activity VALUES (?, ?, ?, ?)", (*values, sealed))
            self._count("activity", 1, sealed)

    def forget(self, number: int) -> None:
        """Reset the count of a document."""
        self._delete("activity", [number])

    def check(self) -> None:
        """Check the pages and the counts too."""
        super().check()
        entries = list(self.entries())
        numbers = [entry.number for entry in entries]
        names = {entry.name for entry in entries}
        is_complete = numbers == sorted(set(numbers)) and len(entries) == len(names) == self.total(DOCUMENTS)
        self._ensure(is_complete, "the log: documents are missing or too many")
        self._ensure(set(self.activity()) <= set(numbers), "searches are counted for a document that does not exist")

    def _on_page(self, pages: dict[int, dict[int, RegistryEntry]], number: int) -> dict[int, RegistryEntry]:
        """Return the page of a document. Read each page once."""
        at = page_of(number)
        if at not in pages:
            pages[at] = {entry.number: entry for entry in self.page(at)}
        return pages[at]

    def _write_page(self, number: int, entries: list[RegistryEntry]) -> None:
        old = self._first("DELETE FROM pages WHERE id = ? RETURNING seal", (number,))
        if old is not None:
            self._count("pages", -1, int(old[0]))
        point("add.text")
        if entries:
            data = pack_page(entries)
            sealed = seal(number, data)
            self._execute("INSERT INTO pages VALUES (?, ?, ?)", (number, data, sealed))
            self._count("pages", 1, sealed)
        point("add.document")

    def _unpack(self, row: tuple[Any, ...], wanted: Container[int] | None = None) -> list[RegistryEntry]:
        self._ensure(seal(*row[:-1]) == row[-1], f"the checksum of page {row[0]} of the log is wrong")
        return unpack_page(row[1], wanted)

    def _activity(self, row: tuple[Any, ...]) -> Activity:
        self._ensure(seal("activity", *row[:-1]) == row[-1], f"the count of searches for document {row[0]}")
        return Activity(row[1], row[2])
