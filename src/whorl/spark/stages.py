"""Parts of all Spark jobs: sessions, shares of files, Arrow columns, parcels of bytes, stages stored as Parquet."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from whorl.clustering.records import Rows
from whorl.errors import InputError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import Walk
from whorl.model import Hashes
from whorl.stores import is_index


def numbers(column: Any) -> NDArray[Any]:
    """Return a column of numbers without nulls."""
    joined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    values: NDArray[Any] = joined.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values)


def hashes(column: Any) -> Hashes:
    """Return a column of hashes."""
    return numbers(column).view(np.uint64)


def lists(column: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return all values of a column of lists, concatenated, and where those of each row begin and the last end."""
    joined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    bounds = np.zeros(len(joined) + 1, np.int64)
    np.cumsum(numbers(joined.value_lengths()), out=bounds[1:])
    return numbers(joined.flatten()), bounds


def rows(column: Any) -> Rows:
    """Return a column of lists of hashes."""
    values, bounds = lists(column)
    return Rows(values.astype(np.int64, copy=False).view(np.uint64), bounds)


def listed(values: NDArray[Any], bounds: NDArray[np.int64]) -> Any:
    """Return a column of lists. A batch has far fewer than 2^31 values."""
    signed = values.view(np.int64) if values.dtype == np.uint64 else values
    return pa.ListArray.from_arrays(pa.array(bounds.astype(np.int32)), pa.array(signed))


def batch(columns: dict[str, Any]) -> Any:
    """Return columns as a record batch for Spark."""
    arrays = [value if isinstance(value, pa.Array) else pa.array(value) for value in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def gathered(batches: Iterable[Any], least: int) -> Iterator[Any]:
    """Merge batches into tables of at least so many rows, except the last."""
    waiting: list[Any] = []
    for each in batches:
        waiting.append(each)
        if sum(map(len, waiting)) >= least:
            yield _table(waiting)
            waiting = []
    if waiting:
        yield _table(waiting)


def _table(batches: Sequence[Any]) -> Any:
    return pa.Table.from_batches(batches).combine_chunks()


PARCELS = "bucket int, data binary"

# Tasks per core: while one waits for the disk, another runs.
TASKS_PER_CORE = 2


def tasks(spark: Any, size: float, most: int) -> int:
    """Return the number of tasks for some amount of work, of which one task can take ``most``."""
    return max(TASKS_PER_CORE * int(spark.sparkContext.defaultParallelism), int(-(-size // most)))


def addressed(rows: NDArray[Any], buckets: NDArray[Any]) -> Any:
    """Pack rows into parcels, each for its bucket. Rows of one bucket keep their order."""
    order = np.argsort(buckets, kind="stable")
    rows, buckets = rows[order], buckets[order]
    starts = np.flatnonzero(np.diff(buckets, prepend=-1))
    parts = [rows[start:end].tobytes() for start, end in pairwise([*starts.tolist(), len(rows)])]
    return batch({"bucket": buckets[starts].astype(np.int32), "data": pa.array(parts, pa.binary())})


def delivered(parcels: DataFrame, count: int) -> DataFrame:
    """Move every parcel to the task of its bucket, one of ``count``."""
    return parcels.repartitionById(count, "bucket")


def opened(batches: Iterable[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Unpack all parcels of a task."""
    parts = [np.frombuffer(data, kind) for each in batches for data in _bytes(each)]
    return np.concatenate([np.empty(0, kind), *parts])


def _bytes(each: Any) -> Iterator[Any]:
    return (value.as_buffer() for value in each["data"])


# Quiet, and listening only where the machines need to talk to each other.
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(master: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start a session at a master. Spark's own configuration applies unless ``settings`` override it."""
    # The first python3 on the path may lack Whorl; a packed environment sets the variable itself.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    chosen = {**QUIET, **(LOOPBACK if master.startswith("local") else {}), **(settings or {})}
    builder = SparkSession.builder.master(master).appName("whorl")
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except (PySparkException, RuntimeError) as error:
        line = str(error).strip().splitlines()[0]
        raise InputError(
            f"{master}: Spark does not start: {line}. It needs Java 17 and a master that answers"
        ) from error


# Shares per core: files differ in size, and a task with large ones must not be the last.
SHARES_PER_CORE = 4


@dataclass(frozen=True, slots=True)
class Share:
    """Some files of one of the paths, by their places in its walk."""

    path: int
    part: range


def shares(
    paths: Sequence[Path], rules: Rules, cores: int, child: Callable[[Path, str], str] | None = None
) -> list[Share]:
    """Divide all files of all paths, in order, into parts of about the same number.

    A file, an archive or an index is one part. ``child`` returns the submission of a file, which is not divided.
    """
    check_apart(paths)
    names = [[path.name] if is_index(path) else list(Walk(path, rules).names()) for path in paths]
    step = max(1, -(-sum(map(len, names)) // (SHARES_PER_CORE * cores)))
    return [
        Share(number, range(first, last))
        for number, names_of in enumerate(names)
        for first, last in pairwise(
            _cuts([name if child is None else child(paths[number], name) for name in names_of], step)
        )
    ]


def described(paths: Sequence[Path], rules: Rules) -> str:
    """Return a digest of the names, sizes and times of the files."""
    hashed = blake2b(digest_size=16)
    for path in paths:
        names = [""] if path.is_file() or is_index(path) else Walk(path, rules).names()
        for name in names:
            file = path / name if name else path
            seen = file.lstat() if name and os.path.lexists(file) else file.stat() if not name else None
            hashed.update(f"{path.resolve()}\0{name}\0{seen and (seen.st_size, seen.st_mtime_ns)}\0".encode())
    return hashed.hexdigest()


def _cuts(names: Sequence[str], step: int) -> list[int]:
    """Return where parts begin, and where the last one ends. Equal names are not divided."""
    cuts = [0]
    for place, (before, name) in enumerate(pairwise(names), 1):
        if place - cuts[-1] >= step and before != name:
            cuts.append(place)
    return [*cuts, len(names)] if names else []


def check_apart(paths: Sequence[Path]) -> None:
    """Raise InputError if two paths overlap: tasks would read a file twice."""
    places = sorted((path.resolve(), path) for path in paths)
    for (one, before), (two, after) in pairwise(places):
        if one == two or one in two.parents:
            raise InputError(f"{after} is in {before}: name it once")


DONE = "_SUCCESS"


class Stages:
    """The folder of a run. ``computed`` and ``reused`` name the stages of this run and those that existed already."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder = spark, folder.rstrip("/")
        self.computed: list[str] = []
        self.reused: list[str] = []

    def stage(self, name: str, columns: str, depends: Any, make: Callable[[], DataFrame]) -> DataFrame:
        """Return the table of a stage, with these columns; compute and write it first unless it exists."""
        path = self.path(name, depends)
        if self.is_done(path):
            self.reused.append(name)
        else:
            # The name of the job in Spark's pages and logs.
            self.spark.sparkContext.setJobDescription(f"whorl: {name}")
            make().write.mode("overwrite").parquet(path)
            self.spark.sparkContext.setJobDescription(None)
            self.computed.append(name)
        # Without the columns, Spark would run a job to learn them from the files.
        return self.spark.read.schema(columns).parquet(path)

    def path(self, name: str, depends: Any) -> str:
        """Return the folder of a stage. ``depends`` must be JSON."""
        description = json.dumps(depends, sort_keys=True)
        return f"{self.folder}/{name}-{blake2b(description.encode(), digest_size=6).hexdigest()}"

    def is_done(self, path: str) -> bool:
        """Return whether a stage is complete, on any file system that Spark supports."""
        return bool(self._system(path).exists(self._path(f"{path}/{DONE}")))

    def remove(self, path: str) -> None:
        """Remove a folder, if it exists."""
        self._system(path).delete(self._path(path), True)

    def _path(self, path: str) -> Any:
        # By its whole name: Java would look for each part of it in all its archives.
        return getattr(self.spark._jvm, "org.apache.hadoop.fs.Path")(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())
