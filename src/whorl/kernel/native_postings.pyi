"""Sort, merge and filter columns of postings. Defined by ``tests/kernel/specification/postings.py``."""

import numpy as np
from numpy.typing import NDArray

def post(
    hashes: NDArray[np.uint64], bounds: NDArray[np.int64], chosen: NDArray[np.uint8], first: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the hashes of the chosen documents, and the document of each.

    Document i has the hashes ``bounds[i]`` to ``bounds[i + 1]`` and the number ``first + i``.
    """

def deal(
    hashes: NDArray[np.uint64], documents: NDArray[np.uint32], places: NDArray[np.uint32]
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Distribute postings, as rows, to buckets by the first bits of their hashes. Return the rows and the bounds."""

def settle(
    rows: NDArray[np.void],
    bounds: NDArray[np.int64],
    first: int,
    last: int,
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
) -> None:
    """Write the postings of some buckets to the columns, sorted by hash, document and place."""

def merge(
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
    more_hashes: NDArray[np.uint64],
    more_documents: NDArray[np.uint32],
    more_places: NDArray[np.uint32],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Merge two sorted runs of postings; equal ones are all kept."""

def keep(documents: NDArray[np.uint32], dropped: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return for each document whether it is not among the dropped ones, which are sorted."""

def greedy_cover(bounds: NDArray[np.int64], places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the numbers of documents that together have all places, in the order in which they are chosen: the one
    with most places first, then the one with most of the rest; of equal ones the first.

    Document d has the places ``places[bounds[d] : bounds[d + 1]]``, each below ``count``; one that it has twice counts
    twice.
    """
