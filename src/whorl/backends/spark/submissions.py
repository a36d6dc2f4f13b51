"""Reading submissions on Spark: each task reads some children of the paths, by the local backend's intake.

A row is a submission: what the driver is told of it, what waits on the shelf of one machine, and its fingerprints.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from whorl.backends.spark.sharing import Share, described
from whorl.backends.spark.stages import Stages
from whorl.comparison.intake import Entry, Intake, Reader, Sanctions, in_order
from whorl.comparison.second import Normalised
from whorl.comparison.shelf import Shelf
from whorl.model import Skipped

# ``row`` counts what a share gives; ``meta`` is what the driver is told, ``shelf`` the rows of the shelf, both as
# Python keeps objects: they are this program's own, between two of its steps.
READ = (
    "share int, row int, is_left_out boolean, meta binary, shelf binary,"
    " plain array<long>, normal array<long>, statements array<long>, standing array<long>"
)

Sources = Sequence[tuple[Path, bool]]


@dataclass(slots=True)
class Told(Entry):
    """A submission whose fingerprints are elsewhere: in the row of this share."""

    share: int = 0
    row: int = 0
    count: int = 0
    statements: int = 0
    standing: int = 0
    identity: bytes = b""

    def fingerprints(self) -> int:
        """As it was counted where it was read."""
        return self.count

    def digest(self) -> bytes:
        """As it was made where it was read."""
        return self.identity


def read(
    stages: Stages, reader: Reader, sources: Sources, dealt: Sequence[Share], sanctions: Sanctions,
    ready: Callable[[], object],
) -> DataFrame:  # fmt: skip
    """The table of all submissions. ``sources`` are paths, and whether they are archived; ``dealt`` their shares."""
    spark = stages.spark
    alone = replace(reader, threads=1, _seen=set())

    def taken(coming: Iterable[Any]) -> Iterator[Any]:
        ready()
        for each in coming:
            for number in each.column(0).to_pylist():
                yield _taken(number, dealt[number], alone, sources, sanctions)

    each = spark.range(0, len(dealt), 1, max(1, len(dealt)))
    depends = [repr(alone), described([path for path, _ in sources], reader.rules), _digest(sanctions), repr(dealt)]
    return stages.stage("submissions", depends, lambda: each.mapInArrow(taken, READ))


def _digest(sanctions: Sanctions) -> str:
    return blake2b(pickle.dumps(sanctions), digest_size=16).hexdigest()


def _taken(number: int, share: Share, reader: Reader, sources: Sources, sanctions: Sanctions) -> Any:
    path, archived = sources[share.path]
    shelf = Shelf()
    intake = Intake(reader, shelf, lambda _: None, sanctions)
    intake.take([path], archived=archived, part=share.part)
    rows = [_left_out(number, item) for item in intake.skipped]
    rows += [_row(number, entry, shelf) for entry in intake.entries()]
    for place, row in enumerate(rows):
        row["row"] = place
    return pa.RecordBatch.from_pylist(rows, schema=_ARROW)


def _left_out(share: int, item: Skipped) -> dict[str, Any]:
    return {"share": share, "is_left_out": True, "meta": pickle.dumps(item), "plain": [], "normal": [],
            "statements": [], "standing": []}  # fmt: skip


def _row(share: int, entry: Entry, shelf: Shelf) -> dict[str, Any]:
    kept = [[shelf.get(place) for place in places] for places in (entry.rows, entry.normal.rows)]
    statements, standing = entry.normal.distinct_statements(), entry.normal.distinct_standing()
    light = {
        "child": entry.child, "files": entry.files, "unseen": entry.unseen, "symbols": entry.symbols,
        "normal": Normalised([], [], [], [], entry.normal.forms, entry.normal.seconds),
        "count": entry.fingerprints(), "statements": len(statements), "standing": len(standing),
        "identity": entry.digest(),
    }  # fmt: skip
    return {
        "share": share,
        "is_left_out": False,
        "meta": pickle.dumps(light),
        "shelf": pickle.dumps(kept),
        "plain": entry.distinct().view(np.int64),
        "normal": entry.normal.distinct().view(np.int64),
        "statements": statements.view(np.int64),
        "standing": standing.view(np.int64),
    }


_ARROW = pa.schema(
    [("share", pa.int32()), ("row", pa.int32()), ("is_left_out", pa.bool_()), ("meta", pa.binary()),
     ("shelf", pa.binary()), ("plain", pa.list_(pa.int64())), ("normal", pa.list_(pa.int64())),
     ("statements", pa.list_(pa.int64())), ("standing", pa.list_(pa.int64()))]
)  # fmt: skip


def told(table: DataFrame, sources: Sources, dealt: Sequence[Share]) -> tuple[list[Entry], list[Skipped]]:
    """What the driver knows of all submissions, in order, and what was left out."""
    entries, skipped = list[Entry](), list[Skipped]()
    for share, row, is_left_out, meta in (
        table.select("share", "row", "is_left_out", "meta").orderBy("share", "row").toLocalIterator()
    ):
        found = pickle.loads(meta)
        if is_left_out:
            skipped.append(found)
            continue
        path, archived = sources[dealt[share].path]
        entries.append(Told(path=path, archived=archived, share=share, row=row, **found))
    return in_order(entries), skipped


def shelved(data: bytes, entry: Entry, shelf: Shelf) -> Entry:
    """A submission with its rows on a shelf."""
    plain, normal = pickle.loads(data)
    held = replace(entry.normal, rows=[shelf.put(row) for row in normal])
    return replace(entry, rows=[shelf.put(row) for row in plain], normal=held)
