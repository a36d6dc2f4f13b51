"""One writer at a time, of all processes."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.index.faults import IndexIOError

# Between two tries to get the lock.
PAUSE = 0.01


@contextmanager
def writing(path: Path, seconds: float) -> Iterator[None]:
    """Hold the index's lock; wait for another writer so long at the most."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise IndexIOError(path, "lock", error.strerror or str(error)) from error
    try:
        _wait(descriptor, path, seconds)
        yield
    finally:
        os.close(descriptor)  # which gives the lock back


def _wait(descriptor: int, path: Path, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise IndexIOError(
                    path, "write", "another process is writing to this index; try again later"
                ) from error
            time.sleep(PAUSE)
