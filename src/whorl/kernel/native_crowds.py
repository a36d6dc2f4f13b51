"""Shared shingles of the members of a crowd, compiled. Specification: ``tests/kernel/specification/crowds.py``.

The hashes of all members are numbered once. Those that many have become bits: each member has a row of them, and what
two rows have in common is counted 128 bits at a time. For those that few have there are lists of who has them, and
they are counted for all partners of a member together. How many are many is decided by what it costs.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.whorl.kernel.bits import WHORL_WIDTH, whorl_both

# Hashes that are numbered together, about: their table stays in a cache, and members are gone through seldom.
SLICE = cython.declare(int64_t, 1 << 18)

# Bytes that the rows of bits may take.
ROOM = cython.declare(int64_t, 1 << 26)

# What it costs to count 128 bits, and to begin with two rows, if counting one member of a list costs 1.
BLOCK = cython.declare(cython.double, 1.0)
BEGIN = cython.declare(cython.double, 5.0)

# Where a hash is that only one member has. List i is at -2 - i, and a column of bits at its number.
ALONE = cython.declare(int32_t, -1)


@cython.cclass
class Crowd:
    _members: cython.const[int64_t][::1]
    # Where the hashes of each member are, one member after the other.
    _places: int32_t[::1]
    _bounds: int64_t[::1]
    # The lists, one after the other, and where each ends.
    _listed: int32_t[::1]
    _ends: int64_t[::1]
    _bits: uint64_t[:, ::1]

    def __init__(
        self,
        hashes: cython.const[uint64_t][::1],
        begins: cython.const[int64_t][::1],
        ends: cython.const[int64_t][::1],
        members: cython.const[int64_t][::1],
        pairs: int64_t,
        low: uint64_t = 0,
        high: uint64_t = 0xFFFFFFFFFFFFFFFF,
    ):
        self._members = members
        self._bounds = np.zeros(members.shape[0] + 1, np.int64)
        # Where the hashes of each member from the lowest to the highest begin.
        origins: int64_t[::1] = np.empty(members.shape[0], np.int64)
        i: int64_t
        end: int64_t
        with cython.nogil:
            for i in range(members.shape[0]):
                origins[i] = _from(hashes, begins[i], ends[i], low)
                end = ends[i]
                if high + 1:
                    end = _from(hashes, origins[i], end, high + 1)
                self._bounds[i + 1] = self._bounds[i] + end - origins[i]
        self._places = np.empty(self._bounds[members.shape[0]], np.int32)
        owners = self._number(hashes, origins, low, high)
        self._place(owners, _many(owners, members.shape[0], pairs))

    @cython.cfunc
    def _number(
        self, hashes: cython.const[uint64_t][::1], origins: cython.const[int64_t][::1], low: uint64_t, high: uint64_t
    ):
        """Numbers the hashes, a slice of their range after the other. How many members have each."""
        places: int32_t[::1] = self._places
        starts: int64_t[::1] = self._bounds
        shift: cython.int = 63
        while shift > 40 and places.shape[0] > SLICE * cython.cast(int64_t, (high - low >> shift) + 1):
            shift -= 1
        slices: int64_t = (high >> shift) - (low >> shift) + 1
        largest: int64_t = self._largest(hashes, origins, slices, shift, low)
        room: int64_t = 4
        while room < 2 * largest:
            room *= 2
        owners = np.zeros(places.shape[0], np.int32)
        owner: int32_t[::1] = owners
        behind: int64_t[::1] = np.zeros(origins.shape[0], np.int64)
        # Cells have the numbers of hashes, counted from the slice's first one; -1 if they are empty.
        cells: int32_t[::1] = np.empty(room, np.int32)
        distinct: uint64_t[::1] = np.empty(largest, np.uint64)
        mask: uint64_t = room - 1
        cell: uint64_t
        value: uint64_t
        number: int64_t = 0
        first: int64_t
        part: int64_t
        i: int64_t
        at: int64_t
        end: int64_t
        with cython.nogil:
            for part in range(slices):
                memset(cython.address(cells[0]), 255, room * cython.sizeof(int32_t))
                first = number
                for i in range(origins.shape[0]):
                    at = origins[i] + behind[i]
                    end = origins[i] + starts[i + 1] - starts[i]
                    while at < end and cython.cast(int64_t, (hashes[at] >> shift) - (low >> shift)) == part:
                        value = hashes[at]
                        cell = value & mask
                        while cells[cell] >= 0 and distinct[cells[cell]] != value:
                            cell = (cell + 1) & mask
                        if cells[cell] < 0:
                            cells[cell] = cython.cast(int32_t, number - first)
                            distinct[number - first] = value
                            number += 1
                        owner[first + cells[cell]] += 1
                        places[starts[i] + behind[i]] = cython.cast(int32_t, first + cells[cell])
                        behind[i] += 1
                        at += 1
        return owners[:number]

    @cython.cfunc
    def _largest(
        self,
        hashes: cython.const[uint64_t][::1],
        origins: cython.const[int64_t][::1],
        slices: int64_t,
        shift: cython.int,
        low: uint64_t,
    ) -> int64_t:
        """Return the number of hashes of the largest slice, at least 1."""
        starts: int64_t[::1] = self._bounds
        sizes: int64_t[::1] = np.zeros(slices, np.int64)
        largest: int64_t = 1
        i: int64_t
        j: int64_t
        with cython.nogil:
            for i in range(origins.shape[0]):
                for j in range(origins[i], origins[i] + starts[i + 1] - starts[i]):
                    sizes[(hashes[j] >> shift) - (low >> shift)] += 1
            for i in range(slices):
                largest = max(largest, sizes[i])
        return largest

    @cython.cfunc
    def _place(self, owners: cython.const[int32_t][::1], many: int64_t):
        """Those that at least so many have become bits, the others lists."""
        places: int32_t[::1] = self._places
        bounds: int64_t[::1] = self._bounds
        known: int32_t[::1] = np.empty(owners.shape[0], np.int32)
        columns: int64_t = 0
        lists: int64_t = 0
        total: int64_t = 0
        i: int64_t
        j: int64_t
        with cython.nogil:
            for i in range(owners.shape[0]):
                if owners[i] >= many:
                    known[i] = cython.cast(int32_t, columns)
                    columns += 1
                elif owners[i] == 1:
                    known[i] = ALONE
                else:
                    known[i] = cython.cast(int32_t, -2 - lists)
                    lists += 1
                    total += owners[i]
        words: int64_t = (columns + 64 * WHORL_WIDTH - 1) // (64 * WHORL_WIDTH) * WHORL_WIDTH
        bits: uint64_t[:, ::1] = np.zeros((bounds.shape[0] - 1, words), np.uint64)
        listed: int32_t[::1] = np.empty(total, np.int32)
        ends: int64_t[::1] = np.empty(lists, np.int64)
        with cython.nogil:
            total = 0
            for i in range(owners.shape[0]):
                if known[i] < ALONE:
                    ends[-2 - known[i]] = total
                    total += owners[i]
            for i in range(bounds.shape[0] - 1):
                for j in range(bounds[i], bounds[i + 1]):
                    places[j] = known[places[j]]
                    if places[j] > ALONE:
                        bits[i, places[j] >> 6] |= cython.cast(uint64_t, 1) << (places[j] & 63)
                    elif places[j] < ALONE:
                        listed[ends[-2 - places[j]]] = cython.cast(int32_t, i)
                        ends[-2 - places[j]] += 1
        self._bits, self._listed, self._ends = bits, listed, ends

    def shared(
        self,
        first: int64_t,
        last: int64_t,
        starts: cython.const[int64_t][::1],
        rights: cython.const[int32_t][::1],
        numbers: cython.const[int32_t][::1],
        counts: int64_t[::1],
    ):
        members: cython.const[int64_t][::1] = self._members
        places: int32_t[::1] = self._places
        bounds: int64_t[::1] = self._bounds
        listed: int32_t[::1] = self._listed
        ends: int64_t[::1] = self._ends
        bits: uint64_t[:, ::1] = self._bits
        met: int32_t[::1] = np.zeros(members.shape[0], np.int32)
        left: int64_t
        right: int64_t
        i: int64_t
        at: int64_t
        with cython.nogil:
            for left in range(first, last):
                if starts[members[left]] == starts[members[left] + 1]:
                    continue
                for i in range(bounds[left], bounds[left + 1]):
                    if places[i] < ALONE:
                        at = ends[-2 - places[i]] - 1
                        # It is on the list itself, and its partners come after it.
                        while listed[at] > left:
                            met[listed[at]] += 1
                            at -= 1
                for i in range(starts[members[left]], starts[members[left] + 1]):
                    right = numbers[rights[i]]
                    counts[i] += met[right]
                    if bits.shape[1]:
                        counts[i] += whorl_both(
                            cython.address(bits[left, 0]), cython.address(bits[right, 0]), bits.shape[1]
                        )
                memset(cython.address(met[0]), 0, met.shape[0] * cython.sizeof(int32_t))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _from(hashes: cython.const[uint64_t][::1], start: int64_t, end: int64_t, least: uint64_t) -> int64_t:
    """Return the position of a member's first hash that is not less."""
    middle: int64_t
    while start < end:
        middle = (start + end) >> 1
        if hashes[middle] < least:
            start = middle + 1
        else:
            end = middle
    return start


@cython.cfunc
def _many(owners, members: int64_t, pairs: int64_t) -> int64_t:
    """Return how many members must have a hash for a bitmap to be cheaper than a list."""
    counts = np.bincount(owners, minlength=2)
    columns: int64_t[::1] = np.cumsum(counts[::-1])[::-1].copy()
    met: cython.double[::1] = np.cumsum(counts * np.arange(len(counts), dtype=np.float64) ** 2 / 2)
    best: int64_t = met.shape[0]
    cheapest: cython.double = met[best - 1]
    cost: cython.double
    blocks: int64_t
    many: int64_t = 2
    while many < met.shape[0]:
        blocks = (columns[many] + 64 * WHORL_WIDTH - 1) // (64 * WHORL_WIDTH)
        cost = pairs * (blocks * BLOCK + BEGIN) + met[many - 1]
        if cost < cheapest and blocks * 8 * WHORL_WIDTH * members <= ROOM:
            best, cheapest = many, cost
        many += 1 + many // 8
    return best
