"""Compressed streams, read forwards in bounded memory: gzip, bzip2, xz and zstd."""

import bz2
import gzip
import lzma
from typing import BinaryIO, Protocol

from whorl.collection.kinds import What

# Bytes that a stream may make its decompressor hold. xz -9 takes 65 MB, zstd --long 128 MB; a header can claim 4 GB.
MEMORY = 160 << 20
_BLOCK = 1 << 16


class Readable(Protocol):
    """What gives bytes forwards."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


def unpack(file: BinaryIO, what: What) -> Readable:
    """The unpacked bytes of an open file, from its beginning."""
    file.seek(0)
    if what == "gzip":
        return gzip.GzipFile(fileobj=file, mode="rb")
    if what == "bzip2":
        return bz2.BZ2File(file)
    if what == "xz":
        return _Xz(file)
    if what == "zstd":
        import zstandard  # not before it is needed: see ``faults.damage``

        return zstandard.ZstdDecompressor(max_window_size=128 << 20).stream_reader(
            file, read_across_frames=True, closefd=False
        )
    return file


class _Xz:
    """Streams of xz that follow each other. ``lzma.LZMAFile`` cannot be given a limit of memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unpacker = self._fresh()

    def read(self, size: int, /) -> bytes:
        while True:
            rest = b""
            if self._unpacker.eof:
                rest = self._unpacker.unused_data.lstrip(b"\x00") or self._file.read(_BLOCK).lstrip(b"\x00")
                if not rest:
                    return b""
                self._unpacker = self._fresh()
            elif self._unpacker.needs_input:
                rest = self._file.read(_BLOCK)
                if not rest:
                    raise EOFError("it breaks off")
            if data := self._unpacker.decompress(rest, size):
                return data

    @staticmethod
    def _fresh() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
