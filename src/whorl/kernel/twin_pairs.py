"""Pairs of documents that share shingles, in plain Python: the specification of ``native_pairs``.

A pair is one number: ``smaller << 32 | larger``.
"""

from itertools import combinations, groupby, pairwise

import numpy as np
from numpy.typing import NDArray


def expand(hashes: NDArray[np.uint64], documents: NDArray[np.uint32], most: int) -> tuple[NDArray[np.uint64], int]:
    """Every pair of documents with the same hash, once for each hash that they share, and how many hashes were left out
    because more than ``most`` documents have them. Postings come sorted by hash, then by document, no posting twice."""
    pairs: list[int] = []
    common = 0
    for _, group in groupby(zip(hashes.tolist(), documents.tolist(), strict=True), lambda item: item[0]):
        members = [document for _, document in group]
        if len(members) > most:
            common += 1
        else:
            pairs += [left << 32 | right for left, right in combinations(members, 2)]
    return np.array(pairs, np.uint64), common


def count(pairs: NDArray[np.uint64], weights: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Sorted pairs with their weights, each pair once with the sum of its weights."""
    total: dict[int, int] = {}
    for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        total[pair] = total.get(pair, 0) + weight
    return np.array(list(total), np.uint64), np.array(list(total.values()), np.uint32)


def shared(
    hashes: NDArray[np.uint64], bounds: NDArray[np.int64], lefts: NDArray[np.int64], rights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many hashes two sets have in common, for each pair of sets. Set i is ``hashes[bounds[i] : bounds[i + 1]]``,
    ascending."""
    sets = [set(hashes[start:end].tolist()) for start, end in pairwise(bounds)]
    return np.array([len(sets[a] & sets[b]) for a, b in zip(lefts.tolist(), rights.tolist(), strict=True)], np.int64)
