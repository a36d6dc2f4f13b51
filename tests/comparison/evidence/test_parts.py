"""The small parts of the evidence: slips of spelling, lexemes, blanked spans."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.comparison.evidence.findings import blank_out, submission_texts
from whorl.comparison.evidence.traits import (
    LexemeKind,
    bare,
    blanks,
    codes_of,
    first_written,
    is_misspelling,
    lexemes,
    read_program,
    text_of,
    words,
)
from whorl.comparison.result import File, Submission
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.row import NUMBERS, STRINGS, comment_pattern
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
    text = "getUserName HTTPServer under_scored x1y2 überall MISTAKE"
    assert words(codes_of(text)) == {"server", "under", "scored", "überall", "mistake"}
    assert first_written(text, {"server", "mistake", "absent"}) == {
        "server": ("Server", 16),
        "mistake": ("MISTAKE", 49),
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("undervalued _value value value", {"undervalued": 0, "value": 13}),
        ("evaluated values value", {"evaluated": 0, "values": 10, "value": 17}),
        ("valueä value1 2value value", {"valueä": 0, "value": 7}),
        ("value", {"value": 0}),
        (f"{'a' * 300_000} {'a' * 300_000} {'a' * 150_000} aaaaa", {"aaaaa": 750_003}),
    ],
)
def test_a_word_is_placed_where_it_is_first_written_and_not_inside_of_another(text, found):
    assert words(codes_of(text)) == found.keys()
    assert {word: start for word, (_, start) in first_written(text, found.keys()).items()} == found


@settings(max_examples=300)
@given(st.text(alphabet="ab_Aé1 ,.", max_size=200))
def test_words_are_those_of_a_plain_search(text):
    inner = re.compile(r"[A-Z]?[^\W\d_A-Z]+|(?<![A-Z])[A-Z]{5,24}(?![^\W\d_])")
    plain: dict[str, tuple[str, int]] = {}
    for run in re.finditer(r"\w{5,}", text):
        for word in inner.finditer(run[0]):
            if 5 <= len(word[0]) <= 24:
                plain.setdefault(word[0].lower(), (word[0], run.start() + word.start()))
    assert words(codes_of(text)) == plain.keys()
    assert first_written(text, plain.keys()) == plain


@settings(max_examples=300)
@given(st.sampled_from(sorted(LANGUAGES)), st.text(alphabet="a1.#/*-\"'`\\ \nx{}", max_size=80))
def test_lexemes_are_those_of_a_plain_search(language, text):
    pattern = rf"({comment_pattern(LANGUAGES[language].comments)})|({STRINGS})|(?<!\w)({NUMBERS})"
    plain = [(match.lastindex, match[0], match.start()) for match in re.finditer(pattern, text)]
    assert list(lexemes(language, text)) == plain


def test_lexemes_of_a_program():
    found = [(each.kind, each.text) for each in lexemes("java", 'int a1 = 0x1F; // "no"\nString s = "// no" + 2.5;')]
    assert found == [
        (LexemeKind.NUMBER, "0x1F"),
        (LexemeKind.COMMENT, '// "no"'),
        (LexemeKind.STRING, '"// no"'),
        (LexemeKind.NUMBER, "2.5"),
    ]  # fmt: skip
    code = "a = 'x;y' # b\n"
    assert text_of(bare(read_program("python", code))) == "a = 0_x_y_  \n"


def odd_starts(text, starter_code=()):
    """Where lines with odd blanks start."""
    return [start for _, _, start in blanks(read_program("python", text), starter_code)]


def test_blanks_of_lines_that_were_given_do_not_count():
    line = "total = total + value   \n"
    assert odd_starts(2 * line) == [0, len(line)]
    assert odd_starts(2 * line, [Span(3, 8)]) == [len(line)]
    assert odd_starts(2 * line, [Span(0, 5), Span(len(line) + 20, len(line) + 22)]) == []
    below = Span(2 * len(line), 2 * len(line) + 1)
    assert len(odd_starts(f"{2 * line}x\n", [below])) == 2


def test_odd_blanks_are_named_and_their_line_has_a_shape():
    (trait,) = blanks(read_program("python", "  \tfirst  = second [12] ,  b2 \n"))
    described = [
        "1 blank at the end of a line",
        "tabs after spaces in an indentation",
        "blanks before a comma, a semicolon or a bracket",
        "several blanks between two words",
    ]
    assert trait == ("+".join(described) + " n=n[0],n", " and ".join(described), 0)


def test_sanctioned_spans_are_blank_and_lines_stay():
    assert blank_out("ab\ncd\nef", [Span(1, 4)]) == "a \n d\nef"
    assert blank_out("abc", []) == "abc"
    submission = Submission("s", (File("f", "python", 3, (Span(0, 2),)),), 3, 1)
    (found,) = submission_texts([submission], lambda number, file: "xyz", lambda number, file: ("gone",))
    assert (found.name, found.files[0].text, found.files[0].unseen) == ("s", "  z", ("gone",))
