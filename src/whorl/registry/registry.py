"""``whorl.Registry``: Koala. Register documents, ask where a text comes from, draw new fingerprints now and then."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from whorl.errors import DocumentError
from whorl.fingerprinting.ahead import Ahead
from whorl.hashing.key import Key
from whorl.index.folder import begin, key_of, settle, size_of
from whorl.index.index import WAIT
from whorl.index.snapshot import Snapshot
from whorl.model import Document, Skipped
from whorl.registry.activity import Activity
from whorl.registry.entry import Entry
from whorl.registry.names import Names
from whorl.registry.place import DATABASE, SEGMENTS, is_registry
from whorl.registry.reading import Reading, read
from whorl.registry.search import THRESHOLD, Hits, rank
from whorl.registry.store import RegistryStore
from whorl.registry.writer import Changed, RegistryWriter
from whorl.scheme import Scheme

# Documents in one commit when many are added or rotated: as many as are on a page of the log.
BATCH = 64

# Hits that are counted in memory before they are written: a commit waits for the disk, a search should not.
NOTED = 1000


@dataclass(frozen=True, slots=True)
class Stats:
    """How large a registry is, how often documents were searched for since their fingerprints were drawn, and how many
    bytes a document takes, all files taken together."""

    documents: int
    postings: int
    fresh: int
    buried: int
    segments: int
    searched: int
    suspicious: int
    bytes: int
    bytes_per_document: float


class Registry:
    """A registry in a folder. Several processes may use one: readers are never blocked, writers take turns."""

    def __init__(self, folder: Path, store: RegistryStore, scheme: Scheme, key: Key, wait: float) -> None:
        self.folder, self.scheme, self._store, self._key = folder, scheme, store, key
        self._snapshot = Snapshot(store, folder / SEGMENTS, scheme.id, key.id)
        self._names = Names(store, self._snapshot, scheme, key)
        self._writer = RegistryWriter(store, folder / SEGMENTS, self._snapshot, self._names, scheme, key, wait)
        self._seen: dict[int, Activity] = {}

    @classmethod
    def create(cls, folder: Path | str, scheme: Scheme | str = "koala", *, wait: float = WAIT) -> Self:
        """Make an empty registry with a secret key of its own, from which every fingerprint is drawn."""
        folder = Path(folder)
        recipe, key = begin(folder, scheme)
        store = RegistryStore(folder / DATABASE, create=True)
        store.make(recipe)
        settle(folder)
        return cls(folder, store, recipe, key, wait)

    @classmethod
    def open(cls, folder: Path | str, *, wait: float = WAIT) -> Self:
        """Open a registry that is there."""
        folder = Path(folder)
        if not is_registry(folder):
            raise DocumentError(f"{folder}: no registry is there: make one with 'whorl registry create {folder}'")
        store = RegistryStore(folder / DATABASE)
        scheme = store.scheme()
        key = key_of(folder, scheme, "registry")
        return cls(folder, store, scheme, key, wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        self._snapshot.refresh()
        return self._snapshot.documents

    def close(self) -> None:
        """Write down which documents were searched for, and let everything go."""
        self.note()
        self._snapshot.close()
        self._store.close()

    def add(self, document: Document | Path | str) -> Changed:
        """Register a document, or replace the one of its name; durable when it returns. A string is the path of a
        file. The document's name is its id."""
        document = document if isinstance(document, Document) else Document(str(document), Path(document))
        return self._writer.add([self._read(document)])[0]

    def add_all(self, documents: Iterable[Document], *, threads: int = 1) -> Iterator[Changed | Skipped]:
        """Register many documents, some in a commit; what became of each is told when it is durable."""
        return self._in_batches(documents, self._writer.add, threads)

    def rotate(self, documents: Iterable[Document], *, threads: int = 1) -> Iterator[Changed | Skipped]:
        """Draw new stored fingerprints for documents that are registered, from their texts, some in a commit. Searches
        go on meanwhile."""
        return self._in_batches(documents, self._writer.rotate, threads)

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; those that were there."""
        return self._writer.remove(names)

    def search(
        self,
        document: Document | Path | str | bytes,
        *,
        threshold: float = THRESHOLD,
        limit: int = 10,
        count: bool = True,
    ) -> Hits:
        """The registered documents that share most with this one, best first. A string is a text, a path a file.

        Which documents are told is counted, unless ``count`` is false: unusually many searches for a document are a
        reason to rotate it.
        """
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        reading = read(document, self.scheme, self._key)
        with self.reading():
            found = self._snapshot.look_up(reading.hashes)
            hits, cost = rank(self._store, found, reading, self.scheme, threshold, limit)
        answer = Hits(tuple(hits), cost, reading.symbols, reading.notes)
        if count:
            self._count(answer)
        return answer

    def reading(self) -> AbstractContextManager[None]:
        """One committed state for everything that is read inside, whatever others write meanwhile."""
        return self._snapshot.held()

    def entries(self) -> Iterator[Entry]:
        """All documents. One that was rotated stands where it was put last."""
        return self._store.entries()

    def entry(self, name: str) -> Entry | None:
        """The document of this name."""
        with self.reading():
            return self._names.found([name]).get(name)

    def activity(self) -> dict[int, Activity]:
        """How often documents were searched for since their fingerprints were drawn, by number."""
        self.note()
        return self._store.activity()

    def stats(self) -> Stats:
        """How large it is."""
        active = self.activity()
        self._snapshot.refresh()
        segments, documents = self._snapshot.segments(), self._snapshot.documents
        size = size_of(self.folder)
        return Stats(
            documents, sum(map(len, segments)) + len(self._snapshot.fresh), len(self._snapshot.fresh),
            len(self._snapshot.tombstones), len(segments), len(active),
            sum(one.is_suspicious for one in active.values()), size, size / max(1, documents),
        )  # fmt: skip

    def verify(self) -> None:
        """Read everything and check it. Raises ``DamageError`` at the first fault."""
        with self.reading():
            self._store.check()
        for segment in self._snapshot.segments():
            segment.verify()

    def flush(self) -> None:
        """Make a segment of the fresh postings now."""
        self._writer.flush()

    def compact(self) -> None:
        """Make one segment of all, without what was removed or rotated: the smallest, and the fastest to search."""
        self._writer.compact()

    def note(self) -> None:
        """Write down which documents were searched for."""
        if self._seen:
            seen, self._seen = self._seen, {}
            self._writer.note(seen)

    def _count(self, answer: Hits) -> None:
        for hit in answer:
            number = hit.document.number
            more = Activity(1, int(2 * answer.symbols < hit.document.symbols))
            self._seen[number] = self._seen.get(number, Activity()) + more
        if len(self._seen) >= NOTED:
            self.note()

    def _in_batches(
        self, documents: Iterable[Document], work: Callable[[Sequence[Reading]], list[Changed]], threads: int
    ) -> Iterator[Changed | Skipped]:
        with Ahead(threads) as ahead:
            coming = ahead.map(self._tried, documents)
            while batch := list(islice(coming, BATCH)):
                readings = [item for item in batch if isinstance(item, Reading)]
                done = iter(work(readings) if readings else [])
                yield from (next(done) if isinstance(item, Reading) else item for item in batch)

    def _tried(self, document: Document) -> Reading | Skipped:
        try:
            return self._read(document)
        except DocumentError as error:
            return Skipped(document.name, str(error))

    def _read(self, document: Document) -> Reading:
        for text in (document.name, document.url, document.date, document.contact):
            try:
                (text or "").encode()
            except UnicodeEncodeError:
                raise DocumentError(f"{document.name!r}: {text!r} is not Unicode: rename the file") from None
        reading = read(document, self.scheme, self._key)
        if not len(reading.hashes):
            raise DocumentError(
                f"{document.name}: too short: it has {reading.symbols} {self.scheme.symbols} after its beginning, and "
                f"{self.scheme.k} are needed"
            )
        return reading
