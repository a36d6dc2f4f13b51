"""Decompression of gzip, bzip2, xz and zstd: forwards, in bounded memory.

``decompress`` opens a compressed archive. The ``…Members`` also say where each compressed member begins, as a WARC file
has one for each record, and find the next member after damage.
"""

import bz2
import lzma
import zlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from whorl.formats.archives.kinds import What
from whorl.formats.archives.names import damage

if TYPE_CHECKING:
    from zstandard import ZstdCompressionDict

# Bytes that an xz stream may make its decompressor allocate. xz -9 takes 65 MB; a header can claim 4 GB.
XZ_MEMORY = 160 << 20
BLOCK = 2 << 20  # of a compressed file read at once, and the most that gzip gives: what is done once does not count
# Compressed zstd taken at once. Four bytes can become 128 kB, so this much becomes 32 MB at the worst.
_ZSTD_STEP = 1 << 10
_ZSTD_WINDOW = 128 << 20  # zstd --long=27 needs it; a header can claim 4 GB
_DICTIONARY = 16 << 20  # zstd's own trainer makes 110 kB
# Marks of members that are tried in a damaged file. By chance one stands in every 16 MB; a hostile file has only marks.
_TRIES = 1000

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
BZIP2, XZ = b"BZh", b"\xfd7zXZ\x00"
SKIPPABLE = b"\x2a\x4d\x18"  # behind a byte from 0x50 to 0x5f
_WITH_DICTIONARY = 0x5D  # the frame in which a .warc.zst file carries the dictionary of all others


class ByteStream(Protocol):
    """A stream of bytes that is read forwards."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        ...


def decompress(file: BinaryIO, what: What) -> ByteStream:
    """Return the unpacked bytes of an open file, from its beginning."""
    file.seek(0)
    return _Stream(MEMBERS[what](file)) if what in MEMBERS else file


class CompressedMembers(ABC):
    """Consecutive compressed members of a file. Subclasses define a member."""

    magic = b""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._block = memoryview(b"")
        self._unpacker: Any = None
        self._broken: Exception | None = None
        self._tries = _TRIES
        self.member = 0

    @property
    def offset(self) -> int:
        """Bytes of the file consumed so far."""
        return self._file.tell() - len(self._block)

    def chunk(self) -> bytes:
        """Return the next unpacked bytes, all of one member. Damage is raised again on every call until ``resync``."""
        if self._broken is not None:
            raise self._broken
        try:
            return self._unpacked()
        except damage() as error:
            self._broken = error
            raise

    def _unpacked(self) -> bytes:
        while self._unpacker is not None or self._begin():
            data, used = self._step(self._block)
            self._block = self._block[used:]
            if self._unpacker.eof:
                self._unpacker = None
            elif not data and not self._block and not self._more():
                raise EOFError("it breaks off")
            if data:
                return data
        return b""

    def resync(self, start: bytes) -> bool:
        """Search for the magic number of a member after the start of the damaged one; return whether one begins with
        ``start``."""
        at = self.member + 1
        while self._tries and (at := self._find(at)) >= 0:
            self._tries -= 1
            self._seek(at)
            try:
                if self.chunk().startswith(start):
                    self._seek(at)
                    return True
            except damage():
                pass  # the mark stood there by chance, or this member is damaged too
            at += 1
        return False

    def _seek(self, at: int) -> None:
        self._file.seek(at)
        self._block, self._unpacker, self._broken = memoryview(b""), None, None

    def _find(self, at: int) -> int:
        self._seek(at)
        tail = b""
        while block := self._file.read(BLOCK):
            position = (tail + block).find(self.magic)
            if position >= 0:
                return at - len(tail) + position
            at += len(block)
            tail = (tail + block)[1 - len(self.magic) :]
        return -1

    def _more(self, least: int = 1) -> bool:
        """Read until the block holds at least ``least`` bytes; return whether the file has them."""
        while len(self._block) < least:
            block = self._file.read(BLOCK)
            if not block:
                return False
            self._block = memoryview(bytes(self._block) + block)
        return True

    @abstractmethod
    def _begin(self) -> bool:
        """Open the next member; return False at the end of the file."""

    @abstractmethod
    def _step(self, block: memoryview) -> tuple[bytes, int]:
        """Return some unpacked bytes, and how many packed bytes they took."""


class _PaddedMembers(CompressedMembers):
    """Members that begin with a magic number. Zeros between and after them are padding."""

    name = ""

    def _begin(self) -> bool:
        while self._more() and self._block[0] == 0:
            stripped = bytes(self._block).lstrip(b"\0")
            self._block = memoryview(stripped)
        self.member = self.offset
        if not self._more(len(self.magic)):
            if len(self._block):
                raise EOFError("it breaks off")
            return False
        if self._block[: len(self.magic)] != self.magic:
            raise OSError(f"not {self.name}")
        self._unpacker = self._fresh()
        return True

    @abstractmethod
    def _fresh(self) -> Any:
        """Return a decompressor for the next member."""


class GzipMembers(_PaddedMembers):
    """gzip, member by member."""

    name, magic = "gzip", GZIP

    def _fresh(self) -> Any:
        return zlib.decompressobj(16 + zlib.MAX_WBITS)

    def _step(self, block: memoryview) -> tuple[bytes, int]:
        unpacker = self._unpacker
        data: bytes = unpacker.decompress(block, BLOCK)
        return data, len(block) - len(unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail)


class ZstdMembers(CompressedMembers):
    """zstd, frame by frame, with the dictionary that a .warc.zst file may begin with."""

    magic = ZSTD

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._dictionary: ZstdCompressionDict | None = None

    def _begin(self) -> bool:
        self.member = self.offset
        while self._more(8) and self._block[1:4] == SKIPPABLE:
            self._skippable(self._block[0], int.from_bytes(self._block[4:8], "little"))
            self.member = self.offset
        if not len(self._block):
            return False
        if self._block[:4] != self.magic:
            raise OSError("not zstd")
        import zstandard  # not before it is needed: see ``damage``

        unpacker = zstandard.ZstdDecompressor(dict_data=self._dictionary, max_window_size=_ZSTD_WINDOW)
        self._unpacker = unpacker.decompressobj()
        return True

    def _step(self, block: memoryview) -> tuple[bytes, int]:
        packed = block[:_ZSTD_STEP]
        data: bytes = self._unpacker.decompress(packed)
        return data, len(packed) - len(self._unpacker.unused_data if self._unpacker.eof else b"")

    def _skippable(self, mark: int, size: int) -> None:
        if size > _DICTIONARY:
            raise OSError("a skippable frame is too large")
        if not self._more(8 + size):
            raise EOFError("it breaks off")
        content = bytes(self._block[8 : 8 + size])
        self._block = self._block[8 + size :]
        if mark == _WITH_DICTIONARY and self._dictionary is None:
            import zstandard

            if content.startswith(ZSTD):
                content = zstandard.ZstdDecompressor().decompress(content, max_output_size=_DICTIONARY)
            self._dictionary = zstandard.ZstdCompressionDict(content)


class _BufferedMembers(_PaddedMembers):
    """Members whose decompressor keeps the packed bytes that it has not used yet."""

    def _step(self, block: memoryview) -> tuple[bytes, int]:
        unpacker = self._unpacker
        packed = block if unpacker.needs_input else block[:0]
        data: bytes = unpacker.decompress(packed, BLOCK)
        if not unpacker.eof:
            return data, len(packed)
        self._block = memoryview(unpacker.unused_data + bytes(block[len(packed) :]))
        return data, 0


class Bzip2Members(_BufferedMembers):
    """bzip2, stream by stream."""

    name, magic = "bzip2", BZIP2

    def _fresh(self) -> bz2.BZ2Decompressor:
        return bz2.BZ2Decompressor()


class XzMembers(_BufferedMembers):
    """xz, stream by stream, with a limit of memory, which ``lzma.LZMAFile`` does not have."""

    name, magic = "xz", XZ

    def _fresh(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)


MEMBERS: dict[str, type[CompressedMembers]] = {
    "gzip": GzipMembers,
    "bzip2": Bzip2Members,
    "xz": XzMembers,
    "zstd": ZstdMembers,
}


class _Stream:
    """Compressed members as one stream."""

    def __init__(self, members: CompressedMembers) -> None:
        self._members = members
        self._chunk = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        if not self._chunk:
            self._chunk = memoryview(self._members.chunk())
        data, self._chunk = self._chunk[:size], self._chunk[size:]
        return bytes(data)
