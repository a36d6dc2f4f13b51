"""Count the hashes that pairs of documents share. Defined by ``tests/kernel/specification/tallies.py``."""

import numpy as np
from numpy.typing import NDArray

def follow(
    hashes: NDArray[np.uint64], documents: NDArray[np.uint32], most: int, linear: bool, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Prepare ``tally`` from postings that are sorted by hash, then by document.

    Return for each posting the end of those that it makes pairs with; the postings that make pairs, by document; the
    bounds of each document's; the number of pairs before each document; and the hashes of more than ``most`` documents.
    These make no pairs, or, if ``linear``, only their first posting does.
    """

def tally(
    documents: NDArray[np.uint32],
    ends: NDArray[np.int64],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    works: NDArray[np.int64],
    first: int,
    last: int,
) -> NDArray[np.uint32]:
    """Return the sorted pairs whose smaller document is in ``first`` to ``last`` - 1.

    A row is the larger document, the smaller one, and the number of hashes that they share.
    """

def count(pairs: NDArray[np.uint64], weights: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Sum the weights of equal pairs. A pair is ``smaller << 32 | larger``; pairs are sorted."""

def merge(rows: NDArray[np.uint32], bounds: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Merge runs of rows, divided at ``bounds``, and sum the counts of equal pairs. Overwrites ``rows``."""

def fuse(
    bounds: NDArray[np.int64],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    weights: NDArray[np.float64],
    counts: NDArray[np.int32],
    totals: NDArray[np.float64],
    has_normal: NDArray[np.uint8],
    statements: NDArray[np.int64],
    prior: float,
    lowest: float,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int32],
]:
    """Return the pairs of four streams, ascending, each once: both numbers, similarity, containment, and what they
    share, in the stream where it is most and in the first one. Pairs that share nothing there are left out.

    Stream i has the pairs between ``bounds[i]`` and ``bounds[i + 1]``, ascending, with the weight and the number of
    what they share; a document weighs ``totals[i]`` in it. The first stream alone counts unless both documents have a
    normal form. Otherwise a measure is the mean of the first stream, of the second, and of the third or fourth,
    whichever is greater after it is blended with the second: it has the share n / (n + ``prior``), with n the
    ``statements`` of the document with fewer. The lowest of the three has the weight ``lowest``.
    """
