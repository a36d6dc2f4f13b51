"""Phase 3: ⟨document, document, count⟩. Each shingle that several documents have makes pairs of them; equal pairs are
counted, in memory as far as it goes, then on disk, and merged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.index.postings import Postings

# Bytes that counting a pair takes: itself, its weight, and both once more while they are sorted.
EACH = 32

# Pairs of a run that are read at a time when runs are merged.
STEP = 1 << 16

_ROW = np.dtype([("pair", "<u8"), ("count", "<u4")])


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of documents, by number, left < right, and how many sketched shingles they share."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    count: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)


class Counter:
    """Counts pairs within a budget of memory. ``common`` counts the shingles that too many documents have."""

    def __init__(self, folder: Path, memory: int, most: int) -> None:
        self._folder, self._most = folder, most
        self._room = max(1, memory // EACH)
        self._held: list[NDArray[np.uint64]] = []
        self._size = 0
        self._runs: list[Path] = []
        self.common = 0

    def add(self, postings: Postings) -> None:
        """The pairs of some shingles, all of whose postings are here."""
        pairs, common = kernel.pairs().expand(postings.hashes, postings.documents, self._most)
        self.common += common
        self._held.append(pairs)
        self._size += len(pairs)
        if self._size >= self._room:
            self._spill()

    def pairs(self) -> Iterator[Pairs]:
        """All pairs, each once, in order, in parts."""
        if not self._runs:
            yield _unpacked(*self._counted())
            return
        self._spill()
        yield from (_unpacked(*part) for part in _merged(self._runs))
        for run in self._runs:
            run.unlink()

    def _counted(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        pairs = np.concatenate([*self._held, np.zeros(0, np.uint64)])
        self._held, self._size = [], 0
        pairs.sort()
        distinct, counts = kernel.pairs().count(pairs, np.ones(len(pairs), np.uint32))
        return distinct, counts

    def _spill(self) -> None:
        distinct, counts = self._counted()
        rows = np.empty(len(distinct), _ROW)
        rows["pair"], rows["count"] = distinct, counts
        path = self._folder / f"pairs-{len(self._runs):06}"
        rows.tofile(path)
        self._runs.append(path)


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
        self._rows = np.memmap(path, _ROW, "r") if path.stat().st_size else np.zeros(0, _ROW)
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
        return np.array(self._rows[start : self._at])


def _unpacked(pairs: NDArray[np.uint64], counts: NDArray[np.uint32]) -> Pairs:
    left, right = pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)
    return Pairs(left.astype(np.int64), right.astype(np.int64), counts.astype(np.int64))
