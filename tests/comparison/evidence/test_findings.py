"""Evidence is found where it was planted, between those who share it, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.evidence.planting import NAMES, planted, programs, written
from whorl.comparison.evidence.finding import Findings, SubmissionTexts, Text
from whorl.comparison.evidence.findings import MOST_FINDINGS, findings

PAIR = (2, 5)
TWO = tuple(NAMES[number] for number in PAIR)


def found_in(texts, **options):
    return findings(written(texts), **options)


def test_nothing_is_found_in_an_honest_class():
    assert found_in(programs()) == Findings({}, {})


@pytest.mark.parametrize(
    ("kind", "change", "word"),
    [
        ("literal", lambda text: text + 'print("the quick brown fox")\n', "the quick brown fox"),
        ("literal", lambda text: text + "print(86371)\n", "86371"),
        ("comment", lambda text: text + "# I do not know why this works\n", "I do not know why this works"),
        ("blanks", lambda text: text.replace("return kept", "return kept   "), "3 blanks at the end of a line"),
        ("blanks", lambda text: text.replace("(values, limit)", "(values , limit)"), "before a comma"),
        ("misspelling", lambda text: text.replace("separate", "seperate"), "“seperate”, where others write “separate”"),
        ("misspelling", lambda text: text.replace("receive", "recieve"), "“recieve”, where others write “receive”"),
        ("misspelling", lambda text: text.replace("position", "postion"), "“postion”, where others write “position”"),
    ],
)
def test_what_two_share_is_found_between_them_alone(kind, change, word):
    found = found_in(planted(change, *TWO))
    assert list(found.pairs) == [PAIR]
    assert found.submissions == {}
    (finding,) = found.of_pair(*reversed(PAIR))
    assert finding.kind == kind
    assert word in finding.words
    assert "none of the other 8 submissions does" in finding.words
    assert [place.submission for place in finding.places] == list(PAIR)


def test_places_are_lines():
    found = found_in(
        planted(lambda text: "# my very own remark\n" + text, TWO[0]) | {TWO[1]: "\n\n# my very own remark\n"}
    )
    (finding,) = found.of_pair(*PAIR)
    assert [(place.file, place.line) for place in finding.places] == [(f"{TWO[0]}.txt", 1), (f"{TWO[1]}.txt", 3)]


def test_a_misspelling_is_placed_in_the_first_file_that_has_it_and_quoted_from_the_first_who_writes_it():
    class_ = written(programs())
    for number, tail in zip(PAIR, ("x = Seperate\ny = seperate\n", "\ny = seperate\nx = Seperate\n"), strict=True):
        plain = class_[number].files[0]
        others = (Text("tail.txt", "python", tail), Text("later.txt", "python", tail))
        class_[number] = SubmissionTexts(class_[number].name, (plain, *others))
    finding = next(each for each in findings(class_).of_pair(*PAIR) if each.kind == "misspelling")
    assert "“Seperate”, where others write “separate”" in finding.words
    assert [(place.file, place.line) for place in finding.places] == [("tail.txt", 1), ("tail.txt", 2)]


def test_texts_are_read_again_where_a_word_is_misspelled():
    class_ = written(planted(lambda text: text.replace("separate", "seperate"), *TWO))
    read = []

    def texts_of(numbers):
        read.extend(numbers)
        return [class_[number] for number in numbers]

    assert findings(iter(class_), texts_of=texts_of) == findings(class_)
    assert tuple(read) == PAIR


def test_what_many_share_is_no_evidence():
    change = lambda text: text + "# taken from the lecture notes\n"  # noqa: E731
    assert found_in(planted(change, *NAMES[:3])).pairs == {}
    assert len(found_in(planted(change, *NAMES[:2])).pairs) == 1


def test_a_small_class_cannot_tell_what_is_rare():
    texts = planted(lambda text: text + 'print("the quick brown fox")\n', *NAMES[:2])
    assert found_in(dict(list(texts.items())[:4])).pairs == {}


def test_what_everybody_was_given_is_nobodys():
    texts = planted(lambda text: text + "# fill in the gaps below\n", *TWO)
    assert found_in(texts, base=written({"base": "# fill in the gaps below\n"})).pairs == {}


def test_a_pair_is_reported_so_much_and_no_more():
    many = "".join(f'print("a long literal {letter}")\n' for letter in "abcdefghijklmnop")
    result = found_in(planted(lambda text: text + many, *TWO)).of_pair(*PAIR)
    assert len(result) == MOST_FINDINGS
    assert result[-1].words.endswith("And 6 more.")


def test_words_of_prose_count_and_its_blanks_do_not():
    texts = {name: f"We recommend {name} for a garden , and accommodate it.  " for name in NAMES}
    texts |= {name: texts[name].replace("accommodate", "accomodate") for name in TWO}
    found = findings(written(texts, "text"))
    assert list(found.pairs) == [PAIR]
    assert [finding.kind for finding in found.of_pair(*PAIR)] == ["misspelling"]


@given(st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("\ud800\0(){}=\"'#/*\n\t ")), max_size=7))
def test_any_text_can_be_looked_at(texts):
    class_ = [
        SubmissionTexts(str(at), (Text("f", language, text),))
        for at, text in enumerate(texts)
        for language in ("java", "python")
    ]
    found = findings(class_)
    assert all(0 <= left < right < len(class_) for left, right in found.pairs)
    assert all(place.line >= 1 for result in found.pairs.values() for each in result for place in each.places)
