"""A store of postings, the base of an index and of a registry: a folder with a database, segments, a snapshot and a
writer. Postings are written under the lock of the store: fresh ones are flushed into segments, and segments merged.

A segment is written before the commit that lists it, and removed after the commit that drops it. A crash leaves at most
a file that no list names; the next writer removes it.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import log
from pathlib import Path
from typing import NamedTuple

from whorl.model import Closing
from whorl.storage import files
from whorl.storage.database import DOCUMENTS, LAST_SEGMENT, Database
from whorl.storage.files import point
from whorl.storage.folder import size_of, writing
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.segments import Segment
from whorl.storage.snapshot import Snapshot
from whorl.stores import LOCK

# Fresh postings, and documents that have any, that trigger a flush: every reader loads them at its start.
FLUSH_POSTINGS = 1 << 20
FLUSH_DOCUMENTS = 4096

# Segments of one size class that are merged into one of the next. More slow look-ups down, fewer cost writing.
FAN = 8

# Every reader loads the tombstones. Merge all segments when there is one for so many documents.
TOMBSTONE_SHARE, FEW_TOMBSTONES = 16, 4096


class PostingsWriter:
    """The base of every writer of postings. All changes happen under the lock."""

    def __init__(self, database: Database, folder: SegmentFolder, snapshot: Snapshot, wait: float) -> None:
        self._database, self._folder, self._snapshot, self._wait = database, folder, snapshot, wait
        self._is_swept = False
        # The approximate number of fresh postings; None until they are counted.
        self._fresh: int | None = None

    def flush(self) -> None:
        """Write the fresh postings to a segment."""
        with self._writing():
            self._snapshot.refresh()
            self._flush()

    def compact(self) -> None:
        """Merge everything into one segment, without deleted documents."""
        with self._writing():
            self._snapshot.refresh()
            self._flush()
            self._merge(list(self._snapshot.segments()))
            self._database.shrink()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._database.refuse_reading()
        with writing(self._folder.path.parent / LOCK, self._wait):
            self._database.check_same()
            if not self._is_swept:
                self._sweep()
                self._is_swept = True
            yield

    def _tidy(self, more: int) -> None:
        """Flush when there are many fresh postings, and merge when there are many segments.

        Counting all fresh postings after each document would cost as much as adding it, so ``more`` is added up.
        """
        if self._fresh is not None:
            self._fresh += more
        if self._fresh is None or self._fresh >= FLUSH_POSTINGS:
            self._snapshot.refresh()
            self._fresh = len(self._snapshot.fresh)
        if self._fresh >= FLUSH_POSTINGS or self._database.total("delta") >= FLUSH_DOCUMENTS:
            self._snapshot.refresh()
            self._flush()
            self._fresh = len(self._snapshot.fresh)
            while segments := _mergeable(self._snapshot.segments()):
                self._merge(segments)

    def _clear(self) -> None:
        """Merge all segments if there are many tombstones."""
        tombstones, documents = self._database.total("tombstones"), self._database.total(DOCUMENTS)
        if tombstones >= max(FEW_TOMBSTONES, documents // TOMBSTONE_SHARE):
            self._snapshot.refresh()
            self._flush()
            self._merge(list(self._snapshot.segments()))

    def _flush(self) -> None:
        numbers, postings = self._snapshot.fresh.state()
        if not numbers:
            return
        number = self._next_number()
        name = f"{number:08}.segment"
        point("flush.begun")
        if len(postings):
            self._folder.write(number, [postings], len(postings), (numbers[0], numbers[-1]))
        point("flush.written")
        with self._database.transaction():
            self._database.swap_segments([], name, len(postings))
            self._database.delete_delta(numbers)
            point("flush.listed")
        point("flush.done")
        self._snapshot.refresh()

    def _merge(self, segments: Sequence[Segment]) -> None:
        tombstones = self._snapshot.tombstones
        others = [segment for segment in self._snapshot.segments() if segment not in segments]
        if len(segments) < 2 and not len(tombstones):
            return
        if not segments:  # documents without postings left tombstones
            with self._database.transaction():
                self._database.delete_tombstones(tombstones.tolist())
            return
        number = self._next_number()
        point("merge.begun")
        name, header = self._folder.merge(number, segments, tombstones)
        point("merge.written")
        old = [segment.path for segment in segments]
        gone = [number for number in tombstones.tolist() if not _may_hold(others, number)]
        with self._database.transaction():
            self._database.swap_segments([path.name for path in old], name, header.postings)
            self._database.delete_tombstones(gone)
            point("merge.listed")
        point("merge.done")
        self._snapshot.refresh()
        for path in [*old, *([] if header.postings else [self._folder.path / name])]:
            files.unlink(path)
            point("merge.unlinked")

    def _next_number(self) -> int:
        return self._folder.next_number(self._database.total(LAST_SEGMENT))

    def _sweep(self) -> None:
        sweep(self._database, self._folder.path)


def sweep(database: Database, folder: Path) -> None:
    """Remove the files that a crash left: no list names them. The caller holds the lock.

    A writer may have died after its commit was on the disk and before others could see it. Such a commit comes back
    when the log is read again, unless another one overwrites it: so commit once before removing anything.
    """
    if not _unlisted(database, folder):
        return
    with database.transaction():
        point("sweep.begun")
    for path in _unlisted(database, folder):
        files.unlink(path)
        point("sweep.unlinked")


def _unlisted(database: Database, folder: Path) -> list[Path]:
    listed = set(database.keys("segments"))
    return [folder / name for name in files.names(folder) if name not in listed]


def _mergeable(segments: Sequence[Segment]) -> list[Segment]:
    """Return all segments of the smallest size class that has enough for one of the next class, or none."""
    classes: dict[int, list[Segment]] = {}
    for segment in segments:
        classes.setdefault(int(log(max(len(segment), FLUSH_POSTINGS) / FLUSH_POSTINGS, FAN)), []).append(segment)
    return next((members for _, members in sorted(classes.items()) if len(members) >= FAN), [])


def _may_hold(segments: Sequence[Segment], document: int) -> bool:
    return any(segment.header.least <= document <= segment.header.greatest for segment in segments)


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
