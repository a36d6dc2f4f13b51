"""What each rule keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.sketches.universe import by_hand
from whorl.engine.sampling import Adaptive, Modulus, admit, distinct, reduce, rule
from whorl.errors import SketchError, UnknownNameError

values = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 200), max_size=60)


def array(numbers):
    return np.array(numbers, np.uint64)


@given(values)
def test_distinct(numbers):
    assert distinct(array(numbers)).tolist() == sorted(set(numbers))


@given(values, st.integers(1, 70))
def test_minimum(numbers, size):
    assert by_hand(numbers, "min", size).hashes.tolist() == sorted(set(numbers))[:size]


@given(values, st.integers(1, 100) | st.sampled_from([2**20, 3 * 2**20, 2**31 - 1]), st.integers(0, 2**33))
def test_modulus(numbers, size, factor):
    numbers = [*numbers, size * factor, size * factor + 1]
    assert admit(Modulus(size), array(numbers)).tolist() == [number for number in numbers if number % size == 0]


@given(values, st.integers(1, 30))
def test_adaptive_takes_the_least_level_that_fits(numbers, size):
    sketched = by_hand(numbers, "adaptive", size)
    assert sketched.hashes.tolist() == sorted({number for number in numbers if number % 2**sketched.level == 0})
    assert len(sketched) <= size
    if sketched.level:
        assert len({number for number in numbers if number % 2 ** (sketched.level - 1) == 0}) > size


@given(values, st.integers(0, 8), st.integers(0, 8))
def test_a_higher_level_follows_from_a_lower_one(numbers, low, more):
    everything = distinct(array(numbers))
    finer = admit(Adaptive(1), everything, level=low)
    direct = admit(Adaptive(1), everything, level=low + more)
    assert admit(Adaptive(1), finer, level=low + more).tolist() == direct.tolist()
    assert direct.tolist() == [number for number in sorted(set(numbers)) if number % 2 ** (low + more) == 0]


def test_no_level_is_beyond_64_bits():
    level, sample = reduce(Adaptive(1), array([0, 2**63]))
    assert (level, sample.tolist()) == (64, [0])


@pytest.mark.parametrize("size", [0, -1, 2**31, 1.5, True])
def test_wrong_size(size):
    with pytest.raises(SketchError, match="size"):
        rule("min", size)


def test_unknown_kind():
    with pytest.raises(UnknownNameError, match="adaptive, min, mod"):
        rule("max", 1)


def test_moduli_that_have_too_large_a_multiple():
    with pytest.raises(SketchError, match="size"):
        Modulus(2**31 - 1).common(Modulus(2**31 - 3))
