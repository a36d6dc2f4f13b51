"""Clustering on Spark on this machine: time, memory, bytes shuffled, and how evenly the tasks of the join are loaded.

python -m benchmarks.spark [--documents 200000 …] [--master local[2] | --cluster]
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet
from tests.spark.standalone import Standalone

from benchmarks.processes import cost
from whorl.formats.corpora.records import Columns

# The documents: shingles each; sizes of planted clusters; how many shingles of a copy are its own. For every ``COMMON``
# documents one shingle is above the cut, and each document has ``EACH`` of those; for every ``UNDER`` one just below.
SHINGLES, SIZES, OWN = 40, (2, 50), 6
COMMON, EACH = 1_000, 2
UNDER = 10_000

# Seconds between two looks at the memory of Java's gigabytes.
PAUSE = 0.5

# Memory of each worker of a cluster.
MEMORY = "1500m"

# A spread of times says nothing of tasks that took less than this: starting them took longer.
LEAST_MS = 200


def drawn(count: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The shingles of each document, and its cluster: half of the documents are alone, half in planted clusters."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(SIZES[0], SIZES[1] + 1, count // 2)
    sizes = sizes[np.cumsum(sizes) <= count // 2]
    labels = np.concatenate(
        [np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes), len(sizes) + count - sizes.sum())]
    )
    bases = chance.integers(1, 1 << 62, (labels[-1] + 1, SHINGLES))
    found = bases[labels]
    rows = np.repeat(np.arange(count), OWN)
    found[rows, chance.integers(0, SHINGLES, len(rows))] = chance.integers(1, 1 << 62, len(rows))
    found[:, :EACH] = chance.integers(0, max(1, count // COMMON), (count, EACH))
    for number in range(max(1, count // UNDER)):
        found[chance.choice(count, min(count, 950), replace=False), EACH] = (1 << 62) + number
    order = chance.permutation(count)
    return found[order], labels[order]


def written(count: int, folder: Path, parts: int = 4) -> NDArray[np.int64]:
    """Return the documents as Parquet in a folder; their clusters."""
    shingles, labels = drawn(count)
    folder.mkdir()
    for number, places in enumerate(np.array_split(np.arange(count), parts)):
        table = pa.table({"id": [f"{place:08}" for place in places], "features": list(shingles[places])})
        parquet.write_table(table, folder / f"{number}.parquet")
    return labels


def steps_of(log: Path) -> dict[str, Any]:
    """Bytes shuffled by each step; and of its stages with several long tasks the widest spread: how many tasks, the
    median of their milliseconds, and the longest."""
    names, shuffled = dict[int, str](), defaultdict[str, int](int)
    times = defaultdict[int, list[int]](list)
    for line in log.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageSubmitted":
            name = (event.get("Properties") or {}).get("spark.job.description") or "the rest"
            names[event["Stage Info"]["Stage ID"]] = name.removeprefix("whorl: ")
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            info, metrics = event["Task Info"], event["Task Metrics"]
            shuffled[names[event["Stage ID"]]] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            times[event["Stage ID"]].append(info["Finish Time"] - info["Launch Time"])
    spreads = dict[str, tuple[int, int, int]]()
    for stage, spent in times.items():
        seen = (len(spent), int(np.median(spent)), max(spent))
        if len(spent) > 1 and seen[1] >= LEAST_MS:
            old = spreads.get(names[stage], seen)
            spreads[names[stage]] = max(old, seen, key=lambda each: each[2] / each[1])
    return {"shuffled": sum(shuffled.values()), "by step": dict(shuffled), "spreads": spreads}


def clustered(home: Path, master: str, partitions: int) -> dict[str, Any]:
    """One run, from the start of Spark to the result on the driver."""
    from whorl.spark import cluster
    from whorl.spark.stages import session

    logged = {"enabled": "true", "dir": (home / "log").as_uri(), "rolling.enabled": "false", "compress": "false"}
    spark = session(
        master,
        {
            **{f"spark.eventLog.{name}": value for name, value in logged.items()},
            "spark.sql.shuffle.partitions": str(partitions),
            "spark.driver.memory": "1500m",
            "spark.executor.memory": "1000m",
            "spark.local.dir": str(home),
        },
    )
    given = spark.read.parquet(str(home / "corpus"))
    found = cluster(given, folder=str(home / "stages"), columns=Columns(features="features")).collected()
    spark.stop()
    planted = np.load(home / "labels.npy")[[int(name or 0) for name in found.ids]]
    both = np.unique(np.column_stack([found.cluster, planted]), axis=0)
    return {
        "pairs": len(found.pairs),
        "common": found.common,
        "clusters": len(np.unique(found.cluster)),
        "planted": len(np.unique(planted)),
        "clusters with planted ones mixed": len(both) - len(np.unique(found.cluster)),
        "phases": {phase.name: round(phase.seconds, 1) for phase in found.phases},
        **steps_of(next(path for path in (home / "log").rglob("*") if path.is_file() and path.name[0] != ".")),
    }


def measured(count: int, given: argparse.Namespace) -> dict[str, Any]:
    """One size, in a process of its own, whose memory is looked at with that of all that it starts."""
    with tempfile.TemporaryDirectory(prefix="whorl-spark-") as folder:
        home = Path(folder)
        (home / "log").mkdir()
        np.save(home / "labels.npy", written(count, home / "corpus"))
        settings = ["--master", given.master, "--partitions", str(given.partitions), "--within", str(home)]
        settings += ["--cluster"] if given.cluster else []
        spent = cost([sys.executable, "-m", "benchmarks.spark", *settings], pause=PAUSE)
        found = json.loads((home / "answers.json").read_text("utf-8"))
    each = {"shuffled bytes a document": round(found["shuffled"] / count)}
    costs = {"wall": round(spent.wall, 1), "cpu": round(spent.cpu, 1), "memory": spent.memory}
    return {"documents": count, **costs, **each, **found}


def main() -> None:
    """Measure and print, a size after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[200_000])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--cluster", action="store_true", help="a master and two workers, as processes of this machine")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.within:
        with started(asked) as master:
            found = clustered(asked.within, master, asked.partitions)
        (asked.within / "answers.json").write_text(json.dumps(found), "utf-8")
        return
    for count in asked.documents:
        found = measured(count, asked)
        print(json.dumps(found), flush=True)
        print(f"{count:,} documents: {found['wall']} s, {found['cpu']} CPU seconds, {found['memory'] / 1e9:.2f} GB")


@contextmanager
def started(asked: argparse.Namespace) -> Iterator[str]:
    """The master to ask: the one that was named, or that of a cluster which is stopped behind."""
    if not asked.cluster:
        yield asked.master
        return
    with tempfile.TemporaryDirectory(prefix="whorl-cluster-") as folder:
        made = Standalone(Path(folder), os.pathsep.join(path for path in sys.path if path), MEMORY)
        try:
            made.start()
            yield made.master
        finally:
            made.stop()


if __name__ == "__main__":
    main()
