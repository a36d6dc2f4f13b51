"""A file as chunks of bytes, unpacked if it is compressed."""

import os
from typing import BinaryIO, Protocol

from whorl.corpus.members import GZIP, SKIPPABLE, ZSTD, Gzip, Zstd

# Bytes that are read at once from a file that is not compressed: a part of what is left of it, between these.
LEAST, MOST = 1 << 20, 4 << 20
STEPS = 8

# How JSONL and WARC begin: programs that fetch files unpack some of them and leave their names.
_UNPACKED = (b"{", b"\xef\xbb\xbf{", b"WARC")


class Chunks(Protocol):
    """What gives bytes forwards. ``member`` is where the compressed member in hand begins, -1 without compression."""

    member: int

    @property
    def offset(self) -> int:
        """Bytes of the file that were taken."""
        ...

    def chunk(self) -> bytes:
        """The next bytes; none at the end. Raises one of ``damage()``."""
        ...

    def resync(self, start: bytes) -> bool:
        """After damage: goes to the next member that begins with ``start``; False if there is none."""
        ...


class Plain:
    """A file as it is. ``offset`` counts its bytes that were taken: asking the system at each row would let other
    threads wait for each other."""

    member = -1

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.offset = file.tell()
        self._size = file.seek(0, os.SEEK_END)
        file.seek(self.offset)

    def chunk(self) -> bytes:
        """The next bytes. Towards the end fewer at a time, so that threads that share them end together."""
        left = self._size - self.offset
        taken = self._file.read(min(max(left // STEPS, LEAST), MOST))
        self.offset += len(taken)
        return taken

    def resync(self, start: bytes) -> bool:
        """There are no members: a read that failed is not tried again."""
        return False


def chunks(file: BinaryIO, name: str = "") -> Chunks:
    """A file from its beginning, unpacked if its first bytes say that it is compressed.

    If they say nothing, its name does: then its beginning is damaged.
    """
    file.seek(0)
    head = file.read(4)
    file.seek(0)
    if head.startswith(GZIP):
        return Gzip(file)
    if head == ZSTD or (head[1:] == SKIPPABLE and 0x50 <= head[0] <= 0x5F):
        return Zstd(file)
    if not head or head.startswith(_UNPACKED):
        return Plain(file)
    return Gzip(file) if name.lower().endswith(".gz") else Zstd(file) if name.lower().endswith(".zst") else Plain(file)
