"""Encode, decode and search the blocks of a segment file. Defined by ``tests/kernel/specification/segments.py``.

``rows`` is the directory: six numbers a block, see ``constants.COLUMNS``. ``data`` is the whole file; up to 16 bytes
past a block may be read. ``verified`` has a byte a block, not 0 once its checksum was checked. A function that meets a
damaged block returns its number in place of -1; the rest of the result is then void.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Rows: TypeAlias = NDArray[np.uint32]
Columns: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]

def checksum(data: Bytes, before: int = 0) -> int:
    """Return the CRC-32C; ``before`` is the checksum of the bytes before these."""

def plain_checksum(data: Bytes, before: int = 0) -> int:
    """Return the same without the processor's instruction for it."""

def size(postings: int, distinct: int, bits: int, document_width: int, place_width: int) -> int:
    """Return the number of bytes of a block."""

def encode(
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
    bits: int,
    document_width: int,
    least: int,
) -> tuple[Bytes, int, int]:
    """Encode the sorted postings of one block. Return it, its number of distinct hashes, and its width of places.

    Raise ValueError if the postings are not sorted or not of one block.
    """

def decode(
    data: Bytes, rows: Rows, first: int, last: int, bits: int, document_width: int, least: int, verified: Bytes
) -> tuple[int, Columns]:
    """Return all postings of the blocks ``first`` to ``last`` - 1, in order."""

def find(
    data: Bytes, rows: Rows, bits: int, document_width: int, hashes: NDArray[np.uint64], verified: Bytes
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Return for each hash the number of its first posting within its block, and how many postings it has."""

def gather(
    data: Bytes,
    rows: Rows,
    bits: int,
    document_width: int,
    least: int,
    hashes: NDArray[np.uint64],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return ``counts`` postings of each hash, from ``starts`` in its block on: hash number, document, place."""
