"""Read submissions on Spark, and compare the ranked pairs in detail."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.comparison.candidates import Estimates
from whorl.comparison.intake import ReadSubmission, SpillBuffer, SubmissionIntake, SubmissionReader, in_order, unpack
from whorl.comparison.normal_form import SubmissionNormalForms
from whorl.comparison.result import Pair
from whorl.comparison.settings import Settings
from whorl.comparison.verification import Backgrounds, PairVerifier, backgrounds
from whorl.comparison.weights import ClassWeights
from whorl.matching.chains import sample
from whorl.matching.starter_code import StarterCode
from whorl.model import Skipped
from whorl.scheme import Scheme
from whorl.spark.stages import Share, Stages, described, numbers

# ``row`` counts the items of a share. ``meta`` is for the driver, ``spilled`` holds the spilled rows; both are pickled,
# for use within this program only.
READ = (
    "share int, row int, is_left_out boolean, meta binary, spilled binary,"
    " plain array<long>, normal array<long>, statements array<long>, standing array<long>"
)

Sources = Sequence[tuple[Path, bool]]


@dataclass(slots=True)
class RemoteEntry(ReadSubmission):
    """A submission whose fingerprints are in the row of its share."""

    share: int = 0
    row: int = 0
    count: int = 0
    statements: int = 0
    standing: int = 0
    identity: bytes = b""

    def fingerprints(self) -> int:
        """Return the number counted by the reading task."""
        return self.count

    def digest(self) -> bytes:
        """Return the digest made by the reading task."""
        return self.identity


def read(
    stages: Stages, reader: SubmissionReader, sources: Sources, dealt: Sequence[Share], sanction: StarterCode | None,
    ready: Callable[[], object],
) -> DataFrame:  # fmt: skip
    """Return the table of all submissions. ``sources`` are paths and whether they are archived, ``dealt`` their
    shares."""
    spark = stages.spark
    alone = replace(reader, threads=1, _seen=set())

    def read_shares(coming: Iterable[Any]) -> Iterator[Any]:
        ready()
        for each in coming:
            for number in each.column(0).to_pylist():
                yield _taken(number, dealt[number], alone, sources, sanction)

    each = spark.range(0, len(dealt), 1, max(1, len(dealt)))
    depends = [repr(alone), described([path for path, _ in sources], reader.rules), _digest(sanction), repr(dealt)]
    return stages.stage("submissions", READ, depends, lambda: each.mapInArrow(read_shares, READ))


def _digest(sanction: StarterCode | None) -> str:
    return blake2b(pickle.dumps(sanction), digest_size=16).hexdigest()


def _taken(number: int, share: Share, reader: SubmissionReader, sources: Sources, sanction: StarterCode | None) -> Any:
    path, archived = sources[share.path]
    buffer = SpillBuffer()
    intake = SubmissionIntake(reader, buffer, lambda _: None, sanction)
    intake.take([path], archived=archived, part=share.part)
    rows = [_left_out(number, item) for item in intake.skipped]
    rows += [_row(number, entry, buffer) for entry in intake.entries()]
    for place, row in enumerate(rows):
        row["row"] = place
    return pa.RecordBatch.from_pylist(rows, schema=_ARROW)


def _left_out(share: int, item: Skipped) -> dict[str, Any]:
    return {"share": share, "is_left_out": True, "meta": pickle.dumps(item), "plain": [], "normal": [],
            "statements": [], "standing": []}  # fmt: skip


def _row(share: int, entry: ReadSubmission, buffer: SpillBuffer) -> dict[str, Any]:
    rows = [[buffer.get(place) for place in places] for places in (entry.rows, entry.normal.rows)]
    statements, standing = entry.normal.distinct_statements(), entry.normal.distinct_standing()
    light = {
        "child": entry.child, "files": entry.files, "unseen": entry.unseen, "streams": entry.streams,
        "symbols": entry.symbols, "sources": entry.sources,
        "normal": SubmissionNormalForms([], [], [], [], entry.normal.forms, entry.normal.seconds),
        "count": entry.fingerprints(), "statements": len(statements), "standing": len(standing),
        "identity": entry.digest(),
    }  # fmt: skip
    return {
        "share": share,
        "is_left_out": False,
        "meta": pickle.dumps(light),
        "spilled": pickle.dumps(rows),
        "plain": entry.distinct().view(np.int64),
        "normal": entry.normal.distinct().view(np.int64),
        "statements": statements.view(np.int64),
        "standing": standing.view(np.int64),
    }


_ARROW = pa.schema(
    [("share", pa.int32()), ("row", pa.int32()), ("is_left_out", pa.bool_()), ("meta", pa.binary()),
     ("spilled", pa.binary()), ("plain", pa.list_(pa.int64())), ("normal", pa.list_(pa.int64())),
     ("statements", pa.list_(pa.int64())), ("standing", pa.list_(pa.int64()))]
)  # fmt: skip


def read_entries(
    table: DataFrame, sources: Sources, dealt: Sequence[Share]
) -> tuple[list[ReadSubmission], list[Skipped]]:
    """Return the metadata of all submissions, in order, and what was left out."""
    entries, skipped = list[ReadSubmission](), list[Skipped]()
    for share, row, is_left_out, meta in (
        table.select("share", "row", "is_left_out", "meta").orderBy("share", "row").toLocalIterator()
    ):
        facts = pickle.loads(meta)
        if is_left_out:
            skipped.append(facts)
            continue
        path, archived = sources[dealt[share].path]
        entries.append(RemoteEntry(path=path, archived=archived, share=share, row=row, **facts))
    return in_order(entries), skipped


def with_rows(data: bytes, entry: ReadSubmission, buffer: SpillBuffer) -> ReadSubmission:
    """Return a submission with its rows in a spill buffer."""
    plain, normal = pickle.loads(data)
    normal_form = replace(entry.normal, rows=[buffer.put(row) for row in normal])
    return replace(entry, rows=[buffer.put(row) for row in plain], normal=normal_form)


# Pairs per task: a few seconds.
TOGETHER = 250


def pairs(
    table: DataFrame,
    ranked: Estimates,
    if_long: NDArray[np.bool_],
    entries: Sequence[ReadSubmission],
    scheme: Scheme,
    settings: Settings,
    weights: ClassWeights,
) -> list[Pair | None]:
    """Compare the pairs of a ranking in detail, in order."""
    if not len(ranked):
        return []
    spark = table.sparkSession
    bucket = np.arange(len(ranked)) // TOGETHER
    ends = np.stack([ranked.left, ranked.right]).astype(np.int64)
    requests = spark.createDataFrame(
        pa.table(
            {"bucket": bucket, "place": np.arange(len(ranked)), "left": ends[0], "right": ends[1], "if_long": if_long}
        )
    )
    sent = _sent(table, np.unique(np.stack([np.tile(bucket, 2), ends.ravel()]), axis=1), entries)
    submissions = {int(number): entries[int(number)] for number in np.unique(ends)}

    commons = _commons(table, entries, scheme)

    def looked(requests: Any, documents: Any) -> Any:
        return _looked(requests, documents, submissions, scheme, settings, commons, weights)

    details = requests.groupBy("bucket").cogroup(sent.groupBy("asks")).applyInArrow(looked, "place long, data binary")
    return [pickle.loads(row["data"]) for row in details.orderBy("place").collect()]


def _sent(table: DataFrame, requests: Any, entries: Sequence[ReadSubmission]) -> DataFrame:
    """Return the stored rows of submissions for each bucket that needs them."""
    wanted = [entries[number] for number in requests[1].tolist()]
    wanted = pa.table(
        {
            "asks": requests[0],
            "number": requests[1],
            "share": pa.array([_of(entry).share for entry in wanted], pa.int32()),
            "row": pa.array([_of(entry).row for entry in wanted], pa.int32()),
        }
    )
    contents = table.select("share", "row", "spilled")
    return contents.join(table.sparkSession.createDataFrame(wanted), ["share", "row"]).select(
        "asks", "number", "spilled"
    )


def _of(entry: ReadSubmission) -> RemoteEntry:
    if not isinstance(entry, RemoteEntry):
        raise TypeError(f"{entry.name}: it was not read on Spark")
    return entry


def _commons(table: DataFrame, entries: Sequence[ReadSubmission], scheme: Scheme) -> Backgrounds:
    """Estimate what submissions share without copying, from a sample on the driver."""
    numbers = np.array(sample(len(entries)), np.int64)
    sent = _sent(table, np.stack([np.zeros(len(numbers), np.int64), numbers]), entries)
    buffer = SpillBuffer()
    drawn = [with_rows(row["spilled"], entries[row["number"]], buffer) for row in sent.orderBy("number").collect()]
    return backgrounds(drawn, buffer, scheme)


def _looked(
    requests: Any,
    documents: Any,
    submissions: dict[int, ReadSubmission],
    scheme: Scheme,
    settings: Settings,
    commons: Backgrounds,
    weights: ClassWeights,
) -> Any:
    buffer, with_contents = SpillBuffer(), dict[int, ReadSubmission]()
    for number, data in zip(numbers(documents["number"]).tolist(), documents["spilled"].to_pylist(), strict=True):
        with_contents[number] = with_rows(data, submissions[number], buffer)
    details = PairVerifier(with_contents, buffer, scheme, settings, commons, weights)
    ends = zip(*(requests[name].to_pylist() for name in ("left", "right", "if_long")), strict=True)
    looked = [pickle.dumps(details.pair(left, right, if_long=is_asked)) for left, right, is_asked in ends]
    return pa.table({"place": numbers(requests["place"]), "data": pa.array(looked, pa.binary())})


class RemoteTexts:
    """The texts of submissions, fetched on demand. Needs the session that read them."""

    def __init__(self, table: DataFrame, entries: Sequence[ReadSubmission]) -> None:
        self._table, self._entries = table, entries
        self._files: dict[int, list[Any]] = {}

    def __call__(self, submission: int, file: int) -> str:
        """Return the text of a submission's file, by the numbers of both."""
        if submission not in self._files:
            entry = _of(self._entries[submission])
            is_it = (sql.col("share") == entry.share) & (sql.col("row") == entry.row)
            self._files[submission] = pickle.loads(self._table.where(is_it).select("spilled").first()[0])[0]
        return unpack(self._files[submission][file])[1]


class OrderedRemoteTexts:
    """The texts of all submissions, fetched in one job. Ask for them in order."""

    def __init__(self, table: DataFrame, entries: Sequence[ReadSubmission]) -> None:
        numbers = np.arange(len(entries))
        every = _sent(table, np.stack([np.zeros(len(entries), np.int64), numbers]), entries)
        self._coming = every.orderBy("number").toLocalIterator() if entries else iter(())
        self._number, self._files = -1, list[Any]()

    def __call__(self, submission: int, file: int) -> str:
        """Return the text of a submission's file, by the numbers of both."""
        while self._number < submission:
            row = next(self._coming)
            self._number, self._files = row["number"], pickle.loads(row["spilled"])[0]
        return unpack(self._files[file])[1]
