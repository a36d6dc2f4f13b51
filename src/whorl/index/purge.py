"""A purge: nothing of removed documents stays in the files of an index, and what was looked at is told.

Removing makes a document unfindable; its postings stay in a segment until a merge, and its text in free pages of the
database. A purge rewrites the segments that hold such postings and the database as a whole, empties the log, and then
looks: at the tables, at every posting, and for pieces of the documents in the raw bytes of the files. What a file
system does with the blocks of a file that was removed or shortened is not seen from here.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.index import files
from whorl.index.entry import Entry
from whorl.index.points import point
from whorl.index.remains import found_among, found_in, samples
from whorl.index.segment import Segment
from whorl.index.store import MOST_NUMBER
from whorl.index.writer import Writer

# What SQLite keeps beside a database: the log, and an index of the log.
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a purge did and where it looked. ``remains`` is empty if nothing was left.

    ``documents`` are those that were asked for; ``removed``, those of them that were still there; ``dropped``, all
    whose postings were still in a segment, older versions of a document too. ``samples`` counts the pieces of the
    ``removed`` that were searched for; ``shared`` of them are in documents that stay, and tell nothing.
    """

    documents: tuple[int, ...]
    removed: tuple[int, ...]
    dropped: tuple[int, ...]
    segments: int
    postings: int
    pages: int
    free_pages: int
    log_bytes: int
    searched_bytes: int
    samples: int
    shared: int
    remains: tuple[str, ...]
    finished: str

    @property
    def is_clean(self) -> bool:
        """Whether nothing was left."""
        return not self.remains

    def as_dict(self) -> dict[str, Any]:
        """For people and scripts."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {**told, "clean": self.is_clean}


class Purger(Writer):
    """A writer that can also purge."""

    def purge(self, numbers: Iterable[int]) -> Evidence:
        """Remove documents that are there, leave nothing of them and of all that were removed, and look for remains."""
        self._store.refuse_reading()
        wanted = tuple(sorted({number for number in numbers if 0 < number <= MOST_NUMBER}))
        with self._writing():
            point("purge.begun")
            entries = [entry for entry in map(self._store.find, wanted) if entry is not None]
            taken = {sample: entry.id for entry in entries for sample in self._samples(entry)}
            with self._store.transaction():
                for entry in entries:
                    self._store.delete_document(entry)
            dropped = self._drop_removed()
            point("purge.compacted")
            self._store.rewrite()
            point("purge.rewritten")
            self._store.empty_log(self._wait)
            point("purge.emptied")
            seen = self._look(wanted, tuple(entry.id for entry in entries), dropped)
        evidence = self._searched(seen, taken)
        point("purge.proved")
        return evidence

    def _samples(self, entry: Entry) -> list[bytes]:
        _, text = self._store.text(entry.id) or ("", b"")
        return samples(entry.name, entry.digest, text, self._store.fresh(entry.id) or b"")

    def _drop_removed(self) -> tuple[int, ...]:
        """Rewrite the segments that may have postings of removed documents, and sweep the files that no list names."""
        self._sweep()
        self._snapshot.refresh()
        removed = self._snapshot.tombstones
        if len(removed):
            self._merge([each for each in self._snapshot.segments() if _may_hold_any(each, removed)])
        files.fsync_folder(self._folder)
        return tuple(removed.tolist())

    def _look(self, wanted: tuple[int, ...], removed: tuple[int, ...], dropped: tuple[int, ...]) -> Evidence:
        """What the tables, the segments and the sizes of files tell; nobody writes meanwhile."""
        pages, free = self._store.pages()
        log = _size(Path(f"{self._store.path}-wal"))
        gone = sorted({*wanted, *dropped})
        segments = self._snapshot.segments()
        remains = [f"document {number}: a row of the database" for number in gone if self._store.knows(number)]
        remains += [told for each in segments for told in _postings_of(each, np.array(gone, np.uint32))]
        remains += [f"{count} {what}" for count, what in ((free, "free pages"), (log, "bytes of the log")) if count]
        return Evidence(
            wanted, removed, dropped, len(segments), sum(map(len, segments)), pages, free, log, 0, 0, 0,
            tuple(remains), _now(),
        )  # fmt: skip

    def _searched(self, seen: Evidence, taken: dict[bytes, int]) -> Evidence:
        """With what the raw bytes tell. Others may write meanwhile, and remove a document with the same text: what is
        found then is looked for again, in a file that is once more written anew, while nobody writes."""
        searched, shared, left = self._search(taken)
        if left:
            with self._writing():
                self._store.rewrite()
                self._store.empty_log(self._wait)
                _, _, left = self._search({sample: taken[sample] for sample in left})
        places = tuple(f"document {taken[sample]}: a piece of it in {path.name}" for sample, path in left.items())
        return replace(
            seen,
            searched_bytes=searched,
            samples=len(taken),
            shared=shared,
            remains=seen.remains + places,
            finished=_now(),
        )

    def _search(self, taken: dict[bytes, int]) -> tuple[int, int, dict[bytes, Path]]:
        """Look for samples in all files: the bytes that were searched, how many samples documents that stay have too,
        and where others were found."""
        where: dict[bytes, Path] = {}
        searched = 0
        for path in self._files() if taken else ():
            found, size = found_in(path, list(taken))
            searched += size
            where |= dict.fromkeys(found, path)
        shared = found_among(self._store.values(), list(where)) if where else set()
        return searched, len(shared), {sample: path for sample, path in where.items() if sample not in shared}

    def _files(self) -> list[Path]:
        """The index's own files: in its folder others may keep theirs."""
        database = self._store.path
        return [database, *(Path(f"{database}{end}") for end in _BESIDE), *sorted(self._folder.iterdir())]


def _may_hold_any(segment: Segment, documents: NDArray[np.uint32]) -> bool:
    return bool(((documents >= segment.header.least) & (documents <= segment.header.greatest)).any())


def _postings_of(segment: Segment, documents: NDArray[np.uint32]) -> list[str]:
    """Of which documents a segment has postings, in words."""
    found = {number for part in segment.scan() for number in np.intersect1d(part.documents, documents).tolist()}
    return [f"document {number}: postings in {segment.path.name}" for number in sorted(found)]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
