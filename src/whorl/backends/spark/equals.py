"""Documents that are equal to one before are set aside, as ``whorl.clustering.equals`` does it, by grouping digests.

Each round brings those together that have a digest in common, with all that were set aside for them before: a row is
the first of them and the list of all. A list takes 16 bytes a document and is one row: 50 million equal documents fit.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark.columns import batch, gathered, numbers
from whorl.backends.spark.parcels import PARCELS, addressed, delivered, opened, tasks
from whorl.clustering.equals import IDENTICAL, LEXICAL, SHINGLE, UNIQUE

# Documents whose digests are sent together, and digests that a task compares: 150 MB of it while they are sorted.
STEP, TASK = 1 << 14, 1 << 21

_DIGEST = np.dtype([("digest", "<u8"), ("number", "<i8")])
_ROUNDS = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


def set_aside(numbered: DataFrame, count: int) -> DataFrame:
    """Number, the one that stands for it, and how both are equal: of the documents that are set aside alone."""
    whole = numbered.where("reason is null").select("number", "content", "lexical", "shingle")
    itself = sql.array(sql.struct("number", sql.lit(UNIQUE).alias("kind")))
    found = whole.join(_repeated(whole, count), "number", "left_semi").select(
        sql.col("number").alias("stands"), "content", "lexical", "shingle", itself.alias("members")
    )
    for kind, column in _ROUNDS:
        found = _joined(found, kind, column)
    members = found.where(sql.size("members") > 1).select("stands", sql.explode("members").alias("member"))
    return members.where("member.number != stands").select("member.number", "stands", "member.kind")


def _repeated(whole: DataFrame, documents: int) -> DataFrame:
    """The numbers of documents that have a digest in common with another, and maybe a few more. Most have none, and
    what follows costs much more a document than this: half of each digest, sorted."""
    count = tasks(whole.sparkSession, len(_ROUNDS) * documents, TASK)

    def sent(coming: Iterable[Any]) -> Iterator[Any]:
        return (_sent(table, count) for table in gathered(coming, STEP))

    def compared(coming: Iterable[Any]) -> Iterator[Any]:
        yield batch({"number": _shared(opened(coming, _DIGEST))})

    return delivered(whole.mapInArrow(sent, PARCELS), count).mapInArrow(compared, "number long")


def _sent(table: Any, count: int) -> Any:
    parts = []
    for _, column in _ROUNDS:
        chosen = table.filter(table[column].is_valid())
        rows = np.empty(len(chosen), _DIGEST)
        halves = chosen[column].combine_chunks().cast(pa.binary(16)).buffers()[1]
        rows["digest"] = np.frombuffer(halves, "<u8")[: 2 * len(chosen) : 2]
        rows["number"] = numbers(chosen["number"])
        parts.append(rows)
    every = np.concatenate(parts)
    return addressed(every, every["digest"] % np.uint64(count))


def _shared(rows: NDArray[Any]) -> NDArray[np.int64]:
    order = np.argsort(rows["digest"], kind="stable")
    digests = rows["digest"][order]
    same = np.zeros(len(rows) + 1, np.bool_)
    same[1:-1] = digests[1:] == digests[:-1]
    return np.unique(rows["number"][order[same[1:] | same[:-1]]])


def _joined(found: DataFrame, kind: int, column: str) -> DataFrame:
    """Those with the same digest become one. Without a digest, a document is equal to none."""
    alone = sql.when(sql.col(column).isNull(), sql.col("stands"))
    least = sql.min(sql.struct("stands", "content", "lexical", "shingle")).alias("least")
    groups = sql.collect_list(sql.struct("stands", "members")).alias("groups")
    return (
        found.groupBy(sql.col(column).alias("digest"), alone.alias("alone"))
        .agg(least, groups)
        .select("least.*", sql.flatten(sql.transform("groups", lambda group: _moved(group, kind))).alias("members"))
    )


def _moved(group: Column, kind: int) -> Column:
    """Who was set aside for one that is now set aside follows it, and is as far from the one that stays."""
    farther = sql.transform(group["members"], lambda member: sql.struct(member["number"], sql.lit(kind).alias("kind")))
    return sql.when(group["stands"] == sql.col("least.stands"), group["members"]).otherwise(farther)
