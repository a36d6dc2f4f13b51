"""What runs on Spark: ``cluster`` takes a DataFrame and gives DataFrames, ``compare_all`` compares a class, ``build``
fills an index. Needs ``whorl[spark]`` and Java 17."""

from whorl.backends.spark.cluster import cluster
from whorl.backends.spark.compare import compare_all
from whorl.backends.spark.index import build
from whorl.backends.spark.result import Clustered

__all__ = ["Clustered", "build", "cluster", "compare_all"]
