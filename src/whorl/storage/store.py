"""Common parts of an index and a registry: a folder with a database, segments, a snapshot and a writer."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from whorl.model import Closing
from whorl.storage.compaction import PostingsWriter
from whorl.storage.database import Database
from whorl.storage.folder import size_of
from whorl.storage.snapshot import Snapshot


class StoreSize(NamedTuple):
    """Counts of a store; ``bytes`` of all its files."""

    documents: int
    postings: int
    fresh: int
    tombstones: int
    segments: int
    bytes: int


class PostingsStore(Closing):
    """A store of postings in a folder. Several processes may use one: readers are never blocked, writers take turns."""

    folder: Path
    _store: Database
    _snapshot: Snapshot
    _writer: PostingsWriter

    def __len__(self) -> int:
        self._snapshot.refresh()
        return self._snapshot.documents

    def close(self) -> None:
        """Close the segments and the database."""
        self._snapshot.close()
        self._store.close()

    def reading(self) -> AbstractContextManager[None]:
        """Read one committed state inside, whatever others write meanwhile."""
        return self._snapshot.reading()

    def refresh(self) -> None:
        """Move to the newest committed state."""
        self._snapshot.refresh()

    def verify(self) -> None:
        """Read the whole store and check it. Raises ``DamageError`` at the first fault."""
        self._snapshot.verify()

    def flush(self) -> None:
        """Write the fresh postings to a segment now."""
        self._writer.flush()

    def compact(self) -> None:
        """Merge all segments into one, without deleted documents: the smallest, and the fastest to search."""
        self._writer.compact()

    def _size(self) -> StoreSize:
        """Refresh, and count."""
        self._snapshot.refresh()
        segments, fresh = self._snapshot.segments(), len(self._snapshot.fresh)
        return StoreSize(
            self._snapshot.documents, sum(map(len, segments)) + fresh, fresh, len(self._snapshot.tombstones),
            len(segments), size_of(self.folder),
        )  # fmt: skip
