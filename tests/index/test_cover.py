"""The order of shared fingerprints, and words of programs: fast ways give what the plain ones give."""

import re

import numpy as np
import pytest

from whorl.index.cover import _in_order, _shared_words


@pytest.mark.parametrize("most", [1, 7, 1 << 12, 1 << 31])  # the last does not fit into one key
def test_shared_fingerprints_are_in_the_order_of_row_distance_and_number(most):
    chance = np.random.default_rng(most)
    rows, numbers = (chance.integers(0, most, 500) for _ in range(2))
    distances = chance.integers(-most, most, 500)
    ordered = np.lexsort((numbers, distances, rows))
    expected = rows[ordered], numbers[ordered], distances[ordered]
    for column, right in zip(_in_order(rows, numbers, distances), expected, strict=True):
        assert column.tolist() == right.tolist()


def test_nothing_shared_is_in_order():
    nothing = np.zeros(0, np.int64)
    assert [len(column) for column in _in_order(nothing, nothing, nothing)] == [0, 0, 0]


@pytest.mark.parametrize(
    "other",
    ["", "a_1 = b2+C", "\0a\x1fb\x7f", "naïve = é_x\u00a0a", "a\u2028b", "x" * 100, "".join(map(chr, range(128)))],
)
def test_words_are_those_of_the_pattern(other):
    words = frozenset(re.findall(r"\w+", "a b b2 C a_1 naïve é_x 0123456789 _ " + "x" * 100))
    encoded = {word.encode() for word in words if word.isascii()}
    assert _shared_words(words, encoded, other) == words.intersection(re.findall(r"\w+", other))
