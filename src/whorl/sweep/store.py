"""The database of a sweep store: its tables and rows. See ``docs/formats/sweep.md``."""

from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whorl.errors import DamageError
from whorl.model import Hashes
from whorl.storage.checksums import seal
from whorl.storage.database import Database

# Increase it when a table or the meaning of a value changes. A newer one is refused. Format 1 is, too: it has other
# digests of contents, so equal contents would not be recognised. Format 2 has shingles of single letters of scripts
# without spaces, no base, and no table ``refused``.
VERSION, OLDEST = 3, 2

# The last number of a row of ``places``. No number is used twice.
LAST_PLACE = "last place"

# Tables whose rows are counted and summed.
TABLES = ("sweeps", "pages", "contents", "places", "pairs", "clusters", "refused")

SCHEMA = """
CREATE TABLE sweeps (number INTEGER PRIMARY KEY, date TEXT NOT NULL UNIQUE, seal INTEGER NOT NULL);
CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, seal INTEGER NOT NULL);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, lexical BLOB NOT NULL, shingles BLOB, row INTEGER NOT NULL,
    kind TEXT NOT NULL, size INTEGER NOT NULL, modulus INTEGER NOT NULL, seal INTEGER NOT NULL
);
CREATE INDEX lexical ON contents (lexical);
CREATE INDEX shingled ON contents (shingles) WHERE shingles IS NOT NULL;
CREATE INDEX rows ON contents (row);
CREATE TABLE hashes (content INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE places (
    id INTEGER PRIMARY KEY, page INTEGER NOT NULL, sweep INTEGER NOT NULL, content INTEGER NOT NULL, contact TEXT,
    seal INTEGER NOT NULL
);
CREATE INDEX shown ON places (page, sweep, content);
CREATE INDEX showing ON places (content);
CREATE TABLE pairs (
    left INTEGER NOT NULL, right INTEGER NOT NULL, count INTEGER NOT NULL, shared INTEGER NOT NULL,
    seal INTEGER NOT NULL, PRIMARY KEY (left, right)
) WITHOUT ROWID;
CREATE TABLE clusters (content INTEGER PRIMARY KEY, head INTEGER NOT NULL, seal INTEGER NOT NULL);
CREATE INDEX members ON clusters (head);
CREATE TABLE refused (
    digest BLOB PRIMARY KEY, page INTEGER NOT NULL, kind TEXT NOT NULL, likeness TEXT NOT NULL, seal INTEGER NOT NULL
) WITHOUT ROWID;
"""


class Sighting(NamedTuple):
    """A page showed a content in a sweep: a row of the table ``places``. A larger ``id`` was seen later."""

    id: int
    page: int
    sweep: int
    content: int
    contact: str | None

    def row(self) -> tuple[Any, ...]:
        """Return the row of the table, the seal last."""
        return (*self, seal("places", *self))


class Refusal(NamedTuple):
    """A document that was screened and not stored: the digest of its bytes, the page with the document that it
    repeats, how, and the three shares of their likeness as JSON."""

    digest: bytes
    page: int
    kind: str
    likeness: str


@dataclass(frozen=True, slots=True)
class Content:
    """A distinct content. ``row`` is its representative among all with the same shingles, itself if it was the first,
    and ``kind`` how it equals that. One that represents itself has the digest of its shingles, their number (``size``),
    and the modulus of its sketch."""

    id: int
    digest: bytes
    lexical: bytes
    shingles: bytes | None
    row: int
    kind: str
    size: int
    modulus: int

    def fields(self) -> tuple[Any, ...]:
        """Return the columns, in order."""
        return self.id, self.digest, self.lexical, self.shingles, self.row, self.kind, self.size, self.modulus

    def sealed(self) -> tuple[Any, ...]:
        """Return the row of the table, the seal last."""
        return (*self.fields(), seal("contents", *self.fields()))


CONTENT_COLUMNS = "id, digest, lexical, shingles, row, kind, size, modulus"
SIGHTING_COLUMNS = "id, page, sweep, content, contact"


# Totals kept in memory before they are written: each takes some hundred bytes.
PENDING = 50_000


class SweepStore(Database):
    """The database of a sweep store. It counts additions in memory and writes the totals at the end of a
    transaction."""

    kind = "sweep"
    version_of_format = VERSION
    oldest_format = OLDEST
    tables = SCHEMA
    counted = (*TABLES, LAST_PLACE)

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._pending: dict[str, tuple[int, int]] = {}
        self._base: dict[str, tuple[int, int]] = {}
        super().__init__(path, create=create)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything inside durably, or nothing."""
        try:
            with super().transaction():
                yield
                self._write_totals()
        finally:
            self._pending, self._base = {}, {}

    def document_count(self) -> int:
        return self.total("contents")

    @property
    def is_older(self) -> bool:
        """Whether an earlier version of Whorl made the store."""
        return int(self.meta("version")) < VERSION

    @property
    def joins_letters(self) -> bool:
        """Whether letters of scripts without spaces are joined to shingles as long as words."""
        return not self.is_older

    def base(self) -> Hashes:
        """Return the sorted shingles that do not count."""
        encoded = self.meta("base") if self.joins_letters else ""
        return np.frombuffer(b64decode(encoded), np.uint64)

    def sweeps(self) -> dict[int, str]:
        """Return the dates of all sweeps by number, the oldest first."""
        rows = list(self._execute("SELECT number, date, seal FROM sweeps ORDER BY date"))
        self._add_up("sweeps", [self._checked("sweeps", row) for row in rows])
        return {row[0]: row[1] for row in rows}

    def page(self, url: str) -> int | None:
        """Return the number of the page at this address, or None."""
        row = self._first("SELECT id, url, seal FROM pages WHERE url = ?", (url,))
        return None if row is None else int(self._checked("pages", row)[0])

    def url(self, page: int) -> str:
        """Return the address of a page."""
        return str(self._needed("pages", "SELECT id, url, seal FROM pages WHERE id = ?", page)[1])

    def check_missing(self, name: str) -> None:
        """Raise DamageError if a page has this address. Scan the table: its index may be damaged."""
        for row in self.scan("pages", "id, url"):
            if row[1] == name:
                raise DamageError(self.path, f"page {name!r} is missing from the index of addresses")

    def content(self, number: int) -> Content:
        """Return the content of a number."""
        return Content(
            *self._needed("contents", f"SELECT {CONTENT_COLUMNS}, seal FROM contents WHERE id = ?", number)[:-1]
        )

    def known(self, column: str, digest: bytes) -> Content | None:
        """Return a content with this digest of its bytes, its symbols (``lexical``) or its shingles, or None."""
        statement = f"SELECT {CONTENT_COLUMNS}, seal FROM contents WHERE {column} = ? ORDER BY id LIMIT 1"
        row = self._first(statement, (digest,))
        return None if row is None else Content(*self._checked("contents", row)[:-1])

    def hashes(self, row: int) -> Hashes:
        """Return the sorted distinct shingles of a content that represents itself."""
        _, data, _ = self._needed("hashes", "SELECT content, data, seal FROM hashes WHERE content = ?", row)
        return np.frombuffer(data, np.uint64)

    def refused(self, digest: bytes) -> Refusal | None:
        """Return why a document with these bytes was refused, or None."""
        if self.is_older:
            return None
        row = self._first("SELECT digest, page, kind, likeness, seal FROM refused WHERE digest = ?", (digest,))
        return None if row is None else Refusal(*self._checked("refused", row)[:-1])

    def places_of_page(self, page: int) -> list[Sighting]:
        """Return all sightings of a page, in the order in which they were added."""
        return self._places("page", page)

    def places_of_content(self, content: int) -> list[Sighting]:
        """Return all sightings of a content."""
        return self._places("content", content)

    def contents_of_row(self, row: int) -> list[int]:
        """Return all contents that one represents, itself first."""
        statement = f"SELECT {CONTENT_COLUMNS}, seal FROM contents WHERE row = ? ORDER BY id"
        return [int(fields[0]) for fields in self._group("contents", statement, "row", row)]

    def head(self, row: int) -> int:
        """Return the representative of the cluster of a row."""
        return int(self._needed("clusters", "SELECT content, head, seal FROM clusters WHERE content = ?", row)[1])

    def members(self, head: int) -> list[int]:
        """Return the rows of a cluster."""
        statement = "SELECT content, head, seal FROM clusters WHERE head = ? ORDER BY content"
        return [int(fields[0]) for fields in self._group("clusters", statement, "cluster", head)]

    def scan(self, table: str, columns: str, order: str = "1") -> Iterator[tuple[Any, ...]]:
        """Yield all rows of a table, each checked. Check at the end that none is missing."""
        count, total = self._totals(table)
        with self._connection.turn, self._translate_errors("read"):
            cursor = self._connection.sqlite.execute(
                f"SELECT {columns}, seal FROM {table} NOT INDEXED ORDER BY {order}"
            )
            for row in cursor:
                self._checked(table, row)
                count, total = count - 1, total ^ row[-1]
                yield row[:-1]
        self._ensure((count, total) == (0, 0), f"the table {table}: rows are missing or too many")

    # Call the following inside a transaction.

    def sweep(self, date: str) -> int:
        """Return the number of the sweep of a date; create it if necessary."""
        row = self._first("SELECT number, date, seal FROM sweeps WHERE date = ?", (date,))
        if row is not None:
            return int(self._checked("sweeps", row)[0])
        number = self.total("sweeps") + 1
        self._insert("sweeps", (number, date))
        return number

    def put_page(self, url: str) -> int:
        """Return the number of the page at this address; create it if necessary."""
        page = self.page(url)
        if page is not None:
            return page
        number = self.total("pages") + 1
        self._insert("pages", (number, url))
        return number

    def put_place(self, page: int, sweep: int, content: int, contact: str | None) -> None:
        """Record that a page shows a content in a sweep. A repeated sighting moves to the end of that sweep."""
        statement = f"SELECT {SIGHTING_COLUMNS}, seal FROM places WHERE page = ? AND sweep = ? AND content = ?"
        for row in self._execute(statement, (page, sweep, content)):
            old = Sighting(*self._checked("places", row)[:-1])
            contact = contact if contact is not None else old.contact
            self._execute("DELETE FROM places WHERE id = ?", (old.id,))
            self._count_place(old, -1)
        new = Sighting(self.total(LAST_PLACE) + 1, page, sweep, content, contact)
        self._count(LAST_PLACE, 1, 0)
        self._execute("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?)", new.row())
        self._count_place(new, 1)

    def put_content(self, content: Content, hashes: Hashes | None) -> None:
        """Insert a new content, with its shingles if it represents itself."""
        row = content.sealed()
        self._execute(f"INSERT INTO contents VALUES ({', '.join('?' * len(row))})", row)
        self._count("contents", 1, row[-1])
        self._count(f"row {content.row}", 1, row[-1])
        if hashes is not None:
            data = np.ascontiguousarray(hashes).tobytes()
            sealed = seal("hashes", content.id, data)
            self._execute("INSERT INTO hashes VALUES (?, ?, ?)", (content.id, data, sealed))

    def put_refused(self, refusal: Refusal) -> None:
        """Record that a document was refused, unless that is known."""
        if self.refused(refusal.digest) is None:
            self._insert("refused", refusal)

    def put_pairs(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        """Insert pairs: left, right, the number of shared sketched shingles, and of shared shingles."""
        for row in rows:
            self._insert("pairs", row)

    def reduce_pair(self, old: tuple[int, int, int, int], count: int) -> None:
        """Set a lower count of shared sketched shingles. Delete the pair at 0."""
        self._execute("DELETE FROM pairs WHERE left = ? AND right = ?", old[:2])
        self._count("pairs", -1, seal("pairs", *old))
        if count:
            self._insert("pairs", (*old[:2], count, old[3]))

    def put_head(self, row: int, head: int, old: int | None) -> None:
        """Put a content into a cluster; ``old`` is its previous one."""
        if old is not None:
            self._execute("DELETE FROM clusters WHERE content = ?", (row,))
            sealed = seal("clusters", row, old)
            self._count("clusters", -1, sealed)
            self._count(f"cluster {old}", -1, sealed)
        sealed = self._insert("clusters", (row, head))
        self._count(f"cluster {head}", 1, sealed)

    def check_indexes(self) -> None:
        """Check the indexes of pages and contents, which an add looks up: in linear time."""
        for table in ("pages", "contents"):
            self._check_integrity(table, f"the table {table}")

    def check(self) -> None:
        """Check every row and every group of rows too."""
        super().check()
        self.sweeps()
        for number, _ in list(self.scan("pages", "id, url")):
            self.places_of_page(number)
        for row in list(self.scan("contents", CONTENT_COLUMNS)):
            self.places_of_content(row[0])
            if row[0] == row[4]:
                self.hashes(row[0])
                self.contents_of_row(row[0])
                self.members(self.head(row[0]))
        for table, columns in (
            ("places", SIGHTING_COLUMNS),
            ("pairs", "left, right, count, shared"),
            *([] if self.is_older else [("refused", "digest, page, kind, likeness")]),
        ):
            for _ in self.scan(table, columns):
                pass

    def _places(self, column: str, number: int) -> list[Sighting]:
        statement = f"SELECT {SIGHTING_COLUMNS}, seal FROM places WHERE {column} = ? ORDER BY id"
        return [Sighting(*row[:-1]) for row in self._group("places", statement, column, number)]

    def _group(self, table: str, statement: str, kind: str, number: int) -> list[tuple[Any, ...]]:
        """Read rows that have their own total."""
        rows = [self._checked(table, row) for row in self._execute(statement, (number,))]
        self._add_up(f"{kind} {number}", rows)
        return rows

    def _needed(self, table: str, statement: str, number: int) -> tuple[Any, ...]:
        """Read a row that another one refers to."""
        row = self._first(statement, (number,))
        if row is None or row[0] != number:
            raise DamageError(self.path, f"the table {table} has no row {number}")
        return self._checked(table, row)

    def _checked(self, table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        self._ensure(seal(table, *row[:-1]) == row[-1], f"the checksum of a row of {table} is wrong")
        return row

    def _insert(self, table: str, fields: tuple[Any, ...]) -> int:
        sealed = seal(table, *fields)
        self._execute(f"INSERT INTO {table} VALUES ({', '.join('?' * (len(fields) + 1))})", (*fields, sealed))
        self._count(table, 1, sealed)
        return sealed

    def _count_place(self, place: Sighting, more: int) -> None:
        sealed = place.row()[-1]
        for name in ("places", f"page {place.page}", f"content {place.content}"):
            self._count(name, more, sealed)

    def _count(self, table: str, more: int, sealed: int) -> None:
        """Keep the count until the transaction ends: a page or content is often counted several times."""
        count, total = self._pending.get(table, (0, 0))
        self._pending[table] = count + more, total ^ sealed
        if len(self._pending) >= PENDING:
            self._write_totals()

    def _totals(self, table: str) -> tuple[int, int]:
        more, sealed = self._pending.get(table, (0, 0))
        if table in self._pending and table not in self._base and self._is_new(table):
            return more, sealed
        count, total = self._base.get(table) or super()._totals(table)
        if table in TABLES or table == LAST_PLACE:
            self._remember(table, (count, total))
        return count + more, total ^ sealed

    def _remember(self, table: str, written: tuple[int, int]) -> None:
        """Cache what the database has during a transaction: every added row needs it."""
        if self._connection.sqlite.in_transaction and self._pending:
            self._base[table] = written

    def _is_new(self, table: str) -> bool:
        """Return whether the total does not exist yet."""
        return self._first("SELECT 1 FROM totals WHERE name = ?", (table,)) is None

    def _write_totals(self) -> None:
        self._base = {}
        for name in list(self._pending):
            count, total = self._totals(name)
            del self._pending[name]
            row = name, count, total, seal(name, count, total)
            self._execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)", row)
        self._base = {}
