"""Common parts of documents, compiled. Specification: ``tests/kernel/specification/matching.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.whorl.kernel.headers import symbol_t

MANY = cython.declare(int64_t, 1024)
# Slots of a filter per k-gram of the shorter side, as a power of two: one in 16 to 32 k-grams of only the longer side
# passes.
SPARE = cython.declare(cython.int, 4)
ORIGIN = cython.declare(int64_t, 1 << 31)
LOW = cython.declare(uint64_t, 0xFFFFFFFF)


def seeds(
    left_hashes: cython.const[uint64_t][::1],
    left_places: cython.const[int32_t][::1],
    right_hashes: cython.const[uint64_t][::1],
    right_places: cython.const[int32_t][::1],
):
    count: cython.Py_ssize_t
    with cython.nogil:
        count = _join(left_hashes, left_places, right_hashes, right_places, cython.NULL)
    keys = np.empty(count, np.uint64)
    out: uint64_t[::1] = keys
    if count:
        with cython.nogil:
            _join(left_hashes, left_places, right_hashes, right_places, cython.address(out[0]))
        keys.sort()
    return keys


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join(
    left_hashes: cython.const[uint64_t][::1],
    left_places: cython.const[int32_t][::1],
    right_hashes: cython.const[uint64_t][::1],
    right_places: cython.const[int32_t][::1],
    out: cython.pointer[uint64_t],
) -> cython.Py_ssize_t:
    """Merge both sides; write the keys, or, without a place to write to, count them."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    lefts: cython.Py_ssize_t
    rights: cython.Py_ssize_t
    while i < left_hashes.shape[0] and j < right_hashes.shape[0]:
        if left_hashes[i] < right_hashes[j]:
            i = _skip(left_hashes, i, right_hashes[j])
        elif left_hashes[i] > right_hashes[j]:
            j = _skip(right_hashes, j, left_hashes[i])
        else:
            lefts = _run(left_hashes, i)
            rights = _run(right_hashes, j)
            if out == cython.NULL:
                count += lefts * rights if lefts * rights <= MANY else max(lefts, rights)
            else:
                count += _pair(
                    cython.address(left_places[i]), lefts, cython.address(right_places[j]), rights, out + count
                )
            i += lefts
            j += rights
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _skip(hashes: cython.const[uint64_t][::1], start: cython.Py_ssize_t, value: uint64_t) -> cython.Py_ssize_t:
    """Return the first position after ``start`` with a hash of at least ``value``; the hash at ``start`` is smaller.
    Steps double, so that the longer side of a lopsided pair costs the logarithm of its length."""
    step: cython.Py_ssize_t = 1
    low: cython.Py_ssize_t = start
    high: cython.Py_ssize_t = start + 1
    middle: cython.Py_ssize_t
    while high < hashes.shape[0] and hashes[high] < value:
        low = high
        step *= 2
        high += step
    high = min(high, hashes.shape[0])
    while low + 1 < high:
        middle = (low + high) // 2
        if hashes[middle] < value:
            low = middle
        else:
            high = middle
    return high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _run(hashes: cython.const[uint64_t][::1], start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    end: cython.Py_ssize_t = start + 1
    while end < hashes.shape[0] and hashes[end] == hashes[start]:
        end += 1
    return end - start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(
    lefts: cython.pointer[cython.const[int32_t]],
    left_count: cython.Py_ssize_t,
    rights: cython.pointer[cython.const[int32_t]],
    right_count: cython.Py_ssize_t,
    out: cython.pointer[uint64_t],
) -> cython.Py_ssize_t:
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    if left_count * right_count > MANY:
        for i in range(max(left_count, right_count)):
            out[i] = _key(lefts[i % left_count], rights[i % right_count])
        return max(left_count, right_count)
    for i in range(left_count):
        for j in range(right_count):
            out[i * right_count + j] = _key(lefts[i], rights[j])
    return left_count * right_count


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _key(a: int64_t, b: int64_t) -> uint64_t:
    return (cython.cast(uint64_t, a - b + ORIGIN) << 32) | cython.cast(uint64_t, a)


def matches(
    left: cython.const[symbol_t][::1],
    left_bounds: cython.const[int32_t][::1],
    right: cython.const[symbol_t][::1],
    right_bounds: cython.const[int32_t][::1],
    keys: cython.const[uint64_t][::1],
    k: cython.Py_ssize_t,
):
    lefts = np.empty(keys.shape[0], np.int32)
    rights = np.empty(keys.shape[0], np.int32)
    lengths = np.empty(keys.shape[0], np.int32)
    out_left: int32_t[::1] = lefts
    out_right: int32_t[::1] = rights
    out_length: int32_t[::1] = lengths
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: int64_t
    b: int64_t
    length: int64_t
    diagonal: int64_t = ORIGIN + 1
    covered: int64_t = 0
    low: int64_t
    high: int64_t
    at_left: cython.Py_ssize_t
    at_right: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            a = cython.cast(int64_t, keys[i] & LOW)
            b = a - (cython.cast(int64_t, keys[i] >> 32) - ORIGIN)
            if a - b == diagonal and a < covered:
                continue
            for j in range(k):
                if left[a + j] != right[b + j]:
                    break
            else:
                at_left = _after(left_bounds, a)
                at_right = _after(right_bounds, b)
                low = min(a - left_bounds[at_left - 1], b - right_bounds[at_right - 1])
                high = min(left_bounds[at_left] - a, right_bounds[at_right] - b)
                length = k
                while length < high and left[a + length] == right[b + length]:
                    length += 1
                diagonal = a - b
                covered = a + length
                while low > 0 and left[a - 1] == right[b - 1]:
                    low -= 1
                    a -= 1
                    b -= 1
                out_left[count] = a
                out_right[count] = b
                out_length[count] = covered - a
                count += 1
    return lefts[:count].copy(), rights[:count].copy(), lengths[:count].copy()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after(bounds: cython.const[int32_t][::1], place: int64_t) -> cython.Py_ssize_t:
    """Return the number of the first bound after a position."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = bounds.shape[0] - 1
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


def common(left_hashes: cython.const[uint64_t][::1], right_hashes: cython.const[uint64_t][::1]):
    most: cython.Py_ssize_t = min(left_hashes.shape[0], right_hashes.shape[0])
    table = np.empty((3, most), np.int64)
    hashes = np.empty(most, np.uint64)
    out: int64_t[:, ::1] = table
    out_hashes: uint64_t[::1] = hashes
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        while i < left_hashes.shape[0] and j < right_hashes.shape[0]:
            if left_hashes[i] < right_hashes[j]:
                i = _skip(left_hashes, i, right_hashes[j])
            elif left_hashes[i] > right_hashes[j]:
                j = _skip(right_hashes, j, left_hashes[i])
            else:
                out_hashes[count] = left_hashes[i]
                out[0, count] = i
                out[1, count] = _run(left_hashes, i)
                out[2, count] = _run(right_hashes, j)
                i += out[1, count]
                j += out[2, count]
                count += 1
    return hashes[:count], table[0, :count], table[1, :count], table[2, :count]


def once(
    left: cython.const[uint32_t][::1],
    right: cython.const[uint32_t][::1],
    left_possible: cython.const[uint8_t][::1],
    right_possible: cython.const[uint8_t][::1],
):
    shorter: cython.Py_ssize_t = min(left.shape[0], right.shape[0])
    bits: cython.int = SPARE
    while bits < 32 and shorter >> (bits - SPARE):
        bits += 1
    lefts = np.empty(left.shape[0], np.uint64)
    rights = np.empty(right.shape[0], np.uint64)
    one: uint64_t[::1] = lefts
    two: uint64_t[::1] = rights
    there: uint8_t[::1] = np.zeros(cython.cast(int64_t, 1) << bits, np.uint8)
    left_count: cython.Py_ssize_t
    right_count: cython.Py_ssize_t
    with cython.nogil:
        left_count = _packed(left, left_possible, one)
        right_count = _packed(right, right_possible, two)
        if left.shape[0] <= right.shape[0]:
            right_count = _passing(two, right_count, one, left_count, there, 64 - bits)
            left_count = _passing(one, left_count, two, right_count, there, 64 - bits)
        else:
            left_count = _passing(one, left_count, two, right_count, there, 64 - bits)
            right_count = _passing(two, right_count, one, left_count, there, 64 - bits)
    lefts[:left_count].sort()
    rights[:right_count].sort()
    keys = np.empty(min(left_count, right_count), np.uint64)
    out: uint64_t[::1] = keys
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    ends: cython.Py_ssize_t
    other_ends: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        while i < left_count and j < right_count:
            if one[i] >> 32 < two[j] >> 32:
                i += 1
            elif one[i] >> 32 > two[j] >> 32:
                j += 1
            else:
                ends = _same(one, i, left_count)
                other_ends = _same(two, j, right_count)
                if ends == i + 1 and other_ends == j + 1:
                    out[count] = _key(one[i] & LOW, two[j] & LOW)
                    count += 1
                i = ends
                j = other_ends
    return keys[:count]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _packed(
    hashes: cython.const[uint32_t][::1], possible: cython.const[uint8_t][::1], out: uint64_t[::1]
) -> cython.Py_ssize_t:
    """Write the hash and the place of each possible k-gram, and return their number."""
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    for i in range(hashes.shape[0]):
        if possible[i]:
            out[count] = (cython.cast(uint64_t, hashes[i]) << 32) | cython.cast(uint64_t, i)
            count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _passing(
    grams: uint64_t[::1],
    count: cython.Py_ssize_t,
    others: uint64_t[::1],
    other_count: cython.Py_ssize_t,
    there: uint8_t[::1],
    shift: cython.int,
) -> cython.Py_ssize_t:
    """Keep the k-grams that may be among others, and return their number. The filter has the size of the shorter side,
    so that it stays in the cache however long the other side is."""
    kept: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    memset(cython.address(there[0]), 0, there.shape[0])
    for i in range(other_count):
        there[others[i] >> shift] = 1
    for i in range(count):
        if there[grams[i] >> shift]:
            grams[kept] = grams[i]
            kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same(grams: uint64_t[::1], start: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the run of equal hashes that begins at ``start`` ends."""
    end: cython.Py_ssize_t = start + 1
    while end < count and grams[end] >> 32 == grams[start] >> 32:
        end += 1
    return end


def shared_inside(
    left_hashes: cython.const[uint64_t][::1],
    left_places: cython.const[int32_t][::1],
    left_starts: cython.const[int32_t][::1],
    left_size: cython.Py_ssize_t,
    right_hashes: cython.const[uint64_t][::1],
    right_places: cython.const[int32_t][::1],
    right_starts: cython.const[int32_t][::1],
    right_size: cython.Py_ssize_t,
    lengths: cython.const[int32_t][::1],
    width: cython.Py_ssize_t,
):
    left_covered: int32_t[::1] = np.zeros(left_size + 1, np.int32)
    right_covered: int32_t[::1] = np.zeros(right_size + 1, np.int32)
    hashes = np.empty(min(left_hashes.shape[0], right_hashes.shape[0]), np.uint64)
    out: uint64_t[::1] = hashes
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    lefts: cython.Py_ssize_t
    rights: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        _cover(left_starts, lengths, left_covered)
        _cover(right_starts, lengths, right_covered)
        while i < left_hashes.shape[0] and j < right_hashes.shape[0]:
            if left_hashes[i] < right_hashes[j]:
                i = _skip(left_hashes, i, right_hashes[j])
            elif left_hashes[i] > right_hashes[j]:
                j = _skip(right_hashes, j, left_hashes[i])
            else:
                lefts = _run(left_hashes, i)
                rights = _run(right_hashes, j)
                if _any_inside(cython.address(left_places[i]), lefts, left_covered, width) and _any_inside(
                    cython.address(right_places[j]), rights, right_covered, width
                ):
                    out[count] = left_hashes[i]
                    count += 1
                i += lefts
                j += rights
    return hashes[:count], left_covered[left_size], right_covered[right_size]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cover(
    starts: cython.const[int32_t][::1], lengths: cython.const[int32_t][::1], covered: int32_t[::1]
) -> cython.void:
    """Write how many symbols before each are in some run; first, how many runs begin at each, less those that end."""
    i: cython.Py_ssize_t
    before: int32_t
    open_runs: int32_t = 0
    total: int32_t = 0
    for i in range(starts.shape[0]):
        covered[starts[i]] += 1
        covered[starts[i] + lengths[i]] -= 1
    for i in range(covered.shape[0]):
        before = covered[i]
        covered[i] = total
        open_runs += before
        total += open_runs > 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _any_inside(
    places: cython.pointer[cython.const[int32_t]],
    count: cython.Py_ssize_t,
    covered: int32_t[::1],
    width: cython.Py_ssize_t,
) -> cython.bint:
    """Return whether runs hold all ``width`` symbols from one of some places on."""
    i: cython.Py_ssize_t
    for i in range(count):
        if places[i] + width < covered.shape[0] and covered[places[i] + width] - covered[places[i]] == width:
            return True
    return False


def weigh(
    known: cython.const[uint64_t][::1],
    weights: cython.const[cython.double][::1],
    hashes: cython.const[uint64_t][::1],
) -> float:
    total: cython.double = 0
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(hashes.shape[0]):
            if at < known.shape[0] and known[at] < hashes[i]:
                at = _skip(known, at, hashes[i])
            if at < known.shape[0] and known[at] == hashes[i]:
                total += weights[at]
    return total


def match_weights(
    left_hashes: cython.const[uint64_t][::1],
    left_places: cython.const[int32_t][::1],
    right_hashes: cython.const[uint64_t][::1],
    known: cython.const[uint64_t][::1],
    rarities: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    lefts: cython.const[int32_t][::1],
    lengths: cython.const[int32_t][::1],
    size: cython.Py_ssize_t,
    shortest: cython.Py_ssize_t,
    bits: cython.double,
    least: cython.double,
):
    # For each symbol, the share that a shared fingerprint which begins there leaves of a match; 0 without any.
    shares: cython.double[::1] = np.zeros(size, np.float64)
    weights = np.empty(lefts.shape[0], np.float64)
    out: cython.double[::1] = weights
    share: cython.double
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        _share(left_hashes, left_places, right_hashes, known, rarities, costs, least, shares)
        for i in range(lefts.shape[0]):
            share = 0
            for j in range(lefts[i], lefts[i] + lengths[i] - shortest + 1):
                share = max(share, shares[j])
            out[i] = lengths[i] * bits * (share if share > 0 else 1)
    return weights


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _share(
    left_hashes: cython.const[uint64_t][::1],
    left_places: cython.const[int32_t][::1],
    right_hashes: cython.const[uint64_t][::1],
    known: cython.const[uint64_t][::1],
    rarities: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    least: cython.double,
    shares: cython.double[::1],
) -> cython.void:
    """Write the shares of shared fingerprints to their places on the left side."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    lefts: cython.Py_ssize_t
    rights: cython.Py_ssize_t
    share: cython.double
    while i < left_hashes.shape[0] and j < right_hashes.shape[0]:
        if left_hashes[i] < right_hashes[j]:
            i = _skip(left_hashes, i, right_hashes[j])
        elif left_hashes[i] > right_hashes[j]:
            j = _skip(right_hashes, j, left_hashes[i])
        else:
            lefts = _run(left_hashes, i)
            rights = _run(right_hashes, j)
            if at < known.shape[0] and known[at] < left_hashes[i]:
                at = _skip(known, at, left_hashes[i])
            share = rarities[at] if at < known.shape[0] and known[at] == left_hashes[i] else 1
            share = max(least, share - costs[lefts * rights]) if lefts * rights < costs.shape[0] else least
            for place in range(i, i + lefts):
                shares[left_places[place]] = max(shares[left_places[place]], share)
            i += lefts
            j += rights
