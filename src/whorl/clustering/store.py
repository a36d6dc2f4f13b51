"""The folder of a run: the results of its phases on disk, so that a stopped run resumes.

The files of phase 1 only grow. From time to time they are synced, and ``state.json`` notes how many documents are
complete; the bytes of an incomplete one are cut off on resuming. Every other phase writes files of its own, which count
once ``state.json`` names them. It has the size and checksum of every file. All are checked when the folder is opened
again, and files that it does not name are removed.
"""

import fcntl
import json
import os
import shutil
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.records import RECORD, TEXTS, DocumentBatch, Records, Rows, TextColumn
from whorl.errors import WhorlError
from whorl.kernel import native_segments
from whorl.model import Closing
from whorl.threads import Answer, Threads

FORMAT = 5
STATE, LOCK = "state.json", "lock"

# What to do when a folder cannot be resumed. Commands and Python functions raise the same errors.
AFRESH = "start over with --fresh, or fresh=True in Python"

# Seconds of work that a crash may lose.
OFTEN = 5.0

# Bytes checksummed at a time.
BLOCK = 1 << 22

# For each file its size and checksum.
Sums: TypeAlias = dict[str, list[int]]


class StoreError(WhorlError):
    """The folder of a run cannot be written or read."""


class PhaseStore(Closing):
    """A run's folder. ``state`` holds what its phases note, and the number of complete documents.

    ``names`` are the files that grow with the documents; the first has a record of so many bytes for each.
    """

    def __init__(self, folder: Path, names: Sequence[str], record: int) -> None:
        self.folder, self._names, self._record = folder, tuple(names), record
        self._files: dict[str, IO[bytes]] = {}
        self._unsynced: list[Path] = []
        # A thread syncs each saved state while the run goes on. After an error it syncs nothing more: a disk that has
        # lost data may not report it again.
        self._saver = Threads(1)
        self._saving: deque[Answer[None]] = deque()
        self._refusal: OSError | None = None
        try:
            with self.translate_os_errors():
                self._open()
        except BaseException:
            self.close()
            raise
        self._saved = time.monotonic()

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._files[LOCK] = locked(self.folder)
        self.state: dict[str, Any] = _state(self.folder / STATE)
        self.documents = int(self.state.setdefault("documents", 0))
        self._sums: Sums = self.state.get("files") or {name: [0, 0] for name in self._names}
        self._sweep()
        for name in self._names:
            self._files[name] = (self.folder / name).open("ab")
        self._check()

    def close(self) -> None:
        """Close the files. Saved states are on disk then."""
        try:
            self._settle()
        finally:
            self._saver.close()
            for file in self._files.values():
                file.close()

    def append(self, contents: Mapping[str, bytes | memoryview], documents: int) -> None:
        """Append what the files get for so many documents."""
        sums = dict(self._sums)
        with self.translate_os_errors():
            for name, data in contents.items():
                self._files[name].write(data)
                size, before = sums[name]
                sums[name] = [size + len(data), checksum(data, before)]
        # In one statement: an interrupt leaves all of the documents, or none of them.
        self._sums, self.documents = sums, self.documents + documents
        if time.monotonic() - self._saved >= OFTEN and all(saving.is_given() for saving in self._saving):
            self.save()

    def flush(self) -> None:
        """Hand all that was appended to the system, so that it can be read."""
        with self.translate_os_errors():
            for file in self._files.values():
                file.flush()

    def size(self, name: str) -> int:
        """Return the bytes of a file, all that was appended included."""
        return self._sums[name][0]

    def new_name(self, stem: str) -> str:
        """Return a file name that the state does not use, so that nothing is overwritten."""
        return next(name for number in count(1) if (name := f"{stem}.{number}") not in self._sums)

    def finish(self, *names: str) -> None:
        """Note complete files of a phase; the next save syncs them."""
        with self.translate_os_errors():
            for name in names:
                self._sums[name] = summed(self.folder / name)
        self._unsynced += [self.folder / name for name in names]

    def drop(self, *names: str) -> None:
        """Forget files of a phase. The next start after the next save removes them."""
        for name in names:
            self._sums.pop(name, None)

    def save(self, **facts: Any) -> None:
        """Sync all that was added, and note these facts, without waiting for the disk. Errors are raised by the next
        save or at the end."""
        self._settle(wait=False)
        self.flush()
        self.state |= {"documents": self.documents, "files": self._sums, **facts}
        finished, self._unsynced = self._unsynced, []
        self._saving.append(self._saver.submit(self._bring, _sealed(self.state), finished))
        self._saved = time.monotonic()

    def _bring(self, state: str, finished: list[Path]) -> None:
        if self._refusal is not None:
            raise self._refusal
        try:
            for file in self._files.values():
                os.fsync(file.fileno())
            for path in finished:
                sync(path)
            write_atomically(self.folder / STATE, state)
        except OSError as error:
            self._refusal = error
            raise

    def _settle(self, wait: bool = True) -> None:
        """Raise the errors of all saves, or of those that are done."""
        with self.translate_os_errors():
            while self._saving and (wait or self._saving[0].is_given()):
                self._saving.popleft().take()

    def mapped(self, name: str, kind: np.dtype[Any], length: int) -> NDArray[Any]:
        """Map so many items of a file."""
        with self.translate_os_errors():
            if name in self._files:
                self._files[name].flush()
            return mapped(self.folder / name, kind, length)

    def _sweep(self) -> None:
        """Remove files that the state does not name: incomplete or outdated ones."""
        for path in self.folder.iterdir():
            if path.name not in {LOCK, STATE, *self._names, *self._sums} and path.is_file():
                path.unlink()

    def _check(self) -> None:
        """Check every file, and cut off bytes after the last complete document."""
        if self._sums.get(self._names[0], [-1])[0] != self.documents * self._record:
            raise damaged(self.folder / STATE)
        for name, (size, total) in self._sums.items():
            path = self.folder / name
            there = path.stat().st_size if path.exists() else 0
            if there < size or summed(path, size)[1] != total or (there > size and name not in self._names):
                raise damaged(path)
            # Truncate only if needed: closing a file that was truncated to nothing waits for the disk.
            if there > size:
                os.truncate(path, size)

    @contextmanager
    def translate_os_errors(self) -> Iterator[None]:
        """Translate OSError into StoreError with advice on how to resume."""
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"{self.folder}: {error.strerror or error}; run the same command again to resume"
            ) from error


class RunStore(PhaseStore):
    """The documents of a clustering, and the files of its phases."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _FILES, RECORD.itemsize)

    def forget(self) -> None:
        """Release the mapped files before more is added."""
        self.__dict__.pop("records", None)
        self.__dict__.pop("shingles", None)

    def close(self) -> None:
        """Close the files. Saved states are on disk then."""
        self.forget()
        super().close()

    def add(self, batch: DocumentBatch) -> None:
        """Append the documents of a batch."""
        shingles = batch.shingles.data.cast("B") if len(batch.shingles) else b""
        self.append({**batch.texts, "shingles": shingles, "records": batch.records.tobytes()}, len(batch))

    @cached_property
    def records(self) -> Records:
        """The rows of all documents. Read them only when all documents are stored."""
        return self.mapped("records", RECORD, self.documents)

    @cached_property
    def shingles(self) -> Rows:
        """The sorted, distinct shingles of all documents. Read them only when all documents are stored."""
        ends = self._ends
        return Rows(self.mapped("shingles", np.dtype("<u8"), int(ends[-1])), ends, self.folder / "shingles")

    @property
    def _ends(self) -> NDArray[np.int64]:
        ends = np.zeros(self.documents + 1, np.int64)
        np.cumsum(self.records["shingles"], out=ends[1:])
        return ends

    def texts(self, field: str) -> TextColumn:
        lengths = self.records[field]
        size = int(np.maximum(lengths, 0).sum(dtype=np.int64))
        return TextColumn(self.mapped(field, np.dtype("u1"), size), lengths)


def mapped(path: Path, kind: np.dtype[Any], length: int) -> NDArray[Any]:
    """Map so many items of a file. An empty file cannot be mapped."""
    return np.memmap(path, kind, "r", shape=(length,)) if length else np.zeros(0, kind)


_FILES = ("records", "shingles", *TEXTS)


def clear(folder: Path) -> None:
    """Remove the files of a run from its folder. Refused while a run is at work there."""
    try:
        with locked(folder):
            for path in folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif path.name != LOCK:
                    path.unlink()
    except OSError as error:
        raise StoreError(f"{folder}: cannot be emptied: {error.strerror or error}") from error


def locked(folder: Path) -> IO[bytes]:
    """Lock a folder against other runs until the file is closed."""
    while True:
        file = (folder / LOCK).open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (folder / LOCK).exists() and os.path.samestat(os.fstat(file.fileno()), (folder / LOCK).stat()):
                return file
        except BlockingIOError as error:
            file.close()
            raise StoreError(f"{folder}: another run is at work there; wait, or choose another folder") from error
        except BaseException:
            file.close()
            raise
        file.close()  # somebody removed the folder meanwhile: what is locked then keeps nobody away


def _state(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
        form = content["format"]
        state: dict[str, Any] = content["state"] if form == FORMAT else {}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise damaged(path) from error
    if form != FORMAT:
        raise StoreError(f"{path}: written by another version of Whorl; {AFRESH}")
    if _sealed(state) != path.read_text("utf-8"):
        raise damaged(path)
    return state


def _sealed(state: dict[str, Any]) -> str:
    """Return the content of ``state.json``, with a checksum."""
    written = json.dumps(state)
    return json.dumps({"format": FORMAT, "sum": checksum(written.encode(), 0), "state": json.loads(written)})


def damaged(path: Path) -> StoreError:
    """Return the error that a file is not what was written."""
    return StoreError(f"{path}: damaged; {AFRESH}")


def checksum(data: bytes | memoryview, before: int) -> int:
    """Return the checksum of data behind other data."""
    return int(native_segments.checksum(np.frombuffer(data, np.uint8), before))


def summed(path: Path, size: int | None = None) -> list[int]:
    """Return size and checksum of a file, or of its beginning."""
    left = path.stat().st_size if size is None else size
    total, value = left, 0
    if not left:
        return [0, 0]
    with path.open("rb") as file:
        while left and (data := file.read(min(left, BLOCK))):
            left, value = left - len(data), checksum(data, value)
    return [total - left, value]


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomically(path: Path, content: str) -> None:
    """Write a small file so that it is on disk complete or not at all."""
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync(path.parent)  # the names of the files come before the state that names them
    fresh.replace(path)
    sync(path.parent)
