"""Connected components by union-find: which nodes edges connect, directly or through others."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.kernel import native_pairs


class Components:
    """The components of ``count`` nodes, joined edge by edge. Memory grows with the nodes, not with the edges."""

    def __init__(self, count: int) -> None:
        self._parents = np.arange(count, dtype=np.int32)

    @classmethod
    def of(cls, count: int, lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> Self:
        """Return the components of these edges."""
        components = cls(count)
        components.add(lefts, rights)
        return components

    def add(self, lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> None:
        """Connect both ends of each edge."""
        native_pairs.unite(self._parents, lefts, rights)

    def join(self, other: "Components") -> None:
        """Add the edges of another graph over the same nodes."""
        self.add(np.arange(len(other._parents), dtype=np.int32), other._parents)

    def roots(self) -> NDArray[np.int32]:
        """Return for each node the least member of its component."""
        roots = self._parents
        while (roots != roots[roots]).any():
            roots = roots[roots]
        return roots

    def members(self) -> list[list[int]]:
        """Return the nodes of each component, in order; components come by their least members."""
        members: dict[int, list[int]] = {}
        for node, root in enumerate(self.roots().tolist()):
            members.setdefault(root, []).append(node)
        return list(members.values())
