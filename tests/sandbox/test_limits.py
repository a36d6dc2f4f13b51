"""Limits check themselves."""

import math

import pytest

from whorl.sandbox import Limits, LimitsError
from whorl.sandbox.limits import format_bytes


def test_the_defaults_are_in_range():
    assert Limits().seconds == 10
    assert Limits().memory == 1 << 30


def test_all_faults_are_reported_together():
    with pytest.raises(LimitsError) as caught:
        Limits(seconds=0, memory=1, result=0.5, depth=True, stack=1 << 40, files=-1)  # type: ignore[arg-type]
    names = [fault.partition(":")[0] for fault in caught.value.faults]
    assert names == ["seconds", "memory", "result", "depth", "stack", "files"]


@pytest.mark.parametrize("seconds", [math.nan, math.inf, "10", None])
def test_time_is_a_number(seconds):
    with pytest.raises(LimitsError, match=r"seconds: .* is not a number"):
        Limits(seconds=seconds)


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 kB"), (1 << 20, "1.0 MB"), (5 << 40, "5120.0 GB")],
)
def test_sizes_in_words(size, words):
    assert format_bytes(size) == words
