"""Add documents to a registry, remove them, find them by name, and rotate their stored fingerprints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.model import checked_name, is_unicode
from whorl.registry.reading import Reading, draw, truncate
from whorl.registry.store import Activity, RegistryEntry, RegistryStore, today
from whorl.scheme import Scheme
from whorl.storage.files import point
from whorl.storage.postings import pack
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.snapshot import Snapshot
from whorl.storage.store import PostingsWriter


class Names:
    """Finds documents by name in the state of a snapshot."""

    def __init__(self, store: RegistryStore, snapshot: Snapshot, scheme: Scheme, key: Key) -> None:
        self._store, self._snapshot, self._scheme, self._key = store, snapshot, scheme, key

    def hashes(self, names: Iterable[str]) -> NDArray[np.uint64]:
        """Return the hash of each name, with as many bits as a fingerprint."""
        digests = [
            blake2b(name.encode(), digest_size=8, key=self._key.secret, person=b"whorl name").digest() for name in names
        ]
        return truncate(np.frombuffer(b"".join(digests), "<u8").astype(np.uint64), self._scheme)

    def entries(self, names: Iterable[str]) -> dict[str, RegistryEntry]:
        """Return the documents of these names, as far as they are registered."""
        wanted = {name for name in map(checked_name, names) if is_unicode(name)}
        numbers = self._snapshot.look_up(distinct(self.hashes(sorted(wanted)))).documents
        entries = self._store.known(numbers.tolist()).values()
        return {entry.name: entry for entry in entries if entry.name in wanted}


State = Literal["added", "replaced", "updated", "unchanged", "rotated", "whole", "changed", "unknown"]


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a change of a document.

    Of a rotation: ``whole`` if all of its search fingerprint is stored, so there is nothing to draw; ``changed`` if its
    text is not the registered one; ``unknown`` if no document has its name.
    """

    name: str
    state: State


class _Batch:
    """The changes of one commit so far, and the last number and serial that were assigned."""

    def __init__(self, known: Mapping[str, RegistryEntry], number: int, serial: int) -> None:
        self.known, self.number, self.serial = dict(known), number, serial
        self._first = number, serial
        self.gone: list[int] = []
        self.written: dict[int, RegistryEntry] = {}

    def remove(self, entry: RegistryEntry) -> None:
        """Remove a document, from its page or from the batch."""
        del self.known[entry.name]
        self.written.pop(entry.number, None)
        self.gone.append(entry.number)

    def write(self, store: RegistryStore) -> None:
        """Write all changes to the log, and record the assigned numbers."""
        store.assign(self.number - self._first[0], self.serial - self._first[1])
        store.change(self.gone, self.written.values())

    def put(self, entry: RegistryEntry) -> None:
        self.known[entry.name] = self.written[entry.number] = entry


class RegistryWriter(PostingsWriter):
    """Changes a registry, under its lock."""

    def __init__(
        self,
        store: RegistryStore,
        folder: SegmentFolder,
        snapshot: Snapshot,
        names: Names,
        scheme: Scheme,
        key: Key,
        wait: float,
    ) -> None:
        super().__init__(store, folder, snapshot, wait)
        self._store, self._names, self._recipe, self._secret = store, names, scheme, key

    def add(self, readings: Sequence[Reading]) -> list[Changed]:
        """Register documents, or replace those of the same names, in one commit."""
        with self._writing():
            batch = self._begun(reading.document.name for reading in readings)
            with self._store.transaction():
                done = [self._add(batch, reading) for reading in readings]
                batch.write(self._store)
            self._tidy(sum(len(reading.hashes) for reading in readings))
            self._clear()
        return done

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove the documents of these names in one commit; return the names that existed."""
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
        """Draw new stored fingerprints for documents, from their texts, in one commit."""
        with self._writing():
            batch = self._begun(reading.document.name for reading in readings)
            with self._store.transaction():
                done = [self._rotate(batch, reading) for reading in readings]
                batch.write(self._store)
            self._tidy(sum(len(reading.hashes) for reading in readings))
            self._clear()
        return done

    def note(self, seen: Mapping[int, Activity]) -> None:
        """Count searches of documents. Use only the database's own lock, so that a search does not wait for a
        writer."""
        with self._store.transaction():
            known = self._store.numbered(seen)
            self._store.note({number: more for number, more in seen.items() if number in known})

    def _begun(self, names: Iterable[str]) -> _Batch:
        self._snapshot.refresh()
        return _Batch(self._names.entries(names), *self._store.last_numbers())

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

    def _bury(self, batch: _Batch, entry: RegistryEntry) -> None:
        self._store.bury(entry.number)
        self._store.forget(entry.number)
        batch.remove(entry)

    def _register(self, batch: _Batch, reading: Reading, serial: int, draws: int) -> None:
        """Write a document under a new number: its log entry, and the postings of its stored fingerprint and its
        name."""
        point("add.begun")
        batch.number += 1
        document, number = reading.document, batch.number
        stored = draw(reading.hashes, self._recipe, self._secret, number)
        self._store.insert_delta(number, _postings(np.union1d(stored, self._names.hashes([document.name]))))
        batch.put(
            RegistryEntry(
                number, serial, document.name, document.url, document.date, document.contact, reading.symbols,
                len(stored), len(reading.hashes), reading.digest, draws, today(),
            )
        )  # fmt: skip


def _postings(hashes: NDArray[np.uint64]) -> bytes:
    """Encode postings without places: a registry does not store them."""
    return pack(hashes, np.zeros(len(hashes), np.uint32))
