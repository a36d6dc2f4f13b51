"""Create, open and copy the folder of a store: its secret key, and what a stopped creation leaves behind."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import apsw

from whorl.engine.hashing import Key
from whorl.errors import DamageError, InputError, StoreIOError
from whorl.scheme import Scheme, resolve
from whorl.storage import files
from whorl.storage.connection import COMMITS, Connection
from whorl.storage.files import PRIVATE_FILE, point, translate_os_errors
from whorl.stores import DATABASES, KEY, LOCK, SEGMENTS

# Seconds between two attempts to get the lock.
PAUSE = 0.01


@contextmanager
def writing(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a store. Wait for another writer at most so many seconds.

    Closing the file releases the lock. The file object does that in C, so no interrupt comes between.
    """
    with _lock(path, time.monotonic() + seconds):
        yield


def _lock(path: Path, until: float) -> BinaryIO:
    """Return the locked file. Try again if the file was removed meanwhile: its lock would keep nobody out."""
    while True:
        file = _open(path)
        try:
            _wait(file, path, until)
            if _is_there(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def _open(path: Path) -> BinaryIO:
    with translate_os_errors(path, "lock"):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        return os.fdopen(descriptor, "r+b", buffering=0)


def _is_there(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _wait(file: BinaryIO, path: Path, until: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise StoreIOError(path, "write", "another process is writing; try again later") from error
            time.sleep(PAUSE)
        except OSError as error:
            raise StoreIOError(path, "lock", error.strerror or str(error)) from error


# Seconds to wait for another process that creates a store in the same folder.
WAIT = 1.0

# Bytes of a database without any table: its first page. A larger one is never taken for unfinished.
EMPTY = 4096


@contextmanager
def making(folder: Path, database: str) -> Iterator[None]:
    """Create the folder of a store, and inside the ``with`` its contents; sync it to the disk at the end.

    The folder must be new or empty, but for the remains of a creation that was stopped.
    """
    _check_free(folder, database)
    files.make_private_folder(folder)
    with translate_os_errors(folder, "create"):
        (folder / SEGMENTS).mkdir(exist_ok=True)
    point("create.folder")
    with writing(folder / LOCK, WAIT):
        _check_free(folder, database)
        _remove_unfinished(folder)
        yield
        files.fsync_folder(folder)
        files.fsync_folder(folder.parent)
    point("create.done")


def is_finished(database: Path) -> bool:
    """Return whether the database exists and has its tables. Raise DamageError if it lost them: segments or a number of
    commits beside an empty file show that it had some."""
    had_commits, is_there = database.with_name(database.name + COMMITS).exists(), database.is_file()
    is_complete = is_there and not _is_empty(database)
    if not is_complete and (had_commits or (is_there and _has_segments(database.parent))):
        state = "empty" if is_there else "missing"
        raise DamageError(database, f"the file is {state}, but the rest of the store is there")
    return is_complete


def make_key(folder: Path, scheme: Scheme | str) -> tuple[Scheme, Key]:
    """Create the secret key of a store; return the scheme under that key, and the key."""
    key = Key.random()
    recipe = resolve(scheme).with_key(key.id)
    with translate_os_errors(folder, "create"):
        write_key(folder / KEY, key)
    point("create.key")
    return recipe, key


def key_of(folder: Path, scheme: Scheme, kind: str) -> Key:
    """Read the key of a store of some kind ("index", "registry"). Refuse a key that is not the scheme's."""
    key = read_key(folder / KEY)
    if key.id != scheme.key:
        raise DamageError(folder / KEY, f"this {kind} was created with another key")
    return key


def write_key(path: Path, key: Key) -> None:
    """Write a key for its owner alone: anyone who has the key can construct texts that collide."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        files.write(descriptor, key.secret.hex().encode() + b"\n", path)
        files.fsync(descriptor, path)
    finally:
        os.close(descriptor)


def read_key(path: Path) -> Key:
    """Read the key that ``write_key`` wrote."""
    try:
        with translate_os_errors(path, "read"):
            return Key.from_hex(path.read_text("ascii").strip())
    except (InputError, UnicodeDecodeError) as error:
        raise DamageError(path, "not a key") from error


# Seconds that a copy waits for a writer.
COPY_WAIT = 60.0


@contextmanager
def copied_store(folder: Path, copy: Path, database: str) -> Iterator[None]:
    """Copy a store that may be in use to a new folder. If that fails, or what is done with the copy inside, nothing of
    the copy stays.

    Under the lock nobody commits or merges segments. Segments never change, so they are linked on the same file system.
    SQLite copies the database in one committed state.
    """
    if copy.exists():
        raise InputError(f"{copy}: already exists: choose another name, or remove it")
    if copy.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{copy}: is inside {folder}, of which it would be a copy: choose a folder elsewhere")
    with translate_os_errors(copy, "write"):
        files.make_private_folder(copy)
    try:
        with translate_os_errors(copy, "write"):
            (copy / SEGMENTS).mkdir()
            with writing(folder / LOCK, COPY_WAIT):
                copy_database(folder / database, copy / database)
                for name in files.names(folder / SEGMENTS):
                    if not name.endswith(files.TEMPORARY):
                        _link(folder / SEGMENTS / name, copy / SEGMENTS / name)
                if (folder / KEY).exists():
                    shutil.copy2(folder / KEY, copy / KEY)
            sync_copy(copy)
        yield
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)  # the fault that is raised matters more
        raise


def copy_database(source: Path, target: Path, *, with_checksums: bool = False) -> None:
    """Copy one committed state of a database."""
    files.make_private(target)
    try:
        old = Connection(source, with_checksums=with_checksums)
        try:
            new = Connection(target, create=True, with_checksums=with_checksums)
            try:
                with new.sqlite.backup("main", old.sqlite, "main") as copying:
                    copying.step()
            finally:
                new.close()
        finally:
            old.close()
    except apsw.Error as error:
        raise StoreIOError(target, "write", str(error)) from error


def sync_copy(copy: Path) -> None:
    """Sync all files of a copy but the databases, which SQLite has synced, and the folder around it."""
    for inner, _, names in os.walk(copy):
        for path in (Path(inner) / name for name in names):
            if not path.is_symlink() and not path.name.startswith(DATABASES):
                _sync(path)
        files.fsync_folder(Path(inner))
    files.fsync_folder(copy.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def size_of(folder: Path) -> int:
    """Return the bytes of all files. Ignore files and folders that another process removes meanwhile."""
    return sum(_size(Path(inner) / name) for inner, _, names in os.walk(folder) for name in names)


def _check_free(folder: Path, database: str) -> None:
    with translate_os_errors(folder, "create"):
        is_free = not folder.exists() or (folder.is_dir() and _is_unfinished(folder, database))
    if not is_free:
        raise InputError(f"{folder}: already exists: choose another name, or remove it")


def _is_unfinished(folder: Path, database: str) -> bool:
    """Return whether the folder holds only what a creation leaves that stops before its commit."""
    names = {path.name for path in folder.iterdir()}
    leftovers = {name for name in names if name.startswith(database)} | {SEGMENTS, LOCK, KEY}
    if not names <= leftovers or _has_segments(folder):
        return False
    return not is_finished(folder / database)


def _has_segments(folder: Path) -> bool:
    return (folder / SEGMENTS).is_dir() and any((folder / SEGMENTS).iterdir())


def _remove_unfinished(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name not in (SEGMENTS, LOCK):
            files.unlink(path)


def _is_empty(database: Path) -> bool:
    """Return whether a database has no table yet. Only a file of one page is opened to look."""
    if database.stat().st_size > EMPTY:
        return False
    try:
        connection = apsw.Connection(str(database), apsw.SQLITE_OPEN_READWRITE)
        try:
            return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get == 0)
        finally:
            connection.close()
    except apsw.Error as error:
        raise DamageError(database, f"the database: {error}") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0
