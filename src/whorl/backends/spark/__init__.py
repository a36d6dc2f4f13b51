"""Clustering on Spark: ``cluster`` takes a DataFrame and gives DataFrames. Needs ``whorl[spark]`` and Java 17."""

from whorl.backends.spark.cluster import cluster
from whorl.backends.spark.result import Clustered

__all__ = ["Clustered", "cluster"]
