"""The sentences of a report."""

import pytest

from whorl.matching.passage import Match, Passage, Side
from whorl.model import Span
from whorl.report import words
from whorl.scheme import PRESETS, Scheme, preset


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.001, "<1%"),
        (0.01, "1%"),
        (0.5, "50%"),
        (0.994, "99%"),
        (0.9999, "99%"),
        (1, "100%"),
        (1.01, "100%"),
    ],
)
def test_only_all_is_100_percent(share, text):
    assert words.percent(share) == text


def test_numbers_agree_with_their_nouns():
    assert words.counted(1, "pair") == "1 pair"
    assert words.counted(1200, "pair") == "1,200 pairs"
    assert words.symbols(1, preset("code")) == "1 token"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_reported_in_words(name):
    scheme = preset(name)
    result = f"{words.recipe(scheme)} {words.guarantee(scheme)}"
    assert f"k = {scheme.k}" in result
    assert str(scheme.symbols) in result
    assert "{" not in result


def test_the_guarantee():
    assert "at least 11 tokens is found" in words.guarantee(preset("code"))
    assert "no guarantee" in words.guarantee(preset("web"))


def test_each_selector_is_reported():
    assert "(w = 9)" in words.recipe(Scheme(k=5, w=9, select="winnow"))
    assert "all of them" in words.recipe(Scheme(k=5, select="full"))
    assert "1 in 7" in words.recipe(Scheme(k=5, select="mod", p=7))


def passage(*matches: Match) -> Passage:
    left, right = Side("Main.java", 0, 100, 10, 32), Side("Sol.java", 0, 100, 5, 5)
    return Passage(left, right, sum(match.symbols for match in matches), matches)


def test_why_a_passage_with_gaps_is_one():
    one = Match(Span(0, 40), Span(0, 50), 60)
    two = Match(Span(50, 100), Span(53, 90), 83)
    assert words.reason(passage(one, two), preset("code")) == (
        "Lines 10–32 of Main.java and line 5 of Sol.java: 143 tokens are equal, in 2 pieces, the longest of 83;"
        " between them are 10 characters in the first and 3 in the second; names, layout and comments do not count."
    )


def test_why_a_passage_without_gaps_is_one():
    result = words.reason(passage(Match(Span(0, 40), Span(0, 50), 60)), preset("text"))
    assert "60 characters are equal, in one piece, without a gap" in result
