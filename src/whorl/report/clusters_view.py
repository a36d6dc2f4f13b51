"""The largest clusters with their members, and how many documents there are of each kind, as a page shows them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.written import Table
from whorl.report.clusters_census import KINDS, REPRESENTATIVE, Census
from whorl.report.clusters_names import Name, link, short
from whorl.report.clusters_plots import share

# Clusters that are listed: a person reads no more, and documents.parquet has all.
CLUSTERS = 100
# Members of each that are listed below its representative.
MEMBERS = 20
# Bytes that all members may take, so that hostile names cannot make a page of more than two megabytes.
MEMBERS_BYTES = 900_000
# What the markup round a member takes.
ROW_BYTES = 160

MEANINGS = {
    "identical": "the same bytes as the representative",
    "lexical": "the same words: case, layout and markup differ",
    "shingle": "the same shingles: something is repeated",
    "near": "nearly the same: the resemblance reaches the threshold",
    "contained": "one is part of the other, by the threshold or more",
    "representative": "stands for its cluster: the one to keep",
    "alone": "nothing in the collection is near it",
    "other": "of a kind that this version of Whorl does not know",
}


@dataclass(frozen=True, slots=True)
class MemberView:
    """A document of a cluster."""

    id: Name
    similarity: float
    kind: str
    url: Name
    date: Name

    @property
    def cost(self) -> int:
        """The bytes that it takes in the page."""
        return ROW_BYTES + self.id.cost + self.url.cost + self.date.cost


@dataclass(frozen=True, slots=True)
class ClusterView:
    """One of the largest clusters: who stands for it, and its other members, the least alike first."""

    rank: int
    size: int
    least: float
    mean: float
    kinds: str
    head: MemberView
    members: tuple[MemberView, ...]

    @property
    def others(self) -> int:
        """Members beside the representative."""
        return self.size - 1


@dataclass(frozen=True, slots=True)
class Bar:
    """A name with a number, what it means, and its width among others, in hundredths."""

    name: str
    count: int
    meaning: str
    width: float


def cluster_views(documents: Table, census: Census) -> tuple[ClusterView, ...]:
    """The largest clusters, with as many members as there is room for."""
    count = min(CLUSTERS, len(census.sizes))
    places = census.members(count, 1 + MEMBERS)
    rows = _rows(documents, places)
    kinds = census.kinds_of(count)
    room = MEMBERS_BYTES
    views = []
    for rank, own in enumerate(places):
        head, *others = (rows[place] for place in own.tolist())
        members: list[MemberView] = []
        for member in others:
            room -= member.cost
            if room > 0:
                members.append(member)
        least, mean = float(census.least[rank]), float(census.mean[rank])
        size, of = int(census.sizes[rank]), _kinds(kinds[rank])
        views.append(ClusterView(rank + 1, size, least, mean, of, head, tuple(members)))
    return tuple(views)


def _rows(documents: Table, places: list[NDArray[np.int64]]) -> dict[int, MemberView]:
    wanted = np.sort(np.concatenate([np.zeros(0, np.int64), *places]))
    columns = ("id", "similarity", "kind", "url", "date")
    return {
        place: MemberView(
            Name(short(row["id"] or "")), float(row["similarity"] or 0), short(row["kind"] or ""),
            link(row["url"] or ""), Name(short(row["date"] or "")),
        )
        for place, row in zip(wanted.tolist(), documents.take(wanted, columns), strict=True)
    }  # fmt: skip


def _kinds(counts: NDArray[np.int64]) -> str:
    """3 identical, 12 near."""
    told = [
        f"{count:,} {KINDS[kind]}" for kind, count in enumerate(counts.tolist()) if count and kind != REPRESENTATIVE
    ]
    return ", ".join(told)


def kind_bars(census: Census) -> tuple[Bar, ...]:
    """How many documents there are of each kind that occurs."""
    counts = census.of_each_kind().tolist()
    return tuple(
        Bar(name, count, MEANINGS[name], share(count, max(counts)))
        for name, count in zip(KINDS, counts, strict=True)
        if count
    )
