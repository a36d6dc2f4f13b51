"""``whorl.Registry``: register documents, find where a text comes from, and rotate fingerprints (Koala)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

from whorl.engine.hashing import Key
from whorl.errors import DocumentError, checked_number
from whorl.index.index import WAIT
from whorl.model import Document, Skipped, checked_documents, document_at, is_unicode
from whorl.registry.reading import Reading, read, width
from whorl.registry.rotation import Rotation, by_age
from whorl.registry.search import THRESHOLD, RegistryHits, rank
from whorl.registry.store import Activity, RegistryEntry, RegistryStore, today
from whorl.registry.writer import Changed, Names, RegistryWriter
from whorl.scheme import Scheme
from whorl.storage.folder import copied_store, is_finished, key_of, make_key, making
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.snapshot import Snapshot
from whorl.storage.store import PostingsStore
from whorl.stores import REGISTRY_DATABASE, SEGMENTS, missing_store
from whorl.threads import Prefetch

# Documents in one commit when many are added or rotated: a page of the log.
BATCH = 64

# Hits counted in memory before they are written: a search should not wait for the disk.
NOTED = 1000


class TooShortError(DocumentError):
    """A document has too little text for a fingerprint."""


@dataclass(frozen=True, slots=True)
class RegistryStats:
    """The size of a registry. ``buried`` documents still have postings in a segment; ``searched`` documents were hits
    since their fingerprints were drawn. ``bytes_per_document`` counts all files."""

    documents: int
    postings: int
    fresh: int
    buried: int
    segments: int
    searched: int
    suspicious: int
    bytes: int
    bytes_per_document: float


class Registry(PostingsStore):
    """A registry in a folder. Several processes may use one: readers are never blocked, writers take turns."""

    _store: RegistryStore
    _writer: RegistryWriter

    def __init__(self, folder: Path, store: RegistryStore, scheme: Scheme, key: Key, wait: float) -> None:
        self.folder, self.scheme, self._store, self._key = folder, scheme, store, key
        segments = SegmentFolder(folder / SEGMENTS, scheme.id, key.id, width(scheme))
        self._snapshot = Snapshot(store, segments)
        self._names = Names(store, self._snapshot, scheme, key)
        self._writer = RegistryWriter(store, segments, self._snapshot, self._names, scheme, key, wait)
        self._seen: dict[int, Activity] = {}

    @classmethod
    def create(cls, folder: Path | str, scheme: Scheme | str = "koala", *, wait: float = WAIT) -> Self:
        """Create an empty registry with its own secret key, which decides every draw."""
        folder = Path(folder)
        with making(folder, REGISTRY_DATABASE):
            recipe, key = make_key(folder, scheme)
            store = RegistryStore(folder / REGISTRY_DATABASE, create=True)
            store.make(recipe)
        return cls(folder, store, recipe, key, wait)

    @classmethod
    def open(cls, folder: Path | str, *, wait: float = WAIT) -> Self:
        """Open an existing registry."""
        folder = Path(folder)
        if not is_finished(folder / REGISTRY_DATABASE):
            raise missing_store(folder, "a Whorl registry")
        store = RegistryStore(folder / REGISTRY_DATABASE)
        scheme = store.scheme()
        key = key_of(folder, scheme, "registry")
        return cls(folder, store, scheme, key, wait)

    def close(self) -> None:
        """Write the counts of searches, and close the store."""
        self.note()
        super().close()

    def add(self, document: Document | Path | str) -> Changed:
        """Register a document, or replace the one of this name. It is durable on return. A string is the path of a
        file. The document's name is its id."""
        return self._writer.add([self._read(document_at(document))])[0]

    def add_all(self, documents: Iterable[Document], *, threads: int = 1) -> Iterator[Changed | Skipped]:
        """Register many documents, several in a commit. Yield the result of each once it is durable."""
        return self._in_batches(documents, self._writer.add, threads)

    def rotate(self, documents: Iterable[Document], *, threads: int = 1) -> Iterator[Changed | Skipped]:
        """Draw new stored fingerprints for registered documents from their texts, several in a commit. Searches
        continue meanwhile."""
        return self._in_batches(documents, self._writer.rotate, threads)

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; return the names that existed."""
        return self._writer.remove(names)

    def search(
        self,
        document: Document | Path | str | bytes,
        *,
        threshold: float = THRESHOLD,
        limit: int = 10,
        count: bool = True,
    ) -> RegistryHits:
        """Return the registered documents that share most with this one, best first. A string is a text, a path a file.

        The hits are counted, unless ``count`` is false: unusually many searches for a document are a reason to rotate
        it.
        """
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        reading = read(document, self.scheme, self._key)
        with self.reading():
            postings = self._snapshot.look_up(reading.hashes)
            hits, cost = rank(self._store, postings, reading, self.scheme, threshold, limit)
        notes = reading.notes if len(reading.hashes) else self._notes_of_nothing(reading)
        answer = RegistryHits(tuple(hits), cost, reading.symbols, notes)
        if count:
            self._count(answer)
        return answer

    def entries(self) -> Iterator[RegistryEntry]:
        """Return all documents. A rotated one comes at its new place."""
        return self._store.entries()

    def entry(self, name: str) -> RegistryEntry | None:
        """Return the document of this name, or None."""
        with self.reading():
            return self._names.entries([name]).get(name)

    def activity(self) -> dict[int, Activity]:
        """Return how often documents were searched for since their fingerprints were drawn, by number."""
        self.note()
        return self._store.activity()

    def back_up(self, copy: Path | str) -> int:
        """Copy the registry to a new folder while it is in use, and check the copy; return how many documents it
        has."""
        with copied_store(self.folder, Path(copy), REGISTRY_DATABASE), Registry.open(copy) as copied:
            copied.verify()
            return len(copied)

    def stats(self) -> RegistryStats:
        """Return the size of the registry."""
        active = self.activity()
        size = self._size()
        return RegistryStats(
            size.documents, size.postings, size.fresh, size.tombstones, size.segments, len(active),
            sum(one.is_suspicious for one in active.values()), size.bytes, size.bytes / max(1, size.documents),
        )  # fmt: skip

    def note(self) -> None:
        """Write the counts of searches to the database."""
        if self._seen and not self._store.is_read_only:
            seen, self._seen = self._seen, {}
            self._writer.note(seen)

    def _count(self, answer: RegistryHits) -> None:
        for hit in answer:
            number = hit.document.number
            more = Activity(1, int(2 * answer.symbols < hit.document.symbols))
            self._seen[number] = self._seen.get(number, Activity()) + more
        if len(self._seen) >= NOTED:
            self.note()

    def _in_batches(
        self, documents: Iterable[Document], work: Callable[[Sequence[Reading]], list[Changed]], threads: int
    ) -> Iterator[Changed | Skipped]:
        with Prefetch(threads) as ahead:
            coming = ahead.map(self._tried, checked_documents(documents))
            while batch := list(islice(coming, BATCH)):
                readings = [item for item in batch if isinstance(item, Reading)]
                done = iter(work(readings) if readings else [])
                yield from (next(done) if isinstance(item, Reading) else item for item in batch)

    def _tried(self, document: Document) -> Reading | Skipped:
        try:
            return self._read(document)
        except DocumentError as error:
            return Skipped(document.name, error.reason, expected=isinstance(error, TooShortError))

    def _read(self, document: Document) -> Reading:
        for text in (document.name, document.url, document.date, document.contact):
            if not is_unicode(text or ""):
                raise DocumentError(f"{text!r} is not Unicode: rename the file", repr(document.name))
        reading = read(document, self.scheme, self._key)
        if not len(reading.hashes):
            raise TooShortError(self._too_short(reading), document.name)
        return reading

    def _notes_of_nothing(self, reading: Reading) -> tuple[str, ...]:
        """Return the notes on a query without any substring."""
        if reading.symbols:
            return (*reading.notes, self._too_short(reading))
        return reading.notes or ("no text to search for",)

    def _too_short(self, reading: Reading) -> str:
        return f"too short: it has {reading.symbols} {self.scheme.symbols} after its prolog and needs {self.scheme.k}"


def due(registry: Registry, *, older_than: int | None = None, suspicious: bool = False) -> Iterator[RegistryEntry]:
    """Return the documents whose fingerprints are at least ``older_than`` days old, or that are suspicious, oldest
    first.

    Without either option, return all.
    """
    active = registry.activity() if suspicious else {}
    for entry in sorted(registry.entries(), key=by_age):
        is_old = older_than is not None and today() - entry.drawn >= older_than
        is_active = entry.number in active and active[entry.number].is_suspicious
        if is_old or is_active or (older_than is None and not suspicious):
            yield entry


def rotation(registry: Registry, entries: Iterable[RegistryEntry], limit: int | None = None) -> Rotation:
    """Return a rotation of these documents: of all, or of the ``limit`` oldest whose texts are at hand."""
    if limit is not None:
        checked_number("limit", limit, 1)
    return Rotation(entries, limit, registry._tried, registry._writer.rotate, BATCH)
