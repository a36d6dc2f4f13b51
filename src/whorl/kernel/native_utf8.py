"""UTF-8 to code points, compiled. Specification: ``tests/kernel/specification/utf8.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.whorl.kernel.spelling import whorl_code_point, whorl_sequence_length

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
        length = whorl_sequence_length(data + i, n - i)
        if length == 0:
            break
        if out != cython.NULL:
            out[count] = whorl_code_point(data + i, length)
        i += length
        count += 1
    read[0] = i
    return count
