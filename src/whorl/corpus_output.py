"""The output folder of a corpus that is written again: complete files only, resumed after a stop, with a report."""

import json
import os
import re
import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.cluster import Progress
from whorl.clustering.output import KEEPS, STEP
from whorl.clustering.result import KINDS, Clustering, keep_of_clusters, keep_without_pairs
from whorl.clustering.store import AFRESH, LOCK, checksum, clear, damaged, locked, summed, sync, write_atomically
from whorl.corpus_sources import Source, check_targets
from whorl.errors import DocumentError, InputError, WhorlError
from whorl.formats.archives.names import RefusedFileError, opened, printable, reason
from whorl.formats.corpora.parquet import arrow, write_table
from whorl.formats.corpora.records import ROW_MARK, Fault
from whorl.model import Skipped
from whorl.stores import RECIPE_FILE
from whorl.stores import WORK as WORK
from whorl.sweep.result import ScreenedDocument, ScreenMatch
from whorl.sweep.screening import DUPLICATE, UNREAD

WRITTEN_FILE, REPORT_FILE = "written.jsonl", "report.json"

# The recipe while what an earlier run wrote is removed. A run that finds it goes on removing.
CLEARING = "null"
PHASES = "phases"
# Grows with the files that are written: digests of the units that were seen, or characters of spans.
LOG_FILE = "log"
# The file that is being written. A name made of its own could be too long.
PART_FILE = ".part"
WRITE = "write"

# What the journal has of a file, and the report has not.
_JOURNALED = ("counts", "exists", "faults", "log")

HIGHEST = "highest"


@dataclass(frozen=True, slots=True)
class Deduplication:
    """A deduplicated corpus in ``folder``, with the content of its report.json.

    ``faults`` are the rows and files that gave no document, ``skipped`` the documents that could not be read. Such rows
    stay in the output; such files are not written.

    Of rows in memory there is no folder. ``rows`` are those that stay, as the kind of table that was given, or a list
    of dictionaries. ``changes`` are the lines of the table that a folder has beside report.json, and ``attributes`` the
    marked spans of each row that was given. All of these count rows from 0.
    """

    folder: Path | None
    report: dict[str, Any]
    faults: tuple[Fault, ...]
    skipped: tuple[Skipped, ...]
    rows: Any = None
    changes: tuple[dict[str, Any], ...] = ()
    attributes: tuple[dict[str, Any], ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether there are documents and everything could be read."""
        return bool(self.report["documents"]) and not self.skipped and all(fault.left_out for fault in self.faults)


class Editing(Protocol):
    """The content written in place of each file."""

    @property
    def kinds(self) -> Sequence[str]:
        """The counts."""

    @property
    def faults(self) -> Sequence[Fault]:
        """The rows that gave no document."""

    @property
    def row_faults(self) -> Sequence[Fault]:
        """The rows of the source that was written last that gave no document, if they are not among ``faults``."""

    @property
    def mark(self) -> bool:
        """Whether the files are attributes of rows."""

    @property
    def documents(self) -> int | None:
        """The number of documents; None if it is counted while they are written."""

    def target(self, source: Source) -> Path:
        """Return where a source goes."""

    def writer(self, number: int, source: Source) -> Callable[[Path], str] | None:
        """Return what writes a source; None if nothing is written, or nothing is left of it."""

    def changes(self, number: int) -> tuple[Counter[str], dict[str, int]]:
        """Return the counts of the source that was written last, and how many units of which kind."""

    def table(self) -> tuple[str, Iterable[dict[str, Any]], Mapping[str, str]] | None:
        """Return a list of the changes: the name of its file, its rows and its columns."""

    def note(self) -> list[int]:
        """Bring the file that grows with the changes to the disk; return what the journal notes of it."""


class OutputFolder:
    """The output folder of one run. Its subfolder ``_whorl`` has the recipe, the complete files and the report. Locked
    against other runs until the end of the block."""

    def __init__(self, out: Path, recipe: Mapping[str, Any], fresh: bool) -> None:
        self.path, self._work, self._recipe = out, out / WORK, json.dumps(recipe, sort_keys=True)
        self._is_begun, self._is_made = False, not out.exists()
        if not self._work.is_dir():
            self._check_empty()
            self._work.mkdir(parents=True)
        self._lock = locked(self._work)
        try:
            self._begin(fresh)
        except BaseException:
            self._unlock()
            raise

    def _begin(self, fresh: bool) -> None:
        """Check or write the recipe."""
        if fresh or self._read(RECIPE_FILE) == CLEARING:
            self._check_own()
            self._clear()
        if recipe_before := self._read(RECIPE_FILE):
            if recipe_before != self._recipe:
                raise InputError(
                    f"{self.path}: made from another corpus or with other settings; choose another folder, or {AFRESH}"
                )
            self._cut_journal()
            self._check_written()
        else:
            self._check_empty()
            write_atomically(self._work / RECIPE_FILE, self._recipe)
            self._is_begun = True

    def _check_empty(self) -> None:
        out = self.path
        if out.exists() and (not out.is_dir() or any(path != self._work for path in out.iterdir())):
            raise InputError(f"{out}: the folder is not empty; choose another folder, or empty it")

    def _check_own(self) -> None:
        """Raise InputError if an earlier run has not written all that is there, before any of it is removed."""
        written = {self.path / row["file"] for row in self.written()}
        own = written | {folder for path in written for folder in path.parents} | {self._work}
        there = (place for folder in os.walk(self.path) for place in self._below(*folder))
        if other := next((place for place in there if place not in own), None):
            raise InputError(
                f"{self.path}: the folder is not empty: it has {printable(str(other.relative_to(self.path)))}, which "
                "no run has written; choose another folder, or move this away"
            )

    def _below(self, folder: str, folders: list[str], names: list[str]) -> list[Path]:
        """Return what is in a folder, and keep ``os.walk`` out of the reports."""
        found = [Path(folder, name) for name in (*folders, *names)]
        folders[:] = [name for name in folders if Path(folder, name) != self._work]
        return found

    def _check_written(self) -> None:
        """Raise InputError if a file that was complete is gone."""
        for row in self.written():
            if row.get("exists", row["bytes_written"] > 0) and not (self.path / row["file"]).is_file():
                raise InputError(
                    f"{self.path / row['file']}: is gone, though an earlier run wrote it; put it back, or {AFRESH}"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        is_refused = kind is not None and issubclass(kind, InputError) and self._is_begun and not self.written()
        if is_refused:
            self._clear()
        self._unlock()
        if is_refused:  # the folder would keep a run with the right settings away
            self._work.rmdir()
            if self._is_made and not any(self.path.iterdir()):
                self.path.rmdir()

    def _unlock(self) -> None:
        with self._lock:
            (self._work / LOCK).unlink(missing_ok=True)

    @property
    def is_finished(self) -> bool:
        return (self._work / REPORT_FILE).is_file()

    @property
    def phases(self) -> Path:
        """The folder of the phases of a clustering."""
        return self._work / PHASES

    def finished(self) -> Deduplication:
        """Return the result of a finished run."""
        if (self._work / PHASES).is_dir():
            clear(self._work / PHASES)
            shutil.rmtree(self._work / PHASES)
        for path in (self._work / LOG_FILE, *self._work.glob("*.new"), *self._work.glob("*.part")):
            path.unlink(missing_ok=True)  # what stopped runs left half written, too
        report = json.loads(self._read(REPORT_FILE))
        faults = tuple(Fault(**fault) for fault in report["faults"])
        return Deduplication(self.path, report, faults, tuple(Skipped(*each) for each in report["skipped"]))

    def _read(self, name: str) -> str:
        try:
            return (self._work / name).read_text("utf-8")
        except FileNotFoundError:
            return ""  # stopped before it was written

    def _clear(self) -> None:
        """Remove what an earlier run wrote, and nothing else. The list of it goes when all of it is gone for good."""
        if self._read(RECIPE_FILE):
            write_atomically(self._work / RECIPE_FILE, CLEARING)
        paths = [self.path / row["file"] for row in self.written()]
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in paths if path.parent.is_dir()}:
            sync(folder)
        if (self._work / PHASES).is_dir():
            clear(self._work / PHASES)
            shutil.rmtree(self._work / PHASES)
        for path in self._work.iterdir():
            if path.name not in (LOCK, RECIPE_FILE):
                path.unlink()
        sync(self._work)
        (self._work / RECIPE_FILE).unlink(missing_ok=True)
        folders = {folder for path in paths for folder in path.parents if self.path in folder.parents}
        for folder in sorted(folders, reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def _cut_journal(self) -> None:
        """Cut off a line that a stopped run left incomplete: the next one would be appended to it."""
        journal = self._work / WRITTEN_FILE
        if journal.exists():
            os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)

    def written(self) -> list[dict[str, Any]]:
        """Return the files that are complete. A line that was cut off does not count."""
        return [json.loads(line) for line in self._read(WRITTEN_FILE).split("\n")[:-1]]

    def log(self) -> "JournaledFile":
        """Open a file that grows with the files of the corpus, as long as it was when the last of them was complete."""
        sizes = [row["log"] for row in self.written() if "log" in row]
        return JournaledFile(self._work / LOG_FILE, sizes[-1] if sizes else [0, 0])

    def write_edited(
        self,
        sources: Sequence[Source],
        editing: Editing,
        progress: Progress | None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Write every file that is not complete yet as it is edited, then the report with more ``facts``."""
        check_targets([editing.target(source) for source in sources])
        there = {row["file"]: row for row in self.written()}
        rows, faults, counts = list[dict[str, Any]](), list(editing.faults), Counter[str]()
        for number, source in enumerate(sources):
            name = str(editing.target(source).relative_to(self.path))
            row = there.get(name) or self._edited(number, source, editing)
            if row is None:
                continue
            counts.update(row["counts"])
            rows.append(row)
            faults += [Fault(**fault) for fault in row.get("faults", ())]
            faults += file_fault(source, name, row, faults)
            if progress is not None:
                progress(WRITE, number + 1, len(sources))
        if (table := editing.table()) is not None:
            self.save_table(*table)
        self.save({**_edit_report(editing, counts, rows), **totals(rows, faults), "skipped": [], **(facts or {})})

    def _edited(self, number: int, source: Source, editing: Editing) -> dict[str, Any] | None:
        """Write a file as it is edited; return None if there is nothing to write or to count."""
        target, write = editing.target(source), editing.writer(number, source)
        if write is None and not editing.changes(number)[0]:
            return None

        def facts() -> dict[str, Any]:
            counts, kinds = editing.changes(number)
            kinds = {**dict.fromkeys(editing.kinds, 0), **kinds}
            faults = [asdict(fault) for fault in editing.row_faults]
            return {
                "removed": counts["removed"],
                "kinds": kinds,
                "counts": dict(counts),
                "faults": faults,
                "log": editing.note(),
            }

        return self.write_file(source, target, write, facts)

    def save_table(self, name: str, rows: Iterable[dict[str, Any]], columns: Mapping[str, str]) -> None:
        """Write a table beside the report."""
        write_table(self._work / name, rows, columns)

    def save(self, report: Mapping[str, Any]) -> None:
        """Write the report. The run is finished then."""
        write_atomically(self._work / REPORT_FILE, json.dumps(report, indent=1))

    def write_file(
        self,
        source: Source,
        target: Path,
        write: Callable[[Path], str] | None,
        facts: Callable[[], Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Write a file, note that it is complete with the ``facts`` known then, and return what was noted.

        If ``write`` is None, nothing is left of the file.
        """
        fault = "" if write is None else _unread(source) or self._written(target, write)
        row = {
            "file": str(target.relative_to(self.path)),
            "bytes_read": source.path.stat().st_size,
            "bytes_written": target.stat().st_size if target.exists() else 0,
            "exists": target.exists(),
            "fault": fault,
            **facts(),
        }
        with (self._work / WRITTEN_FILE).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(row) + "\n")
            journal.flush()
            os.fsync(journal.fileno())
        return row

    def _written(self, target: Path, write: Callable[[Path], str]) -> str:
        """Write a file under its name; return what is damaged."""
        temporary = self._work / PART_FILE
        try:
            _make_folder(target.parent)
            fault = write(temporary)
            sync(temporary)
            # The journal must not name a file whose name could be lost: neither the first one nor the last.
            sync(temporary.parent)
            temporary.replace(target)
            sync(target.parent)
        except arrow()[0].ArrowException as error:
            temporary.unlink(missing_ok=True)
            return f"damaged: {' '.join(str(error).split())[:160]}; not written"
        except DocumentError as error:
            temporary.unlink(missing_ok=True)
            return f"not written: {error.reason}"
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise WhorlError(f"{target}: cannot be written: {error.strerror or error}") from error
        return fault


def _unread(source: Source) -> str:
    """Return why a file of the corpus cannot be read; "" if it can. An error while it is copied would be taken for one
    of the output."""
    try:
        opened(source.path, follow=True).close()
    except (OSError, RefusedFileError) as error:
        return f"not written: {reason(error)}"
    return ""


def file_fault(source: Source, name: str, row: Mapping[str, Any], faults: Sequence[Fault]) -> list[Fault]:
    """Return what is damaged in a file of which a ``row`` was noted, unless the faults of reading say so."""
    if not row["fault"] or any(each.row == 0 and each.path in (source.name, name) for each in faults):
        return []
    return [Fault(name, 0, row["fault"])]


def _edit_report(editing: Editing, counts: Counter[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    kinds = sum((Counter(row["kinds"]) for row in rows), Counter[str]())
    documents = editing.documents if editing.documents is not None else counts["documents"]
    return {
        "documents": documents,
        "kept": documents - counts["removed"],
        "removed": counts["removed"],
        "kinds": {**dict.fromkeys(editing.kinds, 0), **kinds},
        "characters": counts["characters"],
        "mark": editing.mark,
        "keep": "first",
        "undated": 0,
    }


class JournaledFile:
    """A file that only grows. The journal notes its size and checksum with each complete file of the corpus; bytes that
    were written later are cut off when it is opened again."""

    def __init__(self, path: Path, noted: Sequence[int]) -> None:
        self._size, self._sum = noted
        self._path = path
        if self._size and (not path.exists() or summed(path, self._size) != list(noted)):
            raise damaged(path)
        path.touch()
        os.truncate(path, self._size)
        sync(path.parent)
        self._file = path.open("ab")  # at the end: what fails above leaves no open file behind

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        self._file.write(data)
        self._size, self._sum = self._size + len(data), checksum(data, self._sum)

    def note(self) -> list[int]:
        """Bring all bytes to the disk; return what the journal notes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return [self._size, self._sum]

    def read(self, kind: np.dtype[Any], step: int) -> Iterator[NDArray[Any]]:
        """Yield all items, some at a time."""
        self._file.flush()
        with self._path.open("rb") as file:
            while data := file.read(step * kind.itemsize):
                yield np.frombuffer(data, kind)


# Columns of removed.parquet: a removed row, how it is like the one that stays, and that row. Row 0 is a whole file.
REMOVED = {"file": "string", "row": "int64", "kind": "string", "kept_file": "string", "kept_row": "int64"}


class Removal(Protocol):
    """The documents to remove, by file."""

    @property
    def documents(self) -> int:
        """The number of documents."""

    @property
    def kept(self) -> int:
        """The number of documents that stay."""

    def stays(self, file: str) -> bool:
        """Return whether a file is a document that stays."""

    def rows(self, file: str) -> Sequence[int]:
        """Return the rows of a file to remove, ascending."""

    def kinds(self, file: str) -> dict[str, int]:
        """Return how many of them are alike in which way."""

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the columns of removed.parquet, some rows at a time."""


def place_of(name: str) -> tuple[str, int]:
    """Return the file of a document and its row, 0 if it is the whole file."""
    file, _, row = name.partition(ROW_MARK)
    return file, int(row or 0)


class ClusterRemoval:
    """The documents to remove of each cluster, by file."""

    def __init__(self, clustering: Clustering, keep: str, strict: bool) -> None:
        self._ids, there = clustering.ids, np.flatnonzero(clustering.is_there)
        order = _by_number(clustering) if keep == HIGHEST else KEEPS[keep](clustering)
        kept = (keep_without_pairs if strict else keep_of_clusters)(clustering, order)
        self._there, self.documents, self.kept = there, len(there), len(kept.documents)
        self._removed = np.setdiff1d(there, kept.documents, assume_unique=True)
        self._instead, self._kinds = kept.instead[self._removed], kept.kinds[self._removed]
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, Counter[str]] = {}
        for (file, row), kind in zip(map(self._place, self._removed.tolist()), self._kinds.tolist(), strict=True):
            self._rows.setdefault(file, array("q")).append(row)
            self._counts.setdefault(file, Counter())[KINDS[kind]] += 1

    def _place(self, number: int) -> tuple[str, int]:
        return place_of(self._ids[number] or "")

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The documents that are whole files."""
        removed = set(self._removed.tolist())
        names = ((number, self._ids[number] or "") for number in self._there.tolist() if number not in removed)
        return frozenset(name for _, name in names if ROW_MARK not in name)

    def stays(self, file: str) -> bool:
        """Return whether a file is a document that stays."""
        return file in self._whole

    def rows(self, file: str) -> Sequence[int]:
        """Return the rows of a file to remove, ascending."""
        return self._rows.get(file, ())

    def kinds(self, file: str) -> dict[str, int]:
        """Return how many of them are alike in which way."""
        return dict(sorted(self._counts.get(file, {}).items()))

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the columns of removed.parquet, some rows at a time."""
        for start in range(0, len(self._removed), STEP):
            removed, instead = (
                [self._place(number) for number in numbers[start : start + STEP].tolist()]
                for numbers in (self._removed, self._instead)
            )
            yield {
                "file": [file for file, _ in removed],
                "row": np.array([row for _, row in removed], np.int64),
                "kind": [KINDS[kind] for kind in self._kinds[start : start + STEP].tolist()],
                "kept_file": [file for file, _ in instead],
                "kept_row": np.array([row for _, row in instead], np.int64),
            }


def _make_folder(folder: Path) -> None:
    """Make a folder and those around it, so that their names are not lost."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync(each.parent)


def _by_number(clustering: Clustering) -> NDArray[Any]:
    """Rank by the numbers that were read in place of dates, the highest first. They are compared exactly."""
    numbers = [Decimal(number or "-inf") for number in clustering.dates]
    ranks = {number: rank for rank, number in enumerate(sorted(set(numbers)))}
    return -np.array([ranks[number] for number in numbers], np.int64)


# The number of a row, as it is behind the name of its file.
_ROW = re.compile(r"[1-9][0-9]*")


class ScreenedRemoval:
    """The documents to remove because an earlier one, stored in an index or accepted before, is like them.

    The index knows a row by the path of its file; ``names`` has the name of each path in this corpus.
    """

    # Columns of overlaps.parquet: a row that stays, a document with large parts of it, and the shares of both.
    OVERLAPS: ClassVar = {
        "file": "string", "row": "int64", "of_file": "string", "of_row": "int64",
        "resemblance": "float64", "has": "float64", "within": "float64",
    }  # fmt: skip

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names, self.documents, self.kept = names, 0, 0
        self.skipped = list[Skipped]()
        self._removed = dict[str, list[tuple[int, str, str]]]()
        self._overlaps = list[tuple[str, ScreenMatch]]()
        self._whole = set[str]()

    def note(self, answer: ScreenedDocument) -> None:
        """Note the answer of the index about a document."""
        file, row = self._place(answer.name)
        if answer.state == UNREAD:
            self.skipped.append(Skipped(_named(file, row), answer.reason or ""))
            return
        self.documents += 1
        if answer.state == DUPLICATE:
            match = answer.matches[0]
            self._removed.setdefault(file, []).append((row, match.kind, match.of))
            return
        self.kept += 1
        self._whole |= set() if row else {file}
        self._overlaps += [(answer.name, match) for match in answer.matches]

    def _place(self, name: str) -> tuple[str, int]:
        """Return the file of a document, as this corpus names it if it is of it, and the row."""
        if name in self._names:
            return self._names[name], 0
        file, _, row = name.rpartition(":")
        if not _ROW.fullmatch(row):
            return name, 0
        if file in self._names:
            return self._names[file], int(row)
        # A file of an earlier shard may have a name that ends like the name of a row.
        return (name, 0) if Path(name).is_file() else (file, int(row))

    def stays(self, file: str) -> bool:
        return file in self._whole

    def rows(self, file: str) -> Sequence[int]:
        return [row for row, _, _ in self._removed.get(file, ())]

    def kinds(self, file: str) -> dict[str, int]:
        return dict(sorted(Counter(kind for _, kind, _ in self._removed.get(file, ())).items()))

    def table(self) -> Iterator[dict[str, Any]]:
        for file, rows in self._removed.items():
            kept = [self._place(name) for _, _, name in rows]
            yield {
                "file": [file] * len(rows),
                "row": np.array([row for row, _, _ in rows], np.int64),
                "kind": [kind for _, kind, _ in rows],
                "kept_file": [kept_file for kept_file, _ in kept],
                "kept_row": np.array([row for _, row in kept], np.int64),
            }

    def overlaps(self) -> Iterator[dict[str, Any]]:
        """Yield the columns of overlaps.parquet."""
        for start in range(0, len(self._overlaps), STEP):
            part = self._overlaps[start : start + STEP]
            places, others = [self._place(name) for name, _ in part], [self._place(match.of) for _, match in part]
            shares = np.array([list(astuple(match.likeness)) for _, match in part], np.float64)
            yield {
                "file": [file for file, _ in places],
                "row": np.array([row for _, row in places], np.int64),
                "of_file": [file for file, _ in others],
                "of_row": np.array([row for _, row in others], np.int64),
                "resemblance": shares[:, 0],
                "has": shares[:, 1],
                "within": shares[:, 2],
            }


def _named(file: str, row: int) -> str:
    return f"{file}:{row}" if row else file


def totals(rows: Sequence[Mapping[str, Any]], faults: Sequence[Fault]) -> dict[str, Any]:
    return {
        "bytes_read": sum(row["bytes_read"] for row in rows),
        "bytes_written": sum(row["bytes_written"] for row in rows),
        "files": [{key: value for key, value in row.items() if key not in _JOURNALED} for row in rows],
        "faults": [asdict(fault) for fault in faults],
    }
