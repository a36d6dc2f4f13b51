"""The index's database: documents and texts, beside what every database of postings has (``database``)."""

from collections.abc import Iterable, Iterator
from typing import Any

from whorl.index.database import DOCUMENTS, LAST_DOCUMENT, LAST_SEGMENT, Database
from whorl.index.entry import COLUMNS, Entry, from_row
from whorl.index.faults import DamageError
from whorl.index.points import point
from whorl.index.seals import seal

__all__ = ["LAST_DOCUMENT", "LAST_SEGMENT", "Store"]

# Raised when a table changes. A newer one is refused; an older one is brought up to date when it is opened to write.
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
# The sanctioned documents are counted and summed on their own.
SANCTIONED = "sanctioned"

# The greatest number that a posting can name.
MOST_NUMBER = 2**32 - 1


class Store(Database):
    """What an index keeps beside its segments."""

    kind, version_of_format, tables, counted = "index", VERSION, _TABLES, (DOCUMENTS, SANCTIONED)

    def entry(self, number: int) -> Entry:
        """The document of a number that a posting names."""
        found = self._entry("id", number)
        if found is None:
            raise DamageError(self.path, f"document {number} has postings but no row")
        return found

    def named(self, name: str) -> Entry | None:
        """The document of this name."""
        return self._entry("name", name)

    def find(self, number: int) -> Entry | None:
        """The document of a number, if there is one."""
        return self._entry("id", number) if 0 < number <= MOST_NUMBER else None

    def page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        """Documents whose names begin so and come after another, in the order of names: the table's index has it."""
        least, end = max(prefix, after), _past(prefix)
        tests = f"name >= ?1 AND name > ?2{' AND name < ?4' if end is not None else ''}"
        values = (least, after, limit, *([end] if end is not None else []))
        return self._listed(f"{tests} ORDER BY name LIMIT ?3", values)

    def page_by_number(self, after: int, limit: int) -> list[Entry]:
        """Documents with greater numbers, in the order in which they were added."""
        after = min(max(after, 0), MOST_NUMBER)
        return self._listed("id > ? ORDER BY id LIMIT ?", (after, limit))

    def check_missing(self, name: str) -> None:
        """That no document has this name, without the help of the table's index, in which the name may be damaged."""
        if self._first("SELECT 1 FROM documents NOT INDEXED WHERE name = ?", (name,)) is not None:
            raise DamageError(self.path, f"document {name!r} is not found by its name")

    def entries(self) -> Iterator[Entry]:
        """All documents by number: that none is missing is checked first."""
        with self.reading():
            rows = list(self._execute(f"SELECT {', '.join(COLUMNS)}, seal FROM documents ORDER BY id"))
            self._add_up("documents", rows)
        for row in rows:
            yield self._sound(from_row(row), f"the row of document {row[0]}")

    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Whose some documents are."""
        return {number: self.entry(number).owner for number in numbers}

    def sanctioned(self) -> list[int]:
        """The numbers of sanctioned documents."""
        rows = list(self._execute("SELECT id, seal FROM documents WHERE sanctioned ORDER BY id"))
        self._add_up(SANCTIONED, rows)
        return [self.entry(row[0]).id for row in rows]

    def text(self, number: int) -> tuple[str, bytes] | None:
        """What is stored of a document's text: its kind and the bytes."""
        row = self._first("SELECT id, kind, data, seal FROM texts WHERE id = ?", (number,))
        if row is None:
            return None
        if seal(*row[:-1]) != row[-1]:
            raise DamageError(self.path, f"the text of document {number} is not as it was written")
        return str(row[1]), bytes(row[2])

    def fresh(self, number: int) -> bytes | None:
        """The fresh postings of a document, if it has any."""
        row = self._first("SELECT data FROM delta WHERE id = ?", (number,))
        return None if row is None else bytes(row[0])

    def knows(self, number: int) -> bool:
        """Whether any table has a row of this document."""
        tables = ("documents", "texts", "delta", "tombstones")
        return any(self._first(f"SELECT 1 FROM {table} WHERE id = ?", (number,)) is not None for table in tables)

    # What follows is called inside a transaction.

    def insert_document(self, entry: Entry, kind: str, text: bytes, postings: bytes | None) -> None:
        """A document with its text and its fresh postings; None, if they are in a segment already."""
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

    def update_document(self, old: Entry, new: Entry) -> None:
        """Other facts about a document whose content is the same."""
        row = new.row()
        columns = ", ".join(f"{column} = ?" for column in (*COLUMNS, "seal"))
        self._execute(f"UPDATE documents SET {columns} WHERE id = ?", (*row, old.id))
        self._count("documents", 0, old.row()[-1] ^ row[-1])
        if old.sanctioned:  # so is the new one: it is part of the digest
            self._count(SANCTIONED, 0, old.row()[-1] ^ row[-1])
        point("update.document")

    def delete_document(self, entry: Entry) -> None:
        """Without the document and its postings."""
        self._execute("DELETE FROM documents WHERE id = ?", (entry.id,))
        self._count("documents", -1, entry.row()[-1])
        if entry.sanctioned:
            self._count(SANCTIONED, -1, entry.row()[-1])
        point("remove.document")
        self._execute("DELETE FROM texts WHERE id = ?", (entry.id,))
        self.bury(entry.id)

    def check(self) -> None:
        """The documents and their texts too."""
        super().check()
        self.keys("documents")
        numbers = [entry.id for entry in self.entries()]
        self.sanctioned()
        kept = [row[0] for row in self._execute("SELECT id FROM texts ORDER BY id")]
        self._sound(kept == numbers or None, "the table texts: rows are missing or too many")
        for number in numbers:
            self.text(number)

    def _listed(self, rest: str, values: tuple[Any, ...]) -> list[Entry]:
        rows = self._execute(f"SELECT {', '.join(COLUMNS)}, seal FROM documents WHERE {rest}", values)
        return [self._sound(from_row(row), f"the row of document {row[0]}") for row in rows]

    def _entry(self, column: str, value: str | int) -> Entry | None:
        row = self._first(f"SELECT {', '.join(COLUMNS)}, seal FROM documents WHERE {column} = ?", (value,))
        return None if row is None else self._sound(from_row(row), f"the row of document {row[0]}")


def _past(prefix: str) -> str | None:
    """The first text after all that begin so, by code points, as UTF-8 sorts; None if there is none."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)  # surrogates are no text
