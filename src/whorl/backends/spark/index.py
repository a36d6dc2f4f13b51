"""An index built on Spark. Tasks read the documents; others sort a range of hashes each, and write it as a segment of
the index. The driver lists documents and segments in the index's database, in one commit.

The folder of the index must be one that all machines reach; the index's secret key travels with the tasks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import batch, gathered, numbers
from whorl.backends.spark.parcels import PARCELS, addressed, delivered, opened, tasks
from whorl.backends.spark.sharing import Share, shares
from whorl.backends.spark.sketching import numbered
from whorl.backends.spark.stages import Stages
from whorl.collection.rules import Rules
from whorl.collection.walk import Walk
from whorl.errors import DocumentError
from whorl.index.fresh import EACH, unpack
from whorl.index.index import Index
from whorl.index.postings import Postings
from whorl.index.prepare import SPANS, TEXT, Prepared, prepare
from whorl.index.segment_writer import write_segment
from whorl.model import Document, Skipped

# ``row`` is null for what is left out.
PREPARED = (
    "part int, row long, name string, reason string, digest binary, format string, symbols long, fingerprints long, "
    "text binary, postings binary, line long, left_out boolean"
)
_POSTING = np.dtype([("hash", "<u8"), ("document", "<u4"), ("place", "<u4")])

# Postings of a segment: 400 MB of a task while they are sorted. Every segment costs a search a look-up.
SHARD = 1 << 24

# Documents that go to the database, or whose postings are sent, together.
STEP = 256

Naming = Callable[[Path, str], str]


def build(
    spark: SparkSession, index: Index, paths: Sequence[Path], rules: Rules, name: Naming, *,
    stages: str, text: bool = True, sanctioned: bool = False, facts: dict[str, Any] | None = None,
    ready: Callable[[], object] = lambda: None,
) -> tuple[int, list[Skipped]]:  # fmt: skip
    """Fill an empty index with the documents of paths; how many there are, and what was left out.

    ``name`` makes a document's name of its path and its name in it. ``stages`` is a folder for what lies between.
    ``ready`` is called in every task first. ``facts`` hold for all documents.
    """
    said, kind = facts or {}, TEXT if text else SPANS
    dealt = shares(paths, rules, spark.sparkContext.defaultParallelism)
    read = _Read(list(paths), dealt, rules, name, said)

    def prepared(coming: Iterable[Any]) -> Iterator[Any]:
        ready()
        scheme, key = index_scheme, index_key
        for each in coming:
            for number in each.column(0).to_pylist():
                yield from read.rows(number, lambda one: prepare(one, scheme, key, sanctioned=sanctioned, kind=kind))

    index_scheme, index_key = index.scheme, index.key
    each = spark.range(0, len(dealt), 1, max(1, len(dealt)))
    written = Stages(spark, stages).stage("prepared", index_scheme.id, lambda: each.mapInArrow(prepared, PREPARED))
    whole, documents = numbered(written)
    left_out = written.where("row is null").orderBy("part").select("name", "reason").collect()
    count = index.load(
        lambda folder, first: _segments(whole, documents, folder, first, index_scheme.id, index_key.id),
        lambda: _documents(whole, kind, sanctioned, said),
    )
    return count, [Skipped(*row) for row in left_out]


class _Read:
    """Reads shares of the paths."""

    def __init__(
        self, paths: list[Path], dealt: list[Share], rules: Rules, name: Naming, facts: dict[str, Any]
    ) -> None:
        self._places, self._paths, self._dealt, self._rules = [path.resolve() for path in paths], paths, dealt, rules
        self._name, self._facts = name, facts

    def rows(self, number: int, read: Callable[[Document], Prepared]) -> Iterator[Any]:
        """The documents of a share, prepared, and what is left out."""
        share, row = self._dealt[number], 0
        place, path = self._places[share.path], self._paths[share.path]
        for item in Walk(place, self._rules, share.part).items():
            name = self._name(path, item.name)
            if isinstance(item, Skipped):
                yield _left_out(number, name, item.reason)
                continue
            try:
                found = read(Document(name, item.content, **self._facts))
            except DocumentError as error:
                yield _left_out(number, name, str(error))
                continue
            yield _row(number, row, found)
            row += 1


def _row(part: int, row: int, found: Prepared) -> Any:
    return _batch(
        part=part, row=row, name=found.document.name, digest=found.digest, format=found.format, symbols=found.symbols,
        fingerprints=found.fingerprints, text=found.text, postings=found.postings,
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
    """A segment for each range of hashes. A task that is tried again writes under another name; what no list names is
    swept away by the next writer."""
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
    found = delivered(parcels, count).mapInArrow(sorted_out, "name string, postings long").collect()
    return [(row["name"], row["postings"]) for row in found]


def _shards(whole: DataFrame, size: int) -> int:
    return min(tasks(whole.sparkSession, size, SHARD), max(1, size))


def _sent(table: Any, count: int) -> Any:
    """Postings to the tasks that each have a range of hashes. Numbers of an index begin at 1."""
    parts = []
    for number, data in zip(numbers(table["number"]).tolist(), table["postings"], strict=True):
        found = unpack(number + 1, data.as_buffer())
        rows = np.empty(len(found), _POSTING)
        rows["hash"], rows["document"], rows["place"] = found.hashes, found.documents, found.places
        parts.append(rows)
    every = np.concatenate(parts)
    return addressed(every, (every["hash"] >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


def _write(path: Path, rows: Any, last: int, scheme: str, key: str) -> None:
    columns = (np.ascontiguousarray(rows[name]) for name in ("hash", "document", "place"))
    write_segment(
        path, [Postings(*columns).in_order()], expected=len(rows), documents=(1, last), scheme=scheme, key=key
    )


def _documents(whole: DataFrame, kind: str, sanctioned: bool, facts: dict[str, Any]) -> Iterator[Prepared]:
    """All documents in order, without their postings."""
    columns = ["name", "digest", "format", "symbols", "fingerprints", "text"]
    for row in whole.orderBy("number").select(*columns).toLocalIterator():
        document = Document(row["name"], "", **facts)
        yield Prepared(
            document, bytes(row["digest"]), row["format"], row["symbols"], row["fingerprints"], sanctioned, kind,
            bytes(row["text"]), b"",
        )  # fmt: skip
