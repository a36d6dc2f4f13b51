"""Which pairs cannot reach the threshold: the kernel's loop and the sweeps follow one rule."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import Pairs
from whorl.clustering.joining import DOUBT, SMALL_SAMPLE, may_reach
from whorl.kernel import native_pairs
from whorl.sweep.pairs import ContentSizes, may_reach_threshold

thresholds = st.sampled_from([0.1, 0.4, 0.8, 1.0])
measures = st.sampled_from(["resemblance", "containment"])


def by_kernel(count, common, left, right, threshold, measure):
    """Ask the kernel about one pair, whose sketches have so many values each."""
    kept = np.array([[left], [right]], np.int32)
    one, two, shared = (np.array([number], np.uint32) for number in (0, 1, count))
    sizes = None if measure == "resemblance" else np.array([left, right], np.int64)
    levels, commons = np.zeros(2, np.int32), np.full((2, 1), common, np.int32)
    return bool(native_pairs.hopeful(one, two, shared, levels, kept, commons, sizes, threshold, DOUBT, SMALL_SAMPLE)[0])


@given(st.integers(0, 60), st.integers(0, 5), st.integers(0, 99), st.integers(0, 99), thresholds, measures)
def test_the_kernel_follows_the_rule(count, common, left, right, threshold, measure):
    shared = count + common
    sample = np.array([left + right - shared if measure == "resemblance" else min(left, right)])
    variance = threshold * (1 - threshold) * np.maximum(0, sample)
    rule = may_reach(np.array([shared]), threshold * sample, variance, sample)
    assert by_kernel(count, common, left, right, threshold, measure) == rule[0]


@given(st.integers(0, 60), st.integers(0, 5), st.integers(0, 99), st.integers(0, 99), thresholds, measures)
def test_sweeps_rule_out_no_pair_that_the_kernel_keeps(count, common, left, right, threshold, measure):
    """The sweeps know less of the sketches, so they are never stricter."""
    modulus, shared = 4, min(count, left, right)
    pairs = Pairs(np.array([0]), np.array([1]), np.array([shared]))
    sizes = ContentSizes(np.array([modulus * left, modulus * right]), np.array([modulus, modulus]))
    settings = ClusterSettings(measure=measure, threshold=threshold)
    if by_kernel(shared, common, left, right, threshold, measure):
        assert may_reach_threshold(pairs, np.array([common]), sizes, settings)[0]
