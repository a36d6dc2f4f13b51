"""A connection to any SQLite file of Whorl.

Only SQLite opens the file, its log and the index of its log: closing another descriptor of them would drop SQLite's
locks (``whorl.stores``). No interrupt leaves a transaction open. (apsw's own ``with`` does the same, but blocks all
threads while it waits for the disk.) Before writing, check that the file is still the one that was opened. The database
counts durable commits, and a file beside it repeats the count, so that a log that lost its end is noticed.
"""

import fcntl
import logging
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import apsw

from whorl import stores
from whorl.errors import InputError, ReplacedError, StoreFormatError

# This version fixed the WAL-reset bug, which can corrupt a database.
OLDEST_SQLITE = (3, 51, 3)

# How long a statement waits for the commit of another process, which takes milliseconds.
BUSY_MILLISECONDS = 10_000

# Suffix of the file that repeats the number of commits.
COMMITS = "-commits"
_NUMBER = 8
_RECORD = 2 * _NUMBER

# SQLite's VFS that adds a checksum to the end of each page, and its size in bytes.
_CHECKING, _CHECKING_EXTENSION = "cksmvfs", "cksumvfs"
CHECKSUM = 8
_loading = Lock()

_log = logging.getLogger(__name__)


class Connection:
    """One connection, which threads use in turn. Raises SQLite's own errors: the caller translates them."""

    def __init__(self, path: Path, *, create: bool = False, with_checksums: bool = False) -> None:
        """Open a database; ``create`` a missing one. ``with_checksums`` adds one to each page, checked when it is
        read."""
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < OLDEST_SQLITE:
            raise StoreFormatError(
                f"{path}: SQLite {apsw.sqlite_lib_version()} can corrupt it: update the package apsw"
            )
        if not _is_unicode(path):
            raise InputError(f"{str(path)!r} is not Unicode: rename the folder")
        self.path, self.note = path, path.with_name(path.name + COMMITS)
        self.turn = RLock()
        self._is_open = True
        before = _identity(path)
        place = path.absolute()  # the process may have gone elsewhere when it closes the file
        stores.note_opened(place)
        try:
            self.sqlite = self._opened(create, with_checksums)
        except BaseException:
            stores.note_closed(place)
            raise
        # What could not be closed is closed when it is collected.
        self._forget = weakref.finalize(self.sqlite, stores.note_closed, place)
        self._identity = _identity(path)
        if self._identity is None or before not in (None, self._identity):
            self.close()
            raise ReplacedError(path)

    def _opened(self, create: bool, with_checksums: bool) -> apsw.Connection:
        """Open the file. On a read-only medium SQLite must know that nobody else writes either."""
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        name = str(self.path)
        self.is_read_only = not create and _is_on_read_only_medium(self.path)
        if self.is_read_only:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            name = f"{self.path.absolute().as_uri()}?immutable=1"
        connection = apsw.Connection(name, flags, checking_vfs() if with_checksums else None)
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        if with_checksums:
            connection.reserve_bytes(reserve=CHECKSUM)  # takes effect in a new database, or when VACUUM rewrites it
        if create:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON")
        return connection

    def close(self) -> None:
        """Close the connection. Calling it again does nothing."""
        with self.turn:
            if self._is_open:
                self.sqlite.close()
                self._forget()
                self._is_open = False

    def check_same(self) -> None:
        """Raise ReplacedError unless the file of this name is the one that was opened."""
        if _identity(self.path) != self._identity:
            raise ReplacedError(self.path)

    def refuse_reading(self) -> None:
        """Raise InputError inside a ``reading`` of the same thread."""
        is_inner = self._is_inner()
        with self.turn:
            if not is_inner:
                self._drop_abandoned()
            if self.sqlite.in_transaction:
                raise InputError(f"{self.path}: being read: leave reading() before writing to it")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Commit everything inside durably, or nothing."""
        self.refuse_reading()
        with self.turn:
            yield from self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one committed state inside. A nested call joins the outer one."""
        is_inner = self._is_inner()
        with self.turn:
            if not is_inner:
                self._drop_abandoned()
            if self.sqlite.in_transaction:
                yield
            else:
                yield from self._transaction("BEGIN")

    def _transaction(self, begin: str) -> Iterator[None]:
        """Begin inside ``try``: an interrupt that comes while SQLite waits for others is raised there."""
        try:
            self.sqlite.execute(begin)
            if begin != "BEGIN":
                self.check_same()
            yield
            self.sqlite.execute("COMMIT")
        except BaseException:
            if self.sqlite.in_transaction:
                self.sqlite.execute("ROLLBACK")
            raise

    def _is_inner(self) -> bool:
        """Return whether this thread already has its turn: it is inside a transaction."""
        return bool(self.turn._is_owned())  # type: ignore[attr-defined]

    def _drop_abandoned(self) -> None:
        """Roll back a transaction without an owner: a second interrupt may have stopped its rollback."""
        if self.sqlite.in_transaction:
            self.sqlite.execute("ROLLBACK")

    def rows(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and return all rows."""
        with self.turn:
            return self.sqlite.execute(statement, values).fetchall()

    def note_commits(self, count: int) -> None:
        """Write the number of durable commits beside the database. It does not wait for the disk: an old number makes
        the next check weaker, never wrong."""
        try:
            mode = self.path.stat().st_mode & 0o666
            descriptor = os.open(self.note, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
            with os.fdopen(descriptor, "r+b", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                if (_noted(os.pread(descriptor, _RECORD, 0)) or 0) < count:
                    self._write_note(descriptor, _record(count))
        except OSError as error:
            _log.warning("%s: cannot write the number of commits: %s", self.note, error.strerror or error)

    def _write_note(self, descriptor: int, record: bytes) -> None:
        """Write the whole note or none: half a note would look like damage."""
        try:
            done = os.pwrite(descriptor, record, 0)
            if done < len(record):
                os.pwrite(descriptor, record[done:], done)
        except OSError:
            self.note.unlink(missing_ok=True)
            raise

    def noted_commits(self) -> int | None:
        """Return the least number of durable commits; None if the note is damaged."""
        try:
            data = self.note.read_bytes()
        except OSError:
            return 0
        return _noted(data)


def checking_vfs() -> str:
    """Load SQLite's VFS of page checksums once and return its name. Only databases with reserved bytes use it."""
    from apsw import sqlite_extra  # most databases have seals of rows instead

    with _loading:
        if _CHECKING not in apsw.vfs_names():
            usual = apsw.vfs_names()[0]
            if not sqlite_extra.has(_CHECKING_EXTENSION):
                raise StoreFormatError(
                    "apsw was installed without SQLite's cksumvfs: install it from a wheel of the Python Package Index"
                )
            connection = apsw.Connection(":memory:")
            sqlite_extra.load(connection, _CHECKING_EXTENSION)
            apsw.set_default_vfs(usual)
            connection.close()
    return _CHECKING


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_unicode(path: Path) -> bool:
    """Return whether SQLite, which takes UTF-8, can open a file of this name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_on_read_only_medium(path: Path) -> bool:
    """Return whether neither the file nor its folder is writable, and no log waits for a checkpoint."""
    if not path.exists() or os.access(path, os.W_OK) or os.access(path.parent, os.W_OK):
        return False
    log = path.with_name(f"{path.name}-wal")
    return not (log.exists() and log.stat().st_size)


def _record(count: int) -> bytes:
    number = count.to_bytes(_NUMBER, "little")
    return number + blake2b(number, digest_size=_NUMBER, person=b"whorl commits").digest()


def _noted(data: bytes) -> int | None:
    """Return the number in a record: 0 if nothing was written yet, None if it is damaged."""
    if not data.strip(b"\0"):
        return 0
    count = int.from_bytes(data[:_NUMBER], "little")
    return count if data == _record(count) else None
