"""What a crawl is like, measured, beside what the papers say."""

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.layout import DOCUMENTS, IDENTICAL_CLUSTERS, IN_IDENTICAL, IN_MIXED, MIXED_CLUSTERS, SLOPE
from experiments.crawl.pages import SHINGLE, Crawl, Page
from experiments.crawl.words import shingles

# Shingles that are counted, one in so many: of a passage with three shingles, one is then among them as a rule.
SAMPLE = 2

# Shingles in more documents are ignored: the paper's bound, and the clustering's.
COMMON = 1000

# One in so many shingles makes pairs in the paper.
PAPER_SAMPLE = 25

# Edited pages whose resemblance to the original is measured: enough for two digits of a share.
EDITED_PAGES = 2000

# Kinds that are the same to the byte; and those that are set aside before pairs are counted.
SAME = frozenset(("original", "mirror", "moved"))
SET_ASIDE = frozenset(("mirror", "moved", "reformatted"))

Frequencies = NDArray[np.int64]


@dataclass(frozen=True)
class Statistics:
    """Means are over documents. Shares are of documents, or, of ``occurring``, of different shingles."""

    words: float
    bytes: float
    shingles: float
    identical_clusters: float
    in_identical: float
    mixed_clusters: float
    in_mixed: float
    occurring: tuple[float, float, float]
    slope: float
    most_common: float
    pairs: float
    below_half: float


def measure(crawl: Crawl) -> Statistics:
    """Everything, in one pass over the pages."""
    families: dict[int, Counter[str]] = defaultdict(Counter)
    kept: list[NDArray[np.uint64]] = []
    fresh: list[NDArray[np.uint64]] = []
    sizes = np.zeros(3)
    alike: list[float] = []
    for page in crawl:
        features = page.features()
        kept.append(features[features % np.uint64(SAMPLE) == 0])
        fresh += [] if page.kind in SET_ASIDE else [kept[-1]]
        families[page.family][page.kind] += 1
        sizes += len(page.words), len(page.text), len(features)
        if page.kind == "edited" and len(alike) < EDITED_PAGES:
            alike.append(_resemblance(crawl, page))
    words, size, count = (sizes / len(crawl)).tolist()
    frequencies = _frequencies(kept)
    data = _clusters(families, len(crawl))
    occurring = tuple(float(np.mean(frequencies == times)) for times in (1, 2, 3))
    pairs = _pairs(_frequencies(fresh)) * SAMPLE / PAPER_SAMPLE / len(crawl)
    below = float(np.mean(np.array(alike) < 0.5)) if alike else 0.0
    most = float(frequencies[0]) / len(crawl)
    return Statistics(words, size, count, *data, occurring[:3], slope(frequencies), most, pairs, below)  # type: ignore[arg-type]


def _resemblance(crawl: Crawl, page: Page) -> float:
    original = np.unique(shingles(crawl.original(page.family), SHINGLE))
    shared = len(np.intersect1d(original, page.features(), assume_unique=True))
    return shared / (len(original) + len(page.features()) - shared)


def _frequencies(kept: list[NDArray[np.uint64]]) -> Frequencies:
    """In how many documents each shingle is, the most frequent first."""
    ordered = np.sort(np.concatenate(kept))
    firsts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return -np.sort(-np.diff(firsts, append=len(ordered)))


def _pairs(frequencies: Frequencies) -> float:
    """Return how many pairs of documents these shingles make, the common ones left out."""
    few = frequencies[frequencies <= COMMON].astype(np.float64)
    return float(np.sum(few * (few - 1) / 2))


def _clusters(families: dict[int, Counter[str]], pages: int) -> tuple[float, float, float, float]:
    """Clusters of identical documents, their documents, and the same of the others, for each document of the crawl."""
    found = np.zeros(4)
    for kinds in families.values():
        size = kinds.total()
        if size > 1:
            found += (1, size, 0, 0) if kinds.keys() <= SAME else (0, 0, 1, size)
    identical, in_identical, mixed, in_mixed = (found / pages).tolist()
    return identical, in_identical, mixed, in_mixed


def plateaus(frequencies: Frequencies) -> list[tuple[float, float]]:
    """Both ends, as rank and frequency, of every plateau of equal frequencies; one of a single rank comes twice."""
    changes = np.flatnonzero(np.diff(frequencies))
    ends = np.empty(2 * len(changes) + 2, np.int64)
    ends[0::2] = np.concatenate([[0], changes + 1])
    ends[1::2] = np.concatenate([changes, [len(frequencies) - 1]])
    return list(zip((ends + 1.0).tolist(), frequencies[ends].astype(np.float64).tolist(), strict=True))


def slope(frequencies: Frequencies) -> float:
    """Of the line through frequency by rank on logarithmic scales, as the winnowing paper fits it: through the two ends
    of every plateau, a plateau of one rank counting twice."""
    ends = np.log(np.array(plateaus(frequencies)))
    return float(np.polyfit(ends[:, 0], ends[:, 1], 1)[0])


def report(crawl: Crawl) -> str:
    """Return a Markdown table: the papers', and what was drawn."""
    found = measure(crawl)
    once, twice, thrice = found.occurring
    rows = [
        ("bytes a document (the paper's have HTML)", "5,000", f"{found.bytes:,.0f}"),
        ("words a document", "", f"{found.words:.0f}"),
        ("shingles a document (600 million kept, 1 in 25)", "500", f"{found.shingles:.0f}"),
        ("clusters of identical documents", _share(IDENTICAL_CLUSTERS), f"{found.identical_clusters:.1%}"),
        ("documents in them", _share(IN_IDENTICAL), f"{found.in_identical:.1%}"),
        ("other clusters", _share(MIXED_CLUSTERS), f"{found.mixed_clusters:.1%}"),
        ("documents in them", _share(IN_MIXED), f"{found.in_mixed:.1%}"),
        ("shingles in one document, of all different ones", "82%", f"{once:.1%}"),
        ("in two", "14%", f"{twice:.1%}"),
        ("in three", "2%", f"{thrice:.1%}"),
        ("slope of frequency by rank", f"-{SLOPE}", f"{found.slope:.2f}"),
        ("documents that have the commonest shingle (the paper counts repeats)", "16%", f"{found.most_common:.1%}"),
        ("pairs that 1 shingle in 25 makes, a document (20 GB of triples, at most)", "55", f"{found.pairs:.0f}"),
        ("edited versions that resemble their original by less than a half", "", f"{found.below_half:.1%}"),
    ]  # fmt: skip
    head = [f"| {len(crawl):,} pages, seed {crawl.seed} | papers | drawn |", "|---|---|---|"]
    return "\n".join([*head, *(f"| {what} | {paper} | {drawn} |" for what, paper, drawn in rows)])


def _share(count: int) -> str:
    return f"{count / DOCUMENTS:.1%}"
