"""Documents that are equal to one before are set aside, as ``whorl.clustering.equals`` does it, by grouping digests.

Each round brings those together that have a digest in common, with all that were set aside for them before: a row is
the first of them and the list of all. A list takes 16 bytes a document and is one row: 50 million equal documents fit.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from whorl.clustering.equals import IDENTICAL, LEXICAL, SHINGLE, UNIQUE

_ROUNDS = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


def set_aside(numbered: DataFrame) -> DataFrame:
    """Number, the one that stands for it, and how both are equal: of the documents that are set aside alone."""
    itself = sql.array(sql.struct("number", sql.lit(UNIQUE).alias("kind")))
    found = numbered.where("reason is null").select(
        sql.col("number").alias("stands"), "content", "lexical", "shingle", itself.alias("members")
    )
    for kind, column in _ROUNDS:
        found = _joined(found, kind, column)
    members = found.where(sql.size("members") > 1).select("stands", sql.explode("members").alias("member"))
    return members.where("member.number != stands").select("member.number", "stands", "member.kind")


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
