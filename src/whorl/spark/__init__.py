"""Whorl on Spark: ``cluster`` clusters a DataFrame, ``compare_all`` compares a class, ``build`` fills an index. Needs
``whorl[spark]`` and Java 17."""

from whorl.spark.cluster import Clustered, cluster
from whorl.spark.compare import compare_all
from whorl.spark.index import build

__all__ = ["Clustered", "build", "cluster", "compare_all"]
