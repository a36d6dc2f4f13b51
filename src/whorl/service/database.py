"""``INDEX/service.sqlite``: tokens, sessions, jobs, collections, receipts and the audit log.

It stands beside the index's own database, so that what the service notes never waits for somebody who writes to the
index. SQLite through apsw, in WAL mode. One connection writes and one reads: reading never waits for the disk.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from whorl.errors import InputError, WhorlError
from whorl.index.database import BUSY_MILLISECONDS, OLDEST_SQLITE

# The file's name in the index's folder.
NAME = "service.sqlite"

# Raised when a table changes.
VERSION = 1

_TABLES = """
CREATE TABLE tokens (
    id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, tenant TEXT, scopes TEXT NOT NULL, label TEXT NOT NULL,
    created INTEGER NOT NULL, expires INTEGER, last_used INTEGER, revoked INTEGER);
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY, token TEXT NOT NULL REFERENCES tokens (id), begun INTEGER NOT NULL, seen INTEGER NOT NULL
    ) WITHOUT ROWID;
CREATE INDEX sessions_by_age ON sessions (seen);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT, tenant TEXT, action TEXT NOT NULL,
    subject TEXT NOT NULL, outcome TEXT NOT NULL, address TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX audit_by_tenant ON audit (tenant, id);
CREATE INDEX audit_by_age ON audit (at);
CREATE TABLE collections (
    tenant TEXT NOT NULL, name TEXT NOT NULL, retention_days INTEGER, created INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)) WITHOUT ROWID;
CREATE TABLE receipts (
    number INTEGER PRIMARY KEY, tenant TEXT, name_sha256 TEXT NOT NULL, requested INTEGER NOT NULL,
    deadline INTEGER NOT NULL, purged INTEGER, evidence TEXT);
CREATE INDEX receipts_unpurged ON receipts (deadline) WHERE purged IS NULL;
CREATE INDEX receipts_by_tenant ON receipts (tenant, number);
CREATE TABLE jobs (
    place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, tenant TEXT, token TEXT,
    settings TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, submitted INTEGER NOT NULL,
    started INTEGER, ended INTEGER, step TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER, message TEXT NOT NULL,
    result TEXT);
CREATE INDEX jobs_by_state ON jobs (state, place);
CREATE INDEX jobs_by_tenant ON jobs (tenant, place);
"""

# Greater than any row's number: a list that begins with the newest goes on after this.
LAST = (1 << 63) - 1

_OPEN = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class ServiceDatabaseError(WhorlError):
    """The service's database cannot be used: ``file`` and ``reason``."""

    def __init__(self, file: Path, reason: str) -> None:
        self.file, self.reason = file, reason
        super().__init__(f"{file}: {reason}")

    def __reduce__(self) -> tuple[type["ServiceDatabaseError"], tuple[Path, str]]:
        return type(self), (self.file, self.reason)


class ServiceDatabase:
    """The database at ``path``, which is made if it is missing. Any thread may use it; every call is short."""

    def __init__(self, path: Path) -> None:
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < OLDEST_SQLITE:
            raise ServiceDatabaseError(path, f"SQLite {apsw.sqlite_lib_version()} can corrupt it: update apsw")
        self.path = path
        self._writing, self._reading = threading.RLock(), threading.Lock()
        with self._told():
            _make_private(path)
            self._writer = self._connected("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            self._make()
            self._reader = self._connected("PRAGMA query_only = ON")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End both connections."""
        with self._writing, self._reading, self._told():
            self._reader.close()
            self._writer.close()

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        """All or nothing, and on the disk when it is left. What is not ``durable`` outlives this process, too, but a
        power cut may take the last of it: in turn, nobody waits for the disk."""
        with self._writing, self._told():
            if self._writer.in_transaction:
                yield  # a part of the one around it
                return
            if not durable:
                self._writer.execute("PRAGMA synchronous = NORMAL")
            try:
                yield from self._whole()
            finally:
                if not durable:
                    self._writer.execute("PRAGMA synchronous = FULL")

    def write(self, statement: str, *values: Any, durable: bool = True) -> list[tuple[Any, ...]]:
        """Execute one statement in a transaction, its own if there is none, and give its rows."""
        with self.transaction(durable=durable):
            return self._writer.execute(statement, values).fetchall()

    def read(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of what is committed; a transaction that is under way is not seen."""
        with self._reading, self._told():
            return self._reader.execute(statement, values).fetchall()

    def first(self, statement: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row of what is committed, if there is any."""
        return next(iter(self.read(statement, *values)), None)

    def _whole(self) -> Iterator[None]:
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._writer.execute("COMMIT")
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise

    def _connected(self, pragmas: str) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), _OPEN)
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        # Deleted rows are overwritten: an ended session or an old audit line must not linger in free pages.
        connection.execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
        connection.execute(pragmas)
        return connection

    def _make(self) -> None:
        """The tables, if they are missing. Two processes may come at once: the second finds them."""
        with self.transaction():
            version = self._writer.pragma("user_version")
            if version > VERSION:
                raise ServiceDatabaseError(self.path, f"format {version} is newer than {VERSION}: update Whorl")
            if version == 0:
                self._writer.execute(_TABLES)
                self._writer.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite raises, as an error of Whorl's."""
        try:
            yield
        except (UnicodeEncodeError, OverflowError) as error:
            raise InputError(f"a value cannot be stored: {error}") from error
        except apsw.BusyError as error:
            raise ServiceDatabaseError(self.path, "another process is writing; try again") from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError) as error:
            raise ServiceDatabaseError(self.path, f"damaged: {error}; restore it from a copy") from error
        except (apsw.IOError, apsw.FullError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
            raise ServiceDatabaseError(self.path, f"cannot be read or written: {error}") from error


def _make_private(path: Path) -> None:
    """An empty file for its owner alone, if there is none: what SQLite puts beside it is as private as the file."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise ServiceDatabaseError(path, f"cannot be read or written: {error.strerror or error}") from error
