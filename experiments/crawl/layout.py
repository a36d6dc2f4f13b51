"""Which pages are copies of which: families, with the sizes and the mixture of the paper's clusters.

Broder, Glassman, Manasse and Zweig found, among 30,000,000 documents at a resemblance of 50%, 2.1 million clusters of
identical documents only (5.3 million documents) and 1.5 million others (7 million documents). All else stood alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.chance import uniforms

DOCUMENTS = 30_000_000
IDENTICAL_CLUSTERS, IN_IDENTICAL = 2_100_000, 5_300_000
MIXED_CLUSTERS, IN_MIXED = 1_500_000, 7_000_000
FAMILIES = DOCUMENTS - IN_IDENTICAL - IN_MIXED + IDENTICAL_CLUSTERS + MIXED_CLUSTERS

# Frequency falls with rank as r^-0.7 (winnowing paper, Figure 4); then families of f and more are as f^-(1/0.7).
SLOPE = 0.7

# A family with more members would be one whose shingles the clustering ignores as common.
LARGEST = 1000

# Families of 2 are most of all (82% of k-grams stand once, 14% twice); the power law is of those above.
TAIL = 3

# How a page relates to the first of its family.
ORIGINAL, MIRROR, MOVED, REFORMATTED, EDITED, REARRANGED = range(6)
KINDS = ("original", "mirror", "moved", "reformatted", "edited", "rearranged")

# Of the copies in a family of identical pages: mirrors of a site, and pages that moved.
MIRRORS = 0.7

# Of the versions in a mixed family: bounds of the shares of each kind, in the order of KINDS. The paper says only that
# its mixed clusters have both exact duplicates and similar documents.
MIXTURE = np.array([0.25, 0.35, 0.45, 0.90])

# Pages that are laid out at once. A larger crawl repeats the layout with other families, so memory does not grow.
MOST = 1 << 16


@dataclass(frozen=True, eq=False)
class Layout:
    """For each page in a stretch of the crawl: its family in the stretch, its number there, and its kind. And the
    number of pages of each family."""

    family: NDArray[np.int64]
    member: NDArray[np.int64]
    kind: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.family)


def layout(pages: int, seed: int) -> Layout:
    """Families until there are so many pages, in random order."""
    sizes, is_mixed = _families(pages, seed)
    family = np.repeat(np.arange(len(sizes)), sizes)
    member = np.arange(len(family)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kind = _kinds(member, is_mixed[family], seed)
    order = np.argsort(uniforms(pages, seed, 3), kind="stable")
    return Layout(family[order], member[order], kind[order], sizes)


def _families(pages: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Sizes, the last one cut to fit, and which families are mixed."""
    kind, is_large, place = (uniforms(pages, seed, part) for part in range(3))
    is_mixed = kind < MIXED_CLUSTERS / FAMILIES
    is_cluster = kind < (MIXED_CLUSTERS + IDENTICAL_CLUSTERS) / FAMILIES
    above = np.where(is_mixed, _share(IN_MIXED / MIXED_CLUSTERS), _share(IN_IDENTICAL / IDENTICAL_CLUSTERS))
    large = np.searchsorted(_cumulative(), place, "right") + TAIL
    sizes = np.where(is_cluster, np.where(is_large < above, large, 2), 1)
    ends = np.cumsum(sizes)
    count = int(np.searchsorted(ends, pages)) + 1
    sizes = sizes[:count]
    sizes[-1] -= ends[count - 1] - pages
    return sizes, is_mixed[:count]


def _cumulative() -> NDArray[np.float64]:
    """Return the shares of families of TAIL, TAIL + 1, … members, added up."""
    beyond = np.arange(TAIL, LARGEST + 2, dtype=np.float64) ** (-1 / SLOPE)
    shares: NDArray[np.float64] = (beyond[0] - beyond[1:]) / (beyond[0] - beyond[-1])
    return shares


def _share(mean: float) -> float:
    """Return how many families must be of the power law for this mean, if the others have 2 members."""
    cumulative = _cumulative()
    large = float(np.sum(np.diff(cumulative, prepend=0.0) * np.arange(TAIL, LARGEST + 1)))
    return (mean - 2) / (large - 2)


def _kinds(member: NDArray[np.int64], is_mixed: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return which version each page is of; the first of a mixed family is an edited one, so that it is mixed."""
    chance = uniforms(len(member), seed, 4)
    copies = np.where(chance < MIRRORS, MIRROR, MOVED)
    versions = np.where(member == 1, EDITED, np.searchsorted(MIXTURE, chance, "right") + MIRROR)
    return np.where(member == 0, ORIGINAL, np.where(is_mixed, versions, copies))
