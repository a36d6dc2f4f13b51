"""``whorl.Sweep``: dated sweeps over a collection, in a folder."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

import numpy as np

from whorl.clustering import ClusterSettings
from whorl.clustering.reading import base_shingles
from whorl.clustering.records import Item, items_of
from whorl.engine.hashing import Key
from whorl.errors import checked_share
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.records import DEFAULT as DEFAULT_COLUMNS
from whorl.formats.corpora.records import Columns
from whorl.model import Closing, Document, Hashes, checked_documents
from whorl.scheme import Scheme, resolve
from whorl.storage.folder import copied_store, is_finished, making, writing
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.snapshot import Snapshot
from whorl.stores import LOCK, SEGMENTS, SWEEP_DATABASE, missing_store
from whorl.sweep import When, checked, from_json, normalise, to_json
from whorl.sweep.adding import Progress, SweepAdd
from whorl.sweep.contents import ContentReader, KnownDigests
from whorl.sweep.pairs import clusters
from whorl.sweep.queries import SweepQuery, contacts_of, history, page_changes, statistics
from whorl.sweep.result import (
    AddedDocuments,
    Contacts,
    History,
    PageCluster,
    PageLocations,
    ScreenedDocument,
    ScreeningCounts,
    SweepChanges,
    SweepStats,
)
from whorl.sweep.screening import OVERLAP, Answered, Screen
from whorl.sweep.store import SweepStore

# Seconds that a writer waits for another: an add may take hours, so fail soon.
WAIT = 1.0

# Bytes of postings, pairs and shingles that an add keeps in memory.
MEMORY = 1 << 30


class Sweep(Closing):
    """Dated sweeps over a collection, in a folder. Several processes may use one: readers are never blocked and see one
    committed state; one process at a time adds. Dates are texts, such as ``2026-01-31``, or objects of ``datetime``."""

    def __init__(self, folder: Path, store: SweepStore) -> None:
        self.folder, self._store = folder, store
        self.scheme = store.scheme()
        self.settings: ClusterSettings = from_json(store.meta("settings"))
        self._reader = ContentReader(self.scheme, Key.PUBLIC, self.settings, store.joins_letters, store.base())
        self._segments = SegmentFolder(folder / SEGMENTS, self.scheme.id, Key.PUBLIC.id)

    @classmethod
    def create(
        cls, folder: Path | str, scheme: Scheme | str = "pages", *, base: Iterable[Any] | Hashes = (), **options: Any
    ) -> Self:
        """Create an empty store. Text that is also in a document of ``base``, such as a licence, does not count; the
        base may be given as its shingles. The scheme, the base and the settings (threshold, measure, common, closure,
        modulus, least: those of ``whorl.cluster``) cannot change later."""
        folder, fixed, recipe = Path(folder), checked(options), resolve(scheme)
        if isinstance(base, np.ndarray) and base.dtype == np.uint64:
            shingles = base
        else:
            shingles = base_shingles(items_of(base, DEFAULT_COLUMNS, name="base"), recipe)
        with making(folder, SWEEP_DATABASE):
            store = SweepStore(folder / SWEEP_DATABASE, create=True)
            store.make(recipe, settings=to_json(fixed), base=b64encode(shingles.tobytes()).decode())
        return cls(folder, store)

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open an existing store."""
        folder = Path(folder)
        if not is_sweep(folder):
            raise missing_store(folder, "a Whorl sweep store")
        return cls(folder, SweepStore(folder / SWEEP_DATABASE))

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def add(
        self,
        documents: Iterable[Document],
        date: When | None = None,
        *,
        own_dates: bool = False,
        memory: int = MEMORY,
        progress: Progress | None = None,
        wait: float = WAIT,
    ) -> AddedDocuments:
        """Add documents to the sweep of a date: all, or none if it fails. A document's page is its URL, or its name if
        it has none. ``own_dates``: a document with a date belongs to the sweep of its day."""
        when = None if date is None else normalise(date)
        listed = checked_documents(documents, others="; add_new takes texts, paths and rows")
        self._store.refuse_reading()
        with writing(self.folder / LOCK, wait):
            self._store.check_same()
            result = SweepAdd(self._store, self._segments, self._reader, memory, progress or _ignore).run(
                listed, when, own_dates
            )
        pages, sweeps, pairs = (self._store.total(table) for table in ("pages", "sweeps", "pairs"))
        return AddedDocuments(result.documents, result.contents, pages, sweeps, pairs, tuple(result.skipped))

    def screen(
        self, documents: Iterable[Any], *, columns: Columns = DEFAULT_COLUMNS, overlap: float = OVERLAP
    ) -> Iterator[ScreenedDocument]:
        """Yield for each document whether it is new, a duplicate of a stored one, or overlaps some, and add nothing.

        Documents are texts, paths, rows and ``Document`` objects, as in ``whorl.cluster``. A duplicate forms a pair
        with a stored document, by the threshold of the store; an overlap is a share of at least ``overlap`` of either.
        """
        snapshot = Snapshot(self._store, self._segments)
        try:
            with snapshot.reading():
                segments = snapshot.segments()
                screen = Screen(self._store, lambda: segments, self._reader, MEMORY, checked_share("overlap", overlap))
                for reads in self._reader.read_batches(items_of(documents, columns), KnownDigests()):
                    yield from (judged.answer for judged in screen.judge(reads, among=False))
        finally:
            snapshot.close()

    def add_new(
        self,
        documents: Iterable[Any],
        date: When,
        answered: Answered | None = None,
        *,
        columns: Columns = DEFAULT_COLUMNS,
        overlap: float = OVERLAP,
        memory: int = MEMORY,
        progress: Progress | None = None,
        wait: float = WAIT,
    ) -> ScreeningCounts:
        """Screen documents, and add those that are no duplicates to the sweep of a date: all of them, or none if it
        fails. ``answered`` gets the answer about each, as of ``screen``; a document is compared with the stored ones
        and with those accepted before it. The answers hold when this returns."""
        return self.add_new_items(
            items_of(documents, columns), date, answered, overlap=overlap, memory=memory, progress=progress, wait=wait
        )

    def add_new_items(
        self,
        items: Iterable[Item | Sheet],
        date: When,
        answered: Answered | None = None,
        *,
        again: bool = False,
        overlap: float = OVERLAP,
        memory: int = MEMORY,
        progress: Progress | None = None,
        wait: float = WAIT,
    ) -> ScreeningCounts:
        """Like ``add_new``, for rows in sheets. ``again``: a document that is stored under the same name is new again,
        so that a run that was stopped after the commit gets the same answers."""
        self._store.refuse_reading()
        with writing(self.folder / LOCK, wait):
            self._store.check_same()
            add = SweepAdd(self._store, self._segments, self._reader, memory, progress or _ignore)
            return add.run_new(items, normalise(date), checked_share("overlap", overlap), again, answered or _forget)

    def find(self, url: str, *, as_of: When | None = None, shown: When | None = None) -> PageLocations:
        """Lost and found: find where the last content of a page is now. ``as_of`` ignores later sweeps; ``shown`` takes
        what the page showed on a date, or last before it."""
        until, on = (None if date is None else normalise(date) for date in (as_of, shown))
        with self._store.reading():
            return SweepQuery.of(self._store, until).find(url, on)

    def history(self, url: str) -> History:
        """Return the versions of a page, each compared with the previous one."""
        with self._store.reading():
            return history(self._store, url, SweepQuery.of(self._store).page(url))

    def changes(self, date: When | None = None) -> SweepChanges:
        """List the pages that are gone, moved, new, returned or changed since the previous sweep: in the newest sweep,
        or in that of a date."""
        with self._store.reading():
            SweepQuery.of(self._store)
            return page_changes(self._store, None if date is None else normalise(date))

    def stats(self) -> SweepStats:
        """Measure how pages change, move, appear and die."""
        with self._store.reading():
            SweepQuery.of(self._store)
            return statistics(self._store)

    def contacts(self, source: str | Path | Document) -> Contacts:
        """Find everyone who holds a version of a document: of a page, by its URL or name, or of a file or document,
        which is looked up by its shingles if no sweep saw it."""
        snapshot = Snapshot(self._store, self._segments)
        try:
            with snapshot.reading():
                return contacts_of(SweepQuery.of(self._store), snapshot.segments(), self._reader, source)
        finally:
            snapshot.close()

    def show(self, url: str) -> PageCluster:
        """Return the document of a page, its cluster, the documents of the cluster, and their pages."""
        with self._store.reading():
            return SweepQuery.of(self._store).show(url)

    def __contains__(self, url: object) -> bool:
        """Return whether any sweep saw a page at this address."""
        return isinstance(url, str) and self._store.page(url) is not None

    def clusters(self) -> list[tuple[str, ...]]:
        """Return every cluster as the digests of its contents, the largest first."""
        with self._store.reading():
            return clusters(self._store)

    def sweeps(self) -> list[str]:
        """Return the dates of all sweeps, the oldest first."""
        return list(self._store.sweeps().values())

    def reading(self) -> AbstractContextManager[None]:
        """Query one committed state inside."""
        return self._store.reading()

    def back_up(self, copy: Path | str) -> int:
        """Copy the store to a new folder while it is in use, and check the copy; return how many sweeps it has. Waits a
        minute for a process that adds a sweep."""
        with copied_store(self.folder, Path(copy), SWEEP_DATABASE), Sweep.open(copy) as copied:
            copied.verify()
            return len(copied.sweeps())

    def verify(self) -> None:
        """Read the whole store and check it. Raises ``DamageError`` at the first fault."""
        snapshot = Snapshot(self._store, self._segments)
        try:
            snapshot.verify()
        finally:
            snapshot.close()


def _ignore(stage: str, done: int, total: int | None) -> None:
    """Show no progress."""


def _forget(answer: ScreenedDocument) -> None:
    """Keep no answer."""


def is_sweep(path: Path) -> bool:
    """Return whether a complete sweep store is in this folder."""
    return is_finished(path / SWEEP_DATABASE)
