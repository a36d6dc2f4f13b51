"""Working ahead: in order on any number of threads, and errors come out."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.threads import Prefetch

threads = st.integers(1, 4)


def slowly(number):
    """The first of each four is the last to be done."""
    time.sleep(0.001 * (number % 4 == 0))
    return -number


@given(st.integers(0, 20), threads)
def test_results_come_in_order(count, threads):
    results: list[int] = []
    with Prefetch(threads) as ahead:
        assert list(ahead.map(slowly, range(count))) == [-number for number in range(count)]
        ahead.each(slowly, range(count), results.append)
    assert results == [-number for number in range(count)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("wrong", [0, 5, 19])
def test_an_error_ends_it(threads, wrong):
    """Of what is handed on, nothing comes after what failed."""
    results: list[int] = []

    def failing(number):
        if number == wrong:
            raise ValueError(number)
        return slowly(number)

    with Prefetch(threads) as ahead, pytest.raises(ValueError, match=str(wrong)):
        ahead.each(failing, range(20), results.append)
    assert results == [-number for number in range(wrong)]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_who_takes_the_results_ends_it(threads):
    results: list[int] = []

    def take(number):
        if number == -5:
            raise ValueError("full")
        results.append(number)

    with Prefetch(threads) as ahead, pytest.raises(ValueError, match="full"):
        ahead.each(slowly, range(20), take)
    assert results == [0, -1, -2, -3, -4]


def test_threads():
    with pytest.raises(InputError, match="threads: 0 is out of range"):
        Prefetch(0)
