"""The loops over postings: the compiled ones equal their specification."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import postings as specification
from whorl.kernel import native_postings
from whorl.storage.postings import Postings

KERNELS = (native_postings, specification)
LAST = 2**64 - 1

# Few hashes, so that they repeat; the ends of every range; and any.
hashes = st.integers(0, 5) | st.integers(LAST - 5, LAST) | st.integers(0, LAST)
numbers = st.integers(0, 3) | st.integers(0, 2**32 - 1)
runs = st.lists(st.tuples(hashes, numbers, numbers), max_size=60)


def unsorted(rows):
    shaped = np.array(rows, np.uint64).reshape(-1, 3)
    return shaped[:, 0].copy(), shaped[:, 1].astype(np.uint32), shaped[:, 2].astype(np.uint32)


def columns(rows):
    return unsorted(sorted(rows))


def listed(result):
    return [column.tolist() for column in result]


def settled(kernel, given_ones, step):
    """All heaps in order, so many at a time."""
    rows, bounds = kernel.deal(*given_ones)
    result = tuple(map(np.empty_like, given_ones))
    for first in range(0, len(bounds) - 1, step):
        kernel.settle(rows, bounds, first, min(first + step, len(bounds) - 1), *result)
    return result


@given(st.lists(st.tuples(st.lists(hashes, max_size=5), st.booleans()), max_size=8), numbers)
def test_hashes_become_postings(rows, first):
    first = min(first, 2**32 - 10)
    result = np.array([one for row, _ in rows for one in row], np.uint64)
    bounds = np.cumsum([0, *(len(row) for row, _ in rows)], dtype=np.int64)
    chosen = np.array([is_chosen for _, is_chosen in rows], np.uint8)
    expected = [(one, first + i) for i, (row, is_chosen) in enumerate(rows) if is_chosen for one in row]
    for kernel in KERNELS:
        values, documents = kernel.post(result, bounds, chosen, first)
        assert list(zip(values.tolist(), documents.tolist(), strict=True)) == expected


@given(runs, runs)
def test_runs_are_merged(one, two):
    expected = listed(columns([*one, *two]))
    for kernel in KERNELS:
        assert listed(kernel.merge(*columns(one), *columns(two))) == expected


@given(st.lists(numbers, max_size=30), st.sets(numbers, max_size=10))
def test_documents_are_kept(documents, dropped):
    gone = np.array(sorted(dropped), np.uint32)
    for kernel in KERNELS:
        mask = kernel.keep(np.array(documents, np.uint32), gone)
        assert mask.tolist() == [document not in dropped for document in documents]


@given(runs)
def test_postings_are_put_in_order(rows):
    expected = listed(columns(rows))
    for kernel in KERNELS:
        assert listed(settled(kernel, unsorted(rows), 1)) == expected


@pytest.mark.parametrize("seed", range(3))
def test_many_postings_are_put_in_order(seed):
    """Uniform hashes, some that are common and in order, and some that are common and are not."""
    draw = np.random.default_rng(seed)
    count = 100_000
    result = draw.integers(0, 2**64, count, dtype=np.uint64)
    result[draw.integers(0, count, 2000)] = 77
    result[draw.integers(0, count, 20_000)] = LAST - 3
    documents = draw.integers(0, 50, count, dtype=np.uint32)
    documents[result == 77] = np.arange(np.count_nonzero(result == 77))
    given_ones = result, documents, draw.integers(0, 9, count, dtype=np.uint32)
    expected = listed(column[np.lexsort(given_ones[::-1])] for column in given_ones)
    (rows, bounds), (specified, edges) = (kernel.deal(*given_ones) for kernel in KERNELS)
    assert len(bounds) > 8
    assert (rows.tolist(), bounds.tolist()) == (specified.tolist(), edges.tolist())
    for kernel, step in ((native_postings, 1), (native_postings, 3), (specification, 3)):
        assert listed(settled(kernel, given_ones, step)) == expected
    for threads in (1, 2, 5):
        inside = Postings(*given_ones).in_order(threads)
        assert listed((inside.hashes, inside.documents, inside.places)) == expected


def test_columns_of_different_lengths_are_refused():
    for kernel in KERNELS:
        with pytest.raises(ValueError, match="different lengths"):
            kernel.deal(np.zeros(2, np.uint64), np.zeros(1, np.uint32), np.zeros(2, np.uint32))


@given(st.lists(st.lists(st.integers(0, 12), max_size=9), max_size=8))
def test_a_cover_takes_the_best_document_first(documents):
    bounds = np.cumsum([0, *map(len, documents)])
    places = np.array([place for document in documents for place in document], np.int64)
    native, expected = (kernel.greedy_cover(bounds, places, 13) for kernel in KERNELS)
    assert native.tolist() == expected.tolist()
