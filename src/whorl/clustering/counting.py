"""Phase 3: ⟨document, document, count⟩. Each shingle that several documents have makes pairs of them; equal pairs
are counted, document by document. What comes of a part of the shingles goes to disk in order, and parts are merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
            # What is merged needs its room twice.
            with path.open("wb") as file, Ahead(self._threads) as ahead:
                ahead.each(_merged, _together(self._runs, self._room // 2), lambda rows: file.write(rows.data))
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


def _merged(parts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """The rows of sorted runs, in order; equal pairs are added up."""
    ends = np.cumsum([0, *map(len, parts)])
    rows: NDArray[np.uint32] = kernel.tallies().merge(np.concatenate(parts), ends)
    return rows


def _together(runs: Sequence[Path], room: int) -> Iterator[list[NDArray[np.uint32]]]:
    """What comes next of each run, as much together as there is room for. A pair is never in two parts."""
    readers = [_Reader(run, max(FEW, room // len(runs))) for run in runs]
    while readers := [reader for reader in readers if reader.has_more]:
        last = min(reader.last for reader in readers)
        yield [reader.take(last) for reader in readers]


class _Reader:
    """Goes through a run, up to so many pairs at a time."""

    def __init__(self, path: Path, step: int) -> None:
        self._path, self._step = path, step
        self._at = 0
        self._next = self._read()

    def _read(self) -> NDArray[np.void]:
        return np.fromfile(self._path, _ROW, self._step, offset=self._at * _ROW.itemsize)

    @property
    def has_more(self) -> bool:
        return len(self._next) > 0

    @property
    def last(self) -> int:
        """The last pair of the next step."""
        return int(self._next["pair"][-1])

    def take(self, last: int) -> NDArray[np.uint32]:
        """All up to a pair, which is not behind the next step."""
        count = int(np.searchsorted(self._next["pair"], last, "right"))
        taken = self._next[:count]
        self._at += count
        self._next = self._read()
        return taken.view("<u4").reshape(-1, _COLUMNS)
