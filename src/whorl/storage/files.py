"""Every system call of a store, and the crash points of the tests.

Each function succeeds or raises StoreIOError. Calls go through this module's name ``os``, so that a test can replace
it.

A crash point is a named moment of writing. ``WHORL_CRASH_AT=name`` kills the process the first time it passes that
point, ``name:3`` the third time. Without the variable a point does nothing.
"""

import mmap
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.errors import StoreIOError

VARIABLE = "WHORL_CRASH_AT"

# The crash points, in the order in which writing passes them.
POINTS = (
    "create.folder",
    "create.key",
    "create.tables",
    "create.done",
    "sweep.begun",
    "sweep.unlinked",
    "add.begun",
    "add.document",
    "add.text",
    "add.delta",
    "update.document",
    "remove.document",
    "remove.delta",
    "remove.tombstone",
    "store.before-commit",
    "store.committed",
    "flush.begun",
    "segment.created",
    "segment.block",
    "segment.blocks",
    "segment.directory",
    "segment.written",
    "segment.synced",
    "segment.renamed",
    "segment.durable",
    "flush.written",
    "segments.swapped",
    "flush.listed",
    "flush.done",
    "merge.begun",
    "merge.written",
    "merge.listed",
    "merge.done",
    "merge.unlinked",
)

# The points of a purge, which only an index has.
PURGE_POINTS = ("purge.begun", "purge.compacted", "purge.rewritten", "purge.emptied", "purge.proved")

_passed: Counter[str] = Counter()

# The suffix of a file that is being written, in its final folder. A crash may leave such a file.
TEMPORARY = ".new"

# Only the owner may read a store: it holds other people's texts.
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


def point(name: str) -> None:
    """Kill the process here if the environment asks for it. Raise ValueError for an undeclared name."""
    if name not in POINTS and name not in PURGE_POINTS:
        raise ValueError(f"{name!r} is not in whorl.storage.files.POINTS or PURGE_POINTS")
    wanted, _, time = os.environ.get(VARIABLE, "").partition(":")
    if wanted == name:
        _passed[name] += 1
        if _passed[name] == int(time or 1):
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def translate_os_errors(path: Path, action: str) -> Iterator[None]:
    """Translate OSError into StoreIOError."""
    try:
        yield
    except OSError as error:
        raise StoreIOError(path, action, error.strerror or str(error)) from error


def exists(path: Path) -> bool:
    """Return whether the file exists."""
    with translate_os_errors(path, "look for"):
        try:
            os.stat(path)  # noqa: PTH116  (tests replace ``os``)
        except FileNotFoundError:
            return False
    return True


def names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted. Create a missing folder: some backup tools omit empty folders."""
    with translate_os_errors(folder, "read"):
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103  (tests replace ``os``)
        return sorted(os.listdir(folder))  # noqa: PTH208


def create(path: Path) -> int:
    """Open an empty file for writing and return its descriptor. Overwrite what a crash left under this name."""
    with translate_os_errors(path, "create"):
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)


def make_private(path: Path) -> None:
    """Create an empty file for its owner alone, unless it exists. SQLite gives its other files the same mode.

    The file is closed before it gets its name: closing a file that SQLite has open would drop SQLite's locks.
    """
    if exists(path):
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}{TEMPORARY}")
    with translate_os_errors(path, "create"):
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE))
        try:
            os.link(temporary, path)
        except FileExistsError:
            return  # another process was quicker
        finally:
            os.unlink(temporary)  # noqa: PTH108  (tests replace ``os``)


def make_private_folder(path: Path) -> None:
    """Create a folder for its owner alone, or make an existing one private. Parents are created with the usual mode."""
    with translate_os_errors(path, "create"):
        path.mkdir(parents=True, exist_ok=True)
        if path.stat().st_uid == os.geteuid():  # another user's folder stays as it is; the files in it are private
            path.chmod(PRIVATE_FOLDER)


def write(descriptor: int, data: bytes | bytearray | memoryview, path: Path) -> None:
    """Append all bytes, in several calls if the system takes fewer."""
    rest = memoryview(data)
    with translate_os_errors(path, "write"):
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def write_at(descriptor: int, data: bytes, offset: int, path: Path) -> None:
    """Overwrite bytes at an offset."""
    with translate_os_errors(path, "write"):
        while data:
            done = os.pwrite(descriptor, data, offset)
            data, offset = data[done:], offset + done


def fsync(descriptor: int, path: Path) -> None:
    """Wait until the file's bytes are on the disk."""
    with translate_os_errors(path, "write to the disk"):
        os.fsync(descriptor)


def close(descriptor: int, path: Path) -> None:
    with translate_os_errors(path, "close"):
        os.close(descriptor)


def rename(source: Path, target: Path) -> None:
    """Give a file its final name atomically."""
    with translate_os_errors(target, "rename into place"):
        os.replace(source, target)  # noqa: PTH105  (tests replace ``os``)


def unlink(path: Path) -> None:
    """Remove a file, if it exists."""
    with translate_os_errors(path, "remove"):
        try:
            os.unlink(path)  # noqa: PTH108  (tests replace ``os``)
        except FileNotFoundError:
            return


def fsync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    with translate_os_errors(folder, "write to the disk"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def map_file(path: Path) -> mmap.mmap | bytes:
    """Map a file for reading. The bytes stay readable when the file is removed. An empty file cannot be mapped."""
    with translate_os_errors(path, "read"):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            length = os.fstat(descriptor).st_size
            return mmap.mmap(descriptor, length, access=mmap.ACCESS_READ) if length else b""
        finally:
            os.close(descriptor)
