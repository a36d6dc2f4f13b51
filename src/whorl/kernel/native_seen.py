"""Tables of digests that were seen, compiled. Specification: ``tests/kernel/specification/seen.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t


def find(cells: cython.const[uint64_t][::1], digests: cython.const[uint64_t][:, ::1], known):
    mark: uint8_t[::1] = known.view("u1")
    i: int64_t
    with cython.nogil:
        for i in range(digests.shape[0]):
            if not mark[i]:
                mark[i] = cells[_place(cells, digests[i, 0], _tag(digests[i, 1]))] != 0


def insert(cells: uint64_t[::1], digests: cython.const[uint64_t][:, ::1], known, first: int64_t, room: int64_t):
    mark: uint8_t[::1] = known.view("u1")
    i: int64_t = first
    at: int64_t
    with cython.nogil:
        while i < digests.shape[0]:
            if not mark[i]:
                at = _place(cells, digests[i, 0], _tag(digests[i, 1]))
                if cells[at]:
                    mark[i] = 1
                elif not room:
                    break
                else:
                    cells[at] = _tag(digests[i, 1])
                    room -= 1
            i += 1
    return i, room


def firsts(digests: cython.const[uint64_t][:, ::1]):
    n: int64_t = digests.shape[0]
    room: int64_t = 2
    while room < 2 * n:
        room *= 2
    numbers = np.empty(n, np.int64)
    out: int64_t[::1] = numbers
    # Cells have the numbers of first rows; -1 if they are empty.
    cells: int32_t[::1] = np.full(room, -1, np.int32)
    mask: uint64_t = room - 1
    at: uint64_t
    i: int64_t
    with cython.nogil:
        for i in range(n):
            at = digests[i, 0] & mask
            while cells[at] >= 0 and (digests[cells[at], 0] != digests[i, 0] or digests[cells[at], 1] != digests[i, 1]):
                at = (at + 1) & mask
            if cells[at] < 0:
                cells[at] = cython.cast(int32_t, i)
            out[i] = cells[at]
    return numbers


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _tag(half: uint64_t) -> uint64_t:
    return half if half else 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(cells: cython.const[uint64_t][::1], home: uint64_t, tag: uint64_t) -> int64_t:
    mask: uint64_t = cells.shape[0] - 1
    at: uint64_t = home & mask
    while cells[at] and cells[at] != tag:
        at = (at + 1) & mask
    return at
