"""Build an index on Spark.

Tasks read the documents; others sort a range of hashes each and write it as a segment of the index. The driver adds
documents and segments to the index's database in one commit. All machines must reach the folder of the index, and its
secret key travels with the tasks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from whorl.errors import DocumentError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import Walk
from whorl.formats.corpora.tables import named
from whorl.index.index import Index
from whorl.index.prepare import SPANS, TEXT, Prepared, prepare
from whorl.model import Document, Skipped
from whorl.spark.sketching import numbered
from whorl.spark.stages import (
    PARCELS,
    Share,
    Stages,
    addressed,
    batch,
    delivered,
    gathered,
    numbers,
    opened,
    shares,
    tasks,
)
from whorl.storage.postings import EACH, Postings, unpack
from whorl.storage.segment_writer import write_segment

# ``row`` is null for documents left out.
PREPARED = (
    "part int, row long, name string, reason string, digest binary, format string, symbols long, fingerprints long, "
    "text binary, postings binary, line long, left_out boolean"
)
_POSTING = np.dtype([("hash", "<u8"), ("document", "<u4"), ("place", "<u4")])

# Postings of a segment: 400 MB of a task while they are sorted. Every segment costs a search a lookup.
SHARD = 1 << 24

# Documents added to the database, or whose postings are sent, together.
STEP = 256

Naming = Callable[[Path, str], str]


def build(
    spark: SparkSession, index: Index, paths: Sequence[Path], rules: Rules, name: Naming, *,
    stages: str, text: bool = True, sanctioned: bool = False, facts: dict[str, Any] | None = None,
    ready: Callable[[], object] = lambda: None,
) -> tuple[int, list[Skipped]]:  # fmt: skip
    """Fill an empty index with the documents of paths; return their number and what was left out.

    ``name`` makes a document's name of its path and its name in it. ``stages`` is a folder for intermediate tables.
    ``ready`` is called first in every task. ``facts`` hold for all documents.
    """
    common_facts, kind = facts or {}, TEXT if text else SPANS
    dealt = shares(paths, rules, spark.sparkContext.defaultParallelism)
    read = _Read(list(paths), dealt, rules, name, common_facts)

    def prepared(coming: Iterable[Any]) -> Iterator[Any]:
        ready()
        scheme, key = index_scheme, index_key
        for each in coming:
            for number in each.column(0).to_pylist():
                yield from read.rows(number, lambda one: prepare(one, scheme, key, sanctioned=sanctioned, kind=kind))

    index_scheme, index_key = index.scheme, index.key
    each = spark.range(0, len(dealt), 1, max(1, len(dealt)))
    written = Stages(spark, stages).stage(
        "prepared", PREPARED, index_scheme.id, lambda: each.mapInArrow(prepared, PREPARED)
    )
    whole, documents = numbered(written)
    left_out = written.where("row is null").orderBy("part").select("name", "reason").collect()
    count = index.load(
        lambda folder, first: _segments(whole, documents, folder, first, index_scheme.id, index_key.id),
        lambda: _documents(whole, kind, sanctioned, common_facts),
    )
    return count, [Skipped(*row) for row in left_out]


class _Read:
    """Read shares of the paths."""

    def __init__(
        self, paths: list[Path], dealt: list[Share], rules: Rules, name: Naming, facts: dict[str, Any]
    ) -> None:
        self._places, self._paths, self._dealt, self._rules = [path.resolve() for path in paths], paths, dealt, rules
        self._name, self._facts = name, facts

    def rows(self, number: int, read: Callable[[Document], Prepared]) -> Iterator[Any]:
        """Yield the prepared documents of a share, and those left out."""
        share, row = self._dealt[number], 0
        place, path = self._places[share.path], self._paths[share.path]
        for item in Walk(place, self._rules, share.part).items():
            name = self._name(path, item.name)
            if isinstance(item, Skipped):
                yield _left_out(number, name, item.reason)
                continue
            if named(item.name):
                yield _left_out(number, name, "a table, which Spark does not read: build the index without Spark")
                continue
            try:
                prepared = read(Document(name, item.content, **self._facts))
            except DocumentError as error:
                yield _left_out(number, name, str(error))
                continue
            yield _row(number, row, prepared)
            row += 1


def _row(part: int, row: int, prepared: Prepared) -> Any:
    return _batch(
        part=part, row=row, name=prepared.document.name, digest=prepared.digest, format=prepared.format,
        symbols=prepared.symbols, fingerprints=prepared.fingerprints, text=prepared.text, postings=prepared.postings,
    )  # fmt: skip


def _left_out(part: int, name: str, reason: str) -> Any:
    return _batch(part=part, name=name, reason=reason)


_ARROW = pa.schema(
    [("part", pa.int32()), ("row", pa.int64()), ("name", pa.string()), ("reason", pa.string()), ("digest", pa.binary()),
     ("format", pa.string()), ("symbols", pa.int64()), ("fingerprints", pa.int64()), ("text", pa.binary()),
     ("postings", pa.binary()), ("line", pa.int64()), ("left_out", pa.bool_())]
)  # fmt: skip


def _batch(**values: Any) -> Any:
    return pa.RecordBatch.from_pylist([values], schema=_ARROW)


def _segments(
    whole: DataFrame, documents: int, folder: Path, first: int, scheme: str, key: str
) -> list[tuple[str, int]]:
    """Write a segment for each range of hashes. A repeated task writes under another name; the next writer removes
    segments that are not listed."""
    size = (whole.agg(sql.sum(sql.length("postings"))).first()[0] or 0) // EACH
    if not size:
        return []
    count, place = _shards(whole, size), str(folder.resolve())

    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(table, count) for table in gathered(coming, STEP))

    def sorted_out(coming: Iterable[Any]) -> Iterator[Any]:
        rows = opened(coming, _POSTING)
        if len(rows):
            name = f"{first + TaskContext.get().taskAttemptId():08}.segment"
            _write(Path(place, name), rows, documents, scheme, key)
            yield batch({"name": pa.array([name]), "postings": np.array([len(rows)], np.int64)})

    parcels = whole.select("number", "postings").mapInArrow(sent, PARCELS)
    segments = delivered(parcels, count).mapInArrow(sorted_out, "name string, postings long").collect()
    return [(row["name"], row["postings"]) for row in segments]


def _shards(whole: DataFrame, size: int) -> int:
    return min(tasks(whole.sparkSession, size, SHARD), max(1, size))


def _sent(table: Any, count: int) -> Any:
    """Send postings to the tasks of their hash ranges. Document numbers of an index begin at 1."""
    parts = []
    for number, data in zip(numbers(table["number"]).tolist(), table["postings"], strict=True):
        postings = unpack(number + 1, data.as_buffer())
        rows = np.empty(len(postings), _POSTING)
        rows["hash"], rows["document"], rows["place"] = postings.hashes, postings.documents, postings.places
        parts.append(rows)
    every = np.concatenate(parts)
    return addressed(every, (every["hash"] >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


def _write(path: Path, rows: Any, last: int, scheme: str, key: str) -> None:
    columns = (np.ascontiguousarray(rows[name]) for name in ("hash", "document", "place"))
    write_segment(
        path, [Postings(*columns).in_order()], expected=len(rows), documents=(1, last), scheme=scheme, key=key
    )


def _documents(whole: DataFrame, kind: str, sanctioned: bool, facts: dict[str, Any]) -> Iterator[Prepared]:
    """Yield all documents in order, without their postings."""
    columns = ["name", "digest", "format", "symbols", "fingerprints", "text"]
    for row in whole.orderBy("number").select(*columns).toLocalIterator():
        document = Document(row["name"], "", **facts)
        yield Prepared(
            document, bytes(row["digest"]), row["format"], row["symbols"], row["fingerprints"], sanctioned, kind,
            bytes(row["text"]), b"",
        )  # fmt: skip
