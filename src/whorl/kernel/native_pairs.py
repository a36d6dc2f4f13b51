"""Pairs of documents that share shingles, compiled. Specification: ``twin_pairs``."""

import cython
import numpy as np

if not cython.compiled:
    raise ImportError("whorl.kernel.native_pairs is not compiled")

from cython.cimports.libc.stdint import int64_t, uint32_t, uint64_t


def expand(hashes: cython.const[uint64_t][::1], documents: cython.const[uint32_t][::1], most: int64_t):
    size: int64_t
    common: int64_t = 0
    with cython.nogil:
        size = _size(hashes, most)
    pairs = np.empty(size, np.uint64)
    out: uint64_t[::1] = pairs
    n: int64_t = hashes.shape[0]
    start: int64_t = 0
    end: int64_t
    at: int64_t = 0
    i: int64_t
    j: int64_t
    left: uint64_t
    with cython.nogil:
        while start < n:
            end = start + 1
            while end < n and hashes[end] == hashes[start]:
                end += 1
            if end - start > most:
                common += 1
            else:
                for i in range(start, end - 1):
                    left = cython.cast(uint64_t, documents[i]) << 32
                    for j in range(i + 1, end):
                        out[at] = left | documents[j]
                        at += 1
            start = end
    return pairs, common


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _size(hashes: cython.const[uint64_t][::1], most: int64_t) -> int64_t:
    """How many pairs there will be."""
    n: int64_t = hashes.shape[0]
    start: int64_t = 0
    end: int64_t
    size: int64_t = 0
    while start < n:
        end = start + 1
        while end < n and hashes[end] == hashes[start]:
            end += 1
        if end - start <= most:
            size += (end - start) * (end - start - 1) // 2
        start = end
    return size


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


def shared(
    hashes: cython.const[uint64_t][::1],
    bounds: cython.const[int64_t][::1],
    lefts: cython.const[int64_t][::1],
    rights: cython.const[int64_t][::1],
):
    counts = np.empty(lefts.shape[0], np.int64)
    out: int64_t[::1] = counts
    pair: int64_t
    i: int64_t
    j: int64_t
    last: int64_t
    end: int64_t
    found: int64_t
    with cython.nogil:
        for pair in range(lefts.shape[0]):
            i = bounds[lefts[pair]]
            last = bounds[lefts[pair] + 1]
            j = bounds[rights[pair]]
            end = bounds[rights[pair] + 1]
            found = 0
            while i < last and j < end:
                if hashes[i] < hashes[j]:
                    i += 1
                elif hashes[i] > hashes[j]:
                    j += 1
                else:
                    found += 1
                    i += 1
                    j += 1
            out[pair] = found
    return counts
