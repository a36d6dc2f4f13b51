"""An index in memory, for a few documents and for tests."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key
from whorl.index.base import BaseIndex
from whorl.index.prepare import SPANS, TEXT, Prepared, entry_of
from whorl.index.store import Entry
from whorl.index.writer import Added
from whorl.model import checked_name
from whorl.scheme import Scheme, resolve
from whorl.storage.postings import FreshPostings, PostingHits


class MemoryIndex(BaseIndex):
    """The interface of ``Index``, without files."""

    def __init__(self, scheme: Scheme, key: Key, kind: str) -> None:
        super().__init__(scheme, key, kind)
        self._entries: dict[str, Entry] = {}
        self._numbers: dict[int, Entry] = {}
        self._texts: dict[int, tuple[str, bytes]] = {}
        self._fresh = FreshPostings()
        self._last = 0

    @classmethod
    def create(cls, scheme: Scheme | str = "text", *, text: bool = True) -> Self:
        """Create an empty index with its own secret key."""
        key = Key.random()
        return cls(resolve(scheme).with_key(key.id), key, TEXT if text else SPANS)

    def reading(self) -> AbstractContextManager[None]:
        """Do nothing: there is no other writer."""
        return nullcontext()

    def refresh(self) -> None:
        """Do nothing: changes are visible at once."""

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; return the names that existed."""
        known = [name for name in dict.fromkeys(map(checked_name, names)) if name in self._entries]
        for name in known:
            self._delete(name)
        self._fresh.update(self._numbers, [])
        return known

    def entries(self) -> Iterator[Entry]:
        """Return all documents, in the order in which they were added."""
        return iter([self._numbers[number] for number in sorted(self._numbers)])

    def entry(self, name: str) -> Entry | None:
        """Return the document of this name, or None."""
        return self._entries.get(checked_name(name))

    def find(self, number: int) -> Entry | None:
        """Return the document of a number, or None."""
        return self._numbers.get(number)

    @property
    def documents(self) -> int:
        """The number of documents."""
        return len(self._numbers)

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""
        return np.array([entry.id for entry in self._numbers.values() if entry.sanctioned], np.uint32)

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of sorted hashes."""
        return self._fresh.look_up(hashes)

    def numbered(self, number: int) -> Entry:
        """Return the document of a number that a posting names."""
        return self._numbers[number]

    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Return the owner of each document."""
        return {number: self._numbers[number].owner for number in numbers}

    def _page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        names = sorted(name for name in self._entries if name.startswith(prefix) and name > after)
        return [self._entries[name] for name in names[:limit]]

    def _page_by_number(self, after: int, limit: int) -> list[Entry]:
        return [self._numbers[number] for number in sorted(self._numbers) if number > after][:limit]

    def _put(self, prepared: list[Prepared]) -> list[Added]:
        return [self._put_one(one) for one in prepared]

    def _put_one(self, prepared: Prepared) -> Added:
        old = self._entries.get(prepared.document.name)
        if old is not None and old.digest == prepared.digest:
            new = replace(entry_of(old.id, prepared), added=old.added)
            self._entries[new.name] = self._numbers[new.id] = new
            return Added(new.name, "unchanged" if new == old else "updated")
        if old is not None:
            self._delete(old.name)
        self._last += 1
        entry = entry_of(self._last, prepared)
        self._entries[entry.name] = self._numbers[entry.id] = entry
        self._texts[entry.id] = prepared.kind, prepared.text
        self._fresh.update(self._numbers, [(entry.id, prepared.postings)])
        return Added(entry.name, "added" if old is None else "replaced", entry.symbols)

    def _delete(self, name: str) -> None:
        number = self._entries.pop(name).id
        del self._numbers[number], self._texts[number]

    def _check_missing(self, name: str) -> None:
        """Do nothing: memory has no damaged index."""

    def _stored(self, entry: Entry) -> tuple[str, bytes]:
        return self._texts[entry.id]
