"""Hashes read from a file: the compiled reader equals its specification."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import files as specification
from whorl.kernel import native_files

KERNELS = (native_files, specification)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "hashes"
    np.arange(100, dtype=np.uint64).tofile(path)
    return path


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted)))
def test_gathering(path, spans):
    bounds = np.cumsum([0, *(end - start for start, end in spans)])
    starts = np.array([start for start, _ in spans], np.int64)
    with path.open("rb") as file:
        for kernel in KERNELS:
            hashes = kernel.gather(file.fileno(), starts, bounds)
            assert hashes.tolist() == [number for start, end in spans for number in range(start, end)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_file_that_ends_early(path, kernel):
    with path.open("rb") as file, pytest.raises(OSError, match="ends before"):
        kernel.gather(file.fileno(), np.array([3, 98]), np.array([0, 5, 8]))


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_cannot_be_read(tmp_path, kernel):
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(IsADirectoryError):
            kernel.gather(descriptor, np.array([0]), np.array([0, 1]))
    finally:
        os.close(descriptor)
