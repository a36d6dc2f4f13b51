"""``whorl.Index``: an index on disk."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key
from whorl.errors import DamageError
from whorl.index.base import BaseIndex
from whorl.index.prepare import SPANS, TEXT, Prepared
from whorl.index.purge import Purger, PurgeReport
from whorl.index.store import Entry, IndexStore
from whorl.index.writer import Added, SegmentsWriter
from whorl.scheme import Scheme
from whorl.storage.folder import is_finished, key_of, make_key, making
from whorl.storage.postings import PostingHits
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.snapshot import Snapshot
from whorl.storage.store import PostingsStore
from whorl.stores import INDEX_DATABASE, SEGMENTS, missing_store

# Seconds that a writer waits for another writer.
WAIT = 30.0


@dataclass(frozen=True, slots=True)
class IndexStats:
    """The size of an index. ``fresh`` postings are in no segment yet; ``removed`` documents still have postings."""

    documents: int
    sanctioned: int
    postings: int
    fresh: int
    removed: int
    segments: int
    bytes: int


class Index(PostingsStore, BaseIndex):
    """A persistent collection of fingerprinted documents in a folder. Several processes may use one: readers are never
    blocked, writers take turns."""

    _store: IndexStore
    _writer: Purger

    def __init__(self, folder: Path, store: IndexStore, scheme: Scheme, key: Key, kind: str, wait: float) -> None:
        super().__init__(scheme, key, kind)
        self.folder, self._store = folder, store
        segments = SegmentFolder(folder / SEGMENTS, scheme.id, key.id)
        self._snapshot = Snapshot(store, segments)
        self._writer = Purger(store, segments, self._snapshot, wait)

    @classmethod
    def create(
        cls, folder: Path | str, scheme: Scheme | str = "text", *, text: bool = True, wait: float = WAIT
    ) -> Self:
        """Create an empty index with its own secret key. Without ``text``, no texts are stored: passages then come from
        the fingerprints alone and are not verified."""
        folder = Path(folder)
        with making(folder, INDEX_DATABASE):
            recipe, key = make_key(folder, scheme)
            store = IndexStore(folder / INDEX_DATABASE, create=True)
            store.make(recipe, kind=TEXT if text else SPANS)
        return cls(folder, store, recipe, key, TEXT if text else SPANS, wait)

    @classmethod
    def open(cls, folder: Path | str, *, wait: float = WAIT) -> Self:
        """Open an existing index."""
        folder = Path(folder)
        if not is_finished(folder / INDEX_DATABASE):
            raise missing_store(folder, "a Whorl index")
        store = IndexStore(folder / INDEX_DATABASE)
        scheme = store.scheme()
        key = key_of(folder, scheme, "index")
        return cls(folder, store, scheme, key, store.meta("kind"), wait)

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; return the names that existed."""
        return self._writer.remove(names)

    def entries(self) -> Iterator[Entry]:
        """Return all documents, in the order in which they were added."""
        return self._store.entries()

    def entry(self, name: str) -> Entry | None:
        """Return the document of this name, or None."""
        return self._store.named(name)

    def find(self, number: int) -> Entry | None:
        """Return the document of a number, or None."""
        return self._store.find(number)

    def stats(self) -> IndexStats:
        """Return the size of the index."""
        size = self._size()
        return IndexStats(
            size.documents, len(self._snapshot.sanctioned), size.postings, size.fresh, size.tombstones, size.segments,
            size.bytes,
        )  # fmt: skip

    def load(self, write: SegmentsWriter, prepared: Callable[[], Iterable[Prepared]]) -> int:
        """Fill an empty index with documents whose postings ``write`` writes into segments; return their number."""
        return self._writer.load(write, prepared)

    def purge(self, numbers: Iterable[int], known: Mapping[bytes, int] | None = None) -> PurgeReport:
        """Remove these documents, delete all traces of them and of earlier removals from the index's files, and check.

        It rewrites the whole database: purge several documents at once. ``known`` has samples (``samples_of``) of
        documents that were removed before, with their numbers."""
        return self._writer.purge(numbers, known)

    def samples_of(self, entry: Entry) -> list[bytes]:
        """Return samples of what is stored of a document. A purge searches the files for them."""
        return self._writer.samples_of(entry)

    @property
    def key(self) -> Key:
        """The secret key, for code that reads documents on behalf of the index."""
        return self._key

    @property
    def documents(self) -> int:
        """The number of documents."""
        with self.reading():
            return self._snapshot.documents

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""
        with self.reading():
            return self._snapshot.sanctioned

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of sorted hashes."""
        return self._snapshot.look_up(hashes)

    def numbered(self, number: int) -> Entry:
        """Return the document of a number that a posting names; without it, the index is damaged. ``find`` takes any
        number."""
        return self._store.entry(number)

    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Return the owner of each document."""
        return self._store.owners(numbers)

    def _page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        return self._store.page(prefix, after, limit)

    def _page_by_number(self, after: int, limit: int) -> list[Entry]:
        return self._store.page_by_number(after, limit)

    def _check_missing(self, name: str) -> None:
        self._store.check_missing(name)

    def _put(self, prepared: list[Prepared]) -> list[Added]:
        return self._writer.add(prepared)

    def _stored(self, entry: Entry) -> tuple[str, bytes]:
        text = self._store.text(entry.id)
        if text is None:
            raise DamageError(self.folder / INDEX_DATABASE, f"document {entry.id} has no text")
        return text
