"""UTF-8 to code points, compiled. Specification: ``twin_utf8``."""

import cython
import numpy as np

if not cython.compiled:
    raise ImportError("whorl.kernel.native_utf8 is not compiled")

from cython.cimports.libc.stdint import uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy

# The high bit of each of eight bytes: none is set in ASCII.
HIGH_BITS = cython.declare(uint64_t, 0x8080808080808080)


def code_points(data: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = data.shape[0]
    codes = np.empty(n, np.uint32)
    out: uint32_t[::1] = codes
    read: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    if n:
        with cython.nogil:
            count = _scan(cython.address(data[0]), n, cython.address(out[0]), cython.address(read))
    return codes[:count], read


def well_formed(data: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = data.shape[0]
    read: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    if n:
        with cython.nogil:
            count = _scan(cython.address(data[0]), n, cython.NULL, cython.address(read))
    return read, count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    data: cython.pointer[cython.const[uint8_t]],
    n: cython.Py_ssize_t,
    out: cython.pointer[uint32_t],
    read: cython.pointer[cython.Py_ssize_t],
) -> cython.Py_ssize_t:
    """Counts the code points up to the first fault, and writes them if there is somewhere to write them to."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t
    eight: uint64_t = 0
    while i < n:
        if i + 8 <= n:
            memcpy(cython.address(eight), data + i, 8)
            if eight & HIGH_BITS == 0:
                if out != cython.NULL:
                    for j in range(8):
                        out[count + j] = data[i + j]
                i += 8
                count += 8
                continue
            while data[i] < 0x80:  # what stands before the first of the eight that is not ASCII
                if out != cython.NULL:
                    out[count] = data[i]
                i += 1
                count += 1
        length = _sequence(data + i, n - i)
        if length == 0:
            break
        if out != cython.NULL:
            out[count] = _code(data + i, length)
        i += length
        count += 1
    read[0] = i
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sequence(at: cython.pointer[cython.const[uint8_t]], left: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The length of the well-formed sequence here (Unicode, table 3-7), or 0."""
    first: uint8_t = at[0]
    low: uint8_t = 0x80
    high: uint8_t = 0xBF
    length: cython.Py_ssize_t
    j: cython.Py_ssize_t
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4:
        return 0
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if left < length:
        return 0
    if first == 0xE0:
        low = 0xA0
    elif first == 0xED:
        high = 0x9F
    elif first == 0xF0:
        low = 0x90
    elif first == 0xF4:
        high = 0x8F
    if at[1] < low or at[1] > high:
        return 0
    for j in range(2, length):
        if at[j] & 0xC0 != 0x80:
            return 0
    return length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _code(at: cython.pointer[cython.const[uint8_t]], length: cython.Py_ssize_t) -> uint32_t:
    code: uint32_t
    j: cython.Py_ssize_t
    if length == 1:
        return at[0]
    code = at[0] & (0x7F >> length)
    for j in range(1, length):
        code = code << 6 | (at[j] & 0x3F)
    return code
