"""The score: its parts, their mean, and what little evidence is worth."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.matching.score import ENOUGH, LOWEST, ScorePart, damping, make_part, make_score, mean
from whorl.scheme import PRESETS, Scheme

CODE = PRESETS["code"]

shares = st.floats(0, 1)
weights = st.floats(0, 1e6)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=4), st.integers(0, 10**6))
def test_a_score_is_what_its_docstring_says(parts, matched):
    score = make_score(tuple(ScorePart(str(number), *part) for number, part in enumerate(parts)), matched, CODE)
    assert score.value == (score.similarity + score.containment) / 2 * score.damping
    assert 0 <= score.value <= 1 + 1e-12
    for at, value in enumerate((score.similarity, score.containment)):
        values = sorted(part[at] for part in parts)
        by_hand = values[0] if len(values) == 1 else (values[0] * LOWEST + sum(values[1:])) / (len(values) - 1 + LOWEST)
        assert value == pytest.approx(by_hand)


def test_a_mean_is_the_same_under_every_python():
    """From 3.12 on, sum() makes 0.6 of these, and 0.21999999999999997 is their mean."""
    assert mean([0.1, 0.2, 0.3]) == 0.22000000000000003


@given(st.lists(shares, min_size=1, max_size=4))
def test_a_mean_is_between_the_lowest_and_the_highest(values):
    assert min(values) - 1e-12 <= mean(values) <= max(values) + 1e-12


@given(st.integers(0, 2000), st.integers(1, 500))
def test_the_score_grows_with_the_evidence(matched, more):
    assert damping(matched, CODE) <= damping(matched + more, CODE) <= 1
    assert damping(0, CODE) == 0


def test_110_tokens_and_390_letters_are_enough():
    for name, enough in (("code", 110), ("text", 390)):
        scheme = PRESETS[name]
        assert enough == ENOUGH * (scheme.guarantee or 0)
        assert damping(enough, scheme) == 1
        assert damping(enough - 1, scheme) < 1
        assert damping(enough // 4, scheme) == pytest.approx(sqrt((enough // 4) / enough))


def test_a_scheme_that_promises_nothing_counts_by_its_k():
    scheme = Scheme(frontend="code", k=8, select="mod", p=4)
    assert scheme.guarantee is None
    assert damping(20, scheme) == sqrt(20 / 80)


@given(weights, weights, weights)
def test_a_part_is_the_weighted_jaccard_coefficient_and_containment(shared, left, right):
    left, right = shared + left, shared + right
    part = make_part("tokens", shared, left, right)
    if min(left, right) > 0:
        assert part.similarity == pytest.approx(shared / (left + right - shared))
        assert part.containment == pytest.approx(shared / min(left, right))
    assert 0 <= part.similarity <= part.containment <= 1


def test_nothing_is_no_part_of_anything():
    assert make_part("tokens", 0.0, 0.0, 5.0) == ScorePart("tokens", 0.0, 0.0)
