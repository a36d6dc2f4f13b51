"""Phase 4 on Spark: connected components of any number of edges, and the joining rule of one machine."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as sql

from whorl.clustering import ClusterSettings, joining
from whorl.clustering.joining import Measured
from whorl.components import Components
from whorl.errors import WhorlError
from whorl.spark.stages import Stages, batch, gathered, hashes, numbers

# Maximum number of rounds. A chain of 100,000 documents takes at most 20, and rounds grow with the logarithm of the
# longest chain.
MOST = 60

# Edges that a task joins at a time: 50 MB.
TOGETHER = 1 << 20

_EDGES = "child long, parent long"


class ComponentsError(WhorlError):
    """The rounds did not converge."""


def components(edges: DataFrame, stages: Stages, depends: Any, together: int = TOGETHER) -> tuple[DataFrame, int]:
    """Return the least member of the component (``label``) of each document (``number``) in the edges (``left``,
    ``right``), except for the least members; and the number of rounds."""
    path = stages.path("round", [depends, 0])
    seen = _written(_contracted(edges.select("left", "right"), together), path)
    for count in range(1, MOST + 1):
        before, path = path, stages.path("round", [depends, count])
        edges_of_round = stages.spark.read.schema(_EDGES).parquet(before)
        last, seen = seen, _written(_small(_large(edges_of_round, together), together), path)
        stages.remove(before)
        if seen == last:
            named = stages.spark.read.schema(_EDGES).parquet(path)
            return named.select(sql.col("child").alias("number"), sql.col("parent").alias("label")), count
    raise ComponentsError(f"components: not settled after {MOST} rounds; remove {stages.folder} and run again")


def _written(edges: DataFrame, path: str) -> tuple[Any, ...]:
    """Write distinct edges to disk; return their number and a sum of their hashes, to compare rounds."""
    watch = Observation()
    checksum = sql.sum(sql.xxhash64("child", "parent").cast("decimal(38,0)")).alias("sum")
    edges.distinct().observe(watch, sql.count("*").alias("count"), checksum).write.mode("overwrite").parquet(path)
    seen = watch.get
    return seen["count"], seen["sum"]


def _contracted(edges: DataFrame, together: int) -> DataFrame:
    """Replace the edges of each task by stars with the same components."""

    def joined(coming: Iterable[Any]) -> Iterator[Any]:
        return (_joined(*(numbers(table.column(side)) for side in (0, 1))) for table in gathered(coming, together))

    return edges.mapInArrow(joined, _EDGES)


def _joined(one: NDArray[np.int64], two: NDArray[np.int64]) -> Any:
    names, places = np.unique(np.concatenate([one, two]), return_inverse=True)
    ends = places.astype(np.int32)
    heads = Components.of(len(names), ends[: len(one)], ends[len(one) :]).roots()
    far = heads != np.arange(len(names))
    return batch({"child": names[far], "parent": names[heads[far]]})


def _large(edges: DataFrame, together: int) -> DataFrame:
    """Large-star: connect the larger neighbours of every document with the least of its neighbours and itself."""
    turned = edges.select(sql.col("parent").alias("child"), sql.col("child").alias("parent"))
    return _stars(edges.unionByName(turned), False, together)


def _small(edges: DataFrame, together: int) -> DataFrame:
    """Small-star: connect the smaller neighbours of every document, and itself, with the least of them."""
    return _stars(edges, True, together)


def _stars(edges: DataFrame, small: bool, together: int) -> DataFrame:
    ordered = edges.repartition("child").sortWithinPartitions("child", "parent")

    def least(coming: Iterable[Any]) -> Iterator[Any]:
        last_least = (-1, -1)
        for table in gathered(coming, together):
            child, parent = numbers(table["child"]), numbers(table["parent"])
            least_of, last_least = _least(child, parent, last_least)
            one, two = _smaller(child, parent, least_of) if small else _larger(child, parent, least_of)
            yield _joined(one, two)

    return ordered.mapInArrow(least, _EDGES)


def _least(
    child: NDArray[np.int64], parent: NDArray[np.int64], last_least: tuple[int, int]
) -> tuple[NDArray[np.int64], tuple[int, int]]:
    """Return for each edge the least of its child's neighbours and itself.

    Neighbours are sorted, so the first is the least; ``last_least`` continues a child whose edges began in the table
    before.
    """
    begins = np.ones(len(child), np.bool_)
    begins[1:] = child[1:] != child[:-1]
    places = np.maximum.accumulate(np.where(begins, np.arange(len(child)), 0))
    least_of = np.minimum(child, parent[places])
    least_of[child == last_least[0]] = last_least[1]
    return least_of, (int(child[-1]), int(least_of[-1]))


def _larger(child: Any, parent: Any, least: Any) -> tuple[Any, Any]:
    there = parent > child
    return parent[there], least[there]


def _smaller(child: Any, parent: Any, least: Any) -> tuple[Any, Any]:
    return np.concatenate([parent, child]), np.concatenate([least, least])


# Maximum number of pairs that the driver joins, at 150 bytes each: 3 GB.
EDGES = 20_000_000

# Pairs in a bucket of components: 150 MB of a task. A larger component makes a larger bucket.
BUCKET = 1_000_000

HEADS = "number long, head long, similarity double"


def heads(
    alike: DataFrame, numbered: DataFrame, settings: ClusterSettings, stages: Stages, depends: Any, edges: int = EDGES
) -> DataFrame:
    """Return the head of each document of a pair and their similarity, -1 if they are no pair."""
    count = alike.count()
    ends = alike.select(sql.col("left").alias("number")).unionByName(alike.select(sql.col("right").alias("number")))
    ties = ends.distinct().join(numbered.select("number", "tie"), "number")
    if count <= edges:
        return stages.spark.createDataFrame(_heads(alike.toArrow(), ties.toArrow(), settings), HEADS)
    labels, _ = components(alike, stages, depends)
    return _spread(alike, ties, labels, max(1, count // BUCKET), settings)


def _spread(alike: DataFrame, ties: DataFrame, labels: DataFrame, buckets: int, settings: ClusterSettings) -> DataFrame:
    label = sql.coalesce("label", "number")
    bucket = sql.pmod(sql.xxhash64(label), sql.lit(buckets)).alias("bucket")
    placed = ties.join(labels, "number", "left").select("number", "tie", bucket)
    dealt = alike.join(placed.select(sql.col("number").alias("left"), sql.col("bucket").alias("asks")), "left")

    def joined(pairs: Any, ties: Any) -> Any:
        return _heads(pairs, ties, settings)

    return dealt.groupBy("asks").cogroup(placed.groupBy("bucket")).applyInArrow(joined, HEADS)


def _heads(pairs: Any, ties: Any, settings: ClusterSettings) -> Any:
    """Apply the rule to documents renumbered in the same order."""
    ties = ties.sort_by("number")
    names, tie = numbers(ties["number"]), hashes(ties["tie"])
    # In the order of one machine, so that sums round in the same way.
    pairs = pairs.sort_by([("left", "ascending"), ("right", "ascending")])
    left, right = (np.searchsorted(names, numbers(pairs[side])).astype(np.int32) for side in ("left", "right"))
    measured = Measured(left, right, *(numbers(pairs[name]) for name in ("shared", "left_size", "right_size")))
    if settings.closure:
        heads = joining.components(len(names), measured, tie)
    else:
        heads = joining.stars(len(names), measured, tie, settings)
    similarity = joining.similarities(heads, measured, settings.measure)
    return pa.table({"number": names, "head": names[heads], "similarity": similarity})
