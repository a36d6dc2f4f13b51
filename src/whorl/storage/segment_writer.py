"""Write segments: sorted postings become one file, which exists whole or not at all. Merge segments in bounded memory.

The bytes go to a temporary file in the same folder, which is synced to the disk and then renamed. A crash leaves at
most that file (``files.TEMPORARY``) or a whole segment that no list names yet.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DamageError, StoreIOError
from whorl.kernel import native_postings, native_segments
from whorl.storage import files
from whorl.storage.files import point
from whorl.storage.postings import Postings
from whorl.storage.segments import (
    HEADER_SIZE,
    LEAST_WIDTH,
    LONGEST_ID,
    WHOLE,
    Segment,
    SegmentHeader,
    bits_for,
    pack_footer,
)


def merge(
    segments: Sequence[Segment],
    drop: NDArray[np.uint32] | None = None,
    parts: Sequence[Iterable[Postings]] = (),
) -> Iterator[Postings]:
    """Merge the postings of all segments, and of other sorted runs (``parts``). No hash is in two parts of the result.

    Leave out the postings of the documents ``drop``, in any order. Only a part of each run is in memory at a time.
    """
    dropped = np.unique(drop).astype(np.uint32) if drop is not None else np.empty(0, np.uint32)
    runs = [_Run(run) for run in [*(segment.scan() for segment in segments), *parts]]
    while runs := [run for run in runs if run.fill()]:
        last = min(run.last for run in runs)
        postings = _merged([run.take(last) for run in runs])
        if len(dropped):
            postings = postings[native_postings.keep(postings.documents, dropped)]
        if len(postings):
            yield postings


class _Run:
    """A sorted run of postings, and the part that was read but not yet taken."""

    def __init__(self, parts: Iterable[Postings]) -> None:
        self._parts = iter(parts)
        self._part = Postings.none()

    def fill(self) -> bool:
        """Read the next part if none is left. Return False at the end."""
        while not len(self._part):
            part = next(self._parts, None)
            if part is None:
                return False
            self._part = part
        return True

    @property
    def last(self) -> int:
        """The last hash of the part."""
        return int(self._part.hashes[-1])

    def take(self, last: int) -> Postings:
        """Take all postings up to a hash, which is at most ``last``; also those in later parts."""
        postings = []
        while self.fill():
            end = int(np.searchsorted(self._part.hashes, np.uint64(last), "right"))
            postings.append(self._part[:end])
            self._part = self._part[end:]
            if len(self._part):
                break
        return Postings.joined(postings)


def _merged(runs: list[Postings]) -> Postings:
    """Merge runs two by two, so that a posting is copied log2(runs) times."""
    runs = [run for run in runs if len(run)]
    while len(runs) > 1:
        pairs = zip(runs[::2], runs[1::2], strict=False)
        odd = runs[len(runs) // 2 * 2 :]
        runs = [one.merged(two) for one, two in pairs] + odd
    return runs[0] if runs else Postings.none()


# Bytes gathered before they are written: enough to make the cost of the system call negligible.
BUFFERED = 1 << 20

# Postings of a block at most: the directory counts them with 32 bits.
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
    """Write postings, sorted by hash, document and place and cut anywhere, to a new file.

    ``expected`` is their approximate number, for the layout of the blocks: a wrong one costs only speed and bytes.
    ``documents`` are the least and the greatest number that may occur, ``width`` the bits of a hash. The file must not
    exist: a segment never changes.
    """
    if files.exists(path):
        raise StoreIOError(path, "write", "the file exists, and segments never change")
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
    """Remove unfinished files. Ignore a failure here: the first one is reported, and the next writer removes them."""
    for path in paths:
        with suppress(StoreIOError):
            files.unlink(path)


def _write(path: Path, parts: Iterable[Postings], plan: SegmentHeader) -> SegmentHeader:
    descriptor = files.create(path)
    try:
        point("segment.created")
        header = _Layout(descriptor, path, plan).write(parts)
        point("segment.written")
        files.fsync(descriptor, path)
    except BaseException:
        with suppress(StoreIOError):  # report the first failure
            files.close(descriptor, path)
        raise
    files.close(descriptor, path)
    return header


class _Layout:
    """A file being written: the bytes that wait, and the rows of the directory so far."""

    def __init__(self, descriptor: int, path: Path, plan: SegmentHeader) -> None:
        self._descriptor, self._path, self._plan = descriptor, path, plan
        self._rows = np.zeros((plan.blocks, 6), "<u4")
        self._waiting = bytearray(HEADER_SIZE)
        self._written = 0

    def write(self, parts: Iterable[Postings]) -> SegmentHeader:
        """Write blocks, directory, footer, and last the header, which has the counts."""
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
        """Give empty blocks the offset of the next one."""
        self._rows[first:last, 0] = self._offset & 0xFFFFFFFF
        self._rows[first:last, 1] = self._offset >> 32

    def _add(self, block: int, postings: Postings) -> None:
        plan = self._plan
        if len(postings) > MOST_IN_BLOCK:
            raise ValueError(f"block {block} would have {len(postings)} postings: hashes are not uniform")
        packed, distinct, place_width = native_segments.encode(
            postings.hashes, postings.documents, postings.places, plan.depth, plan.document_width, plan.least
        )
        offset = self._offset
        summed = native_segments.checksum(packed)
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
    """Return the postings of each block that has any."""
    open_block, pending = -1, list[Postings]()
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
                if pending:
                    yield open_block, Postings.joined(pending)
                if block < open_block:
                    raise ValueError("postings are not in order of hash, document and place")
                open_block, pending = block, []
            pending.append(part[start:end])
    if pending:
        yield open_block, Postings.joined(pending)


class SegmentFolder:
    """The segment files of one store, all of one scheme, key and width of hashes."""

    def __init__(self, path: Path, scheme: str, key: str, width: int = WHOLE) -> None:
        self.path, self._scheme, self._key, self._width = path, scheme, key, width

    def open(self, name: str) -> Segment:
        """Open a segment. Refuse one of another scheme or key."""
        segment = Segment.open(self.path / name)
        if (segment.header.scheme, segment.header.key) != (self._scheme, self._key):
            raise DamageError(segment.path, "it belongs to another store: its scheme or key differs")
        return segment

    def next_number(self, last: int) -> int:
        """Return a number that no segment ever had, listed (up to ``last``) or left by a crash: a reader may still have
        an old one open."""
        used = [int(name.partition(".")[0]) for name in files.names(self.path) if name[:8].isdigit()]
        return max(last, *used, 0) + 1

    def write(
        self, number: int, parts: Iterable[Postings], expected: int, documents: tuple[int, int]
    ) -> tuple[str, SegmentHeader]:
        """Write sorted postings to the segment of a number; return its name and header."""
        name = f"{number:08}.segment"
        header = write_segment(
            self.path / name, parts, expected=expected, documents=documents, scheme=self._scheme, key=self._key,
            width=self._width,
        )  # fmt: skip
        return name, header

    def merge(
        self, number: int, segments: Sequence[Segment], drop: NDArray[np.uint32] | None = None
    ) -> tuple[str, SegmentHeader]:
        """Merge segments into the one of a number, without the postings of the documents ``drop``."""
        headers = [segment.header for segment in segments]
        documents = min(header.least for header in headers), max(header.greatest for header in headers)
        return self.write(number, merge(segments, drop), sum(map(len, segments)), documents)
