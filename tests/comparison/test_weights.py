"""The weights of fingerprints: sums that must agree to the last digit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.comparison.weights import Forms, NormalWeights, build_postings

sets = st.lists(st.sets(st.integers(0, 500), min_size=20, max_size=200), min_size=1, max_size=5)


@given(sets)
def test_a_copy_shares_exactly_the_weight_of_its_original(others):
    """Or two identical programs would score 99.99…% and rank below a third."""
    hashes = [np.array(sorted(each), np.uint64) for each in (others[0], *others)]
    _, weights = build_postings(hashes, most=len(hashes))
    assert weights.sum(hashes[0]) == weights.totals[0] == weights.totals[1]


@given(sets, st.integers(0, 40))
def test_all_parts_of_a_copy_are_1(others, statements):
    hashes = [np.array(sorted(each), np.uint64) for each in (others[0], *others)]
    _, weights = build_postings(hashes, most=len(hashes))
    counts = np.full(len(hashes), statements)
    forms = Forms(np.ones(len(hashes), np.bool_), counts, counts)
    parts = NormalWeights(forms, weights, weights, weights).parts(hashes[0], hashes[0], hashes[0], 0, 1)
    assert [part[1:] for part in parts] == [(1, 1), (1, 1)]
