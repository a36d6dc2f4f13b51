"""Pairs of documents that share shingles, compiled. Specification: ``twin_pairs``."""

import cython
import numpy as np

if not cython.compiled:
    raise ImportError("whorl.kernel.native_pairs is not compiled")

from cython.cimports.libc.math import sqrt
from cython.cimports.libc.stdint import int32_t, int64_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import qsort
from cython.cimports.whorl.kernel.merge import whorl_merging, whorl_shared


def follow(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    most: int64_t,
    linear: cython.bint,
    count: int64_t,
):
    n: int64_t = hashes.shape[0]
    ends = np.zeros(n, np.int64)
    bounds = np.zeros(count + 1, np.int64)
    end: int64_t[::1] = ends
    bound: int64_t[::1] = bounds
    start: int64_t = 0
    stop: int64_t
    at: int64_t
    makers: int64_t
    large: int64_t = 0
    with cython.nogil:
        while start < n:
            stop = start + 1
            while stop < n and hashes[stop] == hashes[start]:
                stop += 1
            makers = stop - start - 1
            if stop - start > most:
                large += 1
                makers = min(makers, 1) if linear else 0
            for at in range(start, start + makers):
                end[at] = stop
                bound[documents[at] + 1] += 1
            start = stop
        for at in range(count):
            bound[at + 1] += bound[at]
    order = np.empty(bounds[count], np.int64)
    _order(documents, end, bounds[:count].copy(), order)
    return ends, order, bounds, _common(hashes, most, large)


@cython.cfunc
def _order(documents: cython.const[uint32_t][::1], end: int64_t[::1], starts: int64_t[::1], order: int64_t[::1]):
    """The places of the postings that make pairs, by document."""
    at: int64_t
    with cython.nogil:
        for at in range(documents.shape[0]):
            if end[at] > at + 1:
                order[starts[documents[at]]] = at
                starts[documents[at]] += 1


@cython.cfunc
def _common(hashes: cython.const[uint64_t][::1], most: int64_t, large: int64_t):
    """The hashes that many have; there are so many of them."""
    found = np.empty(large, np.uint64)
    out: uint64_t[::1] = found
    start: int64_t = 0
    at: int64_t
    large = 0
    for at in range(1, hashes.shape[0] + 1 if out.shape[0] else 0):
        if at == hashes.shape[0] or hashes[at] != hashes[start]:
            if at - start > most:
                out[large] = hashes[start]
                large += 1
            start = at
    return found


def tally(
    documents: cython.const[uint32_t][::1],
    ends: cython.const[int64_t][::1],
    order: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    first: int64_t,
    room: int64_t,
):
    count: int64_t = bounds.shape[0] - 1
    room = max(room, count)  # a document has no more pairs than there are documents
    pairs = np.empty(room, np.uint64)
    counts = np.empty(room, np.uint32)
    pair: uint64_t[::1] = pairs
    out: uint32_t[::1] = counts
    totals: uint32_t[::1] = np.zeros(count, np.uint32)
    met: uint32_t[::1] = np.empty(count, np.uint32)
    found: int64_t
    at: int64_t = 0
    i: int64_t
    j: int64_t
    left: int64_t = first
    right: uint32_t
    with cython.nogil:
        while left < count:
            found = 0
            for i in range(bounds[left], bounds[left + 1]):
                for j in range(order[i] + 1, ends[order[i]]):
                    right = documents[j]
                    met[found] = right
                    found += totals[right] == 0
                    totals[right] += 1
            if at + found > room:
                break
            if found > 1:
                qsort(cython.address(met[0]), found, 4, _ascending)
            for i in range(found):
                pair[at] = cython.cast(uint64_t, left) << 32 | met[i]
                out[at] = totals[met[i]]
                totals[met[i]] = 0
                at += 1
            left += 1
    return pairs[:at].copy(), counts[:at].copy(), left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ascending(
    one: cython.pointer[cython.const[cython.void]], two: cython.pointer[cython.const[cython.void]]
) -> cython.int:
    a: uint32_t = cython.cast(cython.pointer[cython.const[uint32_t]], one)[0]
    b: uint32_t = cython.cast(cython.pointer[cython.const[uint32_t]], two)[0]
    return (a > b) - (a < b)


def count(pairs: cython.const[uint64_t][::1], weights: cython.const[uint32_t][::1]):
    n: int64_t = pairs.shape[0]
    distinct = np.empty(n, np.uint64)
    totals = np.empty(n, np.uint32)
    out: uint64_t[::1] = distinct
    total: uint32_t[::1] = totals
    at: int64_t = -1
    i: int64_t
    with cython.nogil:
        for i in range(n):
            if at < 0 or out[at] != pairs[i]:
                at += 1
                out[at] = pairs[i]
                total[at] = weights[i]
            else:
                total[at] += weights[i]
    return distinct[: at + 1].copy(), totals[: at + 1].copy()


def hopeful(
    lefts: cython.const[int64_t][::1],
    rights: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
    levels: cython.const[int64_t][::1],
    kept: cython.const[int32_t][:, :],
    common: cython.const[int32_t][:, :],
    sizes: cython.const[int64_t][::1] | None,
    threshold: cython.double,
    doubt: cython.double,
    few: int64_t,
):
    n: int64_t = lefts.shape[0]
    found = np.empty(n, np.bool_)
    out: cython.uchar[::1] = found.view(np.uint8)
    is_contained: cython.bint = sizes is not None
    i: int64_t
    left: int64_t
    right: int64_t
    level: int64_t
    count: int64_t
    sample: int64_t
    with cython.nogil:
        for i in range(n):
            left, right = lefts[i], rights[i]
            level = max(levels[left], levels[right])
            count = counts[i] + min(common[left, level], common[right, level])
            if not is_contained:
                sample = kept[left, level] + kept[right, level] - count
            else:
                sample = kept[left if sizes[left] <= sizes[right] else right, level]
            out[i] = sample < few or count + doubt * sqrt(threshold * (1 - threshold) * sample) >= threshold * sample
    return found


def near(
    count: int64_t,
    owners: cython.const[int32_t][::1],
    others: cython.const[int32_t][::1],
    likeness: cython.const[cython.double][::1],
    ties: cython.const[uint64_t][::1],
):
    n: int64_t = owners.shape[0]
    bounds = np.zeros(count + 1, np.int64)
    found = np.empty(n, np.int32)
    bound: int64_t[::1] = bounds
    out: int32_t[::1] = found
    i: int64_t
    longest: int64_t = 1
    with cython.nogil:
        for i in range(n):
            bound[owners[i] + 1] += 1
        for i in range(count):
            longest = max(longest, bound[i + 1])
            bound[i + 1] += bound[i]
    order = np.empty(n, np.int64)
    _order_by(owners, bounds[:count].copy(), order)
    place: int64_t[::1] = order
    row = np.empty(longest, _NEIGHBOUR)
    neighbours: Neighbour[::1] = row
    j: int64_t
    with cython.nogil:
        for i in range(count):
            for j in range(bound[i + 1] - bound[i]):
                neighbours[j].other = others[place[bound[i] + j]]
                neighbours[j].likeness = likeness[place[bound[i] + j]]
                neighbours[j].tie = ties[neighbours[j].other]
            if bound[i + 1] - bound[i] > 1:
                qsort(cython.address(neighbours[0]), bound[i + 1] - bound[i], cython.sizeof(Neighbour), _more_alike)
            for j in range(bound[i + 1] - bound[i]):
                out[bound[i] + j] = neighbours[j].other
    return found, bounds


_NEIGHBOUR = np.dtype([("likeness", "<f8"), ("tie", "<u8"), ("other", "<i8")])

Neighbour = cython.struct(likeness=cython.double, tie=uint64_t, other=int64_t)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _more_alike(
    one: cython.pointer[cython.const[cython.void]], two: cython.pointer[cython.const[cython.void]]
) -> cython.int:
    a = cython.cast(cython.pointer[cython.const[Neighbour]], one)
    b = cython.cast(cython.pointer[cython.const[Neighbour]], two)
    if a.likeness != b.likeness:
        return 1 if a.likeness < b.likeness else -1
    if a.tie != b.tie:
        return 1 if a.tie > b.tie else -1
    return (a.other > b.other) - (a.other < b.other)


@cython.cfunc
def _order_by(owners: cython.const[int32_t][::1], starts: int64_t[::1], order: int64_t[::1]):
    """The places of all, by their owners."""
    at: int64_t
    with cython.nogil:
        for at in range(owners.shape[0]):
            order[starts[owners[at]]] = at
            starts[owners[at]] += 1


def shared(
    hashes: cython.const[uint64_t][::1],
    bounds: cython.const[int64_t][::1],
    lefts: cython.const[int64_t][::1],
    rights: cython.const[int64_t][::1],
    needed: cython.const[cython.double][::1],
    doubt: cython.double,
):
    counts = np.zeros(lefts.shape[0], np.int64)
    out: int64_t[::1] = counts
    if lefts.shape[0] == 0 or hashes.shape[0] == 0:
        return counts
    merging = cython.declare(whorl_merging)
    merging.hashes = cython.address(hashes[0])
    merging.bounds = cython.address(bounds[0])
    merging.lefts = cython.address(lefts[0])
    merging.rights = cython.address(rights[0])
    merging.needed = cython.address(needed[0])
    merging.doubt = doubt
    merging.pairs = lefts.shape[0]
    merging.out = cython.address(out[0])
    with cython.nogil:
        whorl_shared(cython.address(merging))
    return counts


def gather(
    order: cython.const[int64_t][::1],
    joining_bounds: cython.const[int64_t][::1],
    joining: cython.const[int32_t][::1],
    bounds: cython.const[int64_t][::1],
    others: cython.const[int32_t][::1],
    few: int64_t,
    share: cython.double,
):
    found = np.full(bounds.shape[0] - 1, -1, np.int64)
    stands: int64_t[::1] = found
    at: int64_t
    i: int64_t
    j: int64_t
    head: int64_t
    other: int64_t
    size: int64_t
    strange: int64_t
    with cython.nogil:
        for at in range(order.shape[0]):
            head = order[at]
            if stands[head] >= 0:
                continue
            stands[head] = head
            size = 1
            for i in range(joining_bounds[head], joining_bounds[head + 1]):
                other = joining[i]
                if stands[other] >= 0:
                    continue
                strange = size
                for j in range(bounds[other], bounds[other + 1]):
                    strange -= stands[others[j]] == head
                if strange <= max(few, share * size):
                    stands[other] = head
                    size += 1
        for i in range(stands.shape[0]):
            if stands[i] < 0:
                stands[i] = i
    return found
