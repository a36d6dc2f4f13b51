"""Clusterings of a corpus that are killed."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.killing import lived
from whorl.corpus_clustering import cluster_corpus

# What each process would import otherwise.
IMPORTED = ("pyarrow.parquet", "whorl.report.clusters")


def kill_runs(corpus: Path, out: Path, pauses: Sequence[float]) -> int:
    """Cluster a corpus in one process after the other, each killed after so many seconds. Return how many were."""
    for name in IMPORTED:
        import_module(name)
    return sum(lived(lambda _: cluster_corpus(corpus, out), after=pause)[0] for pause in pauses)
