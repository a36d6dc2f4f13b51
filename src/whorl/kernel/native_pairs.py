"""Pairs of documents that share shingles, compiled. Specification: ``tests/kernel/specification/pairs.py``."""

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from cython.cimports.libc.stdint import int32_t, int64_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.whorl.kernel.merge import whorl_merging, whorl_shared
from cython.cimports.whorl.kernel.soon import whorl_soon

# Pairs ahead of which it is told what will be read. Of many documents, nearly each would be waited for.
SOON = cython.declare(int64_t, 16)
# Partners of a document that are sorted one by one; more are looked up in their order.
FEW = cython.declare(int64_t, 64)


def hopeful(
    lefts: cython.const[uint32_t][:],
    rights: cython.const[uint32_t][:],
    counts: cython.const[uint32_t][:],
    levels: cython.const[int32_t][:],
    kept: cython.const[int32_t][:, :],
    common: cython.const[int32_t][:, :],
    sizes: cython.const[int64_t][::1] | None,
    threshold: cython.double,
    doubt: cython.double,
    few: int64_t,
):
    n: int64_t = lefts.shape[0]
    result = np.empty(n, np.bool_)
    out: cython.uchar[::1] = result.view(np.uint8)
    is_contained: cython.bint = sizes is not None
    i: int64_t
    left: int64_t
    right: int64_t
    level: int64_t
    count: int64_t
    sample: int64_t
    with cython.nogil:
        for i in range(n):
            if i + SOON < n:
                right = rights[i + SOON]
                whorl_soon(cython.address(levels[right]))
            left, right = lefts[i], rights[i]
            level = max(levels[left], levels[right])
            count = counts[i] + min(common[left, level], common[right, level])
            if not is_contained:
                sample = kept[left, level] + kept[right, level] - count
            else:
                sample = kept[left if sizes[left] <= sizes[right] else right, level]
            out[i] = sample < few or count + doubt * sqrt(threshold * (1 - threshold) * sample) >= threshold * sample
    return result


def near(
    count: int64_t,
    owners: cython.const[int32_t][::1],
    others: cython.const[int32_t][::1],
    likeness: cython.const[cython.double][::1],
    ties: cython.const[uint64_t][::1],
):
    n: int64_t = owners.shape[0]
    bounds = np.zeros(count + 1, np.int64)
    bound: int64_t[::1] = bounds
    i: int64_t
    with cython.nogil:
        for i in range(n):
            bound[owners[i] + 1] += 1
        for i in range(count):
            bound[i + 1] += bound[i]
    result, alike = np.empty(n, np.int32), np.empty(n, np.float64)
    _deal(owners, others, likeness, np.argsort(ties, kind="stable"), bounds[:count].copy(), result, alike)
    return result, alike, bounds


@cython.cfunc
def _deal(
    owners: cython.const[int32_t][::1],
    others: cython.const[int32_t][::1],
    likeness: cython.const[cython.double][::1],
    ranked: cython.const[int64_t][::1],
    starts: int64_t[::1],
    result: int32_t[::1],
    alike: cython.double[::1],
):
    """Give all of them to their owners, in the order of ``ranked``, which has every document once."""
    n: int64_t = others.shape[0]
    ends: int64_t[::1] = np.cumsum(np.bincount(others, minlength=ranked.shape[0]))
    by_other: int64_t[::1] = np.empty(n, np.int64)
    i: int64_t
    j: int64_t
    at: int64_t
    other: int64_t
    place: int64_t
    with cython.nogil:
        for i in range(n):
            ends[others[n - 1 - i]] -= 1
            by_other[ends[others[n - 1 - i]]] = n - 1 - i
        for i in range(ranked.shape[0]):
            other = ranked[i]
            for j in range(ends[other], ends[other + 1] if other + 1 < ranked.shape[0] else n):
                place = by_other[j]
                at = starts[owners[place]]
                result[at], alike[at] = cython.cast(int32_t, other), likeness[place]
                starts[owners[place]] += 1


_NEIGHBOUR = np.dtype([("likeness", "<f8"), ("other", "<i8")])

Neighbour = cython.struct(likeness=cython.double, other=int64_t)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _most_alike_first(row: cython.pointer[Neighbour], n: int64_t, scratch: cython.pointer[Neighbour]) -> cython.void:
    """Sorts by likeness and keeps the order of what is as alike: runs of a few by insertion, then two by two merged."""
    start: int64_t = 0
    i: int64_t
    j: int64_t
    width: int64_t = 16
    moving: Neighbour
    while start < n:
        for i in range(start + 1, min(start + width, n)):
            moving = row[i]
            j = i
            while j > start and row[j - 1].likeness < moving.likeness:
                row[j] = row[j - 1]
                j -= 1
            row[j] = moving
        start += width
    while width < n:
        start = 0
        while start + width < n:
            _merge(row + start, width, min(2 * width, n - start), scratch)
            start += 2 * width
        width *= 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge(
    row: cython.pointer[Neighbour], middle: int64_t, end: int64_t, scratch: cython.pointer[Neighbour]
) -> cython.void:
    """Two sorted runs, one after the other, become one."""
    i: int64_t = 0
    j: int64_t = middle
    at: int64_t = 0
    memcpy(scratch, row, middle * cython.sizeof(Neighbour))
    while i < middle and j < end:
        if row[j].likeness > scratch[i].likeness:
            row[at] = row[j]
            j += 1
        else:
            row[at] = scratch[i]
            i += 1
        at += 1
    memcpy(row + at, scratch + i, (middle - i) * cython.sizeof(Neighbour))


def shared(
    hashes: cython.const[uint64_t][::1],
    bounds: cython.const[int64_t][::1],
    lefts: cython.const[int64_t][::1],
    rights: cython.const[int64_t][::1],
    needed: cython.const[cython.double][::1],
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
    merging.pairs = lefts.shape[0]
    merging.out = cython.address(out[0])
    with cython.nogil:
        whorl_shared(cython.address(merging))
    return counts


def gather(
    order: cython.const[int64_t][::1],
    joining_bounds: cython.const[int64_t][::1],
    joining: cython.const[int32_t][::1],
    likeness: cython.const[cython.double][::1],
    bounds: cython.const[int64_t][::1],
    others: cython.const[int32_t][::1],
    few: int64_t,
    share: cython.double,
):
    result = np.full(bounds.shape[0] - 1, -1, np.int64)
    stands: int64_t[::1] = result
    at: int64_t
    i: int64_t
    j: int64_t
    head: int64_t
    other: int64_t
    size: int64_t
    strange: int64_t
    first: int64_t
    coming: int64_t
    longest: int64_t = 1
    for i in range(joining_bounds.shape[0] - 1):
        longest = max(longest, joining_bounds[i + 1] - joining_bounds[i])
    row: Neighbour[::1] = np.empty(longest, _NEIGHBOUR)
    scratch: Neighbour[::1] = np.empty(longest, _NEIGHBOUR)
    with cython.nogil:
        for at in range(order.shape[0]):
            head = order[at]
            if stands[head] >= 0:
                continue
            stands[head] = head
            size = 1
            first = joining_bounds[head]
            coming = 0
            for i in range(first, joining_bounds[head + 1]):
                if stands[joining[i]] < 0:
                    row[coming].other, row[coming].likeness = joining[i], likeness[i]
                    coming += 1
            _most_alike_first(cython.address(row[0]), coming, cython.address(scratch[0]))
            for i in range(coming):
                other = row[i].other
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
    return result


def reach(
    offsets: cython.const[int64_t][::1],
    groups: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    documents: cython.const[int64_t][::1],
):
    result = np.empty(documents.shape[0], np.int64)
    out: int64_t[::1] = result
    at: cython.Py_ssize_t
    i: int64_t
    count: int64_t
    later: int64_t
    with cython.nogil:
        for at in range(documents.shape[0]):
            later = offsets.shape[0] - 2 - documents[at]
            count = 0
            for i in range(offsets[documents[at]], offsets[documents[at] + 1]):
                count += starts[groups[i] + 1] - starts[groups[i]] - 1
                if count >= later:
                    break
            out[at] = min(count, later)
    return result


def partners(
    offsets: cython.const[int64_t][::1],
    groups: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    members: cython.const[int32_t][::1],
    weights: cython.const[cython.double][::1],
    documents: cython.const[int64_t][::1],
):
    n: cython.Py_ssize_t = offsets.shape[0] - 1
    room = int(reach(offsets, groups, starts, documents).sum())
    lefts, rights, numbers = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    totals = np.empty(room, np.float64)
    left: int32_t[::1] = lefts
    right: int32_t[::1] = rights
    number: int32_t[::1] = numbers
    total: cython.double[::1] = totals
    sums: cython.double[::1] = np.zeros(n, np.float64)
    counts: int32_t[::1] = np.zeros(n, np.int32)
    count: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    at: cython.Py_ssize_t
    i: int64_t
    j: int64_t
    document: int64_t
    group: int32_t
    other: int32_t
    with cython.nogil:
        for at in range(documents.shape[0]):
            document = documents[at]
            first = count
            for i in range(offsets[document], offsets[document + 1]):
                group = groups[i]
                j = starts[group + 1] - 1
                while j >= starts[group] and members[j] > document:
                    other = members[j]
                    if counts[other] == 0:
                        right[count] = other
                        count += 1
                    counts[other] += 1
                    sums[other] += weights[group]
                    j -= 1
            if count > first:
                _ascend(cython.address(right[first]), count - first, cython.address(counts[0]), document + 1)
            for i in range(first, count):
                other = right[i]
                left[i], total[i], number[i] = cython.cast(int32_t, document), sums[other], counts[other]
                sums[other] = 0
                counts[other] = 0
    return lefts[:count], rights[:count], totals[:count], numbers[:count]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ascend(row: cython.pointer[int32_t], n: int64_t, counts: cython.pointer[int32_t], least: int64_t) -> cython.void:
    """Sorts numbers from ``least`` on, which are all that have counts."""
    i: int64_t
    j: int64_t
    moving: int32_t
    if n > FEW:
        j = 0
        while j < n:
            if counts[least]:
                row[j] = cython.cast(int32_t, least)
                j += 1
            least += 1
        return
    for i in range(1, n):
        moving = row[i]
        j = i
        while j > 0 and row[j - 1] > moving:
            row[j] = row[j - 1]
            j -= 1
        row[j] = moving


def unite(parents: int32_t[::1], lefts: cython.const[int32_t][::1], rights: cython.const[int32_t][::1]):
    i: cython.Py_ssize_t
    one: int32_t
    two: int32_t
    with cython.nogil:
        for i in range(lefts.shape[0]):
            one = _root(cython.address(parents[0]), lefts[i])
            two = _root(cython.address(parents[0]), rights[i])
            parents[max(one, two)] = min(one, two)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _root(parents: cython.pointer[int32_t], one: int32_t) -> int32_t:
    while parents[one] != one:
        parents[one] = parents[parents[one]]
        one = parents[one]
    return one
