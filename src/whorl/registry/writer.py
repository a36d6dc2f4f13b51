"""Changing a registry: documents come and go, and their stored fingerprints are drawn again.

A draw gives a document a new number and new postings; the old ones are buried, as those of a removed document are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.key import Key
from whorl.index.fresh import pack
from whorl.index.points import point
from whorl.index.snapshot import Snapshot
from whorl.index.writer import Upkeep
from whorl.registry.activity import Activity
from whorl.registry.draw import stored
from whorl.registry.entry import Entry, today
from whorl.registry.names import Names
from whorl.registry.reading import Reading, width
from whorl.registry.store import RegistryStore
from whorl.scheme import Scheme

# Tombstones are loaded by every reader. When there is one for so many documents, all is written anew without them.
TOMBSTONE_SHARE, FEW_TOMBSTONES = 16, 4096

State = Literal["added", "replaced", "updated", "unchanged", "rotated", "whole", "changed", "unknown"]


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a document.

    Of one that was to be rotated: ``whole`` if all of its search fingerprint is stored, so that there is nothing to
    draw; ``changed`` if its text is not the one that was registered; ``unknown`` if no document has its name.
    """

    name: str
    state: State


class _Batch:
    """The changes of one commit, so far, and the last number and serial that were given."""

    def __init__(self, known: Mapping[str, Entry], number: int, serial: int) -> None:
        self.known, self.number, self.serial = dict(known), number, serial
        self._first = number, serial
        self.gone: list[int] = []
        self.written: dict[int, Entry] = {}

    def remove(self, entry: Entry) -> None:
        """Without a document, be it on its page or among those that are to be written."""
        del self.known[entry.name]
        self.written.pop(entry.number, None)
        self.gone.append(entry.number)

    def write(self, store: RegistryStore) -> None:
        """Put all that changed into the log, and say which numbers were given."""
        store.give(self.number - self._first[0], self.serial - self._first[1])
        store.change(self.gone, self.written.values())

    def put(self, entry: Entry) -> None:
        """With a document."""
        self.known[entry.name] = self.written[entry.number] = entry


class RegistryWriter(Upkeep):
    """Changes a registry, under its lock."""

    def __init__(
        self,
        store: RegistryStore,
        folder: Path,
        snapshot: Snapshot,
        names: Names,
        scheme: Scheme,
        key: Key,
        wait: float,
    ) -> None:
        super().__init__(store, folder, snapshot, scheme.id, key.id, wait, width(scheme))
        self._store, self._names, self._recipe, self._secret = store, names, scheme, key

    def add(self, readings: Sequence[Reading]) -> list[Changed]:
        """Register documents or replace those of the same names, all in one commit."""
        with self._writing():
            batch = self._begun(reading.document.name for reading in readings)
            with self._store.transaction():
                done = [self._add(batch, reading) for reading in readings]
                batch.write(self._store)
            self._tidy(sum(len(reading.hashes) for reading in readings))
        return done

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove the documents of these names, all in one commit; the names that were there."""
        with self._writing():
            batch = self._begun(names)
            entries = list(batch.known.values())
            with self._store.transaction():
                for entry in entries:
                    self._bury(batch, entry)
                batch.write(self._store)
                point("remove.document")
            self._clear()
        return [entry.name for entry in entries]

    def rotate(self, readings: Sequence[Reading]) -> list[Changed]:
        """Draw new stored fingerprints for documents whose texts are at hand, all in one commit."""
        with self._writing():
            batch = self._begun(reading.document.name for reading in readings)
            with self._store.transaction():
                done = [self._rotate(batch, reading) for reading in readings]
                batch.write(self._store)
            self._tidy(sum(len(reading.hashes) for reading in readings))
            self._clear()
        return done

    def note(self, seen: Mapping[int, Activity]) -> None:
        """Count searches of documents. It needs no lock but the database's own: a search waits for nobody."""
        with self._store.transaction():
            there = self._store.numbered(seen)
            self._store.note({number: more for number, more in seen.items() if number in there})

    def _begun(self, names: Iterable[str]) -> _Batch:
        self._snapshot.refresh()
        return _Batch(self._names.found(names), *self._store.given())

    def _add(self, batch: _Batch, reading: Reading) -> Changed:
        document = reading.document
        old = batch.known.get(document.name)
        if old is not None and old.digest == reading.digest and old.symbols == reading.symbols:
            new = replace(old, url=document.url, date=document.date, contact=document.contact)
            if new == old:
                return Changed(old.name, "unchanged")
            batch.put(new)
            point("update.document")
            return Changed(old.name, "updated")
        if old is None:
            batch.serial += 1
        else:
            self._bury(batch, old)
        self._register(batch, reading, batch.serial if old is None else old.serial, 0)
        return Changed(document.name, "added" if old is None else "replaced")

    def _rotate(self, batch: _Batch, reading: Reading) -> Changed:
        old = batch.known.get(reading.document.name)
        if old is None:
            return Changed(reading.document.name, "unknown")
        if old.digest != reading.digest:
            return Changed(old.name, "changed")
        if old.stored == old.searched:
            self._store.forget(old.number)
            batch.put(replace(old, drawn=today()))
            return Changed(old.name, "whole")
        self._bury(batch, old)
        document = replace(reading.document, url=old.url, date=old.date, contact=old.contact)
        self._register(batch, replace(reading, document=document), old.serial, old.draws + 1)
        return Changed(old.name, "rotated")

    def _bury(self, batch: _Batch, entry: Entry) -> None:
        self._store.bury(entry.number)
        self._store.forget(entry.number)
        batch.remove(entry)

    def _register(self, batch: _Batch, reading: Reading, serial: int, draws: int) -> None:
        """A document under a new number: its log entry, and the postings of its stored fingerprint and its name."""
        point("add.begun")
        batch.number += 1
        document, number = reading.document, batch.number
        kept = stored(reading.hashes, self._recipe, self._secret, number)
        self._store.insert_delta(number, _postings(np.union1d(kept, self._names.hashes([document.name]))))
        batch.put(
            Entry(
                number, serial, document.name, document.url, document.date, document.contact, reading.symbols,
                len(kept), len(reading.hashes), reading.digest, draws, today(),
            )
        )  # fmt: skip

    def _clear(self) -> None:
        """Write all anew if there are many tombstones."""
        buried, documents = self._store.total("tombstones"), self._store.total("documents")
        if buried >= max(FEW_TOMBSTONES, documents // TOMBSTONE_SHARE):
            self._snapshot.refresh()
            self._flush()
            self._merge(list(self._snapshot.segments()))


def _postings(hashes: NDArray[np.uint64]) -> bytes:
    """Where in the document a hash stands is not kept."""
    return pack(hashes, np.zeros(len(hashes), np.uint32))
