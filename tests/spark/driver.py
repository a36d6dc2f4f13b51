"""A driver in a process of its own: python -m tests.spark.driver MASTER FOLDER STAGE PROCESS.

When the stage is done, a process and its children end; 0 is the driver itself. What is printed is JSON: the stages that
were made and found, and the documents with their clusters.
"""

import json
import os
import sys
from typing import Any

import pyarrow as pa

from tests.conformance.backend import SCHEME, corpus
from tests.spark.standalone import QUICK, fail
from whorl.spark import cluster
from whorl.spark.stages import Stages, session

ROOM = {"spark.driver.memory": "512m", "spark.executor.memory": "512m"}
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def main(master: str, folder: str, last: str, process: str) -> None:
    """Cluster the corpus of the suite, in two parts."""
    whole = Stages.stage

    def stage(self: Stages, name: str, *arguments: Any) -> Any:
        table = whole(self, name, *arguments)
        if name == last:
            fail(int(process) or os.getpid())
        return table

    Stages.stage = stage  # type: ignore[method-assign, assignment]
    spark = session(master, {**QUICK, **ROOM, **LOOPBACK})
    given = spark.createDataFrame(pa.Table.from_pylist(corpus(5)))
    found = cluster(given, SCHEME, folder=folder, corpus="suite", common=9)
    members = [[one.id, one.cluster, one.similarity, one.kind] for one in found.collected().members]
    print(json.dumps({"made": found.computed, "found": found.reused, "members": members}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
