"""Passages: matches chained over small gaps, told in files and lines."""

import pytest

import whorl
from whorl.matching.passage import Lines

SCHEME = whorl.Scheme(k=10, w=5)
FIRST = "The keeper of the light wrote down every evening what the sea had brought."
SECOND = "Nobody read it until the third winter, when the boat came back alone."


def texts(found: whorl.Likeness, left: str, right: str) -> list[tuple[str, str]]:
    return [
        (left[passage.left.start : passage.left.end], right[passage.right.start : passage.right.end])
        for passage in found.passages
    ]


def test_an_edit_does_not_part_a_passage():
    left, right = FIRST, FIRST.replace("every evening", "each night")
    found = whorl.compare(left, right, SCHEME)
    assert len(found.passages) == 1
    assert len(found.passages[0].matches) == 2
    assert texts(found, left, right)[0][0].startswith("The keeper")
    assert texts(found, left, right)[0][1].endswith("had brought")


def test_an_insertion_does_not_part_a_passage():
    left, right = FIRST, FIRST.replace("wrote", "wrote, when he could,")
    assert len(whorl.compare(left, right, SCHEME).passages) == 1


def test_what_was_moved_is_two_passages():
    left, right = f"{FIRST} {SECOND}", f"{SECOND} {FIRST}"
    found = whorl.compare(left, right, SCHEME)
    assert len(found.passages) == 2
    assert found.left_coverage == found.right_coverage == 1
    assert found.passages[0].symbols >= found.passages[1].symbols


def test_what_was_pasted_twice_is_found_twice():
    left, right = SECOND, f"{SECOND} Then it began again. {SECOND}"
    found = whorl.compare(left, right, SCHEME)
    assert [right[p.right.start : p.right.end] for p in found.passages] == [SECOND[:-1], SECOND[:-1]]
    assert found.left_coverage == 1
    assert found.right_coverage == pytest.approx(110 / 125, abs=0.02)


def test_a_long_gap_parts():
    left, right = f"{FIRST} {SECOND}", f"{FIRST} {'x y z ' * 150} {SECOND}"
    assert len(whorl.compare(left, right, SCHEME).passages) == 2


def test_lines_count_from_one():
    left, right = f"\n\n{FIRST}\n{SECOND}\n", f"{FIRST}\n{SECOND}"
    (passage,) = whorl.compare(left, right, SCHEME).passages
    assert (passage.left.start_line, passage.left.end_line) == (3, 4)
    assert (passage.right.start_line, passage.right.end_line) == (1, 2)


@pytest.mark.parametrize("text", ["", "\n", "a\nb", "a\n\nb\n", "é\n\U0001f600\n\ud800", "a\r\nb\rc"])
def test_lines_are_those_of_an_editor(text):
    lines = Lines(text)
    assert [lines.line(place) for place in range(len(text))] == [
        text[:place].count("\n") + 1 for place in range(len(text))
    ]


def test_nothing_in_common():
    found = whorl.compare("completely different words stand here", "und hier stehen nun ganz andere", SCHEME)
    assert not found.passages
    assert not found.matches
    assert found.score == found.left_coverage == found.longest == 0


@pytest.mark.parametrize("text", ["", "abc", "… — !"])
def test_fewer_than_k_symbols_share_nothing(text):
    assert whorl.compare(text, text, SCHEME).score == 0
