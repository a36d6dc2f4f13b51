"""One committed state of an index, as a reader sees it: its segments, fresh postings and tombstones."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.index.database import DOCUMENTS, Database
from whorl.index.faults import DamageError, IndexIOError
from whorl.index.fresh import Fresh
from whorl.index.segment import Found, Segment

# How often a reader that lost the race between the list of segments and their files reads the list again.
RETRIES = 20


class Snapshot:
    """What look-ups need. ``refresh`` moves it to the newest committed state."""

    def __init__(self, store: Database, folder: Path, scheme: str, key: str) -> None:
        self._store, self._folder, self._scheme, self._key = store, folder, scheme, key
        self._version: tuple[int, int] | None = None
        self._segments: dict[str, Segment] = {}
        self.fresh = Fresh()
        self._seals: dict[int, int] = {}
        self.tombstones: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.sanctioned: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.documents = 0

    def refresh(self) -> None:
        """Read what was committed since."""
        with self.held():
            pass

    @contextmanager
    def held(self) -> Iterator[None]:
        """The newest committed state, in the database too, for everything that is read inside."""
        for left in reversed(range(RETRIES)):
            with self._store.reading():
                if self._is_loaded(is_last=not left):
                    yield
                    return

    def _is_loaded(self, is_last: bool) -> bool:
        """Load what is new. False if a segment is gone, which a merge has replaced since: then read the list again."""
        version = self._store.version()
        try:
            if version != self._version:
                self._load()
        except IndexIOError as error:
            if is_last or error.file.parent != self._folder or error.file.exists():
                raise
            return False
        self._version = version
        return True

    def segments(self) -> Sequence[Segment]:
        """The open segments, by name."""
        return [self._segments[name] for name in sorted(self._segments)]

    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """The postings of hashes, sorted, in all segments and among the fresh ones; removed documents have none."""
        parts = [segment.look_up(hashes) for segment in self.segments()] + [self.fresh.look_up(hashes)]
        which = np.concatenate([part.which for part in parts])
        documents = np.concatenate([part.documents for part in parts])
        places = np.concatenate([part.places for part in parts])
        if len(self.tombstones) and len(documents):
            kept = kernel.postings().keep(documents, self.tombstones)
            which, documents, places = which[kept], documents[kept], places[kept]
        return Found(which, documents, places, np.bincount(which, minlength=len(hashes)).astype(np.int64))

    def close(self) -> None:
        """Let the segments go."""
        for segment in self._segments.values():
            segment.close()
        self._segments = {}

    def _load(self) -> None:
        names = self._store.keys("segments")
        for name in names:
            if name not in self._segments:
                self._segments[name] = self._opened(name)
        for name in set(self._segments) - set(names):
            self._segments.pop(name).close()
        seals = self._store.fresh_seals(self._seals)
        self.fresh.update(seals, self._store.delta(number for number in seals if number not in self._seals))
        self._seals = seals
        self.tombstones = np.array(self._store.keys("tombstones"), np.uint32)
        self.sanctioned = np.array(self._store.sanctioned(), np.uint32)
        self.documents = self._store.total(DOCUMENTS)

    def _opened(self, name: str) -> Segment:
        segment = Segment.open(self._folder / name)
        if (segment.header.scheme, segment.header.key) != (self._scheme, self._key):
            raise DamageError(segment.path, "it belongs to another index: its scheme or key is not this one's")
        return segment
