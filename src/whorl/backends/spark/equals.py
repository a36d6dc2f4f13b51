"""Documents that are equal to one before are set aside, as ``whorl.clustering.equals`` does it, by grouping digests."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from whorl.clustering.equals import IDENTICAL, LEXICAL, SHINGLE

_ROUNDS = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


def set_aside(numbered: DataFrame) -> DataFrame:
    """Number, the one that stands for it, and how both are equal: of the documents that are set aside alone."""
    left = numbered.where("reason is null").select("number", "content", "lexical", "shingle")
    moves = []
    for kind, column in _ROUNDS:
        firsts = left.where(F.col(column).isNotNull()).groupBy(column)
        several = firsts.agg(F.min("number").alias("stands"), F.count("*").alias("n")).where("n > 1").drop("n")
        told = left.join(several, column, "left")
        moves.append(told.where("stands < number").select("number", "stands", F.lit(kind).alias("kind")))
        left = told.where("stands is null or stands = number").drop("stands")
    return _followed(moves)


def _followed(moves: list[DataFrame]) -> DataFrame:
    """Who was set aside for one that is set aside later follows it, and is as far from the one that stays."""
    *before, found = moves
    for move in reversed(before):
        later = found.select(
            F.col("number").alias("stands"), F.col("stands").alias("last"), F.col("kind").alias("last_kind")
        )
        moved = move.join(later, "stands", "left").select(
            "number", F.coalesce("last", "stands").alias("stands"), F.coalesce("last_kind", "kind").alias("kind")
        )
        found = moved.unionByName(found)
    return found
