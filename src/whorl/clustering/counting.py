"""Phase 3: ⟨document, document, count⟩. Each shingle that several documents have makes pairs of them; equal pairs
are counted, document by document. What comes of a part of the shingles goes to disk in order, and parts are merged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import forget, spans
from whorl.fingerprinting.ahead import Ahead
from whorl.index.postings import Postings

# Bytes that a pair takes while it is counted: its row.
EACH = 12

# Pairs that are counted at a time, at the most: room for more would be new memory each time.
MOST = 1 << 20

# Pairs of a run that are read at a time when runs are merged, and those that are told at a time.
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
        *followed, common = kernel.pairs().follow(
            postings.hashes, postings.documents, self._most, self._linear, self._count
        )
        self._common.append(common)
        self._runs.append(self._folder / f"pairs-{len(self._runs):06}")

        def tally(part: tuple[int, int]) -> NDArray[np.uint32]:
            rows: NDArray[np.uint32] = kernel.pairs().tally(postings.documents, *followed, *part)
            return rows

        with self._runs[-1].open("wb") as file, Ahead(self._threads) as ahead:
            ahead.each(tally, spans(followed[-1], self._room), lambda rows: file.write(rows.data))

    def write(self, path: Path) -> int:
        """All pairs to a file, each once, in order; how many."""
        if len(self._runs) == 1:
            self._runs.pop().replace(path)
        else:
            with path.open("wb") as file:
                for distinct, counts in _merged(self._runs):
                    file.write(_rows(distinct, counts).data)
        for run in self._runs:
            run.unlink()
        return path.stat().st_size // _ROW.itemsize


def tallied(documents: NDArray[np.uint32], *followed: NDArray[np.int64], room: int) -> Iterator[NDArray[np.uint32]]:
    """All pairs that followed postings make, in order, as rows of right, left and count: as many at a time as there is
    room for, but at least those of one document."""
    for part in spans(followed[-1], room):
        yield kernel.pairs().tally(documents, *followed, *part)


def counted(path: Path, step: int = STEP) -> Iterator[Pairs]:
    """The pairs of a file that a counter wrote, in parts."""
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, _ROW, step)):
            right, left, count = rows.view("<u4").reshape(-1, _COLUMNS).T
            yield Pairs(left, right, count)


def _rows(pairs: NDArray[np.uint64], counts: NDArray[np.uint32]) -> NDArray[np.void]:
    rows = np.empty(len(pairs), _ROW)
    rows["pair"], rows["count"] = pairs, counts
    return rows


def _merged(runs: Iterable[Path]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
    """The rows of sorted runs, in order; equal pairs are added up, and never in two parts."""
    readers = [_Reader(run) for run in runs]
    while readers := [reader for reader in readers if reader.fill()]:
        last = min(reader.last for reader in readers)
        rows = np.concatenate([reader.take(last) for reader in readers])
        rows = rows[np.argsort(rows["pair"], kind="stable")]
        yield kernel.pairs().count(np.ascontiguousarray(rows["pair"]), np.ascontiguousarray(rows["count"]))


class _Reader:
    def __init__(self, path: Path) -> None:
        self._rows = _mapped(path)
        self._at = 0

    def fill(self) -> bool:
        return self._at < len(self._rows)

    @property
    def last(self) -> int:
        """The last pair of the next step."""
        return int(self._rows["pair"][min(self._at + STEP, len(self._rows)) - 1])

    def take(self, last: int) -> NDArray[np.void]:
        """All up to a pair."""
        start = self._at
        step = self._rows["pair"][start : start + STEP]
        self._at += int(np.searchsorted(step, last, "right"))
        taken = np.array(self._rows[start : self._at])
        forget(self._rows)
        return taken


def _mapped(path: Path) -> NDArray[np.void]:
    return np.memmap(path, _ROW, "r") if path.stat().st_size else np.zeros(0, _ROW)
