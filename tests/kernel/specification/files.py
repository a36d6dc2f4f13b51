"""Hashes read from a file, in plain Python: the specification of ``native_files``."""

import os
from errno import EIO

import numpy as np
from numpy.typing import NDArray


def gather(descriptor: int, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The hashes of some sets, one after the other: set i begins at the file's hash ``starts[i]``, and becomes
    ``bounds[i]`` to ``bounds[i + 1]`` of them. What is read is not mapped: the system maps more than is looked at."""
    sizes = 8 * np.diff(bounds)
    data = b"".join(os.pread(descriptor, size, 8 * start) for size, start in zip(sizes, starts, strict=True))
    if len(data) < sizes.sum():
        raise OSError(EIO, "the file ends before the hashes do")
    return np.frombuffer(data, np.uint64)
