"""The database of an index: the tables of documents and texts, and the entry of a document."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from whorl.errors import DamageError
from whorl.model import checked_name, is_unicode
from whorl.storage.checksums import seal
from whorl.storage.database import DOCUMENTS, LAST_DOCUMENT, Database
from whorl.storage.files import point

# The columns of the table, in the order of the fields.
COLUMNS = (
    "id",
    "name",
    "digest",
    "format",
    "symbols",
    "fingerprints",
    "sanctioned",
    "url",
    "date",
    "contact",
    "owner",
    "labels",
    "added",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document in an index. ``fingerprints`` counts distinct ones. ``digest`` covers the content and the options, so
    that the same document need not be read again."""

    id: int
    name: str
    digest: bytes
    format: str
    symbols: int
    fingerprints: int
    sanctioned: bool
    url: str | None
    date: str | None
    contact: str | None
    owner: str | None
    labels: tuple[str, ...]
    added: str

    def row(self) -> tuple[Any, ...]:
        """Return the row of the table, the seal last."""
        values = tuple(_stored(getattr(self, column)) for column in COLUMNS)
        return (*values, seal(*values))

    def as_dict(self) -> dict[str, Any]:
        """Return the known facts for output, without the digest."""
        facts = {column: getattr(self, column) for column in COLUMNS if column != "digest"}
        return {**{name: value for name, value in facts.items() if value is not None}, "labels": list(self.labels)}


def from_row(row: tuple[Any, ...]) -> Entry | None:
    """Return the entry of a row; None if the row is damaged."""
    *values, sealed = row
    if seal(*values) != sealed:
        return None
    number, name, digest, form, symbols, fingerprints, sanctioned, url, date, contact, owner, labels, added = values
    try:
        listed = tuple(json.loads(labels))
    except (ValueError, TypeError):  # a whole row whose labels are no list: an earlier version wrote one text as it was
        return None
    return Entry(
        number, name, digest, form, symbols, fingerprints, bool(sanctioned), url, date, contact, owner, listed, added
    )


def _stored(value: Any) -> Any:
    if isinstance(value, tuple):
        return json.dumps(value)
    return int(value) if isinstance(value, bool) else value


# Increase it when a table changes. A newer one is refused.
VERSION = 1

_TABLES = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, format TEXT NOT NULL,
    symbols INTEGER NOT NULL, fingerprints INTEGER NOT NULL, sanctioned INTEGER NOT NULL, url TEXT, date TEXT,
    contact TEXT, owner TEXT, labels TEXT NOT NULL, added TEXT NOT NULL, seal INTEGER NOT NULL
);
CREATE INDEX sanctioned ON documents (id) WHERE sanctioned;
CREATE TABLE texts (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, data BLOB NOT NULL, seal INTEGER NOT NULL);
"""
# The total of the sanctioned documents alone.
SANCTIONED = "sanctioned"

# The greatest number of a document in a posting.
MOST_NUMBER = 2**32 - 1


class IndexStore(Database):
    """The database of an index."""

    kind, version_of_format, tables, counted = "index", VERSION, _TABLES, (DOCUMENTS, SANCTIONED)

    def entry(self, number: int) -> Entry:
        """Return the document of a number that a posting names."""
        entry = self.find(number)
        if entry is None:
            raise DamageError(self.path, f"document {number} has postings but no row")
        return entry

    def named(self, name: str) -> Entry | None:
        """Return the document of this name, or None."""
        name = checked_name(name)
        return next(iter(self._listed("name = ?", (name,))), None) if is_unicode(name) else None

    def find(self, number: int) -> Entry | None:
        """Return the document of a number, or None."""
        return next(iter(self._listed("id = ?", (number,))), None) if 0 < number <= MOST_NUMBER else None

    def page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        """Return documents whose names begin with ``prefix`` and follow ``after``, sorted by name."""
        least, end = max(prefix, after), _past(prefix)
        tests = f"name >= ?1 AND name > ?2{' AND name < ?4' if end is not None else ''}"
        values = (least, after, limit, *([end] if end is not None else []))
        return self._listed(f"{tests} ORDER BY name LIMIT ?3", values)

    def page_by_number(self, after: int, limit: int) -> list[Entry]:
        """Return documents with numbers above ``after``, in the order in which they were added."""
        after = min(max(after, 0), MOST_NUMBER)
        return self._listed("id > ? ORDER BY id LIMIT ?", (after, limit))

    def check_missing(self, name: str) -> None:
        """Raise DamageError if a document has this name. Scan the table: its index may be damaged."""
        is_there = "SELECT 1 FROM documents NOT INDEXED WHERE name = ?"
        if is_unicode(name) and self._first(is_there, (name,)) is not None:
            raise DamageError(self.path, f"document {name!r} is not found by its name")

    def entries(self) -> Iterator[Entry]:
        """Return all documents by number. Check first that none is missing."""
        with self.reading():
            rows = list(self._execute(f"SELECT {', '.join(COLUMNS)}, seal FROM documents ORDER BY id"))
            self._add_up("documents", rows)
        yield from map(self._checked, rows)

    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Return the owner of each document."""
        return {number: self.entry(number).owner for number in numbers}

    def bytes_by_owner(self, each: int) -> dict[str | None, int]:
        """Return the stored bytes of the documents of each owner: texts, names and other facts, and so many bytes for
        ``each`` fingerprint."""
        facts = "name || labels || coalesce(url, '') || coalesce(date, '') || coalesce(contact, '')"
        rows = self._execute(
            f"SELECT owner, sum(length(data)) + sum(length(CAST({facts} AS BLOB))) + ? * sum(fingerprints)"
            " FROM documents JOIN texts USING (id) GROUP BY owner",
            (each,),
        )
        return {owner: int(size) for owner, size in rows}

    def sanctioned(self) -> list[int]:
        """Return the numbers of sanctioned documents."""
        rows = list(self._execute("SELECT id, seal FROM documents WHERE sanctioned ORDER BY id"))
        self._add_up(SANCTIONED, rows)
        return [self.entry(row[0]).id for row in rows]

    def text(self, number: int) -> tuple[str, bytes] | None:
        """Return the kind and the bytes of what is stored of a document's text."""
        row = self._first("SELECT id, kind, data, seal FROM texts WHERE id = ?", (number,))
        if row is None:
            return None
        if seal(*row[:-1]) != row[-1]:
            raise DamageError(self.path, f"the checksum of the text of document {number} is wrong")
        return str(row[1]), bytes(row[2])

    def fresh(self, number: int) -> bytes | None:
        """Return the fresh postings of a document, or None."""
        row = self._first("SELECT data FROM delta WHERE id = ?", (number,))
        return None if row is None else bytes(row[0])

    def knows(self, number: int) -> bool:
        """Return whether any table has a row of this document."""
        tables = ("documents", "texts", "delta", "tombstones")
        return any(self._first(f"SELECT 1 FROM {table} WHERE id = ?", (number,)) is not None for table in tables)

    # Call the following inside a transaction.

    def insert_document(self, entry: Entry, kind: str, text: bytes, postings: bytes | None) -> None:
        """Insert a document with its text and its fresh postings; None if a segment has them already."""
        row = entry.row()
        self._execute(f"INSERT INTO documents VALUES ({', '.join('?' * len(row))})", row)
        self._count("documents", 1, row[-1])
        self._count(LAST_DOCUMENT, 1, 0)
        if entry.sanctioned:
            self._count(SANCTIONED, 1, row[-1])
        point("add.document")
        self._execute("INSERT INTO texts VALUES (?, ?, ?, ?)", (entry.id, kind, text, seal(entry.id, kind, text)))
        point("add.text")
        if postings is not None:
            self.insert_delta(entry.id, postings)

    def skip_numbers(self, last: int) -> None:
        """Give no document a number up to ``last`` from now on."""
        self._count(LAST_DOCUMENT, max(0, last - self.total(LAST_DOCUMENT)), 0)

    def update_document(self, old: Entry, new: Entry) -> None:
        """Update the facts of a document whose content is the same."""
        row = new.row()
        columns = ", ".join(f"{column} = ?" for column in (*COLUMNS, "seal"))
        self._execute(f"UPDATE documents SET {columns} WHERE id = ?", (*row, old.id))
        self._count("documents", 0, old.row()[-1] ^ row[-1])
        if old.sanctioned:  # the new one is too: the digest covers it
            self._count(SANCTIONED, 0, old.row()[-1] ^ row[-1])
        point("update.document")

    def delete_document(self, entry: Entry) -> None:
        """Delete a document, its text and its postings."""
        self._execute("DELETE FROM documents WHERE id = ?", (entry.id,))
        self._count("documents", -1, entry.row()[-1])
        if entry.sanctioned:
            self._count(SANCTIONED, -1, entry.row()[-1])
        point("remove.document")
        self._execute("DELETE FROM texts WHERE id = ?", (entry.id,))
        self.bury(entry.id)

    def check(self) -> None:
        """Check the documents and their texts too."""
        super().check()
        self.keys("documents")
        numbers = [entry.id for entry in self.entries()]
        self.sanctioned()
        texts = [row[0] for row in self._execute("SELECT id FROM texts ORDER BY id")]
        self._ensure(texts == numbers, "the table texts: rows are missing or too many")
        for number in numbers:
            self.text(number)

    def _listed(self, rest: str, values: tuple[Any, ...]) -> list[Entry]:
        rows = self._execute(f"SELECT {', '.join(COLUMNS)}, seal FROM documents WHERE {rest}", values)
        return [self._checked(row) for row in rows]

    def _checked(self, row: tuple[Any, ...]) -> Entry:
        entry = from_row(row)
        if entry is None:
            raise DamageError(self.path, f"the row of document {row[0]}")
        return entry


def _past(prefix: str) -> str | None:
    """Return the first text after all with this prefix, by code points, as UTF-8 sorts; None if there is none."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)  # surrogates are no text
