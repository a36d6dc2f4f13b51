"""The paper's theorem: on small universes by enumeration of all permutations, on larger ones over many keys."""

from fractions import Fraction
from math import comb, isnan, sqrt

import numpy as np
import pytest

from tests.engine.sketches.universe import PAIRS, by_hand, every_permutation, keys, overlapping, web
from whorl.engine.estimates import Estimate, beta, clopper_pearson, estimate_containment, estimate_resemblance
from whorl.engine.shingles import containment, resemblance
from whorl.engine.sketches import sketch, sketch_hashes
from whorl.errors import InputError, SketchError
from whorl.scheme import Scheme

SMALL = [("min", 2), ("min", 3), ("mod", 2), ("mod", 3), ("adaptive", 1), ("adaptive", 3)]

# Of a mean over many keys: at four standard errors, one test in 16,000 fails by chance; the keys are fixed.
ERRORS = 4


def mean_over_permutations(kind, size, first, second, estimate):
    """Exact. Permutations that leave no sample have no say."""
    total, permutations = Fraction(0), 0
    for *pair, count in every_permutation(kind, size, first, second):
        estimated = estimate(*pair)
        if estimated.sample:
            total += count * Fraction(estimated.value).limit_denominator(100)
            permutations += count
    assert permutations
    return total / permutations


@pytest.mark.parametrize(("kind", "size"), SMALL)
def test_resemblance_is_unbiased(kind, size):
    for first, second in PAIRS:
        exact = Fraction(len(first & second), len(first | second))
        assert mean_over_permutations(kind, size, first, second, estimate_resemblance) == exact


@pytest.mark.parametrize(("kind", "size"), SMALL[2:])
def test_containment_is_unbiased(kind, size):
    for first, second in PAIRS:
        exact = Fraction(len(first & second), len(first))
        assert mean_over_permutations(kind, size, first, second, estimate_containment) == exact


@pytest.mark.parametrize(("kind", "size"), SMALL)
def test_equal_and_disjoint_sets_are_reported_with_certainty(kind, size):
    for first, second, expected in (({0, 1, 2}, {0, 1, 2}, 1), ({0, 1, 2}, {3, 4}, 0)):
        for *pair, _ in every_permutation(kind, size, first, second):
            estimate = estimate_resemblance(*pair)
            assert estimate.value == expected or not estimate.sample


@pytest.mark.parametrize(("kind", "size"), [("min", 50), ("mod", 8), ("mod", 7), ("adaptive", 50)])
@pytest.mark.parametrize(("common", "first_only", "second_only"), [(300, 100, 200), (100, 20, 900), (30, 500, 500)])
def test_over_many_keys(kind, size, common, first_only, second_only):
    first, second = overlapping(common, first_only, second_only)
    estimated, contained, covered = [], [], 0
    exact, part = common / (common + first_only + second_only), common / (common + first_only)
    for key in keys(400, seed=size):
        a, b = (sketch_hashes(hashes, kind, size, web(key), key) for hashes in (first, second))
        estimate = estimate_resemblance(a, b)
        estimated.append(estimate.value)
        covered += estimate.low <= exact <= estimate.high
        if kind != "min" and (one := estimate_containment(a, b)).sample:
            contained.append(one.value)
    assert abs(np.mean(estimated) - exact) < ERRORS * np.std(estimated) / sqrt(len(estimated))
    if contained:
        assert abs(np.mean(contained) - part) < ERRORS * np.std(contained) / sqrt(len(contained))
    assert covered / len(estimated) >= 0.95 - ERRORS * sqrt(0.95 * 0.05 / len(estimated))


def test_over_many_keys_on_texts():
    """From text to estimate, on shingles that differ in little: each line is the one before with a word changed."""
    words = [f"w{number}" for number in range(12)]
    first = " ".join(" ".join([*words, str(number % 300)]) for number in range(400))
    second = " ".join(" ".join([*words, str(number % 300)]) for number in range(150, 550))
    second = second.replace("w7", "v7", 200)
    exact, part = resemblance(first, second, "web"), containment(first, second, "web")
    assert 0.2 < exact < part < 0.8
    by_min, by_mod = [], []
    for key in keys(150, seed=3):
        a, b = (sketch(text, "min", 20, web(key), key) for text in (first, second))
        by_min.append(estimate_resemblance(a, b).value)
        a, b = (sketch(text, "mod", 20, web(key), key) for text in (first, second))
        by_mod.append(estimate_containment(a, b).value)
    assert abs(np.mean(by_min) - exact) < ERRORS * np.std(by_min) / sqrt(len(by_min))
    assert abs(np.mean(by_mod) - part) < ERRORS * np.std(by_mod) / sqrt(len(by_mod))


def test_remainders_and_minima_look_random():
    """Chi-squared over the remainders, and over where the minimum lies, of identities that are 0, 1, 2, …"""
    hashes = np.arange(64, dtype=np.uint64)
    drawn = [sketch_hashes(hashes, "min", 64, web(key), key).hashes for key in keys(500, seed=9)]
    for modulus in (7, 8, 25):
        counts = np.bincount((np.concatenate(drawn) % np.uint64(modulus)).astype(int), minlength=modulus)
        assert chi_squared(counts) < modulus - 1 + ERRORS * sqrt(2 * (modulus - 1))
    minima = np.array([values[0] for values in drawn])
    # The smallest of 64 uniform values: its probability integral is uniform.
    shares = 1 - (1 - minima.astype(float) / 2**64) ** 64
    counts = np.bincount((10 * shares).astype(int), minlength=10)
    assert chi_squared(counts) < 9 + ERRORS * sqrt(18)


def test_shingles_that_differ_in_one_symbol_are_kept_independently():
    """The number kept varies as that of independent draws; the variance of identities alone is 1.4 times that."""
    symbols = np.full(800, 70_000, np.uint32)
    symbols[1::2] = np.arange(300, 700)
    drawn = keys(400, seed=5)
    sizes = [len(sketch(symbols, "mod", 8, Scheme(k=2, select="full", key=key.id), key)) for key in drawn]
    spread = np.var(sizes) / (799 / 8 * 7 / 8)
    assert abs(np.mean(sizes) - 799 / 8) < ERRORS * sqrt(799 / 8 * 7 / 8 / len(sizes))
    assert abs(spread - 1) < ERRORS * sqrt(2 / len(sizes))


def chi_squared(counts):
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


class TestSizes:
    def test_of_documents_of_different_sizes(self):
        first, second = overlapping(90, 10, 6000)
        key = keys(1, seed=2)[0]
        a, b = (sketch_hashes(hashes, "adaptive", 200, web(key), key) for hashes in (first, second))
        assert a.level == 0
        assert b.level >= 5
        estimate = estimate_containment(a, b)
        assert estimate.sample < 20
        assert estimate.low <= 0.9 <= estimate.high
        assert estimate.high - estimate.low > 0.3

    def test_a_smaller_minimum_sketch_sets_the_sample(self):
        first, second = by_hand(range(50), "min", 10), by_hand(range(50), "min", 20)
        assert estimate_resemblance(first, second) == Estimate(1.0, clopper_pearson(10, 10, 0.95)[0], 1.0, 10)

    def test_moduli_meet_in_their_common_multiple(self):
        first, second = by_hand(range(1, 60), "mod", 4), by_hand(range(1, 30), "mod", 6)
        estimate = estimate_resemblance(first, second)
        assert (estimate.value, estimate.sample) == (0.5, 4)


class TestExact:
    def test_complete_sketches_are_certain(self):
        for kind, size in (("min", 9), ("mod", 1), ("adaptive", 9)):
            first, second = by_hand(range(8), kind, size), by_hand(range(4, 12), kind, size)
            assert estimate_resemblance(first, second) == Estimate(4 / 12, 4 / 12, 4 / 12, 12)

    def test_empty_documents(self):
        nothing, something = by_hand([], "mod", 3), by_hand(range(30), "mod", 3)
        assert estimate_resemblance(nothing, nothing) == Estimate(1.0, 1.0, 1.0, 0)
        assert estimate_containment(nothing, something) == Estimate(1.0, 1.0, 1.0, 0)
        assert estimate_resemblance(nothing, something).value == 0

    def test_without_a_sample_nothing_is_known(self):
        estimate = estimate_resemblance(by_hand([1, 2], "mod", 3), by_hand([1, 2], "mod", 3))
        assert isnan(estimate.value)
        assert (estimate.low, estimate.high, estimate.sample) == (0, 1, 0)

    def test_minima_do_not_tell_containment(self):
        with pytest.raises(SketchError, match="mod"):
            estimate_containment(by_hand([1], "min", 3), by_hand([1], "min", 3))


def binomial(share, sample, counts):
    """The probability of any of these counts."""
    return sum(comb(sample, count) * share**count * (1 - share) ** (sample - count) for count in counts)


class TestConfidence:
    @pytest.mark.parametrize("sample", [1, 10, 263])
    @pytest.mark.parametrize("confidence", [0.8, 0.95])
    def test_each_bound_leaves_its_tail(self, sample, confidence):
        """Clopper and Pearson's definition: at a bound, what was seen or more extreme has half of what is left."""
        tail = pytest.approx((1 - confidence) / 2, rel=1e-5)
        for matched in range(0, sample + 1, max(1, sample // 10)):
            low, high = clopper_pearson(matched, sample, confidence)
            assert (low == 0) if matched == 0 else (tail == binomial(low, sample, range(matched, sample + 1)))
            assert (high == 1) if matched == sample else (tail == binomial(high, sample, range(matched + 1)))

    @pytest.mark.parametrize("sample", [1, 7, 40])
    def test_the_tails_are_binomial(self, sample):
        for matched in range(1, sample + 1):
            for x in (0.01, 0.3, 0.5, 0.97):
                tail = binomial(x, sample, range(matched, sample + 1))
                assert beta(x, matched, sample - matched + 1) == pytest.approx(tail, abs=1e-12)

    @pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
    def test_coverage_is_never_below_what_is_claimed(self, confidence):
        sample = 30
        bounds = [clopper_pearson(matched, sample, confidence) for matched in range(sample + 1)]
        for share in np.linspace(0, 1, 101):
            inside = [matched for matched, (low, high) in enumerate(bounds) if low <= share <= high]
            covered = binomial(share, sample, inside)
            assert covered >= confidence - 1e-9

    def test_large_samples(self):
        low, high = clopper_pearson(500_000, 1_000_000, 0.95)
        assert (low, high) == pytest.approx((0.49902, 0.50098), abs=1e-5)

    @pytest.mark.parametrize("confidence", [0, 1, -1, 2])
    def test_wrong_confidence(self, confidence):
        with pytest.raises(InputError, match="confidence"):
            clopper_pearson(1, 2, confidence)
