"""Documents by name: a name is one more posting of its document, so that it needs no table of its own.

A name's hash is looked up as a fingerprint's is. The document's page of the log says whether it is the name.
"""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.key import Key
from whorl.index.snapshot import Snapshot
from whorl.registry.entry import Entry
from whorl.registry.reading import narrowed
from whorl.registry.store import RegistryStore
from whorl.scheme import Scheme


class Names:
    """Finds the documents of names in the state that a snapshot shows."""

    def __init__(self, store: RegistryStore, snapshot: Snapshot, scheme: Scheme, key: Key) -> None:
        self._store, self._snapshot, self._scheme, self._key = store, snapshot, scheme, key

    def hashes(self, names: Iterable[str]) -> NDArray[np.uint64]:
        """The hash of each name, in the bits that a fingerprint's has."""
        digests = [
            blake2b(name.encode(), digest_size=8, key=self._key.secret, person=b"whorl name").digest() for name in names
        ]
        return narrowed(np.frombuffer(b"".join(digests), "<u8").astype(np.uint64), self._scheme)

    def found(self, names: Iterable[str]) -> dict[str, Entry]:
        """The documents of these names; those that nobody registered are left out."""
        wanted = set(names)
        numbers = self._snapshot.look_up(np.unique(self.hashes(sorted(wanted)))).documents
        entries = self._store.known(numbers.tolist()).values()
        return {entry.name: entry for entry in entries if entry.name in wanted}
