"""The order of shared fingerprints, words of programs and how they repeat: fast ways give what the plain ones give."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.index.cover import IN_A_ROW, REACH, _in_order, repetitions, words_of


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
    "text",
    ["", "a_1 = b2+C", "\0a\x1fb\x7f", "naïve = é_x\u00a0a", "a\u2028b", "x" * 100, "".join(map(chr, range(128)))],
)
def test_words_are_those_of_the_pattern(text):
    assert words_of(text) == re.findall(r"\w+", text)


NAMES = st.lists(st.sampled_from("abcdef"), max_size=60)


@given(NAMES, st.permutations("uvwxyz"))
def test_repetitions_do_not_change_with_the_names(words, others):
    renamed = [others["abcdef".index(word)] for word in words]
    assert repetitions(words).tolist() == repetitions(renamed).tolist()


@given(NAMES)
def test_repetitions_are_those_of_the_definition(words):
    repeated = [
        sum(1 << distance - 1 for distance in range(1, min(REACH, at) + 1) if words[at - distance] == word)
        for at, word in enumerate(words)
    ]
    expected = [
        sum(repeated[at + place] << REACH * (IN_A_ROW - 1 - place) for place in range(IN_A_ROW))
        for at in range(len(words) - IN_A_ROW + 1)
    ]
    assert repetitions(words).tolist() == expected
