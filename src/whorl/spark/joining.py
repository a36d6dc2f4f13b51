"""Phase 4 on Spark: filter pairs by sketches, verify them on all shingles, find connected components of any number of
edges, and join by the rule of one machine.

Verification needs the shingles of both documents in one place. Pairs are dealt into buckets by their likely cluster, so
a document's shingles travel once to each bucket, not once for each pair.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as sql

from whorl.clustering import ClusterSettings, joining
from whorl.clustering.joining import DOUBT, SMALL_SAMPLE, Measured, Measurer
from whorl.clustering.records import Rows
from whorl.clustering.sketching import Sketches
from whorl.components import Components
from whorl.errors import WhorlError
from whorl.kernel import native_pairs, native_shingles
from whorl.spark.counting import PAIR
from whorl.spark.counting import rows as rows_of
from whorl.spark.stages import Stages, batch, gathered, hashes, lists, numbers, opened, rows
from whorl.threads import Prefetch

# Maximum number of documents whose sketch facts are broadcast: 150 MB per machine. Beyond, they are joined.
BROADCAST = 1_000_000

# Bytes of shingles in a bucket: several fit a task, with the copies of Arrow and NumPy.
SHINGLES_BUCKET = 64 << 20

# Estimates have no margin but the rounding of a division.
EXACT = 1e-6

# Pairs filtered together.
STEP = 1 << 16

HOPEFUL = "left long, right long"
MEASURED = "left long, right long, shared double, left_size long, right_size long"


def known(sketches: DataFrame, common: DataFrame, settings: ClusterSettings) -> DataFrame:
    """Return for each document its number of shingles, its level, and by level its number of sketch values and of
    common values, which are not counted. ``common`` has the postings of common shingles."""
    masks = [(1 << level) - 1 for level in range(settings.modulus.bit_length())]
    fits = [sql.sum(sql.col("hash").bitwiseAND(sql.lit(mask)).eqNullSafe(0).cast("int")).cast("int") for mask in masks]
    among = common.groupBy("number").agg(sql.array(*fits).alias("common"))
    none = sql.array(*[sql.lit(0)] * len(masks))
    facts = sketches.select("number", "shingles", "level", "kept")
    return facts.join(among, "number", "left").withColumn("common", sql.coalesce("common", none))


def hopeful(pairs: DataFrame, facts: DataFrame, count: int, settings: ClusterSettings) -> DataFrame:
    """Return the pairs of ``count`` documents that may reach the threshold by their sketches."""
    if count > BROADCAST:
        return _hopeful_joined(rows_of(pairs), facts, settings)
    known_facts = _Facts(facts.toArrow(), settings)

    def sifted(coming: Iterable[Any]) -> Iterator[Any]:
        return (known_facts.sifted(opened([each], PAIR), settings) for each in coming)

    return pairs.mapInArrow(sifted, HOPEFUL)


class _Facts:
    """The facts of all documents, in order, broadcast to the tasks."""

    def __init__(self, table: Any, settings: ClusterSettings) -> None:
        table, width = table.sort_by("number"), settings.modulus.bit_length()
        self._numbers, self._levels = numbers(table["number"]), numbers(table["level"]).astype(np.int32)
        self._sizes = np.maximum(1, numbers(table["shingles"]))
        self._values, self._common = (
            lists(table[name])[0].reshape(len(table), width).astype(np.int32) for name in ("kept", "common")
        )

    def sifted(self, pairs: Any, settings: ClusterSettings) -> Any:
        """Filter pairs by the rule of one machine."""
        left, right = (np.searchsorted(self._numbers, pairs[side]).astype(np.uint32) for side in ("left", "right"))
        doubt, few = (EXACT, 0) if settings.estimate else (DOUBT, SMALL_SAMPLE)
        chosen = native_pairs.hopeful(
            left, right, pairs["count"].astype(np.uint32), self._levels, self._values, self._common,
            None if settings.measure == "resemblance" else self._sizes, settings.threshold, doubt, few,
        )  # fmt: skip
        return batch({side: pairs[side][chosen] for side in ("left", "right")})


def _hopeful_joined(pairs: DataFrame, facts: DataFrame, settings: ClusterSettings) -> DataFrame:
    """Filter pairs by a join, for facts that do not fit a machine."""
    joined = pairs
    for side in ("left", "right"):
        joined = joined.join(facts.select(*(sql.col(name).alias(f"{side}_{name}") for name in facts.columns)),
                         sql.col(side) == sql.col(f"{side}_number"))  # fmt: skip
    level = sql.greatest("left_level", "right_level")
    both = sql.least(_at("left_common", level), _at("right_common", level))
    sides = [
        column
        for side in ("left", "right")
        for column in (
            _at(f"{side}_kept", level).alias(f"{side}_kept"),
            sql.greatest(f"{side}_shingles", sql.lit(1)).alias(f"{side}_size"),
        )
    ]
    sampled = joined.select("left", "right", (sql.col("count") + both).alias("count"), *sides)

    def sifted(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sifted(table, settings) for table in gathered(coming, STEP))

    return sampled.mapInArrow(sifted, HOPEFUL)


def _at(column: str, level: Column) -> Column:
    return sql.element_at(sql.col(column), level + 1)


def _sifted(table: Any, settings: ClusterSettings) -> Any:
    """Filter by the rule of one machine; each document is in one pair and has one level."""
    count = len(table)
    values = np.concatenate([numbers(table["left_kept"]), numbers(table["right_kept"])]).astype(np.int32)[:, None]
    sizes = np.concatenate([numbers(table["left_size"]), numbers(table["right_size"])])
    left, right = np.arange(2 * count, dtype=np.uint32).reshape(2, count)
    doubt, few = (EXACT, 0) if settings.estimate else (DOUBT, SMALL_SAMPLE)
    chosen = native_pairs.hopeful(
        left, right, numbers(table["count"]).astype(np.uint32), np.zeros(2 * count, np.int32), values,
        np.zeros_like(values), None if settings.measure == "resemblance" else sizes, settings.threshold, doubt, few,
    )  # fmt: skip
    return batch({name: numbers(table[name])[chosen] for name in ("left", "right")})


def contents(numbered: DataFrame, sketches: DataFrame, settings: ClusterSettings) -> DataFrame:
    """Return the shingles of each document, or its sketch if ``estimate`` is set."""
    if settings.estimate and not settings.super_shingles:
        return sketches
    if settings.estimate:
        return sketches.drop("values").join(numbered.select("number", sql.col("hashes").alias("values")), "number")
    nothing = sql.array(sql.lit(0))
    return numbered.select(
        "number", "shingles", sql.lit(0).alias("level"), nothing.alias("kept"), sql.col("hashes").alias("values")
    )


def measured(
    candidates: DataFrame, documents: DataFrame, settings: ClusterSettings, *, all_of: bool = False
) -> DataFrame:
    """Return the candidates that reach the threshold, or all of them, with how many shingles they share."""
    buckets = _buckets(candidates, documents)
    dealt = _dealt(candidates, buckets)
    sides = [dealt.select(sql.col("bucket").alias("asks"), sql.col(side).alias("number")) for side in ("left", "right")]
    requests = sides[0].unionByName(sides[1]).distinct()

    def verified(pairs: Any, documents: Any) -> Any:
        return _verified(pairs, documents, settings, all_of)

    sent = requests.join(documents, "number")
    return dealt.groupBy("bucket").cogroup(sent.groupBy("asks")).applyInArrow(verified, MEASURED)


def _dealt(candidates: DataFrame, buckets: int) -> DataFrame:
    """Assign pairs to buckets by the first document that is a pair with their left one. The pairs of a cluster mostly
    meet in one bucket."""
    firsts = candidates.groupBy("right").agg(sql.min("left").alias("first"))
    known = candidates.join(firsts.select(sql.col("right").alias("left"), "first"), "left", "left")
    home = sql.xxhash64(sql.coalesce("first", "left"))
    return known.select("left", "right", sql.pmod(home, sql.lit(buckets)).alias("bucket"))


def _buckets(candidates: DataFrame, documents: DataFrame) -> int:
    """Return a number of buckets that keeps each within its bytes, even if no document is shared by two pairs."""
    pairs = candidates.select(sql.lit(1).alias("pairs"), sql.lit(None).cast("int").alias("size"))
    sizes = documents.select(sql.lit(0).alias("pairs"), sql.size("values").alias("size"))
    count, mean = (total or 0 for total in pairs.unionByName(sizes).agg(sql.sum("pairs"), sql.avg("size")).first())
    return max(1, round(2 * count * 8 * mean / SHINGLES_BUCKET))


def _verified(pairs: Any, documents: Any, settings: ClusterSettings, all_of: bool) -> Any:
    if not len(pairs):
        return _table(Measured.joined([]), np.empty(0, np.int64))
    documents = documents.sort_by("number")
    names = numbers(documents["number"])
    left, right = (np.searchsorted(names, numbers(pairs[side])) for side in ("left", "right"))
    measurer = _measurer(documents, settings)
    if all_of:
        return _table(measurer.between(left, right), names)
    if settings.estimate:
        return _table(measurer.reached(measurer.between(left, right)), names)
    order = np.lexsort((right, left))
    with Prefetch(1) as ahead:
        return _table(Measured.joined(measurer.verified(left[order], right[order], ahead)), names)


def _measurer(documents: Any, settings: ClusterSettings) -> Measurer:
    hashes = rows(documents["values"])
    values, bounds = lists(documents["kept"])
    moduli = np.left_shift(1, numbers(documents["level"])).astype(np.int32)
    sketches = Sketches(
        _sketched(hashes, documents, settings), moduli, values.reshape(len(bounds) - 1, -1).astype(np.int32)
    )
    sizes = np.concatenate([[0], np.cumsum(numbers(documents["shingles"]))]).astype(np.int64)
    # A measure of sketches needs only the sizes of the shingle sets.
    shingles = Rows(np.empty(0, np.uint64), sizes) if settings.estimate else hashes
    return Measurer(shingles, sketches, np.empty(0, np.uint64), settings)


def _sketched(hashes: Rows, documents: Any, settings: ClusterSettings) -> Rows:
    """Return the sketches. If super shingles made the pairs, sample them again from the shingles."""
    if not (settings.estimate and settings.super_shingles):
        return hashes
    values, bounds, _ = native_shingles.sample(hashes.hashes, hashes.bounds, settings.modulus, settings.least)
    return Rows(values, bounds)


def _table(measured: Measured, names: Any) -> Any:
    return pa.table(
        {
            "left": names[measured.left],
            "right": names[measured.right],
            "shared": measured.shared,
            "left_size": measured.left_size,
            "right_size": measured.right_size,
        }
    )


def value(measure: str) -> Column:
    """Return the measure of a measured pair."""
    shared, one, two = sql.col("shared"), sql.col("left_size"), sql.col("right_size")
    return shared / (one + two - shared) if measure == "resemblance" else sql.greatest(shared / one, shared / two)


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
        if seen[0] <= together:  # one task joins them all
            return _named(_contracted(edges_of_round.coalesce(1), together)), count
        last, seen = seen, _written(_small(_large(edges_of_round, together), together), path)
        stages.remove(before)
        if seen == last:
            return _named(stages.spark.read.schema(_EDGES).parquet(path)), count
    raise ComponentsError(f"components: not settled after {MOST} rounds; remove {stages.folder} and run again")


def _named(edges: DataFrame) -> DataFrame:
    return edges.select(sql.col("child").alias("number"), sql.col("parent").alias("label"))


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
