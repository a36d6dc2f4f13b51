"""Columns of postings, sorted, merged and chosen from, in plain Python: the specification of ``native_postings``."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Columns = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]

# A heap has fewer than 2^HEAP_BITS postings on average.
HEAP_BITS = 13

POSTING = np.dtype([("hash", "<u8"), ("document", "<u4"), ("place", "<u4")])


def post(
    hashes: NDArray[np.uint64], bounds: NDArray[np.int64], chosen: NDArray[np.uint8], first: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The hashes of the chosen documents, and for each the document that has it. Document i has those between
    ``bounds[i]`` and the next, and the number ``first + i``."""
    rows = [range(bounds[i], bounds[i + 1]) for i in range(len(chosen))]
    pairs = [(hashes[j], first + i) for i, row in enumerate(rows) if chosen[i] for j in row]
    return np.array([one for one, _ in pairs], np.uint64), np.array([number for _, number in pairs], np.uint32)


def deal(
    hashes: NDArray[np.uint64], documents: NDArray[np.uint32], places: NDArray[np.uint32]
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The postings as rows, in heaps: those whose hashes begin with the same bits, in the order of these bits, each
    heap's in the order in which they came. And where each heap begins, and the last one ends."""
    if not len(hashes) == len(documents) == len(places):
        raise ValueError("columns have different lengths")
    bits = max(0, len(hashes).bit_length() - HEAP_BITS)
    heaps: list[list[tuple[int, int, int]]] = [[] for _ in range(1 << bits)]
    for row in _rows_of(hashes, documents, places):
        heaps[row[0] >> (64 - bits)].append(row)
    bounds = np.cumsum([0, *map(len, heaps)], dtype=np.int64)
    return np.array([row for heap in heaps for row in heap], POSTING), bounds


def settle(
    rows: NDArray[np.void],
    bounds: NDArray[np.int64],
    first: int,
    last: int,
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
) -> None:
    """Write the postings of some heaps to the same places of the columns, in order of hash, document and place."""
    start, end = bounds[first], bounds[last]
    in_order = _as_columns(sorted(rows[start:end].tolist()))
    hashes[start:end], documents[start:end], places[start:end] = in_order


def merge(
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
    more_hashes: NDArray[np.uint64],
    more_documents: NDArray[np.uint32],
    more_places: NDArray[np.uint32],
) -> Columns:
    """The postings of two runs that are in order, in order; equal ones stay as often as they are there."""
    one, two = _rows_of(hashes, documents, places), _rows_of(more_hashes, more_documents, more_places)
    return _as_columns(sorted([*one, *two]))


def keep(documents: NDArray[np.uint32], dropped: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """For each document, whether it is not among the dropped ones, which are in order."""
    gone = set(dropped.tolist())
    return np.array([document not in gone for document in documents.tolist()], np.bool_)


def _rows_of(*columns: NDArray[np.uint64] | NDArray[np.uint32]) -> Iterator[tuple[int, int, int]]:
    hashes, documents, places = (column.tolist() for column in columns)
    return zip(hashes, documents, places, strict=True)


def _as_columns(postings: list[tuple[int, int, int]]) -> Columns:
    hashes, documents, places = zip(*postings, strict=True) if postings else ((), (), ())
    return np.array(hashes, np.uint64), np.array(documents, np.uint32), np.array(places, np.uint32)


def greedy_cover(bounds: NDArray[np.int64], places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The documents with most of the places that are left, one after the other; of equal ones the first."""
    documents = [places[start:end].tolist() for start, end in pairwise(bounds.tolist())]
    left, chosen = set(range(count)), list[int]()
    while documents:
        gains = [sum(place in left for place in document) for document in documents]
        if not max(gains):
            break
        chosen.append(gains.index(max(gains)))
        left -= set(documents[chosen[-1]])
    return np.array(chosen, np.int64)
