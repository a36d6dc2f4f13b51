"""The database of a store of postings. Its commit is the only commit point.

It holds fresh postings, the list of segments, tombstones, and the last numbers that were assigned. Index, registry and
sweep add their own tables. SQLite runs in WAL mode: readers are never blocked and see one committed state. Rows carry
seals (``whorl.storage.checksums``).
"""

import errno
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from itertools import groupby
from operator import xor
from pathlib import Path
from typing import Any, ClassVar

import apsw

from whorl.errors import DamageError, InputError, StoreFormatError, StoreIOError
from whorl.scheme import Scheme
from whorl.storage import files
from whorl.storage.checksums import seal
from whorl.storage.connection import Connection
from whorl.storage.files import point

# Rewrite the file when it has so many free pages, and one in so many of all.
MANY_FREE, FREE_SHARE = 16, 8

# Rows read at a time in a scan: a few megabytes of texts.
ROWS = 500

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE delta (id INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE segments (name TEXT PRIMARY KEY, postings INTEGER NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tombstones (id INTEGER PRIMARY KEY, seal INTEGER NOT NULL);
CREATE TABLE totals (name TEXT PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL, seal INTEGER NOT NULL)
    WITHOUT ROWID;
"""
# The tables whose rows are counted and summed, and the total that counts the documents.
DOCUMENTS = "documents"
COUNTED = ("delta", "segments", "tombstones")

# Also among the totals: the last numbers assigned to documents and segments. No number is used twice.
LAST_DOCUMENT, LAST_SEGMENT = "last document", "last segment"

# The number of commits. Older stores did not count their first ones.
COMMITS = "commits"

# The number of times that a document got another owner and kept its number. A store where none did has no such row.
OWNER_CHANGES = "owner changes"


# The statements here are correct, so an unknown table or column or a broken constraint means that the file is damaged.
DAMAGE = (
    apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.ConstraintError, apsw.MismatchError, apsw.FormatError,
    apsw.TooBigError,
)  # fmt: skip
REFUSED = (
    apsw.IOError,
    apsw.FullError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.ProtocolError,
    apsw.PermissionsError,
    apsw.NoMemError,
)


def reason_of(error: apsw.Error) -> str:
    """Return why SQLite was refused. It does not say why it cannot open a file: if nobody can, that is the reason."""
    if isinstance(error, apsw.CantOpenError):
        try:
            os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        except OSError as shortage:
            return shortage.strerror or str(shortage)
    return os.strerror(errno.ENOSPC) if isinstance(error, apsw.IOError) and is_full(error) else str(error)


def is_full(error: BaseException) -> bool:
    """Return whether an error of SQLite says that the disk is full. The index of a log is made when a database is
    opened, and has its own word for that."""
    return isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE


def _adjacent(row: tuple[Any, ...]) -> Iterator[bytes]:
    """Return the texts and blobs of a row, those of adjacent columns together. A NULL takes no bytes between them."""
    stored = [value for value in row if value is not None]
    for is_bytes, values in groupby(stored, key=lambda value: isinstance(value, str | bytes)):
        if is_bytes:
            yield b"".join(value.encode() if isinstance(value, str) else value for value in values)


class Database:
    """One connection, which threads use in turn. ``changes`` counts its commits, failed ones too.

    A subclass declares its ``kind``, its ``version_of_format``, which grows when a table changes, the
    ``oldest_format`` that it reads, its own ``tables``, and its other totals (``counted``).
    """

    kind: ClassVar[str]
    version_of_format: ClassVar[int]
    oldest_format: ClassVar[int] = 1
    tables: ClassVar[str]
    counted: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self.changes = 0
        if create:
            files.make_private(path)
        with self._translate_errors("open"):
            self._connection = Connection(path, create=create)
        if create:
            return
        try:
            self._check_version()
            self.check_commits()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._translate_errors("close"):
            self._connection.close()

    @property
    def is_read_only(self) -> bool:
        """Whether it is on a read-only medium."""
        return self._connection.is_read_only

    def check_same(self) -> None:
        """Raise ReplacedError unless the file is the one that was opened."""
        self._connection.check_same()

    def make(self, scheme: Scheme, **more: str) -> None:
        """Create the empty tables and the values of the whole store."""
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
        """Commit everything inside durably, or nothing."""
        with self._translate_errors("write"), self._connection.writing():
            yield
            commits = self._count_commit()
            point("store.before-commit")
            self.changes += 1  # before: an interrupt that comes right after the commit must not hide it
        self._connection.note_commits(commits)
        point("store.committed")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one committed state inside. A nested call joins the outer one."""
        with self._translate_errors("read"), self._connection.reading():
            yield

    def version(self) -> tuple[int, int]:
        """Return a value that changes when any process commits."""
        return self.changes, int(self._one("PRAGMA data_version"))

    def meta(self, name: str) -> str:
        """Return a value of the whole store."""
        row = self._first("SELECT name, value, seal FROM meta WHERE name = ?", (name,))
        if row is None or seal(*row[:-1]) != row[-1]:
            raise DamageError(self.path, f"the value {name!r} is missing or wrong")
        return str(row[1])

    def scheme(self) -> Scheme:
        """Return the scheme of all fingerprints. Refuse one that would give other fingerprints today."""
        scheme = Scheme.from_json(self.meta("scheme"))
        # Stores older than this value have revision 1.
        revision = self.meta("revision") if self._first("SELECT 1 FROM meta WHERE name = ?", ("revision",)) else "1"
        if revision != str(scheme.revision):
            raise StoreFormatError(
                f"{self.path}: another version of Whorl made its fingerprints (revision {revision} of this scheme; "
                f"this version makes revision {scheme.revision}): build it again from the documents"
            )
        return scheme

    def total(self, table: str) -> int:
        """Return how many rows a table has."""
        return self._totals(table)[0]

    def document_count(self) -> int:
        return self.total(DOCUMENTS)

    def summed(self, table: str) -> tuple[int, int]:
        """Return how many rows a table has, and the exclusive or of their seals."""
        return self._totals(table)

    def owner_state(self) -> tuple[int, int]:
        """Return the number of commits, and how many times a document got another owner and kept its number."""
        return self._commits(), self._counter(OWNER_CHANGES)

    def sanctioned(self) -> list[int]:
        """Return the numbers of documents whose postings are ignored."""
        return []

    def delta(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Read the fresh postings of some documents."""
        for number in numbers:
            row = self._first("SELECT id, data, seal FROM delta WHERE id = ?", (number,))
            if row is None or seal(*row[:-1]) != row[-1]:
                raise DamageError(self.path, f"the checksum of the fresh postings of document {number} is wrong")
            yield number, bytes(row[1])

    def fresh_seals(self, known: Mapping[int, int]) -> dict[int, int]:
        """Return the seal of each document's fresh postings, all checked. If documents were only added since ``known``,
        read only the new ones: a seal covers all postings of its document."""
        after = max(known, default=0)
        for start, seals in ((after, dict(known)), (0, {})) if after else ((0, {}),):
            seals |= self._execute("SELECT id, seal FROM delta WHERE id > ? ORDER BY id", (start,))
            self._ensure(all(isinstance(sealed, int) for sealed in seals.values()), "a row of delta")
            if self._totals("delta") == (len(seals), reduce(xor, seals.values(), 0)):
                return seals
        raise DamageError(self.path, "the table delta: rows are missing or too many")

    def keys(self, table: str) -> list[Any]:
        """Return the keys of a counted table, all checked."""
        column = "name" if table == "segments" else "id"
        fields = {"segments": "name, postings", "tombstones": "id"}.get(table)
        rows = list(self._execute(f"SELECT {fields or column}, seal FROM {table} ORDER BY {column}"))
        for row in rows if fields is not None else ():
            self._ensure(seal(table, *row[:-1]) == row[-1], f"a row of {table}")
        self._add_up(table, rows)
        return [row[0] for row in rows]

    def refuse_reading(self) -> None:
        """Raise InputError inside a ``reading`` of the same thread."""
        with self._translate_errors("read"):
            self._connection.refuse_reading()

    def rewrite(self) -> None:
        """Rewrite the file from its rows, so that no free page holds deleted data. Readers keep their state."""
        self._execute("VACUUM")

    def empty_log(self, seconds: float) -> None:
        """Checkpoint the log and truncate it. Wait so many seconds for readers of older states."""
        until = time.monotonic() + seconds
        while self._one("PRAGMA wal_checkpoint(TRUNCATE)"):  # SQLite has already waited BUSY_MILLISECONDS
            if time.monotonic() >= until:
                raise StoreIOError(self.path, "purge", "a reader uses an older state: end it, and purge again")

    def shrink(self) -> None:
        """Give free pages back to the system, if there are many."""
        pages, free = self.pages()
        if free >= max(MANY_FREE, pages // FREE_SHARE):
            self.rewrite()
            self._one("PRAGMA wal_checkpoint(TRUNCATE)")  # as far as readers of older states allow

    def pages(self) -> tuple[int, int]:
        """Return the number of pages of the file, and of free ones."""
        return int(self._one("PRAGMA page_count")), int(self._one("PRAGMA freelist_count"))

    def values(self) -> Iterator[bytes]:
        """Return every text and blob of every row, as bytes. Those of adjacent columns are joined, as in the file."""
        tables = [str(row[0]) for row in self._execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in ("sqlite_schema", *tables):
            for row in self._rows(table):
                yield from _adjacent(row)

    # Call the following inside a transaction.

    def insert_delta(self, number: int, postings: bytes) -> None:
        """Insert the fresh postings of a document."""
        sealed = seal(number, postings)
        self._execute("INSERT INTO delta VALUES (?, ?, ?)", (number, postings, sealed))
        self._count("delta", 1, sealed)
        point("add.delta")

    def bury(self, number: int) -> None:
        """Delete a document's fresh postings, or mark those in a segment as deleted by a tombstone."""
        fresh = self._first("SELECT seal FROM delta WHERE id = ?", (number,))
        if fresh is not None:
            self.delete_delta([number])
            point("remove.delta")
            return
        sealed = seal("tombstones", number)
        self._execute("INSERT INTO tombstones VALUES (?, ?)", (number, sealed))
        self._count("tombstones", 1, sealed)
        point("remove.tombstone")

    def count_owner_change(self) -> None:
        """Count that a document gets another owner and keeps its number, so that readers ask for its owner again."""
        self._increase(OWNER_CHANGES)

    def next_number(self) -> int:
        """Return the number of the next document. No number is used twice."""
        return self.total(LAST_DOCUMENT) + 1

    def delete_delta(self, numbers: Iterable[int]) -> None:
        self._delete("delta", numbers)

    def delete_tombstones(self, numbers: Iterable[int]) -> None:
        """Delete the tombstones of documents whose postings are gone."""
        self._delete("tombstones", numbers)

    def swap_segments(self, gone: Iterable[str], name: str, postings: int) -> None:
        """List one segment in place of others; none if it is empty. Its name begins with its number."""
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
        """Check the database by SQLite's own means and by the seals of all rows."""
        self._check_integrity("5", "the database")
        for table in COUNTED:
            self.keys(table)
        for _ in self.delta(self.keys("delta")):
            pass

    def _check_integrity(self, argument: str, subject: str) -> None:
        """Run SQLite's integrity check: of one table, or with a limit of complaints. Report them in one line."""
        complaints = [row[0] for row in self._execute(f"PRAGMA integrity_check({argument})")]
        self._ensure(complaints == ["ok"], f"{subject}: {' '.join('; '.join(map(str, complaints)).split())[:200]}")

    def _delete(self, table: str, numbers: Iterable[int]) -> None:
        """Delete rows of a counted table, as far as they exist."""
        count, total = 0, 0
        for number in numbers:
            row = self._first(f"DELETE FROM {table} WHERE id = ? RETURNING seal", (number,))
            if row is not None:
                count, total = count - 1, total ^ int(row[0])
        self._count(table, count, total)

    def _rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Return all rows of a table. Read a numbered table, which may be large, some rows at a time."""
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
            raise StoreFormatError(
                f"{self.path}: {self.kind} format {version} is newer than this Whorl's, {self.version_of_format}: "
                "update Whorl"
            )
        if version < self.oldest_format:
            raise StoreFormatError(
                f"{self.path}: {self.kind} format {version} is older than what this Whorl reads, {self.oldest_format}: "
                "build it again from the documents"
            )

    def check_commits(self) -> None:
        """Raise DamageError if a commit is missing that was noted as durable: a damaged or missing log loses some.

        Inside ``reading`` the state may be older, so nothing is checked."""
        with self._translate_errors("read"):
            if self._connection.sqlite.in_transaction:
                return
        noted = self._connection.noted_commits()
        if noted is None:
            raise DamageError(self._connection.note, "the checksum of the number of commits is wrong")
        missing = noted - self._commits()
        if missing > 0:
            raise DamageError(
                self.path, f"the log lost the last {missing} of {noted} commits "
                f"(to continue without them, remove {self._connection.note.name})",
            )  # fmt: skip

    def _commits(self) -> int:
        return self._counter(COMMITS)

    def _count_commit(self) -> int:
        """Count one more commit. A commit that writes nothing else writes this row."""
        return self._increase(COMMITS)

    def _counter(self, name: str) -> int:
        """Return a number that older stores do not have; 0 if it is missing."""
        is_counted = self._first("SELECT 1 FROM totals WHERE name = ?", (name,)) is not None
        return Database._totals(self, name)[0] if is_counted else 0

    def _increase(self, name: str) -> int:
        count = self._counter(name) + 1
        row = name, count, 0, seal(name, count, 0)
        self._execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)", row)
        return count

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
        """Compare rows, whose seals come last, with the count and the sum of the table."""
        count, total = self._totals(table)
        for row in rows:
            self._ensure(isinstance(row[-1], int), f"a row of {table}")
            count, total = count - 1, total ^ row[-1]
        self._ensure((count, total) == (0, 0), f"the table {table}: rows are missing or too many")

    def _ensure(self, is_sound: bool, what: str) -> None:
        """Raise DamageError unless the condition holds."""
        if not is_sound:
            raise DamageError(self.path, what)

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        with self._translate_errors("read or write"):
            try:
                return iter(self._connection.rows(statement, values))
            except UnicodeDecodeError as error:
                raise DamageError(self.path, f"the database: {error}") from error

    def _first(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return next(self._execute(statement, values), None)

    def _one(self, statement: str) -> Any:
        row = self._first(statement, ())
        return None if row is None else row[0]

    @contextmanager
    def _translate_errors(self, action: str) -> Iterator[None]:
        """Translate SQLite's errors into those of ``whorl.errors``."""
        try:
            yield
        except apsw.ConnectionClosedError as error:
            raise InputError(f"{self.path.parent}: the {self.kind} is closed; open it again") from error
        except DAMAGE as error:
            raise DamageError(self.path, f"the database: {error}") from error
        except apsw.BusyError as error:
            raise StoreIOError(self.path, action, "another process is writing; try again") from error
        except REFUSED as error:
            raise StoreIOError(self.path, action, reason_of(error)) from error
