"""``whorl.cluster_corpus``: cluster the files of a corpus into a folder of tables, resuming what an earlier run left.

The phases themselves are in ``whorl.clustering`` and ``whorl.spark``.
"""

import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

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
from whorl.formats.corpora.jsonl import LineMark, Sheet
from whorl.formats.corpora.parquet import check_arrow
from whorl.formats.corpora.read import (
    UNKNOWN_ROW,
    ChosenPlace,
    described,
    prefixes,
    read_chosen,
    read_repeated,
    read_sheets,
    size,
)
from whorl.formats.corpora.records import DEFAULT as DEFAULT_COLUMNS
from whorl.formats.corpora.records import Columns, CorpusRecord, DigestSet, Fault, Unchanged, checked_columns
from whorl.formats.corpora.remote import fetching
from whorl.formats.corpora.tables import CorpusItem
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

    Writes documents, pairs, keep and urls as .parquet, keep.txt, summary.html and summary.json. Called again, it
    resumes a stopped run; with another threshold or joining policy it repeats only the last phase, and ``paths`` may be
    empty. ``fresh`` starts over; ``discard`` removes what a later run would resume from. ``columns`` names the columns
    of tables, ``rules`` limits the files that are read. Text that is also in a document of the paths ``base``, such as
    a licence or a form, does not count. ``keep`` chooses the document of each cluster that keep.txt lists; if
    ``strict``, no two of those listed are near-duplicates. With ``spark`` the phases run there. The other settings are
    those of ``ClusterSettings``.
    """
    out, chosen, scheme = Path(out), ClusterSettings.of(settings), resolve(scheme)
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
        self.paths, self.columns, self.rules = paths, checked_columns(columns), rules
        self.faults: list[dict[str, Any]] = []
        self.integers = 0
        self.sources = SourceRuns()

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

    @property
    def _prefixes(self) -> list[str]:
        return prefixes(self.paths, self.columns, self.rules)

    def items(self, progress: Progress | None) -> Iterator[Item | Sheet]:
        """Read every document; report progress in bytes. Pages that are unchanged since a record in another file come
        last."""
        seen, done, unchanged = DigestSet(), 0, list[tuple[int, Unchanged]]()
        sizes = [size(path, self.rules) for path in self.paths]
        for number, (path, length, prefix) in enumerate(zip(self.paths, sizes, self._prefixes, strict=True)):
            for item in read_sheets(path, self.columns, self.rules, seen=seen, prefix=prefix):
                if isinstance(item, Unchanged):
                    unchanged.append((number, item))
                    continue
                if progress is not None and not isinstance(item, Fault):
                    progress(SKETCH, done + item.offset, sum(sizes))
                yield from self._noted(item, number, prefix)
            done += length
        waiting, numbers = [each for _, each in unchanged], {id(each): number for number, each in unchanged}
        for each, found in read_repeated(self.paths, waiting, self.columns, self.rules, seen) if waiting else ():
            number = numbers[id(each)]
            yield from self._noted(found, number, self._prefixes[number])

    def _noted(self, item: CorpusItem, number: int, prefix: str) -> Iterator[Item | Sheet]:
        """Yield a document of a path; note where it comes from, or why there is none."""
        if isinstance(item, Fault):
            self.faults.append(asdict(replace(item, path=prefix + item.path)))
            return
        self.integers += int(np.sum(item.is_integer))
        source = _source(item, self.paths[number], prefix)
        if isinstance(item, Sheet):
            self.sources.add(source, item.rows, number, item.lines)
        else:
            self.sources.add(source, (item.row,), number)
        yield item if isinstance(item, Sheet) else item_of(item)

    def notes(self) -> dict[str, Any]:
        """Return what is stored with the documents that were read."""
        return {"integers": self.integers, **self.sources.notes()}

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
        """Read some documents again: only the files and rows that hold them, as far as they are known."""
        named = {clustering.ids[number] or "": number for number in numbers}
        places = self.sources.places(named.values(), len(clustering.ids))
        for at, (path, prefix) in enumerate(zip(self.paths, self._prefixes, strict=True)):
            chosen = {
                identity: ChosenPlace("", UNKNOWN_ROW) if places is None else places[number][1]
                for identity, number in named.items()
                if places is None or places[number][0] == at
            }
            if chosen:
                for document in read_chosen(path, chosen, self.columns, self.rules, prefix):
                    yield named[document.name], document


# Names of sources that are kept; the documents of others have no source. And runs of rows; others are unknown.
MOST_SOURCES = 10_000
MOST_ROW_RUNS = 100_000

# Bytes between lines whose places are kept, at first; and how many are kept, before every second one is given up.
MARK_STEP = 1 << 16
MOST_MARKS = 20_000


class SourceRuns:
    """Where documents come from, in order. ``runs``: the sources, and how many documents in a row come from each.

    ``rows``: the number of a path, the first of consecutive rows, and how many documents come from these. The rows of
    documents that are files are 0. ``marks``: the numbers of some documents, and where in their file their line begins.
    """

    NOTES = ("sources", "rows", "marks")

    def __init__(
        self,
        runs: Sequence[tuple[str, int]] = (),
        rows: Sequence[tuple[int, int, int]] = (),
        marks: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.runs = [(name, count) for name, count in runs]
        self.rows = [(path, row, count) for path, row, count in rows]
        self.marks = [(number, offset) for number, offset in marks]
        self._documents, self._step = sum(count for _, count in self.runs), MARK_STEP

    def notes(self) -> dict[str, Any]:
        """Return what a later run needs."""
        return dict(zip(self.NOTES, (self.runs, self.rows, self.marks), strict=True))

    def add(self, name: str, rows: Sequence[int], path: int = 0, lines: NDArray[np.int64] | None = None) -> None:
        """Add documents of a source: their rows, and where their lines begin."""
        count = len(rows)
        if len(self.runs) >= MOST_SOURCES and self.runs[-1][0] != name:
            name = ""
        if self.runs and self.runs[-1][0] == name:
            count += self.runs.pop()[1]
        self.runs.append((name, count))
        gaps = np.flatnonzero(np.diff(rows) != 1) + 1
        for first, end in pairwise([0, *gaps.tolist(), len(rows)] if rows else ()):
            self._add_rows(path, rows[first], end - first)
        if lines is not None:
            self._add_marks(lines)
        self._documents += len(rows)

    def _add_rows(self, path: int, row: int, count: int) -> None:
        if len(self.rows) >= MOST_ROW_RUNS:
            row = UNKNOWN_ROW
        if self.rows and self.rows[-1][0] == path:
            _, first, before = self.rows[-1]
            if row == (first + before if first > 0 else first):
                self.rows.pop()
                row, count = first, before + count
        self.rows.append((path, row, count))

    def _add_marks(self, lines: NDArray[np.int64]) -> None:
        places = np.flatnonzero(np.diff(lines // self._step, prepend=-1))
        self.marks += zip((places + self._documents).tolist(), lines[places].tolist(), strict=True)
        while len(self.marks) > MOST_MARKS:
            self.marks, self._step = self.marks[::2], 2 * self._step

    def places(self, numbers: Collection[int], documents: int) -> dict[int, tuple[int, ChosenPlace]] | None:
        """Return the path, by its number, and the place of some documents; None if not all are known."""
        ends, row_ends = (np.cumsum([run[-1] for run in runs], dtype=np.int64) for runs in (self.runs, self.rows))
        if not len(ends) or not len(row_ends) or ends[-1] != documents or row_ends[-1] != documents:
            return None
        marked = np.array([number for number, _ in self.marks], np.int64)

        def row_of(number: int) -> tuple[int, int]:
            run = int(np.searchsorted(row_ends, number, "right"))
            path, row, count = self.rows[run]
            return path, row + number - int(row_ends[run]) + count if row > 0 else row

        def place(number: int) -> tuple[int, ChosenPlace]:
            run = int(np.searchsorted(ends, number, "right"))
            (path, row), source = row_of(number), self.runs[run][0]
            mark = int(np.searchsorted(marked, number, "right")) - 1
            if row < 1 or not source or mark < 0 or marked[mark] < ends[run] - self.runs[run][1]:
                return path, ChosenPlace(source, row)
            marked_path, marked_row = row_of(int(marked[mark]))
            if marked_path != path:
                return path, ChosenPlace(source, row)
            return path, ChosenPlace(source, row, LineMark(marked_row, self.marks[mark][1]))

        return {number: place(number) for number in numbers}


def _source(item: CorpusRecord | Sheet, path: Path, prefix: str) -> str:
    """Return the table that documents are rows of, or the folder or the archive that holds a file."""
    if isinstance(item, Sheet) or item.row:
        return prefix + item.path
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
        corpus.integers, corpus.sources = (
            run.note("integers", 0),
            SourceRuns(*(run.note(name, []) for name in SourceRuns.NOTES)),
        )
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
    from whorl.spark.clustering import cluster_files

    identity = corpus.identity()
    return cluster_files(spark, corpus.paths, corpus.columns, corpus.rules, scheme, folder, identity, settings, base)


def _left_out(faults: Iterable[Fault], skipped: Iterable[Skipped]) -> list[dict[str, Any]]:
    rows = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
    return rows + [{"file": item.name, "row": 0, "reason": item.reason} for item in skipped]
