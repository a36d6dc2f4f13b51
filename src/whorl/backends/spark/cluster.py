"""``whorl.backends.spark.cluster``: a DataFrame of documents in, DataFrames of clusters out. It reads as the phases of
the local backend; between them lies Parquet, so a run that failed goes on where it stopped."""

import tempfile
import time
from dataclasses import asdict
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from whorl.backends.spark import counting, grouping, joining, measuring, sketching
from whorl.backends.spark.equals import set_aside
from whorl.backends.spark.result import Clustered, Tables
from whorl.backends.spark.stages import Stages
from whorl.clustering.result import Phase
from whorl.clustering.run import COUNT, JOIN, SKETCH, SORT
from whorl.clustering.settings import ClusterSettings
from whorl.corpus.records import Columns
from whorl.errors import InputError
from whorl.scheme import Scheme, resolve

# Settings that say how much one machine may take: Spark has its own.
_ELSEWHERE = ("memory", "workers")


def cluster(
    given: DataFrame,
    scheme: Scheme | str = "pages",
    *,
    folder: str | None = None,
    corpus: str = "",
    columns: Columns | None = None,
    edges: int = joining.EDGES,
    **settings: Any,
) -> Clustered:
    """Group the documents of a DataFrame into clusters of near-duplicates.

    ``columns`` names its columns, as for JSONL and Parquet. The stages are kept in ``folder``, which all machines must
    reach; without one, in a temporary folder of this machine, which serves ``local[…]`` alone. What is there already is
    not done again: ``corpus`` tells one DataFrame from another, and the caller answers for it. ``edges`` is how many
    pairs the driver joins by itself. The other settings are those of ``ClusterSettings``.
    """
    names = columns or Columns()
    if missing := list(names.missing(set(given.columns))):
        raise InputError(f"there is no column {' and no column '.join(missing)}; there are {', '.join(given.columns)}")
    there = [sql.col(f"`{name}`") for name in names.needed() if name in given.columns]
    told = [corpus, asdict(names)]
    return clustered(given.select(*there), sketching.table_rows(names), scheme, folder, told, edges, **settings)


def clustered(
    given: DataFrame,
    opened: sketching.Opener,
    scheme: Scheme | str,
    folder: str | None,
    corpus: Any,
    edges: int = joining.EDGES,
    **settings: Any,
) -> Clustered:
    """The same of whatever ``opened`` makes documents of."""
    asked, recipe = ClusterSettings(**settings), resolve(scheme)
    home = folder or tempfile.mkdtemp(prefix="whorl-spark-")
    run = _Run(Stages(given.sparkSession, home), recipe, asked, corpus)
    run.sketch(given, opened)
    run.pair()
    run.join(edges)
    return run.result()


class _Run:
    """The phases, and the tables that each leaves for the next."""

    def __init__(self, stages: Stages, scheme: Scheme, settings: ClusterSettings, corpus: Any) -> None:
        self._stages, self._scheme, self._settings = stages, scheme, settings
        kept = {name: value for name, value in asdict(settings).items() if name not in _ELSEWHERE}
        supers = settings.threshold if settings.super_shingles else None
        # What each stage depends on: those of one list share a fate.
        self._of_corpus = [scheme.id, corpus]
        self._of_sketches = [*self._of_corpus, settings.modulus, settings.least, supers]
        self._of_pairs = [*self._of_sketches, settings.common]
        self._of_all = [*self._of_pairs, kept]
        self._phases: dict[str, Phase] = {}

    def sketch(self, given: DataFrame, opened: sketching.Opener) -> None:
        """Phase 1: every document is read once, and becomes a sketch. What is equal to one before is set aside."""
        stage, corpus = self._stages.stage, self._of_corpus
        with _Clock(self._phases, SKETCH):
            self._written = stage("documents", corpus, lambda: sketching.documents(given, opened, self._scheme))
            self._numbered, self._count = sketching.numbered(self._written)
            self._equals = stage("equals", corpus, lambda: set_aside(self._numbered, self._count))
            self._sketches = stage("sketches", self._of_sketches, self._drawn)

    def _drawn(self) -> DataFrame:
        rest = self._numbered.where("reason is null").join(self._equals, "number", "left_anti")
        return sketching.sketches(rest, self._settings)

    def pair(self) -> None:
        """Phases 2 and 3: ⟨shingle, document⟩ grouped, ⟨document, document, count⟩."""
        stage, asked = self._stages.stage, self._settings
        with _Clock(self._phases, SORT):
            self._pieces = stage("pieces", self._of_pairs, lambda: grouping.grouped(self._sketches, asked))
        with _Clock(self._phases, COUNT):
            self._pairs = stage("pairs", self._of_pairs, lambda: counting.pairs(self._pieces, self._count))

    def join(self, edges: int) -> None:
        """Phase 4: which pairs are alike enough, and the clusters that they make."""
        stage, asked, depends = self._stages.stage, self._settings, self._of_all
        with _Clock(self._phases, JOIN):
            known = counting.rows(self._pairs) if asked.super_shingles else stage("hopeful", depends, self._hopeful)
            held = measuring.contents(self._numbered, self._sketches, asked)
            self._alike = stage("alike", depends, lambda: measuring.measured(known, held, asked))
            self._heads = stage(
                "heads",
                depends,
                lambda: joining.heads(self._alike, self._numbered, asked, self._stages, depends, edges),
            )
            if asked.closure:
                self._heads = stage("similarities", depends, lambda: self._similarities(held))

    def _hopeful(self) -> DataFrame:
        facts = measuring.known(self._sketches, grouping.common(self._pieces), self._settings)
        return measuring.hopeful(self._pairs, facts, self._count, self._settings)

    def _similarities(self, held: DataFrame) -> DataFrame:
        """In a plain component, some are no pair with the one that stands for it: those are measured now."""
        far = self._heads.where("similarity < 0")
        ends = far.select(sql.least("number", "head").alias("left"), sql.greatest("number", "head").alias("right"))
        found = measuring.measured(ends, held, self._settings, all_of=True)
        value = measuring.value(self._settings.measure)
        told = found.select(sql.col("left"), sql.col("right"), value.alias("measured"))
        ends_of = [sql.least("number", "head") == sql.col("left"), sql.greatest("number", "head") == sql.col("right")]
        joined = self._heads.join(told, ends_of, "left")
        return joined.select("number", "head", sql.coalesce("measured", "similarity").alias("similarity"))

    def result(self) -> Clustered:
        """What was found, as tables."""
        tables = Tables(
            self._scheme, self._settings.measure, self._numbered, self._equals, self._heads, self._alike,
            tuple(self._phases.values()),
        )  # fmt: skip
        wrong = self._written.where("row is null")
        return Clustered(
            documents=tables.documents(),
            pairs=tables.pairs(),
            skipped=self._numbered.where("reason is not null").select("number", "id", "reason"),
            faults=wrong.select(
                "part", sql.col("id").alias("path"), sql.col("line").alias("row"), "reason", "left_out"
            ),
            common=grouping.commons(self._pieces),
            made=tuple(self._stages.made),
            found=tuple(self._stages.found),
            _tables=tables,
        )


class _Clock:
    """Notes how long a phase took. What its processors did is Spark's to tell."""

    def __init__(self, phases: dict[str, Phase], name: str) -> None:
        self._phases, self._name = phases, name

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._phases[self._name] = Phase(self._name, time.perf_counter() - self._began, 0.0, 0, 0)
