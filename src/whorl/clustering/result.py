"""The result of a clustering, and the documents set aside as equal to an earlier one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.joining import Measured
from whorl.clustering.records import Records, TextColumn
from whorl.kernel import native_seen
from whorl.model import Skipped
from whorl.scheme import Scheme

# How a document is like its representative, from equal to nearly so.
KINDS = ("unique", "identical", "lexical", "shingle", "near", "contained")
UNIQUE, IDENTICAL, LEXICAL, SHINGLE, NEAR, CONTAINED = range(len(KINDS))

# Digests that make documents equal, in the order of the rounds: the strictest first.
EQUALITIES = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


@dataclass(frozen=True, slots=True, eq=False)
class Equals:
    """For each document the number of its original (its own unless it is set aside), how they are equal, and
    whether it was read."""

    original: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    is_there: NDArray[np.bool_]

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Return which documents take part in the next phases."""
        mask: NDArray[np.bool_] = self.is_there & (self.original == np.arange(len(self.original)))
        return mask


def set_aside(records: Records) -> Equals:
    """Find the documents that equal an earlier one."""
    equals = Equals(
        np.arange(len(records), dtype=np.int64), np.zeros(len(records), np.uint8), np.array(records["reason"] < 0)
    )
    for kind, column in EQUALITIES:
        _group(equals, kind, np.ascontiguousarray(records[column]))
    return equals


def _group(equals: Equals, kind: int, digests: NDArray[np.uint64]) -> None:
    """Set aside the remaining documents that have the digest of an earlier one."""
    left = np.flatnonzero(equals.rows & digests.any(axis=1))
    firsts = left[native_seen.firsts(digests[left])]
    equals.original[left] = firsts
    equals.kinds[left[firsts != left]] = kind
    # A document whose original is set aside follows it, with this kind.
    moved = equals.original[equals.original] != equals.original
    equals.kinds[moved] = kind
    equals.original[moved] = equals.original[equals.original[moved]]


@dataclass(frozen=True, slots=True)
class ClusterMember:
    """A document and its cluster, which has the number of its representative.

    ``similarity`` is the measure between document and representative, ``kind`` how they are alike: identical, lexical,
    shingle, near or contained; ``unique`` for a representative and for a single document.
    """

    id: str
    cluster: int
    representative: str
    similarity: float
    kind: str


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """The cost of a phase: seconds of wall time and of processor time, items processed, bytes left on disk."""

    name: str
    seconds: float
    cpu_seconds: float
    items: int
    bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A collection in clusters.

    Columns by document number: texts, representative of its cluster, similarity to it, kind (an index of ``KINDS``),
    whether it was read, the earlier document that it equals or itself, and how it equals that one. ``pairs`` are those
    that reached the threshold, ``below`` some that nearly did. ``common`` is the number of common shingles,
    ``boilerplate`` that of shingles in so many documents that they do not count. ``sizes`` are bytes, ``lengths`` the
    characters of the texts; None if only the bytes are known.
    """

    scheme: Scheme
    ids: TextColumn
    urls: TextColumn
    dates: TextColumn
    cluster: NDArray[np.int64]
    similarity: NDArray[np.float64]
    kind: NDArray[np.uint8]
    is_there: NDArray[np.bool_]
    original: NDArray[np.int64]
    equal_kind: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    pairs: Measured
    common: int
    boilerplate: int
    shingles: int
    skipped: tuple[Skipped, ...]
    phases: tuple[PhaseCost, ...]
    below: Measured = field(default_factory=lambda: Measured.joined(()))
    lengths: NDArray[np.int64] | None = None

    @property
    def members(self) -> "ClusterMembers":
        """Every document that was read."""
        return ClusterMembers(self)

    def clusters(self) -> list[list[str]]:
        """Return the clusters of more than one document, the largest first."""
        clusters: dict[int, list[str]] = {}
        numbers = np.flatnonzero(self.is_there)
        counts = np.bincount(self.cluster[numbers], minlength=1)
        for number in numbers[counts[self.cluster[numbers]] > 1].tolist():
            clusters.setdefault(int(self.cluster[number]), []).append(self.ids[number] or "")
        return sorted(clusters.values(), key=lambda ids: (-len(ids), ids))

    def in_memory(self) -> "Clustering":
        """Return a copy that needs no files."""
        return replace(self, ids=self.ids.in_memory(), urls=self.urls.in_memory(), dates=self.dates.in_memory())


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The documents that stay, in order; by document number, the one that stays for it, itself if it stays, and how the
    two are alike. Documents that were not read are their own."""

    documents: NDArray[np.int64]
    instead: NDArray[np.int64]
    kinds: NDArray[np.uint8]


def keep_of_clusters(clustering: Clustering, ranks: NDArray[Any]) -> Kept:
    """Keep the document of every cluster that has the least rank."""
    first = _firsts(clustering.cluster, _order(clustering, ranks))
    instead = np.arange(len(clustering.cluster))
    numbers = np.flatnonzero(clustering.is_there)
    instead[numbers] = first[clustering.cluster[numbers]]
    # Both are like the representative of their cluster; the less alike of the two decides.
    like = np.maximum(clustering.kind, clustering.kind[instead])
    return Kept(numbers[instead[numbers] == numbers], instead, _kinds(clustering, instead, like))


def keep_without_pairs(clustering: Clustering, ranks: NDArray[Any]) -> Kept:
    """Keep documents by rank, each unless it is a pair with one kept before. No two documents that stay are a pair, and
    each of the others is a pair with the one that stays for it, or equals it."""
    original, count = clustering.original, len(clustering.cluster)
    order = _order(clustering, ranks)
    first = _firsts(original, order)
    one, other = clustering.pairs.ends
    sorting = np.argsort(one, kind="stable")
    bounds, others = np.searchsorted(one[sorting], np.arange(count + 1)), other[sorting]
    stays_for = np.arange(count)
    is_open = np.ones(count, np.bool_)
    groups = original[order[first[original[order]] == order]]
    for group in groups[np.diff(bounds)[groups] > 0].tolist():
        if is_open[group]:
            near = others[bounds[group] : bounds[group + 1]]
            near = near[is_open[near]]
            stays_for[near], is_open[near], is_open[group] = group, False, False
    instead = np.arange(count)
    numbers = np.flatnonzero(clustering.is_there)
    instead[numbers] = first[stays_for[original[numbers]]]
    near_all = np.full(count, NEAR, np.uint8)
    return Kept(numbers[instead[numbers] == numbers], instead, _kinds(clustering, instead, near_all))


def _kinds(clustering: Clustering, instead: NDArray[np.int64], like: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return how each document is like the one that stays for it: how they are equal, or else as given."""
    equal = np.maximum(clustering.equal_kind, clustering.equal_kind[instead])
    is_equal = clustering.original[instead] == clustering.original
    return np.where(is_equal, equal, like).astype(np.uint8)


def _order(clustering: Clustering, ranks: NDArray[Any]) -> NDArray[np.int64]:
    """Return the documents by rank; ties go to representatives, then to the first."""
    numbers = np.flatnonzero(clustering.is_there)
    return numbers[np.lexsort((numbers, clustering.cluster[numbers] != numbers, ranks[numbers]))]


def _firsts(groups: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first document of each group in an order."""
    first = np.zeros(len(groups), np.int64)
    first[groups[order[::-1]]] = order[::-1]
    return first


class ClusterMembers(Sequence[ClusterMember]):
    """The documents of a clustering."""

    def __init__(self, clustering: Clustering) -> None:
        self._clustering = clustering
        self._numbers = np.flatnonzero(clustering.is_there)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> ClusterMember: ...
    @overload
    def __getitem__(self, index: slice) -> "list[ClusterMember]": ...
    def __getitem__(self, index: int | slice) -> "ClusterMember | list[ClusterMember]":
        if isinstance(index, slice):
            return [self._member(number) for number in self._numbers[index].tolist()]
        return self._member(int(self._numbers[index]))

    def __iter__(self) -> Iterator[ClusterMember]:
        return map(self._member, self._numbers.tolist())

    def _member(self, number: int) -> ClusterMember:
        clustering = self._clustering
        head = int(clustering.cluster[number])
        kind = KINDS[clustering.kind[number]]
        return ClusterMember(
            clustering.ids[number] or "", head, clustering.ids[head] or "", float(clustering.similarity[number]), kind
        )
