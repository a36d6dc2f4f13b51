"""Pairs of documents counted, in plain Python: the specification of ``native_tallies``."""

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray


def follow(
    hashes: NDArray[np.uint64], documents: NDArray[np.uint32], most: int, linear: bool, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """What ``tally`` needs of postings, which come sorted by hash, then by document, no posting twice.

    For each posting where those of its hash end that it makes pairs with, all that follow it; for each document, one
    after the other, the places of its postings that make pairs, and where each document's begin; how many pairs all
    documents before each make, equal ones counted each time; and the hashes that more than ``most`` documents have.
    Those make no pairs, or, if ``linear``, only their first posting does.
    """
    ends = np.zeros(len(hashes), np.int64)
    common = []
    for value, group in groupby(range(len(hashes)), lambda place: int(hashes[place])):
        places = list(group)
        if len(places) > most:
            common.append(value)
        makes = places if len(places) <= most else places[:1] if linear else []
        ends[makes] = places[-1] + 1
    makes = [place for place in range(len(hashes)) if ends[place] > place + 1]
    order = sorted(makes, key=lambda place: (int(documents[place]), place))
    owners = np.array([int(documents[place]) for place in order], np.int64)
    bounds = np.searchsorted(owners, np.arange(count + 1))
    works = np.cumsum([0, *(int(ends[place]) - place - 1 for place in order)], dtype=np.int64)[bounds]
    return ends, np.array(order, np.int64), bounds.astype(np.int64), works, np.array(common, np.uint64)


def tally(
    documents: NDArray[np.uint32],
    ends: NDArray[np.int64],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    works: NDArray[np.int64],
    first: int,
    last: int,
) -> NDArray[np.uint32]:
    """Every pair of documents that share a hash, in order, as rows: the larger, the smaller, and the number of hashes
    that they share. Of those whose smaller one is ``first`` or later, and before ``last``. ``works`` tells how much
    room they need."""
    rows: list[tuple[int, int, int]] = []
    for left in range(first, last):
        counts: dict[int, int] = {}
        for place in order[bounds[left] : bounds[left + 1]].tolist():
            for right in documents[place + 1 : ends[place]].tolist():
                counts[right] = counts.get(right, 0) + 1
        rows += [(right, left, counts[right]) for right in sorted(counts)]
    return np.array(rows, np.uint32).reshape(-1, 3)


def count(pairs: NDArray[np.uint64], weights: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Sorted pairs, ``smaller << 32 | larger``, with their weights: each pair once with the sum of its weights."""
    total: dict[int, int] = {}
    for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        total[pair] = total.get(pair, 0) + weight
    return np.array(list(total), np.uint64), np.array(list(total.values()), np.uint32)


def merge(rows: NDArray[np.uint32], bounds: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Runs of rows, each as ``tally`` makes them, become one, in which each pair has the sum of its counts. They
    lie one after the other; ``bounds`` tells where each begins and the last one ends. Uses ``rows`` up."""
    total: dict[tuple[int, int], int] = {}
    for right, left, shared in rows[: bounds[-1]].tolist():
        total[left, right] = total.get((left, right), 0) + shared
    return np.array([(right, left, total[left, right]) for left, right in sorted(total)], np.uint32).reshape(-1, 3)


def fuse(
    bounds: NDArray[np.int64],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    weights: NDArray[np.float64],
    counts: NDArray[np.int32],
    totals: NDArray[np.float64],
    has_normal: NDArray[np.uint8],
    statements: NDArray[np.int64],
    prior: float,
    lowest: float,
) -> tuple[NDArray[np.generic], ...]:
    """The pairs of four streams, ascending, each once: both numbers, similarity, containment, and what they share, in
    the stream where it is most and in the first one. Pairs that share nothing there are left out.

    Stream i has the pairs between ``bounds[i]`` and ``bounds[i + 1]``, ascending, with the weight and the number of
    what they share; a document weighs ``totals[i]`` in it. The first stream alone counts unless both documents have a
    normal form. Otherwise a measure is the mean of the first stream, of the second, and of the third or fourth,
    whichever is greater after it is blended with the second: it has the share n / (n + ``prior``), with n the
    ``statements`` of the document with fewer. The lowest of the three has the weight ``lowest``.
    """
    found: dict[tuple[int, int], dict[int, tuple[float, float, int]]] = {}
    for stream, (first, last) in enumerate(pairwise(bounds.tolist())):
        columns = (column[first:last].tolist() for column in (lefts, rights, weights, counts))
        for left, right, weight, count in zip(*columns, strict=True):
            sizes = float(totals[stream, left]), float(totals[stream, right])
            similarity, containment = weight / (sizes[0] + sizes[1] - weight), weight / min(sizes)
            found.setdefault((left, right), {})[stream] = min(1.0, similarity), min(1.0, containment), count
    rows = []
    for (left, right), by_stream in sorted(found.items()):
        measured = [by_stream.get(stream, (0.0, 0.0, 0)) for stream in range(4)]
        similarity, containment, most = measured[0]
        if has_normal[left] and has_normal[right]:
            shares = [
                fewer / (fewer + prior) for fewer in np.minimum(statements[:, left], statements[:, right]).tolist()
            ]
            similarity, containment = (
                _mean(values, shares, lowest) for values in list(zip(*measured, strict=True))[:2]
            )
            most = max(count for _, _, count in measured)
        if most:
            rows.append((left, right, similarity, containment, most, measured[0][2]))
    kinds = (np.int32, np.int32, np.float64, np.float64, np.int32, np.int32)
    return tuple(np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds))


def _mean(values: Sequence[float], shares: Sequence[float], lowest: float) -> float:
    first, second, *others = values
    blended = max(share * other + (1 - share) * second for share, other in zip(shares, others, strict=True))
    return (first + second + blended - (1 - lowest) * min(first, second, blended)) / (2 + lowest)
