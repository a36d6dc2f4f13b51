"""The ids that were seen, at some 20 bytes each, so that a second document of the same id is noticed.

A set of digests would take 100 bytes an id: 3 GB for thirty million documents. Here an id is 64 bits of a digest in a
table, at a place that other bits of the digest choose. Two ids are confused if both agree: with thirty million, the
chance that any two are is about 2^-34. A full table stays as it is and a larger one is begun: nothing is ever moved.
"""

import mmap
import tempfile
from hashlib import blake2b

_FIRST = 1 << 18  # slots of the first table: two megabytes, of which a small corpus touches few
_GROWTH = 2
# A table is full when this many of 8 slots are taken: linear probing then looks at some 5 slots for an id that is new.
_FULL_EIGHTHS = 5
# Tables above this many bytes lie in a temporary file: the system can write them out when memory is short.
_IN_MEMORY = 64 << 20


class _Table:
    """Open addressing with linear probing. 0 is an empty slot."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._room = slots * _FULL_EIGHTHS // 8
        self._cells = _cells(8 * slots)

    @property
    def is_full(self) -> bool:
        return self._room == 0

    def place(self, home: int, tag: int) -> int:
        """The slot that has the tag, or the empty one where it belongs, as -1 - slot."""
        cells, mask = self._cells, self.slots - 1
        at = home & mask
        while held := cells[at]:
            if held == tag:
                return at
            at = (at + 1) & mask
        return -1 - at

    def put(self, at: int, tag: int) -> None:
        self._cells[at] = tag
        self._room -= 1


class Seen:
    """Ids, each known once it was added; or digests of anything else, of 16 bytes."""

    def __init__(self) -> None:
        self._tables = [_Table(_FIRST)]

    def add(self, identity: str) -> bool:
        """Whether the id is new."""
        return self.add_digest(blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest())

    def __contains__(self, digest: object) -> bool:
        """Whether the digest was added."""
        home, tag = _parts(digest) if isinstance(digest, bytes) else (0, 0)
        return any(table.place(home, tag) >= 0 for table in self._tables)

    def add_digest(self, digest: bytes) -> bool:
        """Whether the digest is new."""
        home, tag = _parts(digest)
        at = -1
        for table in self._tables:
            at = table.place(home, tag)
            if at >= 0:
                return False
        table = self._tables[-1]
        table.put(-1 - at, tag)
        if table.is_full:
            self._tables.append(_Table(table.slots * _GROWTH))
        return True


def _parts(digest: bytes) -> tuple[int, int]:
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little") or 1


def _cells(size: int) -> "memoryview[int]":
    """Zeros, as 64-bit numbers."""
    if size <= _IN_MEMORY:
        return memoryview(mmap.mmap(-1, size)).cast("Q")
    with tempfile.TemporaryFile(prefix="whorl-ids-") as file:
        file.truncate(size)
        return memoryview(mmap.mmap(file.fileno(), size)).cast("Q")
