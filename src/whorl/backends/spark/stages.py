"""What each stage leaves: Parquet in a folder that every machine reaches. A stage that is whole is not repeated.

The name of a stage's folder tells all that it depends on, so other settings find what they can share and nothing else.
Spark writes ``_SUCCESS`` when the last part is there; without it, it is what a failed run left, and is replaced.
"""

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from pyspark.sql import DataFrame, SparkSession

DONE = "_SUCCESS"


class Stages:
    """The folder of a run. ``made`` and ``found`` list the stages that this run did, and those that it found done."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder = spark, folder.rstrip("/")
        self.made: list[str] = []
        self.found: list[str] = []

    def stage(self, name: str, depends: Any, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of a stage: read if it is there, else made and written first."""
        path = self.path(name, depends)
        if self.is_done(path):
            self.found.append(name)
        else:
            # What Spark's own pages and logs call it.
            self.spark.sparkContext.setJobDescription(f"whorl: {name}")
            make().write.mode("overwrite").parquet(path)
            self.spark.sparkContext.setJobDescription(None)
            self.made.append(name)
        return self.spark.read.parquet(path)

    def path(self, name: str, depends: Any) -> str:
        """The folder of a stage. What it depends on must be JSON."""
        told = json.dumps(depends, sort_keys=True)
        return f"{self.folder}/{name}-{blake2b(told.encode(), digest_size=6).hexdigest()}"

    def is_done(self, path: str) -> bool:
        """Whether a stage is there in whole, on whatever file system the path names."""
        return bool(self._system(path).exists(self._path(f"{path}/{DONE}")))

    def remove(self, path: str) -> None:
        """Remove a folder, if it is there."""
        self._system(path).delete(self._path(path), True)

    def _path(self, path: str) -> Any:
        return self.spark._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())
