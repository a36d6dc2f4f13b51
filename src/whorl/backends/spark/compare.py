"""``whorl.backends.spark.compare_all``: a class compared on Spark. It reads as ``whorl.comparison.compare_all``, whose
steps they are: reading, looking fingerprints up, looking closely at the best pairs. What comes out is the same."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from whorl.backends.spark import passages, scoring, submissions
from whorl.backends.spark.sharing import shares
from whorl.backends.spark.stages import Stages
from whorl.comparison.clusters import Links
from whorl.comparison.compare_all import Comparing, paths_of
from whorl.comparison.evidence.finding import Written
from whorl.comparison.evidence.submissions import written
from whorl.comparison.intake import Entry, Intake, Reader
from whorl.comparison.result import Comparison, Pair, Submission
from whorl.comparison.roster import read_roster
from whorl.comparison.scores import Best, Scores
from whorl.comparison.settings import Settings
from whorl.comparison.shelf import Shelf
from whorl.model import Skipped
from whorl.scheme import Scheme


def compare_all(
    spark: SparkSession,
    paths: Path | str | Iterable[Path | str],
    scheme: Scheme | str | None = None,
    *,
    base: Path | str | Iterable[Path | str] = (),
    archive: Path | str | Iterable[Path | str] = (),
    roster: Path | str | None = None,
    folder: str | None = None,
    ready: Callable[[], object] = lambda: None,
    **settings: Any,
) -> Comparison:
    """Compare all submissions with each other, as ``whorl.compare_all`` does, on the machines of a session.

    All of them must reach the paths and ``folder``, where the stages are kept; without one, that is a temporary folder
    of this machine, which serves ``local[…]`` alone. ``ready`` is called in every task that reads.
    """
    home = folder or tempfile.mkdtemp(prefix="whorl-spark-")
    return _OnSpark(Stages(spark, home), ready, scheme, Settings(**settings)).run(
        paths_of(paths), paths_of(base), paths_of(archive), {} if roster is None else read_roster(Path(roster))
    )


class _OnSpark(Comparing):
    def __init__(
        self, stages: Stages, ready: Callable[[], object], scheme: Scheme | str | None, settings: Settings
    ) -> None:
        super().__init__(scheme, settings)
        self._stages, self._ready = stages, ready
        self._read: DataFrame

    def _taken(
        self, reader: Reader, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path]
    ) -> tuple[list[Entry], list[Skipped]]:
        """The driver reads the base; each task reads its submissions, and all are told what is in the base."""
        intake = Intake(reader, Shelf(), lambda _: None)
        intake.sanction(base)
        self._base = intake.base
        sources = [(path, False) for path in paths] + [(path, True) for path in archive]
        cores = self._stages.spark.sparkContext.defaultParallelism
        dealt = shares([path for path, _ in sources], reader.rules, cores, by_child=True)
        self._read = submissions.read(self._stages, reader, sources, dealt, intake.sanctions, self._ready)
        entries, skipped = submissions.told(self._read, sources, dealt)
        return entries, intake.skipped + skipped

    def _ranked(self, entries: Sequence[Entry]) -> tuple[Best, Links]:
        return scoring.ranked(self._read, entries, self._settings)

    def _pairs(self, ranked: Scores, entries: Sequence[Entry], scheme: Scheme) -> Iterable[Pair]:
        self._text = passages.Texts(self._read, entries)
        return passages.pairs(self._read, ranked, entries, scheme, self._settings)

    def _written(self, submissions: Sequence[Submission], entries: Sequence[Entry]) -> Iterable[Written]:
        text = passages.TextsInOrder(self._read, entries)
        return written(submissions, text, lambda number, file: entries[number].unseen[file])
