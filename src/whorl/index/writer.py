"""Add documents to an index and remove them. ``whorl.storage.store`` flushes and merges their postings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from whorl.errors import InputError
from whorl.index.prepare import Prepared, entry_of
from whorl.index.store import Entry, IndexStore
from whorl.model import checked_name
from whorl.storage.files import point
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.snapshot import Snapshot
from whorl.storage.store import PostingsWriter

# Writes segments into a folder, named by numbers from a first one on. Returns their names and numbers of postings.
SegmentsWriter = Callable[[Path, int], Iterable[tuple[str, int]]]

State = Literal["added", "replaced", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding a document. ``symbols`` counts what was read of it, and is None if nothing had to be read.
    A document without symbols is in no result of a search."""

    name: str
    state: State
    symbols: int | None = None


class IndexWriter(PostingsWriter):
    """Changes an index, under its lock."""

    def __init__(self, store: IndexStore, folder: SegmentFolder, snapshot: Snapshot, wait: float) -> None:
        super().__init__(store, folder, snapshot, wait)
        self._store = store

    def add(self, prepared: Sequence[Prepared]) -> list[Added]:
        """Add documents, or replace those of the same names, in one commit."""
        with self._writing():
            with self._store.transaction():
                added = [self._put(one) for one in prepared]
            self._tidy(sum(one.size for one in prepared))
            self._clear()
        return added

    def load(self, write: SegmentsWriter, prepared: Callable[[], Iterable[Prepared]]) -> int:
        """Fill an empty index in one commit and return the number of documents. They get the numbers 1, 2, 3 … in
        order; ``write`` writes their postings into segments."""
        with self._writing():
            if self._store.next_number() > 1:
                raise InputError(f"{self._folder.path.parent}: not empty: only an empty index can be filled at once")
            written = write(self._folder.path, self._next_number())
            number = 0
            with self._store.transaction():
                for number, one in enumerate(prepared(), 1):
                    self._store.insert_document(entry_of(number, one), one.kind, one.text, None)
                for name, postings in sorted(written):
                    self._store.swap_segments([], name, postings)
        self._snapshot.refresh()
        return number

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove the documents of these names in one commit; return the names that existed."""
        with self._writing():
            with self._store.transaction():
                wanted = map(self._store.named, dict.fromkeys(map(checked_name, names)))
                entries = [entry for entry in wanted if entry is not None]
                for entry in entries:
                    self._store.delete_document(entry)
            self._clear()
            return [entry.name for entry in entries]

    def skip_numbers(self, last: int) -> None:
        """Give no document a number up to ``last`` from now on."""
        if self._store.next_number() > last:
            return
        with self._writing(), self._store.transaction():
            self._store.skip_numbers(last)

    def _put(self, prepared: Prepared) -> Added:
        old = self._store.named(prepared.document.name)
        if old is not None and old.digest == prepared.digest:
            return self._update(old, prepared)
        if old is not None:
            self._store.delete_document(old)
        point("add.begun")
        entry = entry_of(self._store.next_number(), prepared)
        self._store.insert_document(entry, prepared.kind, prepared.text, prepared.postings)
        return Added(entry.name, "added" if old is None else "replaced", entry.symbols)

    def _update(self, old: Entry, prepared: Prepared) -> Added:
        """Update the facts of a document whose content is the same."""
        new = replace(entry_of(old.id, prepared), added=old.added)
        if new == old:
            return Added(old.name, "unchanged")
        self._store.update_document(old, new)
        return Added(old.name, "updated")
