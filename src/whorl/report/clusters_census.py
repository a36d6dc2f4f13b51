"""A clustering in numbers: sizes, kinds and similarities of its clusters.

The table is read a part at a time. What is held is some 80 bytes a document at the most.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.written import Table, numbers

# How a document is alike the one that stands for its cluster, the closest first. One that is in no cluster is told from
# one that stands for others; a kind that this version does not know is an "other".
KINDS = ("identical", "lexical", "shingle", "near", "contained", "representative", "alone", "other")
REPRESENTATIVE, ALONE, OTHER = (KINDS.index(name) for name in KINDS[-3:])

# What the table calls both.
UNIQUE = "unique"


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """All documents, and the clusters of more than one, the largest first: sizes, the least similarity to the
    representative, the mean of it, members of each kind. ``clusters`` has each document's place among them, or -1;
    ``kinds`` and ``similarities`` are the documents'."""

    sizes: NDArray[np.int64]
    least: NDArray[np.float64]
    mean: NDArray[np.float64]
    clusters: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    similarities: NDArray[np.float32]

    @property
    def in_clusters(self) -> int:
        """How many documents are in a cluster."""
        return int(self.sizes.sum())

    @property
    def spare(self) -> int:
        """How many documents could be dropped: all of a cluster but one."""
        return self.in_clusters - len(self.sizes)

    def of_each_kind(self) -> NDArray[np.int64]:
        """How many documents there are of each kind."""
        return np.bincount(self.kinds, minlength=len(KINDS)).astype(np.int64)

    def kinds_of(self, count: int) -> NDArray[np.int64]:
        """A row for each of the first clusters: its members of each kind."""
        chosen = (self.clusters >= 0) & (self.clusters < count)
        cells = self.clusters[chosen] * len(KINDS) + self.kinds[chosen]
        return np.bincount(cells, minlength=count * len(KINDS)).reshape(count, len(KINDS)).astype(np.int64)

    def only_identical(self) -> NDArray[np.bool_]:
        """Which clusters have identical documents alone: the paper counts them apart."""
        inside = self.clusters[(self.clusters >= 0) & (self.kinds == KINDS.index("identical"))]
        only: NDArray[np.bool_] = np.bincount(inside, minlength=len(self.sizes)) == self.sizes - 1
        return only

    def members(self, count: int, each: int) -> list[NDArray[np.int64]]:
        """The rows of documents in the first clusters: the representative, then the least alike, no more than
        ``each``."""
        rows = np.flatnonzero((self.clusters >= 0) & (self.clusters < count))
        stands = self.kinds[rows] != REPRESENTATIVE
        ordered = rows[np.lexsort((rows, self.similarities[rows], stands, self.clusters[rows]))]
        ends = np.cumsum(self.sizes[:count])
        return [ordered[end - size : end][:each] for end, size in zip(ends, self.sizes[:count], strict=True)]


def census(documents: Table) -> Census:
    """Count a table of documents, whose kinds come as codes."""
    numbers_of, similarities, kinds = _columns(documents)
    _, clusters, sizes = np.unique(numbers_of, return_inverse=True, return_counts=True)
    kinds[(kinds == REPRESENTATIVE) & (sizes[clusters] == 1)] = ALONE
    # The largest first, and of one size those that come first in the collection.
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes > 1)]
    places = np.full(len(sizes), -1, np.int64)
    places[order] = np.arange(len(order))
    least, total = np.ones(len(sizes)), np.bincount(clusters, similarities, len(sizes))
    np.minimum.at(least, clusters, similarities)
    # The representative, which is as alike to itself as can be, is left out of the mean.
    mean = (total[order] - 1) / np.maximum(1, sizes[order] - 1)
    return Census(sizes[order], least[order], np.clip(mean, 0, 1), places[clusters], kinds, similarities)


def _columns(documents: Table) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]:
    """The clusters, similarities and kinds of all documents."""
    count = len(documents)
    clusters, similarities, kinds = np.zeros(count, np.int64), np.zeros(count, np.float32), np.zeros(count, np.uint8)
    start = 0
    for batch in documents.batches("cluster", "similarity", "kind"):
        rows = slice(start, start + len(batch["kind"]))
        clusters[rows] = numbers(batch["cluster"])
        similarities[rows] = np.clip(np.nan_to_num(numbers(batch["similarity"])), 0, 1)
        kinds[rows] = _kinds(batch["kind"])
        start = rows.stop
    return clusters, similarities, kinds


def _kinds(coded: Any) -> NDArray[np.uint8]:
    """Kinds by their places in ``KINDS``."""
    codes = {name: place for place, name in enumerate(KINDS)} | {UNIQUE: REPRESENTATIVE}
    known = np.array([codes.get(name, OTHER) for name in coded.dictionary.to_pylist()] + [OTHER], np.uint8)
    # A null has the last code.
    found: NDArray[np.uint8] = known[numbers(coded.indices, len(known) - 1)]
    return found
