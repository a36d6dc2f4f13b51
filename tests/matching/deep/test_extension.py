"""Extension: edges grow over words that occur once on each side, and no further."""

import numpy as np

from tests.matching.deep.test_seeds import words
from whorl.matching.deep.likeness import extended


def row(text: str):
    return words([(ord(letter), True, True, letter == "|") for letter in text])


def grown(left: str, right: str, box: tuple[int, int, int, int], reach: int = 9, step: int = 2) -> list[int]:
    found: list[int] = extended(np.array([box]), row(left), row(right), reach, step)[0].tolist()
    return found


def test_words_near_both_edges_are_taken_in_step_by_step():
    assert grown("aXbcYdZ", "XbcqYpZ", (2, 4, 1, 3)) == [1, 7, 0, 7]


def test_a_word_that_is_near_on_one_side_only_is_not():
    assert grown("bcX", "bcqqqqX", (0, 2, 0, 2)) == [0, 2, 0, 2]


def test_a_word_that_occurs_twice_is_not():
    assert grown("bcXX", "bcX", (0, 2, 0, 2)) == [0, 2, 0, 2]


def test_no_edge_leaves_its_file():
    assert grown("ab|X", "ab|X", (0, 2, 0, 2)) == [0, 2, 0, 2]


def test_nothing_has_nothing_to_extend():
    assert extended(np.zeros((0, 4), np.int64), row("a"), row("a"), 9, 2).shape == (0, 4)
