"""``whorl.spark.cluster`` clusters a DataFrame or the files of a corpus. Every phase leaves Parquet, to resume from."""

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from whorl.clustering import ClusterSettings
from whorl.clustering.cluster import COUNT, JOIN, SKETCH, SORT
from whorl.clustering.joining import Measured
from whorl.clustering.reading import REVISION, base_shingles
from whorl.clustering.records import TextColumn, item_of, items_of, packed
from whorl.clustering.result import CONTAINED, KINDS, NEAR, UNIQUE, Clustering, PhaseCost
from whorl.clustering.sketching import Boilerplate
from whorl.errors import InputError
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.read import prefixes, read_sheets
from whorl.formats.corpora.records import Columns, Fault, checked_columns
from whorl.model import Hashes, Skipped
from whorl.scheme import Scheme, resolve
from whorl.spark import counting, joining, sketching
from whorl.spark.sketching import Opener, Read, set_aside
from whorl.spark.stages import PARCELS, Stages, check_apart, hashes, numbers


@dataclass(frozen=True)
class Clustered:
    """The tables of a clustering.

    ``documents`` and ``pairs`` have the columns of the files of ``whorl cluster``; ``documents`` also has the
    ``number`` of each. ``skipped`` are the unreadable documents and ``faults`` the rows without one, both with the
    reason. ``computed`` and ``reused`` name the stages of this run and those that existed already.
    """

    documents: DataFrame
    pairs: DataFrame
    skipped: DataFrame
    faults: DataFrame
    common: int
    boilerplate: int
    computed: tuple[str, ...]
    reused: tuple[str, ...]
    _tables: "Tables"

    def collected(self) -> Clustering:
        """Collect everything on the driver: about 500 bytes a document and 40 a pair."""
        return _collected(self._tables, self.common, self.boilerplate)

    def all_faults(self) -> list[Fault]:
        """Return every row that gives no document, in the order of the corpus."""
        rows = sorted(self.faults.collect(), key=lambda row: (row["part"], row["place"], row["row"]))
        return [Fault(*fields) for _, _, *fields in rows]


@dataclass(frozen=True)
class Tables:
    """The tables of the stages, by document number: all documents, those set aside, heads, and pairs."""

    scheme: Scheme
    measure: str
    numbered: DataFrame
    equals: DataFrame
    heads: DataFrame
    alike: DataFrame
    phases: tuple[PhaseCost, ...] = ()

    def members(self) -> DataFrame:
        """Return every document with its cluster. Documents set aside rejoin their representative."""
        aside = self.equals.select("number", sql.col("stands").alias("aside"), sql.col("kind").alias("equal"))
        heads = self.heads.select(sql.col("number").alias("stands"), "head", sql.col("similarity").alias("near"))
        number = sql.col("number")
        kind = sql.when(sql.col("cluster") == number, UNIQUE)
        kind = kind.when(sql.col("cluster") != sql.col("stands"), NEAR if self.measure == "resemblance" else CONTAINED)
        return (
            self.numbered.select("number", "id", "url", "date", "reason", "size", "length", "shingles")
            .join(aside, "number", "left")
            .withColumn("stands", sql.coalesce("aside", "number"))
            .join(heads, "stands", "left")
            .withColumn("cluster", sql.coalesce("head", "stands"))
            .withColumn("similarity", sql.coalesce("near", sql.lit(1.0)))
            .withColumn("kind", kind.otherwise(sql.coalesce("equal", sql.lit(UNIQUE))))
            .withColumn("equal", sql.coalesce("equal", sql.lit(UNIQUE)))
            .drop("near", "head")
        )

    def documents(self) -> DataFrame:
        """Return the table of documents that ``whorl cluster`` writes."""
        ids = self.numbered.select(sql.col("number").alias("cluster"), sql.col("id").alias("representative"))
        names = sql.array(*map(sql.lit, KINDS))
        kind = sql.element_at(names, sql.col("kind") + 1).alias("kind")
        there = self.members().where("reason is null").join(ids, "cluster")
        return there.select("number", "id", "cluster", "representative", "similarity", kind, "url", "date")

    def pairs(self) -> DataFrame:
        """Return the table of pairs that ``whorl cluster`` writes."""
        named = self.alike
        for side in ("left", "right"):
            ids = self.numbered.select(sql.col("number").alias(side), sql.col("id").alias(f"{side}_id"))
            named = named.join(ids, side)
        shared, one, two = sql.col("shared"), sql.col("left_size"), sql.col("right_size")
        return named.select(
            sql.col("left_id").alias("left"),
            sql.col("right_id").alias("right"),
            (shared / (one + two - shared)).alias("resemblance"),
            (shared / one).alias("left_in_right"),
            (shared / two).alias("right_in_left"),
            _rounded(shared).alias("shared"),
        )


def _rounded(column: Column) -> Column:
    """Round half to even, as NumPy does."""
    return sql.rint(column).cast("long")


def _collected(tables: Tables, common: int, boilerplate: int) -> Clustering:
    members = tables.members().toArrow().sort_by("number")
    is_there = numbers(members["reason"].is_null())
    texts = {name: _texts(members[name]) for name in ("id", "url", "date", "reason")}
    went_on = is_there & members["aside"].is_null().to_numpy()
    return Clustering(
        scheme=tables.scheme,
        ids=texts["id"],
        urls=texts["url"],
        dates=texts["date"],
        cluster=numbers(members["cluster"]),
        similarity=numbers(members["similarity"]),
        kind=numbers(members["kind"]).astype(np.uint8),
        is_there=is_there,
        original=numbers(members["stands"]),
        equal_kind=numbers(members["equal"]).astype(np.uint8),
        sizes=numbers(members["size"]),
        lengths=numbers(members["length"]),
        pairs=_pairs(tables.alike),
        common=common,
        boilerplate=boilerplate,
        shingles=int(numbers(members["shingles"])[went_on].sum()),
        skipped=tuple(
            Skipped(texts["id"][number] or "", texts["reason"][number] or "")
            for number in np.flatnonzero(~is_there).tolist()
        ),
        phases=tables.phases,
    )


def _pairs(alike: DataFrame) -> Measured:
    pairs = alike.toArrow().sort_by([("left", "ascending"), ("right", "ascending")])
    left, right = (numbers(pairs[side]).astype(np.int32) for side in ("left", "right"))
    return Measured(left, right, *(numbers(pairs[name]) for name in ("shared", "left_size", "right_size")))


def _texts(column: Any) -> TextColumn:
    lengths, data = packed(column.cast(pa.string()).to_pylist())
    return TextColumn(np.frombuffer(data, np.uint8), lengths.astype(np.int32))


# Settings for one machine; Spark has its own.
_ELSEWHERE = ("memory", "workers")


def cluster(
    documents: DataFrame,
    scheme: Scheme | str = "pages",
    *,
    folder: str | None = None,
    corpus: str = "",
    columns: Columns | None = None,
    base: Iterable[Any] = (),
    edges: int = joining.EDGES,
    **settings: Any,
) -> Clustered:
    """Group the documents of a DataFrame into clusters of near-duplicates.

    ``columns`` names its columns, as for JSONL and Parquet. The stages are stored in ``folder``, which all machines
    must reach; the default is a temporary folder of this machine, for ``local[…]`` only. Stages that exist are not
    repeated: the caller must give every DataFrame another ``corpus``. Text that is also in a document of ``base`` does
    not count. ``edges`` is how many pairs the driver joins by itself. The other settings are those of
    ``ClusterSettings``.
    """
    if not isinstance(documents, DataFrame):
        raise InputError(f"documents: {type(documents).__name__} is no DataFrame of Spark; whorl.cluster takes lists")
    names = checked_columns(columns or Columns())
    if missing := list(names.missing(set(documents.columns))):
        raise InputError(
            f"there is no column {' and no column '.join(missing)}; there are {', '.join(documents.columns)}"
        )
    there = [sql.col(f"`{name}`") for name in names.needed() if name in documents.columns]
    identity, recipe = [corpus, asdict(names)], resolve(scheme)
    left_out = base_shingles(items_of(base, names, name="base"), recipe)
    rows = documents.select(*there)
    return clustered(rows, sketching.table_rows(names), recipe, folder, identity, edges, left_out, **settings)


def clustered(
    documents: DataFrame,
    opened: sketching.Opener,
    scheme: Scheme | str,
    folder: str | None,
    corpus: Any,
    edges: int = joining.EDGES,
    base: Hashes | None = None,
    **settings: Any,
) -> Clustered:
    """Cluster the documents that ``opened`` makes of the rows. The shingles of ``base`` do not count."""
    chosen, recipe = ClusterSettings.of(settings), resolve(scheme)
    home = folder or tempfile.mkdtemp(prefix="whorl-spark-")
    left_out = np.empty(0, np.uint64) if base is None else base
    run = _Run(Stages(documents.sparkSession, home), recipe, chosen, corpus, left_out)
    run.sketch(documents, opened)
    run.pair()
    run.join(edges)
    return run.result()


class _Run:
    """The phases, and the tables that each leaves for the next."""

    def __init__(self, stages: Stages, scheme: Scheme, settings: ClusterSettings, corpus: Any, base: Hashes) -> None:
        self._stages, self._scheme, self._settings, self._base = stages, scheme, settings, base
        relevant = {name: value for name, value in asdict(settings).items() if name not in _ELSEWHERE}
        supers = settings.threshold if settings.super_shingles else None
        left_out = [settings.boilerplate, sha256(base.tobytes()).hexdigest()]
        # The settings that each stage depends on.
        self._of_corpus = [scheme.id, corpus, REVISION]
        self._of_sketches = [*self._of_corpus, settings.modulus, settings.least, supers, left_out]
        self._of_pairs = [*self._of_sketches, settings.common]
        self._of_all = [*self._of_pairs, relevant]
        # Which pairs are alike does not depend on how they are joined.
        self._of_alike = [*self._of_pairs, {**relevant, "closure": None}]
        self._phases: dict[str, PhaseCost] = {}

    def sketch(self, documents: DataFrame, opened: sketching.Opener) -> None:
        """Phase 1: read every document once and sketch it. Set aside those that equal an earlier one."""
        stage, corpus = self._stages.stage, self._of_corpus
        with _Clock(self._phases, SKETCH):
            self._written = stage(
                "documents", sketching.DOCUMENTS, corpus, lambda: sketching.documents(documents, opened, self._scheme)
            )
            self._numbered, self._count = sketching.numbered(self._written)
            self._equals = stage("equals", sketching.EQUALS, corpus, lambda: set_aside(self._numbered, self._count))
            rest = self._numbered.where("reason is null").join(self._equals, "number", "left_anti")
            self._boilerplate = Boilerplate(self._base, self._frequent(rest))
            self._counting = sketching.counting(self._numbered.where("reason is null"), self._boilerplate)
            chosen = sketching.counting(rest, self._boilerplate)
            self._sketches = stage(
                "sketches", sketching.SKETCHES, self._of_sketches, lambda: sketching.sketches(chosen, self._settings)
            )

    def _frequent(self, rest: DataFrame) -> Hashes:
        """Return the shingles in so many documents that they do not count; none without counting if there are few
        documents."""
        if self._count <= self._settings.most_documents(self._count):
            return np.empty(0, np.uint64)
        most = self._settings.most_documents(rest.count())
        depends = [*self._of_corpus, most]
        table = self._stages.stage("frequent", "hash long", depends, lambda: sketching.frequent(rest, most))
        return np.sort(hashes(table.toArrow()["hash"]))

    def pair(self) -> None:
        """Phases 2 and 3: group ⟨shingle, document⟩, expand to ⟨document, document, count⟩."""
        stage, settings, depends = self._stages.stage, self._settings, self._of_pairs
        with _Clock(self._phases, SORT):
            self._pieces = stage("pieces", counting.PIECES, depends, lambda: counting.grouped(self._sketches, settings))
        with _Clock(self._phases, COUNT):
            self._pairs = stage("pairs", PARCELS, depends, lambda: counting.pairs(self._pieces, self._count))

    def join(self, edges: int) -> None:
        """Phase 4: verify the candidate pairs and join them to clusters."""
        stage, settings, alike, depends = self._stages.stage, self._settings, self._of_alike, self._of_all
        with _Clock(self._phases, JOIN):
            if settings.super_shingles:
                known = counting.rows(self._pairs)
            else:
                known = stage("hopeful", joining.HOPEFUL, alike, self._hopeful)
            contents = joining.contents(self._counting, self._sketches, settings)
            self._alike = stage("alike", joining.MEASURED, alike, lambda: joining.measured(known, contents, settings))
            self._heads = stage(
                "heads",
                joining.HEADS,
                depends,
                lambda: joining.heads(self._alike, self._numbered, settings, self._stages, alike, edges),
            )
            if settings.closure:
                self._heads = stage("similarities", joining.HEADS, depends, lambda: self._similarities(contents))

    def _hopeful(self) -> DataFrame:
        facts = joining.known(self._sketches, counting.common(self._pieces), self._settings)
        return joining.hopeful(self._pairs, facts, self._count, self._settings)

    def _similarities(self, contents: DataFrame) -> DataFrame:
        """Measure the documents of plain components that are no pair with their head."""
        far = self._heads.where("similarity < 0")
        ends = far.select(sql.least("number", "head").alias("left"), sql.greatest("number", "head").alias("right"))
        measured = joining.measured(ends, contents, self._settings, all_of=True)
        value = joining.value(self._settings.measure)
        similarities = measured.select(sql.col("left"), sql.col("right"), value.alias("measured"))
        ends_of = [sql.least("number", "head") == sql.col("left"), sql.greatest("number", "head") == sql.col("right")]
        joined = self._heads.join(similarities, ends_of, "left")
        return joined.select("number", "head", sql.coalesce("measured", "similarity").alias("similarity"))

    def result(self) -> Clustered:
        """Return the tables of the result."""
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
                "part",
                sql.col("size").alias("place"),
                sql.col("id").alias("path"),
                sql.col("line").alias("row"),
                "reason",
                "left_out",
            ),
            common=counting.commons(self._pieces),
            boilerplate=len(self._boilerplate.frequent),
            computed=tuple(self._stages.computed),
            reused=tuple(self._stages.reused),
            _tables=tables,
        )


class _Clock:
    """Note the wall time of a phase. Spark itself reports processor time."""

    def __init__(self, phases: dict[str, PhaseCost], name: str) -> None:
        self._phases, self._name = phases, name

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._phases[self._name] = PhaseCost(self._name, time.perf_counter() - self._began, 0.0, 0, 0)


def cluster_files(
    spark: SparkSession,
    paths: Sequence[Path],
    columns: Columns,
    rules: Rules,
    scheme: Scheme,
    folder: Path,
    corpus: str,
    settings: ClusterSettings,
    base: Hashes | None = None,
) -> tuple[Clustering, list[Fault]]:
    """Cluster all documents of the paths; return the clustering and the faults."""
    if not paths:
        raise InputError("name the documents, too: Spark finds by their names what is done already")
    named = [path.resolve() for path in paths]
    check_apart(paths)
    for path in named:
        read_sheets(path, columns, rules)  # refuses a path or a column before any work
    each = spark.range(0, len(named), 1, len(named))
    opener = _opener(named, columns, rules)
    result = clustered(each, opener, scheme, str(folder.resolve()), corpus, base=base, **asdict(settings))
    return result.collected(), result.all_faults()


def _opener(paths: Sequence[Path], columns: Columns, rules: Rules) -> Opener:
    names = prefixes(paths, columns, rules)

    def opened(part: int, coming: Iterable[Any]) -> Iterator[Read]:
        for batch in coming:
            for number in batch.column(0).to_pylist():
                for item in read_sheets(paths[number], columns, rules, prefix=names[number]):
                    if isinstance(item, Fault):
                        yield replace(item, path=names[number] + item.path)
                    else:
                        yield item if isinstance(item, Sheet) else item_of(item)

    return opened
