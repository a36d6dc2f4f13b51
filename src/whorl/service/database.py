"""``INDEX/service.sqlite``: tables of the service, transactions, times as microseconds since 1970, and backups."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from whorl.errors import DamageError, InputError, StoreIOError, WhorlError
from whorl.model import Closing
from whorl.service.workspace import JOBS_FOLDER, Workspace
from whorl.storage.connection import CHECKSUM, COMMITS, Connection
from whorl.storage.database import DAMAGE, REFUSED, reason_of
from whorl.storage.files import make_private, translate_os_errors
from whorl.storage.folder import copied_store, copy_database, sync_copy
from whorl.stores import INDEX_DATABASE

# Gives the time; tests give their own.
Clock = Callable[[], datetime]

_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def to_ticks(moment: datetime) -> int:
    """Convert a time with a time zone into microseconds since 1970."""
    return (moment - _BEGIN) // _TICK


def to_ticks_or_none(moment: datetime | None) -> int | None:
    """Convert a time that may be None into microseconds since 1970."""
    return None if moment is None else to_ticks(moment)


def from_ticks(ticks: int) -> datetime:
    """Convert microseconds since 1970 into a time."""
    return _BEGIN + ticks * _TICK


def from_ticks_or_none(ticks: int | None) -> datetime | None:
    """Convert microseconds since 1970 that may be None into a time."""
    return None if ticks is None else from_ticks(ticks)


# The file's name in the index's folder.
SERVICE_DATABASE = "service.sqlite"

# Raised when a table changes.
VERSION = 2

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

# Answers about others' documents: the hashes of a query with its answer, and which documents it was about.
# And pieces of deleted documents, by which a purge knows what is left of them; they go with it. And the bytes of the
# uploads and results of jobs. These tables came later: an older Whorl does not look at them.
_LATER = """
CREATE TABLE IF NOT EXISTS foreign_queries (
    id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, at INTEGER NOT NULL, sketch BLOB NOT NULL, answer TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS foreign_queries_by_tenant ON foreign_queries (tenant, at);
CREATE TABLE IF NOT EXISTS foreign_documents (tenant TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS foreign_documents_by_tenant ON foreign_documents (tenant, number, at);
CREATE TABLE IF NOT EXISTS receipt_samples (
    number INTEGER NOT NULL REFERENCES receipts (number), sample BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS job_sizes (
    id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE, bytes INTEGER NOT NULL) WITHOUT ROWID;
"""

# Greater than any row's number: a list that begins with the newest goes on after this.
LAST = (1 << 63) - 1

# Since format 2: how many durable commits there were.
_COUNTER = "CREATE TABLE commits (count INTEGER NOT NULL); INSERT INTO commits VALUES (0);"


class ServiceDatabaseError(WhorlError):
    """The service's database cannot be used: ``file`` and ``reason``."""

    def __init__(self, file: Path, reason: str) -> None:
        self.file, self.reason = file, reason
        super().__init__(f"{file}: {reason}")

    def __reduce__(self) -> tuple[type["ServiceDatabaseError"], tuple[Path, str]]:
        return type(self), (self.file, self.reason)


class ServiceDatabase(Closing):
    """The database at ``path``, which is made if it is missing. Any thread may use it; every call is short."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as opened, self._told():
            make_private(path)
            self._writer = Connection(path, create=True, with_checksums=True)
            opened.callback(self._writer.close)
            _prepare(self._writer)
            self._make()
            self._check_commits()
            self._reader = Connection(path, with_checksums=True)
            opened.callback(self._reader.close)
            _prepare(self._reader, "PRAGMA query_only = ON")
            opened.pop_all()

    def close(self) -> None:
        """End both connections."""
        with self._told():
            self._reader.close()
            self._writer.close()

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        """Run the block as one transaction, which is on the disk at its end. One that is not ``durable`` survives the
        end of this process, but a power cut may lose the last ones; it does not wait for the disk."""
        with self._writer.turn, self._told():
            if self._writer.sqlite.in_transaction:
                yield  # a part of the one around it
                return
            self._writer.rows(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with self._writer.writing():
                yield
                commits = self._count_commit() if durable else 0
        if durable:
            self._writer.note_commits(commits)

    def write(self, statement: str, *values: Any, durable: bool = True) -> list[tuple[Any, ...]]:
        """Execute one statement in a transaction, its own if there is none, and give its rows."""
        with self.transaction(durable=durable):
            return self._writer.rows(statement, values)

    def read(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of what is committed; a transaction that is under way is not seen."""
        with self._told():
            return self._reader.rows(statement, values)

    def first(self, statement: str, *values: Any) -> tuple[Any, ...] | None:
        """Return the first row of the committed state, if there is any."""
        return next(iter(self.read(statement, *values)), None)

    def verify(self) -> None:
        """Read everything and check it. Raises ServiceDatabaseError at the first fault."""
        complaints = [str(row[0]) for row in self.read("PRAGMA integrity_check(5)")]
        if complaints != ["ok"]:
            raise self._damaged(" ".join("; ".join(complaints).split())[:200])
        for (table,) in self.read("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            self.read(f"SELECT * FROM {table}")
        with self._told():
            self._check_commits()

    def _count_commit(self) -> int:
        return int(self._writer.rows("UPDATE commits SET count = count + 1 RETURNING count")[0][0])

    def _check_commits(self) -> None:
        """That all commits are there which were noted as durable: a log that is damaged or gone takes some."""
        noted = self._writer.noted_commits()
        if noted is None:
            raise ServiceDatabaseError(
                self._writer.note, "damaged: it is not as it was written; restore it from a copy"
            )
        counted = [row[0] for row in self._writer.rows("SELECT count FROM commits")]
        if len(counted) != 1 or counted[0] < noted:
            raise self._damaged(
                f"its log lost the last of {noted} commits (to go on without them, remove {self._writer.note.name})"
            )

    def _make(self) -> None:
        """Create the tables if they are missing. Of two processes at once, the second finds them."""
        self._upgrade()
        with self._writer.writing():
            if self._version() == 0:
                self._writer.rows(_TABLES + _COUNTER)
                self._writer.rows(f"PRAGMA user_version = {VERSION}")
            self._writer.rows(_LATER)

    def _upgrade(self) -> None:
        """Refuse what is newer, and bring what is older up to date: format 1 had no checksums and no count."""
        version, reserved = self._version(), self._writer.sqlite.reserve_bytes()
        if version > VERSION:
            raise ServiceDatabaseError(self.path, f"format {version} is newer than {VERSION}: update Whorl")
        if version == 1:
            self._writer.rows("VACUUM")
            with self._writer.writing():
                if self._version() == 1:
                    self._writer.rows(_COUNTER)
                    self._writer.rows(f"PRAGMA user_version = {VERSION}")
        elif version == VERSION and reserved != CHECKSUM:
            raise self._damaged("its pages have no checksums")

    def _version(self) -> int:
        return int(self._writer.rows("PRAGMA user_version")[0][0])

    def _damaged(self, what: str) -> ServiceDatabaseError:
        return ServiceDatabaseError(self.path, f"damaged: {what}; restore it from a copy")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn SQLite's errors into Whorl's."""
        try:
            yield
        except (UnicodeEncodeError, OverflowError) as error:
            raise InputError(f"a value cannot be stored: {error}") from error
        except apsw.BusyError as error:
            raise ServiceDatabaseError(self.path, "another process is writing; try again") from error
        except (*DAMAGE, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error
        except REFUSED as error:
            if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
                raise self._damaged("the checksum of a page is wrong") from error
            raise ServiceDatabaseError(self.path, f"cannot be read or written: {reason_of(error)}") from error
        except StoreIOError as error:
            raise ServiceDatabaseError(self.path, f"cannot be read or written: {error.reason}") from error


def _prepare(connection: Connection, *pragmas: str) -> None:
    # Deleted rows are overwritten: an ended session or an old audit line must not linger in free pages.
    for pragma in ("PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON", *pragmas):
        connection.rows(pragma)


# Left out of a copy: files of a running job, which runs again.
_PASSING = frozenset({"scratch", "lock"})


def back_up(index: Path, copy: Path) -> int:
    """Copy an index to a new folder, and check the copy; return how many documents it has. If that fails, nothing of
    the copy stays."""
    from whorl.index.index import Index  # takes longer to import than all that the process of a job needs to start

    Index.open(index).close()  # if it cannot be opened, nothing is written
    with copied_store(index, copy, INDEX_DATABASE):
        with translate_os_errors(copy, "write"):
            _copy_service(index, copy)
        return _verified(copy)


def _verified(copy: Path) -> int:
    from whorl.index.index import Index

    with Index.open(copy) as copied:
        copied.verify()
        count = len(copied)
    if (copy / SERVICE_DATABASE).exists():
        with ServiceDatabase(copy / SERVICE_DATABASE) as service:
            service.verify()
    return count


def _copy_service(index: Path, copy: Path) -> None:
    has_database = (index / SERVICE_DATABASE).exists()
    states = _job_states(index / SERVICE_DATABASE) if has_database else {}
    if (index / JOBS_FOLDER).is_dir():
        _copy_folder(index / JOBS_FOLDER, copy / JOBS_FOLDER)
    if has_database:
        _copy_jobs(index, copy, states)
    sync_copy(copy)


# Times that a copy looks again at jobs that changed meanwhile: each time there are fewer.
LOOKS = 20
# Times that a result is copied again which does not fit its checksums: a purge may just write it. Then it is damaged.
TEARS = 3

# The kind and the state of jobs whose results are written again, when a purge takes documents out of them.
_CLUSTERED = ("cluster", "done")

# What a job's row says of its folder, by its id: an ended job has no uploads, and a forgotten one has nothing.
_JobStates = dict[str, tuple[Any, ...]]


def _copy_jobs(index: Path, copy: Path, states: _JobStates) -> None:
    """Copy the database, and again the folders of jobs that changed since their rows were read in ``states``: a job's
    folder fits its row if the row is the same before and after the folder was copied."""
    for look in range(LOOKS):
        for name in (SERVICE_DATABASE, SERVICE_DATABASE + COMMITS):
            (copy / name).unlink(missing_ok=True)
        copy_database(index / SERVICE_DATABASE, copy / SERVICE_DATABASE, with_checksums=True)
        now_states = _job_states(copy / SERVICE_DATABASE)
        changed = {id_ for id_, state in now_states.items() if states.get(id_) != state}
        if look < TEARS:
            changed |= {id_ for id_, state in now_states.items() if state[:2] == _CLUSTERED and _is_torn(copy, id_)}
        if not changed:
            return
        for id_ in changed:
            _remove_folder(copy / JOBS_FOLDER / id_)
            if not _is_forgotten(now_states[id_]):
                _copy_folder(index / JOBS_FOLDER / id_, copy / JOBS_FOLDER / id_)
        states = now_states
    raise StoreIOError(copy, "write", "jobs of the service end faster than they are copied; try again later")


def _job_states(database: Path) -> _JobStates:
    connection = Connection(database, with_checksums=True)
    try:
        rows = connection.rows("SELECT id, kind, state, attempts, started, ended, result IS NULL FROM jobs")
    except apsw.Error as error:
        raise StoreIOError(database, "read", str(error)) from error
    finally:
        connection.close()
    return {str(id_): tuple(state) for id_, *state in rows}


def _is_forgotten(state: tuple[Any, ...]) -> bool:
    """Return whether the result of a job was deleted, whose folder may just be removed."""
    return state[1] == "done" and bool(state[-1])


def _is_torn(copy: Path, id_: str) -> bool:
    """Return whether the copied results of a job are not as its checksums say."""
    try:
        Workspace(copy / JOBS_FOLDER).check_results(id_)
    except DamageError:
        return True
    return False


def _copy_folder(source: Path, target: Path) -> None:
    """Copy a folder whose files may vanish meanwhile: when a job ends, its uploads go."""
    for inner, folders, names in os.walk(source, onerror=_unless_vanished):
        folders[:] = [name for name in folders if name not in _PASSING]
        place = target / Path(inner).relative_to(source)
        place.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            shutil.copystat(inner, place)
        for name in names:
            if name not in _PASSING:
                with suppress(FileNotFoundError):
                    shutil.copy2(Path(inner) / name, place / name, follow_symlinks=False)


def _unless_vanished(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _remove_folder(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
