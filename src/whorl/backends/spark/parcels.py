"""Arrays that travel as bytes. To Spark a parcel is one row; what is in it, thousands of rows, is NumPy's alone.

Rows of a few numbers cost the JVM hundreds of bytes and a microsecond each, at every step. A parcel is addressed to a
bucket, which is a task.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from whorl.backends.spark.columns import batch

PARCELS = "bucket int, data binary"

# Tasks for each core: while one waits for the disk or was dealt more than the others, there is another to run.
TASKS = 2


def tasks(spark: Any, size: float, most: int) -> int:
    """How many tasks do a work of some size, of which one task can take ``most``."""
    return max(TASKS * int(spark.sparkContext.defaultParallelism), int(-(-size // most)))


def addressed(rows: NDArray[Any], buckets: NDArray[Any]) -> Any:
    """Rows as parcels, each in the bucket that it names. Those of one bucket keep their order."""
    order = np.argsort(buckets, kind="stable")
    rows, buckets = rows[order], buckets[order]
    starts = np.flatnonzero(np.diff(buckets, prepend=-1))
    parts = [rows[start:end].tobytes() for start, end in pairwise([*starts.tolist(), len(rows)])]
    return batch({"bucket": buckets[starts].astype(np.int32), "data": pa.array(parts, pa.binary())})


def delivered(parcels: DataFrame, count: int) -> DataFrame:
    """Every parcel in the task of its bucket, of which there are so many."""
    return parcels.repartitionById(count, "bucket")


def opened(batches: Iterable[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """All rows of all parcels of a task, one after the other."""
    parts = [np.frombuffer(data, kind) for each in batches for data in _bytes(each)]
    return np.concatenate([np.empty(0, kind), *parts])


def _bytes(each: Any) -> Iterator[Any]:
    return (value.as_buffer() for value in each["data"])
