"""Passages made of matches, compiled. Specification: ``tests/kernel/specification/passages.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.whorl.kernel.headers import symbol_t

# How many times more symbols than all matches a side has, before the places between matches are left out.
SPARSE = cython.declare(int64_t, 16)
# The step and the factors of SplitMix64.
STEP = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
FIRST = cython.declare(uint64_t, 0xBF58476D1CE4E5B9)
SECOND = cython.declare(uint64_t, 0x94D049BB133111EB)


def choose(
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    lengths: cython.const[int32_t][::1],
    sizes: tuple,
    shortest: cython.Py_ssize_t,
    sure: cython.Py_ssize_t,
):
    count: cython.Py_ssize_t = lengths.shape[0]
    if count == 0:
        return np.empty(0, np.int64)
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    total: int64_t = 0
    longest: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(count):
            total += lengths[i]
            longest = max(longest, lengths[i])
    if total * SPARSE < max(sizes):
        lefts, left_size = _compact(lefts, lengths)
        rights, right_size = _compact(rights, lengths)
        sizes = (left_size, right_size)
    left_marks: uint8_t[::1] = np.zeros(sizes[0], np.uint8)
    right_marks: uint8_t[::1] = np.zeros(sizes[1], np.uint8)
    # The matches that wait for their turn, in a chain for each length: what is left of them begins at ``firsts``.
    heads: int64_t[::1] = np.empty(longest + 1, np.int64)
    following: int64_t[::1] = np.empty(count, np.int64)
    firsts: int32_t[::1] = np.zeros(count, np.int32)
    chosen = np.zeros(count, np.uint8)
    flags: uint8_t[::1] = chosen
    order: int64_t[::1] = np.empty(count, np.int64)
    with cython.nogil:
        _order(lengths, heads, following, order)
        _tile(
            lefts, rights, heads, following, firsts, flags,
            cython.address(left_marks[0]), cython.address(right_marks[0]), shortest,
        )  # fmt: skip
        memset(cython.address(left_marks[0]), 0, left_marks.shape[0])
        memset(cython.address(right_marks[0]), 0, right_marks.shape[0])
        for i in range(count):
            if flags[i] and lengths[i] >= sure:
                memset(cython.address(left_marks[lefts[i]]), 1, lengths[i])
                memset(cython.address(right_marks[rights[i]]), 1, lengths[i])
        for at in range(count):
            i = order[at]
            if lengths[i] < sure:
                break
            if flags[i]:
                continue
            if (
                _fresh(cython.address(left_marks[lefts[i]]), lengths[i]) >= shortest
                or _fresh(cython.address(right_marks[rights[i]]), lengths[i]) >= shortest
            ):
                flags[i] = 1
                memset(cython.address(left_marks[lefts[i]]), 1, lengths[i])
                memset(cython.address(right_marks[rights[i]]), 1, lengths[i])
    return chosen.nonzero()[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    lengths: cython.const[int32_t][::1], heads: int64_t[::1], following: int64_t[::1], order: int64_t[::1]
) -> cython.void:
    """Chain the matches of each length, and write the numbers of all, longest first."""
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    i: int64_t
    for size in range(heads.shape[0]):
        heads[size] = -1
    for i in range(lengths.shape[0] - 1, -1, -1):
        following[i] = heads[lengths[i]]
        heads[lengths[i]] = i
    for size in range(heads.shape[0] - 1, -1, -1):
        i = heads[size]
        while i >= 0:
            order[at] = i
            at += 1
            i = following[i]


def _compact(starts: cython.const[int32_t][::1], lengths: cython.const[int32_t][::1]):
    """Return the starts without the places that no match covers, and the number of places that are left."""
    order: int64_t[::1] = np.argsort(starts, kind="stable")
    compacted = np.empty(starts.shape[0], np.int32)
    out: int32_t[::1] = compacted
    reached: int64_t = 0
    removed: int64_t = 0
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for at in range(starts.shape[0]):
            i = order[at]
            if starts[i] > reached:
                removed += starts[i] - reached
                reached = starts[i]
            out[i] = starts[i] - removed
            reached = max(reached, starts[i] + lengths[i])
    return compacted, reached - removed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tile(
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    heads: int64_t[::1],
    following: int64_t[::1],
    firsts: int32_t[::1],
    flags: uint8_t[::1],
    left_marks: cython.pointer[uint8_t],
    right_marks: cython.pointer[uint8_t],
    shortest: cython.Py_ssize_t,
) -> cython.void:
    length: cython.Py_ssize_t
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    left: cython.pointer[uint8_t]
    right: cython.pointer[uint8_t]
    for length in range(heads.shape[0] - 1, shortest - 1, -1):
        while heads[length] >= 0:
            i = heads[length]
            heads[length] = following[i]
            left = left_marks + lefts[i] + firsts[i]
            right = right_marks + rights[i] + firsts[i]
            first = 0
            last = length
            while first < last and (left[first] or right[first]):
                first += 1
            while first < last and (left[last - 1] or right[last - 1]):
                last -= 1
            if last - first == length:
                flags[i] = 1
                memset(left, 1, length)
                memset(right, 1, length)
            elif last - first >= shortest:
                firsts[i] += first
                following[i] = heads[last - first]
                heads[last - first] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fresh(marks: cython.pointer[uint8_t], length: cython.Py_ssize_t) -> cython.Py_ssize_t:
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    for i in range(length):
        count += marks[i] == 0
    return count


def chain(
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    lengths: cython.const[int32_t][::1],
    left_files: cython.const[int32_t][::1],
    right_files: cython.const[int32_t][::1],
    weights: cython.const[cython.double][::1],
    k: int64_t,
    reach: int64_t,
    bits: cython.double,
    look: cython.Py_ssize_t,
    sure: cython.Py_ssize_t,
    enough: cython.double,
):
    count: cython.Py_ssize_t = lengths.shape[0]
    sums = np.empty(count, np.float64)
    before = np.empty(count, np.int32)
    score: cython.double[::1] = sums
    last: int32_t[::1] = before
    with cython.nogil:
        _best(lefts, rights, lengths, left_files, right_files, weights, k, reach, bits, look, score, last)
    columns = np.empty((3, count), np.int32)
    bounds = np.zeros(count + 1, np.int64)
    files = np.empty((2, count), np.int32)
    scores = np.empty(count, np.float64)
    link: int32_t[:, ::1] = columns
    bound: int64_t[::1] = bounds
    file: int32_t[:, ::1] = files
    out: cython.double[::1] = scores
    order: int64_t[::1] = (-sums).argsort(kind="stable")
    is_used: uint8_t[::1] = np.zeros(count, np.uint8)
    chains: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(count):
            if is_used[order[i]]:
                continue
            size = 0
            longest = 0
            at = order[i]
            while at >= 0 and not is_used[at]:
                is_used[at] = 1
                size += 1
                longest = max(longest, lengths[at])
                at = last[at]
            out[chains] = score[order[i]] - (score[at] if at >= 0 else 0)
            if longest < sure and out[chains] < enough:
                continue
            file[0, chains] = left_files[order[i]]
            file[1, chains] = right_files[order[i]]
            at = order[i]
            end += size
            for j in range(end - 1, end - 1 - size, -1):
                link[0, j] = lefts[at]
                link[1, j] = rights[at]
                link[2, j] = lengths[at]
                at = last[at]
            chains += 1
            bound[chains] = end
    return (
        columns[0, :end], columns[1, :end], columns[2, :end], bounds[: chains + 1], files[:, :chains], scores[:chains],
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best(
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    lengths: cython.const[int32_t][::1],
    left_files: cython.const[int32_t][::1],
    right_files: cython.const[int32_t][::1],
    weights: cython.const[cython.double][::1],
    k: int64_t,
    reach: int64_t,
    bits: cython.double,
    look: cython.Py_ssize_t,
    scores: cython.double[::1],
    before: int32_t[::1],
) -> cython.void:
    """Write for each match the score of the best chain that ends with it, and its predecessor in it."""
    furthest: int64_t = 0
    at: cython.Py_ssize_t
    other: cython.Py_ssize_t
    left: int64_t
    right: int64_t
    least: int64_t
    gap: int64_t
    cost: cython.double
    best: cython.double
    for at in range(lengths.shape[0]):
        furthest = max(furthest, lengths[at])
    furthest += reach
    for at in range(lengths.shape[0]):
        best = weights[at]
        before[at] = -1
        for other in range(at - 1, max(-1, at - 1 - look), -1):
            if cython.cast(int64_t, lefts[at]) - lefts[other] > furthest:
                break
            if scores[other] + weights[at] <= best:  # a gap costs nothing at least
                continue
            left = cython.cast(int64_t, lefts[at]) - lefts[other] - lengths[other]
            right = cython.cast(int64_t, rights[at]) - rights[other] - lengths[other]
            gap = max(left, right)
            least = min(left, right)
            if gap > reach or least <= -k or least <= -lengths[at]:
                continue
            if lefts[at] <= lefts[other] or rights[at] <= rights[other]:
                continue
            if left_files[at] != left_files[other] or right_files[at] != right_files[other]:
                continue
            cost = cython.cast(cython.double, max(0, gap)) / k + max(0, -least) * bits / k
            if scores[other] - cost + weights[at] > best:
                best = scores[other] - cost + weights[at]
                before[at] = other
        scores[at] = best


def united(starts: cython.const[int32_t][::1], lengths: cython.const[int32_t][::1], bounds: cython.const[int64_t][::1]):
    counts = np.zeros(bounds.shape[0] - 1, np.int64)
    out: int64_t[::1] = counts
    ascends: cython.bint = True
    before: int64_t
    reached: int64_t
    end: int64_t
    group: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for group in range(out.shape[0]):
            before = 0
            reached = 0
            for i in range(bounds[group], bounds[group + 1]):
                ascends = ascends and starts[i] >= before
                before = starts[i]
                end = before + lengths[i]
                out[group] += max(0, end - max(before, reached))
                reached = max(reached, end)
    return counts if ascends else None


def joined(starts, ends):
    start: cython.const[int64_t][::1] = starts
    end: cython.const[int64_t][::1] = ends
    firsts = np.empty(start.shape[0], np.int64)
    lasts = np.empty(start.shape[0], np.int64)
    first: int64_t[::1] = firsts
    last: int64_t[::1] = lasts
    order: int64_t[::1] = starts.argsort()
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for at in range(start.shape[0]):
            i = order[at]
            if count and start[i] <= last[count - 1]:
                last[count - 1] = max(last[count - 1], end[i])
            else:
                first[count] = start[i]
                last[count] = end[i]
                count += 1
    return firsts[:count], lasts[:count]


def within(
    starts: cython.const[int64_t][::1],
    ends: cython.const[int64_t][::1],
    firsts: cython.const[int64_t][::1],
    lasts: cython.const[int64_t][::1],
):
    flags = np.empty(starts.shape[0], np.bool_)
    out: uint8_t[::1] = flags.view(np.uint8)
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            at = _begun(firsts, starts[i], at)
            out[i] = at > 0 and ends[i] <= lasts[at - 1]
    return flags


def uncovered(
    starts: cython.const[int64_t][::1],
    ends: cython.const[int64_t][::1],
    begins: cython.const[int32_t][::1],
    lengths: cython.const[int32_t][::1],
    bounds: cython.const[int64_t][::1],
    firsts: cython.const[int64_t][::1],
    lasts: cython.const[int64_t][::1],
):
    counts = np.zeros(bounds.shape[0] - 1, np.int64)
    out: int64_t[::1] = counts
    at: cython.Py_ssize_t = 0
    group: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for group in range(out.shape[0]):
            for i in range(bounds[group], bounds[group + 1]):
                for j in range(begins[i], begins[i] + lengths[i]):
                    at = _begun(firsts, starts[j], at)
                    out[group] += at == 0 or ends[j] > lasts[at - 1]
    return counts


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _begun(firsts: cython.const[int64_t][::1], start: int64_t, guess: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return how many spans begin at a place or before it. That of the place before is mostly the right guess."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = firsts.shape[0]
    middle: cython.Py_ssize_t
    if (guess == 0 or firsts[guess - 1] <= start) and (guess == high or start < firsts[guess]):
        return guess
    while low < high:
        middle = (low + high) // 2
        if firsts[middle] <= start:
            low = middle + 1
        else:
            high = middle
    return low


def statements(symbols: cython.const[symbol_t][::1], marks: cython.const[uint32_t][::1], shortest: cython.Py_ssize_t):
    size: cython.Py_ssize_t = symbols.shape[0]
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(size):
            count += marks[i] >> 31
    hashes = np.empty(count + 1, np.uint64)
    places = np.empty(count + 1, np.int32)
    sizes = np.empty(count + 1, np.int32)
    out: uint64_t[::1] = hashes
    place: int32_t[::1] = places
    length: int32_t[::1] = sizes
    first: cython.Py_ssize_t = 0
    total: uint64_t = 0
    offset: uint64_t = 0
    count = 0
    with cython.nogil:
        for i in range(size):
            total += _mixed(_mixed(cython.cast(uint64_t, symbols[i])) + offset)
            offset += STEP
            if i + 1 == size or marks[i + 1] >> 31:
                if i + 1 - first >= shortest:
                    out[count] = _mixed(total)
                    place[count] = first
                    length[count] = i + 1 - first
                    count += 1
                first = i + 1
                total = 0
                offset = 0
    return hashes[:count], places[:count], sizes[:count]


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _mixed(value: uint64_t) -> uint64_t:
    """Return the next number of SplitMix64 (Steele, Lea and Flood)."""
    value += STEP
    value = (value ^ (value >> 30)) * FIRST
    value = (value ^ (value >> 27)) * SECOND
    return value ^ (value >> 31)
