"""The segments of a sweep store: ⟨sketch value, content⟩ in immutable sorted files, written by the index's machinery.

A file is written before the commit that lists it, and removed after the commit that does not; a crash leaves at most a
file that no list names, which the next writer removes.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.index import files
from whorl.index.database import LAST_SEGMENT
from whorl.index.faults import DamageError, IndexIOError
from whorl.index.points import point
from whorl.index.postings import Postings
from whorl.index.segment import Segment
from whorl.index.segment_merge import merge
from whorl.index.segment_writer import write_segment
from whorl.sweeps.store import SweepStore

# How often a reader that lost the race between the list of segments and their files reads the list again.
RETRIES = 20

# A segment is merged with the next larger one unless that is more than so many times as large. So there are at most a
# dozen or two, and a posting is written again as often as its segment grew by half: about 2 log n times.
GROWTH = 2


class Segments:
    """The open segments of one committed state, and those that are being added to it."""

    def __init__(self, store: SweepStore, folder: Path, scheme: str, key: str) -> None:
        self._store, self._folder, self._scheme, self._key = store, folder, scheme, key
        self.old: list[Segment] = []
        self.new: list[Segment] = []

    def load(self) -> None:
        """Open what the list names."""
        self.close()
        self.old = [self._opened(name) for name in self._store.keys("segments")]

    def close(self) -> None:
        """Let them go."""
        for segment in self.all():
            segment.close()
        self.old, self.new = [], []

    def all(self) -> list[Segment]:
        """Old and new."""
        return [*self.old, *self.new]

    def sweep(self) -> None:
        """Remove the files that a crash left: no list names them, and nobody else writes now."""
        listed = set(self._store.keys("segments"))
        for path in self._files():
            if path.name not in listed:
                files.unlink(path)
                point("sweep.unlinked")

    def write(self, postings: Postings) -> None:
        """A new segment, listed in the transaction that is open."""
        if len(postings):
            documents = int(postings.documents.min()), int(postings.documents.max())
            self.new.append(self._written([postings.in_order()], len(postings), documents))
            self._store.swap_segments([], self.new[-1].path.name, len(postings))

    def tidy(self) -> list[Path]:
        """Merge segments of about one size; the files that are then no longer needed, once that is committed."""
        gone: list[Path] = []
        while len(those := crowded(self.all())) > 1:
            headers = [segment.header for segment in those]
            documents = min(header.least for header in headers), max(header.greatest for header in headers)
            made = self._written(merge(those), sum(map(len, those)), documents)
            self._store.swap_segments([segment.path.name for segment in those], made.path.name, len(made))
            gone += [segment.path for segment in those]
            self.old = [segment for segment in self.all() if segment not in those]
            self.new = [made]
        return gone

    def _written(self, parts: Iterable[Postings], expected: int, documents: tuple[int, int]) -> Segment:
        path = self._folder / f"{self._next():08}.segment"
        write_segment(path, parts, expected=expected, documents=documents, scheme=self._scheme, key=self._key)
        return Segment.open(path)

    def _next(self) -> int:
        """A number that no segment ever had, listed or left by a crash: a reader may have an old one open still."""
        taken = [int(path.name.partition(".")[0]) for path in self._files() if path.name[:8].isdigit()]
        return max(self._store.total(LAST_SEGMENT), *taken, 0) + 1

    def _files(self) -> list[Path]:
        try:
            return sorted(self._folder.iterdir())
        except OSError as error:
            raise IndexIOError(self._folder, "read", error.strerror or str(error)) from error

    def _opened(self, name: str) -> Segment:
        segment = Segment.open(self._folder / name)
        if (segment.header.scheme, segment.header.key) != (self._scheme, self._key):
            raise DamageError(segment.path, "it belongs to another store: its scheme or key is not this one's")
        return segment


def loaded(segments: Segments, store: SweepStore, folder: Path) -> None:
    """Open the segments of the state that is being read. Between reading the list and opening the files a writer may
    have replaced them: what is read begins anew then."""
    for left in reversed(range(RETRIES)):
        try:
            with store.reading():
                segments.load()
            return
        except IndexIOError as error:
            if not left or error.file.parent != folder or error.file.exists():
                raise


def crowded(segments: Sequence[Segment]) -> list[Segment]:
    """The smallest segments, as many as together outweigh the next one by the factor."""
    those: list[Segment] = []
    total = 0
    for segment in sorted(segments, key=len):
        if those and len(segment) > GROWTH * total:
            break
        those.append(segment)
        total += len(segment)
    return those


def counts(segments: Iterable[Segment], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many contents have each of some sorted values."""
    found = np.zeros(len(hashes), np.int64)
    for segment in segments:
        found += segment.count(hashes)
    return found


def look_up(segments: Iterable[Segment], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of some sorted values a content has, and the content, in the order of the values and contents."""
    parts = [segment.look_up(hashes) for segment in segments]
    which = np.concatenate([np.zeros(0, np.int64), *(part.which.astype(np.int64) for part in parts)])
    contents = np.concatenate([np.zeros(0, np.int64), *(part.documents.astype(np.int64) for part in parts)])
    order = np.lexsort((contents, which))
    return which[order], contents[order]
