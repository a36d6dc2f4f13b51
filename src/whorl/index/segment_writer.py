"""Writing a segment: postings in order become one file, which is there whole or not at all.

The bytes go to a temporary file in the same folder, which is brought to the disk and then renamed. A crash leaves at
most that file (``files.TEMPORARY``) or a whole segment that nobody knows of yet.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from whorl import kernel
from whorl.index import files
from whorl.index.faults import IndexIOError
from whorl.index.points import point
from whorl.index.postings import Postings
from whorl.index.segment_header import (
    HEADER_SIZE,
    LEAST_WIDTH,
    LONGEST_ID,
    WHOLE,
    SegmentHeader,
    bits_for,
    pack_footer,
)

# Bytes that are gathered before they are written: enough that the system call costs nothing beside them.
BUFFERED = 1 << 20

# Postings of one block: the directory counts them with 32 bits.
MOST_IN_BLOCK = 2**32 - 1


def write_segment(
    path: Path,
    parts: Iterable[Postings],
    *,
    expected: int,
    documents: tuple[int, int],
    scheme: str,
    key: str,
    width: int = WHOLE,
) -> SegmentHeader:
    """Write postings, which come in order of hash, document and place, cut anywhere, to a new file.

    ``expected`` is about how many there will be: blocks are laid out for it, and a wrong number costs speed and bytes
    only. ``documents`` are the least and the greatest that may occur, ``width`` the bits of a hash. The name must be
    new: a segment never changes.
    """
    if files.exists(path):
        raise IndexIOError(path, "write", "there is a file of this name, and segments never change")
    plan = _plan(expected, documents, scheme, key, width)
    temporary = path.with_name(path.name + files.TEMPORARY)
    try:
        header = _write(temporary, parts, plan)
        point("segment.synced")
        files.rename(temporary, path)
        point("segment.renamed")
        files.fsync_folder(path.parent)
    except BaseException:
        _remove(temporary, path)
        raise
    point("segment.durable")
    return header


def _plan(expected: int, documents: tuple[int, int], scheme: str, key: str, width: int) -> SegmentHeader:
    for name in (scheme, key):
        if not (name.isascii() and name.isprintable() and 0 < len(name) <= LONGEST_ID):
            raise ValueError(f"{name!r}: an id is {LONGEST_ID} printable ASCII characters at the most")
    least, greatest = documents
    if not 0 <= least <= greatest < 2**32:
        raise ValueError(f"{documents}: documents are the least and the greatest number, of 32 bits")
    if not LEAST_WIDTH <= width <= WHOLE:
        raise ValueError(f"{width}: a hash has {LEAST_WIDTH} to {WHOLE} bits")
    return SegmentHeader(scheme, key, 0, 0, least, greatest, bits_for(expected, width), width)


def _remove(*paths: Path) -> None:
    """What was not finished. If it cannot be removed either, the first failure is the one to tell; the next start
    removes it."""
    for path in paths:
        with suppress(IndexIOError):
            files.unlink(path)


def _write(path: Path, parts: Iterable[Postings], plan: SegmentHeader) -> SegmentHeader:
    descriptor = files.create(path)
    try:
        point("segment.created")
        header = _Layout(descriptor, path, plan).write(parts)
        point("segment.written")
        files.fsync(descriptor, path)
    except BaseException:
        with suppress(IndexIOError):  # the first failure is the one to tell
            files.close(descriptor, path)
        raise
    files.close(descriptor, path)
    return header


class _Layout:
    """The file as it grows: the bytes that wait to be written, and the rows of the directory so far."""

    def __init__(self, descriptor: int, path: Path, plan: SegmentHeader) -> None:
        self._descriptor, self._path, self._plan = descriptor, path, plan
        self._rows = np.zeros((plan.blocks, 6), "<u4")
        self._waiting = bytearray(HEADER_SIZE)
        self._written = 0

    def write(self, parts: Iterable[Postings]) -> SegmentHeader:
        """Everything: blocks, directory, footer, and last the header, which has the counts."""
        done = 0
        for block, postings in _blocks(parts, self._plan):
            self._skip(done, block)
            self._add(block, postings)
            done = block + 1
        self._skip(done, self._plan.blocks)
        start = self._offset
        self._flush()
        point("segment.blocks")
        counts = self._rows[:, 2].sum(dtype=np.int64), self._rows[:, 3].sum(dtype=np.int64)
        header = replace(self._plan, postings=int(counts[0]), distinct=int(counts[1]))
        directory = self._rows.tobytes()
        self._waiting += directory
        self._waiting += pack_footer(header.pack(), directory, start)
        self._flush()
        point("segment.directory")
        files.write_at(self._descriptor, header.pack(), 0, self._path)
        return header

    @property
    def _offset(self) -> int:
        return self._written + len(self._waiting)

    def _skip(self, first: int, last: int) -> None:
        """Blocks without postings: they are where the next one is."""
        self._rows[first:last, 0] = self._offset & 0xFFFFFFFF
        self._rows[first:last, 1] = self._offset >> 32

    def _add(self, block: int, postings: Postings) -> None:
        loops, plan = kernel.segments(), self._plan
        if len(postings) > MOST_IN_BLOCK:
            raise ValueError(f"block {block} would have {len(postings)} postings: hashes are not uniform")
        packed, distinct, place_width = loops.encode(
            postings.hashes, postings.documents, postings.places, plan.depth, plan.document_width, plan.least
        )
        offset = self._offset
        summed = loops.checksum(packed)
        self._rows[block] = offset & 0xFFFFFFFF, offset >> 32, len(postings), distinct, summed, place_width
        self._waiting += packed.tobytes()
        if len(self._waiting) >= BUFFERED:
            self._flush()
            point("segment.block")

    def _flush(self) -> None:
        files.write(self._descriptor, self._waiting, self._path)
        self._written += len(self._waiting)
        self._waiting = bytearray()


def _blocks(parts: Iterable[Postings], plan: SegmentHeader) -> Iterator[tuple[int, Postings]]:
    """The postings of each block that has any, together."""
    open_block, held = -1, list[Postings]()
    for part in parts:
        numbers = part.hashes >> np.uint64(1) >> np.uint64(63 - plan.depth)
        if len(numbers) and int(numbers[-1]) >= plan.blocks:
            raise ValueError(f"a hash has more than {plan.width} bits")
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(part)]
        for start, end in pairwise(cuts):
            if start == end:
                continue
            block = int(numbers[start])
            if block != open_block:
                if held:
                    yield open_block, Postings.joined(held)
                if block < open_block:
                    raise ValueError("postings are not in order of hash, document and place")
                open_block, held = block, []
            held.append(part[start:end])
    if held:
        yield open_block, Postings.joined(held)
