"""The small parts of the evidence: slips of spelling, lexemes, blanked spans."""

import pytest

from whorl.comparison.evidence.findings import blank_out, submission_texts
from whorl.comparison.evidence.traits import LexemeKind, bare, blanks, is_misspelling, lexemes, words
from whorl.comparison.result import File, Submission
from whorl.model import Span


@pytest.mark.parametrize(
    "pair",
    [
        ("lenght", "length"),
        ("recieve", "receive"),
        ("comit", "commit"),
        ("occurence", "occurrence"),
        ("seperate", "separate"),
    ],
)
def test_slips(pair):
    assert is_misspelling(*pair)
    assert is_misspelling(*reversed(pair))


@pytest.mark.parametrize(
    "pair",
    [
        ("count", "counts"),
        ("start", "smart"),
        ("value", "value"),
        ("total", "totally"),
        ("number", "umber"),
        ("below", "bellows"),
    ],
)
def test_words_of_their_own(pair):
    assert not is_misspelling(*pair)


def test_words_inside_names():
    found = [(trait.key, trait.start) for trait in words("getUserName HTTPServer under_scored x1y2 überall MISTAKE")]
    assert found == [("server", 16), ("under", 23), ("scored", 29), ("überall", 41), ("mistake", 49)]


def test_lexemes_of_a_program():
    found = [(each.kind, each.text) for each in lexemes("java", 'int a1 = 0x1F; // "no"\nString s = "// no" + 2.5;')]
    assert found == [
        (LexemeKind.NUMBER, "0x1F"),
        (LexemeKind.COMMENT, '// "no"'),
        (LexemeKind.STRING, '"// no"'),
        (LexemeKind.NUMBER, "2.5"),
    ]  # fmt: skip
    code = "a = 'x;y' # b\n"
    assert bare(code, lexemes("python", code)) == "a = 0_x_y_  \n"


def test_blanks_of_lines_that_were_given_do_not_count():
    line = "total = total + value   \n"
    assert [trait.start for trait in blanks(2 * line)] == [0, len(line)]
    assert [trait.start for trait in blanks(2 * line, [Span(3, 8)])] == [len(line)]
    assert list(blanks(2 * line, [Span(0, 5), Span(len(line) + 20, len(line) + 22)])) == []
    below = Span(2 * len(line), 2 * len(line) + 1)
    assert len(list(blanks(f"{2 * line}x\n", [below]))) == 2


def test_sanctioned_spans_are_blank_and_lines_stay():
    assert blank_out("ab\ncd\nef", [Span(1, 4)]) == "a \n d\nef"
    assert blank_out("abc", []) == "abc"
    submission = Submission("s", (File("f", "python", 3, (Span(0, 2),)),), 3, 1)
    (found,) = submission_texts([submission], lambda number, file: "xyz", lambda number, file: ("gone",))
    assert (found.name, found.files[0].text, found.files[0].unseen) == ("s", "  z", ("gone",))
