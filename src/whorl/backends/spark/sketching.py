"""Phase 1: every document becomes a row with its digests and shingles, by the local backend's reader, in batches.

The number of a document is its place in the input, as for the local backend: the rows of a task are counted, and what
the tasks before have is added when the table is read. What gives no document is a row without a place, with the reason.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl import kernel
from whorl.backends.rows import opened as opened_row
from whorl.backends.spark.columns import batch, gathered, listed, rows
from whorl.clustering.reading import Reader, batches
from whorl.clustering.records import TEXTS, Batch, Item, Texts
from whorl.clustering.settings import ClusterSettings
from whorl.corpus.records import Columns, Fault, Place
from whorl.corpus.seen import Seen
from whorl.corpus.sheets import Sheet
from whorl.hashing.key import Key
from whorl.scheme import Scheme
from whorl.sketches.supers import binned, size_for

# ``row`` is null for what gives no document; ``id`` and ``line`` are then where it was. ``tie`` breaks ties of joining.
DOCUMENTS = (
    "part int, row long, id string, url string, date string, reason string, line long, left_out boolean, size long, "
    "shingles long, content binary, lexical binary, shingle binary, tie long, hashes array<long>"
)
SKETCHES = "number long, shingles long, level int, kept array<int>, values array<long>"

# Documents whose sketches are drawn together.
STEP = 4096

Read: TypeAlias = Item | Sheet | Fault
Opener: TypeAlias = Callable[[int, Iterable[Any]], Iterator[Read]]


def documents(given: DataFrame, opened: Opener, scheme: Scheme) -> DataFrame:
    """The table of all documents. ``opened`` makes documents of a task's number and its Arrow batches."""

    def read(coming: Iterable[Any]) -> Iterator[Any]:
        part = TaskContext.get().partitionId()
        return _read(part, opened(part, coming), scheme)

    return given.mapInArrow(read, DOCUMENTS)


def table_rows(columns: Columns) -> Opener:
    """Documents of the rows of a DataFrame, by the rules of every other table."""

    def opened(part: int, coming: Iterable[Any]) -> Iterator[Read]:
        row = 0
        for each in coming:
            for values in each.to_pylist():
                row += 1
                yield opened_row(values, columns, Place(f"part-{part:05}", row))

    return opened


def _read(part: int, items: Iterator[Read], scheme: Scheme) -> Iterator[Any]:
    reader, faults, row = Reader(scheme, Key.PUBLIC, Seen()), list[Fault](), 0
    for together in batches(_documents(items, faults)):
        found = reader.read(together)
        yield _found(found, part, row)
        row += len(found)
    if faults:
        yield _wrong(faults, part)


def _documents(items: Iterator[Read], faults: list[Fault]) -> Iterator[Item | Sheet]:
    for each in items:
        if isinstance(each, Fault):
            faults.append(each)
        else:
            yield each


def _found(found: Batch, part: int, first: int) -> Any:
    records, count = found.records, len(found)
    bounds = np.concatenate([[0], np.cumsum(records["shingles"])]).astype(np.int64)
    texts = {field: Texts(np.frombuffer(found.texts[field], np.uint8), records[field])[:] for field in TEXTS}
    digests = {field: _digests(records[field]) for field in ("content", "lexical", "shingle")}
    return batch(
        {
            "part": np.full(count, part, np.int32),
            "row": np.arange(first, first + count),
            **{field: pa.array(texts[field], pa.string()) for field in ("id", "url", "date", "reason")},
            "line": pa.nulls(count, pa.int64()),
            "left_out": np.zeros(count, np.bool_),
            "size": np.array(records["size"]),
            "shingles": np.array(records["shingles"]),
            **digests,
            "tie": np.ascontiguousarray(records["shingle"][:, 0]).view(np.int64),
            "hashes": listed(found.shingles, bounds),
        }
    )


def _digests(column: Any) -> Any:
    """Digests as bytes; null if there is none."""
    pairs = np.ascontiguousarray(column)
    return pa.array([pair.tobytes() for pair in pairs], pa.binary(), mask=~pairs.any(axis=1))


def _wrong(faults: list[Fault], part: int) -> Any:
    count = len(faults)
    nothing = {name: pa.nulls(count, pa.string()) for name in ("url", "date")}
    return batch(
        {
            "part": np.full(count, part, np.int32),
            "row": pa.nulls(count, pa.int64()),
            "id": pa.array([fault.path for fault in faults], pa.string()),
            **nothing,
            "reason": pa.array([fault.reason for fault in faults], pa.string()),
            "line": np.array([fault.row for fault in faults], np.int64),
            "left_out": np.array([fault.left_out for fault in faults], np.bool_),
            "size": np.zeros(count, np.int64),
            "shingles": np.zeros(count, np.int64),
            **{name: pa.nulls(count, pa.binary()) for name in ("content", "lexical", "shingle")},
            "tie": np.zeros(count, np.int64),
            "hashes": pa.nulls(count, pa.list_(pa.int64())),
        }
    )


def numbered(written: DataFrame) -> tuple[DataFrame, int]:
    """The documents with their numbers, and how many there are."""
    counts = written.where("row is not null").groupBy("part").agg((sql.max("row") + 1).alias("count")).toArrow()
    order = np.argsort(counts["part"].to_numpy())
    parts, sizes = counts["part"].to_numpy()[order], counts["count"].to_numpy()[order]
    starts = pa.table({"part": parts.astype(np.int32), "start": np.cumsum(sizes) - sizes})
    spark = written.sparkSession
    found = (
        written.where("row is not null")
        .join(sql.broadcast(spark.createDataFrame(starts)), "part")
        .withColumn("number", sql.col("start") + sql.col("row"))
        .drop("part", "row", "start", "line", "left_out")
    )
    return found, int(sizes.sum())


def sketches(chosen: DataFrame, settings: ClusterSettings) -> DataFrame:
    """What is kept of each document's shingles, its level, and how many a coarser sketch would keep; if super shingles
    make the pairs, those instead of the values."""

    def drawn(coming: Iterable[Any]) -> Iterator[Any]:
        return (_drawn(table, settings) for table in gathered(coming, STEP))

    return chosen.select("number", "shingles", "hashes").mapInArrow(drawn, SKETCHES)


def _drawn(table: Any, settings: ClusterSettings) -> Any:
    all_of = rows(table["hashes"])
    values, bounds, moduli = kernel.shingles().sample(all_of.hashes, all_of.bounds, settings.modulus, settings.least)
    kept = kernel.shingles().levels(values, bounds, settings.modulus.bit_length())
    if settings.super_shingles:
        values, sizes = binned(all_of.hashes, all_of.bounds, size_for(settings.threshold))
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    width = kept.shape[1]
    return batch(
        {
            "number": table["number"].combine_chunks(),
            "shingles": table["shingles"].combine_chunks(),
            "level": np.log2(moduli).astype(np.int32),
            "kept": listed(np.ascontiguousarray(kept).ravel(), np.arange(0, kept.size + 1, width)),
            "values": listed(values, bounds),
        }
    )
