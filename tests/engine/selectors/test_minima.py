"""The n smallest hashes of a document."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.engine.fixed_size import Minima


@given(st.lists(st.integers(0, 30), max_size=80), st.integers(1, 20))
def test_the_n_smallest_different_values_where_they_first_occur(values, n):
    expected = sorted(values.index(value) for value in sorted(set(values))[:n])
    assert Minima(n).select(np.array(values, np.uint64)).tolist() == expected


def test_a_fixed_size_whatever_the_length():
    rng = np.random.default_rng(4)
    scheme = whorl.Scheme(k=20, select="minima", n=100)
    for length in (500, 5_000, 500_000):
        fingerprints = whorl.fingerprint(rng.integers(0, 26, length, dtype=np.uint8), scheme)
        assert len(fingerprints) == len(set(fingerprints.hashes.tolist())) == 100


def test_all_of_it_where_a_document_has_fewer():
    symbols = np.tile(np.arange(7, dtype=np.uint8), 100)
    assert len(whorl.fingerprint(symbols, whorl.Scheme(k=20, select="minima", n=100))) == 7


def test_copies_have_the_same_minima_in_any_order_of_their_halves():
    rng = np.random.default_rng(5)
    left, right = (rng.integers(0, 26, 300_000, dtype=np.uint8) for _ in range(2))
    scheme = whorl.Scheme(k=20, select="minima", n=200)
    straight, swapped = (whorl.fingerprint(np.concatenate(p), scheme) for p in ((left, right), (right, left)))
    assert len(set(straight.hashes.tolist()) & set(swapped.hashes.tolist())) >= 198
