"""``whorl.sweeps.sweep.Sweep``: dated sweeps over a collection, kept in a folder."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from whorl.clustering.settings import ClusterSettings
from whorl.errors import DocumentError, InputError
from whorl.hashing.key import Key
from whorl.index import files
from whorl.index.faults import IndexIOError
from whorl.index.lock import writing
from whorl.index.points import point
from whorl.model import Document
from whorl.scheme import Scheme, resolve
from whorl.sweeps import dates, settings
from whorl.sweeps.adding import Adding, Progress
from whorl.sweeps.asking import Asker
from whorl.sweeps.changes import statistics
from whorl.sweeps.content import Reader
from whorl.sweeps.history import history
from whorl.sweeps.joining import clusters
from whorl.sweeps.looking import contacts_of
from whorl.sweeps.place import DATABASE, LOCK, SEGMENTS, is_free, is_store, remove_unfinished
from whorl.sweeps.result import Added, Contacts, Found, History, Shown, Stats
from whorl.sweeps.segments import Segments, loaded
from whorl.sweeps.store import SweepStore

# Seconds that a writer waits for another: an add may take hours, so it is better told at once.
WAIT = 1.0

# Bytes of postings, pairs and shingles that an add holds at a time.
MEMORY = 1 << 30


class Sweep:
    """Dated sweeps over a collection, in a folder. Several processes may use one: readers are never blocked and see one
    committed state, and one process at a time adds."""

    def __init__(self, folder: Path, store: SweepStore) -> None:
        self.folder, self._store = folder, store
        self.scheme = store.scheme()
        self.settings: ClusterSettings = settings.from_json(store.meta("settings"))
        self._reader = Reader(self.scheme, Key.PUBLIC, self.settings)

    @classmethod
    def create(cls, folder: Path | str, scheme: Scheme | str = "pages", **given: Any) -> Self:
        """Make an empty store. The scheme and the settings (threshold, measure, common, closure, modulus, least: those
        of ``whorl.cluster``) are fixed for its life."""
        folder, fixed = Path(folder), settings.made(given)
        if not is_free(folder):
            raise InputError(f"{folder}: there is something of this name already: choose another, or remove it")
        try:
            (folder / SEGMENTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise IndexIOError(folder, "create", error.strerror or str(error)) from error
        point("create.folder")
        with writing(folder / LOCK, WAIT):
            if not is_free(folder):
                raise InputError(f"{folder}: another process has made a store here: try again")
            remove_unfinished(folder)
            store = SweepStore(folder / DATABASE, create=True)
            store.make(resolve(scheme), settings=settings.to_json(fixed))
            files.fsync_folder(folder)
        point("create.done")
        return cls(folder, store)

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open a store that is there."""
        folder = Path(folder)
        if not is_store(folder):
            raise DocumentError(f"{folder}: no sweeps are there: add some with 'whorl sweep add {folder} CORPUS'")
        return cls(folder, SweepStore(folder / DATABASE))

    def close(self) -> None:
        """Let everything go."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        documents: Iterable[Document],
        date: str | None = None,
        *,
        own_dates: bool = False,
        memory: int = MEMORY,
        progress: Progress | None = None,
        wait: float = WAIT,
    ) -> Added:
        """Add documents to the sweep of a date, all of them or, if this fails, none. A document's page is its URL, or
        its name if it has none. ``own_dates``: a document that has a date belongs to the sweep of its day."""
        when = None if date is None else dates.normal(date)
        with writing(self.folder / LOCK, wait):
            taken = Adding(self._store, self._segments(), self._reader, memory, progress or _untold).run(
                documents, when, own_dates
            )
        pages, sweeps, pairs = (self._store.total(table) for table in ("pages", "sweeps", "pairs"))
        return Added(taken.documents, taken.contents, pages, sweeps, pairs, tuple(taken.skipped))

    def find(self, url: str, *, as_of: str | None = None, shown: str | None = None) -> Found:
        """Lost and found: what a page last showed, and where that is now. ``as_of`` leaves out what was seen later;
        ``shown`` asks for what the page showed on a date, or last before it."""
        until, on = (None if date is None else dates.normal(date) for date in (as_of, shown))
        with self._store.reading():
            return Asker.of(self._store, until).find(url, on)

    def history(self, url: str) -> History:
        """The versions of a page, each against the one before."""
        with self._store.reading():
            return history(self._store, url, Asker.of(self._store).page(url))

    def stats(self) -> Stats:
        """How pages change, move, appear and die."""
        with self._store.reading():
            Asker.of(self._store)
            return statistics(self._store)

    def contacts(self, asked: str | Path | Document) -> Contacts:
        """Everyone who holds a version of a document: of a page, by its URL or name, or of a file or document, which is
        looked up by its shingles if no sweep saw it."""
        segments = self._segments()
        try:
            loaded(segments, self._store, self.folder / SEGMENTS)
            with self._store.reading():
                return contacts_of(Asker.of(self._store), segments.all(), self._reader, asked)
        finally:
            segments.close()

    def show(self, url: str) -> Shown:
        """A page, its document, the cluster, the documents of the cluster, their pages."""
        with self._store.reading():
            return Asker.of(self._store).show(url)

    def __contains__(self, url: object) -> bool:
        """Whether any sweep saw a page at this address."""
        return isinstance(url, str) and self._store.page(url) is not None

    def clusters(self) -> list[tuple[str, ...]]:
        """Every cluster as the digests of its contents, the largest first."""
        with self._store.reading():
            return clusters(self._store)

    def sweeps(self) -> list[str]:
        """The dates of all sweeps, the oldest first."""
        return list(self._store.sweeps().values())

    def reading(self) -> AbstractContextManager[None]:
        """One committed state for everything that is asked inside."""
        return self._store.reading()

    def verify(self) -> None:
        """Read everything and check it. Raises ``DamageError`` at the first fault."""
        segments = self._segments()
        try:
            loaded(segments, self._store, self.folder / SEGMENTS)
            with self._store.reading():
                self._store.check()
            for segment in segments.all():
                segment.verify()
        finally:
            segments.close()

    def _segments(self) -> Segments:
        return Segments(self._store, self.folder / SEGMENTS, self.scheme.id, Key.PUBLIC.id)


def _untold(stage: str, done: int, total: int | None) -> None:
    """Nobody is looking."""
