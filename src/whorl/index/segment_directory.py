"""The directory of a segment: where each block is, what it holds, and its checksum."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.index.faults import DamageError
from whorl.index.segment_header import FOOTER_SIZE, HEADER_SIZE, SegmentHeader
from whorl.kernel.twin_segments import DISTINCT, LARGE, OFFSET, OFFSET_HIGH, PLACE_WIDTH, POSTINGS, SLOT_BITS, SLOTS

# Six numbers of 32 bits, as the kernel names them.
ROW = np.dtype("<u4"), 6
ROW_SIZE = 24

# Places have 32 bits.
WIDEST_PLACE = 32


@dataclass(frozen=True, slots=True, eq=False)
class Directory:
    """``rows`` as the kernel takes them; ``ends``, for each block, the number of postings up to its end."""

    rows: NDArray[np.uint32]
    ends: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def span(self, block: int) -> tuple[int, int]:
        """The first byte of a block, and the first after it."""
        start = int(self.rows[block, OFFSET]) | int(self.rows[block, OFFSET_HIGH]) << 32
        return start, start + int(self.sizes[block])


def read_directory(data: memoryview, start: int, header: SegmentHeader, path: Path) -> Directory:
    """The directory that begins at ``start``. Its blocks fill the file from the header to the directory, without gaps:
    so nothing that the kernel reads by it is outside the file."""
    if len(data) - FOOTER_SIZE - start != ROW_SIZE * header.blocks:
        raise DamageError(path, "its directory has another number of blocks than its header says")
    rows = np.frombuffer(data[start:-FOOTER_SIZE], ROW[0]).reshape(-1, ROW[1]).astype(np.uint32, copy=False)
    sizes = _sizes(rows, header)
    offsets = rows[:, OFFSET].astype(np.int64) | rows[:, OFFSET_HIGH].astype(np.int64) << 32
    ends = np.cumsum(rows[:, POSTINGS], dtype=np.int64)
    expected = HEADER_SIZE + np.cumsum(sizes) - sizes
    totals = int(ends[-1]), int(rows[:, DISTINCT].sum(dtype=np.int64))
    is_possible = bool((rows[:, PLACE_WIDTH] <= WIDEST_PLACE).all() and (rows[:, DISTINCT] <= rows[:, POSTINGS]).all())
    fits = np.array_equal(offsets, expected) and int(expected[-1] + sizes[-1]) == start
    if not (is_possible and fits and totals == (header.postings, header.distinct)):
        raise DamageError(path, "its directory contradicts itself")
    return Directory(rows, ends, sizes)


def _sizes(rows: NDArray[np.uint32], header: SegmentHeader) -> NDArray[np.int64]:
    """Bytes of each block: its columns, each a whole number of 64-bit words."""
    postings, distinct = rows[:, POSTINGS].astype(np.int64), rows[:, DISTINCT].astype(np.int64)
    columns = (
        SLOTS * np.where(distinct < LARGE, 16, 32),
        distinct * (header.width - header.bits - SLOT_BITS),
        postings,
        postings * header.document_width,
        postings * np.minimum(rows[:, PLACE_WIDTH].astype(np.int64), WIDEST_PLACE),
    )
    total = np.zeros(len(rows), np.int64)
    for bits in columns:
        total += (bits + 63) // 64 * 8
    return np.where(postings > 0, total, 0)
