"""Phase 4: what is alike is joined.

The paper's clusters are connected components, and a chain of pairs can join documents that have nothing in common:
templated pages make chains of a thousand. Unless the plain closure is asked for, a component is divided into stars. The
document with most pairs stands for the first; those that are a pair with it join it; what is left is divided in the
same way. So every member of a cluster is as alike to its representative as was asked.
"""

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.measuring import Measured


def components(count: int, pairs: Measured) -> NDArray[np.int64]:
    """For each document the least of its component: union-find over all pairs."""
    parents = np.arange(count, dtype=np.int32)
    kernel.matching().unite(parents, pairs.left.astype(np.int32), pairs.right.astype(np.int32))
    while (parents != parents[parents]).any():
        parents = parents[parents]
    return parents.astype(np.int64)


def stars(count: int, pairs: Measured, ties: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each document the one that stands for it. Of those with as many pairs, the one with the smaller tie comes
    first."""
    ends = np.concatenate([pairs.left, pairs.right])
    others = np.concatenate([pairs.right, pairs.left])
    order = np.argsort(ends, kind="stable")
    others = others[order]
    degrees = np.bincount(ends, minlength=count)
    bounds = np.concatenate([[0], np.cumsum(degrees)])
    stands = np.full(count, -1, np.int64)
    for number in np.lexsort((ties, -degrees)).tolist():
        if stands[number] < 0:
            stands[number] = number
            near = others[bounds[number] : bounds[number + 1]]
            stands[near[stands[near] < 0]] = number
    return stands
