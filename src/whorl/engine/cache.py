"""A cache of what was read of documents: the next comparison of a class reads only what is new.

The entries are in one database (SQLite): a thousand files take half a second to write. An entry is named after
everything the reading depends on: the content, its format, the scheme, the code of Whorl and all installed packages.
It has a checksum. Two runs may share a cache, a damaged entry counts as none, and a damaged database begins anew.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.model import Closing

if TYPE_CHECKING:
    import sqlite3

# Bytes of the database before the least recently used entries are removed, the share of it that remains then, and the
# share of it that one entry may have.
MOST, REMAINS, ENTRY = 1 << 30, 0.8, 1 / 8

# Bytes of entries that wait to be written together.
WAITING = 1 << 23

# An entry that was used in the last hour is not marked as used again.
FRESH_SECONDS = 3600

# Another run that writes is waited for so long, and then the cache is done without.
BUSY_SECONDS = 5.0

# The parts of Whorl that a reading depends on.
PACKAGE = Path(__file__).parents[1]
READING = ("comparison/evidence", "engine", "formats", "kernel", "sandbox")

FILE = "readings.sqlite"
TABLE = "CREATE TABLE IF NOT EXISTS entries (name BLOB PRIMARY KEY, used INTEGER NOT NULL, body BLOB NOT NULL)"

# How the names of SQLite's errors begin if writing failed halfway, and in all cases in which the database may be sound
# and something around it is not.
HALFWAY = ("SQLITE_FULL", "SQLITE_IOERR")
SURROUNDINGS = (
    *HALFWAY, "SQLITE_PERM", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_NOMEM", "SQLITE_READONLY", "SQLITE_CANTOPEN",
    "SQLITE_PROTOCOL", "SQLITE_NOLFS",
)  # fmt: skip

_CHECKSUM, _LENGTH = 16, 8
_ALIGNED = 8

T = TypeVar("T")


def default_folder() -> Path:
    """Return the user's folder for caches, by the rules of the desktop (XDG)."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "whorl"


def is_cache(folder: Path) -> bool:
    """Return whether a folder is a cache. To open one that is not there makes it."""
    return (folder / FILE).exists()


class CacheEntry(NamedTuple):
    """One reading: facts that JSON can hold, and arrays."""

    facts: dict[str, Any]
    arrays: list[NDArray[Any]]


class CacheUse(NamedTuple):
    """The number of entries of a cache, and the bytes of its database that are in use."""

    entries: int
    size: int


class ReadCache(Closing):
    """The readings of documents, in a folder; only its owner can read them. All that was put is kept once it is closed;
    whoever uses it again opens it again. ``faults`` says why something was not kept."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder, self._file, self._most = folder, folder / FILE, most
        self._lock = RLock()
        self._database: sqlite3.Connection | None = None
        self._is_given_up = self._is_renewed = False
        self._waiting: dict[bytes, bytes] = {}
        self._waiting_size = 0
        self._used: list[bytes] = []
        self.faults: dict[str, None] = {}
        try:
            import_module("sqlite3")  # some systems' Python is built without it
        except ImportError as error:
            raise InputError(f"cannot make the cache {folder}: this Python has no sqlite3") from error
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the cache {folder}: {error.strerror}") from error

    def name(self, content: str | bytes, *facts: object) -> bytes:
        """Return the name of what was read of a content. The facts are all else that the reading depends on."""
        name = blake2b(repr((self._environment, type(content).__name__, facts)).encode(), digest_size=20)
        name.update(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return name.digest()

    def get(self, name: bytes) -> CacheEntry | None:
        """Return the entry of a name; None if there is none, or a damaged one."""
        with self._lock:
            data = self._waiting.get(name) or self._do("read", lambda database: self._found(database, name))
        if data is None or len(data) < _CHECKSUM + _LENGTH:
            return None
        body = memoryview(bytearray(data))[_CHECKSUM:]
        return _unpacked(body) if _checksum(name, body) == data[:_CHECKSUM] else None

    def put(self, name: bytes, entry: CacheEntry) -> None:
        """Keep an entry. It is written with others."""
        body = _packed(entry)
        if len(body) > self._most * ENTRY:
            self._note(f"does not keep what is as large as {len(body) / 1e6:,.0f} MB")
            return
        with self._lock:
            self._waiting[name] = _checksum(name, body) + body
            self._waiting_size += len(body)
            if self._waiting_size >= WAITING:
                self._write()

    def close(self) -> None:
        """Write what was put, mark what was used, remove the least recently used entries if there are too many, and
        close the database."""
        with self._lock:
            if self._waiting or self._used:
                self._write()
                self._do("shorten", self._trimmed)
            self._disconnect()

    def use(self) -> CacheUse:
        """Return how many entries there are, and how large."""
        return self._done("read", _use)

    def clear(self) -> CacheUse:
        """Remove all entries, and return what there was."""
        return self._done("clear", _cleared)

    def _done(self, action: str, work: "Callable[[sqlite3.Connection], T]") -> T:
        """Return the result of work on the saved database, and close it; an error if it cannot be done."""
        with self._lock:
            self.close()
            result = self._do(action, work)
            self._disconnect()
        if result is None:
            raise InputError("; ".join(self.faults))
        return result

    def _do(self, action: str, work: "Callable[[sqlite3.Connection], T]") -> T | None:
        """Return the result of work on the database. Begin it anew if it is damaged. If it cannot be used, give it up,
        and note why."""
        import sqlite3

        while not self._is_given_up:
            try:
                return work(self._opened())
            except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
                self._disconnect()
                if not self._begin_anew(error):
                    self._roll_back(error)
                    self._is_given_up = True
                    reason = error.strerror if isinstance(error, OSError) else error
                    self._note(f"is no longer used: cannot {action} it: {reason}")
        return None

    def _opened(self) -> "sqlite3.Connection":
        import sqlite3

        if self._database is None:
            if not self._file.exists():
                os.close(os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(
                self._file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute(TABLE)
        return self._database

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _begin_anew(self, error: Exception) -> bool:
        """Remove a database that an error shows to be damaged, once. Return whether that was done."""
        if isinstance(error, OSError) or _name(error).startswith(SURROUNDINGS) or self._is_renewed:
            return False
        self._is_renewed = True
        try:
            for file in (self._file, self._file.with_name(FILE + "-journal")):
                file.unlink(missing_ok=True)
        except OSError:
            return False
        self._note("was damaged and begins anew")
        return True

    def _roll_back(self, error: Exception) -> None:
        """Have SQLite take back at once what it could not write to the end: the disk may be full of it."""
        import sqlite3

        if _name(error).startswith(HALFWAY):
            with suppress(OSError, sqlite3.Error):
                self._opened()
            self._disconnect()

    def _found(self, database: "sqlite3.Connection", name: bytes) -> bytes | None:
        row = database.execute("SELECT used, body FROM entries WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        used, data = row
        if not isinstance(used, int) or not isinstance(data, bytes):  # damage
            return None
        if time.time() - used > FRESH_SECONDS:
            self._used.append(name)
        return data

    def _write(self) -> None:
        now = int(time.time())
        entries = [(name, now, data) for name, data in self._waiting.items()]
        used = [(now, name) for name in self._used]

        def write(database: "sqlite3.Connection") -> None:
            with database:
                database.execute("BEGIN IMMEDIATE")
                database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", entries)
                database.executemany("UPDATE entries SET used = ? WHERE name = ?", used)

        self._do("write", write)
        self._waiting, self._waiting_size, self._used = {}, 0, []

    def _trimmed(self, database: "sqlite3.Connection") -> None:
        """Remove the least recently used entries if there are too many."""
        excess = _size(database) - self._most
        if excess <= 0:
            return
        excess += int(self._most * (1 - REMAINS))
        old: list[tuple[int]] = []
        for row, size in database.execute("SELECT rowid, coalesce(length(body), 0) FROM entries ORDER BY used"):
            if excess <= 0:
                break
            old.append((row,))
            excess -= size
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("DELETE FROM entries WHERE rowid = ?", old)

    @cached_property
    def _environment(self) -> str:
        """A digest of the code that reads: files of Whorl by size and time, installed packages by name and version."""
        facts: list[object] = [sys.version]
        for name in READING:
            facts += sorted(_files(PACKAGE / name))
        for place in sys.path:
            facts += sorted(package.name for package in Path(place).glob("*.dist-info"))
        return blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    def _note(self, fault: str) -> None:
        self.faults.setdefault(f"the cache {self._folder} {fault}")


def _name(error: Exception) -> str:
    """Return the name of an error of SQLite; "" of another, such as of text that damage made unreadable."""
    return getattr(error, "sqlite_errorname", "")


def _use(database: "sqlite3.Connection") -> CacheUse:
    (entries,) = database.execute("SELECT count(*) FROM entries").fetchone()
    return CacheUse(entries, _size(database))


def _size(database: "sqlite3.Connection") -> int:
    """Return the bytes of the database in use: those that a removed entry left are used again."""
    pages, free, size = (
        database.execute(f"PRAGMA {fact}").fetchone()[0] for fact in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _cleared(database: "sqlite3.Connection") -> CacheUse:
    before = _use(database)
    database.execute("DELETE FROM entries")
    database.execute("VACUUM")
    return before


def _files(folder: Path | str) -> Iterator[tuple[str, int, int]]:
    """Yield the files below a folder: name, size and time. Leave out what Python compiles by itself."""
    with os.scandir(folder) as listing:
        for entry in listing:
            if entry.is_file():
                status = entry.stat()
                yield entry.name, status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__":
                yield from _files(entry.path)


def _checksum(name: bytes, body: bytes | memoryview) -> bytes:
    return blake2b(body, digest_size=_CHECKSUM, key=name).digest()


def _packed(entry: CacheEntry) -> bytes:
    """Return a header in JSON with its length before it, then the arrays, each at a multiple of eight bytes."""
    shapes = [[array.dtype.str, len(array)] for array in entry.arrays]
    head = json.dumps([entry.facts, shapes]).encode()
    parts = [len(head).to_bytes(_LENGTH, "little"), head + bytes(-len(head) % _ALIGNED)]
    for array in entry.arrays:
        data = np.ascontiguousarray(array).tobytes()
        parts.append(data + bytes(-len(data) % _ALIGNED))
    return b"".join(parts)


def _unpacked(body: memoryview) -> CacheEntry:
    size = int.from_bytes(body[:_LENGTH], "little")
    facts, shapes = json.loads(bytes(body[_LENGTH : _LENGTH + size]))
    at, arrays = _LENGTH + size + -size % _ALIGNED, []
    for kind, count in shapes:
        array = np.frombuffer(body, kind, count, at)
        at += array.nbytes + -array.nbytes % _ALIGNED
        arrays.append(array)
    return CacheEntry(facts, arrays)
