"""Phase 3: expand to ⟨document, document, count⟩, and count exactly how many shingles pairs share."""

import errno
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.records import Rows, spans
from whorl.components import Components
from whorl.kernel import native_crowds, native_pairs, native_tallies
from whorl.storage.postings import Postings
from whorl.threads import Prefetch

# Bytes of a pair while it is counted: its row.
PAIR_BYTES = 12

# Maximum number of pairs counted at a time. A larger buffer would be allocated anew each time.
MOST_PAIRS = 1 << 20

# Minimum number of pairs read from a run at a time when runs are merged.
MERGE_STEP = 1 << 10

# Pairs read at a time.
READ_STEP = 1 << 16

# A pair is ``left << 32 | right``, so a row is also three numbers: right, left, count.
_ROW = np.dtype([("pair", "<u8"), ("count", "<u4")])
_COLUMNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of documents by number, left < right, and how many sketched shingles they share."""

    left: NDArray[Any]
    right: NDArray[Any]
    count: NDArray[Any]

    def __len__(self) -> int:
        return len(self.left)


class PairCounter:
    """Count the pairs of ``count`` documents within a memory budget.

    Common shingles, which more than ``most`` documents have, make no pairs. If ``linear``, they pair each of their
    documents with the first.
    """

    def __init__(
        self, folder: Path, count: int, memory: int, most: int, linear: bool = False, threads: int = 1
    ) -> None:
        self._folder, self._count, self._most, self._linear, self._threads = folder, count, most, linear, threads
        # Two parts of each thread wait in memory.
        self._room = max(1, min(MOST_PAIRS, memory // PAIR_BYTES // (1 + 2 * threads)))
        self._runs: list[Path] = []
        self._common: list[NDArray[np.uint64]] = []

    @property
    def common(self) -> NDArray[np.uint64]:
        """Return the common shingles, in order."""
        return np.concatenate([np.empty(0, np.uint64), *self._common])

    def add(self, postings: Postings) -> None:
        """Count the pairs of some shingles; all postings of these must be present."""
        ends, order, bounds, works, common = native_tallies.follow(
            postings.hashes, postings.documents, self._most, self._linear, self._count
        )
        self._common.append(common)
        self._runs.append(self._folder / f"pairs-{len(self._runs):06}")

        def tally(part: tuple[int, int]) -> NDArray[np.uint32]:
            return native_tallies.tally(postings.documents, ends, order, bounds, works, *part)

        with self._runs[-1].open("wb") as file, Prefetch(self._threads) as ahead:
            ahead.each(tally, spans(works, self._room), lambda rows: file.write(rows.data))

    def write(self, path: Path) -> int:
        """Write all pairs to a file, each once, in order; return their number."""
        if len(self._runs) == 1:
            self._runs.pop().replace(path)
        else:
            with path.open("wb") as file, ExitStack() as stack:
                runs = [_Run(stack.enter_context(run.open("rb"))) for run in self._runs]
                ahead = stack.enter_context(Prefetch(self._threads))
                # Merging needs its memory twice.
                ahead.each(_merged, _together(runs, self._room // 2), lambda rows: file.write(rows.data))
        for run in self._runs:
            run.unlink()
        return path.stat().st_size // _ROW.itemsize


def tallied(
    documents: NDArray[np.uint32],
    ends: NDArray[np.int64],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    works: NDArray[np.int64],
    *,
    room: int,
) -> Iterator[NDArray[np.uint32]]:
    """Yield all pairs of the postings in order, as rows of right, left and count: as many at a time as fit, and at
    least those of one document."""
    for part in spans(works, room):
        yield native_tallies.tally(documents, ends, order, bounds, works, *part)


def counted(path: Path, step: int = READ_STEP) -> Iterator[Pairs]:
    """Yield the pairs of a file that a counter wrote, in parts."""
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, _ROW, step)):
            right, left, count = rows.view("<u4").reshape(-1, _COLUMNS).T
            yield Pairs(left, right, count)


class _Stretch(NamedTuple):
    """Consecutive rows of a run."""

    descriptor: int
    start: int
    length: int


def _merged(stretches: Sequence[_Stretch]) -> NDArray[np.uint32]:
    """Merge sorted stretches; add up the counts of equal pairs."""
    bounds = np.cumsum([0, *(stretch.length for stretch in stretches)])
    rows = np.concatenate([np.frombuffer(_read(stretch), np.uint32) for stretch in stretches])
    return native_tallies.merge(rows.reshape(-1, _COLUMNS), bounds)


def _read(stretch: _Stretch) -> bytes:
    size = stretch.length * _ROW.itemsize
    data = os.pread(stretch.descriptor, size, stretch.start * _ROW.itemsize)
    if len(data) < size:
        raise OSError(errno.EIO, "a run of pairs ends early")
    return data


def _together(runs: Sequence["_Run"], room: int) -> Iterator[list[_Stretch]]:
    """Yield the next stretch of each run, as many rows together as fit. Equal pairs are never separated."""
    step = max(MERGE_STEP, room // max(1, len(runs)))
    left = [run for run in runs if run.is_left]
    while left:
        last = min(run.last(step) for run in left)
        yield [run.take_until(last, step) for run in left]
        left = [run for run in left if run.is_left]


class _Run:
    """A sorted file of pairs and the position in it. Reads only single pairs; the merge reads the rows."""

    def __init__(self, file: IO[bytes]) -> None:
        self._descriptor = file.fileno()
        self._count = os.fstat(self._descriptor).st_size // _ROW.itemsize
        self._at = 0

    @property
    def is_left(self) -> bool:
        return self._at < self._count

    def last(self, step: int) -> int:
        """Return the last of the next ``step`` pairs."""
        return self._pair(min(self._at + step, self._count) - 1)

    def take_until(self, last: int, step: int) -> _Stretch:
        """Advance past the pair ``last``, which is among the next ``step``; return the rows passed."""
        start = self._at
        self._at = bisect_right(range(self._count), last, start, min(start + step, self._count), key=self._pair)
        return _Stretch(self._descriptor, start, self._at - start)

    def _pair(self, place: int) -> int:
        return int.from_bytes(os.pread(self._descriptor, 8, place * _ROW.itemsize), "little")


# Documents are a crowd if merging would read each of their shingles so often, and so many in all.
LOOKUPS_PER_SHINGLE = 16
LEAST_LOOKUPS = 1 << 18

# Bytes of a shingle of a crowd, and of the hash that is read for it.
SHINGLE_BYTES = 24
HASH_BYTES = 8

# A crowd with more shingles is numbered in two halves.
LARGE_CROWD = 1 << 20

# The shingles of a crowd are numbered in 32 bits.
MOST_SHINGLES = (1 << 31) - 1

# Pairs compared at a time.
PAIRS_STEP = 1 << 16

Numbers = NDArray[Any]

# Called with the number of pairs compared since the last call.
PairsDone = Callable[[int], object]


@dataclass(frozen=True, slots=True, eq=False)
class PairsToVerify:
    """Candidate pairs by number, left < right, in order.

    ``needed`` returns how many shingles two documents must share. For pairs that share fewer, the count may be too low.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    needed: Callable[[Numbers, Numbers], NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.left)

    def starts(self, count: int) -> NDArray[np.int64]:
        """Return where the pairs of each left document begin, and where the last ones end."""
        return np.searchsorted(self.left, np.arange(count + 1, dtype=np.int32))


def shared(
    rows: Rows, candidates: PairsToVerify, memory: int, ahead: Prefetch, report: PairsDone = lambda count: None
) -> NDArray[np.int64]:
    """Return how many hashes the documents of each pair share, within ``memory`` bytes for hashes or crowds."""
    counts = np.zeros(len(candidates), np.int64)
    starts = candidates.starts(len(rows))
    numbers = np.full(len(rows), -1, np.int32)

    def build(ranged: _Range) -> tuple[_Range, Any]:
        members, crowd_rows, places = ranged.members, ranged.rows, ranged.places
        pairs = int((starts[members + 1] - starts[members]).sum())
        begins, ends = crowd_rows.bounds[places], crowd_rows.bounds[places + 1]
        return ranged, native_crowds.Crowd(crowd_rows.hashes, begins, ends, members, pairs, ranged.low, ranged.high)

    def compare(part: _Part) -> int:
        for crowd in part.crowds:
            crowd.shared(part.first, part.last, starts, candidates.right, numbers, counts)
        return part.pairs

    for group in _within(crowded(rows, candidates), rows, memory):
        for members in group:
            numbers[members] = np.arange(len(members))
        ranges = (ranged for members in group for ranged in _ranges(members, rows, memory))
        for count in ahead.map(compare, _parts(ahead.map(build, ranges), starts)):
            report(count)

    def go_through(part: Numbers) -> int:
        left, right = candidates.left[part], candidates.right[part]
        counts[part] = side_by_side(rows, left, right, candidates.needed(left, right), memory, ahead.threads)
        return len(part)

    others = np.flatnonzero(numbers[candidates.left] < 0)
    for count in ahead.map(go_through, (others[at : at + PAIRS_STEP] for at in range(0, len(others), PAIRS_STEP))):
        report(count)
    return counts


def side_by_side(
    rows: Rows, left: Numbers, right: Numbers, needed: NDArray[np.float64], memory: int, threads: int = 1
) -> NDArray[np.int64]:
    """Count the shared hashes of any pairs by merging. The memory is shared by so many threads."""
    if rows.fits(memory):
        return _side_by_side(rows, left, right, needed)
    counts = np.zeros(len(left), np.int64)
    sizes = np.concatenate([[0], np.cumsum(rows.sizes[left] + rows.sizes[right])])
    for start, end in spans(sizes, memory // threads // HASH_BYTES):
        part = slice(start, end)
        documents, places = np.unique(np.concatenate([left[part], right[part]]), return_inverse=True)
        lefts, rights = np.split(places, 2)
        counts[part] = _side_by_side(rows.gathered(documents), lefts, rights, needed[part])
    return counts


def _side_by_side(rows: Rows, left: Numbers, right: Numbers, needed: NDArray[np.float64]) -> NDArray[np.int64]:
    lefts, rights = (np.ascontiguousarray(side, np.int64) for side in (left, right))
    return native_pairs.shared(rows.hashes, rows.bounds, lefts, rights, needed)


def crowded(rows: Rows, pairs: PairsToVerify) -> list[Numbers]:
    """Return the members of each crowd: a component of the pairs for which numbering the shingles pays."""
    count = len(rows)
    roots = Components.of(count, pairs.left, pairs.right).roots()
    degrees = np.diff(pairs.starts(count)) + np.bincount(pairs.right, minlength=count)
    each = np.bincount(roots, weights=rows.sizes, minlength=count)
    looks = np.bincount(roots, weights=rows.sizes * degrees, minlength=count)
    pays = (looks >= LEAST_LOOKUPS) & (looks >= LOOKUPS_PER_SHINGLE * each)
    members = np.flatnonzero(pays[roots])
    members = members[np.argsort(roots[members], kind="stable")]
    crowds = np.split(members, np.flatnonzero(np.diff(roots[members])) + 1) if len(members) else []
    # The largest first, so that the others are numbered while it is compared.
    return sorted(crowds, key=lambda members: -each[roots[members[0]]])


def _within(crowds: Sequence[Numbers], rows: Rows, memory: int) -> Iterator[list[Numbers]]:
    """Yield groups of crowds that fit into memory together. Skip one that does not fit alone; its pairs are merged."""
    sizes = rows.sizes
    group: list[Numbers] = []
    memory_used = 0
    for members in crowds:
        shingles = int(sizes[members].sum())
        each = SHINGLE_BYTES * shingles
        if each > memory or shingles > MOST_SHINGLES:
            continue
        if memory_used + each > memory:
            yield group
            group, memory_used = [], 0
        group.append(members)
        memory_used += each
    if group:
        yield group


@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """The hashes of a crowd in a range, the rows that hold them, and the places of its members in these."""

    members: Numbers
    rows: Rows
    places: Numbers
    low: int
    high: int


def _ranges(members: Numbers, rows: Rows, memory: int) -> list[_Range]:
    """Split a large crowd into halves, so that two threads can number it."""
    size = int(rows.sizes[members].sum())
    edges = [0, 1 << 63, 1 << 64] if size > LARGE_CROWD else [0, 1 << 64]
    gathered, places = (rows, members) if rows.fits(memory) else (rows.gathered(members), np.arange(len(members)))
    return [_Range(members, gathered, places, low, end - 1) for low, end in pairwise(edges)]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Members that are the left documents of so many pairs, in all ranges of their crowd."""

    crowds: list[Any]
    first: int
    last: int
    pairs: int


def _parts(crowds: Iterable[tuple[_Range, Any]], starts: NDArray[np.int64]) -> Iterator[_Part]:
    """Yield parts of about ``PAIRS_STEP`` pairs."""
    for _, ranges in groupby(crowds, lambda built: built[0].members[0]):
        every = list(ranges)
        members = every[0][0].members
        bounds = np.concatenate([[0], np.cumsum(starts[members + 1] - starts[members])])
        for first, last in spans(bounds, PAIRS_STEP):
            yield _Part([crowd for _, crowd in every], first, last, int(bounds[last] - bounds[first]))
