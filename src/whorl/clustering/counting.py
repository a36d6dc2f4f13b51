"""Phase 3: ⟨document, document, count⟩. Each shingle that several documents have makes pairs of them; equal pairs
are counted, document by document. What comes of a part of the shingles goes to disk in order, and parts are merged."""

import errno
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import spans
from whorl.fingerprinting.ahead import Ahead
from whorl.index.postings import Postings

# Bytes that a pair takes while it is counted: its row.
EACH = 12

# Pairs that are counted at a time, at the most: room for more would be new memory each time.
MOST = 1 << 20

# Pairs of a run that are read at a time when runs are merged, at the least.
FEW = 1 << 10

# Pairs that are told at a time.
STEP = 1 << 16

# The pair is ``left << 32 | right``, so a row is three numbers too: right, left, count.
_ROW = np.dtype([("pair", "<u8"), ("count", "<u4")])
_COLUMNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of documents, by number, left < right, and how many sketched shingles they share."""

    left: NDArray[Any]
    right: NDArray[Any]
    count: NDArray[Any]

    def __len__(self) -> int:
        return len(self.left)


class Counter:
    """Counts the pairs of ``count`` documents within a budget of memory. ``common`` are the shingles that more than
    ``most`` documents have: they make no pairs, or, if ``linear``, pair each of their documents with the first."""

    def __init__(
        self, folder: Path, count: int, memory: int, most: int, linear: bool = False, threads: int = 1
    ) -> None:
        self._folder, self._count, self._most, self._linear, self._threads = folder, count, most, linear, threads
        # What is counted ahead waits, two parts a thread.
        self._room = max(1, min(MOST, memory // EACH // (1 + 2 * threads)))
        self._runs: list[Path] = []
        self._common: list[NDArray[np.uint64]] = []

    @property
    def common(self) -> NDArray[np.uint64]:
        """Shingles that too many documents have, in order."""
        return np.concatenate([np.empty(0, np.uint64), *self._common])

    def add(self, postings: Postings) -> None:
        """Count the pairs of some shingles, all of whose postings are here."""
        *followed, common = kernel.tallies().follow(
            postings.hashes, postings.documents, self._most, self._linear, self._count
        )
        self._common.append(common)
        self._runs.append(self._folder / f"pairs-{len(self._runs):06}")

        def tally(part: tuple[int, int]) -> NDArray[np.uint32]:
            rows: NDArray[np.uint32] = kernel.tallies().tally(postings.documents, *followed, *part)
            return rows

        with self._runs[-1].open("wb") as file, Ahead(self._threads) as ahead:
            ahead.each(tally, spans(followed[-1], self._room), lambda rows: file.write(rows.data))

    def write(self, path: Path) -> int:
        """All pairs to a file, each once, in order; how many."""
        if len(self._runs) == 1:
            self._runs.pop().replace(path)
        else:
            with path.open("wb") as file, ExitStack() as stack:
                runs = [_Run(stack.enter_context(run.open("rb"))) for run in self._runs]
                ahead = stack.enter_context(Ahead(self._threads))
                # What is merged needs its room twice.
                ahead.each(_merged, _together(runs, self._room // 2), lambda rows: file.write(rows.data))
        for run in self._runs:
            run.unlink()
        return path.stat().st_size // _ROW.itemsize


def tallied(documents: NDArray[np.uint32], *followed: NDArray[np.int64], room: int) -> Iterator[NDArray[np.uint32]]:
    """All pairs that followed postings make, in order, as rows of right, left and count: as many at a time as there is
    room for, but at least those of one document."""
    for part in spans(followed[-1], room):
        yield kernel.tallies().tally(documents, *followed, *part)


def counted(path: Path, step: int = STEP) -> Iterator[Pairs]:
    """The pairs of a file that a counter wrote, in parts."""
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, _ROW, step)):
            right, left, count = rows.view("<u4").reshape(-1, _COLUMNS).T
            yield Pairs(left, right, count)


class _Stretch(NamedTuple):
    """Rows of a run that follow each other."""

    descriptor: int
    start: int
    length: int


def _merged(stretches: Sequence[_Stretch]) -> NDArray[np.uint32]:
    """The rows of sorted stretches, in order; equal pairs are added up."""
    bounds = np.cumsum([0, *(stretch.length for stretch in stretches)])
    rows = np.concatenate([np.frombuffer(_read(stretch), np.uint32) for stretch in stretches])
    merged: NDArray[np.uint32] = kernel.tallies().merge(rows.reshape(-1, _COLUMNS), bounds)
    return merged


def _read(stretch: _Stretch) -> bytes:
    size = stretch.length * _ROW.itemsize
    data = os.pread(stretch.descriptor, size, stretch.start * _ROW.itemsize)
    if len(data) < size:
        raise OSError(errno.EIO, "a run of pairs ends early")
    return data


def _together(runs: Sequence["_Run"], room: int) -> Iterator[list[_Stretch]]:
    """What comes next of each run, as much together as there is room for. A pair is never in two parts."""
    step = max(FEW, room // max(1, len(runs)))
    left = [run for run in runs if run.is_left]
    while left:
        last = min(run.last(step) for run in left)
        yield [run.taken(last, step) for run in left]
        left = [run for run in left if run.is_left]


class _Run:
    """A sorted file of pairs, and how far it was gone through. Only here and there is a pair looked at: who merges them
    reads them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._descriptor = file.fileno()
        self._count = os.fstat(self._descriptor).st_size // _ROW.itemsize
        self._at = 0

    @property
    def is_left(self) -> bool:
        """Whether there are more."""
        return self._at < self._count

    def last(self, step: int) -> int:
        """The last of so many pairs that come next."""
        return self._pair(min(self._at + step, self._count) - 1)

    def taken(self, last: int, step: int) -> _Stretch:
        """All up to a pair that is among so many that come next."""
        start = self._at
        self._at = bisect_right(range(self._count), last, start, min(start + step, self._count), key=self._pair)
        return _Stretch(self._descriptor, start, self._at - start)

    def _pair(self, place: int) -> int:
        return int.from_bytes(os.pread(self._descriptor, 8, place * _ROW.itemsize), "little")
