"""Documents that are equal to one before are set aside, as ``whorl.clustering.equals`` does it, by grouping digests.

Each round brings those together that have a digest in common, with all that were set aside for them before: a row is the
first of them and the list of all. A list takes 16 bytes a document and is one row: 50 million equal documents fit.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whorl.clustering.equals import IDENTICAL, LEXICAL, SHINGLE, UNIQUE

_ROUNDS = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


def set_aside(numbered: DataFrame) -> DataFrame:
    """Number, the one that stands for it, and how both are equal: of the documents that are set aside alone."""
    itself = F.array(F.struct("number", F.lit(UNIQUE).alias("kind")))
    found = numbered.where("reason is null").select(
        F.col("number").alias("stands"), "content", "lexical", "shingle", itself.alias("members")
    )
    for kind, column in _ROUNDS:
        found = _joined(found, kind, column)
    members = found.where(F.size("members") > 1).select("stands", F.explode("members").alias("member"))
    return members.where("member.number != stands").select("member.number", "stands", "member.kind")


def _joined(found: DataFrame, kind: int, column: str) -> DataFrame:
    """Those with the same digest become one. Without a digest, a document is equal to none."""
    alone = F.when(F.col(column).isNull(), F.col("stands"))
    least = F.min(F.struct("stands", "content", "lexical", "shingle")).alias("least")
    groups = F.collect_list(F.struct("stands", "members")).alias("groups")
    return (
        found.groupBy(F.col(column).alias("digest"), alone.alias("alone"))
        .agg(least, groups)
        .select("least.*", F.flatten(F.transform("groups", lambda group: _moved(group, kind))).alias("members"))
    )


def _moved(group: Column, kind: int) -> Column:
    """Who was set aside for one that is now set aside follows it, and is as far from the one that stays."""
    farther = F.transform(group["members"], lambda member: F.struct(member["number"], F.lit(kind).alias("kind")))
    return F.when(group["stands"] == F.col("least.stands"), group["members"]).otherwise(farther)
