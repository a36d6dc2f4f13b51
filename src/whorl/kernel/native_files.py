"""Hashes read from a file, compiled. Specification: ``tests/kernel/specification/files.py``."""

import os
from errno import EIO

import cython
import numpy as np
from cython.cimports.libc.errno import errno
from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.posix.unistd import pread


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
