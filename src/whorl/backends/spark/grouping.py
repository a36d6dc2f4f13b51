"""Phase 2: ⟨shingle, document⟩ grouped by shingle, and dealt into pieces of work that are alike in size.

All postings of a shingle meet in one task, which so knows how many documents have it. A shingle of one document makes
no pair and goes no farther. One that too many have is common: told, and cut. One just under the cut would make a lump
of half a million pairs: its documents are dealt into blocks, and each two blocks are a piece of work of their own.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import batch, gathered, lists, numbers
from whorl.backends.spark.parcels import PARCELS, addressed, delivered, opened, tasks
from whorl.clustering.settings import ClusterSettings

# Documents of a block: two of them make 65,000 pairs, a few milliseconds. A shingle just under the paper's cut of 1,000
# sends each posting to four pieces.
BLOCK = 256

# Pairs that a piece makes of shingles that are no blocks, and postings of it, as far as whole shingles allow.
PAIRS, POSTINGS = 1 << 18, 1 << 16

# Postings that a task groups: 150 MB of it while they are sorted.
TASK = 1 << 21

# Documents whose postings are sent together.
STEP = 1 << 14

# What a piece is: documents that make pairs with all others of their unit; those of unit 0 with those of unit 1; or the
# documents of a common shingle. ``pairs`` is how many pairs it makes, and for common ones how many documents there are.
WITHIN, ACROSS, COMMON = 0, 1, 2
PIECES = "kind int, hash long, pairs long, data binary"

POSTING = np.dtype([("hash", "<u8"), ("number", "<i8")])
UNIT = np.dtype([("unit", "<u4"), ("number", "<i8")])


def grouped(sketches: DataFrame, settings: ClusterSettings) -> DataFrame:
    """The pieces of work of all sketches."""
    size = sketches.agg(sql.sum(sql.size("values"))).first()[0] or 0
    count, block = tasks(sketches.sparkSession, size, TASK), BLOCK

    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(table, count) for table in gathered(coming, STEP))

    def dealt(coming: Iterable[Any]) -> Iterator[Any]:
        return _dealt(opened(coming, POSTING), settings, block)

    parcels = sketches.select("number", "values").mapInArrow(sent, PARCELS)
    return delivered(parcels, count).mapInArrow(dealt, PIECES)


def _sent(table: Any, count: int) -> Any:
    """Postings to the tasks that each have a range of hashes. The lower bits of a sketch are all the same."""
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
    """Whole shingles, as many as a piece takes."""
    made, units = np.cumsum(sizes * (sizes - 1) // 2), np.cumsum(sizes)
    piece = made // PAIRS + units // POSTINGS
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
    """Each block with itself, and each two."""
    blocks = np.array_split(documents, -(-len(documents) // block))
    for one in blocks:
        yield _piece(WITHIN, value, _units(np.zeros(len(one)), one), len(one) * (len(one) - 1) // 2)
    for one, two in combinations(blocks, 2):
        yield _across(value, one, two)


def _common(value: int, documents: NDArray[np.int64], settings: ClusterSettings) -> Iterator[Any]:
    """The documents of a common shingle. Super shingles pair each with the first one."""
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
    """How many shingles are common."""
    return int(pieces.where(sql.col("kind") == COMMON).select("hash").distinct().count())


def common(pieces: DataFrame) -> DataFrame:
    """⟨shingle, document⟩ of the common shingles, ``hash`` and ``number``."""
    return (
        pieces.where(sql.col("kind") == COMMON).select("hash", "data").mapInArrow(_postings, "hash long, number long")
    )


def _postings(coming: Iterable[Any]) -> Iterator[Any]:
    for each in coming:
        for value, data in zip(each["hash"].to_pylist(), each["data"], strict=True):
            found = np.frombuffer(data.as_buffer(), UNIT)["number"]
            yield batch({"hash": np.full(len(found), value, np.int64), "number": np.ascontiguousarray(found)})
