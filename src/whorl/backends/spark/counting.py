"""Phases 2 and 3: ⟨shingle, document⟩, grouped; ⟨document, document, count⟩.

Spark brings all postings of a shingle to one task, in order, and the compiled loop of the local backend makes pairs of
them. A shingle that too many documents have is common and cut before. One just under the cut would make a lump of half
a million pairs in one task: its documents are dealt into blocks, and each two blocks are a unit of work of their own.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl import kernel
from whorl.backends.spark.columns import batch, gathered, numbers
from whorl.clustering.settings import ClusterSettings

# Documents of a block. A unit makes 65,000 pairs at the most, a few milliseconds; a shingle just under the paper's cut
# of 1,000 sends each posting to four units.
BLOCK = 256

# Postings that are made pairs of together: 50 MB in the task, and few enough calls.
STEP = 1 << 20

# Pairs that leave a task at a time.
ROOM = 1 << 18

_UNIT = ("hash", "one", "two")
_PAIRS = "left long, right long, count long"


def postings(sketches: DataFrame) -> DataFrame:
    """⟨shingle, document⟩ of the sketches."""
    return sketches.select("number", sql.explode("values").alias("hash"))


def frequent(sketches: DataFrame, settings: ClusterSettings) -> DataFrame:
    """The shingles that need care, with the number of their documents: above the cut, or more than a block."""
    counts = postings(sketches).groupBy("hash").count()
    return counts.where(sql.col("count") > min(BLOCK, settings.common))


def pairs(sketches: DataFrame, frequent: DataFrame, settings: ClusterSettings) -> DataFrame:
    """⟨document, document, count⟩, left < right."""
    every = postings(sketches)
    units = _light(every, frequent).unionByName(_heavy(every, frequent.where(sql.col("count") <= settings.common)))
    found = units.repartition(*_UNIT).sortWithinPartitions(*_UNIT, "side", "number").mapInArrow(_tallied, _PAIRS)
    if settings.super_shingles:
        found = found.unionByName(_linear(every, frequent.where(sql.col("count") > settings.common)))
    return found.groupBy("left", "right").agg(sql.sum("count").alias("count"))


def _light(every: DataFrame, frequent: DataFrame) -> DataFrame:
    zero = sql.lit(0)
    rest = every.join(frequent, "hash", "left_anti")
    return rest.select("hash", zero.alias("one"), zero.alias("two"), zero.alias("side"), "number")


def _heavy(every: DataFrame, frequent: DataFrame) -> DataFrame:
    """Each posting of a frequent shingle once for every block that meets its own."""
    blocks = sql.ceil(sql.col("count") / BLOCK).cast("int")
    dealt = every.join(frequent.withColumn("blocks", blocks), "hash")
    own = sql.pmod(sql.xxhash64("number"), sql.col("blocks")).cast("int")
    met = dealt.withColumn("own", own).withColumn("other", sql.explode(sql.sequence(sql.lit(0), sql.col("blocks") - 1)))
    one, two = sql.least("own", "other"), sql.greatest("own", "other")
    side = sql.when(sql.col("own") > sql.col("other"), 1).otherwise(0)
    return met.select("hash", one.alias("one"), two.alias("two"), side.alias("side"), "number")


def _linear(every: DataFrame, common: DataFrame) -> DataFrame:
    """Each document of a common super shingle with the first one."""
    those = every.join(common, "hash")
    firsts = those.groupBy("hash").agg(sql.min("number").alias("left"))
    return (
        those.join(firsts, "hash")
        .where("left < number")
        .select("left", sql.col("number").alias("right"), sql.lit(1).cast("long").alias("count"))
    )


def _tallied(coming: Iterable[Any]) -> Iterator[Any]:
    """The pairs of the units of a task, counted as far as they come together. Units come one after the other."""
    held: list[Any] = []
    for table in gathered(coming, STEP):
        columns = [numbers(table[name]) for name in (*_UNIT, "side", "number")]
        columns = [np.concatenate([one, two]) for one, two in zip(held, columns, strict=True)] if held else columns
        cut = int(_begins(columns)[-1])
        yield from _counted([column[:cut] for column in columns])
        held = [column[cut:] for column in columns]
    if held:
        yield from _counted(held)


def _begins(columns: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Where units begin."""
    changes = np.ones(len(columns[0]), np.bool_)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns[: len(_UNIT)]], axis=0)
    return np.flatnonzero(changes)


def _counted(columns: list[NDArray[Any]]) -> Iterator[Any]:
    """The pairs of whole units. Within a unit of two blocks, a pair has one document of each."""
    _, one, two, side, documents = columns
    if not len(documents):
        return
    begins = _begins(columns)
    units = np.repeat(np.arange(len(begins), dtype=np.uint64), np.diff(np.append(begins, len(documents))))
    within = one == two
    yield from _within(units[within], documents[within])
    yield from _across(units[~within], side[~within], documents[~within])


def _within(units: NDArray[np.uint64], documents: NDArray[np.int64]) -> Iterator[Any]:
    """All pairs of each unit. The loop wants small numbers, in the same order."""
    names, own = np.unique(documents, return_inverse=True)
    small = own.astype(np.uint32)
    loops, at = kernel.pairs(), 0
    ends, order, bounds, _ = loops.follow(units, small, len(units), False, len(names))
    while at < len(names):
        found, counts, at = loops.tally(small, ends, order, bounds, at, ROOM)
        if len(found):
            yield _batch(names[found >> np.uint64(32)], names[found & np.uint64(0xFFFFFFFF)], counts)


def _across(units: NDArray[np.uint64], side: NDArray[Any], documents: NDArray[np.int64]) -> Iterator[Any]:
    """All pairs of a document of one side with one of the other."""
    starts = np.flatnonzero(np.diff(units, prepend=units[:1] + 1))
    for start, end in pairwise(np.append(starts, len(units)).tolist()):
        middle = start + int(np.searchsorted(side[start:end], 1))
        ours, theirs = documents[start:middle], documents[middle:end]
        left, right = np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
        if len(left):
            yield _batch(np.minimum(left, right), np.maximum(left, right), np.ones(len(left)))


def _batch(left: NDArray[np.int64], right: NDArray[np.int64], counts: NDArray[Any]) -> Any:
    return batch({"left": left, "right": right, "count": counts.astype(np.int64)})
