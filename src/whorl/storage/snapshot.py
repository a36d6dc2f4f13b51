"""One committed state of a store for its readers: open segments, fresh postings and tombstones."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from whorl.errors import StoreIOError
from whorl.kernel import native_postings
from whorl.storage.database import Database
from whorl.storage.postings import FreshPostings, PostingHits
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.segments import Segment

# How often a reader reads the list of segments again after a merge removed their files.
RETRIES = 20


class Snapshot:
    """The state that look-ups use. ``refresh`` moves it to the newest commit."""

    def __init__(self, database: Database, folder: SegmentFolder) -> None:
        self._database, self._folder = database, folder
        self._version: tuple[int, int] | None = None
        self._segments: dict[str, Segment] = {}
        self.fresh = FreshPostings()
        self._seals: dict[int, int] = {}
        self.tombstones: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self._tombstone_total: tuple[int, int] | None = None
        self.sanctioned: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.documents = 0

    def refresh(self) -> None:
        """Move to the newest commit."""
        with self.reading():
            pass

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read the newest committed state inside, of the database too."""
        for left in reversed(range(RETRIES)):
            with self._database.reading():
                if self._is_loaded(is_last=not left):
                    yield
                    return

    def _is_loaded(self, is_last: bool) -> bool:
        """Load the newest state. Return False if a merge removed a segment meanwhile: then read the list again."""
        version = self._database.version()
        try:
            if version != self._version:
                self._database.check_same()
                self._load()
        except StoreIOError as error:
            if is_last or error.file.parent != self._folder.path or error.file.exists():
                raise
            return False
        self._version = version
        return True

    def segments(self) -> Sequence[Segment]:
        """Return the open segments, by name."""
        return [self._segments[name] for name in sorted(self._segments)]

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of sorted hashes in all segments and among the fresh ones, without deleted documents."""
        parts = [segment.look_up(hashes) for segment in self.segments()] + [self.fresh.look_up(hashes)]
        which = np.concatenate([part.which for part in parts])
        documents = np.concatenate([part.documents for part in parts])
        places = np.concatenate([part.places for part in parts])
        if len(self.tombstones) and len(documents):
            alive = native_postings.keep(documents, self.tombstones)
            which, documents, places = which[alive], documents[alive], places[alive]
        return PostingHits(which, documents, places, np.bincount(which, minlength=len(hashes)).astype(np.int64))

    def verify(self) -> None:
        """Read the whole store and check it. Raise DamageError at the first fault."""
        self._database.check_commits()
        with self.reading():
            self._database.check()
        for segment in self.segments():
            segment.verify()

    def close(self) -> None:
        """Close the segments."""
        for segment in self._segments.values():
            segment.close()
        self._segments = {}

    def _load(self) -> None:
        names = self._database.keys("segments")
        for name in names:
            if name not in self._segments:
                self._segments[name] = self._folder.open(name)
        for name in set(self._segments) - set(names):
            self._segments.pop(name).close()
        seals = self._database.fresh_seals(self._seals)
        self.fresh.update(seals, self._database.delta(number for number in seals if number not in self._seals))
        self._seals = seals
        total = self._database.summed("tombstones")
        if total != self._tombstone_total:  # most commits add none, and reading many takes long
            self.tombstones = np.array(self._database.keys("tombstones"), np.uint32)
            self._tombstone_total = total
        self.sanctioned = np.array(self._database.sanctioned(), np.uint32)
        self.documents = self._database.document_count()
