"""What a tool's clusters are worth: copies that are found, and pairs that are in one cluster without being alike."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from experiments.planted.edits import KINDS
from experiments.planted.planting import Copy
from experiments.planted.shinglings import Hashes, measure

Clusters = Sequence[Sequence[str]]

# Pairs that are measured at the most; a share of them is known to within a third of a percent.
MOST = 100_000


@dataclass(frozen=True)
class Purity:
    """Pairs of documents in one cluster, and the share of them whose measure is under the threshold."""

    pairs: int
    under: float


def recall(copies: Iterable[Copy], clusters: Clusters) -> dict[str, float]:
    """For each kind the share of copies that are in the cluster of their original."""
    cluster_of = {name: number for number, cluster in enumerate(clusters) for name in cluster}
    return _shares(copies, lambda copy: cluster_of.get(copy.id, -1) == cluster_of.get(copy.original, -2))


def paired(copies: Iterable[Copy], pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """For each kind the share of copies that are a pair with their original."""
    known = {frozenset(pair) for pair in pairs}
    return _shares(copies, lambda copy: frozenset((copy.id, copy.original)) in known)


def purity(clusters: Clusters, shinglings: Mapping[str, Hashes], name: str, threshold: float, seed: int = 0) -> Purity:
    """Of all pairs in a cluster, or of as many as are enough, drawn from all of them, how many are too little alike."""
    sizes = [len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters]
    total = sum(sizes)
    if not total:
        return Purity(0, 0.0)
    values = [measure(shinglings[one], shinglings[two], name) for one, two in _pairs(clusters, sizes, Random(seed))]
    return Purity(total, sum(value < threshold for value in values) / len(values))


def _pairs(clusters: Clusters, sizes: Sequence[int], chance: Random) -> Iterable[tuple[str, str]]:
    if sum(sizes) <= MOST:
        return [(one, two) for cluster in clusters for place, one in enumerate(cluster) for two in cluster[place + 1 :]]
    drawn = chance.choices(clusters, sizes, k=MOST)
    return [(one, two) for cluster in drawn for one, two in [chance.sample(cluster, 2)]]


def _shares(copies: Iterable[Copy], found: Callable[[Copy], bool]) -> dict[str, float]:
    known, all_of = Counter[str](), Counter[str]()
    for copy in copies:
        all_of[copy.kind] += 1
        known[copy.kind] += found(copy)
    return {kind: known[kind] / all_of[kind] for kind in KINDS if all_of[kind]}
