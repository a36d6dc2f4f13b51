"""Status: how many clusters there are, how many documents are in them, and how many are of identical documents only."""

from collections import defaultdict
from dataclasses import dataclass

import whorl
from experiments.clustering.crawled import clustered, documents
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper

NUMBERS, CRAWL = paper("clustering")["clusters"], paper("clustering")["crawl"]

# Shares of a small crawl differ by so much from those of a large one: a few large families decide.
CLOSE = 0.06

# What a family of the crawl must be found by, and what a cluster must be of one family.
SURE = 0.97


@dataclass(frozen=True)
class Census:
    """Documents, clusters of more than one, and the documents in them; of identical documents only, and mixed."""

    documents: int
    identical: int
    in_identical: int
    mixed: int
    in_mixed: int

    @property
    def clusters(self) -> int:
        """Of both kinds."""
        return self.identical + self.mixed

    @property
    def in_clusters(self) -> int:
        """Documents in clusters of both kinds."""
        return self.in_identical + self.in_mixed


PAPER = Census(
    CRAWL["documents"], NUMBERS["identical"], NUMBERS["in_identical"], NUMBERS["mixed"], NUMBERS["in_mixed"]
)  # fmt: skip


def census(found: whorl.Clustering) -> Census:
    """Count them."""
    kinds: dict[int, list[str]] = defaultdict(list)
    for member in found.members:
        kinds[member.cluster].append(member.kind)
    counts = [0, 0, 0, 0]
    for those in kinds.values():
        if len(those) > 1:
            # The representative is "unique"; of a cluster of identical ones all others are identical to it.
            place = 0 if set(those) <= {"unique", "identical"} else 2
            counts[place] += 1
            counts[place + 1] += len(those)
    return Census(len(found.members), *counts)


def planted(setting: Setting, found: whorl.Clustering) -> tuple[float, float]:
    """Of clusters, the share whose documents are of one family; of documents in families, the share in clusters."""
    family = {document.name: document.labels[0] for document in documents(setting)}
    sizes: dict[str, int] = defaultdict(int)
    for name in family.values():
        sizes[name] += 1
    groups = found.clusters()
    pure = sum(len({family[name] for name in group}) == 1 for group in groups) / max(1, len(groups))
    related = {name for name, label in family.items() if sizes[label] > 1}
    return pure, len(related.intersection(*[set().union(*groups)])) / max(1, len(related))


def section(setting: Setting) -> Section:
    """Return the paper's counts and ours, for each document."""
    ways = {"the paper's way": clustered(setting), "verified, chains not followed": clustered(setting, guarded=True)}
    found = {name: census(one) for name, one in ways.items()}
    ours = found["the paper's way"]
    rows = [
        ("documents", f"{PAPER.documents:,}", *(f"{one.documents:,}" for one in found.values())),
        *(_row(name, key, found) for name, key in _COUNTS.items()),
    ]
    return Section(
        "Status: the clusters",
        "30,000,000 documents at a resemblance of 50%: 3.6 million clusters of 12.3 million documents; 2.1 million "
        "of them (5.3 million documents) have identical documents only, 1.5 million (7 million) are mixed.",
        _data(setting),
        [Table("Clusters, in shares of all documents", ("", "paper", *found), rows)],
        findings=[*_findings(ours), *([] if setting.corpus else _planted(setting, ways))],
    )


_COUNTS = {
    "clusters": "clusters",
    "documents in them": "in_clusters",
    "clusters of identical documents only": "identical",
    "documents in these": "in_identical",
    "mixed clusters": "mixed",
    "documents in those": "in_mixed",
}


def _row(name: str, key: str, found: dict[str, Census]) -> tuple[str, ...]:
    return (
        name,
        *(f"{getattr(one, key):,} ({getattr(one, key) / one.documents:.1%})" for one in (PAPER, *found.values())),
    )


def _data(setting: Setting) -> str:
    count = len(documents(setting))
    if setting.corpus is not None:
        return (
            f"{count:,} documents of the corpus. Manuals of several releases have more versions of each other than "
            "the web of 1996 had; sketches keep one shingle in 16 and more of short documents, not one in 25."
        )
    return (
        f"{count:,} pages of the built-in crawl, whose families have the paper's proportions: the experiment tests "
        "that the clustering finds exactly these families. Sketches keep one shingle in 16 and more of short "
        "documents, not one in 25."
    )


def _findings(ours: Census) -> list[Finding]:
    theirs, share = PAPER.in_clusters / PAPER.documents, ours.in_clusters / ours.documents
    paper_identical, identical = PAPER.identical / PAPER.clusters, ours.identical / max(1, ours.clusters)
    return [
        Finding("two documents in five are in a cluster", f"{theirs:.1%}", f"{share:.1%}",
                abs(share - theirs) <= CLOSE),
        Finding("most clusters are of identical documents only", f"{paper_identical:.1%}", f"{identical:.1%}",
                identical > 0.5),
        Finding("yet most clustered documents are in mixed ones", f"{PAPER.in_mixed / PAPER.in_clusters:.1%}",
                f"{ours.in_mixed / max(1, ours.in_clusters):.1%}", ours.in_mixed > 0.5 * ours.in_clusters),
    ]  # fmt: skip


def _planted(setting: Setting, ways: dict[str, whorl.Clustering]) -> list[Finding]:
    findings = []
    for name, one in ways.items():
        pure, found = planted(setting, one)
        ours = f"{pure:.1%} of clusters are of one family; {found:.1%} of related pages are in clusters"
        findings.append(Finding(f"related documents and no others are clustered: {name}", "claimed", ours,
                                pure >= SURE and found >= SURE))  # fmt: skip
    return findings
