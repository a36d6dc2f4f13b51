"""Candidates in a whole crawl: how many pairs each way posts, and how many of the true ones are among them.

    python -m experiments.supers.candidates [--pages 10000] [--seed 1]

A true pair is two pages of one family of the synthetic crawl that resemble each other by at least the threshold. Pages
that are the same to the shingle are set aside first, as the clustering does. Prints Markdown.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.pages import Crawl
from experiments.supers.detection import markdown
from experiments.supers.pairs import permuted
from experiments.supers.ways import divided, level, super_shingles_of, ways
from whorl.model import Hashes

# The clustering's: two documents are a pair from here on, and shingles in more documents are ignored.
THRESHOLD, COMMON = 0.5, 1000

Pairs = NDArray[np.uint64]


def pages(crawl: Crawl) -> tuple[list[Hashes], list[int]]:
    """Return what is different, as the clustering sees it, and the family of each."""
    found: dict[bytes, tuple[Hashes, int]] = {}
    for page in crawl:
        hashes = permuted(page.words)
        found.setdefault(hashes.tobytes(), (hashes, page.family))
    hashes_of, families = zip(*found.values(), strict=True)
    return list(hashes_of), list(families)


def true_pairs(documents: Sequence[Hashes], families: Sequence[int]) -> Pairs:
    """Return the pairs within families that reach the threshold."""
    members: dict[int, list[int]] = defaultdict(list)
    for number, family in enumerate(families):
        members[family].append(number)
    alike = [
        left << 32 | right
        for those in members.values()
        for left, right in combinations(those, 2)
        if _resemblance(documents[left], documents[right]) >= THRESHOLD
    ]
    return np.array(alike, np.uint64)


def _resemblance(left: Hashes, right: Hashes) -> float:
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)


def candidates(posted: Sequence[Hashes]) -> Pairs:
    """Return the pairs of documents with a common number, each once, and the lists of more than COMMON left out."""
    documents = np.repeat(np.arange(len(posted), dtype=np.uint64), [len(numbers) for numbers in posted])
    numbers = np.concatenate(posted)
    order = np.argsort(numbers, kind="stable")
    documents, bounds = documents[order], np.flatnonzero(np.diff(numbers[order], prepend=0, append=0))
    lists = [documents[start:end] for start, end in pairwise(bounds.tolist()) if 1 < end - start <= COMMON]
    made = [np.empty(0, np.uint64), *map(_expanded, lists)]
    return np.unique(np.concatenate(made))


def _expanded(those: NDArray[np.uint64]) -> Pairs:
    left, right = np.triu_indices(len(those), 1)
    pairs: Pairs = those[left] << np.uint64(32) | those[right]
    return pairs


def table(crawl: Crawl) -> str:
    """Return a row a way; the first is the clustering's own, without super shingles."""
    documents, families = pages(crawl)
    wanted = true_pairs(documents, families)
    all_ways: dict[str, Callable[[Hashes], Hashes]] = {
        "every shingle of V_i": lambda hashes: divided(hashes, level(hashes)),
        **{f"{name}, runs of 3": way for name, way in ways(3).items() if name != "bins"},
        **{f"bins, 32 of {size}": partial(super_shingles_of, size=size) for size in (2, 3, 4, 6)},
        "bins, 64 of 4": partial(super_shingles_of, size=4, groups=64),
    }
    rows = []
    for name, way in all_ways.items():
        posted = [way(hashes) for hashes in documents]
        found = candidates(posted)
        hits = int(np.isin(wanted, found).sum())
        mean = np.mean([len(numbers) for numbers in posted])
        rows.append(
            [name, f"{mean:.0f}", f"{len(found):,}", f"{hits / len(wanted):.3f}", f"{hits / max(1, len(found)):.3f}"]
        )
    head = f"{len(documents):,} different documents, {len(wanted):,} true pairs"
    return markdown([head, "posted a document", "candidates", "recall", "precision"], rows)


def main() -> None:
    """One crawl."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(table(Crawl(options.pages, options.seed)))


if __name__ == "__main__":
    main()
