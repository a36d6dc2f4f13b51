"""The index's only way to the file system: a few calls, each of which ends well or raises IndexIOError.

It uses the calls of ``os`` through this module's own name for it, so that a test can put a failing one in its place.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.index.faults import IndexIOError

# A file that is being written ends so, in the folder where it will be. One that is found at start was left by a crash.
TEMPORARY = ".new"


@contextmanager
def _told(path: Path, action: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexIOError(path, action, error.strerror or str(error)) from error


def exists(path: Path) -> bool:
    """Whether there is a file of this name."""
    with _told(path, "look for"):
        try:
            os.stat(path)  # noqa: PTH116  (tests replace ``os``)
        except FileNotFoundError:
            return False
    return True


def create(path: Path) -> int:
    """A descriptor of an empty file to write to; what a crash left under this name is overwritten."""
    with _told(path, "create"):
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)


def write(descriptor: int, data: bytes | bytearray | memoryview, path: Path) -> None:
    """Append all the bytes; the system may take them in several goes."""
    rest = memoryview(data)
    with _told(path, "write"):
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def write_at(descriptor: int, data: bytes, offset: int, path: Path) -> None:
    """Overwrite bytes that are there, all of them."""
    with _told(path, "write"):
        while data:
            done = os.pwrite(descriptor, data, offset)
            data, offset = data[done:], offset + done


def fsync(descriptor: int, path: Path) -> None:
    """Until the file's bytes are on the disk."""
    with _told(path, "write to the disk"):
        os.fsync(descriptor)


def close(descriptor: int, path: Path) -> None:
    """Give the descriptor back."""
    with _told(path, "close"):
        os.close(descriptor)


def rename(source: Path, target: Path) -> None:
    """Give a file its final name, at once or not at all."""
    with _told(target, "rename into place"):
        os.replace(source, target)  # noqa: PTH105  (tests replace ``os``)


def unlink(path: Path) -> None:
    """Remove a file. It is no fault if it is gone already."""
    with _told(path, "remove"):
        try:
            os.unlink(path)  # noqa: PTH108  (tests replace ``os``)
        except FileNotFoundError:
            return


def fsync_folder(folder: Path) -> None:
    """Until the names in a folder are on the disk."""
    with _told(folder, "write to the disk"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def map_file(path: Path) -> mmap.mmap | bytes:
    """A file's bytes, to read. They stay readable when the file is removed. An empty file cannot be mapped."""
    with _told(path, "read"):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            length = os.fstat(descriptor).st_size
            return mmap.mmap(descriptor, length, access=mmap.ACCESS_READ) if length else b""
        finally:
            os.close(descriptor)
