"""The database of everything that keeps postings in segments: its commit is the only commit point.

Fresh postings, the list of segments, tombstones, and the numbers that are given out. Whoever keeps documents adds
tables of their own (``store``, ``whorl.registry.store``). SQLite through apsw, in WAL mode: readers are never blocked
and see one committed state. Rows carry seals (``seals``).
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import xor
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar

import apsw

from whorl.errors import InputError
from whorl.index.faults import DamageError, IndexFormatError, IndexIOError
from whorl.index.points import point
from whorl.index.seals import seal
from whorl.scheme import Scheme

# The WAL-reset bug that can corrupt a database was fixed in this version.
OLDEST_SQLITE = (3, 51, 3)

# How long a statement waits for another process' commit, which takes milliseconds.
BUSY_MILLISECONDS = 10_000

# Rows that are read at a time when all are: of texts, a few megabytes.
ROWS = 500

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE delta (id INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE segments (name TEXT PRIMARY KEY, postings INTEGER NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tombstones (id INTEGER PRIMARY KEY, seal INTEGER NOT NULL);
CREATE TABLE totals (name TEXT PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL, seal INTEGER NOT NULL)
    WITHOUT ROWID;
"""
# Tables whose rows are counted and summed, and what counts the documents.
DOCUMENTS = "documents"
COUNTED = ("delta", "segments", "tombstones")

# What else is kept among the totals: the last numbers of documents and of segments that were ever given, so that none
# is given twice.
LAST_DOCUMENT, LAST_SEGMENT = "last document", "last segment"


# The statements here are right, so a table or a column that SQLite does not know, a rule that is broken or a text that
# is not UTF-8 means that the file is not as it was written.
_DAMAGE = (
    apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.ConstraintError, apsw.MismatchError, apsw.FormatError,
    apsw.TooBigError, UnicodeDecodeError,
)  # fmt: skip
_REFUSED = (
    apsw.IOError,
    apsw.FullError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.ProtocolError,
    apsw.PermissionsError,
)


class Database:
    """One connection; threads take turns. ``changes`` counts this connection's own commits, and those that failed.

    A subclass says what it is (``kind``), its ``version``, which is raised when a table changes, its own tables, and
    what else is counted.
    """

    kind: ClassVar[str]
    version_of_format: ClassVar[int]
    tables: ClassVar[str]
    counted: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < OLDEST_SQLITE:
            raise IndexFormatError(
                f"SQLite {apsw.sqlite_lib_version()} can corrupt an {self.kind}: update the package apsw"
            )
        self.path = path
        self.changes = 0
        self._turn = RLock()
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        with self._told("open"):
            self._connection = apsw.Connection(str(path), flags)
            self._connection.set_busy_timeout(BUSY_MILLISECONDS)
            if create:
                self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON")
        if not create:
            self._check_version()

    def close(self) -> None:
        """End the connection."""
        with self._turn, self._told("close"):
            self._connection.close()

    def make(self, scheme: Scheme, **more: str) -> None:
        """The empty tables, with what holds for the whole."""
        version, revision = str(self.version_of_format), str(scheme.revision)
        with self.transaction():
            self._execute(_SCHEMA + self.tables)
            meta = {"version": version, "scheme": scheme.to_json(), "revision": revision, **more}
            for name, value in meta.items():
                self._execute("INSERT INTO meta VALUES (?, ?, ?)", (name, value, seal(name, value)))
            for name in (*COUNTED, *self.counted, LAST_DOCUMENT, LAST_SEGMENT):
                self._execute("INSERT INTO totals VALUES (?, 0, 0, ?)", (name, seal(name, 0, 0)))
            point("create.tables")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and on the disk when it is left."""
        with self._turn:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                point("store.before-commit")
                self.changes += 1  # before: an interrupt that comes right after the commit must not hide it
                self._execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._execute("ROLLBACK")
                raise
        point("store.committed")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One committed state for everything that is read inside; another one inside it changes nothing."""
        with self._turn:
            if self._connection.in_transaction:
                yield
                return
            self._execute("BEGIN")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self._execute("COMMIT")

    def version(self) -> tuple[int, int]:
        """Changes when anybody commits."""
        return self.changes, int(self._one("PRAGMA data_version"))

    def meta(self, name: str) -> str:
        """A value that holds for the whole index."""
        row = self._first("SELECT name, value, seal FROM meta WHERE name = ?", (name,))
        if row is None or seal(*row[:-1]) != row[-1]:
            raise DamageError(self.path, f"the value {name!r} is missing or wrong")
        return str(row[1])

    def scheme(self) -> Scheme:
        """The scheme of all fingerprints; refused if it would make others today."""
        scheme = Scheme.from_json(self.meta("scheme"))
        # What was made before revisions were noted has the first.
        made = self.meta("revision") if self._first("SELECT 1 FROM meta WHERE name = ?", ("revision",)) else "1"
        if made != str(scheme.revision):
            raise IndexFormatError(
                f"{self.path}: its fingerprints are those of another version of Whorl (revision {made} of what this "
                f"scheme gives, and this one makes {scheme.revision}): make it again from the documents"
            )
        return scheme

    def total(self, table: str) -> int:
        """How many rows a table has."""
        return self._totals(table)[0]

    def sanctioned(self) -> list[int]:
        """The numbers of documents whose postings are no evidence: none, unless somebody keeps such."""
        return []

    def delta(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """The fresh postings of some documents."""
        for number in numbers:
            row = self._first("SELECT id, data, seal FROM delta WHERE id = ?", (number,))
            if row is None or seal(*row[:-1]) != row[-1]:
                raise DamageError(self.path, f"the fresh postings of document {number} are not as they were written")
            yield number, bytes(row[1])

    def fresh_seals(self, known: Mapping[int, int]) -> dict[int, int]:
        """The numbers of documents with fresh postings, and the seals of those, all of them checked. If documents only
        came since ``known``, only those are looked at: a seal stands behind all postings of its document."""
        after = max(known, default=0)
        for start, those in ((after, dict(known)), (0, {})) if after else ((0, {}),):
            those |= self._execute("SELECT id, seal FROM delta WHERE id > ? ORDER BY id", (start,))
            self._sound(all(isinstance(sealed, int) for sealed in those.values()) or None, "a row of delta")
            if self._totals("delta") == (len(those), reduce(xor, those.values(), 0)):
                return those
        raise DamageError(self.path, "the table delta: rows are missing or too many")

    def keys(self, table: str) -> list[Any]:
        """The keys of a counted table, all of them checked."""
        column = "name" if table == "segments" else "id"
        fields = {"segments": "name, postings", "tombstones": "id"}.get(table)
        rows = list(self._execute(f"SELECT {fields or column}, seal FROM {table} ORDER BY {column}"))
        for row in rows if fields is not None else ():
            self._sound(seal(table, *row[:-1]) == row[-1] or None, f"a row of {table}")
        self._add_up(table, rows)
        return [row[0] for row in rows]

    def refuse_reading(self) -> None:
        """What writes the file anew cannot be done in the middle of a reading of the same thread."""
        with self._turn:
            if self._connection.in_transaction:
                raise InputError(f"{self.path}: it is being read: leave reading() before it is purged")

    def rewrite(self) -> None:
        """Write the file anew from the rows that are there: no free page and no gap keeps what was deleted. Readers go
        on with the state that they have."""
        self._execute("VACUUM")

    def empty_log(self, seconds: float) -> None:
        """Bring all of the log into the file and cut it to nothing; wait so long for readers of older states."""
        until = time.monotonic() + seconds
        while self._one("PRAGMA wal_checkpoint(TRUNCATE)"):  # by now SQLite has waited BUSY_MILLISECONDS itself
            if time.monotonic() >= until:
                raise IndexIOError(self.path, "purge", "a reader holds an older state: end it, and purge again")

    def pages(self) -> tuple[int, int]:
        """Pages of the file, and how many of them hold nothing."""
        return int(self._one("PRAGMA page_count")), int(self._one("PRAGMA freelist_count"))

    def values(self) -> Iterator[bytes]:
        """Every text and blob of every row, as bytes: what the file says, however it is laid out."""
        tables = [str(row[0]) for row in self._execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in ("sqlite_schema", *tables):
            for row in self._rows(table):
                yield from (
                    each.encode() if isinstance(each, str) else each for each in row if isinstance(each, str | bytes)
                )

    # What follows is called inside a transaction.

    def insert_delta(self, number: int, postings: bytes) -> None:
        """The fresh postings of a document."""
        sealed = seal(number, postings)
        self._execute("INSERT INTO delta VALUES (?, ?, ?)", (number, postings, sealed))
        self._count("delta", 1, sealed)
        point("add.delta")

    def bury(self, number: int) -> None:
        """Without a document's postings; if they are in a segment, a tombstone says that they count no more."""
        fresh = self._first("SELECT seal FROM delta WHERE id = ?", (number,))
        if fresh is not None:
            self.delete_delta([number])
            point("remove.delta")
            return
        sealed = seal("tombstones", number)
        self._execute("INSERT INTO tombstones VALUES (?, ?)", (number, sealed))
        self._count("tombstones", 1, sealed)
        point("remove.tombstone")

    def next_number(self) -> int:
        """The number of the next document: none is ever used again."""
        return self.total(LAST_DOCUMENT) + 1

    def delete_delta(self, numbers: Iterable[int]) -> None:
        """Without the fresh postings of some documents."""
        self._delete("delta", numbers)

    def delete_tombstones(self, numbers: Iterable[int]) -> None:
        """Without the tombstones of documents whose postings are gone."""
        self._delete("tombstones", numbers)

    def swap_segments(self, gone: Iterable[str], name: str, postings: int) -> None:
        """One segment in the place of others; none, if it would be empty. Its name begins with its number."""
        for old in gone:
            row = self._first("DELETE FROM segments WHERE name = ? RETURNING seal", (old,))
            if row is not None:
                self._count("segments", -1, int(row[0]))
        if postings:
            sealed = seal("segments", name, postings)
            self._execute("INSERT INTO segments VALUES (?, ?, ?)", (name, postings, sealed))
            self._count("segments", 1, sealed)
        self._count(LAST_SEGMENT, int(name.partition(".")[0]) - self.total(LAST_SEGMENT), 0)
        point("segments.swapped")

    def check(self) -> None:
        """Everything that the database itself and the seals can tell."""
        told = [row[0] for row in self._execute("PRAGMA integrity_check(5)")]
        self._sound(told == ["ok"] or None, f"the database: {'; '.join(map(str, told))[:200]}")
        for table in COUNTED:
            self.keys(table)
        for _ in self.delta(self.keys("delta")):
            pass

    def _delete(self, table: str, numbers: Iterable[int]) -> None:
        """Rows of a counted table; those that are not there are none."""
        count, total = 0, 0
        for number in numbers:
            row = self._first(f"DELETE FROM {table} WHERE id = ? RETURNING seal", (number,))
            if row is not None:
                count, total = count - 1, total ^ int(row[0])
        self._count(table, count, total)

    def _rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """All rows of a table; of one that is numbered, and may be large, some at a time."""
        is_numbered = any(row[1] == "id" for row in self._execute(f"PRAGMA table_info({table})"))
        if not is_numbered:
            yield from self._execute(f"SELECT * FROM {table}")
            return
        after = 0
        while rows := list(self._execute(f"SELECT * FROM {table} WHERE id > ? ORDER BY id LIMIT {ROWS}", (after,))):
            yield from rows
            after = int(rows[-1][0])

    def _check_version(self) -> None:
        version = int(self.meta("version"))
        if version > self.version_of_format:
            raise IndexFormatError(
                f"{self.path}: {self.kind} format {version} is newer than this Whorl's, {self.version_of_format}: "
                "update Whorl"
            )

    def _totals(self, table: str) -> tuple[int, int]:
        row = self._first("SELECT name, count, sum, seal FROM totals WHERE name = ?", (table,))
        if row is None or seal(*row[:-1]) != row[-1]:
            raise DamageError(self.path, f"the total of {table} is missing or wrong")
        return int(row[1]), int(row[2])

    def _count(self, table: str, more: int, sealed: int) -> None:
        count, total = self._totals(table)
        count, total = count + more, total ^ sealed
        self._execute(
            "UPDATE totals SET count = ?, sum = ?, seal = ? WHERE name = ?",
            (count, total, seal(table, count, total), table),
        )

    def _add_up(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Whether rows, whose seals come last, are as many as were counted, and the same ones."""
        count, total = self._totals(table)
        for row in rows:
            count, total = (
                count - 1,
                total ^ self._sound(row[-1] if isinstance(row[-1], int) else None, f"a row of {table}"),
            )
        self._sound((count, total) == (0, 0) or None, f"the table {table}: rows are missing or too many")

    def _sound(self, found: Any, what: str) -> Any:
        if found is None:
            raise DamageError(self.path, what)
        return found

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        with self._turn, self._told("read or write"):
            return iter(self._connection.execute(statement, values).fetchall())

    def _first(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return next(self._execute(statement, values), None)

    def _one(self, statement: str) -> Any:
        row = self._first(statement, ())
        return None if row is None else row[0]

    @contextmanager
    def _told(self, action: str) -> Iterator[None]:
        """What SQLite raises, in the index's own words."""
        try:
            yield
        except _DAMAGE as error:
            raise DamageError(self.path, f"the database: {error}") from error
        except apsw.BusyError as error:
            raise IndexIOError(self.path, action, "another process is writing; try again") from error
        except _REFUSED as error:
            raise IndexIOError(self.path, action, str(error)) from error
