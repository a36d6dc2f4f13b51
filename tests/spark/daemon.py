"""Spark's processes of Python, forked from one that has imported what their tasks need.

Processes of Spark's own daemon begin with a second of imports, and collect garbage after each task: to look at all that
was imported takes longer than most tasks, so nothing of that is looked at here. Nor are the archives on the path that
Spark adds for machines without PySpark: each process would compile what it takes from them.
"""

import gc
import sys

sys.path[:] = [path for path in sys.path if not path.endswith(".zip")]
sys.path_importer_cache.clear()

import pandas  # noqa: E402, F401
import pyspark.worker  # noqa: E402, F401
from pyspark.daemon import manager  # noqa: E402

import whorl.spark.clustering  # noqa: E402
import whorl.spark.compare  # noqa: E402
import whorl.spark.index  # noqa: E402, F401

if __name__ == "__main__":
    gc.freeze()
    manager()
