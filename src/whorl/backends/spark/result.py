"""What a clustering on Spark finds: DataFrames, and the local backend's record of them for who can hold it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import numbers
from whorl.clustering.equals import CONTAINED, KINDS, NEAR, UNIQUE
from whorl.clustering.measuring import Measured
from whorl.clustering.records import Texts, packed
from whorl.clustering.result import Clustering, Phase
from whorl.corpus.records import Fault
from whorl.model import Skipped
from whorl.scheme import Scheme


@dataclass(frozen=True)
class Clustered:
    """``documents`` and ``pairs`` have the columns of the files of ``whorl cluster``, ``documents`` also the ``number``
    of each; ``skipped`` are the documents that could not be read, ``faults`` the rows that give none, both with the
    reason. ``made`` and ``found`` are the stages that were done now, and those that were there already."""

    documents: DataFrame
    pairs: DataFrame
    skipped: DataFrame
    faults: DataFrame
    common: int
    made: tuple[str, ...]
    found: tuple[str, ...]
    _tables: "Tables"

    def collected(self) -> Clustering:
        """All of it on the driver, as the local backend gives it: some 500 bytes a document, 40 a pair."""
        return _collected(self._tables, self.common)

    def all_faults(self) -> list[Fault]:
        """Every row that gives no document."""
        return [Fault(*row) for row in self.faults.orderBy("part", "row").drop("part").collect()]


@dataclass(frozen=True)
class Tables:
    """The tables that the stages left. Rows by number: all documents; those set aside; heads; and the pairs found."""

    scheme: Scheme
    measure: str
    numbered: DataFrame
    equals: DataFrame
    heads: DataFrame
    alike: DataFrame
    phases: tuple[Phase, ...] = ()

    def members(self) -> DataFrame:
        """Every document, with its cluster; those that were set aside rejoin the one that stood for them."""
        aside = self.equals.select("number", sql.col("stands").alias("aside"), sql.col("kind").alias("equal"))
        heads = self.heads.select(sql.col("number").alias("stands"), "head", sql.col("similarity").alias("near"))
        own = sql.col("number")
        kind = sql.when(sql.col("cluster") == own, UNIQUE)
        kind = kind.when(sql.col("cluster") != sql.col("stands"), NEAR if self.measure == "resemblance" else CONTAINED)
        return (
            self.numbered.select("number", "id", "url", "date", "reason", "size", "shingles")
            .join(aside, "number", "left")
            .withColumn("stands", sql.coalesce("aside", "number"))
            .join(heads, "stands", "left")
            .withColumn("cluster", sql.coalesce("head", "stands"))
            .withColumn("similarity", sql.coalesce("near", sql.lit(1.0)))
            .withColumn("kind", kind.otherwise(sql.coalesce("equal", sql.lit(UNIQUE))))
            .drop("equal", "near", "head")
        )

    def documents(self) -> DataFrame:
        """The table of documents that ``whorl cluster`` writes."""
        ids = self.numbered.select(sql.col("number").alias("cluster"), sql.col("id").alias("representative"))
        names = sql.array(*map(sql.lit, KINDS))
        kind = sql.element_at(names, sql.col("kind") + 1).alias("kind")
        there = self.members().where("reason is null").join(ids, "cluster")
        return there.select("number", "id", "cluster", "representative", "similarity", kind, "url", "date")

    def pairs(self) -> DataFrame:
        """The table of pairs that ``whorl cluster`` writes."""
        named = self.alike
        for side in ("left", "right"):
            ids = self.numbered.select(sql.col("number").alias(side), sql.col("id").alias(f"{side}_id"))
            named = named.join(ids, side)
        shared, one, two = sql.col("shared"), sql.col("left_size"), sql.col("right_size")
        return named.select(
            sql.col("left_id").alias("left"),
            sql.col("right_id").alias("right"),
            (shared / (one + two - shared)).alias("resemblance"),
            (shared / one).alias("left_in_right"),
            (shared / two).alias("right_in_left"),
            _rounded(shared).alias("shared"),
        )


def _rounded(column: Column) -> Column:
    """To the nearest, halves to the even one, as NumPy has it."""
    return sql.rint(column).cast("long")


def _collected(tables: Tables, common: int) -> Clustering:
    found = tables.members().toArrow().sort_by("number")
    is_there = numbers(found["reason"].is_null())
    texts = {name: _texts(found[name]) for name in ("id", "url", "date", "reason")}
    went_on = is_there & found["aside"].is_null().to_numpy()
    return Clustering(
        scheme=tables.scheme,
        ids=texts["id"],
        urls=texts["url"],
        dates=texts["date"],
        cluster=numbers(found["cluster"]),
        similarity=numbers(found["similarity"]),
        kind=numbers(found["kind"]).astype(np.uint8),
        is_there=is_there,
        sizes=numbers(found["size"]),
        pairs=_pairs(tables.alike),
        common=common,
        shingles=int(numbers(found["shingles"])[went_on].sum()),
        skipped=tuple(
            Skipped(texts["id"][number] or "", texts["reason"][number] or "")
            for number in np.flatnonzero(~is_there).tolist()
        ),
        phases=tables.phases,
    )


def _pairs(alike: DataFrame) -> Measured:
    found = alike.toArrow().sort_by([("left", "ascending"), ("right", "ascending")])
    left, right = (numbers(found[side]).astype(np.int32) for side in ("left", "right"))
    return Measured(left, right, *(numbers(found[name]) for name in ("shared", "left_size", "right_size")))


def _texts(column: Any) -> Texts:
    lengths, data = packed(column.cast(pa.string()).to_pylist())
    return Texts(np.frombuffer(data, np.uint8), lengths.astype(np.int32))
