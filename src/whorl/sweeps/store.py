"""The database of a sweep store. Its commit is the only commit point; ``docs/formats/sweep.md`` shows every table.

The connection, transactions and the list of segments are those of every store of segments. Rows that are read as a
group, such as the places of a page, have a total of their own: how many they are, and the exclusive or of their seals.
So a row that vanished from a table, or from an index of it, is noticed.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from whorl.index.database import Database
from whorl.index.faults import DamageError
from whorl.index.seals import seal
from whorl.model import Hashes
from whorl.sweeps.rows import CONTENT_COLUMNS, SHOWN_COLUMNS, Content, Shown, is_sound
from whorl.sweeps.tables import LAST_PLACE, SCHEMA, TABLES, VERSION

# Totals that are held before they are written: each is some hundred bytes.
HELD = 50_000


class SweepStore(Database):
    """One connection to the database. What is added is counted in memory and written at the end of a transaction."""

    kind = "sweep"
    version_of_format = VERSION
    tables = SCHEMA
    counted = (*TABLES, LAST_PLACE)

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._held: dict[str, tuple[int, int]] = {}
        self._base: dict[str, tuple[int, int]] = {}
        super().__init__(path, create=create)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and on the disk when it is left."""
        try:
            with super().transaction():
                yield
                self._write_totals()
        finally:
            self._held, self._base = {}, {}

    # What is read.

    def sweeps(self) -> dict[int, str]:
        """The dates of all sweeps by number, the oldest first."""
        rows = list(self._execute("SELECT number, date, seal FROM sweeps ORDER BY date"))
        self._add_up("sweeps", [self._checked("sweeps", row) for row in rows])
        return {row[0]: row[1] for row in rows}

    def page(self, url: str) -> int | None:
        """The number of the page at this address."""
        row = self._first("SELECT id, url, seal FROM pages WHERE url = ?", (url,))
        return None if row is None else int(self._checked("pages", row)[0])

    def url(self, page: int) -> str:
        """The address of a page."""
        return str(self._needed("pages", "SELECT id, url, seal FROM pages WHERE id = ?", page)[1])

    def check_missing(self, name: str) -> None:
        """That no page has this address, without the help of the table's index, in which it may be damaged."""
        for row in self.scan("pages", "id, url"):
            if row[1] == name:
                raise DamageError(self.path, f"page {name!r} is not found by its address")

    def content(self, number: int) -> Content:
        """The content of a number."""
        return Content(*self._needed("contents", f"SELECT {CONTENT_COLUMNS} FROM contents WHERE id = ?", number)[:-1])

    def known(self, column: str, digest: bytes) -> Content | None:
        """A content with this digest of its bytes, its symbols (``lexical``) or its shingles."""
        statement = f"SELECT {CONTENT_COLUMNS} FROM contents WHERE {column} = ? ORDER BY id LIMIT 1"
        row = self._first(statement, (digest,))
        return None if row is None else Content(*self._checked("contents", row)[:-1])

    def hashes(self, row: int) -> Hashes:
        """The sorted distinct shingles of a content that stands for itself."""
        found = self._needed("hashes", "SELECT content, data, seal FROM hashes WHERE content = ?", row)
        return np.frombuffer(found[1], np.uint64)

    def places_of_page(self, page: int) -> list[Shown]:
        """All that a page ever showed, in the order in which it was added."""
        return self._places("page", page)

    def places_of_content(self, content: int) -> list[Shown]:
        """Wherever a content was ever seen."""
        return self._places("content", content)

    def contents_of_row(self, row: int) -> list[int]:
        """All contents that one stands for, itself first."""
        statement = f"SELECT {CONTENT_COLUMNS} FROM contents WHERE row = ? ORDER BY id"
        return [int(found[0]) for found in self._group("contents", statement, "row", row)]

    def head(self, row: int) -> int:
        """The content that stands for the cluster."""
        return int(self._needed("clusters", "SELECT content, head, seal FROM clusters WHERE content = ?", row)[1])

    def members(self, head: int) -> list[int]:
        """The rows of a cluster."""
        statement = "SELECT content, head, seal FROM clusters WHERE head = ? ORDER BY content"
        return [int(found[0]) for found in self._group("clusters", statement, "cluster", head)]

    def scan(self, table: str, columns: str, order: str = "1") -> Iterator[tuple[Any, ...]]:
        """All rows of a table, one at a time, each checked, and at the end that none is missing."""
        count, total = self._totals(table)
        with self._turn, self._told("read"):
            cursor = self._connection.execute(f"SELECT {columns}, seal FROM {table} NOT INDEXED ORDER BY {order}")
            for row in cursor:
                self._checked(table, row)
                count, total = count - 1, total ^ row[-1]
                yield row[:-1]
        self._sound((count, total) == (0, 0) or None, f"the table {table}: rows are missing or too many")

    # What follows is called inside a transaction.

    def sweep(self, date: str) -> int:
        """The number of the sweep of a date; a new one if there was none."""
        row = self._first("SELECT number, date, seal FROM sweeps WHERE date = ?", (date,))
        if row is not None:
            return int(self._checked("sweeps", row)[0])
        number = self.total("sweeps") + 1
        self._insert("sweeps", (number, date))
        return number

    def put_page(self, url: str) -> int:
        """The number of the page at this address; a new one if there was none."""
        found = self.page(url)
        if found is not None:
            return found
        number = self.total("pages") + 1
        self._insert("pages", (number, url))
        return number

    def put_place(self, page: int, sweep: int, content: int, contact: str | None) -> None:
        """A page shows a content in a sweep. What it shows again moves to the end of what it showed in that sweep."""
        statement = f"SELECT {SHOWN_COLUMNS} FROM places WHERE page = ? AND sweep = ? AND content = ?"
        for row in self._execute(statement, (page, sweep, content)):
            old = Shown(*self._checked("places", row)[:-1])
            contact = contact if contact is not None else old.contact
            self._execute("DELETE FROM places WHERE id = ?", (old.id,))
            self._count_place(old, -1)
        new = Shown(self.total(LAST_PLACE) + 1, page, sweep, content, contact)
        self._count(LAST_PLACE, 1, 0)
        self._execute("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?)", new.row())
        self._count_place(new, 1)

    def put_content(self, content: Content, hashes: Hashes | None) -> None:
        """A new content; one that stands for itself has its shingles with it."""
        row = content.sealed()
        self._execute(f"INSERT INTO contents VALUES ({', '.join('?' * len(row))})", row)
        self._count("contents", 1, row[-1])
        self._count(f"row {content.row}", 1, row[-1])
        if hashes is not None:
            data = np.ascontiguousarray(hashes).tobytes()
            sealed = seal("hashes", content.id, data)
            self._execute("INSERT INTO hashes VALUES (?, ?, ?)", (content.id, data, sealed))

    def put_pairs(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        """New pairs: left, right, how many sketched shingles they share, and how many shingles."""
        for row in rows:
            self._insert("pairs", row)

    def drop_pair(self, old: tuple[int, int, int, int], count: int) -> None:
        """A pair shares fewer sketched shingles that count; none: it is no pair any more."""
        self._execute("DELETE FROM pairs WHERE left = ? AND right = ?", old[:2])
        self._count("pairs", -1, seal("pairs", *old))
        if count:
            self._insert("pairs", (*old[:2], count, old[3]))

    def put_head(self, row: int, head: int, old: int | None) -> None:
        """A content joins a cluster, from another one or for the first time."""
        if old is not None:
            self._execute("DELETE FROM clusters WHERE content = ?", (row,))
            sealed = seal("clusters", row, old)
            self._count("clusters", -1, sealed)
            self._count(f"cluster {old}", -1, sealed)
        sealed = self._insert("clusters", (row, head))
        self._count(f"cluster {head}", 1, sealed)

    def check_indexes(self) -> None:
        """That what is looked up before it is added, pages and contents, would be found: linear in their number."""
        for table in ("pages", "contents"):
            told = [row[0] for row in self._execute(f"PRAGMA integrity_check({table})")]
            self._sound(told == ["ok"] or None, f"the table {table}: {'; '.join(map(str, told))[:200]}")

    def check(self) -> None:
        """Everything that the database itself and the seals can tell."""
        super().check()
        self.sweeps()
        for number, _ in list(self.scan("pages", "id, url")):
            self.places_of_page(number)
        for row in list(self.scan("contents", CONTENT_COLUMNS.removesuffix(", seal"))):
            self.places_of_content(row[0])
            if row[0] == row[4]:
                self.hashes(row[0])
                self.contents_of_row(row[0])
                self.members(self.head(row[0]))
        for table, columns in (
            ("places", SHOWN_COLUMNS.removesuffix(", seal")),
            ("pairs", "left, right, count, shared"),
        ):
            for _ in self.scan(table, columns):
                pass

    def _places(self, column: str, number: int) -> list[Shown]:
        statement = f"SELECT {SHOWN_COLUMNS} FROM places WHERE {column} = ? ORDER BY id"
        return [Shown(*row[:-1]) for row in self._group("places", statement, column, number)]

    def _group(self, table: str, statement: str, kind: str, number: int) -> list[tuple[Any, ...]]:
        """Rows that have a total of their own."""
        rows = [self._checked(table, row) for row in self._execute(statement, (number,))]
        self._add_up(f"{kind} {number}", rows)
        return rows

    def _needed(self, table: str, statement: str, number: int) -> tuple[Any, ...]:
        """A row that another one names."""
        row = self._first(statement, (number,))
        if row is None or row[0] != number:
            raise DamageError(self.path, f"the table {table} has no row {number}")
        return self._checked(table, row)

    def _checked(self, table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if not is_sound(table, row):
            raise DamageError(self.path, f"a row of {table} is not as it was written")
        return row

    def _insert(self, table: str, fields: tuple[Any, ...]) -> int:
        sealed = seal(table, *fields)
        self._execute(f"INSERT INTO {table} VALUES ({', '.join('?' * (len(fields) + 1))})", (*fields, sealed))
        self._count(table, 1, sealed)
        return sealed

    def _count_place(self, place: Shown, more: int) -> None:
        sealed = place.row()[-1]
        for name in ("places", f"page {place.page}", f"content {place.content}"):
            self._count(name, more, sealed)

    def _count(self, table: str, more: int, sealed: int) -> None:
        """Held until the transaction ends, for one page or content is often counted several times."""
        count, total = self._held.get(table, (0, 0))
        self._held[table] = count + more, total ^ sealed
        if len(self._held) >= HELD:
            self._write_totals()

    def _totals(self, table: str) -> tuple[int, int]:
        more, sealed = self._held.get(table, (0, 0))
        if table in self._held and table not in self._base and self._is_new(table):
            return more, sealed
        count, total = self._base.get(table) or super()._totals(table)
        if table in TABLES or table == LAST_PLACE:
            self._remember(table, (count, total))
        return count + more, total ^ sealed

    def _remember(self, table: str, written: tuple[int, int]) -> None:
        """Of a transaction, what the database has: it is asked for with every row that is added."""
        if self._connection.in_transaction and self._held:
            self._base[table] = written

    def _is_new(self, table: str) -> bool:
        """Whether nobody has counted this yet."""
        return self._first("SELECT 1 FROM totals WHERE name = ?", (table,)) is None

    def _write_totals(self) -> None:
        self._base = {}
        for name in list(self._held):
            count, total = self._totals(name)
            del self._held[name]
            row = name, count, total, seal(name, count, total)
            self._execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)", row)
        self._base = {}
