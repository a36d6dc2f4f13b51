"""Clusters: the submissions that pairs connect."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.comparison.result import Cluster


class Links:
    """Which submissions are connected, found link by link in memory that grows with the submissions alone."""

    def __init__(self, submissions: int) -> None:
        self._parents = np.arange(submissions, dtype=np.int32)

    def add(self, lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> None:
        """Connect the ends of each link."""
        kernel.matching().unite(self._parents, lefts, rights)

    def join(self, other: "Links") -> None:
        """Take the links that another has seen."""
        self.add(np.arange(len(other._parents), dtype=np.int32), other._parents)

    def clusters(self, pairs: Iterable[tuple[int, int]]) -> tuple[Cluster, ...]:
        """The connected components of more than one, the largest first, each with the numbers of the pairs in it."""
        roots = self._roots()
        members: dict[int, list[int]] = {}
        for one, root in enumerate(roots):
            members.setdefault(root, []).append(one)
        numbers: dict[int, list[int]] = {}
        for number, (left, right) in enumerate(pairs):
            if roots[left] == roots[right]:
                numbers.setdefault(roots[left], []).append(number)
        found = [Cluster(tuple(those), tuple(numbers.get(root, ()))) for root, those in members.items() if those[1:]]
        return tuple(sorted(found, key=lambda cluster: (-len(cluster.members), cluster.members)))

    def _roots(self) -> list[int]:
        """The least member of each submission's component."""
        roots = self._parents
        while (roots != roots[roots]).any():
            roots = roots[roots]
        found: list[int] = roots.tolist()
        return found
