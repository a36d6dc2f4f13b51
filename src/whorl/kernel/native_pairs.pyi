"""Find, filter, verify and cluster pairs of documents that share shingles or fingerprints. Defined by
``tests/kernel/specification/pairs.py``."""

import numpy as np
from numpy.typing import NDArray

def hopeful(
    lefts: NDArray[np.uint32],
    rights: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    levels: NDArray[np.int32],
    kept: NDArray[np.int32],
    common: NDArray[np.int32],
    sizes: NDArray[np.int64] | None,
    threshold: float,
    doubt: float,
    few: int,
) -> NDArray[np.bool_]:
    """Tell which pairs may reach a threshold, by how many values of their sketches they share.

    ``kept[i, j]`` values of document i are in a sketch of level j; ``common[i, j]`` of them are not counted though both
    may share them. The coarser of both ``levels`` decides. A pair is dropped if its count is ``doubt`` standard errors
    below the threshold times the sample: the union of both, or, with ``sizes``, the smaller document. A sample of
    fewer than ``few`` decides nothing.
    """

def near(
    count: int,
    owners: NDArray[np.int32],
    others: NDArray[np.int32],
    likeness: NDArray[np.float64],
    ties: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Group ``others`` by owner, smallest tie first. Return them, their likeness, and the bounds of each owner's."""

def shared(
    hashes: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    lefts: NDArray[np.int64],
    rights: NDArray[np.int64],
    needed: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Count the hashes that the two sets of each pair have in common.

    Set i is ``hashes[bounds[i] : bounds[i + 1]]``, ascending. A count below ``needed`` is only a lower bound.
    """

def gather(
    order: NDArray[np.int64],
    joining_bounds: NDArray[np.int64],
    joining: NDArray[np.int32],
    likeness: NDArray[np.float64],
    bounds: NDArray[np.int64],
    others: NDArray[np.int32],
    few: int,
    share: float,
) -> NDArray[np.int64]:
    """Return the representative of each document: clusters in which nearly all are a pair with each other.

    ``others[bounds[i] : bounds[i + 1]]`` are a pair with document i; ``joining`` likewise may join its cluster, the
    most alike first. One joins if it is no pair with at most ``few`` members, or with at most this ``share`` of them.
    """

def reach(
    offsets: NDArray[np.int64],
    groups: NDArray[np.int32],
    starts: NDArray[np.int64],
    documents: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many pairs ``partners`` may find for each of these documents, at most."""

def partners(
    offsets: NDArray[np.int64],
    groups: NDArray[np.int32],
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    weights: NDArray[np.float64],
    documents: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Return the pairs of these documents with those of greater number that share fingerprints: both numbers, the
    weight of what they share, summed in the order of the groups, and how many fingerprints that is. The pairs of each
    document ascend.

    Document d has the groups ``groups[offsets[d] : offsets[d + 1]]``; group g, one hash, has the documents
    ``members[starts[g] : starts[g + 1]]``, ascending, with d among them.
    """

def unite(parents: NDArray[np.int32], lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> None:
    """Put both ends of each link into one set, in place (union-find). The root of a set is its least member."""
