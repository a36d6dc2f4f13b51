"""The output folder of a clustering: write its tables and summary, replace them atomically, read them again."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.dates import newest_first, undated
from whorl.clustering.joining import Measured
from whorl.clustering.records import TextColumn
from whorl.clustering.result import IDENTICAL, KINDS, UNIQUE, Clustering, Kept, keep_of_clusters, keep_without_pairs
from whorl.clustering.store import sync
from whorl.errors import InputError, WhorlError
from whorl.formats.corpora.parquet import DOCUMENTS, PAIRS, ROW_GROUP, WIDTHS, arrow, coded, coded_by, write_table
from whorl.formats.corpora.records import kinds_of_faults
from whorl.storage import checksums
from whorl.threads import Prefetch

# Subfolders of an output folder: files being written, and complete files that replace the others.
STAGES = UNFINISHED, FINISHED = "unfinished", "finished"

# The list of checksums.
SUMS_FILE = "checksums.txt"


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a folder to write new files to, of the same name; on success they replace the old ones."""
    settle(folder)
    staged = folder / UNFINISHED / folder.resolve().name
    with _translated(folder):
        shutil.rmtree(folder / UNFINISHED, ignore_errors=True)
        staged.mkdir(parents=True)
    try:
        yield staged
        with _translated(folder):
            _finish(folder, staged)
    finally:
        shutil.rmtree(folder / UNFINISHED, ignore_errors=True)
    settle(folder)


def settle(folder: Path) -> None:
    """Finish the replacement of a run that stopped after its commit."""
    finished = folder / FINISHED
    if not finished.is_dir():
        return
    with _translated(folder):
        for path in sorted(finished.iterdir(), key=lambda path: path.name == SUMS_FILE):
            path.replace(folder / path.name)
        sync(folder)
        finished.rmdir()


def check(folder: Path, *names: str) -> None:
    """Raise InputError if a file differs from its checksum: all files, or the named ones.

    Folders from before there were checksums have none to check.
    """
    settle(folder)
    if not (folder / SUMS_FILE).exists():
        return
    sums = _sums(folder / SUMS_FILE)
    for name in names or sorted(sums):
        path = folder / name
        if sums.get(name) != (checksums.digest(path) if path.is_file() else None):
            raise InputError(f"{path}: damaged: its checksum is wrong; cluster again, into another folder")


def _finish(folder: Path, staged: Path) -> None:
    paths = sorted(path for path in staged.iterdir() if path.is_file())
    (staged / SUMS_FILE).write_text(checksums.listed(staged, paths), "utf-8")
    for path in (*paths, staged / SUMS_FILE, staged, staged.parent, folder):
        sync(path)
    staged.rename(folder / FINISHED)
    sync(folder)


def _sums(path: Path) -> dict[str, str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    sums = checksums.read(text)
    if sums is None:
        raise InputError(f"{path}: damaged: its checksum is wrong; cluster again, into another folder")
    return sums


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WhorlError(f"{folder}: cannot be written: {error.strerror or error}") from error


DOCUMENTS_FILE = "documents.parquet"
PAIRS_FILE = "pairs.parquet"
SUMMARY_FILE = "summary.json"

# Summary field with the number of pairs by hundredths of their measure, and its length.
HUNDREDTHS, BINS = "pairs_by_hundredth", 101


class ParquetTable:
    """A table of an output folder with at least the named columns. Those of ``coded`` come dictionary-encoded."""

    def __init__(self, path: Path, columns: Mapping[str, str], coded: Sequence[str] = ()) -> None:
        pa, pq = arrow()
        if not path.is_file():
            raise InputError(f"{path}: no such file; give the folder that 'whorl cluster -o' wrote")
        self._path = path
        try:
            self._file = pq.ParquetFile(path, read_dictionary=list(coded))
        except (OSError, pa.ArrowException) as error:
            raise self._damaged(error) from error
        self._places = {name: place for place, name in enumerate(self._file.schema_arrow.names)}
        missing = [name for name in columns if name not in self._places]
        if missing:
            raise InputError(f"{path}: no column {', '.join(missing)}; cluster again, into another folder")

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def batches(self, *columns: str) -> Iterator[dict[str, Any]]:
        """Yield these columns as Arrow arrays, some rows at a time."""
        coming = self._file.iter_batches(ROW_GROUP, columns=list(columns))
        while (batch := self._read(lambda: next(coming, None))) is not None:
            yield {name: batch.column(name) for name in columns}

    def rows(self, key: str, values: Sequence[Any], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows whose ``key`` is one of the values, in order.

        Skips a row group whose minimum and maximum rule all values out; of one without a match, reads only the key.
        """
        pa, _ = arrow()
        from pyarrow import compute

        if not values:
            return
        wanted = pa.array(values, self._file.schema_arrow.field(key).type)
        for number in range(self._file.metadata.num_row_groups):
            if self._may_have(number, key, values):
                is_wanted = compute.is_in(self._group(number, [key]).column(0), value_set=wanted)
                if compute.any(is_wanted).as_py():
                    yield from self._group(number, list(columns)).filter(is_wanted).to_pylist()

    def take(self, places: NDArray[np.int64], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows at these ascending places. Skips row groups without any."""
        start = 0
        for number in range(self._file.metadata.num_row_groups):
            end = start + self._file.metadata.row_group(number).num_rows
            inside = places[(places >= start) & (places < end)] - start
            if len(inside):
                # Value by value: Arrow's ``take`` imports all of its functions, which takes 0.2 s.
                group = {name: self._group(number, [name]).column(0) for name in columns}
                yield from ({name: group[name][row].as_py() for name in columns} for row in inside.tolist())
            start = end

    def _may_have(self, number: int, key: str, values: Sequence[Any]) -> bool:
        known = self._file.metadata.row_group(number).column(self._places[key]).statistics
        if known is None or not known.has_min_max:
            return True
        return any(known.min <= value <= known.max for value in values)

    def _group(self, number: int, columns: list[str]) -> Any:
        return self._read(lambda: self._file.read_row_group(number, columns=columns))

    def _read(self, reading: Callable[[], Any]) -> Any:
        try:
            return reading()
        except (OSError, arrow()[0].ArrowException) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> InputError:
        return InputError(f"{self._path}: cannot be read as Parquet: {error}; cluster again, into another folder")


def numbers(column: Any, missing: float = 0) -> NDArray[Any]:
    """Return an Arrow array of numbers as a NumPy array; null becomes ``missing``."""
    kind = WIDTHS.get(str(column.type))
    if kind is not None and not column.null_count:
        # Without a copy: Arrow's own conversion imports pandas if installed, which takes half a second.
        return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)
    filled = column.fill_null(missing) if column.null_count else column
    values: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values)


def summary(folder: Path) -> dict[str, Any]:
    """Read summary.json."""
    path = folder / SUMMARY_FILE
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; give the folder that 'whorl cluster -o' wrote") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON: {error}; cluster again, into another folder") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a summary of a clustering; cluster again, into another folder")
    return content


# The ids to keep, one a line, and as a table that keeps their type.
KEEP_FILE, KEEP_TABLE = "keep.txt", "keep.parquet"

# The documents to drop that have a URL, each with the one that is kept for it.
URLS_FILE = "urls.parquet"
URLS = {"url": "string", "date": "string", "kind": "string", "kept_url": "string", "kept_date": "string"}

# Rows written at a time.
STEP = 1 << 16

# Number of left-out items listed in the summary; it counts all of them.
LISTED = 1000


def _longest(clustering: Clustering) -> NDArray[Any]:
    return -(clustering.sizes if clustering.lengths is None else clustering.lengths)


# Which document of a cluster to keep: the least by one of these; ties go to the representative, then to the first.
KEEPS: Mapping[str, Callable[[Clustering], NDArray[Any]]] = {
    "representative": lambda clustering: np.zeros(len(clustering.cluster), np.int64),
    "first": lambda clustering: np.arange(len(clustering.cluster)),
    "longest": _longest,
    "newest": newest_first,
}


def check_keep(keep: str) -> None:
    """Raise InputError for an unknown choice."""
    if keep not in KEEPS:
        raise InputError(f"keep: {keep!r} is unknown; choose one of {', '.join(KEEPS)}")


def kept_documents(clustering: Clustering, keep: str = "representative", strict: bool = False) -> NDArray[np.int64]:
    """Return one document of every cluster, and every single document, in order; if ``strict``, no two of which are a
    pair."""
    return _kept(clustering, keep, strict).documents


def _kept(clustering: Clustering, keep: str, strict: bool) -> Kept:
    return (keep_without_pairs if strict else keep_of_clusters)(clustering, KEEPS[keep](clustering))


def check_strict(settings: ClusterSettings) -> None:
    """Raise InputError if not all pairs are known, or if a pair does not make either document superfluous."""
    if settings.super_shingles or settings.measure != "resemblance":
        raise InputError("strict: needs the resemblance of all pairs; leave out super shingles and containment")


def write(
    clustering: Clustering,
    folder: Path,
    settings: ClusterSettings,
    keep: str,
    left_out: Sequence[Mapping[str, Any]],
    integers: int = 0,
    strict: bool = False,
    sources: Sequence[tuple[str, int]] = (),
) -> dict[str, Any]:
    """Write all files of the folder except the pairs; return the summary. ``integers`` ids are integers in the corpus;
    ``sources`` are the files that the documents come from, each with its number of documents, in order."""
    write_table(folder / DOCUMENTS_FILE, _documents(clustering), DOCUMENTS)
    kept = _kept(clustering, keep, strict)
    chosen = kept.documents
    write_table(folder / URLS_FILE, _urls(clustering, kept), URLS)
    _write_keep(folder / KEEP_TABLE, clustering.ids, chosen, integers == len(clustering.ids))
    summary = {
        **_counts(clustering),
        HUNDREDTHS: hundredths(clustering.pairs.measure(settings.measure)).tolist(),
        "kept": len(chosen),
        **_dropped(clustering, chosen, sources),
        "keep": keep,
        "strict": strict,
        "undated": undated(clustering, keep),
        "settings": asdict(settings),
        "phases": [asdict(phase) for phase in clustering.phases],
        "left_out": len(left_out),
        "reasons": [asdict(kind) for kind in kinds_of_faults(left_out)[:LISTED]],
        "skipped": list(left_out[:LISTED]),
    }
    try:
        with (folder / KEEP_FILE).open("wb") as file:
            for start in range(0, len(chosen), STEP):
                file.write(clustering.ids.lines(chosen[start : start + STEP]))
        (folder / SUMMARY_FILE).write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise WhorlError(f"{folder}: cannot be written: {error.strerror or error}") from error
    return summary


def _write_keep(path: Path, ids: TextColumn, chosen: NDArray[np.int64], are_integers: bool) -> None:
    """Write the ids to keep as a table: as 64-bit integers if all ids of the corpus are, else as texts."""
    starts = range(0, len(chosen), STEP)
    if are_integers:
        try:
            numbers = np.array(ids.lines(chosen).split(), np.int64)
        except OverflowError:
            pass  # an id needs more than 64 bits
        else:
            write_table(path, ({"id": numbers[start : start + STEP]} for start in starts), {"id": "int64"})
            return
    column = _Column(ids)
    write_table(path, ({"id": column.take(chosen[start : start + STEP])} for start in starts), {"id": "string"})


def write_pairs(ids: TextColumn, pairs: Measured, folder: Path, threads: int = 1) -> None:
    """Write the table of pairs, the largest file. One thread writes; the others prepare columns."""
    names = _Column(ids)

    def part(start: int) -> dict[str, Any]:
        chosen = pairs.chosen(slice(start, start + STEP))
        return {
            "left": names.take(chosen.left),
            "right": names.take(chosen.right),
            "resemblance": chosen.resemblance,
            "left_in_right": chosen.left_in_right,
            "right_in_left": chosen.right_in_left,
            "shared": np.rint(chosen.shared).astype(np.int64),
        }

    with Prefetch(threads) as ahead:
        write_table(folder / PAIRS_FILE, ahead.map(part, range(0, len(pairs), STEP)), PAIRS)


def hundredths(measures: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many measures have each number of hundredths, from 0 to 100."""
    # 0.29 * 100 is a little less than 29, so add a small amount before rounding down.
    return np.bincount(np.floor(100 * measures + 1e-9).astype(np.int64), minlength=BINS)


def _counts(clustering: Clustering) -> dict[str, Any]:
    numbers = np.flatnonzero(clustering.is_there)
    sizes = np.bincount(clustering.cluster[numbers], minlength=1)
    mixed = np.zeros(len(sizes), np.bool_)
    mixed[clustering.cluster[numbers[~np.isin(clustering.kind[numbers], (UNIQUE, IDENTICAL))]]] = True
    clusters = sizes > 1
    kinds = np.bincount(clustering.kind[numbers], minlength=len(KINDS)).tolist()
    return {
        "scheme": clustering.scheme.id,
        "documents": len(numbers),
        "bytes": int(clustering.sizes.sum()),
        "shingles": clustering.shingles,
        "clusters": int(clusters.sum()),
        "identical_clusters": int((clusters & ~mixed).sum()),
        "in_clusters": int(sizes[clusters].sum()),
        "largest": int(sizes[clusters].max(initial=0)),
        "pairs": len(clustering.pairs),
        "common_shingles": clustering.common,
        "boilerplate_shingles": clustering.boilerplate,
        "kinds": {kind: count for kind, count in zip(KINDS, kinds, strict=True) if count},
    }


def _dropped(clustering: Clustering, kept: NDArray[np.int64], sources: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """Return the bytes that are dropped, and documents and bytes by source, those that lose most first."""
    is_dropped = clustering.is_there.copy()
    is_dropped[kept] = False
    dropped_bytes = {"dropped_bytes": int(clustering.sizes[is_dropped].sum())}
    names = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in sources))}
    source = np.repeat([names[name] for name, _ in sources], [count for _, count in sources])
    if not names or len(source) != len(is_dropped):
        return {**dropped_bytes, "source_count": 0, "sources": []}

    def counted(rows: NDArray[np.bool_], weights: NDArray[np.int64]) -> list[int]:
        return [*map(int, np.bincount(source[rows], weights[rows], len(names)))]

    ones = np.ones(len(source), np.int64)
    columns = (
        counted(clustering.is_there, ones), counted(is_dropped, ones),
        counted(clustering.is_there, clustering.sizes), counted(is_dropped, clustering.sizes),
    )  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"file": name, "documents": documents, "dropped": dropped, "bytes": size, "dropped_bytes": dropped_size}
        for name, documents, dropped, size, dropped_size in zip(names, *columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row["dropped_bytes"], -row["dropped"], row["file"]))
    return {**dropped_bytes, "source_count": len(rows), "sources": rows[:LISTED]}


def _documents(clustering: Clustering) -> Iterator[dict[str, Any]]:
    ids, urls, dates = _Column(clustering.ids), _Column(clustering.urls), _Column(clustering.dates)
    kinds = [kind.encode() for kind in KINDS]
    numbers = np.flatnonzero(clustering.is_there)
    for start in range(0, len(numbers), STEP):
        part = numbers[start : start + STEP]
        yield {
            "id": ids.take(part),
            "cluster": clustering.cluster[part],
            "representative": ids.take(clustering.cluster[part]),
            "similarity": clustering.similarity[part],
            "kind": coded(clustering.kind[part].astype(np.int32), kinds),
            "url": urls.take(part),
            "date": dates.take(part),
        }


def _urls(clustering: Clustering, kept: Kept) -> Iterator[dict[str, Any]]:
    urls, dates, kinds = _Column(clustering.urls), _Column(clustering.dates), [kind.encode() for kind in KINDS]
    is_dropped = clustering.is_there & clustering.urls.is_there & (kept.instead != np.arange(len(kept.instead)))
    numbers = np.flatnonzero(is_dropped)
    for start in range(0, len(numbers), STEP):
        part = numbers[start : start + STEP]
        yield {
            "url": urls.take(part),
            "date": dates.take(part),
            "kind": coded(kept.kinds[part].astype(np.int32), kinds),
            "kept_url": urls.take(kept.instead[part]),
            "kept_date": dates.take(kept.instead[part]),
        }


class _Column:
    """Texts as Arrow arrays, without a Python object for each."""

    def __init__(self, texts: TextColumn) -> None:
        self._texts = texts

    def take(self, numbers: NDArray[Any]) -> Any:
        """Return the texts of some documents, dictionary-encoded, so that Arrow need not search for equal texts."""
        is_wanted = np.zeros(len(self._texts), np.bool_)
        is_wanted[numbers] = True
        places = np.cumsum(is_wanted, dtype=np.int32) - np.int32(1)
        data, ends = self._texts.packed(np.flatnonzero(is_wanted))
        return coded_by(places[numbers], data, ends, self._texts.is_there[numbers])
