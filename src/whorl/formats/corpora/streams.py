"""Read a file as chunks of decompressed bytes, or as lines of any length, in bounded memory; copy it without some."""

import bz2
import gzip
import lzma
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from whorl.formats.archives.decompression import (
    BZIP2,
    GZIP,
    SKIPPABLE,
    XZ,
    ZSTD,
    Bzip2Members,
    CompressedMembers,
    GzipMembers,
    XzMembers,
    ZstdMembers,
)
from whorl.formats.archives.names import damage, opened, reason

# Bytes read at once from an uncompressed file: a part of the rest, within these limits.
LEAST, MOST = 1 << 20, 4 << 20
STEPS = 8

# First bytes of JSON and WARC: some download tools decompress a file but keep its name.
_UNPACKED = (b"{", b"[", b"\xef\xbb\xbf", b"WARC")

# First bytes of a compressed file, and the ending of its name.
_MAGIC: dict[bytes, type[CompressedMembers]] = {
    GZIP: GzipMembers,
    BZIP2: Bzip2Members,
    XZ: XzMembers,
    ZSTD: ZstdMembers,
}
ENDINGS: dict[str, type[CompressedMembers]] = {
    ".gz": GzipMembers,
    ".bz2": Bzip2Members,
    ".xz": XzMembers,
    ".zst": ZstdMembers,
}


class Chunks(Protocol):
    """A forward reader of bytes. ``member`` is where the current compressed member begins, -1 without compression."""

    member: int

    @property
    def offset(self) -> int:
        """Bytes of the file consumed so far."""
        ...

    def chunk(self) -> bytes:
        """Return the next bytes; b"" at the end. Raises one of ``damage()``."""
        ...

    def resync(self, start: bytes) -> bool:
        """After damage: skip to the next member that begins with ``start``; return False if there is none."""
        ...


class Plain:
    """An uncompressed file. ``offset`` is counted here: asking the system for each row would block other threads."""

    member = -1

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.offset = file.tell()
        self._size = file.seek(0, os.SEEK_END)
        file.seek(self.offset)

    def chunk(self) -> bytes:
        """Return the next bytes, fewer towards the end, so that threads that share them finish together."""
        left = self._size - self.offset
        data = self._file.read(min(max(left // STEPS, LEAST), MOST))
        self.offset += len(data)
        return data

    def resync(self, start: bytes) -> bool:
        """Return False: an uncompressed file has no members."""
        return False


def chunks(file: BinaryIO, name: str = "") -> Chunks:
    """Open a file from its beginning, decompressed if its first bytes say so.

    If they are unknown, its name decides; then the beginning is damaged.
    """
    file.seek(0)
    head = file.read(len(XZ))
    file.seek(0)
    for magic, members in _MAGIC.items():
        if head.startswith(magic):
            return members(file)
    if head[1:4] == SKIPPABLE and 0x50 <= head[0] <= 0x5F:
        return ZstdMembers(file)
    if not head or head.startswith(_UNPACKED):
        return Plain(file)
    packed = next((members for ending, members in ENDINGS.items() if name.lower().endswith(ending)), None)
    return Plain(file) if packed is None else packed(file)


class NumberedLine(NamedTuple):
    """A line without its end, counted from 1; None if it is too long."""

    number: int
    content: bytes | None


def blocks(source: Chunks, most: int) -> Iterator[bytes | None]:
    """Yield blocks of complete lines.

    None replaces a line of more than ``most`` bytes that is longer than a chunk; it is never held in memory. A shorter
    one may be part of a block.
    """
    parts, size = list[bytes](), 0
    while chunk := source.chunk():
        if size > most and b"\n" in chunk:  # the line in hand ends here
            yield None
            parts, size = [], 0
            chunk = chunk[chunk.index(b"\n") + 1 :]
        ended = chunk.rfind(b"\n") + 1
        if ended:
            yield b"".join((*parts, chunk[:ended]))
            parts, size = [], 0
        size += len(chunk) - ended
        if size <= most:
            parts.append(chunk[ended:])
        else:
            parts.clear()
    if size:
        yield b"".join((*parts, b"\n")) if size <= most else None


def lines(source: Chunks, most: int) -> Iterator[NumberedLine]:
    """Yield every line, with None as the content of one longer than ``most`` bytes."""
    contents = (
        content for block in blocks(source, most) for content in ((None,) if block is None else block[:-1].split(b"\n"))
    )
    for number, content in enumerate(contents, 1):
        yield NumberedLine(number, content if content is not None and len(content) <= most else None)


# Bytes of a line without an end that are held in memory; more go to a temporary file.
_HELD = 16 << 20


def copy_lines(path: Path, target: Path, rows: NDArray[np.int64]) -> str:
    """Copy JSONL without some lines, byte for byte, in the same compression; return what is damaged.

    Of a damaged file, complete lines are written.
    """
    with ExitStack() as stack:
        source = chunks(stack.enter_context(opened(path, follow=True)), path.name)
        sink = _compressed(source, target, stack)
        rest = stack.enter_context(tempfile.SpooledTemporaryFile(_HELD, dir=str(target.parent)))
        line = 1
        while True:
            try:
                chunk = source.chunk()
            except damage() as error:
                return f"damaged: {reason(error)}; the rest of the file is not written"
            ended = chunk.rfind(b"\n") + 1
            if ended or not chunk:
                _pour(rest, sink)
            ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n")) + 1
            _write_chunk(sink, chunk[:ended], ends, rows[np.searchsorted(rows, line) :] - line)
            line += len(ends)
            place = np.searchsorted(rows, line)
            if place == len(rows) or rows[place] != line:
                rest.write(chunk[ended:])
            if not chunk:
                return ""


def _pour(held: IO[bytes], sink: BinaryIO) -> None:
    """Move bytes that were held to the sink."""
    held.seek(0)
    shutil.copyfileobj(held, sink, MOST)
    held.seek(0)
    held.truncate()


def edit_lines(
    path: Path,
    target: Path,
    edit: Callable[[NumberedLine], bytes | None],
    most: int,
    *,
    keeps_long: bool = True,
) -> str:
    """Copy JSONL in the same compression, each line as ``edit`` returns it, None to remove it; return what is damaged.

    Lines end with a line feed, the last one too. A line of more than ``most`` bytes comes without its content; it stays
    as it is, or what ``edit`` returns is written in its place if not ``keeps_long``.
    """
    with ExitStack() as stack:
        source = chunks(stack.enter_context(opened(path, follow=True)), path.name)
        sink = _compressed(source, target, stack)
        try:
            for part in _lines_and_parts(source, most):
                if isinstance(part, bytes):
                    sink.write(part if keeps_long else b"")
                    continue
                edited = edit(part)
                if part.content is None and keeps_long:
                    sink.write(b"\n")
                elif edited is not None:
                    sink.write(edited + b"\n")
        except damage() as error:
            return f"damaged: {reason(error)}; the rest of the file is not written"
    return ""


def _lines_and_parts(source: Chunks, most: int) -> Iterator[NumberedLine | bytes]:
    """Yield every line; before one of more than ``most`` bytes, which comes without its content, the parts of it."""
    number, parts, size = 1, list[bytes](), 0
    while chunk := source.chunk():
        *ended, rest = chunk.split(b"\n")
        for content in ended:
            parts.append(content)
            if size + len(content) > most:
                yield from parts
                yield NumberedLine(number, None)
            else:
                yield NumberedLine(number, b"".join(parts))
            number, parts, size = number + 1, [], 0
        parts.append(rest)
        size += len(rest)
        if size > most:
            yield from parts
            parts.clear()
    if size > most:
        yield NumberedLine(number, None)
    elif size:
        yield NumberedLine(number, b"".join(parts))


def _write_chunk(sink: BinaryIO, chunk: bytes, ends: NDArray[np.int64], removed: NDArray[np.int64]) -> None:
    """Write a chunk without some of its lines, counted from 0; they end at ``ends``, the last perhaps behind it."""
    bounds, start = [0, *ends.tolist(), len(chunk)], 0
    for line in removed[: np.searchsorted(removed, len(ends), "right")].tolist():
        sink.write(chunk[start : bounds[line]])
        start = bounds[line + 1]
    sink.write(chunk[start:])


def _compressed(source: Chunks, target: Path, stack: ExitStack) -> BinaryIO:
    """Open a file for writing in the compression of the source. Nothing in it depends on the time or the name."""
    file = stack.enter_context(target.open("wb"))
    if isinstance(source, GzipMembers):
        return cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", 6, file, 0)))
    if isinstance(source, Bzip2Members):
        return cast(BinaryIO, stack.enter_context(bz2.BZ2File(file, "wb")))
    if isinstance(source, XzMembers):
        return cast(BinaryIO, stack.enter_context(lzma.LZMAFile(file, "wb")))
    if isinstance(source, ZstdMembers):
        import zstandard

        return cast(BinaryIO, stack.enter_context(zstandard.ZstdCompressor().stream_writer(file, closefd=False)))
    return file
