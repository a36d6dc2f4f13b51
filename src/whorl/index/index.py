"""``whorl.Index``: fingerprint once, add and remove for years, ask at any time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError
from whorl.hashing.key import Key
from whorl.index.base import BaseIndex
from whorl.index.entry import Entry
from whorl.index.faults import DamageError
from whorl.index.folder import begin, key_of, settle, size_of
from whorl.index.place import DATABASE, SEGMENTS, is_index
from whorl.index.prepare import SPANS, TEXT, Prepared
from whorl.index.purge import Evidence, Purger
from whorl.index.segment import Found
from whorl.index.snapshot import Snapshot
from whorl.index.store import Store
from whorl.index.writer import Added, SegmentsWriter
from whorl.scheme import Scheme

# Seconds that a writer waits for another.
WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Stats:
    """How large an index is."""

    documents: int
    sanctioned: int
    postings: int
    fresh: int
    removed: int
    segments: int
    bytes: int


class Index(BaseIndex):
    """A persistent collection of fingerprinted documents in a folder. Several processes may use one at a time: readers
    are never blocked, writers take turns."""

    def __init__(self, folder: Path, store: Store, scheme: Scheme, key: Key, kind: str, wait: float) -> None:
        super().__init__(scheme, key, kind)
        self.folder, self._store = folder, store
        self._snapshot = Snapshot(store, folder / SEGMENTS, scheme.id, key.id)
        self._writer = Purger(store, folder / SEGMENTS, self._snapshot, scheme.id, key.id, wait)

    @classmethod
    def create(
        cls, folder: Path | str, scheme: Scheme | str = "text", *, text: bool = True, wait: float = WAIT
    ) -> Self:
        """Make an empty index with a secret key of its own. Without ``text``, texts are not kept: passages are then
        told by the fingerprints alone, and not verified."""
        folder = Path(folder)
        recipe, key = begin(folder, scheme)
        store = Store(folder / DATABASE, create=True)
        store.make(recipe, kind=TEXT if text else SPANS)
        settle(folder)
        return cls(folder, store, recipe, key, TEXT if text else SPANS, wait)

    @classmethod
    def open(cls, folder: Path | str, *, wait: float = WAIT) -> Self:
        """Open an index that is there."""
        folder = Path(folder)
        if not is_index(folder):
            raise DocumentError(f"{folder}: no index is there: make one with 'whorl index create {folder}'")
        store = Store(folder / DATABASE)
        scheme = store.scheme()
        key = key_of(folder, scheme, "index")
        return cls(folder, store, scheme, key, store.meta("kind"), wait)

    def close(self) -> None:
        """Let everything go."""
        self._snapshot.close()
        self._store.close()

    def reading(self) -> AbstractContextManager[None]:
        """One committed state for everything that is read inside, whatever others write meanwhile."""
        return self._snapshot.held()

    def refresh(self) -> None:
        """See what was committed since."""
        self._snapshot.refresh()

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; those that were there."""
        return self._writer.remove(names)

    def entries(self) -> Iterator[Entry]:
        """All documents, in the order in which they were added."""
        return self._store.entries()

    def entry(self, name: str) -> Entry | None:
        """The document of this name."""
        return self._store.named(name)

    def find(self, number: int) -> Entry | None:
        """The document of a number, if there is one."""
        return self._store.find(number)

    def stats(self) -> Stats:
        """How large it is."""
        self._snapshot.refresh()
        segments = self._snapshot.segments()
        return Stats(
            self._snapshot.documents, len(self._snapshot.sanctioned),
            sum(map(len, segments)) + len(self._snapshot.fresh), len(self._snapshot.fresh),
            len(self._snapshot.tombstones), len(segments), size_of(self.folder),
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
        """Make one segment of all, without what was removed: the fastest to search."""
        self._writer.compact()

    def load(self, write: SegmentsWriter, prepared: Callable[[], Iterable[Prepared]]) -> int:
        """Fill an empty index with documents whose postings somebody writes into segments; how many there are."""
        return self._writer.load(write, prepared)

    def purge(self, numbers: Iterable[int]) -> Evidence:
        """Leave nothing of these documents, nor of any that was removed before, in the index's files, and look whether
        anything is left. Those that are still there are removed. The whole database is written anew: gather some."""
        return self._writer.purge(numbers)

    @property
    def key(self) -> Key:
        """The secret key: for who reads documents on its behalf."""
        return self._key

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self._snapshot.documents

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""
        return self._snapshot.sanctioned

    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """The postings of sorted hashes."""
        return self._snapshot.look_up(hashes)

    def numbered(self, number: int) -> Entry:
        """The document of a number."""
        return self._store.entry(number)

    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Whose documents these are."""
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
        found = self._store.text(entry.id)
        if found is None:
            raise DamageError(self.folder / DATABASE, f"document {entry.id} has no text")
        return found
