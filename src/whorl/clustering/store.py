"""The folder of a run: what phase 1 made of the documents, on disk, so that a run that was stopped goes on.

Files only grow. Now and then they are brought to the disk and ``state.json`` says how many documents are whole; what
stands behind that was being written when the run stopped, and is cut off.
"""

import fcntl
import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.records import RECORD, TEXTS, Batch, Records, Rows, Texts
from whorl.errors import WhorlError

FORMAT = 2
STATE, LOCK = "state.json", "lock"

# Seconds of work that a crash may cost.
OFTEN = 5.0


class StoreError(WhorlError):
    """The folder of a run cannot be written or read."""


class Store:
    """A run's folder. ``state`` is whatever its phases note there, beside the number of documents that are whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, IO[bytes]] = {}
        # What was saved is brought to the disk while the run goes on, one after the other. After a refusal nothing
        # more: a disk that has lost something may not say so again.
        self._saver = ThreadPoolExecutor(1)
        self._saving: deque[Future[None]] = deque()
        self._refusal: OSError | None = None
        try:
            with self.told():
                self._open()
        except BaseException:
            self.close()
            raise
        self._saved = time.monotonic()

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._files[LOCK] = (self.folder / LOCK).open("ab")
        _lock(self._files[LOCK], self.folder)
        self.state: dict[str, Any] = _state(self.folder / STATE)
        self.documents = int(self.state.setdefault("documents", 0))
        for name in _FILES:
            self._files[name] = (self.folder / name).open("ab")
        self._cut()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def forget(self) -> None:
        """Let go of what was read; more is about to be added."""
        self.__dict__.pop("records", None)
        self.__dict__.pop("shingles", None)

    def close(self) -> None:
        """Let go of the files. What was saved is on the disk then."""
        self.forget()
        try:
            self._settle()
        finally:
            self._saver.shutdown()
            for file in self._files.values():
                file.close()

    def add(self, batch: Batch) -> None:
        """Append the documents of a batch."""
        with self.told():
            for field, data in batch.texts.items():
                self._files[field].write(data)
            self._files["shingles"].write(batch.shingles.data)
            self._files["records"].write(batch.records.tobytes())
        self.documents += len(batch)
        if time.monotonic() - self._saved >= OFTEN and all(saving.done() for saving in self._saving):
            self.save()

    def save(self, **facts: Any) -> None:
        """Bring all that was added to the disk, and note these facts of the run. Does not wait for the disk: what it
        refuses is told when more is saved, or at the end."""
        self._settle(wait=False)
        with self.told():
            for file in self._files.values():
                file.flush()
        self.state |= {"documents": self.documents, **facts}
        self._saving.append(self._saver.submit(self._bring, json.dumps(self.state)))
        self._saved = time.monotonic()

    def _bring(self, state: str) -> None:
        if self._refusal is not None:
            raise self._refusal
        try:
            for file in self._files.values():
                os.fsync(file.fileno())
            _written(self.folder / STATE, state)
        except OSError as error:
            self._refusal = error
            raise

    def _settle(self, wait: bool = True) -> None:
        """Tells what the disk refused, of all that was saved, or of what it is done with."""
        with self.told():
            while self._saving and (wait or self._saving[0].done()):
                self._saving.popleft().result()

    @cached_property
    def records(self) -> Records:
        """The rows of all documents. To be read when all are there."""
        return self._mapped("records", RECORD, self.documents)

    @cached_property
    def shingles(self) -> Rows:
        """The shingles of all documents, sorted, each once. To be read when all are there."""
        ends = self._ends
        return Rows(self._mapped("shingles", np.dtype("<u8"), int(ends[-1])), ends, self.folder / "shingles")

    @property
    def _ends(self) -> NDArray[np.int64]:
        ends = np.zeros(self.documents + 1, np.int64)
        np.cumsum(self.records["shingles"], out=ends[1:])
        return ends

    def texts(self, field: str) -> Texts:
        """A column of texts."""
        lengths = self.records[field]
        size = int(np.maximum(lengths, 0).sum(dtype=np.int64))
        return Texts(self._mapped(field, np.dtype("u1"), size), lengths)

    def _mapped(self, name: str, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        with self.told():
            self._files[name].flush()
            return mapped(self.folder / name, kind, count)

    def _cut(self) -> None:
        """Cut off what stands behind the last whole document."""
        path = self.folder / "records"
        if path.stat().st_size < self.documents * RECORD.itemsize:
            raise StoreError(f"{self.folder}: damaged, documents are missing; remove it and run again")
        records = np.fromfile(path, RECORD, self.documents)
        for name, size in _sizes(records).items():
            there = (self.folder / name).stat().st_size
            if there < size:
                raise StoreError(f"{self.folder / name}: damaged, it is too short; remove the folder and run again")
            # A file that was cut to nothing is written to the disk whenever it is closed, and that is waited for.
            if there > size:
                os.truncate(self.folder / name, size)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What the disk refuses within becomes an error that says how to go on."""
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"{self.folder}: {error.strerror or error}; nothing is lost: run the same command again to go on"
            ) from error


def mapped(path: Path, kind: np.dtype[Any], count: int) -> NDArray[Any]:
    """So many numbers or rows of a file, read when they are looked at. A file without any cannot be mapped."""
    return np.memmap(path, kind, "r", shape=(count,)) if count else np.zeros(0, kind)


_FILES = ("records", "shingles", *TEXTS)


def _sizes(records: Records) -> Mapping[str, int]:
    """How many bytes of each file belong to these documents."""
    return {
        "records": records.nbytes,
        "shingles": 8 * int(records["shingles"].sum()),
        **{field: int(np.maximum(records[field], 0).sum(dtype=np.int64)) for field in TEXTS},
    }


def _lock(file: IO[bytes], folder: Path) -> None:
    """Keeps other runs away until the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreError(f"{folder}: another run is at work there; wait for it, or choose another folder") from error


def _state(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {"format": FORMAT}
    try:
        state: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise StoreError(f"{path}: damaged; remove its folder and run again") from error
    if state.get("format") != FORMAT:
        raise StoreError(f"{path}: of another version of Whorl; remove its folder and run again")
    return state


def _written(path: Path, state: str) -> None:
    """There in whole, or not at all."""
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(state)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
