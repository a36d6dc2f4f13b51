"""Phase 1 on Spark: read every document into digests and shingles, set equal ones aside, sketch the others."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from whorl.clustering import ClusterSettings
from whorl.clustering.reading import ShingleReader, batches
from whorl.clustering.records import TEXTS, DocumentBatch, Item, TextColumn, item_of_row
from whorl.clustering.result import EQUALITIES, UNIQUE
from whorl.clustering.sketching import Boilerplate
from whorl.engine.hashing import Key
from whorl.engine.super_shingles import binned, size_for
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.records import Columns, DigestSet, Fault, RowPlace
from whorl.kernel import native_shingles
from whorl.scheme import Scheme
from whorl.spark.stages import PARCELS, addressed, batch, delivered, gathered, listed, numbers, opened, rows, tasks

# ``row`` is null for rows without a document; ``id`` and ``line`` then say where they were, and ``size`` is their place
# among those of the part. ``tie`` breaks ties of joining.
DOCUMENTS = (
    "part int, row long, id string, url string, date string, reason string, line long, left_out boolean, size long, "
    "length long, shingles long, content binary, lexical binary, shingle binary, tie long, hashes array<long>"
)
EQUALS = "number long, stands long, kind int"
SKETCHES = "number long, shingles long, level int, kept array<int>, values array<long>"

# Documents sketched together.
STEP = 4096

Read: TypeAlias = Item | Sheet | Fault
Opener: TypeAlias = Callable[[int, Iterable[Any]], Iterator[Read]]


def documents(source: DataFrame, opened: Opener, scheme: Scheme) -> DataFrame:
    """Return the table of all documents. ``opened`` makes documents of a task's number and its Arrow batches."""

    def read(coming: Iterable[Any]) -> Iterator[Any]:
        part = TaskContext.get().partitionId()
        return _read(part, opened(part, coming), scheme)

    return source.mapInArrow(read, DOCUMENTS)


def table_rows(columns: Columns) -> Opener:
    """Return an opener for the rows of a DataFrame, with the rules of all tables."""

    def opened(part: int, coming: Iterable[Any]) -> Iterator[Read]:
        row = 0
        for each in coming:
            for values in each.to_pylist():
                row += 1
                yield item_of_row(values, columns, RowPlace(f"part-{part:05}", row))

    return opened


def _read(part: int, items: Iterator[Read], scheme: Scheme) -> Iterator[Any]:
    reader, faults, row = ShingleReader(scheme, Key.PUBLIC, DigestSet()), list[Fault](), 0
    for together in batches(_documents(items, faults)):
        documents = reader.read(together)
        yield _table_of(documents, part, row)
        row += len(documents)
    if faults:
        yield _wrong(faults, part)


def _documents(items: Iterator[Read], faults: list[Fault]) -> Iterator[Item | Sheet]:
    for each in items:
        if isinstance(each, Fault):
            faults.append(each)
        else:
            yield each


def _table_of(documents: DocumentBatch, part: int, first: int) -> Any:
    records, count = documents.records, len(documents)
    bounds = np.concatenate([[0], np.cumsum(records["shingles"])]).astype(np.int64)
    texts = {field: TextColumn(np.frombuffer(documents.texts[field], np.uint8), records[field])[:] for field in TEXTS}
    digests = {field: _digests(records[field]) for field in ("content", "lexical", "shingle")}
    return batch(
        {
            "part": np.full(count, part, np.int32),
            "row": np.arange(first, first + count),
            **{field: pa.array(texts[field], pa.string()) for field in ("id", "url", "date", "reason")},
            "line": pa.nulls(count, pa.int64()),
            "left_out": np.zeros(count, np.bool_),
            "size": np.array(records["size"]),
            "length": np.array(records["length"]),
            "shingles": np.array(records["shingles"]),
            **digests,
            "tie": np.ascontiguousarray(records["shingle"][:, 0]).view(np.int64),
            "hashes": listed(documents.shingles, bounds),
        }
    )


def _digests(column: Any) -> Any:
    """Return digests as bytes; null if there is none."""
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
            "size": np.arange(count),
            "length": np.zeros(count, np.int64),
            "shingles": np.zeros(count, np.int64),
            **{name: pa.nulls(count, pa.binary()) for name in ("content", "lexical", "shingle")},
            "tie": np.zeros(count, np.int64),
            "hashes": pa.nulls(count, pa.list_(pa.int64())),
        }
    )


def numbered(written: DataFrame) -> tuple[DataFrame, int]:
    """Return the documents with their numbers, and their count."""
    there = written.where("row is not null")
    counts = there.groupBy("part").agg((sql.max("row") + 1).alias("count")).toArrow()
    sizes = np.zeros(1 + max(counts["part"].to_pylist(), default=0), np.int64)
    sizes[numbers(counts["part"])] = numbers(counts["count"])
    # A constant of the plan: a table to join with would be a job of its own wherever the documents are read.
    starts = sql.split(sql.lit(",".join(map(str, np.cumsum(sizes) - sizes))), ",").cast("array<long>")
    number = sql.element_at(starts, sql.col("part") + 1) + sql.col("row")
    return there.withColumn("number", number).drop("part", "row", "line", "left_out"), int(sizes.sum())


def frequent(chosen: DataFrame, most: int) -> DataFrame:
    """Return the shingles in more than ``most`` of the documents."""
    each = chosen.select(sql.explode("hashes").alias("hash"))
    return each.groupBy("hash").count().where(sql.col("count") > most).select("hash")


def counting(documents: DataFrame, boilerplate: Boilerplate) -> DataFrame:
    """Return number and shingles of documents, without boilerplate."""
    columns = documents.select("number", "shingles", "hashes")
    if not len(boilerplate):
        return columns

    def left_out(coming: Iterable[Any]) -> Iterator[Any]:
        return (_left_out(each, boilerplate) for each in coming)

    return columns.mapInArrow(left_out, "number long, shingles long, hashes array<long>")


def _left_out(table: Any, boilerplate: Boilerplate) -> Any:
    kept = boilerplate.left_out(rows(table["hashes"]))
    return batch({"number": table["number"], "shingles": kept.sizes, "hashes": listed(kept.hashes, kept.bounds)})


def sketches(chosen: DataFrame, settings: ClusterSettings) -> DataFrame:
    """Return the sketch of each document, its level, and how many values a coarser sketch would keep; with super
    shingles, those instead of the values."""

    def drawn(coming: Iterable[Any]) -> Iterator[Any]:
        return (_drawn(table, settings) for table in gathered(coming, STEP))

    return chosen.select("number", "shingles", "hashes").mapInArrow(drawn, SKETCHES)


def _drawn(table: Any, settings: ClusterSettings) -> Any:
    all_of = rows(table["hashes"])
    values, bounds, moduli = native_shingles.sample(all_of.hashes, all_of.bounds, settings.modulus, settings.least)
    levels = native_shingles.levels(values, bounds, settings.modulus.bit_length())
    if settings.super_shingles:
        values, sizes = binned(all_of.hashes, all_of.bounds, size_for(settings.threshold))
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    width = levels.shape[1]
    return batch(
        {
            "number": table["number"].combine_chunks(),
            "shingles": table["shingles"].combine_chunks(),
            "level": np.log2(moduli).astype(np.int32),
            "kept": listed(np.ascontiguousarray(levels).ravel(), np.arange(0, levels.size + 1, width)),
            "values": listed(values, bounds),
        }
    )


# Documents whose digests are sent together, and digests per task: 150 MB while they are sorted.
DIGEST_STEP, DIGEST_TASK = 1 << 14, 1 << 21

_DIGEST = np.dtype([("digest", "<u8"), ("number", "<i8")])


def set_aside(numbered: DataFrame, count: int) -> DataFrame:
    """Return number, representative and kind of the documents set aside."""
    whole = numbered.where("reason is null").select("number", "content", "lexical", "shingle")
    itself = sql.array(sql.struct("number", sql.lit(UNIQUE).alias("kind")))
    groups = whole.join(_repeated(whole, count), "number", "left_semi").select(
        sql.col("number").alias("stands"), "content", "lexical", "shingle", itself.alias("members")
    )
    for kind, column in EQUALITIES:
        groups = _joined(groups, kind, column)
    members = groups.where(sql.size("members") > 1).select("stands", sql.explode("members").alias("member"))
    return members.where("member.number != stands").select("member.number", "stands", "member.kind")


def _repeated(whole: DataFrame, documents: int) -> DataFrame:
    """Return the documents that share half of a digest with another: nearly all others equal none, and sorting half
    digests is much cheaper than grouping."""
    count = tasks(whole.sparkSession, len(EQUALITIES) * documents, DIGEST_TASK)

    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(table, count) for table in gathered(coming, DIGEST_STEP))

    def compared(coming: Iterable[Any]) -> Iterator[Any]:
        yield batch({"number": _shared(opened(coming, _DIGEST))})

    return delivered(whole.mapInArrow(sent, PARCELS), count).mapInArrow(compared, "number long")


def _sent(table: Any, count: int) -> Any:
    parts = []
    for _, column in EQUALITIES:
        chosen = table.filter(table[column].is_valid())
        rows = np.empty(len(chosen), _DIGEST)
        halves = chosen[column].combine_chunks().cast(pa.binary(16)).buffers()[1]
        rows["digest"] = np.frombuffer(halves, "<u8")[: 2 * len(chosen) : 2]
        rows["number"] = numbers(chosen["number"])
        parts.append(rows)
    every = np.concatenate(parts)
    return addressed(every, every["digest"] % np.uint64(count))


def _shared(rows: NDArray[Any]) -> NDArray[np.int64]:
    order = np.argsort(rows["digest"], kind="stable")
    digests = rows["digest"][order]
    same = np.zeros(len(rows) + 1, np.bool_)
    same[1:-1] = digests[1:] == digests[:-1]
    return np.unique(rows["number"][order[same[1:] | same[:-1]]])


def _joined(documents: DataFrame, kind: int, column: str) -> DataFrame:
    """Merge the groups with the same digest. A document without a digest equals none."""
    alone = sql.when(sql.col(column).isNull(), sql.col("stands"))
    least = sql.min(sql.struct("stands", "content", "lexical", "shingle")).alias("least")
    groups = sql.collect_list(sql.struct("stands", "members")).alias("groups")
    return (
        documents.groupBy(sql.col(column).alias("digest"), alone.alias("alone"))
        .agg(least, groups)
        .select("least.*", sql.flatten(sql.transform("groups", lambda group: _moved(group, kind))).alias("members"))
    )


def _moved(group: Column, kind: int) -> Column:
    """Give members whose representative is set aside this kind."""
    farther = sql.transform(group["members"], lambda member: sql.struct(member["number"], sql.lit(kind).alias("kind")))
    return sql.when(group["stands"] == sql.col("least.stands"), group["members"]).otherwise(farther)
