"""The paper's rolling hashes, compiled. Specification: ``tests/kernel/specification/rolling.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.whorl.kernel.headers import symbol_t


def karp_rabin(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    power: uint64_t = 1
    value: uint64_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for _ in range(k - 1):
            power *= base
        for i in range(k):
            value = value * base + symbols[i]
        out[0] = value
        for i in range(n - k):
            value = (value - symbols[i] * power) * base + symbols[i + k]
            out[i + 1] = value
    return values


def karp_rabin_improved(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    power: uint64_t = 1
    value: uint64_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for _ in range(k):
            power *= base
        for i in range(k):
            value = (value + symbols[i]) * base
        out[0] = value
        for i in range(n - k):
            value = ((value - symbols[i] * power) + symbols[i + k]) * base
            out[i + 1] = value
    return values


def karp_rabin_from_scratch(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    value: uint64_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n - k + 1):
            value = 0
            for j in range(k):
                value = value * base + symbols[i + j]
            out[i] = value
    return values
