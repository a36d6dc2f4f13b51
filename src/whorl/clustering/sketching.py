"""Phases 1 and 2: leave out boilerplate, sample the shingles of documents into sketches, and sort
⟨shingle, document⟩."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.records import Rows
from whorl.clustering.store import RunStore, mapped
from whorl.kernel import native_postings, native_shingles
from whorl.model import Hashes
from whorl.storage.postings import Postings
from whorl.threads import Prefetch

if TYPE_CHECKING:
    from whorl.storage.segments import Segment


# Shingles sampled together.
STEP = 1 << 20

# Shingles are first counted in cells: so many at least and at most, with one in so many of the shingles that make one
# boilerplate. Few cells hold more than that by chance.
LEAST_CELLS, MOST_CELLS, CELL_PART = 1 << 16, 1 << 26, 4

# A document with a larger share of boilerplate is compared whole. It is one of a family of near-duplicates: of equal
# texts in which one word in 20 is replaced, 81% of the shingles of four words are the same.
FAMILY_SHARE = 0.75

# Candidates for boilerplate counted together.
CANDIDATES = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Boilerplate:
    """Shingles that do not count, sorted: those of ``base`` material, and the ``frequent`` ones of a corpus."""

    base: Hashes
    frequent: Hashes

    def __len__(self) -> int:
        return len(self.base) + len(self.frequent)

    def left_out(self, rows: Rows) -> Rows:
        """Return the shingles of documents that count. Frequent ones count in a document that has little else."""
        base = native_shingles.among(rows.hashes, self.base)
        frequent = native_shingles.among(rows.hashes, self.frequent)
        if len(base):
            frequent = np.setdiff1d(frequent, base, assume_unique=True)
        documents = _documents(frequent, rows)
        rest = rows.sizes - np.bincount(_documents(base, rows), minlength=len(rows))
        is_family = np.bincount(documents, minlength=len(rows)) > FAMILY_SHARE * rest
        places = np.append(base, frequent[~is_family[documents]])
        removed = np.bincount(_documents(places, rows), minlength=len(rows))
        return Rows(np.delete(rows.hashes, places), np.append(0, np.cumsum(rows.sizes - removed)))

    def write(self, shingles: Rows, values: Path, sizes: Path) -> None:
        """Write the shingles that count, and how many each document has."""
        with values.open("wb") as values_file, sizes.open("wb") as sizes_file:
            for span in shingles.spans(STEP):
                rows = self.left_out(shingles.part(*span))
                values_file.write(rows.hashes.data)
                sizes_file.write(rows.sizes.data)

    @staticmethod
    def written(values: Path, sizes: Path) -> Rows:
        """Read the shingles that count."""
        bounds = np.append(0, np.cumsum(np.fromfile(sizes, np.int64)))
        return Rows(mapped(values, np.dtype("<u8"), int(bounds[-1])), bounds, values)


def _documents(places: NDArray[np.int64], rows: Rows) -> NDArray[np.int64]:
    """Return the document of each hash, by its place."""
    return np.searchsorted(rows.bounds, places, "right") - 1


def frequent(shingles: Rows, chosen: NDArray[np.bool_], most: int) -> Hashes:
    """Return the shingles in more than ``most`` of the chosen documents, in order."""
    if np.count_nonzero(chosen) <= most:
        return np.empty(0, np.uint64)
    wanted = 1 << int(CELL_PART * shingles.bounds[-1] // most).bit_length()
    cells = np.zeros(min(MOST_CELLS, max(LEAST_CELLS, wanted)), np.uint32)
    for part in _hashes(shingles, chosen):
        native_shingles.tally(part, cells)
    hashes, counts, waiting = np.empty(0, np.uint64), np.empty(0, np.int64), list[Hashes]()
    for part in _hashes(shingles, chosen):
        waiting.append(native_shingles.above(part, cells, most))
        if sum(map(len, waiting)) > CANDIDATES:
            hashes, counts, waiting = *_added(hashes, counts, waiting), []
    hashes, counts = _added(hashes, counts, waiting)
    return hashes[counts > most]


def _hashes(shingles: Rows, chosen: NDArray[np.bool_]) -> Iterator[Hashes]:
    """Yield the shingles of the chosen documents, in parts."""
    for first, last in shingles.spans(STEP):
        part, is_chosen = shingles.part(first, last), chosen[first:last]
        yield part.hashes if is_chosen.all() else part.hashes[np.repeat(is_chosen, part.sizes)]


def _added(hashes: Hashes, counts: NDArray[np.int64], more: Sequence[Hashes]) -> tuple[Hashes, NDArray[np.int64]]:
    """Count more hashes; return each hash once, in order, with its number."""
    every = np.concatenate([hashes, *more])
    numbers = np.append(counts, np.ones(len(every) - len(counts), np.int64))
    order = np.argsort(every, kind="stable")
    every, numbers = every[order], numbers[order]
    starts = np.flatnonzero(np.append(True, every[1:] != every[:-1])[: len(every)])
    return every[starts], np.add.reduceat(numbers, starts) if len(starts) else numbers


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """The sketch of each document, one in how many shingles it keeps, and how many a coarser sketch would keep:
    ``level_counts[i, j]`` are 0 modulo 2^j."""

    rows: Rows
    moduli: NDArray[np.int32]
    level_counts: NDArray[np.int32]


def draw(shingles: Rows, folder: Path, settings: ClusterSettings, name: str) -> tuple[str, str]:
    """Write the sketches of all documents under a name; return the names of the files."""
    values_path, columns_path = _paths(folder, name)

    def sample(span: tuple[int, int]) -> tuple[Hashes, NDArray[np.int32]]:
        part = shingles.part(*span)
        values, ends, moduli = native_shingles.sample(part.hashes, part.bounds, settings.modulus, settings.least)
        levels = native_shingles.levels(values, ends, settings.modulus.bit_length())
        return values, np.column_stack([moduli, levels])

    with (
        values_path.open("wb") as values_file,
        columns_path.open("wb") as columns_file,
        Prefetch(settings.threads) as ahead,
    ):
        for values, counts in ahead.map(sample, shingles.spans(STEP)):
            values_file.write(values.data)
            columns_file.write(counts.data)
    return values_path.name, columns_path.name


def drawn(folder: Path, count: int, settings: ClusterSettings, name: str) -> Sketches:
    """Read the sketches that were written."""
    values, columns = _paths(folder, name)
    table = np.fromfile(columns, np.int32).reshape(count, 1 + settings.modulus.bit_length())
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(table[:, 1], out=bounds[1:])
    rows = Rows(mapped(values, np.dtype("<u8"), int(bounds[-1])), bounds, values)
    return Sketches(rows, table[:, 0], table[:, 1:])


class CountingShingles:
    """The shingles of a run that count, without boilerplate, and their sketches. They are kept in the run's folder."""

    def __init__(self, store: RunStore, settings: ClusterSettings) -> None:
        self._store, self._settings = store, settings

    def prepare(self, chosen: NDArray[np.bool_], base: Hashes) -> None:
        """Find the boilerplate of the chosen documents, and sketch all documents, unless an earlier run did."""
        self._leave_out(chosen, base)
        store, drawings = self._store, self._store.state.get("sketches", [])
        if self.name not in drawings:
            store.finish(*draw(self.shingles, store.folder, self._settings, self.name))
            store.save(sketches=[*drawings, self.name])

    def _leave_out(self, chosen: NDArray[np.bool_], base: Hashes) -> None:
        """Write the shingles that count, unless all do."""
        store, most = self._store, self._settings.most_documents(int(chosen.sum()))
        policy = {"most": most, "base": sha256(base.tobytes()).hexdigest()}
        if store.state.get("counting", {}).get("policy") == policy:
            return
        boilerplate = Boilerplate(base, frequent(store.shingles, chosen, most))
        names = [store.new_name(stem) for stem in ("counting", "counts")] if len(boilerplate) else []
        if names:
            boilerplate.write(store.shingles, *(store.folder / name for name in names))
        self._drop()
        store.finish(*names)
        store.save(counting={"policy": policy, "files": names, "boilerplate": len(boilerplate.frequent)})

    def _drop(self) -> None:
        """Forget the shingles that counted, and the sketches of them."""
        if names := self._files:
            sketches = self._store.state.get("sketches", [])
            outdated = [name for name in sketches if name.endswith(names[0])]
            paths = [path.name for name in outdated for path in _paths(self._store.folder, name)]
            self._store.drop(*names, *paths)
            self._store.state["sketches"] = [name for name in sketches if name not in outdated]

    @property
    def _files(self) -> list[str]:
        """The names of the files with the shingles that count; none if all do."""
        names: list[str] = self._store.state.get("counting", {}).get("files", [])
        return names

    @property
    def boilerplate(self) -> int:
        """The number of shingles in too many documents."""
        return int(self._store.state["counting"]["boilerplate"])

    @property
    def shingles(self) -> Rows:
        """The shingles that count."""
        if not self._files:
            return self._store.shingles
        return Boilerplate.written(*(self._store.folder / name for name in self._files))

    @property
    def name(self) -> str:
        """The name of the sketches."""
        return "-".join([sampling(self._settings), *self._files[:1]])

    def sketches(self) -> Sketches:
        """Read the sketches."""
        return drawn(self._store.folder, self._store.documents, self._settings, self.name)


def common_among(sketches: Sketches, common: Hashes) -> NDArray[np.int32]:
    """Return how many of each document's values, counted as in ``Sketches.level_counts``, are common. ``common`` is
    sorted."""
    count = sketches.level_counts.shape[1]
    counts = np.zeros((len(sketches.level_counts), count), np.int32)
    for first, last in sketches.rows.spans(STEP) if len(common) else ():
        part = sketches.rows.part(first, last)
        is_common = native_shingles.among(part.hashes, common)
        bounds = np.searchsorted(is_common, part.bounds)
        counts[first:last] = native_shingles.levels(part.hashes[is_common], bounds, count)
    return counts


def sampling(settings: ClusterSettings) -> str:
    """Return a name for the sampling settings."""
    return f"{settings.modulus}-{settings.least}"


def _paths(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"sketches-{name}", folder / f"moduli-{name}"


# Bytes to sort a posting: itself, its copies, the order, and the next one, read meanwhile.
EACH = 64

# Shingles per step of making super shingles.
SHINGLES = 1 << 22


def sorted_postings(posted: Iterable[Postings], folder: Path, memory: int, threads: int = 1) -> Iterator[Postings]:
    """Sort postings that come in parts, each of which fits in memory; yield parts of about the same size.

    A hash is never in two parts. Segments of the index hold what does not fit.
    """
    runs: list[Segment] = []
    waiting = Postings.none()
    for part in posted:
        if len(waiting):
            runs.append(_run(waiting.in_order(threads), folder, len(runs)))
        waiting = part
    if not runs:
        yield waiting.in_order(threads)
        return
    runs.append(_run(waiting.in_order(threads), folder, len(runs)))
    del waiting, part
    yield from _gathered(runs, max(1, memory // EACH))
    for run in runs:
        run.close()
        run.path.unlink()


def _run(part: Postings, folder: Path, number: int) -> "Segment":
    from whorl.storage.segment_writer import write_segment
    from whorl.storage.segments import Segment  # what fits does without

    path = folder / f"run-{number:06}.segment"
    documents = (int(part.documents.min()), int(part.documents.max())) if len(part) else (0, 0)
    write_segment(path, [part], expected=len(part), documents=documents, scheme="run", key="run")
    return Segment.open(path)


def _gathered(runs: Sequence["Segment"], size: int) -> Iterator[Postings]:
    """Merge the postings of all runs; yield so many at a time."""
    from whorl.storage.segment_writer import merge

    waiting, count = list[Postings](), 0
    for part in merge(runs):
        waiting.append(part)
        count += len(part)
        if count >= size:
            yield Postings.joined(waiting)
            waiting, count = [], 0
            for run in runs:
                run.forget()
    if waiting:
        yield Postings.joined(waiting)


def sketched(sketches: Rows, chosen: NDArray[np.bool_], memory: int) -> Iterator[Postings]:
    """Yield the postings of the chosen documents' sketches, as many at a time as can be sorted in this memory."""
    for first, last in sketches.spans(max(1, memory // EACH)):
        part = sketches.part(first, last)
        yield _posted(part.hashes, part.bounds, first, chosen)


def super_shingled(shingles: Rows, chosen: NDArray[np.bool_], memory: int, threshold: float) -> Iterator[Postings]:
    """Yield the postings of the chosen documents' super shingles, likewise."""
    from whorl.engine.super_shingles import binned, size_for

    waiting, count = [Postings.none()], 0
    for first, last in shingles.spans(SHINGLES):
        part = shingles.part(first, last)
        values, lengths = binned(part.hashes, part.bounds, size_for(threshold))
        waiting.append(_posted(values, np.concatenate([[0], np.cumsum(lengths)]), first, chosen))
        count += len(waiting[-1])
        if count * EACH >= memory:
            yield Postings.joined(waiting)
            waiting, count = [Postings.none()], 0
    yield Postings.joined(waiting)


def _posted(values: Hashes, bounds: NDArray[np.int64], first: int, chosen: NDArray[np.bool_]) -> Postings:
    """Return the postings of consecutive documents from ``first`` on, as far as they are chosen."""
    is_chosen = chosen[first : first + len(bounds) - 1].view(np.uint8)
    hashes, documents = native_postings.post(values, bounds, is_chosen, first)
    return Postings(hashes, documents, np.zeros(len(documents), np.uint32))
