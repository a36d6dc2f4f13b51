"""Pairs of documents that share shingles or fingerprints, in plain Python: the specification of ``native_pairs``."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def hopeful(
    lefts: NDArray[np.uint32],
    rights: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    levels: NDArray[np.int32],
    kept: NDArray[np.int32],
    common: NDArray[np.int32],
    sizes: NDArray[np.int64] | None,
    threshold: float,
    doubt: float,
    few: int,
) -> NDArray[np.bool_]:
    """Which pairs may reach a threshold, by how many values of their sketches they share.

    ``kept[i, j]`` values of document i are in a sketch of level j, and ``common[i, j]`` of them are not counted though
    both may share them; ``levels`` are those of the sketches, and the coarser one decides. A pair is given up if the
    count is ``doubt`` standard errors below what the threshold asks of the sample: the union of both, or, given the
    ``sizes`` of the documents, the smaller document. A sample of fewer than ``few`` says nothing.
    """
    level = np.maximum(levels[lefts], levels[rights])
    count = counts + np.minimum(common[lefts, level], common[rights, level])
    if sizes is None:
        sample = kept[lefts, level].astype(np.int64) + kept[rights, level] - count
    else:
        sample = kept[np.where(sizes[lefts] <= sizes[rights], lefts, rights), level].astype(np.int64)
    error = np.sqrt(threshold * (1 - threshold) * np.maximum(0, sample))
    may_reach: NDArray[np.bool_] = (sample < few) | (count + doubt * error >= threshold * sample)
    return may_reach


def near(
    count: int,
    owners: NDArray[np.int32],
    others: NDArray[np.int32],
    likeness: NDArray[np.float64],
    ties: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """For each of ``count`` documents the others that it owns, the one with the smallest tie first, then the one with
    the smallest number; how alike they are; and where those of each end."""
    rows: list[list[tuple[int, int, float]]] = [[] for _ in range(count)]
    for owner, other, alike in zip(owners.tolist(), others.tolist(), likeness.tolist(), strict=True):
        rows[owner].append((int(ties[other]), other, alike))
    ordered = [each for row in rows for each in sorted(row, key=lambda each: each[:2])]
    neighbours = np.array([other for _, other, _ in ordered], np.int32)
    return (
        neighbours,
        np.array([alike for *_, alike in ordered], np.float64),
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
    )


def shared(
    hashes: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    lefts: NDArray[np.int64],
    rights: NDArray[np.int64],
    needed: NDArray[np.float64],
) -> NDArray[np.int64]:
    """How many hashes two sets have in common, for each pair of sets. Set i is ``hashes[bounds[i] : bounds[i + 1]]``,
    ascending.

    If it is fewer than ``needed``, only that is certain: a pair is given up once it cannot reach it.
    """
    sets = [hashes[start:end].tolist() for start, end in pairwise(bounds)]
    pairs = zip(lefts.tolist(), rights.tolist(), needed.tolist(), strict=True)
    return np.array([_shared(sets[left], sets[right], least) for left, right, least in pairs], np.int64)


def _shared(left: list[int], right: list[int], needed: float) -> int:
    i = j = shared_count = 0
    while i < len(left) and j < len(right):
        if shared_count + min(len(left) - i, len(right) - j) < needed:
            return shared_count
        one, two = left[i], right[j]
        shared_count, i, j = shared_count + (one == two), i + (one <= two), j + (two <= one)
    return shared_count


def gather(
    order: NDArray[np.int64],
    joining_bounds: NDArray[np.int64],
    joining: NDArray[np.int32],
    likeness: NDArray[np.float64],
    bounds: NDArray[np.int64],
    others: NDArray[np.int32],
    few: int,
    share: float,
) -> NDArray[np.int64]:
    """For each document the one that stands for it: clusters in which nearly all are a pair with each other.

    ``others[bounds[i] : bounds[i + 1]]`` are a pair with document i; ``joining``, likewise, are those that may join its
    cluster, with their ``likeness``. In the given order, each document that is in no cluster yet begins one. Those that
    may join it, and are in no cluster, do so in turn, the most alike first, then as they come: each if it is a
    stranger, which is no pair, to no more than ``few`` of those who are there, or than this ``share`` of them. A
    document that the order leaves out stands for itself.
    """
    stands = [-1] * (len(bounds) - 1)
    for head in order.tolist():
        if stands[head] >= 0:
            continue
        stands[head] = head
        size = 1
        coming = slice(joining_bounds[head], joining_bounds[head + 1])
        for place in np.argsort(-likeness[coming], kind="stable").tolist():
            other = int(joining[coming][place])
            if stands[other] >= 0:
                continue
            known = sum(stands[third] == head for third in others[bounds[other] : bounds[other + 1]].tolist())
            if size - known <= max(few, share * size):
                stands[other] = head
                size += 1
    return np.array([head if head >= 0 else number for number, head in enumerate(stands)], np.int64)


def reach(
    offsets: NDArray[np.int64], groups: NDArray[np.int32], starts: NDArray[np.int64], documents: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many pairs ``partners`` may find for each of these documents, at most: each group may have other partners,
    and there are no more than documents of greater number."""
    sizes = np.diff(starts)
    later = len(offsets) - 2 - documents
    others = [int((sizes[groups[offsets[each] : offsets[each + 1]]] - 1).sum()) for each in documents.tolist()]
    return np.minimum(np.array(others, np.int64), later)


def partners(
    offsets: NDArray[np.int64],
    groups: NDArray[np.int32],
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    weights: NDArray[np.float64],
    documents: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """The pairs of these documents with those of greater number that share fingerprints: both numbers, the weight of
    what they share, summed in the order of the groups, and how many fingerprints that is. The pairs of each document
    ascend.

    Document d has the groups ``groups[offsets[d] : offsets[d + 1]]``; group g, one hash, has the documents
    ``members[starts[g] : starts[g + 1]]``, ascending, with d among them.
    """
    rows = []
    for document in documents.tolist():
        sums: dict[int, float] = {}
        counts: dict[int, int] = {}
        for group in groups[offsets[document] : offsets[document + 1]].tolist():
            for other in members[starts[group] : starts[group + 1]].tolist():
                if other > document:
                    sums[other] = sums.get(other, 0.0) + float(weights[group])
                    counts[other] = counts.get(other, 0) + 1
        rows += [(document, other, sums[other], counts[other]) for other in sorted(sums)]
    kinds = (np.int32, np.int32, np.float64, np.int32)
    lefts, rights, totals, numbers = (np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds))
    return lefts, rights, totals, numbers


def unite(parents: NDArray[np.int32], lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> None:
    """Put both ends of each link into one set, in place. ``parents[i] <= i``, and the root of a set, its least member,
    is its own parent; each link leaves its ends nearer to their root."""
    for left, right in zip(lefts.tolist(), rights.tolist(), strict=True):
        roots = _root(parents, left), _root(parents, right)
        parents[max(roots)] = min(roots)


def _root(parents: NDArray[np.int32], one: int) -> int:
    while parents[one] != one:
        parents[one] = parents[parents[one]]
        one = int(parents[one])
    return one
