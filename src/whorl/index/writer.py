"""Writing to an index: documents come and go, fresh postings become segments, segments are merged.

A document is there when the database's commit is done. Segments are written before the commit that names them, so a
crash leaves at most a file that no list names; the next writer sweeps it away.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Literal

from whorl.errors import InputError
from whorl.index import files
from whorl.index.database import LAST_SEGMENT, Database
from whorl.index.entry import Entry
from whorl.index.lock import writing
from whorl.index.points import point
from whorl.index.prepare import Prepared, entry_of
from whorl.index.segment import Segment
from whorl.index.segment_header import WHOLE
from whorl.index.segment_merge import merge
from whorl.index.segment_writer import write_segment
from whorl.index.snapshot import Snapshot
from whorl.index.store import Store

# Fresh postings, and documents that have any, before they become a segment: what every reader reads at its start.
FLUSH_POSTINGS = 1 << 20
FLUSH_DOCUMENTS = 4096

# Segments of one size class that are merged into one of the next. More of them cost look-ups, fewer cost writing.
FAN = 8

# The file that a writer locks.
LOCK = "lock"

# Writes segments into a folder, named by numbers from a first one on; their names, and how many postings each has.
SegmentsWriter = Callable[[Path, int], Iterable[tuple[str, int]]]

State = Literal["added", "replaced", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a document that was added."""

    name: str
    state: State


class Upkeep:
    """What every writer of postings does, under the lock: fresh postings become segments, segments are merged."""

    def __init__(
        self, store: Database, folder: Path, snapshot: Snapshot, scheme: str, key: str, wait: float, width: int = WHOLE
    ) -> None:
        self._database, self._folder, self._snapshot = store, folder, snapshot
        self._scheme, self._key, self._wait, self._width = scheme, key, wait, width
        self._is_swept = False
        # About how many postings are fresh: None until somebody has looked.
        self._fresh: int | None = None

    def flush(self) -> None:
        """Make a segment of the fresh postings."""
        with self._writing():
            self._snapshot.refresh()
            self._flush()

    def compact(self) -> None:
        """Make one segment of all, without what was removed."""
        with self._writing():
            self._snapshot.refresh()
            self._flush()
            self._merge(list(self._snapshot.segments()))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with writing(self._folder.parent / LOCK, self._wait):
            if not self._is_swept:
                self._sweep()
                self._is_swept = True
            yield

    def _tidy(self, more: int) -> None:
        """Keep what is fresh small, and the segments few. To look at all that is fresh after each document would cost
        as much as adding it, so what came since the last look is counted."""
        if self._fresh is not None:
            self._fresh += more
        if self._fresh is None or self._fresh >= FLUSH_POSTINGS:
            self._snapshot.refresh()
            self._fresh = len(self._snapshot.fresh)
        if self._fresh >= FLUSH_POSTINGS or self._database.total("delta") >= FLUSH_DOCUMENTS:
            self._snapshot.refresh()
            self._flush()
            self._fresh = len(self._snapshot.fresh)
            while crowded := _crowded(self._snapshot.segments()):
                self._merge(crowded)

    def _flush(self) -> None:
        fresh = self._snapshot.fresh
        numbers = fresh.documents()
        if not numbers:
            return
        name = self._new_name()
        point("flush.begun")
        row = fresh.row()
        if len(row):
            write_segment(
                self._folder / name, [row], expected=len(row), documents=(numbers[0], numbers[-1]),
                scheme=self._scheme, key=self._key, width=self._width,
            )  # fmt: skip
        point("flush.written")
        with self._database.transaction():
            self._database.swap_segments([], name, len(row))
            self._database.delete_delta(numbers)
            point("flush.listed")
        point("flush.done")
        self._snapshot.refresh()

    def _merge(self, segments: Sequence[Segment]) -> None:
        tombstones = self._snapshot.tombstones
        others = [segment for segment in self._snapshot.segments() if segment not in segments]
        if len(segments) < 2 and not len(tombstones):
            return
        if not segments:  # documents without a posting left tombstones
            with self._database.transaction():
                self._database.delete_tombstones(tombstones.tolist())
            return
        name = self._new_name()
        point("merge.begun")
        headers = [segment.header for segment in segments]
        header = write_segment(
            self._folder / name, merge(segments, tombstones), expected=sum(map(len, segments)), scheme=self._scheme,
            key=self._key, width=self._width,
            documents=(min(each.least for each in headers), max(each.greatest for each in headers)),
        )  # fmt: skip
        point("merge.written")
        old = [segment.path for segment in segments]
        gone = [number for number in tombstones.tolist() if not _may_hold(others, number)]
        with self._database.transaction():
            self._database.swap_segments([path.name for path in old], name, header.postings)
            self._database.delete_tombstones(gone)
            point("merge.listed")
        point("merge.done")
        self._snapshot.refresh()
        for path in [*old, *([] if header.postings else [self._folder / name])]:
            files.unlink(path)
            point("merge.unlinked")

    def _new_name(self) -> str:
        """A name that no segment ever had, listed or left by a crash: a reader may have an old one open still."""
        taken = [int(path.name.partition(".")[0]) for path in self._folder.iterdir() if path.name[:8].isdigit()]
        return f"{max(self._database.total(LAST_SEGMENT), *taken, 0) + 1:08}.segment"

    def _sweep(self) -> None:
        """Remove the files that a crash left: no list names them, and nobody else writes now."""
        listed = set(self._database.keys("segments"))
        for path in sorted(self._folder.iterdir()):
            if path.name not in listed:
                files.unlink(path)
                point("sweep.unlinked")


class Writer(Upkeep):
    """Changes an index, under its lock."""

    def __init__(self, store: Store, folder: Path, snapshot: Snapshot, scheme: str, key: str, wait: float) -> None:
        super().__init__(store, folder, snapshot, scheme, key, wait)
        self._store = store

    def add(self, prepared: Sequence[Prepared]) -> list[Added]:
        """Add documents or replace those of the same names, all in one commit."""
        with self._writing():
            with self._store.transaction():
                added = [self._put(one) for one in prepared]
            self._tidy(sum(one.size for one in prepared))
        return added

    def load(self, write: SegmentsWriter, prepared: Callable[[], Iterable[Prepared]]) -> int:
        """Fill an empty index, all in one commit: documents get the numbers 1, 2, 3 … as they come, and ``write``
        writes their postings into segments. How many documents."""
        with self._writing():
            if self._store.next_number() > 1:
                raise InputError(f"{self._folder.parent}: it has had documents: only an empty index is built at once")
            written = write(self._folder, int(self._new_name().partition(".")[0]))
            number = 0
            with self._store.transaction():
                for number, one in enumerate(prepared(), 1):
                    self._store.insert_document(entry_of(number, one), one.kind, one.text, None)
                for name, postings in sorted(written):
                    self._store.swap_segments([], name, postings)
        self._snapshot.refresh()
        return number

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove the documents of these names, all in one commit; the names that were there."""
        with self._writing():
            with self._store.transaction():
                wanted = map(self._store.named, dict.fromkeys(names))
                entries = [entry for entry in wanted if entry is not None]
                for entry in entries:
                    self._store.delete_document(entry)
            return [entry.name for entry in entries]

    def _put(self, prepared: Prepared) -> Added:
        old = self._store.named(prepared.document.name)
        if old is not None and old.digest == prepared.digest:
            return self._update(old, prepared)
        if old is not None:
            self._store.delete_document(old)
        point("add.begun")
        entry = entry_of(self._store.next_number(), prepared)
        self._store.insert_document(entry, prepared.kind, prepared.text, prepared.postings)
        return Added(entry.name, "added" if old is None else "replaced")

    def _update(self, old: Entry, prepared: Prepared) -> Added:
        """The content is the same; what is known about it may be new."""
        new = replace(entry_of(old.id, prepared), added=old.added)
        if new == old:
            return Added(old.name, "unchanged")
        self._store.update_document(old, new)
        return Added(old.name, "updated")


def _crowded(segments: Sequence[Segment]) -> list[Segment]:
    """As many segments of one size class as make one of the next; none, if there are fewer."""
    classes: dict[int, list[Segment]] = {}
    for segment in segments:
        classes.setdefault(int(log(max(len(segment), FLUSH_POSTINGS) / FLUSH_POSTINGS, FAN)), []).append(segment)
    return next((those for _, those in sorted(classes.items()) if len(those) >= FAN), [])


def _may_hold(segments: Sequence[Segment], document: int) -> bool:
    return any(segment.header.least <= document <= segment.header.greatest for segment in segments)
