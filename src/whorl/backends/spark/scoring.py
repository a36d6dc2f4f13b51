"""The pairs of a class on Spark. All who have a fingerprint meet in the task of its range; from there the group goes to
the bucket of each of them. So a bucket has all that its submissions share, and scores them by the local
backend's loop, to the last digit: what is added is added in the same order.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import batch, gathered, lists, numbers
from whorl.backends.spark.parcels import PARCELS, addressed, delivered, opened, tasks
from whorl.backends.spark.submissions import Told
from whorl.comparison.clusters import Links
from whorl.comparison.compare_all import Looked
from whorl.comparison.intake import Entry
from whorl.comparison.postings import Postings, weights
from whorl.comparison.scores import Best, Forms, Scores, fuse, score
from whorl.comparison.settings import Settings

# Fingerprints that a task groups, or that a bucket has of its own: 200 MB of it, with what others share of them.
TASK = 1 << 20

# Submissions whose fingerprints are sent together.
STEP = 1 << 10

# The columns of a submission's fingerprints, by the numbers of the streams; the plain one is the first.
STREAMS = ("plain", "normal", "statements", "standing")

_POSTING = np.dtype([("hash", "<u8"), ("number", "<i4"), ("stream", "u1")])
_MEMBER = np.dtype([("hash", "<u8"), ("count", "<i4"), ("number", "<i4"), ("stream", "u1")])


def ranked(table: DataFrame, entries: Sequence[Entry], settings: Settings) -> tuple[Best, Links]:
    """The best pairs of the submissions of a table, and who is linked."""
    places = {(entry.share, entry.row): number for number, entry in enumerate(entries) if isinstance(entry, Told)}
    size = len(STREAMS) * sum(entry.fingerprints() for entry in entries)
    count = tasks(table.sparkSession, size, TASK)
    buckets = _Buckets(count, len(entries), sum(not entry.archived for entry in entries), settings, _forms(entries))
    grouped = delivered(_grouped(table, places, buckets), count)
    # They are read twice: the totals of all must be known before any pair is scored.
    held = grouped.persist()
    try:
        totals = _totals(held, buckets)
        found = held.mapInArrow(lambda coming: _looked(coming, buckets, totals), "data binary").collect()
    finally:
        held.unpersist()
    looked = Looked(settings, len(entries))
    for row in found:
        best, links = pickle.loads(row["data"])
        looked.best.join(best)
        looked.links.join(links)
    return looked.best, looked.links


def _forms(entries: Sequence[Entry]) -> Forms:
    has_normal = [entry.normal.forms > 0 for entry in entries]
    told = [(entry.statements, entry.standing) for entry in entries if isinstance(entry, Told)]
    statements, standing = np.array(told, np.int64).reshape(-1, 2).T
    return Forms(np.array(has_normal, np.bool_), statements, standing)


class _Buckets:
    """How submissions are dealt: number n is in bucket n modulo ``count``. The first ``fresh`` are not archived."""

    def __init__(self, count: int, submissions: int, fresh: int, settings: Settings, forms: Forms) -> None:
        self.count, self.submissions, self.fresh, self.settings = count, submissions, fresh, settings
        self.forms = forms
        self.streams = range(len(STREAMS) if forms.has_normal.any() else 1)
        self.most = settings.most(submissions)


def _grouped(table: DataFrame, places: dict[tuple[int, int], int], buckets: _Buckets) -> DataFrame:
    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(each, places, buckets) for each in gathered(coming, STEP))

    def dealt(coming: Iterable[Any]) -> Iterator[Any]:
        yield _dealt(opened(coming, _POSTING), buckets)

    chosen = table.where(~sql.col("is_left_out")).select("share", "row", *STREAMS)
    return delivered(chosen.mapInArrow(sent, PARCELS), buckets.count).mapInArrow(dealt, PARCELS)


def _sent(table: Any, places: dict[tuple[int, int], int], buckets: _Buckets) -> Any:
    """Fingerprints to the tasks that each have a range of them."""
    keys = zip(numbers(table["share"]).tolist(), numbers(table["row"]).tolist(), strict=True)
    owners, parts = np.array([places[key] for key in keys], np.int32), []
    for stream in buckets.streams:
        values, bounds = lists(table[STREAMS[stream]])
        rows = np.empty(len(values), _POSTING)
        rows["hash"], rows["number"] = values.view(np.uint64), np.repeat(owners, np.diff(bounds))
        rows["stream"] = stream
        parts.append(rows)
    every = np.concatenate(parts)
    return addressed(every, (every["hash"] >> np.uint64(32)) * np.uint64(buckets.count) >> np.uint64(32))


def _dealt(rows: NDArray[Any], buckets: _Buckets) -> Any:
    """All who have a fingerprint, to the bucket of each of them. What is common weighs nothing, and goes nowhere."""
    rows = rows[np.lexsort((rows["number"], rows["hash"], rows["stream"]))]
    begins = _begins(rows)
    sizes = np.diff(np.append(np.flatnonzero(begins), len(rows)))
    group = np.cumsum(begins) - 1
    found = np.empty(len(rows), _MEMBER)
    for name in ("hash", "number", "stream"):
        found[name] = rows[name]
    found["count"] = sizes[group]
    counted = found["count"] <= buckets.most
    found, group = found[counted], group[counted]
    return addressed(*_copied(found, group, buckets.count))


def _begins(rows: NDArray[Any]) -> NDArray[np.bool_]:
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows["hash"][1:] != rows["hash"][:-1]) | (rows["stream"][1:] != rows["stream"][:-1])
    return begins


def _copied(found: NDArray[Any], group: NDArray[np.int64], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Every member of a group once for each bucket that the group goes to, and that bucket."""
    asked = np.unique(group * count + found["number"] % count)
    groups, buckets = asked // count, asked % count
    starts = np.searchsorted(group, groups)
    sizes = found["count"][starts].astype(np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return found[np.repeat(starts, sizes) + within], np.repeat(buckets, sizes)


def _totals(held: DataFrame, buckets: _Buckets) -> list[NDArray[np.float64]]:
    """The weight of all that each submission has, of each stream."""

    def summed(coming: Iterable[Any]) -> Iterator[Any]:
        for stream, rows, own in _streams(coming, buckets):
            mine = rows[own]
            values = np.bincount(mine["number"], weights(mine["count"], buckets.submissions), buckets.submissions)
            there = np.unique(mine["number"]).astype(np.int64)
            yield batch({"stream": np.full(len(there), stream, np.int32), "number": there, "total": values[there]})

    found = held.mapInArrow(summed, "stream int, number long, total double").toArrow()
    totals = [np.zeros(buckets.submissions) for _ in buckets.streams]
    for stream, total in enumerate(totals):
        those = numbers(found["stream"]) == stream
        total[numbers(found["number"])[those]] = numbers(found["total"])[those]
    return totals


def _streams(coming: Iterable[Any], buckets: _Buckets) -> Iterator[tuple[int, NDArray[Any], NDArray[np.bool_]]]:
    """The groups of a bucket by stream, in order, and which members are its own."""
    batches = [each for each in coming if len(each)]
    if not batches:
        return
    bucket = int(batches[0]["bucket"][0].as_py())
    rows = opened(batches, _MEMBER)
    rows = rows[np.lexsort((rows["number"], rows["hash"], rows["stream"]))]
    for stream in buckets.streams:
        those = rows[rows["stream"] == stream]
        yield stream, those, those["number"] % buckets.count == bucket


def _looked(coming: Iterable[Any], buckets: _Buckets, totals: list[NDArray[np.float64]]) -> Iterator[Any]:
    """The best pairs whose left submission is in the bucket, and who is linked by them."""
    looked, mine, scored = Looked(buckets.settings, buckets.submissions), list[int](), list[Iterator[Scores]]()
    for stream, rows, own in _streams(coming, buckets):
        if not mine:
            mine = [number for number in np.unique(rows["number"][own]).tolist() if number < buckets.fresh]
        scored.append(score(_postings(rows, own, totals[stream], buckets), mine))
    for found in _fused(scored, buckets):
        looked.at(found)
    data = pickle.dumps((looked.best, looked.links))
    yield batch({"data": pa.array([data], pa.binary())})


def _fused(scored: list[Iterator[Scores]], buckets: _Buckets) -> Iterator[Scores]:
    if len(scored) < len(STREAMS):
        return scored[0] if scored else iter(())
    plain, normal, whole, standing = scored
    return map(fuse, plain, normal, whole, standing, repeat(buckets.forms))


def _postings(rows: NDArray[Any], own: NDArray[np.bool_], totals: NDArray[np.float64], buckets: _Buckets) -> Postings:
    """What the loop needs of the groups that connect two submissions, for those of the bucket alone."""
    connects = rows["count"] > 1
    rows, own = rows[connects], own[connects]
    begins = _begins(rows)
    group = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    order = np.argsort(rows["number"][own], kind="stable")
    counts = np.bincount(rows["number"][own], minlength=buckets.submissions)
    return Postings(
        np.concatenate([[0], np.cumsum(counts)]),
        group[own][order].astype(np.int32),
        np.append(starts, len(rows)),
        np.ascontiguousarray(rows["number"]),
        weights(rows["count"][starts], buckets.submissions),
        totals,
    )
