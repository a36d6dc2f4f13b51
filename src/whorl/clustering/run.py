"""A clustering in a folder: its four phases, what each left there, and which of them need not be done again."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.counting import Counter, Pairs, counted
from whorl.clustering.crowds import Told
from whorl.clustering.equals import CONTAINED, NEAR, UNIQUE, Equals, set_aside
from whorl.clustering.joining import components, stars
from whorl.clustering.measuring import EACH, Measured, Measurer
from whorl.clustering.reading import Reader, batches
from whorl.clustering.records import Batch, Item, Records, Texts
from whorl.clustering.result import Clustering, Phase
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.sketching import draw, drawn, sampling
from whorl.clustering.sorting import sketched, sorted_postings, super_shingled
from whorl.clustering.store import Store
from whorl.corpus.seen import Seen
from whorl.corpus.sheets import Sheet
from whorl.errors import InputError
from whorl.fingerprinting.ahead import Ahead
from whorl.hashing.key import Key
from whorl.index.postings import Postings
from whorl.model import Skipped
from whorl.scheme import Scheme

# Told what is being done, how much of it is done, and how much there is, if that is known.
Progress = Callable[[str, int, int | None], object]

# One side of pairs: documents by number.
Side: TypeAlias = NDArray[np.int32]

# The phases, in order.
SKETCH, SORT, COUNT, JOIN = PHASES = ("sketch", "sort", "count pairs", "join")

PAIRS, COMMON = "pairs", "common"

# Of the memory that is allowed, what sorting may take, and what counting, which goes on at the same time.
SHARE = 3


class Run:
    """The phases over one folder. Each notes there that it is done. One that is done is not repeated, unless what it
    depends on is asked for differently: another threshold or policy of joining repeats the last phase alone.
    """

    def __init__(
        self,
        folder: Path,
        scheme: Scheme,
        settings: ClusterSettings,
        corpus: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._scheme, self._settings, self._key = scheme, settings, Key.PUBLIC
        self._progress: Progress = progress or (lambda stage, done, total: None)
        self._store = Store(folder)
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
                raise InputError(
                    f"{self._store.folder}: it was made with another {what}; choose another folder, or begin afresh"
                )
        state.setdefault("phases", {})

    @property
    def is_read(self) -> bool:
        """Whether all documents were read: then they are not asked for again."""
        return bool(self._store.state.get("read"))

    @property
    def faults(self) -> list[dict[str, Any]]:
        """What was wrong with the corpus when it was read."""
        found: list[dict[str, Any]] = self._store.state.get("faults", [])
        return found

    def sketch(self, items: Iterable[Item | Sheet], faults: Sequence[Mapping[str, Any]] = ()) -> None:
        """Phase 1: every document is read once, and becomes a sketch. Goes on where it was stopped.

        ``faults``, which may grow while the documents are read, is kept with what was read.
        """
        store, drawings = self._store, self._store.state.setdefault("sketches", [])
        with self._charged(SKETCH):
            if not self.is_read:
                self._read(items)
                store.save(read=True, faults=list(faults))
            if sampling(self._settings) not in drawings:
                with store.told():
                    draw(store.shingles, store.folder, self._settings)
                store.save(sketches=[*drawings, sampling(self._settings)])

    def _read(self, items: Iterable[Item | Sheet]) -> None:
        store = self._store
        seen = Seen()
        if store.documents:
            _remember(seen, store.records)
        reader = Reader(self._scheme, self._key, seen)

        def add(batch: Batch) -> None:
            store.add(batch)
            _remember(seen, batch.records)

        with Ahead(self._settings.threads) as ahead:
            ahead.each(reader.read, batches(self._rest(items)), add)

    def _rest(self, items: Iterable[Item | Sheet]) -> Iterator[Item | Sheet]:
        """The documents that are not in the store yet. The last that is tells whether the corpus is the same."""
        left = self._store.documents
        if not left:
            return iter(items)
        last = self._store.texts("id")[left - 1]
        self._store.forget()
        return self._from(iter(items), left, last)

    def _from(self, items: Iterator[Item | Sheet], left: int, last: str | None) -> Iterator[Item | Sheet]:
        """What comes after so many documents, the last of which has this id."""
        while left:
            item = next(items, None)
            behind = [] if item is None else item.ids[:left] if isinstance(item, Sheet) else [item.name]
            left -= len(behind)
            if item is None or (not left and behind[-1] != last):
                raise InputError(f"{self._store.folder}: the corpus has changed since; begin afresh")
            if isinstance(item, Sheet) and len(behind) < len(item):
                yield item.chosen(np.arange(len(item)) >= len(behind))
        yield from items

    @cached_property
    def _equals(self) -> Equals:
        """Which documents are equal to one before, when all were read."""
        return set_aside(self._store.records)

    def pair(self) -> None:
        """Phases 2 and 3: ⟨shingle, document⟩ sorted, ⟨document, document, count⟩."""
        store, policy = self._store, _policy(self._settings)
        if store.state.get("pairs", {}).get("policy") == policy:
            return
        equals = self._equals
        share = self._settings.memory // SHARE
        settings = self._settings
        counter = Counter(
            store.folder, store.documents, share, settings.common, settings.super_shingles, settings.threads
        )
        parts = sorted_postings(self._postings(equals.rows, share), store.folder, share, settings.threads)
        postings, total = 0, self._posted(equals)
        while (part := self._next(parts)) is not None:
            with self._charged(COUNT), store.told():
                counter.add(part)
            postings += len(part)
            self._progress(COUNT, postings, total)
        with self._charged(COUNT), store.told():
            count = counter.write(store.folder / PAIRS)
            counter.common.tofile(store.folder / COMMON)
        store.save(pairs={"policy": policy, "postings": postings, "count": count, "common": len(counter.common)})

    def _posted(self, equals: Equals) -> int:
        """How many postings there will be, at the most."""
        if self._settings.super_shingles:
            from whorl.sketches.supers import GROUPS  # who does without them does without this

            return GROUPS * int(equals.rows.sum())
        sketches = drawn(self._store.folder, self._store.documents, self._settings)
        return int(sketches.rows.sizes[equals.rows].sum())

    def _next(self, parts: Iterator[Postings]) -> Postings | None:
        with self._charged(SORT), self._store.told():
            return next(parts, None)

    def _postings(self, chosen: NDArray[np.bool_], memory: int) -> Iterator[Postings]:
        store, settings = self._store, self._settings
        if settings.super_shingles:
            return super_shingled(store.shingles, chosen, memory, settings.threshold)
        return sketched(drawn(store.folder, store.documents, settings).rows, chosen, memory)

    def join(self, paired: Callable[[Texts, Measured], object] | None = None) -> Clustering:
        """Phase 4: which pairs are alike enough, and the clusters that they make. ``paired`` is told the ids of all
        documents and the pairs as soon as they are known."""
        store, settings = self._store, self._settings
        with self._charged(JOIN):
            equals = self._equals
            ties = np.ascontiguousarray(store.records["shingle"][:, 0])
            common = np.fromfile(store.folder / COMMON, np.uint64)
            measurer = Measurer(store.shingles, drawn(store.folder, store.documents, settings), common, settings)
            with store.told():
                pairs = self._alike(measurer)
            if paired is not None:
                paired(store.texts("id"), pairs)
            if settings.closure:
                heads = components(store.documents, pairs, ties)
            else:
                heads = stars(store.documents, pairs, ties, settings)
            similarity = self._similarity(measurer, heads, pairs)
        store.save()
        return self._result(equals, heads, similarity, pairs)

    def _alike(self, measurer: Measurer) -> Measured:
        total, done = int(self._store.state["pairs"]["count"]), 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            self._progress(JOIN, done, total)

        with Ahead(self._settings.threads) as ahead:
            if not self._settings.estimate:
                hopeful = self._hopeful(measurer, ahead, told)
                return Measured.joined(part for pairs in hopeful for part in measurer.verified(*pairs, ahead, told))
            found = []
            for part, alike in ahead.map(
                lambda part: (len(part), measurer.estimated(part)), counted(self._store.folder / PAIRS)
            ):
                found.append(alike)
                told(part)
            return Measured.joined(found)

    def _hopeful(self, measurer: Measurer, ahead: Ahead, told: Told) -> Iterator[tuple[Side, Side]]:
        """The candidates that sketches do not rule out, as many at a time as memory allows: left, and right."""

        def sifted(part: Pairs) -> tuple[int, Side, Side]:
            chosen = measurer.hopeful(part)
            return len(part), part.left[chosen].astype(np.int32), part.right[chosen].astype(np.int32)

        room = self._settings.memory // SHARE // EACH
        lefts, rights, held = [], [], 0
        for count, left, right in ahead.map(sifted, counted(self._store.folder / PAIRS)):
            told(count - len(left))
            lefts.append(left)
            rights.append(right)
            held += len(left)
            if held > room:
                yield np.concatenate(lefts), np.concatenate(rights)
                lefts, rights, held = [], [], 0
        if held:
            yield np.concatenate(lefts), np.concatenate(rights)

    def _similarity(self, measurer: Measurer, heads: NDArray[np.int64], pairs: Measured) -> NDArray[np.float64]:
        """How alike each document is to the one that stands for it."""
        found = np.where(heads == np.arange(len(heads)), 1.0, -1.0)
        values = pairs.measure(self._settings.measure)
        for own, other in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            is_head = heads[own] == other
            found[own[is_head]] = values[is_head]
        # In a plain component, some are no pair with the one that stands for it.
        far = np.flatnonzero(found < 0)
        found[far] = measurer.between(far, heads[far]).measure(self._settings.measure)
        return found

    def _result(
        self, equals: Equals, heads: NDArray[np.int64], similarity: NDArray[np.float64], pairs: Measured
    ) -> Clustering:
        """Every document with its cluster; those that were set aside rejoin the one that stood for them."""
        store, stands = self._store, equals.stands
        cluster = heads[stands]
        near = NEAR if self._settings.measure == "resemblance" else CONTAINED
        kinds = np.where(cluster != stands, near, equals.kinds)
        # Who stands for a cluster is unique, whatever was set aside for it.
        kinds[cluster == np.arange(len(cluster))] = UNIQUE
        ids, reasons = store.texts("id"), store.texts("reason")
        return Clustering(
            scheme=self._scheme,
            ids=ids,
            urls=store.texts("url"),
            dates=store.texts("date"),
            cluster=cluster,
            similarity=similarity[stands],
            kind=kinds.astype(np.uint8),
            is_there=equals.is_there,
            sizes=np.array(store.records["size"]),
            pairs=pairs,
            common=int(store.state["pairs"]["common"]),
            # Of what was set aside, some were read and some were not, as the threads came.
            shingles=int(store.records["shingles"][equals.rows].sum()),
            skipped=tuple(
                Skipped(ids[number] or "", reasons[number] or "")
                for number in np.flatnonzero(~equals.is_there).tolist()
            ),
            phases=self._phases(),
        )

    def _phases(self) -> tuple[Phase, ...]:
        state, store = self._store.state, self._store
        sketches = drawn(store.folder, store.documents, self._settings).rows
        items = {
            SKETCH: (store.documents, store.shingles.hashes.nbytes + sketches.hashes.nbytes),
            SORT: (state["pairs"]["postings"], 12 * state["pairs"]["postings"]),
            COUNT: (state["pairs"]["count"], (store.folder / PAIRS).stat().st_size),
            JOIN: (state["pairs"]["count"], 0),
        }
        spent = {name: state["phases"].get(name, (0.0, 0.0)) for name in PHASES}
        return tuple(Phase(name, spent[name][0], spent[name][1], *items[name]) for name in PHASES)

    @contextmanager
    def _charged(self, name: str) -> Iterator[None]:
        """Adds what is done within to the cost of a phase. The last phase is charged anew each time."""
        began, used = time.perf_counter(), time.process_time()
        before = [0.0, 0.0] if name == JOIN else self._store.state["phases"].get(name, [0.0, 0.0])
        try:
            yield
        finally:
            spent = time.perf_counter() - began, time.process_time() - used
            self._store.state["phases"][name] = [one + two for one, two in zip(before, spent, strict=True)]


def _remember(seen: Seen, records: Records) -> None:
    """The contents of documents that were read: those that come again need not be."""
    seen.add_digests(records["content"][records["reason"] < 0])


def _policy(settings: ClusterSettings) -> dict[str, Any]:
    """What pairs depend on: not the threshold, unless super shingles are made for it."""
    return {
        "sketches": sampling(settings),
        "common": settings.common,
        "super shingles": settings.threshold if settings.super_shingles else None,
    }
