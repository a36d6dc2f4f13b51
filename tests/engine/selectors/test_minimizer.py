"""The mod-minimizers: what the papers say of their densities and what we add for ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.engine.winnowing import ModMinimizer, OpenClosedModMinimizer, inner_length

NAMES = ("mod-minimizer", "open-closed-mod-minimizer")


@given(st.integers(1, 200), st.integers(1, 100), st.integers(1, 8))
def test_the_inner_grams_length(k, w, r):
    t = inner_length(k, w, r)
    assert 1 <= t <= k
    assert (k - t) % w == 0
    assert t >= min(k, r)
    assert t < r + w or t == k < r


@pytest.mark.parametrize(
    ("k", "w", "density"), [(100, 50, 0.0297), (23, 17, 0.0856), (4, 10, 2 / 11), (50, 100, 2 / 101)]
)
def test_theory(k, w, density):
    assert ModMinimizer(w, 4).density(k) == pytest.approx(density, abs=2e-4)


def test_there_is_no_theory_for_the_open_closed_one():
    assert OpenClosedModMinimizer(10, 4).density(20) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "w"), [(100, 50), (23, 17), (8, 4), (3, 9)])
def test_a_constant_string_costs_one_a_window(name, k, w):
    fingerprints = whorl.fingerprint(np.full(20_000, 7, np.uint8), whorl.Scheme(k=k, w=w, select=name))
    assert len(fingerprints) == fingerprints.grams // w


@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=9), st.integers(1, 12), st.integers(0, 12), st.sampled_from(NAMES)
)
@examples(500)
def test_a_period_that_fits_in_a_window_costs_at_most_two_a_window(period, k, more, name):
    """Low entropy must not be what breaks the density: plain mod-sampling would take nearly all of such a string."""
    w = len(period) + more
    fingerprints = whorl.fingerprint(np.resize(np.array(period, np.uint8), 2_000), whorl.Scheme(k=k, w=w, select=name))
    assert fingerprints.density <= 2 / w + 0.01
