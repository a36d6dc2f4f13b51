"""Write postings under the lock of the store: flush fresh ones into segments, and merge segments.

A segment is written before the commit that lists it, and removed after the commit that drops it. A crash leaves at most
a file that no list names; the next writer removes it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path

from whorl.storage import files
from whorl.storage.database import DOCUMENTS, LAST_SEGMENT, Database
from whorl.storage.files import point
from whorl.storage.folder import writing
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
