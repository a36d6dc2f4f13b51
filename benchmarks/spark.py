"""Clustering on Spark on this machine: time, memory, bytes shuffled, and how evenly the tasks of the join are loaded.

python -m benchmarks.spark [--documents 200000] [--master local[2]]
"""

import argparse
import json
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from whorl.corpus.records import Columns

# The documents: shingles each; sizes of planted clusters; how many shingles of a copy are its own; shingles that more
# documents than the cut have, how many each document has of them, and one just under the cut for every ``UNDER``.
SHINGLES, SIZES, OWN = 40, (2, 50), 6
COMMON, EACH = 200, 2
UNDER = 10_000

# Between two looks at the memory.
OFTEN = 0.2

# A spread of times says nothing of tasks that took less than this: starting them took longer.
LEAST_MS = 200


def drawn(count: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The shingles of each document, and its cluster: half of the documents are alone, half in planted clusters."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(SIZES[0], SIZES[1] + 1, count // 2)
    sizes = sizes[np.cumsum(sizes) <= count // 2]
    labels = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes), len(sizes) + count - sizes.sum())])
    bases = chance.integers(1, 1 << 62, (labels[-1] + 1, SHINGLES))
    found = bases[labels]
    rows = np.repeat(np.arange(count), OWN)
    found[rows, chance.integers(0, SHINGLES, len(rows))] = chance.integers(1, 1 << 62, len(rows))
    found[:, :EACH] = chance.integers(0, COMMON, (count, EACH))
    for number in range(max(1, count // UNDER)):
        found[chance.choice(count, min(count, 950), replace=False), EACH] = (1 << 62) + number
    order = chance.permutation(count)
    return found[order], labels[order]


def written(count: int, folder: Path, parts: int = 4) -> NDArray[np.int64]:
    """The documents as Parquet in a folder; their clusters."""
    shingles, labels = drawn(count)
    folder.mkdir()
    for number, places in enumerate(np.array_split(np.arange(count), parts)):
        table = pa.table({"id": [f"{place:08}" for place in places], "features": list(shingles[places])})
        parquet.write_table(table, folder / f"{number}.parquet")
    return labels


class Memory:
    """The largest sum of the memory of a process and all that it started, sampled."""

    def __init__(self) -> None:
        self.peak, self._end = 0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        import os

        while not self._end.wait(OFTEN):
            self.peak = max(self.peak, sum(_resident(process) for process in _family(os.getpid())))


def _family(process: int) -> Iterator[int]:
    yield process
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text("ascii").split():
                yield from _family(int(child))
    except OSError:
        return  # it ended meanwhile


def _resident(process: int) -> int:
    """Without what it shares with others that were forked from it."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0  # it ended meanwhile
    values = {line.split(":")[0]: line.split(":")[1] for line in lines if ":" in line}
    return 1024 * int(values.get("RssAnon", values.get("VmRSS", "0 kB")).split()[0])


def told(log: Path) -> dict[str, Any]:
    """Bytes shuffled, and of the stages with several long tasks the spread: the longest by the median."""
    shuffled, times = 0, defaultdict[int, list[int]](list)
    for line in log.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            info, metrics = event["Task Info"], event["Task Metrics"]
            shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            times[event["Stage ID"]].append(info["Finish Time"] - info["Launch Time"])
    spreads = {
        stage: (len(spent), int(np.median(spent)), max(spent))
        for stage, spent in times.items()
        if len(spent) > 1 and np.median(spent) >= LEAST_MS
    }
    return {"shuffled": shuffled, "spreads": spreads}


def measure(count: int, master: str, partitions: int) -> dict[str, Any]:
    """One run, from the DataFrame to the counted result."""
    from whorl.backends.spark import cluster
    from whorl.backends.spark.session import session

    with tempfile.TemporaryDirectory(prefix="whorl-bench-") as home:
        labels = written(count, Path(home) / "corpus")
        log = Path(home) / "log"
        log.mkdir()
        began = time.perf_counter()
        with Memory() as memory:
            spark = session(master, {
                "spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri(), "spark.eventLog.rolling.enabled": "false",
                "spark.eventLog.compress": "false", "spark.sql.shuffle.partitions": str(partitions), "spark.driver.memory": "2g",
                "spark.local.dir": home, "spark.sql.files.maxPartitionBytes": "16m",
            })  # fmt: skip
            started = time.perf_counter()
            given = spark.read.parquet(str(Path(home) / "corpus"))
            found = cluster(given, folder=f"{home}/stages", columns=Columns(features="features"))
            clustered = found.collected()
            ended = time.perf_counter()
            spark.stop()
        numbers = np.array([int(name or 0) for name in clustered.ids])
        _, planted = np.unique(labels[numbers], return_inverse=True)
        joined = len(np.unique(clustered.cluster))
        return {
            "documents": count,
            "start": started - began,
            "wall": ended - began,
            "peak": memory.peak,
            "pairs": len(clustered.pairs),
            "common": clustered.common,
            "clusters": joined,
            "planted": int(planted.max()) + 1,
            "mixed": int(len(np.unique(np.column_stack([clustered.cluster, planted]), axis=0)) - joined),
            "phases": {phase.name: round(phase.seconds, 1) for phase in clustered.phases},
            **told(next(path for path in log.rglob("*") if path.is_file() and not path.name.startswith("."))),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--partitions", type=int, default=16)
    asked = parser.parse_args()
    result = measure(asked.documents, asked.master, asked.partitions)
    print(json.dumps(result, indent=1, default=str))
    print(f"{result['wall']:.0f} s, {result['peak'] / 1e9:.1f} GB, "
          f"{result['shuffled'] / result['documents']:.0f} bytes shuffled a document")  # fmt: skip


if __name__ == "__main__":
    main()
