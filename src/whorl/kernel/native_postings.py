"""Columns of postings, compiled. Specification: ``tests/kernel/specification/postings.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import qsort

# Postings are dealt out by the first bits of their hashes into heaps that fit into a core's cache, and each of those by
# the next bits into heaps of 4 to 8, which are sorted by insertion. One of more than MANY that is not in order as it
# is, because its hash is common, is sorted by comparing.
HEAP_BITS = cython.declare(cython.int, 13)
FEW_BITS = cython.declare(cython.int, 3)
MANY = cython.declare(int64_t, 64)
LAST = cython.declare(uint64_t, 0xFFFFFFFF)

_POSTING = np.dtype([("hash", "<u8"), ("document", "<u4"), ("place", "<u4")])

Posting = cython.struct(hash=uint64_t, document=uint32_t, place=uint32_t)
posting_t = cython.typedef(cython.pointer[Posting])


def post(
    hashes: cython.const[uint64_t][::1],
    bounds: cython.const[int64_t][::1],
    chosen: cython.const[uint8_t][::1],
    first: uint32_t,
):
    i: int64_t
    at: int64_t = 0
    for i in range(chosen.shape[0]):
        at += (bounds[i + 1] - bounds[i]) * (chosen[i] != 0)
    values, documents = np.empty(at, np.uint64), np.empty(at, np.uint32)
    value: uint64_t[::1] = values
    document: uint32_t[::1] = documents
    j: int64_t
    at = 0
    with cython.nogil:
        for i in range(chosen.shape[0]):
            if chosen[i]:
                for j in range(bounds[i], bounds[i + 1]):
                    value[at], document[at] = hashes[j], first + cython.cast(uint32_t, i)
                    at += 1
    return values, documents


def deal(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    places: cython.const[uint32_t][::1],
):
    count: int64_t = hashes.shape[0]
    if documents.shape[0] != count or places.shape[0] != count:
        raise ValueError("columns have different lengths")
    bits: cython.int = max(0, count.bit_length() - HEAP_BITS)
    rows = np.empty(count, _POSTING)
    bounds = np.zeros((1 << bits) + 1, np.int64)
    row: Posting[::1] = rows
    ends: int64_t[::1] = bounds
    i: int64_t
    at: int64_t
    with cython.nogil:
        for i in range(count):
            ends[_first(hashes[i], bits) + 1] += 1
        for i in range(ends.shape[0] - 1):
            ends[i + 1] += ends[i]
        for i in range(count):
            at = ends[_first(hashes[i], bits)]
            ends[_first(hashes[i], bits)] += 1
            row[at].hash, row[at].document, row[at].place = hashes[i], documents[i], places[i]
    # Each of them has become the end of its heap.
    starts = np.roll(bounds, 1)
    starts[0] = 0
    return rows, starts


def settle(
    rows: Posting[::1],
    bounds: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    hashes: uint64_t[::1],
    documents: uint32_t[::1],
    places: uint32_t[::1],
):
    bits: cython.int = (bounds.shape[0] - 1).bit_length() - 1
    largest: int64_t = 1
    i: int64_t
    j: int64_t
    for i in range(first, last):
        largest = max(largest, bounds[i + 1] - bounds[i])
    scratch: Posting[::1] = np.empty(largest, _POSTING)
    ends: int64_t[::1] = np.empty((1 << max(0, largest.bit_length() - FEW_BITS)) + 1, np.int64)
    with cython.nogil:
        for i in range(first, last):
            if bounds[i] == bounds[i + 1]:
                continue
            _settle(
                cython.address(rows[bounds[i]]), bounds[i + 1] - bounds[i], bits,
                cython.address(scratch[0]), cython.address(ends[0]),
            )  # fmt: skip
            for j in range(bounds[i + 1] - bounds[i]):
                hashes[bounds[i] + j] = scratch[j].hash
                documents[bounds[i] + j] = scratch[j].document
                places[bounds[i] + j] = scratch[j].place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _settle(
    rows: posting_t, count: int64_t, behind: cython.int, out: posting_t, ends: cython.pointer[int64_t]
) -> cython.void:
    """Sorts a heap, whose hashes agree in so many bits."""
    bits: cython.int = 0
    i: int64_t
    at: int64_t
    start: int64_t = 0
    while count >> (bits + FEW_BITS):
        bits += 1
    for i in range((cython.cast(int64_t, 1) << bits) + 1):
        ends[i] = 0
    for i in range(count):
        ends[_first(rows[i].hash << behind, bits) + 1] += 1
    for i in range(cython.cast(int64_t, 1) << bits):
        ends[i + 1] += ends[i]
    for i in range(count):
        at = ends[_first(rows[i].hash << behind, bits)]
        ends[_first(rows[i].hash << behind, bits)] += 1
        out[at] = rows[i]
    for i in range(cython.cast(int64_t, 1) << bits):
        if ends[i] - start <= MANY:
            _insert(out + start, ends[i] - start)
        elif not _is_in_order(out + start, ends[i] - start):
            qsort(out + start, ends[i] - start, cython.sizeof(Posting), _compare)
        start = ends[i]


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _first(one: uint64_t, bits: cython.int) -> uint64_t:
    """Return the first bits of a hash."""
    return one >> (64 - bits) if bits else 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _is_after(one: cython.pointer[cython.const[Posting]], two: cython.pointer[cython.const[Posting]]) -> cython.bint:
    if one.hash != two.hash:
        return one.hash > two.hash
    return one.document > two.document or (one.document == two.document and one.place > two.place)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compare(
    one: cython.pointer[cython.const[cython.void]], two: cython.pointer[cython.const[cython.void]]
) -> cython.int:
    left = cython.cast(cython.pointer[cython.const[Posting]], one)
    right = cython.cast(cython.pointer[cython.const[Posting]], two)
    return _is_after(left, right) - _is_after(right, left)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_in_order(rows: posting_t, count: int64_t) -> cython.bint:
    i: int64_t
    for i in range(1, count):
        if _is_after(rows + i - 1, rows + i):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _insert(rows: posting_t, count: int64_t) -> cython.void:
    """Sort a few postings by insertion."""
    i: int64_t
    j: int64_t
    moving: Posting
    for i in range(1, count):
        moving = rows[i]
        j = i
        while j > 0 and _is_after(rows + j - 1, cython.address(moving)):
            rows[j] = rows[j - 1]
            j -= 1
        rows[j] = moving


def merge(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    places: cython.const[uint32_t][::1],
    more_hashes: cython.const[uint64_t][::1],
    more_documents: cython.const[uint32_t][::1],
    more_places: cython.const[uint32_t][::1],
):
    total: cython.Py_ssize_t = hashes.shape[0] + more_hashes.shape[0]
    merged_hashes = np.empty(total, np.uint64)
    merged_documents = np.empty(total, np.uint32)
    merged_places = np.empty(total, np.uint32)
    out_hashes: uint64_t[::1] = merged_hashes
    out_documents: uint32_t[::1] = merged_documents
    out_places: uint32_t[::1] = merged_places
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    take: cython.bint
    with cython.nogil:
        for at in range(total):
            if i == hashes.shape[0] or j == more_hashes.shape[0]:
                take = i < hashes.shape[0]
            elif hashes[i] != more_hashes[j]:
                take = hashes[i] < more_hashes[j]
            elif documents[i] != more_documents[j]:
                take = documents[i] < more_documents[j]
            else:
                take = places[i] <= more_places[j]
            if take:
                out_hashes[at] = hashes[i]
                out_documents[at] = documents[i]
                out_places[at] = places[i]
                i += 1
            else:
                out_hashes[at] = more_hashes[j]
                out_documents[at] = more_documents[j]
                out_places[at] = more_places[j]
                j += 1
    return merged_hashes, merged_documents, merged_places


def keep(documents: cython.const[uint32_t][::1], dropped: cython.const[uint32_t][::1]):
    mask = np.ones(documents.shape[0], np.bool_)
    out: cython.char[::1] = mask.view(np.int8)
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    with cython.nogil:
        for i in range(documents.shape[0]):
            low = 0
            high = dropped.shape[0]
            while low < high:
                middle = (low + high) >> 1
                if dropped[middle] < documents[i]:
                    low = middle + 1
                else:
                    high = middle
            out[i] = low == dropped.shape[0] or dropped[low] != documents[i]
    return mask


def greedy_cover(bounds: cython.const[int64_t][::1], places: cython.const[int64_t][::1], count: cython.Py_ssize_t):
    # A heap of gains gives the best document, of equal ones the first; one whose gain has shrunk meanwhile goes back.
    documents: cython.Py_ssize_t = bounds.shape[0] - 1
    chosen = np.empty(documents, np.int64)
    heap: uint64_t[::1] = np.empty(documents + 1, np.uint64)
    covered: uint8_t[::1] = np.zeros(count + 1, np.uint8)
    out: int64_t[::1] = chosen
    size: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t
    at: cython.Py_ssize_t
    i: int64_t
    gain: int64_t
    with cython.nogil:
        for number in range(documents):
            heap[number] = _ranked(bounds[number + 1] - bounds[number], number)
        for number in range(documents // 2 - 1, -1, -1):
            _sift(heap, number, documents)
        at = documents
        while at:
            number = LAST - (heap[0] & LAST)
            gain = 0
            for i in range(bounds[number], bounds[number + 1]):
                gain += covered[places[i]] == 0
            if gain and gain == cython.cast(int64_t, heap[0] >> 32):
                for i in range(bounds[number], bounds[number + 1]):
                    covered[places[i]] = 1
                out[size] = number
                size += 1
                gain = 0
            if gain:
                heap[0] = _ranked(gain, number)
            else:
                at -= 1
                heap[0] = heap[at]
            _sift(heap, 0, at)
    return chosen[:size].copy()


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _ranked(gain: int64_t, number: int64_t) -> uint64_t:
    return (cython.cast(uint64_t, gain) << 32) | (LAST - cython.cast(uint64_t, number))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sift(heap: uint64_t[::1], at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.void:
    child: cython.Py_ssize_t = 2 * at + 1
    moved: uint64_t
    while child < size:
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[at] >= heap[child]:
            return
        moved = heap[at]
        heap[at] = heap[child]
        heap[child] = moved
        at = child
        child = 2 * at + 1
