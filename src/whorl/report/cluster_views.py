"""A clustering for readers: counts, the largest clusters with their members, and answers on a terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.output import ParquetTable, numbers
from whorl.clustering.query import ClusteredDocument, ClusterOf, QueryAnswer
from whorl.report.markup import ShownName, link, plain, short
from whorl.report.plots import share
from whorl.report.words import counted, percent

# Similarity of a document to the representative of its cluster, closest first. A document in no cluster is "alone"; a
# kind that this version does not know is "other".
KINDS = ("identical", "lexical", "shingle", "near", "contained", "representative", "alone", "other")
REPRESENTATIVE, ALONE, OTHER = (KINDS.index(name) for name in KINDS[-3:])

# The table's name for representatives and documents alone.
UNIQUE = "unique"


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """All documents, and the clusters of at least two, largest first: their sizes, and the least and the mean
    similarity to the representative. ``clusters`` is the cluster of each document, or -1; ``kinds`` and
    ``similarities`` are per document."""

    sizes: NDArray[np.int64]
    least: NDArray[np.float64]
    mean: NDArray[np.float64]
    clusters: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    similarities: NDArray[np.float32]

    @property
    def in_clusters(self) -> int:
        """The number of documents in clusters."""
        return int(self.sizes.sum())

    @property
    def spare(self) -> int:
        """The number of redundant documents: all of a cluster but one."""
        return self.in_clusters - len(self.sizes)

    def of_each_kind(self) -> NDArray[np.int64]:
        """Return the number of documents of each kind."""
        return np.bincount(self.kinds, minlength=len(KINDS)).astype(np.int64)

    def kinds_of(self, count: int) -> NDArray[np.int64]:
        """Return, for each of the first clusters, its number of members of each kind."""
        chosen = (self.clusters >= 0) & (self.clusters < count)
        cells = self.clusters[chosen] * len(KINDS) + self.kinds[chosen]
        return np.bincount(cells, minlength=count * len(KINDS)).reshape(count, len(KINDS)).astype(np.int64)

    def only_identical(self) -> NDArray[np.bool_]:
        """Return which clusters have identical documents only, as the paper counts them."""
        inside = self.clusters[(self.clusters >= 0) & (self.kinds == KINDS.index("identical"))]
        only: NDArray[np.bool_] = np.bincount(inside, minlength=len(self.sizes)) == self.sizes - 1
        return only

    def members(self, count: int, each: int) -> list[NDArray[np.int64]]:
        """Return the rows of documents in the first clusters: the representative, then the least similar, at most
        ``each``."""
        rows = np.flatnonzero((self.clusters >= 0) & (self.clusters < count))
        is_other = self.kinds[rows] != REPRESENTATIVE
        ordered = rows[np.lexsort((rows, self.similarities[rows], is_other, self.clusters[rows]))]
        ends = np.cumsum(self.sizes[:count])
        return [ordered[end - size : end][:each] for end, size in zip(ends, self.sizes[:count], strict=True)]


def census(documents: ParquetTable) -> Census:
    """Count a table of documents, whose kinds come as codes."""
    numbers_of, similarities, kinds = _columns(documents)
    _, clusters, sizes = np.unique(numbers_of, return_inverse=True, return_counts=True)
    kinds[(kinds == REPRESENTATIVE) & (sizes[clusters] == 1)] = ALONE
    # Largest first; ties in the order of the collection.
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes > 1)]
    places = np.full(len(sizes), -1, np.int64)
    places[order] = np.arange(len(order))
    least, total = np.ones(len(sizes)), np.bincount(clusters, similarities, len(sizes))
    np.minimum.at(least, clusters, similarities)
    # Leave the representative's similarity to itself out of the mean.
    mean = (total[order] - 1) / np.maximum(1, sizes[order] - 1)
    return Census(sizes[order], least[order], np.clip(mean, 0, 1), places[clusters], kinds, similarities)


def _columns(documents: ParquetTable) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]:
    """Read the clusters, similarities and kinds of all documents."""
    count = len(documents)
    clusters, similarities, kinds = np.zeros(count, np.int64), np.zeros(count, np.float32), np.zeros(count, np.uint8)
    start = 0
    for batch in documents.batches("cluster", "similarity", "kind"):
        rows = slice(start, start + len(batch["kind"]))
        clusters[rows] = numbers(batch["cluster"])
        similarities[rows] = np.clip(np.nan_to_num(numbers(batch["similarity"])), 0, 1)
        kinds[rows] = _kind_codes(batch["kind"])
        start = rows.stop
    return clusters, similarities, kinds


def _kind_codes(coded: Any) -> NDArray[np.uint8]:
    """Return kinds as indices into ``KINDS``."""
    codes = {name: place for place, name in enumerate(KINDS)} | {UNIQUE: REPRESENTATIVE}
    known = np.array([codes.get(name, OTHER) for name in coded.dictionary.to_pylist()] + [OTHER], np.uint8)
    # A null has the last code.
    kinds: NDArray[np.uint8] = known[numbers(coded.indices, len(known) - 1)]
    return kinds


# Maximum number of listed clusters; documents.parquet has all.
CLUSTERS = 100
# Maximum number of listed members of each, besides its representative.
MEMBERS = 20
# Maximum size of all members, in bytes, so that hostile names cannot make a page of more than two megabytes.
MEMBERS_BYTES = 900_000
# Size of the markup around a member, in bytes.
ROW_BYTES = 160

MEANINGS = {
    "identical": "the same bytes as the representative",
    "lexical": "the same words: case, layout and markup differ",
    "shingle": "the same shingles: something is repeated",
    "near": "nearly the same: the resemblance reaches the threshold",
    "contained": "one contains the other: the containment reaches the threshold",
    "representative": "represents its cluster: the one to keep",
    "alone": "has no near-duplicate in the collection",
    "other": "a kind that this version of Whorl does not know",
}


@dataclass(frozen=True, slots=True)
class MemberView:
    """A document of a cluster, in this row of the table."""

    row: int
    id: ShownName
    similarity: float
    kind: str
    url: ShownName
    date: ShownName

    @property
    def cost(self) -> int:
        """Its size in the page, in bytes."""
        return ROW_BYTES + self.id.cost + self.url.cost + self.date.cost


@dataclass(frozen=True, slots=True)
class ClusterView:
    """One of the largest clusters: its representative, and its other members, least similar first."""

    rank: int
    size: int
    least: float
    mean: float
    kinds: str
    head: MemberView
    members: tuple[MemberView, ...]

    @property
    def others(self) -> int:
        """The number of members besides the representative."""
        return self.size - 1


@dataclass(frozen=True, slots=True)
class KindBar:
    """A kind: its name, its number of documents, its meaning, and the width of its bar in percent."""

    name: str
    count: int
    meaning: str
    width: float


def cluster_views(documents: ParquetTable, census: Census) -> tuple[ClusterView, ...]:
    """Return the largest clusters, with as many members as fit."""
    count = min(CLUSTERS, len(census.sizes))
    places = census.members(count, 1 + MEMBERS)
    rows = _rows(documents, places)
    kinds = census.kinds_of(count)
    room = MEMBERS_BYTES
    views = []
    for rank, of_cluster in enumerate(places):
        head, *others = (rows[place] for place in of_cluster.tolist())
        members: list[MemberView] = []
        for member in others:
            room -= member.cost
            if room > 0:
                members.append(member)
        least, mean = float(census.least[rank]), float(census.mean[rank])
        size, of = int(census.sizes[rank]), _kinds(kinds[rank])
        views.append(ClusterView(rank + 1, size, least, mean, of, head, tuple(members)))
    return tuple(views)


def _rows(documents: ParquetTable, places: list[NDArray[np.int64]]) -> dict[int, MemberView]:
    wanted = np.sort(np.concatenate([np.zeros(0, np.int64), *places]))
    columns = ("id", "similarity", "kind", "url", "date")
    return {
        place: MemberView(
            place, ShownName(short(row["id"] or "")), float(row["similarity"] or 0), short(row["kind"] or ""),
            link(row["url"] or ""), ShownName(short(row["date"] or "")),
        )
        for place, row in zip(wanted.tolist(), documents.take(wanted, columns), strict=True)
    }  # fmt: skip


def _kinds(counts: NDArray[np.int64]) -> str:
    """Return the counts of kinds as text: 3 identical, 12 near."""
    return ", ".join(
        f"{count:,} {KINDS[kind]}" for kind, count in enumerate(counts.tolist()) if count and kind != REPRESENTATIVE
    )


def kind_bars(census: Census) -> tuple[KindBar, ...]:
    """Return the number of documents of each kind that occurs."""
    counts = census.of_each_kind().tolist()
    return tuple(
        KindBar(name, count, MEANINGS[name], share(count, max(counts)))
        for name, count in zip(KINDS, counts, strict=True)
        if count
    )


# Maximum number of listed members of a cluster: a screen. The JSON has all.
LISTED_MEMBERS = 50


def answer_text(answer: QueryAnswer) -> str:
    """Return a block for each cluster, with * before the requested documents, then the unknown names."""
    lines = [line for cluster in answer.clusters for line in _cluster(cluster, answer)]
    lines += [f"unknown: {plain(name)}: no document has this id or URL" for name in answer.unknown]
    return "\n".join(lines)


def _cluster(cluster: ClusterOf, answer: QueryAnswer) -> Iterator[str]:
    names = ", ".join(map(plain, cluster.names))
    if len(cluster.members) == 1:
        yield f"{names}: no near-duplicate in the collection"
    else:
        size = counted(len(cluster.members), "document")
        yield f"{names}: in a cluster of {size}, represented by {plain(cluster.representative)}"
    requested = {document.id for name in cluster.names for document in answer.documents[name]}
    # List the requested documents first, whatever the size of the cluster, then the representative.
    ordered = sorted(cluster.members, key=lambda each: (each.id not in requested, each.id != cluster.representative))
    yield from _aligned([_cells(member, member.id in requested) for member in ordered[:LISTED_MEMBERS]])
    if len(ordered) > LISTED_MEMBERS:
        yield f"  and {len(ordered) - LISTED_MEMBERS:,} more: --format json has them all"


def _cells(document: ClusteredDocument, is_requested: bool) -> tuple[str, ...]:
    facts = (document.date or "", document.id, document.url or "")
    return "*" if is_requested else "", percent(document.similarity), document.kind, *map(plain, facts)


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Align all columns but the last two, ids and URLs, which are long."""
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    for mark, similarity, kind, date, name, url in rows:
        cells = [mark.ljust(1), similarity.rjust(widths[1]), kind.ljust(widths[2]), date.ljust(widths[3]), name, url]
        yield ("  " + "  ".join(cell for cell, width in zip(cells, [*widths, 1, 1], strict=True) if width)).rstrip()
