"""Phase 3: ⟨document, document, count⟩. The compiled loop of the local backend makes pairs of the pieces of a task and
counts those that come together. What the tasks found of a pair meets in the bucket of its left document, and is added
up.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl import kernel
from whorl.backends.spark.columns import batch
from whorl.backends.spark.grouping import ACROSS, COMMON, UNIT
from whorl.backends.spark.parcels import PARCELS, addressed, delivered, opened, tasks
from whorl.clustering.counting import tallied

# Postings that are made pairs of together, all of a task: 100 MB of it. The more there are, the more often a pair is
# found again before it travels.
STEP = 1 << 21

# Pairs that leave a task at a time.
ROOM = 1 << 20

# Pairs that are added up before they leave, equal ones counted each time: far fewer are left.
TOGETHER = 1 << 22

# Pairs that a task makes, and those that one counts, if none was found again before: 300 MB while they are sorted.
MADE, TASK = 1 << 26, 1 << 23

# Pairs of a row of what is written: a task of the next stage takes several rows.
WRITTEN = 1 << 18

TALLY = np.dtype([("key", "<u8"), ("count", "<u4")])
PAIR = np.dtype([("left", "<i8"), ("right", "<i8"), ("count", "<u4")])


class Keys:
    """A pair as one number within the bucket of its left document. ``span`` is above all numbers of documents."""

    def __init__(self, buckets: int, span: int) -> None:
        # The number has 64 bits. From 4,300 million documents on it takes several buckets to fit.
        self.buckets = max(buckets, -(-span * span >> 64) + 1) if span >> 32 else buckets
        self.span = span

    def tallies(self, left: NDArray[np.int64], right: NDArray[np.int64], counts: NDArray[Any]) -> Any:
        """Pairs, as parcels to their buckets."""
        rows = np.empty(len(left), TALLY)
        rows["key"] = (left // self.buckets).astype(np.uint64) * np.uint64(self.span) + right.astype(np.uint64)
        rows["count"] = counts
        return addressed(rows, left % self.buckets)

    def pairs(self, keys: NDArray[np.uint64], counts: NDArray[np.uint32], bucket: int) -> NDArray[Any]:
        """The inverse, in a bucket."""
        rows = np.empty(len(keys), PAIR)
        rows["left"] = (keys // np.uint64(self.span)).astype(np.int64) * self.buckets + bucket
        rows["right"], rows["count"] = keys % np.uint64(self.span), counts
        return rows


def pairs(pieces: DataFrame, documents: int) -> DataFrame:
    """Parcels of ⟨document, document, count⟩, left < right, each pair once. All numbers are below ``documents``."""
    work = pieces.where(sql.col("kind") != COMMON)
    size, held = (total or 0 for total in work.agg(sql.sum("pairs"), sql.sum(sql.length("data"))).first())
    keys = Keys(tasks(pieces.sparkSession, size, TASK), max(1, documents))
    makers = max(tasks(pieces.sparkSession, size, MADE), tasks(pieces.sparkSession, held, STEP * UNIT.itemsize))

    def tallied(coming: Iterable[Any]) -> Iterator[Any]:
        return _tallied(coming, keys)

    def counted(coming: Iterable[Any]) -> Iterator[Any]:
        return _counted(coming, keys)

    # Dealt in turn: the pieces are alike in size, so the tasks are.
    found = work.select("kind", "data").repartition(makers).mapInArrow(tallied, PARCELS)
    return delivered(found, keys.buckets).mapInArrow(counted, PARCELS)


def _tallied(coming: Iterable[Any], keys: Keys) -> Iterator[Any]:
    """The pairs of the pieces of a task, counted as far as they come together."""
    waiting, held = list[NDArray[Any]](), 0
    crossing = _Crossing(keys)
    for each in coming:
        for kind, data in zip(each["kind"].to_pylist(), each["data"], strict=True):
            rows = np.frombuffer(data.as_buffer(), UNIT)
            if kind == ACROSS:
                yield from crossing.add(rows)
                continue
            waiting.append(rows)
            held += len(rows)
            if held >= STEP:
                yield from _within(waiting, keys)
                waiting, held = [], 0
    yield from _within(waiting, keys)
    yield from crossing.rest()


def _within(pieces: list[NDArray[Any]], keys: Keys) -> Iterator[Any]:
    """All pairs of each unit. The loop wants small numbers, in the same order."""
    if not pieces:
        return
    rows = np.concatenate(pieces)
    begins = np.concatenate([np.diff(piece["unit"], prepend=piece["unit"][:1] + np.uint32(1)) != 0 for piece in pieces])
    units = np.cumsum(begins).astype(np.uint64)
    names, own = np.unique(rows["number"], return_inverse=True)
    small = own.astype(np.uint32)
    *followed, _ = kernel.tallies().follow(units, small, len(units), False, len(names))
    for found in tallied(small, *followed, room=TOGETHER):
        if len(found):
            yield keys.tallies(names[found[:, 1]], names[found[:, 0]], found[:, 2])


class _Crossing:
    """All pairs of a document of unit 0 with one of unit 1, gathered."""

    def __init__(self, keys: Keys) -> None:
        self._keys, self._left, self._right = keys, list[NDArray[Any]](), list[NDArray[Any]]()
        self._held = 0

    def add(self, rows: NDArray[Any]) -> Iterator[Any]:
        """The pairs of a piece; what is held leaves when there is enough of it."""
        middle = int(np.searchsorted(rows["unit"], 1))
        ours, theirs = rows["number"][:middle], rows["number"][middle:]
        one, two = np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
        self._left.append(np.minimum(one, two))
        self._right.append(np.maximum(one, two))
        self._held += len(one)
        if self._held >= ROOM:
            yield from self.rest()

    def rest(self) -> Iterator[Any]:
        """What is held."""
        if self._held:
            left, right = np.concatenate(self._left), np.concatenate(self._right)
            yield self._keys.tallies(left, right, np.ones(len(left), np.uint32))
        self._left, self._right, self._held = [], [], 0


def _counted(coming: Iterable[Any], keys: Keys) -> Iterator[Any]:
    """The sums of a bucket's tallies. They come in runs that are in order, which sorting makes use of."""
    batches = [each for each in coming if len(each)]
    if not batches:
        return
    bucket = int(batches[0]["bucket"][0].as_py())
    rows = opened(batches, TALLY)
    del batches
    held = np.ascontiguousarray(rows["key"])
    order = np.argsort(held, kind="stable")
    found, counts = kernel.tallies().count(held[order], rows["count"][order])
    del rows, held, order
    for start in range(0, len(found), WRITTEN):
        part = slice(start, start + WRITTEN)
        data = pa.array([keys.pairs(found[part], counts[part], bucket).tobytes()], pa.binary())
        yield batch({"bucket": np.array([bucket], np.int32), "data": data})


def rows(parcels: DataFrame) -> DataFrame:
    """The pairs of parcels as rows: ``left``, ``right``, ``count``."""
    return parcels.mapInArrow(_rows, "left long, right long, count long")


def _rows(coming: Iterable[Any]) -> Iterator[Any]:
    for each in coming:
        found = opened([each], PAIR)
        yield batch({name: found[name].astype(np.int64) for name in ("left", "right", "count")})
