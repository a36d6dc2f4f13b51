"""Connected components of any number of edges: large-star and small-star in turn (Kiveris, Lattanzi, Mirrokni, Rastogi
and Vassilvitskii, "Connected Components in MapReduce and Beyond", 2014), with every round on disk.

A task first joins what its own edges join, by the compiled union-find: chains that lie together become stars at once.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as sql

from whorl import kernel
from whorl.backends.spark.columns import batch, gathered, numbers
from whorl.backends.spark.stages import Stages
from whorl.errors import WhorlError

# Rounds after which something is wrong: a chain of 100,000 documents takes at most 20, and the rounds grow with the
# logarithm of the longest chain.
MOST = 60

# Edges that a task joins at a time: 50 MB of it.
TOGETHER = 1 << 20

_EDGES = "child long, parent long"


class ComponentsError(WhorlError):
    """The components did not settle."""


def components(edges: DataFrame, stages: Stages, depends: Any, together: int = TOGETHER) -> tuple[DataFrame, int]:
    """For each document of the edges (``left``, ``right``) the least one of its component, ``number`` and ``label``,
    without those that are the least themselves; and how many rounds it took."""
    path = stages.path("round", [depends, 0])
    seen = _written(_contracted(edges.select("left", "right"), together), path)
    for count in range(1, MOST + 1):
        before, path = path, stages.path("round", [depends, count])
        found = stages.spark.read.parquet(before)
        last, seen = seen, _written(_small(_large(found, together), together), path)
        stages.remove(before)
        if seen == last:
            named = stages.spark.read.parquet(path)
            return named.select(sql.col("child").alias("number"), sql.col("parent").alias("label")), count
    raise ComponentsError(f"components: not settled after {MOST} rounds; remove {stages.folder} and run again")


def _written(edges: DataFrame, path: str) -> tuple[Any, ...]:
    """Brings edges to the disk, each once; what tells them from others: their number, and a sum of their hashes."""
    watch = Observation()
    told = sql.sum(sql.xxhash64("child", "parent").cast("decimal(38,0)")).alias("sum")
    edges.distinct().observe(watch, sql.count("*").alias("count"), told).write.mode("overwrite").parquet(path)
    seen = watch.get
    return seen["count"], seen["sum"]


def _contracted(edges: DataFrame, together: int) -> DataFrame:
    """Edges with the same components, as stars within each task."""

    def joined(coming: Iterable[Any]) -> Iterator[Any]:
        return (_joined(*(numbers(table.column(side)) for side in (0, 1))) for table in gathered(coming, together))

    return edges.mapInArrow(joined, _EDGES)


def _joined(one: NDArray[np.int64], two: NDArray[np.int64]) -> Any:
    names, own = np.unique(np.concatenate([one, two]), return_inverse=True)
    parents = np.arange(len(names), dtype=np.int32)
    ends = own.astype(np.int32)
    kernel.matching().unite(parents, ends[: len(one)], ends[len(one) :])
    while (parents != parents[parents]).any():
        parents = parents[parents]
    least = np.full(len(names), len(names), np.int64)
    np.minimum.at(least, parents, np.arange(len(names)))
    heads = least[parents]
    far = heads != np.arange(len(names))
    return batch({"child": names[far], "parent": names[heads[far]]})


def _large(edges: DataFrame, together: int) -> DataFrame:
    """Every document tells its larger neighbours the least of its neighbours and itself."""
    turned = edges.select(sql.col("parent").alias("child"), sql.col("child").alias("parent"))
    return _told(edges.unionByName(turned), False, together)


def _small(edges: DataFrame, together: int) -> DataFrame:
    """Every document tells its smaller neighbours, and itself, the least of them."""
    return _told(edges, True, together)


def _told(edges: DataFrame, small: bool, together: int) -> DataFrame:
    ordered = edges.repartition("child").sortWithinPartitions("child", "parent")

    def least(coming: Iterable[Any]) -> Iterator[Any]:
        held = (-1, -1)
        for table in gathered(coming, together):
            own, other = numbers(table["child"]), numbers(table["parent"])
            found, held = _least(own, other, held)
            one, two = _smaller(own, other, found) if small else _larger(own, other, found)
            yield _joined(one, two)

    return ordered.mapInArrow(least, _EDGES)


def _least(
    own: NDArray[np.int64], other: NDArray[np.int64], held: tuple[int, int]
) -> tuple[NDArray[np.int64], tuple[int, int]]:
    """For each edge the least of its document's neighbours and itself. The first neighbour is the least one, or what
    was held of the document when its edges began in a table before."""
    begins = np.ones(len(own), np.bool_)
    begins[1:] = own[1:] != own[:-1]
    places = np.maximum.accumulate(np.where(begins, np.arange(len(own)), 0))
    found = np.minimum(own, other[places])
    found[own == held[0]] = held[1]
    return found, (int(own[-1]), int(found[-1]))


def _larger(own: Any, other: Any, least: Any) -> tuple[Any, Any]:
    there = other > own
    return other[there], least[there]


def _smaller(own: Any, other: Any, least: Any) -> tuple[Any, Any]:
    return np.concatenate([other, own]), np.concatenate([least, least])
