"""Purge an index: delete all traces of removed documents from its files, and check that none is left.

Removing a document hides it; its postings stay in a segment until a merge, and its text in free pages of the database.
A purge rewrites the segments with such postings and the whole database, and empties the log. Then it checks the tables,
every posting, and the raw bytes of the files for samples of the documents. It cannot see what a file system does with
the blocks of a removed or truncated file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.index.prepare import Prepared
from whorl.index.remains import samples_of, search_files, search_values
from whorl.index.store import MOST_NUMBER, Entry
from whorl.index.writer import Added, IndexWriter
from whorl.storage import files
from whorl.storage.files import point
from whorl.storage.segments import Segment
from whorl.stores import BESIDE


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """The result of a purge and of its checks. ``remains`` is empty if nothing is left.

    ``documents`` are the requested ones; ``removed``, those of them that still existed; ``dropped``, all whose postings
    were still in a segment, older versions of a document too. ``samples`` counts the samples that were searched for;
    ``shared`` of them also occur in other documents and prove nothing.
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
        """Whether nothing is left."""
        return not self.remains

    def as_dict(self) -> dict[str, Any]:
        """Return the report for output."""
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {**fields, "clean": self.is_clean}


class Purger(IndexWriter):
    """A writer that can also purge, and that tells readers when a document changes hands."""

    def purge(self, numbers: Iterable[int], known: Mapping[bytes, int] | None = None) -> PurgeReport:
        """Remove documents, delete all traces of them and of earlier removals, and search for remains. ``known`` has
        samples (``samples_of``) of documents that were removed before, with their numbers."""
        self._store.refuse_reading()
        wanted = tuple(sorted({number for number in numbers if 0 < number <= MOST_NUMBER}))
        with self._writing():
            point("purge.begun")
            entries = [entry for entry in map(self._store.find, wanted) if entry is not None]
            samples = {sample: entry.id for entry in entries for sample in self.samples_of(entry)} | dict(known or {})
            with self._store.transaction():
                for entry in entries:
                    self._store.delete_document(entry)
            dropped = self._drop_removed()
            point("purge.compacted")
            self._store.rewrite()
            point("purge.rewritten")
            self._store.empty_log(self._wait)
            point("purge.emptied")
            report = self._check(wanted, tuple(entry.id for entry in entries), dropped)
        report = self._search_files(report, samples)
        point("purge.proved")
        return report

    def _update(self, old: Entry, prepared: Prepared) -> Added:
        if old.owner != prepared.document.owner:
            self._store.count_owner_change()
        return super()._update(old, prepared)

    def samples_of(self, entry: Entry) -> list[bytes]:
        """Return samples of what is stored of a document, to search the files for."""
        _, text = self._store.text(entry.id) or ("", b"")
        return samples_of(entry.name, entry.digest, text, self._store.fresh(entry.id) or b"")

    def _drop_removed(self) -> tuple[int, ...]:
        """Rewrite the segments that may have postings of removed documents, and remove unlisted files."""
        self._sweep()
        self._snapshot.refresh()
        removed = self._snapshot.tombstones
        if len(removed):
            self._merge([each for each in self._snapshot.segments() if _may_hold_any(each, removed)])
        files.fsync_folder(self._folder.path)
        return tuple(removed.tolist())

    def _check(self, wanted: tuple[int, ...], removed: tuple[int, ...], dropped: tuple[int, ...]) -> PurgeReport:
        """Check the tables, the segments and the sizes of files. The lock is held."""
        pages, free = self._store.pages()
        log = _size(Path(f"{self._store.path}-wal"))
        gone = sorted({*wanted, *dropped})
        segments = self._snapshot.segments()
        remains = [f"document {number}: a row of the database" for number in gone if self._store.knows(number)]
        remains += [line for each in segments for line in _postings_of(each, np.array(gone, np.uint32))]
        remains += [f"{count} {what}" for count, what in ((free, "free pages"), (log, "bytes of the log")) if count]
        return PurgeReport(
            wanted, removed, dropped, len(segments), sum(map(len, segments)), pages, free, log, 0, 0, 0,
            tuple(remains), _now(),
        )  # fmt: skip

    def _search_files(self, report: PurgeReport, samples: dict[bytes, int]) -> PurgeReport:
        """Search the raw bytes for samples. Others may write meanwhile and remove a document with the same text: so
        rewrite the file once more and search again for the samples that remain, under the lock."""
        searched, shared, left = self._search(samples)
        if left:
            with self._writing():
                self._store.rewrite()
                self._store.empty_log(self._wait)
                _, _, left = self._search({sample: samples[sample] for sample in left})
        places = tuple(f"document {samples[sample]}: a piece of it in {path.name}" for sample, path in left.items())
        return replace(
            report,
            searched_bytes=searched,
            samples=len(samples),
            shared=shared,
            remains=report.remains + places,
            finished=_now(),
        )

    def _search(self, samples: dict[bytes, int]) -> tuple[int, int, dict[bytes, Path]]:
        """Search all files for samples. Return the bytes searched, how many samples other documents share, and the file
        of each other sample found."""
        where: dict[bytes, Path] = {}
        searched = 0
        for path, hits, size in search_files(self._files(), list(samples)) if samples else ():
            searched += size
            where |= dict.fromkeys(hits, path)
        shared = search_values(self._store.values(), list(where)) if where else set()
        return searched, len(shared), {sample: path for sample, path in where.items() if sample not in shared}

    def _files(self) -> list[Path]:
        """Return the index's own files; its folder may hold others."""
        database = self._store.path
        return [
            database,
            *(Path(f"{database}{end}") for end in BESIDE),
            *(self._folder.path / name for name in files.names(self._folder.path)),
        ]


def _may_hold_any(segment: Segment, documents: NDArray[np.uint32]) -> bool:
    return bool(((documents >= segment.header.least) & (documents <= segment.header.greatest)).any())


def _postings_of(segment: Segment, documents: NDArray[np.uint32]) -> list[str]:
    """Describe the documents that have postings in a segment."""
    numbers = {number for part in segment.scan() for number in np.intersect1d(part.documents, documents).tolist()}
    return [f"document {number}: postings in {segment.path.name}" for number in sorted(numbers)]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
