"""The passages of the pairs that are reported, on Spark: pairs that stand together in the ranking go to one task, with
what was read of their submissions, and the local backend looks at them closely."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import numbers
from whorl.backends.spark.submissions import Told, shelved
from whorl.comparison.details import Backgrounds, Details, backgrounds
from whorl.comparison.intake import Entry, unpacked
from whorl.comparison.result import Pair
from whorl.comparison.scores import Scores
from whorl.comparison.settings import Settings
from whorl.comparison.shelf import Shelf
from whorl.matching.calibration import sample
from whorl.scheme import Scheme

# Pairs that are looked at together: some seconds of a task.
TOGETHER = 250


def pairs(table: DataFrame, ranked: Scores, entries: Sequence[Entry], scheme: Scheme, settings: Settings) -> list[Pair]:
    """The pairs of a ranking, in its order."""
    if not len(ranked):
        return []
    spark = table.sparkSession
    bucket = np.arange(len(ranked)) // TOGETHER
    ends = np.stack([ranked.left, ranked.right]).astype(np.int64)
    rows = {name: np.asarray(getattr(ranked, name)) for name in ("similarity", "containment", "shared")}
    asked = spark.createDataFrame(
        pa.table({"bucket": bucket, "place": np.arange(len(ranked)), "left": ends[0], "right": ends[1], **rows})
    )
    sent = _sent(table, np.unique(np.stack([np.tile(bucket, 2), ends.ravel()]), axis=1), entries)
    told = {int(number): entries[int(number)] for number in np.unique(ends)}

    commons = _commons(table, entries, scheme)

    def looked(those: Any, documents: Any) -> Any:
        return _looked(those, documents, told, scheme, settings, commons)

    found = asked.groupBy("bucket").cogroup(sent.groupBy("asks")).applyInArrow(looked, "place long, data binary")
    return [pickle.loads(row["data"]) for row in found.orderBy("place").collect()]


def _sent(table: DataFrame, asked: Any, entries: Sequence[Entry]) -> DataFrame:
    """What was read of submissions, for each bucket that asks for it."""
    those = [entries[number] for number in asked[1].tolist()]
    wanted = pa.table(
        {
            "asks": asked[0],
            "number": asked[1],
            "share": pa.array([_of(entry).share for entry in those], pa.int32()),
            "row": pa.array([_of(entry).row for entry in those], pa.int32()),
        }
    )
    held = table.select("share", "row", "shelf")
    return held.join(table.sparkSession.createDataFrame(wanted), ["share", "row"]).select("asks", "number", "shelf")


def _of(entry: Entry) -> Told:
    if not isinstance(entry, Told):
        raise TypeError(f"{entry.name}: it was not read on Spark")
    return entry


def _commons(table: DataFrame, entries: Sequence[Entry], scheme: Scheme) -> Backgrounds:
    """What submissions share without copying, told by a sample that the driver looks at."""
    numbers = np.array(sample(len(entries)), np.int64)
    sent = _sent(table, np.stack([np.zeros(len(numbers), np.int64), numbers]), entries)
    shelf = Shelf()
    held = [shelved(row["shelf"], entries[row["number"]], shelf) for row in sent.orderBy("number").collect()]
    return backgrounds(held, shelf, scheme)


def _looked(
    those: Any, documents: Any, told: dict[int, Entry], scheme: Scheme, settings: Settings, commons: Backgrounds
) -> Any:
    shelf, held = Shelf(), dict[int, Entry]()
    for number, data in zip(numbers(documents["number"]).tolist(), documents["shelf"].to_pylist(), strict=True):
        held[number] = shelved(data, told[number], shelf)
    details = Details(held, shelf, scheme, settings, commons)
    left, right = (numbers(those[side]).astype(np.int32) for side in ("left", "right"))
    measures = (numbers(those[name]) for name in ("similarity", "containment", "shared"))
    scores = Scores(left, right, *measures)
    found = [pickle.dumps(details.pair(scores, number)) for number in range(len(scores))]
    return pa.table({"place": numbers(those["place"]), "data": pa.array(found, pa.binary())})


class Texts:
    """The texts of submissions, fetched when they are wanted. Needs the session that read them."""

    def __init__(self, table: DataFrame, entries: Sequence[Entry]) -> None:
        self._table, self._entries = table, entries
        self._held: dict[int, list[Any]] = {}

    def __call__(self, submission: int, file: int) -> str:
        """The text of a submission's file, by the numbers of both."""
        if submission not in self._held:
            entry = _of(self._entries[submission])
            is_it = (sql.col("share") == entry.share) & (sql.col("row") == entry.row)
            self._held[submission] = pickle.loads(self._table.where(is_it).select("shelf").first()[0])[0]
        return unpacked(self._held[submission][file])[1]


class TextsInOrder:
    """The texts of all submissions, which must be asked for in order: they come one after the other, in one job."""

    def __init__(self, table: DataFrame, entries: Sequence[Entry]) -> None:
        numbers = np.arange(len(entries))
        every = _sent(table, np.stack([np.zeros(len(entries), np.int64), numbers]), entries)
        self._coming = every.orderBy("number").toLocalIterator() if entries else iter(())
        self._number, self._files = -1, list[Any]()

    def __call__(self, submission: int, file: int) -> str:
        """The text of a submission's file, by the numbers of both."""
        while self._number < submission:
            row = next(self._coming)
            self._number, self._files = row["number"], pickle.loads(row["shelf"])[0]
        return unpacked(self._files[file])[1]
