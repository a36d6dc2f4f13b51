"""Shingles of many documents, also from a file, compiled. Specification: ``tests/kernel/specification/shingles.py``."""

import os
from errno import EIO

import cython
import numpy as np
from cython.cimports.libc.errno import errno
from cython.cimports.libc.stdint import int32_t, int64_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.posix.unistd import pread
from cython.cimports.whorl.kernel.headers import (
    WHORL_TOGETHER,
    whorl_identities_wide,
    whorl_identity_bytes,
    whorl_identity_words,
)

# A bucket with no more values than this is sorted by insertion: counting would cost more.
FEW = cython.declare(int64_t, 24)

# Bits of a value that choose its bucket, at the most: 4,096 counts fill half of a core's first cache.
WIDEST = cython.declare(cython.int, 12)

# Counts of all levels of sorting together: their bits are 64 in all, at most 12 at a time.
COUNTS = cython.declare(int64_t, 6 * ((1 << 12) + 1))


def values(
    symbols: cython.const[uint64_t][::1],
    bounds: cython.const[int64_t][::1],
    k: int64_t,
    keys: cython.const[uint32_t][::1],
    closing: cython.const[uint64_t][::1],
    turn: cython.const[uint64_t][::1],
):
    i: int64_t
    at: int64_t
    length: int64_t
    size: int64_t = 0
    longest: int64_t = 0
    for i in range(bounds.shape[0] - 1):
        length = bounds[i + 1] - bounds[i]
        size += max(0, length - k + 1)
        longest = max(longest, length)
    result = np.empty(size, np.uint64)
    out: uint64_t[::1] = result
    # Grams are hashed several at a time, so the last of them look at symbols that are not there.
    low: uint32_t[::1] = np.zeros(longest + k + WHORL_TOGETHER, np.uint32)
    high: uint32_t[::1] = np.zeros(longest + k + WHORL_TOGETHER, np.uint32)
    value: uint64_t
    size = 0
    with cython.nogil:
        for i in range(bounds.shape[0] - 1):
            length = bounds[i + 1] - bounds[i]
            if length < k:
                continue
            for at in range(length):
                low[at] = cython.cast(uint32_t, symbols[bounds[i] + at])
                high[at] = symbols[bounds[i] + at] >> 32
            whorl_identities_wide(
                cython.address(low[0]),
                cython.address(high[0]),
                length - k + 1,
                k,
                cython.address(keys[0]),
                cython.address(closing[8]),
                cython.address(out[size]),
            )
            _correct(low, high, length, k, keys, closing, cython.address(out[size]))
            size += length - k + 1
        for at in range(size):
            value = (out[at] + turn[0]) * turn[1]
            value = (value ^ (value >> 32)) * turn[2]
            out[at] = value ^ (value >> 32)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _correct(
    low: uint32_t[::1],
    high: uint32_t[::1],
    length: int64_t,
    k: int64_t,
    keys: cython.const[uint32_t][::1],
    closing: cython.const[uint64_t][::1],
    out: cython.pointer[uint64_t],
) -> cython.void:
    """Gives k-grams whose symbols all fit into 32 bits, or into 8, the identity that they have in any width."""
    at: int64_t
    j: int64_t
    narrow: int64_t = 0  # symbols without a higher half, up to here
    widest: uint32_t
    octets = cython.cast(cython.p_uchar, cython.address(high[length]))
    for at in range(length):
        narrow = narrow + 1 if high[at] == 0 else 0
        if narrow < k:
            continue
        widest = 0
        for j in range(at - k + 1, at + 1):
            widest |= low[j]
        if widest >> 8:
            out[at - k + 1] = whorl_identity_words(
                cython.address(low[at - k + 1]), k, cython.address(keys[0]), cython.address(closing[4])
            )
            continue
        for j in range(k):
            octets[j] = cython.cast(cython.uchar, low[at - k + 1 + j])
        out[at - k + 1] = whorl_identity_bytes(octets, k, cython.address(keys[0]), cython.address(closing[0]))


def distinct(values: cython.const[uint64_t][::1], bounds: cython.const[int64_t][::1]):
    documents: int64_t = bounds.shape[0] - 1
    longest: int64_t = 1
    i: int64_t
    at: int64_t
    size: int64_t
    count: int64_t = 0
    for i in range(documents):
        longest = max(longest, bounds[i + 1] - bounds[i])
    result = np.empty(values.shape[0], np.uint64)
    ends = np.zeros(documents + 1, np.int64)
    out: uint64_t[::1] = result
    end: int64_t[::1] = ends
    scratch: uint64_t[::1] = np.empty(longest, np.uint64)
    counts: int64_t[::1] = np.empty(COUNTS, np.int64)
    row: cython.pointer[uint64_t]
    with cython.nogil:
        for i in range(documents):
            size = bounds[i + 1] - bounds[i]
            if size:
                # What is kept of the documents before never reaches beyond where this one began.
                row = cython.address(out[bounds[i]])
                _sort(
                    cython.address(values[bounds[i]]),
                    row,
                    size,
                    64,
                    cython.address(scratch[0]),
                    cython.address(counts[0]),
                )
                _insert(row, size)
                out[count] = row[0]
                for at in range(1, size):
                    # What is equal to the last one that is kept is written over.
                    count += row[at] != out[count]
                    out[count] = row[at]
                count += 1
            end[i + 1] = count
    return result[:count], ends


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(
    row: cython.pointer[cython.const[uint64_t]],
    out: cython.pointer[uint64_t],
    n: int64_t,
    bits: cython.int,
    scratch: cython.pointer[uint64_t],
    ends: cython.pointer[int64_t],
) -> cython.void:
    """Puts values that differ in their last ``bits`` at most into buckets by the first of these bits, and so on for
    buckets that hold many. Hashes leave a value or two in a bucket; others are looked at until no bits are left."""
    width: cython.int = 1
    while width < WIDEST and width < bits and (cython.cast(int64_t, 1) << width) < n:
        width += 1
    shift: cython.int = bits - width
    buckets: int64_t = cython.cast(int64_t, 1) << width
    mask: uint64_t = buckets - 1
    i: int64_t
    bucket: uint64_t
    memset(ends, 0, cython.sizeof(int64_t) * (buckets + 1))
    for i in range(n):
        ends[((row[i] >> shift) & mask) + 1] += 1
    for i in range(buckets):
        ends[i + 1] += ends[i]
    for i in range(n):
        bucket = (row[i] >> shift) & mask
        out[ends[bucket]] = row[i]
        ends[bucket] += 1
    first: int64_t = 0
    for i in range(buckets):
        if ends[i] - first > FEW and shift:
            memcpy(scratch, out + first, (ends[i] - first) * 8)
            _sort(scratch, out + first, ends[i] - first, shift, scratch, ends + buckets + 1)
        first = ends[i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _insert(row: cython.pointer[uint64_t], n: int64_t) -> cython.void:
    """Sorts values that are near their places."""
    i: int64_t
    j: int64_t
    value: uint64_t
    for i in range(1, n):
        value = row[i]
        j = i
        while j > 0 and row[j - 1] > value:
            row[j] = row[j - 1]
            j -= 1
        row[j] = value


def sample(values: cython.const[uint64_t][::1], bounds: cython.const[int64_t][::1], modulus: uint64_t, least: int64_t):
    documents: int64_t = bounds.shape[0] - 1
    i: int64_t
    at: int64_t
    count: int64_t
    total: int64_t = 0
    mask: uint64_t
    ends = np.zeros(documents + 1, np.int64)
    moduli = np.empty(documents, np.int32)
    end: int64_t[::1] = ends
    m: int32_t[::1] = moduli
    with cython.nogil:
        for i in range(documents):
            mask = modulus - 1
            while True:
                count = 0
                for at in range(bounds[i], bounds[i + 1]):
                    count += (values[at] & mask) == 0
                if count >= least or mask == 0:
                    break
                mask >>= 1
            m[i] = cython.cast(int32_t, mask + 1)
            total += count
            end[i + 1] = total
    sampled = np.empty(total, np.uint64)
    out: uint64_t[::1] = sampled
    total = 0
    with cython.nogil:
        for i in range(documents):
            mask = cython.cast(uint64_t, m[i]) - 1
            for at in range(bounds[i], bounds[i + 1]):
                if (values[at] & mask) == 0:
                    out[total] = values[at]
                    total += 1
    return sampled, ends, moduli


def levels(values: cython.const[uint64_t][::1], bounds: cython.const[int64_t][::1], count: int64_t):
    documents: int64_t = bounds.shape[0] - 1
    result = np.zeros((documents, count), np.int32)
    out: int32_t[:, ::1] = result
    i: int64_t
    at: int64_t
    level: int64_t
    value: uint64_t
    with cython.nogil:
        for i in range(documents):
            for at in range(bounds[i], bounds[i + 1]):
                value = values[at]
                level = 0
                while level < count - 1 and not value & 1:
                    value >>= 1
                    level += 1
                out[i, level] += 1
            for level in range(count - 2, -1, -1):
                out[i, level] += out[i, level + 1]
    return result


# The wanted values are listed by so many of their first bits.
FIRST = cython.declare(cython.int, 16)


def among(values: cython.const[uint64_t][::1], wanted: cython.const[uint64_t][::1]):
    n: int64_t = values.shape[0]
    starts: int64_t[::1] = np.zeros((1 << FIRST) + 1, np.int64)
    result = np.empty(n, np.int64)
    out: int64_t[::1] = result
    count: int64_t = 0
    i: int64_t
    at: int64_t
    first: int64_t
    with cython.nogil:
        for i in range(wanted.shape[0]):
            starts[(wanted[i] >> (64 - FIRST)) + 1] += 1
        for i in range(starts.shape[0] - 1):
            starts[i + 1] += starts[i]
        for i in range(n):
            first = values[i] >> (64 - FIRST)
            for at in range(starts[first], starts[first + 1]):
                if wanted[at] == values[i]:
                    out[count] = i
                    count += 1
                    break
    return result[:count].copy()


def tally(values: cython.const[uint64_t][::1], cells: uint32_t[::1]):
    last: uint64_t = cells.shape[0] - 1
    i: int64_t
    with cython.nogil:
        for i in range(values.shape[0]):
            cells[values[i] & last] += 1


def above(values: cython.const[uint64_t][::1], cells: cython.const[uint32_t][::1], most: int64_t):
    last: uint64_t = cells.shape[0] - 1
    result = np.empty(values.shape[0], np.uint64)
    out: uint64_t[::1] = result
    count: int64_t = 0
    i: int64_t
    with cython.nogil:
        for i in range(values.shape[0]):
            if cells[values[i] & last] > most:
                out[count] = values[i]
                count += 1
    return result[:count].copy()


def minima(
    values: cython.const[uint64_t][::1], bounds: cython.const[int64_t][::1], donors: cython.const[int64_t][:, ::1]
):
    bins: int64_t = donors.shape[0]
    i: int64_t
    at: int64_t
    count: int64_t = 0
    for i in range(bounds.shape[0] - 1):
        count += bounds[i + 1] > bounds[i]
    result = np.empty(count * bins, np.uint64)
    out: uint64_t[::1] = result
    least: int64_t[::1] = np.empty(bins, np.int64)
    place: int64_t
    count = 0
    with cython.nogil:
        for i in range(bounds.shape[0] - 1):
            if bounds[i + 1] == bounds[i]:
                continue
            memset(cython.address(least[0]), 0xFF, bins * cython.sizeof(int64_t))  # -1: nothing yet
            for at in range(bounds[i + 1] - 1, bounds[i] - 1, -1):
                least[_bin(values[at], bins)] = at
            for place in range(bins):
                out[count] = values[_lent(least, donors, place, bounds[i])]
                count += 1
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _bin(value: uint64_t, bins: uint64_t) -> uint64_t:
    """value * bins >> 64, for fewer than 2^32 bins."""
    low: uint64_t = cython.cast(uint64_t, cython.cast(uint32_t, value)) * bins
    return ((value >> 32) * bins + (low >> 32)) >> 32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lent(least: int64_t[::1], donors: cython.const[int64_t][:, ::1], place: int64_t, first: int64_t) -> int64_t:
    """Return the bin that a bin takes its value from: itself, or the first donor that has one, or the first of all."""
    j: int64_t
    if least[place] >= 0:
        return least[place]
    for j in range(donors.shape[1]):
        if least[donors[place, j]] >= 0:
            return least[donors[place, j]]
    return first


# As in ``TURNS`` of the specification.
TURN_A = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
TURN_B = cython.declare(uint64_t, 0x6A09E667F3BCC909)
TURN_C = cython.declare(uint64_t, 0xBB67AE8584CAA73B)


def digests(values: cython.const[uint64_t][::1], bounds: cython.const[int64_t][::1]):
    documents: int64_t = bounds.shape[0] - 1
    result = np.zeros((documents, 2), np.uint64)
    out: uint64_t[:, ::1] = result
    i: int64_t
    with cython.nogil:
        for i in range(documents):
            if bounds[i + 1] > bounds[i]:
                _digest(cython.address(values[bounds[i]]), bounds[i + 1] - bounds[i], cython.address(out[i, 0]))
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _stirred(state: uint64_t, value: uint64_t, turn: uint64_t) -> uint64_t:
    state = (state ^ value) * turn
    return state ^ state >> 32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digest(row: cython.pointer[cython.const[uint64_t]], n: int64_t, out: cython.pointer[uint64_t]) -> cython.void:
    a: uint64_t = n
    b: uint64_t = n + 1
    c: uint64_t = n + 2
    d: uint64_t = n + 3
    at: int64_t = 0
    while at + 4 <= n:
        a = _stirred(a, row[at], TURN_A)
        b = _stirred(b, row[at + 1], TURN_A)
        c = _stirred(c, row[at + 2], TURN_A)
        d = _stirred(d, row[at + 3], TURN_A)
        at += 4
    if at < n:
        a = _stirred(a, row[at], TURN_A)
    if at + 1 < n:
        b = _stirred(b, row[at + 1], TURN_A)
    if at + 2 < n:
        c = _stirred(c, row[at + 2], TURN_A)
    out[0] = _stirred(_stirred(_stirred(_stirred(n, a, TURN_B), b, TURN_B), c, TURN_B), d, TURN_B)
    out[1] = _stirred(_stirred(_stirred(_stirred(n, d, TURN_C), c, TURN_C), b, TURN_C), a, TURN_C)


def gather(descriptor: cython.int, starts: cython.const[int64_t][::1], bounds: cython.const[int64_t][::1]):
    hashes = np.empty(bounds[bounds.shape[0] - 1], np.uint64)
    out: uint64_t[::1] = hashes
    failed: cython.int = 0
    got: int64_t = 1
    i: int64_t
    at: int64_t
    end: int64_t
    place: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            at, end, place = 8 * bounds[i], 8 * bounds[i + 1], 8 * starts[i]
            while at < end and got > 0:
                got = pread(descriptor, cython.cast(cython.p_char, cython.address(out[0])) + at, end - at, place)
                at += got
                place += got
            if got <= 0:
                failed = errno
                break
    if got < 0:
        raise OSError(failed, os.strerror(failed))
    if got == 0:
        raise OSError(EIO, "the file ends before the hashes do")
    return hashes
