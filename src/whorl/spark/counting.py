"""Phases 2 and 3 on Spark: group ⟨shingle, document⟩ into pieces of work, expand to ⟨document, document, count⟩."""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import tallied
from whorl.kernel import native_tallies
from whorl.spark.stages import PARCELS, addressed, batch, delivered, gathered, lists, numbers, opened, tasks

# Documents in a block: two blocks make 65,000 pairs, a few milliseconds. A shingle just below the limit of 1,000 sends
# each posting to four pieces.
BLOCK = 256

# Pairs and postings of a piece of whole shingles.
PAIRS, POSTINGS = 1 << 18, 1 << 16

# Postings per task: 150 MB while they are sorted.
GROUP_TASK = 1 << 21

# Documents whose postings are sent together.
GROUP_STEP = 1 << 14

# Kinds of pieces: all pairs within each unit; pairs of unit 0 with unit 1; the documents of a common shingle. ``pairs``
# is the number of pairs, or of documents of a common shingle.
WITHIN, ACROSS, COMMON = 0, 1, 2
PIECES = "kind int, hash long, pairs long, data binary"

POSTING = np.dtype([("hash", "<u8"), ("number", "<i8")])
UNIT = np.dtype([("unit", "<u4"), ("number", "<i8")])


def grouped(sketches: DataFrame, settings: ClusterSettings) -> DataFrame:
    """Return the pieces of work of all sketches."""
    size = sketches.agg(sql.sum(sql.size("values"))).first()[0] or 0
    count, block = tasks(sketches.sparkSession, size, GROUP_TASK), BLOCK

    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(table, count) for table in gathered(coming, GROUP_STEP))

    def dealt(coming: Iterable[Any]) -> Iterator[Any]:
        return _dealt(opened(coming, POSTING), settings, block)

    parcels = sketches.select("number", "values").mapInArrow(sent, PARCELS)
    return delivered(parcels, count).mapInArrow(dealt, PIECES)


def _sent(table: Any, count: int) -> Any:
    """Send postings to the tasks of their hash ranges. The lower bits of a sketch are all equal."""
    values, bounds = lists(table["values"])
    rows = np.empty(len(values), POSTING)
    rows["hash"] = values.view(np.uint64)
    rows["number"] = np.repeat(numbers(table["number"]), np.diff(bounds))
    return addressed(rows, (rows["hash"] >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


def _dealt(rows: NDArray[Any], settings: ClusterSettings, block: int) -> Iterator[Any]:
    rows = rows[np.lexsort((rows["number"], rows["hash"]))]
    starts = np.flatnonzero(np.diff(rows["hash"], prepend=rows["hash"][:1] + np.uint64(1)))
    sizes = np.diff(np.append(starts, len(rows)))
    most = min(block, settings.common)
    light = (sizes > 1) & (sizes <= most)
    yield from _light(rows[np.repeat(light, sizes)], sizes[light])
    for place in np.flatnonzero(sizes > most).tolist():
        start, size = int(starts[place]), int(sizes[place])
        value, documents = int(rows["hash"][start : start + 1].view(np.int64)[0]), rows["number"][start : start + size]
        yield from _common(value, documents, settings) if size > settings.common else _blocks(value, documents, block)


def _light(rows: NDArray[Any], sizes: NDArray[np.int64]) -> Iterator[Any]:
    """Yield pieces of whole shingles."""
    pairs, units = np.cumsum(sizes * (sizes - 1) // 2), np.cumsum(sizes)
    piece = pairs // PAIRS + units // POSTINGS
    cuts = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(sizes)]
    for first, last in pairwise(cuts):
        if first == last:
            continue
        end = int(units[last - 1])
        start = end - int(sizes[first:last].sum())
        unit = np.repeat(np.arange(last - first), sizes[first:last])
        yield _piece(WITHIN, 0, _units(unit, rows["number"][start:end]), _triangle(sizes[first:last]))


def _triangle(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _blocks(value: int, documents: NDArray[np.int64], block: int) -> Iterator[Any]:
    """Yield each block with itself, and each two."""
    blocks = np.array_split(documents, -(-len(documents) // block))
    for one in blocks:
        yield _piece(WITHIN, value, _units(np.zeros(len(one)), one), len(one) * (len(one) - 1) // 2)
    for one, two in combinations(blocks, 2):
        yield _across(value, one, two)


def _common(value: int, documents: NDArray[np.int64], settings: ClusterSettings) -> Iterator[Any]:
    """Yield the documents of a common shingle. Super shingles pair each with the first."""
    for start in range(0, len(documents), POSTINGS):
        part = documents[start : start + POSTINGS]
        yield _piece(COMMON, value, _units(np.zeros(len(part)), part), len(part))
        rest = documents[max(1, start) : start + POSTINGS]
        if settings.super_shingles and len(rest):
            yield _across(value, documents[:1], rest)


def _across(value: int, one: NDArray[np.int64], two: NDArray[np.int64]) -> Any:
    units = _units(np.repeat([0, 1], [len(one), len(two)]), np.concatenate([one, two]))
    return _piece(ACROSS, value, units, len(one) * len(two))


def _units(units: NDArray[Any], documents: NDArray[np.int64]) -> NDArray[Any]:
    rows = np.empty(len(documents), UNIT)
    rows["unit"], rows["number"] = units, documents
    return rows


def _piece(kind: int, value: int, rows: NDArray[Any], pairs: int) -> Any:
    data = pa.array([rows.tobytes()], pa.binary())
    return batch({"kind": np.array([kind], np.int32), "hash": np.array([value], np.int64),
                  "pairs": np.array([pairs], np.int64), "data": data})  # fmt: skip


def commons(pieces: DataFrame) -> int:
    """Return the number of common shingles."""
    return int(pieces.where(sql.col("kind") == COMMON).select("hash").distinct().count())


def common(pieces: DataFrame) -> DataFrame:
    """Return ⟨shingle, document⟩ of the common shingles, ``hash`` and ``number``."""
    return (
        pieces.where(sql.col("kind") == COMMON).select("hash", "data").mapInArrow(_postings, "hash long, number long")
    )


def _postings(coming: Iterable[Any]) -> Iterator[Any]:
    for each in coming:
        for value, data in zip(each["hash"].to_pylist(), each["data"], strict=True):
            documents = np.frombuffer(data.as_buffer(), UNIT)["number"]
            yield batch({"hash": np.full(len(documents), value, np.int64), "number": np.ascontiguousarray(documents)})


# Postings of a task that are expanded together: 100 MB. The more, the fewer partial counts travel.
STEP = 1 << 21

# Pairs that leave a task at a time.
ROOM = 1 << 20

# Pairs, with repeats, that are added up before they leave a task.
TOGETHER = 1 << 22

# Pairs, with repeats, that a task makes, and that one counts: 300 MB while they are sorted.
MADE, TASK = 1 << 26, 1 << 23

# Pairs in a row of the output; a task of the next stage takes several rows.
WRITTEN = 1 << 18

TALLY = np.dtype([("key", "<u8"), ("count", "<u4")])
PAIR = np.dtype([("left", "<i8"), ("right", "<i8"), ("count", "<u4")])


class Keys:
    """Encode a pair as one number within the bucket of its left document. ``span`` is above all document numbers."""

    def __init__(self, buckets: int, span: int) -> None:
        # The key has 64 bits. From 4,300 million documents on, several buckets are needed to fit.
        self.buckets = max(buckets, -(-span * span >> 64) + 1) if span >> 32 else buckets
        self.span = span

    def tallies(self, left: NDArray[np.int64], right: NDArray[np.int64], counts: NDArray[Any]) -> Any:
        """Return pairs as parcels for their buckets."""
        rows = np.empty(len(left), TALLY)
        rows["key"] = (left // self.buckets).astype(np.uint64) * np.uint64(self.span) + right.astype(np.uint64)
        rows["count"] = counts
        return addressed(rows, left % self.buckets)

    def pairs(self, keys: NDArray[np.uint64], counts: NDArray[np.uint32], bucket: int) -> NDArray[Any]:
        """Decode the keys of a bucket."""
        rows = np.empty(len(keys), PAIR)
        rows["left"] = (keys // np.uint64(self.span)).astype(np.int64) * self.buckets + bucket
        rows["right"], rows["count"] = keys % np.uint64(self.span), counts
        return rows


def pairs(pieces: DataFrame, documents: int) -> DataFrame:
    """Return parcels of ⟨document, document, count⟩, left < right, each pair once. All numbers are below
    ``documents``."""
    work = pieces.where(sql.col("kind") != COMMON)
    size, size_bytes = (total or 0 for total in work.agg(sql.sum("pairs"), sql.sum(sql.length("data"))).first())
    keys = Keys(tasks(pieces.sparkSession, size, TASK), max(1, documents))
    makers = max(tasks(pieces.sparkSession, size, MADE), tasks(pieces.sparkSession, size_bytes, STEP * UNIT.itemsize))

    def tallied(coming: Iterable[Any]) -> Iterator[Any]:
        return _tallied(coming, keys)

    def counted(coming: Iterable[Any]) -> Iterator[Any]:
        return _counted(coming, keys)

    # Round robin: the pieces have similar sizes.
    tallies = work.select("kind", "data").repartition(makers).mapInArrow(tallied, PARCELS)
    return delivered(tallies, keys.buckets).mapInArrow(counted, PARCELS)


def _tallied(coming: Iterable[Any], keys: Keys) -> Iterator[Any]:
    """Yield the partial counts of the pairs of a task."""
    waiting, count_waiting = list[NDArray[Any]](), 0
    crossing = _Crossing(keys)
    for each in coming:
        for kind, data in zip(each["kind"].to_pylist(), each["data"], strict=True):
            rows = np.frombuffer(data.as_buffer(), UNIT)
            if kind == ACROSS:
                yield from crossing.add(rows)
                continue
            waiting.append(rows)
            count_waiting += len(rows)
            if count_waiting >= STEP:
                yield from _within(waiting, keys)
                waiting, count_waiting = [], 0
    yield from _within(waiting, keys)
    yield from crossing.rest()


def _within(pieces: list[NDArray[Any]], keys: Keys) -> Iterator[Any]:
    """Yield all pairs of each unit. The kernel needs small consecutive numbers."""
    if not pieces:
        return
    rows = np.concatenate(pieces)
    begins = np.concatenate([np.diff(piece["unit"], prepend=piece["unit"][:1] + np.uint32(1)) != 0 for piece in pieces])
    units = np.cumsum(begins).astype(np.uint64)
    names, places = np.unique(rows["number"], return_inverse=True)
    small = places.astype(np.uint32)
    *followed, _ = native_tallies.follow(units, small, len(units), False, len(names))
    for counted in tallied(small, *followed, room=TOGETHER):
        if len(counted):
            yield keys.tallies(names[counted[:, 1]], names[counted[:, 0]], counted[:, 2])


class _Crossing:
    """Collect all pairs of a document of unit 0 with one of unit 1."""

    def __init__(self, keys: Keys) -> None:
        self._keys, self._left, self._right = keys, list[NDArray[Any]](), list[NDArray[Any]]()
        self._count = 0

    def add(self, rows: NDArray[Any]) -> Iterator[Any]:
        """Add the pairs of a piece; yield them when there are enough."""
        middle = int(np.searchsorted(rows["unit"], 1))
        ours, theirs = rows["number"][:middle], rows["number"][middle:]
        one, two = np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
        self._left.append(np.minimum(one, two))
        self._right.append(np.maximum(one, two))
        self._count += len(one)
        if self._count >= ROOM:
            yield from self.rest()

    def rest(self) -> Iterator[Any]:
        """Yield the remaining pairs."""
        if self._count:
            left, right = np.concatenate(self._left), np.concatenate(self._right)
            yield self._keys.tallies(left, right, np.ones(len(left), np.uint32))
        self._left, self._right, self._count = [], [], 0


def _counted(coming: Iterable[Any], keys: Keys) -> Iterator[Any]:
    """Add up the counts of a bucket. They come in sorted runs, which speeds up sorting."""
    batches = [each for each in coming if len(each)]
    if not batches:
        return
    bucket = int(batches[0]["bucket"][0].as_py())
    rows = opened(batches, TALLY)
    del batches
    pair_keys = np.ascontiguousarray(rows["key"])
    order = np.argsort(pair_keys, kind="stable")
    distinct, counts = native_tallies.count(pair_keys[order], rows["count"][order])
    del rows, pair_keys, order
    for start in range(0, len(distinct), WRITTEN):
        part = slice(start, start + WRITTEN)
        data = pa.array([keys.pairs(distinct[part], counts[part], bucket).tobytes()], pa.binary())
        yield batch({"bucket": np.array([bucket], np.int32), "data": data})


def rows(parcels: DataFrame) -> DataFrame:
    """Return the pairs of parcels as rows: ``left``, ``right``, ``count``."""
    return parcels.mapInArrow(_rows, "left long, right long, count long")


def _rows(coming: Iterable[Any]) -> Iterator[Any]:
    for each in coming:
        pairs = opened([each], PAIR)
        yield batch({name: pairs[name].astype(np.int64) for name in ("left", "right", "count")})
