"""The loops of clustering: the compiled ones equal their specification."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.kernel import native_pairs, twin_pairs

postings = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 9))).map(sorted)


@given(postings, st.integers(1, 6))
def test_expanding(rows, most):
    hashes, documents = (
        np.array(column, kind) for column, kind in zip(_columns(rows), (np.uint64, np.uint32), strict=True)
    )
    native, twin = (kernel.expand(hashes, documents, most) for kernel in (native_pairs, twin_pairs))
    assert native[0].tolist() == twin[0].tolist()
    assert native[1] == twin[1]


def _columns(rows):
    return tuple(zip(*rows, strict=True)) or ((), ())


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9))).map(sorted))
def test_counting(rows):
    pairs, weights = (
        np.array(column, kind) for column, kind in zip(_columns(rows), (np.uint64, np.uint32), strict=True)
    )
    for kernel in (native_pairs, twin_pairs):
        distinct, totals = kernel.count(pairs, weights)
        assert dict(zip(distinct.tolist(), totals.tolist(), strict=True)) == {
            pair: sum(weight for other, weight in rows if other == pair) for pair, _ in rows
        }


@given(st.lists(st.sets(st.integers(0, 20)), min_size=1, max_size=6), st.data())
def test_what_sets_share(sets, data):
    hashes = np.array([value for one in sets for value in sorted(one)], np.uint64)
    bounds = np.cumsum([0, *map(len, sets)])
    numbers = st.lists(st.tuples(st.integers(0, len(sets) - 1), st.integers(0, len(sets) - 1)), max_size=9)
    chosen = np.array(data.draw(numbers), np.int64).reshape(-1, 2)
    for kernel in (native_pairs, twin_pairs):
        found = kernel.shared(hashes, bounds, chosen[:, 0].copy(), chosen[:, 1].copy())
        assert found.tolist() == [len(sets[a] & sets[b]) for a, b in chosen.tolist()]
