"""The shingles of many documents at once: the compiled loops equal their specification."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import shingles as specification
from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import permutation
from whorl.kernel import native_shingles

KERNELS = (native_shingles, specification)

# Symbols that fit into 8 bits, into 32, and that do not.
symbols = st.one_of(st.integers(0, 3), st.integers(250, 260), st.integers((1 << 32) - 2, (1 << 32) + 2))
# Values that share their first bits, their last bits, or nothing.
values = st.one_of(st.integers(0, 9), st.integers(0, 9).map(lambda value: value << 60), st.integers(0, (1 << 64) - 1))


def columns(rows):
    flat = [value for row in rows for value in row]
    return np.array(flat, np.uint64), np.cumsum([0, *map(len, rows)], dtype=np.int64)


@given(st.lists(st.lists(symbols, max_size=12), max_size=5), st.integers(1, 6), st.binary(min_size=16, max_size=16))
def test_values_are_permuted_identities(rows, k, seed):
    key = Key(seed)
    flat, bounds = columns(rows)
    grams, turn = hasher(key, k), permutation(key)
    native, specified = (
        kernel.values(flat, bounds, k, *grams.constants, turn.constants) for kernel in (native_shingles, specification)
    )
    assert native.tolist() == specified.tolist()
    one_by_one = [
        turn(grams.identity(np.array(row, np.uint64), np.arange(max(0, len(row) - k + 1)))).tolist() for row in rows
    ]
    assert native.tolist() == [value for row in one_by_one for value in row]


@given(st.lists(st.lists(values, max_size=80), max_size=5))
def test_distinct(rows):
    (native, ends), (specified, specified_ends) = (
        kernel.distinct(*columns(rows)) for kernel in (native_shingles, specification)
    )
    assert native.tolist() == specified.tolist()
    assert ends.tolist() == specified_ends.tolist()


@given(st.integers(0, 1 << 40), st.sampled_from([0, 20, 40, 63]), st.sampled_from([25, 3000, 20_000]))
def test_distinct_sorts_long_rows_of_any_shape(seed, shift, size):
    row = np.random.default_rng(seed).integers(0, 1 << 63, size, np.uint64) >> np.uint64(shift)
    unique_values, ends = native_shingles.distinct(row, np.array([0, size]))
    assert unique_values.tolist() == np.unique(row).tolist()
    assert ends.tolist() == [0, len(unique_values)]


@given(st.lists(st.lists(values | st.sampled_from([0, 8, 1 << 63]), max_size=30), max_size=5), st.integers(1, 6))
def test_levels(rows, count):
    native, specified = (kernel.levels(*columns(rows), count) for kernel in (native_shingles, specification))
    assert native.shape == specified.shape == (len(rows), count)
    assert native.tolist() == specified.tolist()


@given(st.lists(values, max_size=30), st.sets(values, max_size=9))
def test_values_among_others(some, wanted):
    # Some of them are; and some begin with the same bits as one of them.
    every = np.array([*some, *sorted(wanted)[::2], *(one ^ 1 for one in wanted)], np.uint64)
    native, specified = (
        kernel.among(every, np.array(sorted(wanted), np.uint64)) for kernel in (native_shingles, specification)
    )
    assert native.tolist() == specified.tolist() == [i for i, one in enumerate(every.tolist()) if one in wanted]


@given(st.lists(values | st.integers(0, 20), max_size=60), st.integers(0, 4), st.integers(0, 3))
def test_cells_count_values(some, bits, most):
    row, kernels = np.array(some, np.uint64), (native_shingles, specification)
    cells = [np.zeros(1 << bits, np.uint32) for _ in kernels]
    for kernel, counts in zip(kernels, cells, strict=True):
        kernel.tally(row, counts)
    assert cells[0].tolist() == cells[1].tolist()
    assert cells[0].sum() == len(row)
    native, specified = (kernel.above(row, cells[0], most) for kernel in kernels)
    assert native.tolist() == specified.tolist()


@given(st.lists(st.lists(values, max_size=30), max_size=5), st.sampled_from([1, 2, 16]), st.integers(1, 8))
def test_samples(rows, modulus, least):
    native, specified = (kernel.sample(*columns(rows), modulus, least) for kernel in (native_shingles, specification))
    for one, two in zip(native, specified, strict=True):
        assert one.tolist() == two.tolist()


@given(st.lists(st.sets(values, max_size=8).map(sorted), max_size=5), st.integers(1, 12), st.integers(0, 1 << 20))
def test_minima(rows, bins, seed):
    donors = np.random.default_rng(seed).integers(bins, size=(bins, 3))
    native, specified = (kernel.minima(*columns(rows), donors) for kernel in (native_shingles, specification))
    assert native.tolist() == specified.tolist()
    assert len(native) == bins * sum(1 for row in rows if row)


@given(st.lists(st.lists(values, max_size=11), max_size=5))
def test_digests(rows):
    native, specified = (kernel.digests(*columns(rows)) for kernel in (native_shingles, specification))
    assert native.tolist() == specified.tolist()
    digests = [tuple(digest) for digest in native.tolist()]
    assert all((one == two) == (digests[i] == digests[j]) for i, one in enumerate(rows) for j, two in enumerate(rows))
    assert all((digest == (0, 0)) == (not row) for digest, row in zip(digests, rows, strict=True))


@given(st.lists(values, min_size=1, max_size=40), st.data())
def test_digests_tell_changed_rows_apart(row, data):
    place = data.draw(st.integers(0, len(row) - 1))
    changed = [*row[:place], row[place] ^ 1 << data.draw(st.integers(0, 63)), *row[place + 1 :]]
    moved = [*row[place:], *row[:place]]
    shorter = row[:place]
    others = [other for other in (changed, moved, shorter) if other != row]
    assert (
        native_shingles.digests(*columns([row])).tolist()[0] not in native_shingles.digests(*columns(others)).tolist()
    )


@pytest.fixture(scope="module")
def hashes(tmp_path_factory):
    path = tmp_path_factory.mktemp("shingles") / "hashes"
    np.arange(100, dtype=np.uint64).tofile(path)
    return path


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted)))
def test_gathering(hashes, spans):
    bounds = np.cumsum([0, *(end - start for start, end in spans)])
    starts = np.array([start for start, _ in spans], np.int64)
    with hashes.open("rb") as file:
        for kernel in KERNELS:
            gathered = kernel.gather(file.fileno(), starts, bounds)
            assert gathered.tolist() == [number for start, end in spans for number in range(start, end)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_file_that_ends_early(hashes, kernel):
    with hashes.open("rb") as file, pytest.raises(OSError, match="ends before"):
        kernel.gather(file.fileno(), np.array([3, 98]), np.array([0, 5, 8]))


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_cannot_be_read(tmp_path, kernel):
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(IsADirectoryError):
            kernel.gather(descriptor, np.array([0]), np.array([0, 1]))
    finally:
        os.close(descriptor)
