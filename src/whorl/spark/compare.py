"""``whorl.spark.compare_all``: score the pairs of a class on Spark, with the result of ``whorl.compare_all``."""

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from whorl.comparison.candidates import CandidatePairs, Estimates, estimates
from whorl.comparison.compare import Comparing, paths_of
from whorl.comparison.evidence.finding import SubmissionTexts
from whorl.comparison.evidence.findings import submission_texts
from whorl.comparison.intake import ReadSubmission, SpillBuffer, SubmissionIntake, SubmissionReader
from whorl.comparison.result import Comparison, Pair, Submission
from whorl.comparison.roster import read_roster
from whorl.comparison.settings import Settings
from whorl.comparison.weights import ClassPostings, ClassWeights, Forms, NormalWeights, Weights, squared_idf
from whorl.model import Skipped
from whorl.sandbox import Sandbox
from whorl.scheme import Scheme
from whorl.spark.stages import (
    PARCELS,
    Stages,
    addressed,
    batch,
    delivered,
    gathered,
    lists,
    numbers,
    opened,
    shares,
    tasks,
)
from whorl.spark.submissions import OrderedRemoteTexts, RemoteEntry, RemoteTexts, pairs, read, read_entries

# Fingerprints that a task groups, or that belong to a bucket: 200 MB with what others share.
TASK = 1 << 20

# Submissions whose fingerprints are sent together.
STEP = 1 << 10

# Columns of a submission's fingerprints, by stream number; the plain stream is first.
STREAMS = ("plain", "normal", "statements", "standing")

_POSTING = np.dtype([("hash", "<u8"), ("number", "<i4"), ("stream", "u1")])
_MEMBER = np.dtype([("hash", "<u8"), ("count", "<i4"), ("number", "<i4"), ("stream", "u1")])


def candidates(
    table: DataFrame, entries: Sequence[ReadSubmission], empty: CandidatePairs, settings: Settings
) -> tuple[CandidatePairs, ClassWeights]:
    """Return the pairs to compare in detail, and the weights of their fingerprints. ``empty`` has seen no pair yet."""
    places = {
        (entry.share, entry.row): number for number, entry in enumerate(entries) if isinstance(entry, RemoteEntry)
    }
    size = len(STREAMS) * sum(entry.fingerprints() for entry in entries)
    count = tasks(table.sparkSession, size, TASK)
    fresh = sum(not entry.archived for entry in entries)
    buckets = _Buckets(count, len(entries), fresh, settings.most(len(entries)), _forms(entries), empty)
    grouped = delivered(_grouped(table, places, buckets), count)
    # Read twice: the totals must be known before any pair is scored.
    grouped_fingerprints = grouped.persist()
    try:
        totals = _totals(grouped_fingerprints, buckets)
        seen = grouped_fingerprints.mapInArrow(lambda coming: _looked(coming, buckets, totals), "data binary").collect()
        every = deepcopy(empty)
        for row in seen:
            every.join(pickle.loads(row["data"]))
        ranked, _ = every.ranked()
        wanted = np.unique(np.concatenate([ranked.left, ranked.right]))
        return every, _class_weights(_weighed(grouped_fingerprints, buckets, wanted), totals, buckets.forms)
    finally:
        grouped_fingerprints.unpersist()


def _weighed(grouped: DataFrame, buckets: "_Buckets", wanted: NDArray[np.int32]) -> Any:
    """Return the shared fingerprints of some submissions by stream, with how many submissions have each."""

    def chosen(coming: Iterable[Any]) -> Iterator[Any]:
        for stream, rows, is_mine in _streams(coming, buckets):
            mine = rows[is_mine & (rows["count"] > 1) & np.isin(rows["number"], wanted)]
            hashes, first = np.unique(mine["hash"], return_index=True)
            counts = mine["count"][first].astype(np.int32)
            streams = np.full(len(hashes), stream, np.int32)
            yield batch({"stream": streams, "hash": hashes.view(np.int64), "count": counts})

    return grouped.mapInArrow(chosen, "stream int, hash long, count int").distinct().toArrow()


def _class_weights(weighed: Any, totals: list[NDArray[np.float64]], forms: Forms) -> ClassWeights:
    """Return the weights of these fingerprints, as on one machine."""
    streams, hashes, counts = (numbers(weighed[name]) for name in ("stream", "hash", "count"))
    every = []
    for stream, total in enumerate(totals):
        of_stream = streams == stream
        order = np.argsort(hashes[of_stream].view(np.uint64))
        worth = squared_idf(counts[of_stream][order], len(total))
        every.append(Weights(hashes[of_stream].view(np.uint64)[order], worth, total))
    return ClassWeights(every[0], NormalWeights(forms, *every[1:]) if every[1:] else None)


def _forms(entries: Sequence[ReadSubmission]) -> Forms:
    has_normal = [entry.normal.forms > 0 for entry in entries]
    sizes = [(entry.statements, entry.standing) for entry in entries if isinstance(entry, RemoteEntry)]
    statements, standing = np.array(sizes, np.int64).reshape(-1, 2).T
    return Forms(np.array(has_normal, np.bool_), statements, standing)


class _Buckets:
    """Assign submission n to bucket n modulo ``count``. The first ``fresh`` are not archived."""

    def __init__(
        self, count: int, submissions: int, fresh: int, most: int, forms: Forms, empty: CandidatePairs
    ) -> None:
        self.count, self.submissions, self.fresh, self.most = count, submissions, fresh, most
        self.forms, self.empty = forms, empty
        self.streams = range(len(STREAMS) if forms.has_normal.any() else 1)


def _grouped(table: DataFrame, places: dict[tuple[int, int], int], buckets: _Buckets) -> DataFrame:
    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(each, places, buckets) for each in gathered(coming, STEP))

    def dealt(coming: Iterable[Any]) -> Iterator[Any]:
        yield _dealt(opened(coming, _POSTING), buckets)

    chosen = table.where(~sql.col("is_left_out")).select("share", "row", *STREAMS)
    return delivered(chosen.mapInArrow(sent, PARCELS), buckets.count).mapInArrow(dealt, PARCELS)


def _sent(table: Any, places: dict[tuple[int, int], int], buckets: _Buckets) -> Any:
    """Send fingerprints to the tasks of their ranges."""
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
    """Send each group of holders to the bucket of each of them. Common fingerprints have no weight and are dropped."""
    rows = rows[np.lexsort((rows["number"], rows["hash"], rows["stream"]))]
    begins = _begins(rows)
    sizes = np.diff(np.append(np.flatnonzero(begins), len(rows)))
    group = np.cumsum(begins) - 1
    members = np.empty(len(rows), _MEMBER)
    for name in ("hash", "number", "stream"):
        members[name] = rows[name]
    members["count"] = sizes[group]
    counted = members["count"] <= buckets.most
    members, group = members[counted], group[counted]
    return addressed(*_copied(members, group, buckets.count))


def _begins(rows: NDArray[Any]) -> NDArray[np.bool_]:
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows["hash"][1:] != rows["hash"][:-1]) | (rows["stream"][1:] != rows["stream"][:-1])
    return begins


def _copied(members: NDArray[Any], group: NDArray[np.int64], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return every member of a group once for each bucket that needs the group, and that bucket."""
    targets = np.unique(group * count + members["number"] % count)
    groups, buckets = targets // count, targets % count
    starts = np.searchsorted(group, groups)
    sizes = members["count"][starts].astype(np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return members[np.repeat(starts, sizes) + within], np.repeat(buckets, sizes)


def _totals(grouped: DataFrame, buckets: _Buckets) -> list[NDArray[np.float64]]:
    """Return the total weight of each submission, by stream."""

    def summed(coming: Iterable[Any]) -> Iterator[Any]:
        for stream, rows, is_mine in _streams(coming, buckets):
            mine = rows[is_mine]
            values = np.bincount(mine["number"], squared_idf(mine["count"], buckets.submissions), buckets.submissions)
            there = np.unique(mine["number"]).astype(np.int64)
            yield batch({"stream": np.full(len(there), stream, np.int32), "number": there, "total": values[there]})

    sums = grouped.mapInArrow(summed, "stream int, number long, total double").toArrow()
    totals = [np.zeros(buckets.submissions) for _ in buckets.streams]
    for stream, total in enumerate(totals):
        of_stream = numbers(sums["stream"]) == stream
        total[numbers(sums["number"])[of_stream]] = numbers(sums["total"])[of_stream]
    return totals


def _streams(coming: Iterable[Any], buckets: _Buckets) -> Iterator[tuple[int, NDArray[Any], NDArray[np.bool_]]]:
    """Yield the groups of a bucket by stream, in order, and which members belong to it."""
    batches = [each for each in coming if len(each)]
    if not batches:
        return
    bucket = int(batches[0]["bucket"][0].as_py())
    rows = opened(batches, _MEMBER)
    rows = rows[np.lexsort((rows["number"], rows["hash"], rows["stream"]))]
    for stream in buckets.streams:
        of_stream = rows[rows["stream"] == stream]
        yield stream, of_stream, of_stream["number"] % buckets.count == bucket


def _looked(coming: Iterable[Any], buckets: _Buckets, totals: list[NDArray[np.float64]]) -> Iterator[Any]:
    """Yield the candidates among pairs whose left submission is in the bucket."""
    mine, streams = list[int](), list[ClassPostings]()
    for stream, rows, is_mine in _streams(coming, buckets):
        if not mine:
            mine = [number for number in np.unique(rows["number"][is_mine]).tolist() if number < buckets.fresh]
        streams.append(_postings(rows, is_mine, totals[stream], buckets))
    seen = deepcopy(buckets.empty)
    forms = buckets.forms if len(streams) == len(STREAMS) else None
    for _, estimated in estimates(streams, mine, forms):
        seen.add(estimated)
    yield batch({"data": pa.array([pickle.dumps(seen)], pa.binary())})


def _postings(
    rows: NDArray[Any], is_mine: NDArray[np.bool_], totals: NDArray[np.float64], buckets: _Buckets
) -> ClassPostings:
    """Return the groups that connect two submissions, for the submissions of the bucket."""
    connects = rows["count"] > 1
    rows, is_mine = rows[connects], is_mine[connects]
    begins = _begins(rows)
    group = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    order = np.argsort(rows["number"][is_mine], kind="stable")
    counts = np.bincount(rows["number"][is_mine], minlength=buckets.submissions)
    return ClassPostings(
        np.concatenate([[0], np.cumsum(counts)]),
        group[is_mine][order].astype(np.int32),
        np.append(starts, len(rows)),
        np.ascontiguousarray(rows["number"]),
        squared_idf(rows["count"][starts], buckets.submissions),
        totals,
    )


def compare_all(
    spark: SparkSession,
    paths: Path | str | Iterable[Path | str],
    scheme: Scheme | str | None = None,
    *,
    base: Path | str | Iterable[Path | str] = (),
    archive: Path | str | Iterable[Path | str] = (),
    roster: Path | str | None = None,
    folder: str | None = None,
    ready: Callable[[], object] = lambda: None,
    **settings: Any,
) -> Comparison:
    """Compare all submissions with each other, as ``whorl.compare_all`` does, on the machines of a session.

    All machines must reach the paths and ``folder``, where the stages are stored; the default is a temporary folder of
    this machine, for ``local[…]`` only. ``ready`` is called in every task that reads.
    """
    home = folder or tempfile.mkdtemp(prefix="whorl-spark-")
    return _OnSpark(Stages(spark, home), ready, scheme, Settings(**settings)).run(
        paths_of(paths), paths_of(base), paths_of(archive), {} if roster is None else read_roster(Path(roster))
    )


class _OnSpark(Comparing):
    def __init__(
        self, stages: Stages, ready: Callable[[], object], scheme: Scheme | str | None, settings: Settings
    ) -> None:
        super().__init__(scheme, settings)
        self._stages, self._ready = stages, ready
        self._read: DataFrame

    def _read_submissions(
        self, reader: SubmissionReader, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path]
    ) -> tuple[list[ReadSubmission], list[Skipped]]:
        """Read the base on the driver and broadcast it; each task reads its submissions."""
        intake = SubmissionIntake(reader, SpillBuffer(), lambda _: None)
        intake.read_starter_code(base)
        self._base = intake.base
        sources = [(path, False) for path in paths] + [(path, True) for path in archive]
        cores = self._stages.spark.sparkContext.defaultParallelism
        dealt = shares([path for path, _ in sources], reader.rules, cores, reader.child)
        self._read = read(self._stages, reader, sources, dealt, intake.starter_code, self._ready)
        entries, skipped = read_entries(self._read, sources, dealt)
        return entries, intake.skipped + skipped

    def _candidates(
        self, entries: Sequence[ReadSubmission], scheme: Scheme, identical: Sequence[Sequence[int]]
    ) -> tuple[CandidatePairs, ClassWeights]:
        empty = CandidatePairs(self._settings, scheme, [entry.person for entry in entries], identical)
        return candidates(self._read, entries, empty, self._settings)

    def _pairs(
        self,
        ranked: Estimates,
        if_long: NDArray[np.bool_],
        entries: Sequence[ReadSubmission],
        scheme: Scheme,
        weights: ClassWeights,
    ) -> Iterable[Pair | None]:
        self._text = RemoteTexts(self._read, entries)
        return pairs(self._read, ranked, if_long, entries, scheme, self._settings, weights)

    def _texts(self, submissions: Sequence[Submission], entries: Sequence[ReadSubmission]) -> Iterable[SubmissionTexts]:
        text = OrderedRemoteTexts(self._read, entries)
        return submission_texts(submissions, text, lambda number, file: entries[number].unseen[file])

    def _workers(self, scheme: Scheme, entries: Sequence[ReadSubmission]) -> Sandbox | None:
        return None  # the programs were parsed on other machines

    def _texts_of(
        self, numbers: Sequence[int], submissions: Sequence[Submission], entries: Sequence[ReadSubmission]
    ) -> Iterable[SubmissionTexts]:
        wanted = set(numbers)
        every = self._texts(submissions, entries)
        return (each for number, each in enumerate(every) if number in wanted)
