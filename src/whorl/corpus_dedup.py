"""``whorl.dedup``: write a corpus again without its near-duplicates, in the files, columns and compression it came in.

Which documents are duplicates is decided by ``whorl.clustering``. A stopped run resumes: the phases of the clustering
and the list of complete files are in the subfolder ``_whorl`` of the output, which also gets the report.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from whorl.clustering import ClusterSettings
from whorl.clustering.cluster import ClusteringRun, Progress
from whorl.clustering.dates import undated
from whorl.clustering.output import STEP, check_strict
from whorl.clustering.records import Item
from whorl.clustering.repeats import PassageFinder, Winnower
from whorl.corpus_clustering import Corpus, read_base
from whorl.corpus_output import (
    HIGHEST,
    REMOVED,
    WRITE,
    ClusterRemoval,
    Deduplication,
    JournaledFile,
    OutputFolder,
    Removal,
    ScreenedRemoval,
    file_fault,
    totals,
)
from whorl.corpus_rows import taking_rows
from whorl.corpus_sources import CorpusTexts, Source, check_ids, copied, find_sources, table_fault
from whorl.corpus_spans import DocumentSpans, PassageEditing
from whorl.errors import InputError, checked_number
from whorl.formats.archives.rules import DEFAULT as DEFAULT_RULES
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import tables
from whorl.formats.corpora.jsonl import Column, Sheet
from whorl.formats.corpora.parquet import check_arrow
from whorl.formats.corpora.parquet_copy import copy_parquet, without_rows
from whorl.formats.corpora.records import ROW_MARK, Columns, Fault, RepeatFinder
from whorl.formats.corpora.remote import check_local, fetching
from whorl.formats.corpora.streams import copy_lines
from whorl.model import Skipped
from whorl.scheme import Scheme, resolve
from whorl.sweep import FIXED, check_same, check_scheme
from whorl.sweep.sweep import Sweep, is_sweep

REMOVED_FILE, OVERLAPS_FILE = "removed.parquet", "overlaps.parquet"

# The default unit, and the characters of the shortest paragraph or line that is.
DOCUMENT, SHORTEST = "document", 40

# A repeat of so many words is a passage, as in Lee et al., "Deduplicating Training Data Makes Language Models Better"
# (2022), who take 50 tokens.
PASSAGE_UNIT, TOKENS = "passage", 50

# Which document of a cluster stays.
POLICIES = ("first", "longest", "newest", HIGHEST)

# The digest of a paragraph or line.
DIGEST = np.dtype(("<u8", 2))

# Settings that do not change the result.
_WITHOUT_EFFECT = ("memory", "workers")


@taking_rows("base")
@fetching("paths", "base", unless="index")
def dedup(
    paths: Any,
    out: Path | str | None = None,
    scheme: Scheme | str = "pages",
    *,
    text: str = "text",
    date: str | None = None,
    rank: str | None = None,
    rules: Rules = DEFAULT_RULES,
    base: Any = (),
    keep: str = "first",
    strict: bool = False,
    index: Path | str | None = None,
    unit: str = DOCUMENT,
    shortest: int = SHORTEST,
    tokens: int = TOKENS,
    mark: bool = False,
    boilerplate: int | None = None,
    id: str = "id",  # noqa: A002  (the name of the column, as in Columns)
    url: str = "url",
    fresh: bool = False,
    progress: Progress | None = None,
    **settings: Any,
) -> Deduplication:
    """Write JSONL, Parquet and folders of them or of documents again without near-duplicates, as ``whorl dedup`` does.
    ``paths`` may be addresses of object stores that fsspec knows, such as s3://bucket/folder.

    ``paths`` may also be rows in memory: dictionaries, an Arrow table, a pandas or a Polars frame, or a Hugging Face
    dataset. The ``rows`` of the result are those that stay, and ``out`` is left out. ``base`` may be rows, too.

    The folder ``out`` gets the same files with the same rows, columns and compression; one row of each cluster stays.
    ``keep`` chooses it: the first, the longest text, the newest by the column ``date``, or the highest by the column
    ``rank``. If ``strict``, no two rows that stay are near-duplicates. The subfolder ``_whorl`` gets report.json and
    removed.parquet. Called again, it resumes a stopped run; ``fresh`` starts over. Text that is also in a document of
    the paths ``base`` does not count, nor does text in more than ``boilerplate`` documents. The other settings are
    those of ``ClusterSettings``.

    ``index`` is a sweep store, made if it does not exist: rows that are like a document in it are removed too, and the
    rows that stay are added to it. So later shards are compared with earlier ones, which are not read again. The
    first row stays, as with ``strict``; _whorl/overlaps.parquet lists rows that share large parts with another.

    With the ``unit`` "paragraph" or "line", repeats of at least ``shortest`` characters are cut from the texts, all but
    the first; a row goes if fewer characters remain. With "passage", so is every sequence of at least ``tokens`` words
    that occurred before. ``mark`` writes the spans of these passages as attributes of each row instead, with the column
    ``id``. Passages in more than ``boilerplate`` documents of one host, by the column ``url``, are counted and marked
    as boilerplate.
    """
    is_whole = unit == DOCUMENT
    out, scheme = check_local(out), resolve(scheme)
    chosen = ClusterSettings.of({**settings, "boilerplate": boilerplate if is_whole else None})
    columns = _columns(keep, text, date, rank)
    named = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    check_arrow()
    if not is_whole:
        if keep != "first" or strict or index is not None or tuple(base) or set(settings) - set(_WITHOUT_EFFECT):
            raise InputError(f"unit: {unit!r} keeps the first and compares exactly; leave out the other settings")
        shortest, tokens = checked_number("shortest", shortest, 1), checked_number("tokens", tokens, 2)
        boilerplate = None if boilerplate is None else checked_number("boilerplate", boilerplate, 0)
        host_column = None if boilerplate is None else url
        edit = _Edit(unit, shortest, tokens, mark, boilerplate, replace(columns, id=id, url=host_column), rules, scheme)
        return edit.run(named, out, chosen, fresh, progress)
    if mark:
        raise InputError(f"mark: only for the unit {PASSAGE_UNIT!r}; leave it out")
    if index is not None:
        return _Indexed(Path(index), scheme, chosen, tuple(base), rules, set(settings)).run(
            named, columns, out, keep, boilerplate, fresh, progress
        )
    return _Clustered(scheme, chosen, tuple(base), rules, strict).run(named, columns, out, keep, fresh, progress)


def _columns(keep: str, text: str, date: str | None, rank: str | None) -> Columns:
    """Return the columns to read. Ids are not: two rows with one id are two rows."""
    if keep not in POLICIES:
        raise InputError(f"keep: {keep!r} is unknown; choose one of {', '.join(POLICIES)}")
    if (rank is not None) != (keep == HIGHEST):
        raise InputError("keep: 'highest' and rank, the column of numbers, need each other; give both")
    return Columns(id=None, text=text, url=None, date=(date or "date") if keep == "newest" else None, rank=rank)


def _effective(settings: ClusterSettings) -> dict[str, Any]:
    return {name: value for name, value in asdict(settings).items() if name not in _WITHOUT_EFFECT}


def _write(
    folder: OutputFolder,
    sources: Sequence[Source],
    removal: Removal,
    faults: list[Fault],
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Write every file that is not complete yet, then the list of removed rows. Return what was written."""
    there = {row["file"]: row for row in folder.written()}
    rows, size = list[dict[str, Any]](), sum(source.path.stat().st_size for source in sources)
    done = 0
    for source in sources:
        name = str(source.target.relative_to(folder.path))
        if name not in there:
            if source.kind is not None or removal.stays(source.name):
                there[name] = folder.write_file(
                    source, source.target, _without(source, removal), _facts(source, removal)
                )
            elif removal.kinds(source.name):
                there[name] = folder.write_file(source, source.target, None, _facts(source, removal))
        if name in there:
            rows.append(there[name])
            faults += file_fault(source, name, there[name], faults)
        done += source.path.stat().st_size
        if progress is not None:
            progress(WRITE, done, size)
    folder.save_table(REMOVED_FILE, removal.table(), REMOVED)
    return rows


def _facts(source: Source, removal: Removal) -> Callable[[], dict[str, Any]]:
    kinds = removal.kinds(source.name)
    return lambda: {"removed": sum(kinds.values()), "kinds": kinds}


def _without(source: Source, removal: Removal) -> Callable[[Path], str]:
    """Return what writes a source without the rows to remove."""
    rows = np.array(removal.rows(source.name), np.int64)
    if source.kind == "jsonl":
        return lambda target: copy_lines(source.path, target, rows)
    if source.kind == "parquet":
        return lambda target: copy_parquet(source.path, target, without_rows(rows))
    return lambda target: copied(source, target)


@dataclass(frozen=True)
class _Clustered:
    """Keep one row of each cluster."""

    scheme: Scheme
    settings: ClusterSettings
    base: tuple[Path | str, ...]
    rules: Rules
    strict: bool

    def run(
        self, paths: Sequence[Path], columns: Columns, out: Path, keep: str, fresh: bool, progress: Progress | None
    ) -> Deduplication:
        """Cluster the corpus, and write the rows that stay."""
        if self.strict:
            check_strict(self.settings)
        left_out = read_base(self.base, columns, self.rules, self.scheme)
        corpus = Corpus(paths, columns, self.rules)
        sources, _ = find_sources(paths, out, columns, self.rules)  # reading says what is left out
        without: dict[str, Any] = {"base": sha256(left_out.tobytes()).hexdigest()} if len(left_out) else {}
        without |= {"strict": True} if self.strict else {}
        settings = {"scheme": self.scheme.id, "keep": keep, **_effective(self.settings)}
        with OutputFolder(out, {"corpus": corpus.identity(), **settings, **without}, fresh) as run:
            if not run.is_finished:
                with ClusteringRun(
                    run.phases, self.scheme, self.settings, corpus.identity(), progress, left_out
                ) as phases:
                    phases.sketch(corpus.items(progress), corpus.faults)
                    phases.pair()
                    clustering = phases.join()
                    faults = [Fault(**fault) for fault in phases.faults]
                    removal = ClusterRemoval(clustering, keep, self.strict)
                    rows = _write(run, sources, removal, faults, progress)
                    missing = undated(clustering, keep)
                    run.save(_report(sources, rows, removal, keep, missing, faults, clustering.skipped))
            return run.finished()


@dataclass(frozen=True)
class _Edit:
    """The settings of a run that cuts or marks parts of texts."""

    unit: str
    shortest: int
    tokens: int
    mark: bool
    boilerplate: int | None
    columns: Columns
    rules: Rules
    scheme: Scheme

    def run(
        self, paths: Sequence[Path], out: Path, settings: ClusterSettings, fresh: bool, progress: Progress | None
    ) -> Deduplication:
        """Write the corpus without repeats, or the attributes that mark them."""
        corpus = Corpus(paths, self.columns, self.rules)
        sources, left_out = find_sources(paths, out, self.columns, self.rules, mark=self.mark)
        if self.unit != PASSAGE_UNIT and (self.mark or self.boilerplate is not None):
            raise InputError(f"mark, boilerplate: only for the unit {PASSAGE_UNIT!r}; leave them out")
        if self.mark:  # attributes name rows by their ids, which nothing else reads
            check_ids(sources, self.columns, self.rules)
        winnower = Winnower(self.tokens)
        finder = None if self.unit == PASSAGE_UNIT else RepeatFinder(self.unit, self.shortest)
        with OutputFolder(out, {"corpus": corpus.identity(), **self._recipe()}, fresh) as run:
            if not run.is_finished:
                if finder is not None:
                    with run.log() as log:
                        run.write_edited(sources, _UnitEditing(self, finder, log, sources, left_out), progress)
                else:
                    self._edit_passages(run, sources, left_out, winnower, settings, progress)
            return run.finished()

    def _recipe(self) -> dict[str, Any]:
        recipe = {"unit": self.unit, "shortest": self.shortest}
        if self.unit != PASSAGE_UNIT:
            return recipe
        passages = {"tokens": self.tokens, "mark": self.mark, "boilerplate": self.boilerplate}
        return {**recipe, **passages, "scheme": self.scheme.id}

    def _edit_passages(
        self,
        run: OutputFolder,
        sources: Sequence[Source],
        left_out: Sequence[Fault],
        winnower: Winnower,
        settings: ClusterSettings,
        progress: Progress | None,
    ) -> None:
        columns = replace(self.columns, id=None)  # two rows with one id are two rows
        with CorpusTexts(sources, columns, self.rules, self.scheme, run.phases, PassageFinder.FILES, left_out) as texts:
            finder = PassageFinder(texts.store, winnower, settings.memory, settings.threads)
            texts.search(winnower.read, finder.contents, settings.threads, progress)
            passages = finder.passages(texts.bounds, texts.hosts, self.boilerplate or 0, firsts=self.mark)
            with run.log() as log:
                spans = DocumentSpans(texts, passages, log)
                editing = PassageEditing(texts, spans, self.columns, self.rules, self.shortest, self.mark)
                editing.kinds = editing.kinds[: 1 if self.boilerplate is None else 2]
                run.write_edited(sources, editing, progress)


class _UnitEditing:
    """Cut repeated paragraphs or lines. ``log`` gets the digests of those that are new."""

    def __init__(
        self,
        edit: _Edit,
        finder: RepeatFinder,
        log: JournaledFile,
        sources: Sequence[Source],
        left_out: Sequence[Fault],
    ) -> None:
        for digests in log.read(DIGEST, STEP):
            finder.remember(digests)
        self._log, self._edit, self._sources = log, edit, sources
        self._editor = tables.RowEditor(
            lambda _, text: finder.spans(text, log.write), edit.shortest, edit.columns.text, edit.rules.member
        )
        self._before, self.kinds = Counter[str](), (edit.unit,)
        self.faults = left_out
        self.documents: int | None = None
        self.mark = False

    @property
    def row_faults(self) -> Sequence[Fault]:
        return self._editor.faults

    def target(self, source: Source) -> Path:
        return source.target

    def writer(self, number: int, source: Source) -> Callable[[Path], str]:
        self._before, self._editor.faults, kind = self._editor.counts.copy(), [], source.kind
        fault = table_fault(self._sources, number, self._edit.columns, self._edit.rules)
        if kind is None or fault is not None:
            self._editor.faults += [fault] if fault else []
            return lambda target: copied(source, target)
        return lambda target: self._editor.write(kind, source.path, target, source.name)

    def changes(self, number: int) -> tuple[Counter[str], dict[str, int]]:
        changes = self._editor.counts - self._before
        return changes, {self.kinds[0]: changes["units"]}

    def table(self) -> None:
        return None

    def note(self) -> list[int]:
        return self._log.note()


def _report(
    sources: Sequence[Source],
    rows: Sequence[Mapping[str, Any]],
    removal: Removal,
    keep: str,
    undated: int,
    faults: Sequence[Fault],
    skipped: Sequence[Skipped],
) -> dict[str, Any]:
    kinds = sum((Counter(removal.kinds(source.name)) for source in sources), Counter[str]())
    return {
        "documents": removal.documents,
        "kept": removal.kept,
        "removed": removal.documents - removal.kept,
        "kinds": dict(sorted(kinds.items())),
        "keep": keep,
        "undated": undated,
        **totals(rows, faults),
        "skipped": [[each.name, each.reason] for each in skipped],
    }


@dataclass(frozen=True)
class _Indexed:
    """The settings of a run against an index. ``given`` are the names of the settings that were chosen."""

    index: Path
    scheme: Scheme
    settings: ClusterSettings
    base: tuple[Path | str, ...]
    rules: Rules
    given: set[str]

    def run(
        self,
        paths: Sequence[Path],
        columns: Columns,
        out: Path,
        keep: str,
        boilerplate: int | None,
        fresh: bool,
        progress: Progress | None,
    ) -> Deduplication:
        """Write the rows that are like none in the index, and add them to it."""
        if keep != "first" or self.given & _NOT_INDEXED or boilerplate is not None:
            raise InputError(
                "index: the first row stays, and each is compared with those that stay; leave out keep, boilerplate, "
                f"{', '.join(sorted(_NOT_INDEXED))}"
            )
        corpus = Corpus(paths, columns, self.rules)
        sources, _ = find_sources(paths, out, columns, self.rules)  # reading says what is left out
        with OutputFolder(out, {"corpus": corpus.identity(), "index": str(self.index.resolve())}, fresh) as run:
            if not run.is_finished:
                names = {str(source.path.resolve()): source.name for source in sources}
                removal = ScreenedRemoval(names)
                with self._opened(columns) as index:
                    stored = index.add_new_items(
                        _by_path(corpus.items(progress), {name: path for path, name in names.items()}),
                        datetime.now(UTC).date().isoformat(), removal.note, again=True, memory=self.settings.memory,
                    )  # fmt: skip
                faults = [Fault(**fault) for fault in corpus.faults]
                rows = _write(run, sources, removal, faults, progress)
                run.save_table(OVERLAPS_FILE, removal.overlaps(), ScreenedRemoval.OVERLAPS)
                report = _report(sources, rows, removal, keep, 0, faults, removal.skipped)
                run.save({**report, "index": {"overlaps": stored.overlaps, "stored": stored.stored}})
            return run.finished()

    def _opened(self, columns: Columns) -> Sweep:
        """Open the index or make it. Settings that are chosen must be its own."""
        chosen = {name: getattr(self.settings, name) for name in FIXED if name in self.given}
        if not is_sweep(self.index):
            base = read_base(self.base, columns, self.rules, self.scheme)
            return Sweep.create(self.index, self.scheme, base=base, **chosen)
        opened = Sweep.open(self.index)
        try:
            check_same(opened.settings, chosen)
            check_scheme(opened.scheme, self.scheme)
            if self.base:
                raise InputError(f"base: {self.index} exists, and its base was fixed when it was made; leave it out")
        except InputError:
            opened.close()
            raise
        return opened


# Settings without a meaning for an index.
_NOT_INDEXED = {"closure", "super_shingles", "estimate"}


def _by_path(items: Iterable[Item | Sheet], paths: Mapping[str, str]) -> Iterator[Item | Sheet]:
    """Name documents by the paths of their files: an index has files of one name from several folders."""
    for item in items:
        if isinstance(item, Sheet):
            yield replace(item, ids=Column.of(_renamed(name or "", paths) for name in item.ids))
        else:
            yield replace(item, name=_renamed(item.name, paths))


def _renamed(name: str, paths: Mapping[str, str]) -> str:
    file, mark, row = name.partition(ROW_MARK)
    return f"{paths.get(file, file)}:{row}" if mark else paths.get(file, file)
