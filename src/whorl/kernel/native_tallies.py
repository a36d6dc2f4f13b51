"""Pairs of documents counted, compiled. Specification: ``tests/kernel/specification/tallies.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy, memset

# Greater than the numbers of any two documents.
MOST = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)


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
    works = np.zeros(count + 1, np.int64)
    end: int64_t[::1] = ends
    bound: int64_t[::1] = bounds
    work: int64_t[::1] = works
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
                work[documents[at] + 1] += stop - at - 1
            start = stop
        for at in range(count):
            bound[at + 1] += bound[at]
            work[at + 1] += work[at]
    order = np.empty(bounds[count], np.int64)
    _order(documents, end, bounds[:count].copy(), order)
    return ends, order, bounds, works, _common(hashes, most, large)


@cython.cfunc
def _order(documents: cython.const[uint32_t][::1], end: int64_t[::1], starts: int64_t[::1], order: int64_t[::1]):
    """Write the positions of the postings that make pairs, by document, into ``order``."""
    at: int64_t
    with cython.nogil:
        for at in range(documents.shape[0]):
            if end[at] > at + 1:
                order[starts[documents[at]]] = at
                starts[documents[at]] += 1


@cython.cfunc
def _common(hashes: cython.const[uint64_t][::1], most: int64_t, large: int64_t):
    """Return the ``large`` hashes that more than ``most`` documents have."""
    common = np.empty(large, np.uint64)
    out: uint64_t[::1] = common
    start: int64_t = 0
    at: int64_t
    large = 0
    for at in range(1, hashes.shape[0] + 1 if out.shape[0] else 0):
        if at == hashes.shape[0] or hashes[at] != hashes[start]:
            if at - start > most:
                out[large] = hashes[start]
                large += 1
            start = at
    return common


def tally(
    documents: cython.const[uint32_t][::1],
    ends: cython.const[int64_t][::1],
    order: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    works: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
):
    count: int64_t = bounds.shape[0] - 1
    # Each makes one pair at the most, and a document has no more pairs than there are documents.
    rows = np.empty((min(works[last] - works[first], (last - first) * count), 3), np.uint32)
    row: uint32_t[:, ::1] = rows
    totals: uint32_t[::1] = np.zeros(count, np.uint32)
    met: uint32_t[::1] = np.empty(count, np.uint32)
    scratch: uint32_t[::1] = np.empty(count, np.uint32)
    met_count: int64_t
    at: int64_t = 0
    i: int64_t
    j: int64_t
    left: int64_t
    right: uint32_t
    with cython.nogil:
        for left in range(first, last):
            met_count = 0
            for i in range(bounds[left], bounds[left + 1]):
                for j in range(order[i] + 1, ends[order[i]]):
                    right = documents[j]
                    met[met_count] = right
                    met_count += totals[right] == 0
                    totals[right] += 1
            if met_count > 1:
                _ascend(cython.address(met[0]), met_count, cython.address(scratch[0]), count)
            for i in range(met_count):
                row[at, 0], row[at, 1], row[at, 2] = met[i], cython.cast(uint32_t, left), totals[met[i]]
                totals[met[i]] = 0
                at += 1
    return rows[:at]


# No more numbers than this are sorted by insertion: counting 256 bytes twice would cost more.
FEW = cython.declare(int64_t, 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ascend(
    numbers: cython.pointer[uint32_t], n: int64_t, scratch: cython.pointer[uint32_t], count: int64_t
) -> cython.void:
    """Sorts different numbers below ``count``: a byte at a time from the last one on, as many as ``count`` has."""
    i: int64_t
    j: int64_t
    value: uint32_t
    if n <= FEW:
        for i in range(1, n):
            value = numbers[i]
            j = i
            while j > 0 and numbers[j - 1] > value:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = value
        return
    places = cython.declare(uint32_t[257])
    shift: cython.int = 0
    while shift < 32 and (count - 1) >> shift:
        memset(places, 0, cython.sizeof(places))
        for i in range(n):
            places[((numbers[i] >> shift) & 255) + 1] += 1
        for i in range(255):
            places[i + 1] += places[i]
        for i in range(n):
            scratch[places[(numbers[i] >> shift) & 255]] = numbers[i]
            places[(numbers[i] >> shift) & 255] += 1
        memcpy(numbers, scratch, n * cython.sizeof(uint32_t))
        shift += 8


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


def merge(rows: uint32_t[:, ::1], bounds: cython.const[int64_t][::1]):
    spare: uint32_t[:, ::1] = np.empty((rows.shape[0], 3), np.uint32)
    ends: int64_t[::1] = np.array(bounds)
    runs: int64_t = bounds.shape[0] - 1
    run: int64_t
    start: int64_t
    at: int64_t
    # Two runs become one, until one is left.
    while runs > 1:
        with cython.nogil:
            at = 0
            start = 0
            for run in range(0, runs, 2):
                at = _merge(rows, start, ends[run + 1], ends[min(run + 2, runs)], spare, at)
                start = ends[min(run + 2, runs)]
                ends[run // 2 + 1] = at
        runs = (runs + 1) // 2
        rows, spare = spare, rows
    return np.asarray(rows)[: ends[runs]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge(
    rows: uint32_t[:, ::1], start: int64_t, middle: int64_t, end: int64_t, out: uint32_t[:, ::1], at: int64_t
) -> int64_t:
    """Two runs, one after the other, become one, without branches: which comes first cannot be foretold. Where it
    ends."""
    one: int64_t = start
    two: int64_t = middle
    left: uint64_t
    right: uint64_t
    while one < middle and two < end:
        left = cython.cast(uint64_t, rows[one, 1]) << 32 | rows[one, 0]
        right = cython.cast(uint64_t, rows[two, 1]) << 32 | rows[two, 0]
        out[at, 0] = cython.cast(uint32_t, min(left, right))
        out[at, 1] = cython.cast(uint32_t, min(left, right) >> 32)
        out[at, 2] = (left <= right) * rows[one, 2] + (right <= left) * rows[two, 2]
        one += left <= right
        two += right <= left
        at += 1
    if one < middle:
        memcpy(cython.address(out[at, 0]), cython.address(rows[one, 0]), (middle - one) * 12)
    elif two < end:
        memcpy(cython.address(out[at, 0]), cython.address(rows[two, 0]), (end - two) * 12)
    return at + middle - one + end - two


def fuse(
    bounds: cython.const[int64_t][::1],
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    weights: cython.const[cython.double][::1],
    counts: cython.const[int32_t][::1],
    totals: cython.const[cython.double][:, ::1],
    has_normal: cython.const[uint8_t][::1],
    statements: cython.const[int64_t][:, ::1],
    prior: cython.double,
    lowest: cython.double,
):
    room: cython.Py_ssize_t = lefts.shape[0]
    numbers = np.empty((4, room), np.int32)
    measures = np.empty((2, room), np.float64)
    out: int32_t[:, ::1] = numbers
    fused: cython.double[:, ::1] = measures
    at: int64_t[::1] = np.array(bounds[:4])
    shared = cython.declare(int32_t[4])
    similarity = cython.declare(cython.double[4])
    containment = cython.declare(cython.double[4])
    shares = cython.declare(cython.double[2])
    count: cython.Py_ssize_t = 0
    stream: cython.Py_ssize_t
    i: cython.Py_ssize_t
    pair: int64_t
    one: int64_t
    two: int64_t
    fewer: int64_t
    with cython.nogil:
        while True:
            pair = _next(bounds, at, lefts, rights)
            if pair == MOST:
                break
            one, two = pair >> 32, pair & 0x7FFFFFFF
            for stream in range(4):
                shared[stream], similarity[stream], containment[stream] = 0, 0, 0
                i = at[stream]
                if i < bounds[stream + 1] and lefts[i] == one and rights[i] == two:
                    similarity[stream] = min(1.0, weights[i] / (totals[stream, one] + totals[stream, two] - weights[i]))
                    containment[stream] = min(1.0, weights[i] / min(totals[stream, one], totals[stream, two]))
                    shared[stream] = counts[i]
                    at[stream] += 1
            out[0, count], out[1, count] = cython.cast(int32_t, one), cython.cast(int32_t, two)
            out[2, count] = out[3, count] = shared[0]
            if has_normal[one] and has_normal[two]:
                for i in range(2):
                    fewer = min(statements[i, one], statements[i, two])
                    shares[i] = fewer / (fewer + prior)
                fused[0, count] = _mean(similarity, shares, lowest)
                fused[1, count] = _mean(containment, shares, lowest)
                for stream in range(1, 4):
                    out[2, count] = max(out[2, count], shared[stream])
            else:
                fused[0, count], fused[1, count] = similarity[0], containment[0]
            count += out[2, count] > 0
    return (
        numbers[0, :count], numbers[1, :count], measures[0, :count], measures[1, :count], numbers[2, :count],
        numbers[3, :count],
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _next(
    bounds: cython.const[int64_t][::1],
    at: int64_t[::1],
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
) -> int64_t:
    """Returns the least of the pairs that streams have reached, as one number; ``MOST`` at the end of all."""
    pair: int64_t = MOST
    stream: cython.Py_ssize_t
    for stream in range(4):
        if at[stream] < bounds[stream + 1]:
            pair = min(pair, cython.cast(int64_t, lefts[at[stream]]) << 32 | rights[at[stream]])
    return pair


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mean(
    values: cython.pointer[cython.double], shares: cython.pointer[cython.double], lowest: cython.double
) -> cython.double:
    """Returns the mean of three, in which the lowest has less weight: two values, and the greater one of two others
    that are blended with the second."""
    one: cython.double = shares[0] * values[2] + (1 - shares[0]) * values[1]
    two: cython.double = shares[1] * values[3] + (1 - shares[1]) * values[1]
    blended: cython.double = max(one, two)
    least: cython.double = min(min(values[0], values[1]), blended)
    return (values[0] + values[1] + blended - (1 - lowest) * least) / (2 + lowest)
