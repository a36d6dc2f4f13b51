"""The ids that were seen, at some 20 bytes each, so that a second document of the same id is noticed.

A set of digests would take 100 bytes an id: 3 GB for thirty million documents. Here an id is 64 bits of a digest in a
table, at a place that other bits of the digest choose. Two ids are confused if both agree: with thirty million, the
chance that any two are is about 2^-34. A full table stays as it is and a larger one is begun: nothing is ever moved.
"""

import mmap
import tempfile
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from whorl import kernel

_FIRST = 1 << 18  # cells of the first table: two megabytes, of which a small corpus touches few
_GROWTH = 2
# A table is full when this many of 8 cells are taken: linear probing then looks at some 5 cells for an id that is new.
_FULL_EIGHTHS = 5
# Tables above this many bytes lie in a temporary file: the system can write them out when memory is short.
_IN_MEMORY = 64 << 20


class Seen:
    """Ids, each known once it was added; or digests of anything else, of 16 bytes."""

    def __init__(self) -> None:
        self._tables = list[NDArray[np.uint64]]()
        self._room = 0

    def add(self, identity: str) -> bool:
        """Whether the id is new."""
        return bool(self.add_all([identity.encode("utf-8", "surrogatepass")])[0])

    def add_all(self, ids: Iterable[bytes]) -> NDArray[np.bool_]:
        """Which of the ids, in UTF-8, are new: each for the first time only."""
        digests = b"".join([blake2b(identity, digest_size=16).digest() for identity in ids])
        return self.add_digests(np.frombuffer(digests, np.uint64).reshape(-1, 2))

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of the digests were added. A row of ``digests`` is one of them."""
        return self._known(self._tables, np.ascontiguousarray(digests))

    def add_digests(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of the digests are new: each for the first time only."""
        digests, behind = np.ascontiguousarray(digests), 0
        known = self._known(self._tables[:-1], digests)
        while True:
            if self._tables:
                behind, self._room = kernel.seen().insert(self._tables[-1], digests, known, behind, self._room)
            if behind == len(digests):
                return ~known
            self._enlarge()

    def _known(self, tables: Sequence[NDArray[np.uint64]], digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        known = np.zeros(len(digests), np.bool_)
        for table in tables:
            kernel.seen().find(table, digests, known)
        return known

    def _enlarge(self) -> None:
        count = len(self._tables[-1]) * _GROWTH if self._tables else _FIRST
        self._tables.append(_cells(count))
        self._room = count * _FULL_EIGHTHS // 8


def _cells(count: int) -> NDArray[np.uint64]:
    """Zeros."""
    size = 8 * count
    if size <= _IN_MEMORY:
        return np.frombuffer(mmap.mmap(-1, size), np.uint64)
    with tempfile.TemporaryFile(prefix="whorl-ids-") as file:
        file.truncate(size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint64)
