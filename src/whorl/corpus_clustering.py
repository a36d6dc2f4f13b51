"""``whorl.cluster_corpus``: cluster the files of a corpus into a folder of tables, resuming what an earlier run left.

The phases themselves are in ``whorl.clustering`` and ``whorl.spark``.
"""

import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from whorl.clustering import ClusterSettings
from whorl.clustering.cluster import SKETCH, ClusteringRun, Progress
from whorl.clustering.evidence import ClusterEvidence, ShownText, TextReader, read_shown
from whorl.clustering.joining import Measured
from whorl.clustering.output import STAGES, check, check_keep, check_strict, replacing, write, write_pairs
from whorl.clustering.reading import base_shingles
from whorl.clustering.records import Item, TextColumn, item_of
from whorl.clustering.result import Clustering
from whorl.clustering.store import RunStore, clear
from whorl.errors import DocumentError, InputError
from whorl.formats.archives.names import RefusedFileError
from whorl.formats.archives.rules import DEFAULT as DEFAULT_RULES
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.parquet import check_arrow
from whorl.formats.corpora.read import described, prefixes, read_chosen, read_sheets, size, source_name
from whorl.formats.corpora.records import DEFAULT as DEFAULT_COLUMNS
from whorl.formats.corpora.records import Columns, CorpusRecord, DigestSet, Fault
from whorl.formats.corpora.remote import fetching
from whorl.model import Document, Hashes, Skipped
from whorl.scheme import Scheme, resolve
from whorl.threads import Answer, Threads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The subfolder with the results of the phases. A later run resumes from it, or reuses it for another threshold.
PHASES = "phases"


@dataclass(frozen=True, slots=True)
class CorpusClustering:
    """The clustering of a corpus in ``folder``, with the content of its summary.json.

    ``faults`` are the rows and files that gave no document, ``skipped`` the documents that could not be read. Open the
    tables with ``whorl.clustering.query.Clusters``.
    """

    folder: Path
    summary: dict[str, Any]
    faults: tuple[Fault, ...]
    skipped: tuple[Skipped, ...]

    @property
    def is_complete(self) -> bool:
        """Whether there are documents and everything could be read. Rows without a text and files that the rules leave
        out do not count."""
        return bool(self.summary["documents"]) and not self.skipped and all(fault.left_out for fault in self.faults)

    def left_out(self) -> list[dict[str, Any]]:
        """Return file, row and reason of everything that was not clustered."""
        return _left_out(self.faults, self.skipped)


@fetching("paths", "base")
def cluster_corpus(
    paths: Path | str | Iterable[Path | str],
    out: Path | str,
    scheme: Scheme | str = "pages",
    *,
    columns: Columns = DEFAULT_COLUMNS,
    rules: Rules = DEFAULT_RULES,
    base: Iterable[Path | str] = (),
    keep: str = "representative",
    strict: bool = False,
    fresh: bool = False,
    discard: bool = False,
    spark: "SparkSession | None" = None,
    progress: Progress | None = None,
    **settings: Any,
) -> CorpusClustering:
    """Cluster folders, archives and tables (JSONL, JSON arrays, CSV, Parquet, Arrow, WARC) into the folder ``out``, as
    ``whorl cluster`` does. ``paths`` may be addresses of object stores that fsspec knows, such as s3://bucket/folder.

    Writes documents.parquet, pairs.parquet, keep.txt, keep.parquet, summary.html and summary.json. Called again, it
    resumes a stopped run; with another threshold or joining policy it repeats only the last phase, and ``paths`` may be
    empty. ``fresh`` starts over; ``discard`` removes what a later run would resume from. ``columns`` names the columns
    of tables, ``rules`` limits the files that are read. Text that is also in a document of the paths ``base``, such as
    a licence or a form, does not count. ``keep`` chooses the document of each cluster that keep.txt lists; if
    ``strict``, no two of those listed are near-duplicates. With ``spark`` the phases run there. The other settings are
    those of ``ClusterSettings``.
    """
    out, chosen, scheme = Path(out), ClusterSettings(**settings), resolve(scheme)
    named = [paths] if isinstance(paths, str | Path) else paths
    corpus = Corpus([Path(path) for path in named], columns, rules)
    check_keep(keep)
    if strict:
        check_strict(chosen)
    check_arrow()
    left_out = read_base(base, columns, rules, scheme)
    _prepare(out, bool(corpus.paths), fresh)
    with replacing(out) as staged, Threads(1) as pool:
        pairs_written: Answer[None] | None = None
        if spark is not None:
            clustering, faults = _on_spark(spark, out / PHASES, corpus, scheme, chosen, left_out)
        else:
            clustering, faults, pairs_written = _on_this_machine(
                out, staged, corpus, scheme, chosen, left_out, pool, progress
            )
        if pairs_written is None:
            write_pairs(clustering.ids, clustering.pairs, staged)
        without_document = _left_out(faults, clustering.skipped)
        sources = corpus.sources.runs
        summary = write(clustering, staged, chosen, keep, without_document, corpus.integers, strict, sources)
        from whorl.report.clusters import write_clusters  # slow to import: the templates of a page

        write_clusters(staged, evidence=ClusterEvidence(clustering, chosen, corpus.texts_of(clustering)))
        if pairs_written is not None:
            pairs_written.take()
    if discard:
        clear(out / PHASES)
        shutil.rmtree(out / PHASES)
    return CorpusClustering(out, summary, tuple(faults), clustering.skipped)


def read_base(paths: Iterable[Path | str], columns: Columns, rules: Rules, scheme: Scheme) -> Hashes:
    """Return the shingles of files that do not count; every file must be readable."""
    wanted = replace(columns, id=None, url=None, date=None, rank=None)
    corpus = Corpus([Path(path) for path in paths], wanted, rules)
    hashes = base_shingles(corpus.items(None), scheme)
    if wrong := [fault for fault in corpus.faults if not fault["left_out"]]:
        raise InputError(f"base: {wrong[0]['path']}: {wrong[0]['reason']}")
    if corpus.paths and not len(hashes):
        raise InputError(f"base: {', '.join(map(str, corpus.paths))}: no text was read")
    return hashes


def verify(folder: Path) -> None:
    """Check the checksums of all files of a clustering; raise a ``WhorlError`` that names a damaged one."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give the one that 'whorl cluster -o' wrote")
    check(folder)
    if (folder / PHASES).is_dir():
        RunStore(folder / PHASES).close()


class Corpus:
    """The files to cluster. ``faults``, ``integers``, the number of ids that are integers, and ``sources`` grow while
    the documents are read."""

    def __init__(self, paths: Sequence[Path], columns: Columns, rules: Rules) -> None:
        self.paths, self.columns, self.rules = paths, columns, rules
        self.faults: list[dict[str, Any]] = []
        self.integers = 0
        self.sources = SourceRuns([])

    @classmethod
    def of(cls, identity: str) -> Self | None:
        """Return the corpus of an identity; None if it has changed, or is gone."""
        paths, columns, rules = json.loads(identity)
        patterns = {name: tuple(rules[name]) for name in ("include", "exclude")}
        corpus = cls([Path(path) for path, _ in paths], Columns(**columns), Rules(**{**rules, **patterns}))
        try:
            return corpus if corpus.identity() == identity else None
        except (OSError, DocumentError):
            return None

    def identity(self) -> str:
        """Return a text that differs for another or a changed corpus; "" without paths."""
        if not self.paths:
            return ""
        paths = [[str(path.resolve()), described(path, self.rules)] for path in self.paths]
        return json.dumps([paths, asdict(self.columns), asdict(self.rules)], default=str)

    def items(self, progress: Progress | None) -> Iterator[Item | Sheet]:
        """Read every document; report progress in bytes."""
        seen, done = DigestSet(), 0
        sizes = [size(path, self.rules) for path in self.paths]
        for path, length, prefix in zip(self.paths, sizes, prefixes(self.paths), strict=True):
            for item in read_sheets(path, self.columns, self.rules, seen=seen, prefix=prefix):
                if isinstance(item, Fault):
                    self.faults.append(asdict(item))
                    continue
                if progress is not None:
                    progress(SKETCH, done + item.offset, sum(sizes))
                self.integers += int(np.sum(item.is_integer))
                self.sources.add(_source(item, path, prefix), len(item) if isinstance(item, Sheet) else 1)
                yield item if isinstance(item, Sheet) else item_of(item)
            done += length

    def notes(self) -> dict[str, Any]:
        """Return what is stored with the documents that were read."""
        return {"integers": self.integers, "sources": self.sources.runs}

    def texts_of(self, clustering: Clustering) -> TextReader | None:
        """Return what reads the texts of some documents again, by their numbers; None if there are no texts."""
        if self.columns.features is not None or not self.paths:
            return None

        def texts(numbers: Collection[int]) -> dict[int, ShownText]:
            found: dict[int, ShownText] = {}
            with suppress(OSError, RefusedFileError, InputError):  # a file that has changed meanwhile: the page says so
                for number, document in self._chosen(numbers, clustering):
                    found.setdefault(number, read_shown(document, clustering.scheme))
                    if len(found) == len(numbers):
                        break
            return found

        return texts

    def _chosen(self, numbers: Collection[int], clustering: Clustering) -> Iterator[tuple[int, Document]]:
        """Read some documents again: only the tables that hold them, in order."""
        named = {clustering.ids[number] or "": number for number in numbers}
        files = self.sources.named(numbers, len(clustering.ids))
        for path, prefix in zip(self.paths, prefixes(self.paths), strict=True):
            for document in read_chosen(path, named, files, self.columns, self.rules, prefix):
                yield named[document.name], document


# Names of sources that are kept; the documents of others have no source.
MOST_SOURCES = 10_000


class SourceRuns:
    """The sources of documents, in order: how many documents in a row come from each."""

    def __init__(self, runs: Sequence[tuple[str, int]]) -> None:
        self.runs = [(name, count) for name, count in runs]

    def add(self, name: str, count: int) -> None:
        """Add documents of a source."""
        if len(self.runs) >= MOST_SOURCES and self.runs[-1][0] != name:
            name = ""
        if self.runs and self.runs[-1][0] == name:
            count += self.runs.pop()[1]
        self.runs.append((name, count))

    def named(self, numbers: Collection[int], documents: int) -> set[str] | None:
        """Return the sources of some documents; None if not all are known."""
        ends = np.cumsum([count for _, count in self.runs], dtype=np.int64)
        if not len(ends) or ends[-1] != documents:
            return None
        names = {self.runs[run][0] for run in np.searchsorted(ends, [*numbers], "right").tolist()}
        return None if "" in names else names


def _source(item: CorpusRecord | Sheet, path: Path, prefix: str) -> str:
    """Return the table that documents are rows of, or the folder or the archive that holds a file."""
    if isinstance(item, Sheet) or item.row:
        return source_name(item.path, prefix)
    folder, _, _ = item.path.rpartition("/")
    return prefix + folder if folder else prefix.rstrip("/") or path.name


def _prepare(out: Path, has_paths: bool, fresh: bool) -> None:
    """Refuse a folder with other files, or one with nothing to resume if no corpus is named."""
    is_resumable = (out / PHASES).is_dir()
    if out.exists() and (
        not out.is_dir() or (not is_resumable and any(path.name not in STAGES for path in out.iterdir()))
    ):
        raise InputError(f"{out}: the folder is not empty; choose another folder, or empty it")
    if not has_paths and (fresh or not is_resumable):
        raise InputError(f"{out}: there is nothing to resume; name the documents, too")
    if fresh and is_resumable:
        clear(out / PHASES)
    out.mkdir(parents=True, exist_ok=True)


def _on_this_machine(
    out: Path,
    staged: Path,
    corpus: Corpus,
    scheme: Scheme,
    settings: ClusterSettings,
    base: Hashes,
    pool: Threads,
    progress: Progress | None,
) -> tuple[Clustering, list[Fault], Answer[None] | None]:
    """Run the phases that are not done yet. With several threads, that of the pool imports what writing needs and then
    writes the pairs meanwhile; the answer says when."""
    written: list[Answer[None]] = []

    def write_in_pool(ids: TextColumn, pairs: Measured) -> None:
        written.append(pool.submit(write_pairs, ids, pairs, staged, settings.threads))

    with ClusteringRun(out / PHASES, scheme, settings, corpus.identity(), progress, base) as run:
        run.sketch(corpus.items(progress), corpus.faults, corpus.notes)
        if not corpus.paths and (before := Corpus.of(run.corpus)) is not None:
            corpus.paths, corpus.columns, corpus.rules = before.paths, before.columns, before.rules
        corpus.integers, corpus.sources = run.note("integers", 0), SourceRuns(run.note("sources", []))
        if settings.threads > 1:
            # Not while documents are read: importing holds the interpreter's lock, which reading needs.
            pool.submit(_import_report)
        run.pair()
        clustering = run.join(write_in_pool if settings.threads > 1 else None)
        return clustering, [Fault(**fault) for fault in run.faults], written[0] if written else None


def _import_report() -> None:
    from whorl.report.clusters import make_ready

    make_ready()


def _on_spark(
    spark: "SparkSession", folder: Path, corpus: Corpus, scheme: Scheme, settings: ClusterSettings, base: Hashes
) -> tuple[Clustering, list[Fault]]:
    """Run the phases on Spark. All its machines must reach the corpus and the folder under these paths."""
    from whorl.spark.cluster import cluster_files

    identity = corpus.identity()
    return cluster_files(spark, corpus.paths, corpus.columns, corpus.rules, scheme, folder, identity, settings, base)


def _left_out(faults: Iterable[Fault], skipped: Iterable[Skipped]) -> list[dict[str, Any]]:
    rows = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
    return rows + [{"file": item.name, "row": 0, "reason": item.reason} for item in skipped]
