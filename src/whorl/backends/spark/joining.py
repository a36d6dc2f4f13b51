"""Phase 4: what is alike is joined, by the local backend's rule. The rule asks for all pairs of a component at once.

While the pairs fit the driver, it applies the rule to all of them. Beyond, components are found first, each goes to one
task with the others of its bucket, and the same function is applied there.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import hashes, numbers
from whorl.backends.spark.components import components
from whorl.backends.spark.stages import Stages
from whorl.clustering import joining
from whorl.clustering.measuring import Measured
from whorl.clustering.settings import ClusterSettings

# Pairs that the driver joins itself. Each takes 150 bytes there: 3 GB at the most.
EDGES = 20_000_000

# Pairs of a bucket of components, 150 MB of a task. A component that has more makes a larger one.
BUCKET = 1_000_000

HEADS = "number long, head long, similarity double"


def heads(
    alike: DataFrame, numbered: DataFrame, settings: ClusterSettings, stages: Stages, depends: Any, edges: int = EDGES
) -> DataFrame:
    """For each document of a pair the one that stands for it, and how alike both are: -1 if they are no pair."""
    count = alike.count()
    ends = alike.select(sql.col("left").alias("number")).unionByName(alike.select(sql.col("right").alias("number")))
    ties = ends.distinct().join(numbered.select("number", "tie"), "number")
    if count <= edges:
        found = _heads(alike.toArrow(), ties.toArrow(), settings)
        return stages.spark.createDataFrame(found, HEADS)
    labels, _ = components(alike, stages, depends)
    return _spread(alike, ties, labels, max(1, count // BUCKET), settings)


def _spread(alike: DataFrame, ties: DataFrame, labels: DataFrame, buckets: int, settings: ClusterSettings) -> DataFrame:
    label = sql.coalesce("label", "number")
    bucket = sql.pmod(sql.xxhash64(label), sql.lit(buckets)).alias("bucket")
    placed = ties.join(labels, "number", "left").select("number", "tie", bucket)
    dealt = alike.join(placed.select(sql.col("number").alias("left"), sql.col("bucket").alias("asks")), "left")

    def joined(pairs: Any, those: Any) -> Any:
        return _heads(pairs, those, settings)

    return dealt.groupBy("asks").cogroup(placed.groupBy("bucket")).applyInArrow(joined, HEADS)


def _heads(pairs: Any, ties: Any, settings: ClusterSettings) -> Any:
    """The rule, over documents that are numbered anew, in the same order."""
    ties = ties.sort_by("number")
    names, tie = numbers(ties["number"]), hashes(ties["tie"])
    # In the order of the local backend's pairs: nothing depends on it but what rounding adds up.
    pairs = pairs.sort_by([("left", "ascending"), ("right", "ascending")])
    left, right = (np.searchsorted(names, numbers(pairs[side])).astype(np.int32) for side in ("left", "right"))
    found = Measured(left, right, *(numbers(pairs[name]) for name in ("shared", "left_size", "right_size")))
    if settings.closure:
        stands = joining.components(len(names), found, tie)
    else:
        stands = joining.stars(len(names), found, tie, settings)
    similarity = _similarity(found, stands, settings.measure)
    return pa.table({"number": names, "head": names[stands], "similarity": similarity})


def _similarity(pairs: Measured, stands: Any, measure: str) -> Any:
    found = np.where(stands == np.arange(len(stands)), 1.0, -1.0)
    values = pairs.measure(measure)
    for own, other in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
        is_head = stands[own] == other
        found[own[is_head]] = values[is_head]
    return found
