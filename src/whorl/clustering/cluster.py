"""``whorl.cluster``: run the four phases in a folder, each resumable."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import PairCounter, counted
from whorl.clustering.joining import Measured, Measurer, components, similarities, stars
from whorl.clustering.reading import ShingleReader, base_shingles, batches
from whorl.clustering.records import DocumentBatch, Item, Records, TextColumn, items_of
from whorl.clustering.result import CONTAINED, NEAR, UNIQUE, Clustering, Equals, PhaseCost, set_aside
from whorl.clustering.sketching import CountingShingles, sketched, sorted_postings, super_shingled
from whorl.clustering.store import AFRESH, RunStore
from whorl.engine.hashing import Key
from whorl.errors import InputError
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.records import DEFAULT as DEFAULT_COLUMNS
from whorl.formats.corpora.records import Columns, DigestSet
from whorl.kernel import native_seen
from whorl.model import Hashes, Skipped
from whorl.scheme import Scheme, resolve
from whorl.storage.postings import Postings
from whorl.threads import Prefetch

# Called with the phase, the amount done, and the total if it is known.
Progress = Callable[[str, int, int | None], object]

# One side of pairs: document numbers.
Side: TypeAlias = NDArray[np.int32]

# The phases, in order.
SKETCH, SORT, COUNT, JOIN = PHASES = ("sketch", "sort", "count pairs", "join")

PAIRS, COMMON, JOINED = "pairs", "common", "joined"

# Pairs just below the threshold that are kept, as examples.
EXAMPLES = 5

# Part of the memory budget for sorting, and for counting, which runs at the same time.
SHARE = 3


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """The result of the last phase: all pairs, the head of each document and how alike they are, and pairs just below
    the threshold."""

    pairs: Measured
    heads: NDArray[np.int64]
    similarity: NDArray[np.float64]
    below: Measured

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            for column in (*(getattr(self.pairs, name) for name in Measured.__slots__), self.heads, self.similarity):
                # NumPy would write past the buffer of this file, through a stream of its own.
                npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(column))
                file.write(np.ascontiguousarray(column).view(np.uint8).data)

    @classmethod
    def read(cls, path: Path, below: Sequence[Sequence[float]]) -> Self:
        """Read a file; ``below`` has the columns that are in the state."""
        with path.open("rb") as file:
            columns = [np.load(file) for _ in range(len(Measured.__slots__) + 2)]
        pairs, heads, similarity = columns[:-2], columns[-2], columns[-1]
        missed = Measured(*(np.array(values, column.dtype) for values, column in zip(below, pairs, strict=True)))
        return cls(Measured(*pairs), heads, similarity, missed)


class ClusteringRun:
    """The phases over one folder.

    A finished phase is noted there and not repeated, unless its settings change: another threshold or joining policy
    repeats only the last phase. The shingles of ``base`` do not count.
    """

    def __init__(
        self,
        folder: Path,
        scheme: Scheme,
        settings: ClusterSettings,
        corpus: str | None = None,
        progress: Progress | None = None,
        base: Hashes | None = None,
    ) -> None:
        self._scheme, self._settings, self._key = scheme, settings, Key.PUBLIC
        self._base = np.empty(0, np.uint64) if base is None else base
        self._progress: Progress = progress or (lambda stage, done, total: None)
        self._corpus = corpus is not None
        self._store = RunStore(folder)
        self._counting = CountingShingles(self._store, settings)
        try:
            self._begin({"scheme": scheme.id, "key": self._key.id, "corpus": corpus or ""})
        except InputError:
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._store.save()
        self._store.close()

    def _begin(self, recipe: dict[str, str]) -> None:
        state = self._store.state
        for what, value in state.setdefault("recipe", recipe).items():
            if recipe[what] not in ("", value):
                raise InputError(f"{self._store.folder}: made with another {what}; choose another folder, or {AFRESH}")
        state.setdefault("phases", {})

    def report(self, done: int, total: int | None) -> None:
        """Report the documents read so far."""
        self._progress(SKETCH, done, total)

    @property
    def is_read(self) -> bool:
        """Whether all documents were read; then they are not needed again."""
        return bool(self._store.state.get("read"))

    @property
    def faults(self) -> list[dict[str, Any]]:
        """The faults of the corpus when it was read."""
        faults: list[dict[str, Any]] = self._store.state.get("faults", [])
        return faults

    @property
    def corpus(self) -> str:
        """The identity of the corpus that was read."""
        return str(self._store.state["recipe"]["corpus"])

    def note(self, name: str, otherwise: Any) -> Any:
        """Return a note of ``sketch``, when all documents were read."""
        return self._store.state.get(name, otherwise)

    def sketch(
        self,
        items: Iterable[Item | Sheet],
        faults: Sequence[Mapping[str, Any]] = (),
        notes: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """Phase 1: read every document once and sketch it. Resumes where it stopped.

        ``faults``, which may grow while documents are read, and the ``notes`` at the end are stored with them.
        """
        store = self._store
        with self._charged(SKETCH):
            if not self.is_read:
                self._read(items)
                store.save(read=True, faults=list(faults), **notes())
            with store.translate_os_errors():
                self._counting.prepare(self._equals.rows, self._base)

    def _read(self, items: Iterable[Item | Sheet]) -> None:
        store = self._store
        seen = DigestSet()
        if store.documents:
            _remember(seen, store.records)
        reader = ShingleReader(self._scheme, self._key, seen)

        def add(batch: DocumentBatch) -> None:
            store.add(batch)
            _remember(seen, batch.records)

        with Prefetch(self._settings.threads) as ahead:
            ahead.each(reader.read, batches(self._rest(items)), add)

    def _rest(self, items: Iterable[Item | Sheet]) -> Iterator[Item | Sheet]:
        """Return the documents that are not in the store yet. The last stored id shows whether the corpus is the
        same."""
        left = self._store.documents
        if not left:
            return iter(items)
        last = self._store.texts("id")[left - 1]
        self._store.forget()
        return self._from(iter(items), left, last)

    def _from(self, items: Iterator[Item | Sheet], left: int, last: str | None) -> Iterator[Item | Sheet]:
        """Skip so many documents, the last of which must have this id."""
        while left:
            item = next(items, None)
            behind = [] if item is None else item.ids[:left] if isinstance(item, Sheet) else [item.name]
            left -= len(behind)
            if item is None or (not left and behind[-1] != last):
                raise InputError(f"{self._store.folder}: the corpus has changed since the last run; {AFRESH}")
            if isinstance(item, Sheet) and len(behind) < len(item):
                yield item.chosen(np.arange(len(item)) >= len(behind))
        yield from items

    @cached_property
    def _equals(self) -> Equals:
        """The documents that equal an earlier one."""
        return set_aside(self._store.records)

    def pair(self) -> None:
        """Phases 2 and 3: sort ⟨shingle, document⟩, expand to ⟨document, document, count⟩."""
        store, policy = self._store, _policy(self._settings, self._counting.name)
        if store.state.get("pairs", {}).get("policy") == policy:
            return
        equals = self._equals
        share = self._settings.memory // SHARE
        settings = self._settings
        counter = PairCounter(
            store.folder, store.documents, share, settings.common, settings.super_shingles, settings.threads
        )
        parts = sorted_postings(self._postings(equals.rows, share), store.folder, share, settings.threads)
        postings, total = 0, self._posted(equals)
        while (part := self._next(parts)) is not None:
            with self._charged(COUNT), store.translate_os_errors():
                counter.add(part)
            postings += len(part)
            self._progress(COUNT, postings, total)
        with self._charged(COUNT), store.translate_os_errors():
            pairs, common = store.new_name(PAIRS), store.new_name(COMMON)
            count = counter.write(store.folder / pairs)
            (store.folder / common).write_bytes(counter.common.data)
            store.drop(*self._paired().values(), *self._forget_joined())
            store.finish(pairs, common)
        facts = {"policy": policy, "postings": postings, "count": count, "common": len(counter.common)}
        store.save(pairs={**facts, "files": {PAIRS: pairs, COMMON: common}})

    def _paired(self) -> dict[str, str]:
        """Return the names of the files of phases 2 and 3."""
        names: dict[str, str] = self._store.state.get("pairs", {}).get("files", {})
        return names

    def _path(self, what: str) -> Path:
        return self._store.folder / self._paired()[what]

    def _posted(self, equals: Equals) -> int:
        """Return the maximum number of postings."""
        if self._settings.super_shingles:
            from whorl.engine.super_shingles import GROUPS  # who does without them does without this

            return GROUPS * int(equals.rows.sum())
        return int(self._counting.sketches().rows.sizes[equals.rows].sum())

    def _next(self, parts: Iterator[Postings]) -> Postings | None:
        with self._charged(SORT), self._store.translate_os_errors():
            return next(parts, None)

    def _postings(self, chosen: NDArray[np.bool_], memory: int) -> Iterator[Postings]:
        settings = self._settings
        if settings.super_shingles:
            return super_shingled(self._counting.shingles, chosen, memory, settings.threshold)
        return sketched(self._counting.sketches().rows, chosen, memory)

    def join(self, paired: Callable[[TextColumn, Measured], object] | None = None) -> Clustering:
        """Phase 4: verify the candidate pairs and join them to clusters. ``paired`` gets the ids and the pairs as soon
        as they are known."""
        with self._charged(JOIN):
            joined = self._joined_before()
            if joined is None:
                joined = self._join(paired)
                if self._corpus:
                    self._remember(joined)
            elif paired is not None:
                paired(self._store.texts("id"), joined.pairs)
        self._store.save()
        return self._result(self._equals, joined)

    def _join(self, paired: Callable[[TextColumn, Measured], object] | None) -> "_Joined":
        store, settings = self._store, self._settings
        ties = np.ascontiguousarray(store.records["shingle"][:, 0])
        common = np.fromfile(self._path(COMMON), np.uint64)
        measurer = Measurer(self._counting.shingles, self._counting.sketches(), common, settings)
        with store.translate_os_errors():
            pairs = self._alike(measurer)
        if paired is not None:
            paired(store.texts("id"), pairs)
        if settings.closure:
            heads = components(store.documents, pairs, ties)
        else:
            heads = stars(store.documents, pairs, ties, settings)
        return _Joined(pairs, heads, self._similarity(measurer, heads, pairs), measurer.missed(EXAMPLES))

    def _joined_before(self) -> "_Joined | None":
        """Return the result of this phase if an earlier run with the same settings left it."""
        noted = self._store.state.get(JOINED, {})
        if noted.get("policy") != self._joining_policy():
            return None
        with self._store.translate_os_errors():
            return _Joined.read(self._store.folder / noted["file"], noted.get("below", [[]] * len(Measured.__slots__)))

    def _remember(self, joined: "_Joined") -> None:
        """Keep the result for a run that only chooses other documents of the clusters."""
        # No name is used again: the state on the disk may still name a file that is forgotten here.
        store, number = self._store, self._store.state.get("joins", 0) + 1
        name = f"{JOINED}.{number}"
        with store.translate_os_errors():
            joined.write(store.folder / name)
        store.drop(*self._forget_joined())
        store.finish(name)
        below = [getattr(joined.below, column).tolist() for column in Measured.__slots__]
        noted = {"policy": self._joining_policy(), "file": name, "below": below}
        store.save(**{JOINED: noted, "joins": number})

    def _forget_joined(self) -> list[str]:
        """Forget the result of the last phase; return its file."""
        before = self._store.state.pop(JOINED, None)
        return [] if before is None else [before["file"]]

    def _joining_policy(self) -> dict[str, Any]:
        """Return the settings that clusters depend on."""
        names = ("threshold", "measure", "closure", "estimate")
        return {
            "pairs": self._store.state["pairs"]["policy"],
            **{name: getattr(self._settings, name) for name in names},
        }

    def _alike(self, measurer: Measurer) -> Measured:
        total, done = int(self._store.state["pairs"]["count"]), 0

        def report(count: int) -> None:
            nonlocal done
            done += count
            self._progress(JOIN, done, total)

        with Prefetch(self._settings.threads) as ahead:
            if not self._settings.estimate:
                hopeful = measurer.candidates(counted(self._path(PAIRS)), ahead, report)
                return Measured.joined(part for pairs in hopeful for part in measurer.verified(*pairs, ahead, report))
            measured = []
            for part, alike in ahead.map(
                lambda part: (len(part), measurer.estimated(part)), counted(self._path(PAIRS))
            ):
                measured.append(alike)
                report(part)
            return Measured.joined(measured)

    def _similarity(self, measurer: Measurer, heads: NDArray[np.int64], pairs: Measured) -> NDArray[np.float64]:
        """Return how alike each document and its head are."""
        similarity = similarities(heads, pairs, self._settings.measure)
        # In a plain component, some documents are no pair with their head.
        far = np.flatnonzero(similarity < 0)
        similarity[far] = measurer.between(far, heads[far]).measure(self._settings.measure)
        return similarity

    def _result(self, equals: Equals, joined: _Joined) -> Clustering:
        """Return every document with its cluster. Documents set aside rejoin their original."""
        store, original = self._store, equals.original
        cluster = joined.heads[original]
        near = NEAR if self._settings.measure == "resemblance" else CONTAINED
        kinds = np.where(cluster != original, near, equals.kinds)
        # The representative of a cluster is unique, whatever was set aside for it.
        kinds[cluster == np.arange(len(cluster))] = UNIQUE
        ids, reasons = store.texts("id"), store.texts("reason")
        return Clustering(
            scheme=self._scheme,
            ids=ids,
            urls=store.texts("url"),
            dates=store.texts("date"),
            cluster=cluster,
            similarity=joined.similarity[original],
            kind=kinds.astype(np.uint8),
            is_there=equals.is_there,
            original=original,
            equal_kind=equals.kinds,
            sizes=np.array(store.records["size"]),
            lengths=_lengths(store.records),
            pairs=joined.pairs,
            below=joined.below,
            common=int(store.state["pairs"]["common"]),
            boilerplate=self._counting.boilerplate,
            # Documents set aside are not counted: which of them were read depends on the threads.
            shingles=int(store.records["shingles"][equals.rows].sum()),
            skipped=tuple(
                Skipped(ids[number] or "", reasons[number] or "")
                for number in np.flatnonzero(~equals.is_there).tolist()
            ),
            phases=self._phases(),
        )

    def _phases(self) -> tuple[PhaseCost, ...]:
        state, store = self._store.state, self._store
        sketches = self._counting.sketches().rows
        items = {
            SKETCH: (store.documents, store.shingles.hashes.nbytes + sketches.hashes.nbytes),
            SORT: (state["pairs"]["postings"], 12 * state["pairs"]["postings"]),
            COUNT: (state["pairs"]["count"], self._path(PAIRS).stat().st_size),
            JOIN: (state["pairs"]["count"], 0),
        }
        spent = {name: state["phases"].get(name, (0.0, 0.0)) for name in PHASES}
        return tuple(PhaseCost(name, spent[name][0], spent[name][1], *items[name]) for name in PHASES)

    @contextmanager
    def _charged(self, name: str) -> Iterator[None]:
        """Add the cost of the block to a phase. The last phase starts at zero each time."""
        began, used = time.perf_counter(), time.process_time()
        before = [0.0, 0.0] if name == JOIN else self._store.state["phases"].get(name, [0.0, 0.0])
        try:
            yield
        finally:
            spent = time.perf_counter() - began, time.process_time() - used
            self._store.state["phases"][name] = [one + two for one, two in zip(before, spent, strict=True)]


def _remember(seen: DigestSet, records: Records) -> None:
    """Note the contents that were read, so that equal ones are not read again."""
    seen.add_digests(records["content"][records["reason"] < 0])


def _lengths(records: Records) -> NDArray[np.int64]:
    """Return the characters of all texts. Of several with the same content, at least the first was read."""
    firsts = native_seen.firsts(np.ascontiguousarray(records["content"]))
    return np.array(records["length"])[firsts]


def _policy(settings: ClusterSettings, drawing: str) -> dict[str, Any]:
    """Return the settings that pairs depend on. The threshold counts only with super shingles."""
    return {
        "sketches": drawing,
        "common": settings.common,
        "super shingles": settings.threshold if settings.super_shingles else None,
    }


def cluster(
    documents: Iterable[Any],
    scheme: Scheme | str = "pages",
    *,
    columns: Columns = DEFAULT_COLUMNS,
    base: Iterable[Any] = (),
    folder: Path | str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Clustering:
    """Group documents into clusters of near-duplicates. A string is a text, a path a file; ``Features`` are any object.

    Rows are documents too: dictionaries, such as those of a Hugging Face dataset, and the rows of an Arrow table, a
    pandas or a Polars frame; ``columns`` names the columns. A row without a text is ``skipped`` and keeps its place.
    A file of rows is no list of documents: give it to ``cluster_corpus``.

    Text that is also in a document of ``base``, such as a licence or a form, does not count. Data that does not fit
    into ``memory`` goes to a temporary folder below ``folder``. The other settings are those of ``ClusterSettings``.
    """
    chosen = ClusterSettings.of(settings)
    recipe = resolve(scheme)
    if folder is not None and not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder; make it first, or leave out folder")
    base_hashes = base_shingles(items_of(base, columns, name="base"), recipe)
    with (
        tempfile.TemporaryDirectory(prefix="whorl-", dir=folder) as home,
        ClusteringRun(Path(home), recipe, chosen, progress=progress, base=base_hashes) as run,
    ):
        run.sketch(items_of(documents, columns, run.report))
        run.pair()
        return run.join().in_memory()
