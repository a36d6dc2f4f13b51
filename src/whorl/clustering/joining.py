"""Phase 4: what is alike is joined.

The paper's clusters are connected components, and a chain of pairs can join documents that have nothing in common:
templated pages make chains of a thousand. Unless the plain closure is asked for, a component is divided. The document
with most pairs stands for the first cluster, of containment the one that contains most. Its pairs join it, the most
alike first, each if it is also a pair with nearly all that are there already. What is left is divided in the same way.
"""

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.crowds import connected
from whorl.clustering.measuring import Measured
from whorl.clustering.settings import ClusterSettings

# A document joins a cluster if it is no pair with so many of those who are there, at the most, or so large a share.
# With a few allowed, copies that resemble their original and not each other stay together; what it costs and gains:
# docs/decisions/0014-clustering.md.
FEW = 5
SHARE = 0.02


def components(count: int, pairs: Measured, ties: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each document the one that stands for its component, which has most pairs."""
    parents = connected(count, pairs.left, pairs.right)
    best = np.full(count, -1, np.int64)
    near = _Near(count, *pairs.ends, np.zeros(2 * len(pairs)), ties)
    for number in near.order(ties)[::-1].tolist():
        best[parents[number]] = number
    heads = best[parents]
    return np.where(heads < 0, np.arange(count), heads)


def stars(count: int, pairs: Measured, ties: NDArray[np.uint64], settings: ClusterSettings) -> NDArray[np.int64]:
    """For each document the one that stands for it, with which it is a pair."""
    near = _Near(count, *pairs.ends, np.tile(pairs.measure(settings.measure), 2), ties)
    is_mutual = settings.measure == "resemblance"
    may_join = near if is_mutual else _contained(count, pairs, ties, settings.threshold)
    # Who shares super shingles with very many is compared with one of them only, so others say nothing of it.
    few = count if settings.super_shingles else FEW
    found: NDArray[np.int64] = kernel.pairs().gather(
        may_join.order(ties), may_join.bounds, may_join.others, may_join.likeness, near.bounds, near.others, few, SHARE
    )
    return found


class _Near:
    """For each document those that it is a pair with, and how alike they are."""

    def __init__(
        self,
        count: int,
        own: NDArray[np.int32],
        others: NDArray[np.int32],
        likeness: NDArray[np.float64],
        ties: NDArray[np.uint64],
    ) -> None:
        self.others, self.likeness, self.bounds = kernel.pairs().near(count, own, others, likeness, ties)
        self.degrees = np.diff(self.bounds)

    def order(self, ties: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The documents that have any, those with most first; of those with as many, the one with the smaller tie."""
        paired = np.flatnonzero(self.degrees)
        return paired[np.lexsort((ties[paired], -self.degrees[paired]))]


def _contained(count: int, pairs: Measured, ties: NDArray[np.uint64], threshold: float) -> _Near:
    """For each document those that are contained in it. A cluster of parts has the whole in its centre: a page that is
    nearly all menu is a part of every page with the menu, and says nothing of them."""
    left, right = pairs.left_in_right >= threshold, pairs.right_in_left >= threshold
    return _Near(
        count,
        np.concatenate([pairs.right[left], pairs.left[right]]),
        np.concatenate([pairs.left[left], pairs.right[right]]),
        np.concatenate([pairs.left_in_right[left], pairs.right_in_left[right]]),
        ties,
    )
