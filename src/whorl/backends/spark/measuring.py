"""Which pairs are alike enough: those that the sketches do not rule out are verified on all shingles.

Verification needs the shingles of both documents in one place. Pairs are dealt into buckets by what may be their
cluster, and a document's shingles travel once to each bucket that asks for them, not once for each pair.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from whorl import kernel
from whorl.backends.spark.columns import batch, gathered, lists, numbers, rows
from whorl.backends.spark.counting import PAIR
from whorl.backends.spark.counting import rows as rows_of
from whorl.backends.spark.parcels import opened
from whorl.clustering.measuring import DOUBT, FEW, Measured, Measurer
from whorl.clustering.records import Rows
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.sketching import Sketches
from whorl.fingerprinting.ahead import Ahead

# Documents up to which what is known of each sketch goes to every machine whole: 150 MB there. Beyond, it is joined.
BROADCAST = 1_000_000

# Bytes of shingles that a bucket may ask for: several fit a task at once, with the copies that Arrow and NumPy make.
BUCKET = 64 << 20

# Estimates are not doubted, but for what the rounding of a division may be off.
EXACT = 1e-6

# Pairs that are looked at together.
STEP = 1 << 16

HOPEFUL = "left long, right long"
MEASURED = "left long, right long, shared double, left_size long, right_size long"


def known(sketches: DataFrame, common: DataFrame, settings: ClusterSettings) -> DataFrame:
    """For each document: its shingles, its level, and by level how many values its sketch has and how many of them are
    common: those are not counted, though two documents may share them. ``common`` are their postings."""
    masks = [(1 << level) - 1 for level in range(settings.modulus.bit_length())]
    fits = [sql.sum(sql.col("hash").bitwiseAND(sql.lit(mask)).eqNullSafe(0).cast("int")).cast("int") for mask in masks]
    among = common.groupBy("number").agg(sql.array(*fits).alias("common"))
    none = sql.array(*[sql.lit(0)] * len(masks))
    facts = sketches.select("number", "shingles", "level", "kept")
    return facts.join(among, "number", "left").withColumn("common", sql.coalesce("common", none))


def hopeful(pairs: DataFrame, facts: DataFrame, count: int, settings: ClusterSettings) -> DataFrame:
    """The pairs whose sketches do not rule out that they reach the threshold. There are ``count`` documents."""
    if count > BROADCAST:
        return _hopeful_joined(rows_of(pairs), facts, settings)
    held = _Facts(facts.toArrow(), settings)

    def sifted(coming: Iterable[Any]) -> Iterator[Any]:
        return (held.sifted(opened([each], PAIR), settings) for each in coming)

    return pairs.mapInArrow(sifted, HOPEFUL)


class _Facts:
    """What is known of all documents, in their order: it travels with the task."""

    def __init__(self, table: Any, settings: ClusterSettings) -> None:
        table, width = table.sort_by("number"), settings.modulus.bit_length()
        self._numbers, self._levels = numbers(table["number"]), numbers(table["level"]).astype(np.int32)
        self._sizes = np.maximum(1, numbers(table["shingles"]))
        self._kept, self._common = (
            lists(table[name])[0].reshape(len(table), width).astype(np.int32) for name in ("kept", "common")
        )

    def sifted(self, pairs: Any, settings: ClusterSettings) -> Any:
        """The local backend's rule."""
        left, right = (np.searchsorted(self._numbers, pairs[side]).astype(np.uint32) for side in ("left", "right"))
        doubt, few = (EXACT, 0) if settings.estimate else (DOUBT, FEW)
        chosen = kernel.pairs().hopeful(
            left, right, pairs["count"].astype(np.uint32), self._levels, self._kept, self._common,
            None if settings.measure == "resemblance" else self._sizes, settings.threshold, doubt, few,
        )  # fmt: skip
        return batch({side: pairs[side][chosen] for side in ("left", "right")})


def _hopeful_joined(pairs: DataFrame, facts: DataFrame, settings: ClusterSettings) -> DataFrame:
    """The same for facts that fit no machine."""
    told = pairs
    for side in ("left", "right"):
        told = told.join(facts.select(*(sql.col(name).alias(f"{side}_{name}") for name in facts.columns)),
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
    sampled = told.select("left", "right", (sql.col("count") + both).alias("count"), *sides)

    def sifted(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sifted(table, settings) for table in gathered(coming, STEP))

    return sampled.mapInArrow(sifted, HOPEFUL)


def _at(column: str, level: Column) -> Column:
    return sql.element_at(sql.col(column), level + 1)


def _sifted(table: Any, settings: ClusterSettings) -> Any:
    """The local backend's rule, over documents that are each in one pair and have one level."""
    count = len(table)
    kept = np.concatenate([numbers(table["left_kept"]), numbers(table["right_kept"])]).astype(np.int32)[:, None]
    sizes = np.concatenate([numbers(table["left_size"]), numbers(table["right_size"])])
    left, right = np.arange(2 * count, dtype=np.uint32).reshape(2, count)
    doubt, few = (EXACT, 0) if settings.estimate else (DOUBT, FEW)
    chosen = kernel.pairs().hopeful(
        left, right, numbers(table["count"]).astype(np.uint32), np.zeros(2 * count, np.int32), kept,
        np.zeros_like(kept), None if settings.measure == "resemblance" else sizes, settings.threshold, doubt, few,
    )  # fmt: skip
    return batch({name: numbers(table[name])[chosen] for name in ("left", "right")})


def contents(numbered: DataFrame, sketches: DataFrame, settings: ClusterSettings) -> DataFrame:
    """What the measure is taken on: all shingles of a document, or its sketch if estimates do."""
    if settings.estimate and not settings.super_shingles:
        return sketches
    if settings.estimate:
        return sketches.drop("values").join(numbered.select("number", sql.col("hashes").alias("values")), "number")
    nothing = sql.array(sql.lit(0))
    return numbered.select(
        "number", "shingles", sql.lit(0).alias("level"), nothing.alias("kept"), sql.col("hashes").alias("values")
    )


def measured(candidates: DataFrame, held: DataFrame, settings: ClusterSettings, *, all_of: bool = False) -> DataFrame:
    """The candidates that reach the threshold, or all of them, with how many shingles they share."""
    buckets = _buckets(candidates, held)
    dealt = _dealt(candidates, buckets)
    sides = [dealt.select(sql.col("bucket").alias("asks"), sql.col(side).alias("number")) for side in ("left", "right")]
    asked = sides[0].unionByName(sides[1]).distinct()

    def verified(pairs: Any, documents: Any) -> Any:
        return _verified(pairs, documents, settings, all_of)

    sent = asked.join(held, "number")
    return dealt.groupBy("bucket").cogroup(sent.groupBy("asks")).applyInArrow(verified, MEASURED)


def _dealt(candidates: DataFrame, buckets: int) -> DataFrame:
    """Pairs by the first document that is a pair with their left one: those of a cluster, in which nearly all are pairs
    of all, come to one bucket, and ask for each document's shingles once."""
    firsts = candidates.groupBy("right").agg(sql.min("left").alias("first"))
    known = candidates.join(firsts.select(sql.col("right").alias("left"), "first"), "left", "left")
    home = sql.xxhash64(sql.coalesce("first", "left"))
    return known.select("left", "right", sql.pmod(home, sql.lit(buckets)).alias("bucket"))


def _buckets(candidates: DataFrame, held: DataFrame) -> int:
    """As many as keep each within its bytes, even if no document were asked for twice."""
    count = int(candidates.count())
    mean = held.agg(sql.avg(sql.size("values"))).first()[0] or 0.0
    return max(1, round(2 * count * 8 * float(mean) / BUCKET))


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
    with Ahead(1) as ahead:
        return _table(Measured.joined(measurer.verified(left[order], right[order], ahead)), names)


def _measurer(documents: Any, settings: ClusterSettings) -> Measurer:
    held = rows(documents["values"])
    kept, bounds = lists(documents["kept"])
    moduli = np.left_shift(1, numbers(documents["level"])).astype(np.int32)
    sketches = Sketches(
        _sketched(held, documents, settings), moduli, kept.reshape(len(bounds) - 1, -1).astype(np.int32)
    )
    sizes = np.concatenate([[0], np.cumsum(numbers(documents["shingles"]))]).astype(np.int64)
    # The sizes are all that a measure of sketches asks of the shingles.
    shingles = Rows(np.empty(0, np.uint64), sizes) if settings.estimate else held
    return Measurer(shingles, sketches, np.empty(0, np.uint64), settings)


def _sketched(held: Rows, documents: Any, settings: ClusterSettings) -> Rows:
    """The sketches. Where super shingles made the pairs, they are drawn again from the shingles that were sent."""
    if not (settings.estimate and settings.super_shingles):
        return held
    values, bounds, _ = kernel.shingles().sample(held.hashes, held.bounds, settings.modulus, settings.least)
    return Rows(values, bounds)


def _table(found: Measured, names: Any) -> Any:
    return pa.table(
        {
            "left": names[found.left],
            "right": names[found.right],
            "shared": found.shared,
            "left_size": found.left_size,
            "right_size": found.right_size,
        }
    )


def value(measure: str) -> Column:
    """The measure of a pair that was measured."""
    shared, one, two = sql.col("shared"), sql.col("left_size"), sql.col("right_size")
    return shared / (one + two - shared) if measure == "resemblance" else sql.greatest(shared / one, shared / two)
