"""Phase 4, repeated after every add: what is alike is joined, over all pairs, by the rule of ``whorl cluster``.

This phase has the whole list of pairs in memory, as the paper's has.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.counting import Pairs
from whorl.clustering.joining import components, stars
from whorl.clustering.settings import ClusterSettings
from whorl.sweeps.candidates import packed, unpacked
from whorl.sweeps.rows import CONTENT_COLUMNS, Content
from whorl.sweeps.store import SweepStore
from whorl.sweeps.verifying import Numbers, Sizes, measured


@dataclass(slots=True, eq=False)
class Linked:
    """All pairs of a store, in order: both contents in one number, the sketched shingles that both have and that are
    not common, and all that both have."""

    keys: NDArray[np.uint64]
    counts: Numbers
    shared: Numbers

    @classmethod
    def read(cls, store: SweepStore) -> "Linked":
        """All pairs that are there."""
        table = np.array(list(store.scan("pairs", "left, right, count, shared", "left, right")), np.int64).reshape(
            -1, 4
        )
        return cls(packed(table[:, 0], table[:, 1]), table[:, 2].copy(), table[:, 3].copy())

    def reduce(self, keys: NDArray[np.uint64], by: NDArray[np.uint32]) -> None:
        """Some sketched shingles of these pairs, sorted, became common; those that are no pairs do not matter."""
        if not len(self.keys):
            return
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        self.counts[places[known]] -= by[known]

    def settle(self, store: SweepStore, before: Numbers) -> None:
        """Write what was reduced. Contents that share nothing but what is common are no pair."""
        left, right = unpacked(self.keys)
        for at in np.flatnonzero(self.counts != before).tolist():
            old = int(left[at]), int(right[at]), int(before[at]), int(self.shared[at])
            store.drop_pair(old, int(self.counts[at]))
        kept = self.counts > 0
        self.keys, self.counts, self.shared = self.keys[kept], self.counts[kept], self.shared[kept]

    def join(self, found: list[tuple[Pairs, Numbers]]) -> None:
        """New pairs with the shingles that they share. They come after all others; only ``reduce`` needs the order."""
        self.keys = np.concatenate([self.keys, *(packed(pairs.left, pairs.right) for pairs, _ in found)])
        self.counts = np.concatenate([self.counts, *(pairs.count for pairs, _ in found)])
        self.shared = np.concatenate([self.shared, *(shared for _, shared in found)])


def heads(rows: Numbers, ties: NDArray[np.uint64], linked: Linked, sizes: Sizes, settings: ClusterSettings) -> Numbers:
    """For each of the rows the one that stands for its cluster."""
    left, right = (np.searchsorted(rows, ends) for ends in unpacked(linked.keys))
    pairs = measured(left, right, linked.shared, sizes.shingles[rows])
    if settings.closure:
        return rows[components(len(rows), pairs, ties)]
    return rows[stars(len(rows), pairs, ties, settings)]


def changed(store: SweepStore, rows: Numbers, found: Numbers) -> Iterator[tuple[int, int, int | None]]:
    """The rows that are in another cluster than before, with the new head and the old."""
    old = dict(store.scan("clusters", "content, head"))
    for row, head in zip(rows.tolist(), found.tolist(), strict=True):
        if old.get(row) != head:
            yield row, head, old.get(row)


def clusters(store: SweepStore) -> list[tuple[str, ...]]:
    """Every cluster as the digests of its contents, the largest first."""
    heads = dict(store.scan("clusters", "content, head"))
    found: dict[int, list[str]] = {}
    for fields in store.scan("contents", CONTENT_COLUMNS.removesuffix(", seal")):
        content = Content(*fields)
        found.setdefault(heads[content.row], []).append(content.digest.hex())
    return sorted((tuple(sorted(digests)) for digests in found.values()), key=lambda digests: (-len(digests), digests))
