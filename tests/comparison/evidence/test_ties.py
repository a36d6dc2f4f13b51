"""Of pairs with equal tokens, the pair that shares names, literals, comments and blanks comes first."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.evidence.planting import programs, written
from tests.examples import examples
from whorl.comparison.evidence.finding import Text
from whorl.comparison.evidence.traits import lexemes
from whorl.comparison.listing import TraceRarity, tie_break, tie_breaks, traces

sets = st.frozensets(st.sampled_from("abcdef"))

LOOP = """int main(void) {{
    int {total} = 0; {comment}
    for (int {at} = 0; {at} < {limit}; {at}++)
        {total} += {at};
    printf("{words}\\n", {total});
    return 0;
}}
"""
TWINS = {
    "ada": {"total": "sum", "at": "i", "limit": 10, "words": "%d", "comment": ""},
    "bo": {"total": "result", "at": "k", "limit": 20, "words": "sum: %d", "comment": "// start with nothing"},
    "cy": {"total": "total", "at": "n", "limit": 100, "words": "total = %d", "comment": ""},
    "di": {"total": "acc", "at": "j", "limit": 10, "words": "%d", "comment": "/* sum */"},
    "ed": {"total": "answer", "at": "i", "limit": 12, "words": "Answer %d", "comment": ""},
}


NAME, WORD = re.compile(r"[^\W\d]\w*"), re.compile(r"\w+")


def one_by_one(text):
    """Return the traces of a program, each as it is met."""
    at = 0
    for kind, lexeme, start in lexemes("c", text):
        yield from (f"name {name}" for name in NAME.findall(text[at:start]))
        at = start + len(lexeme)
        yield from [f"comment {word}" for word in WORD.findall(lexeme)] if kind == 1 else [f"literal {lexeme}"]
    yield from (f"name {name}" for name in NAME.findall(text[at:]))
    blank_lines = 0
    for line in text.splitlines():
        if line.strip():
            if len(line) <= 400:
                yield f"line {blank_lines} {WORD.sub('n', line)}"
            blank_lines = 0
        else:
            blank_lines += 1


BLANKS = [" ", "\t", "\n", "\r\n", "\x0b", "\x1c", "\u2028", "\u00a0"]
CODE = ["int", "ä1", "x", "/* a\nb */", "// c", '"d e"', "'", "7", "0x1f", ";", "=", "long" * 101]


@given(st.lists(st.sampled_from([*BLANKS, *CODE])).map("".join))
@examples(1000)
def test_traces_are_all_that_are_met(text):
    assert traces([Text("a.c", "c", text)]) == set(one_by_one(text))
    words = [f"word {run}" for run in text.split()]
    layout = {trace for trace in one_by_one(text) if trace.startswith("line ")}
    assert traces([Text("a", "text", text)]) == {*words, *layout}


def counted(*every):
    rarity = TraceRarity()
    for own in every:
        rarity.add(own)
    return rarity


@given(st.lists(sets, min_size=2))
def test_a_share_of_what_both_have(every):
    rarity = counted(*every)
    left, right = every[:2]
    value = tie_break(left, right, rarity)
    assert 0 <= value <= 1
    assert value == tie_break(right, left, rarity)
    assert (value == 1) == (left == right and bool(left))
    assert (value == 0) == (not left & right)


def test_what_few_have_weighs_more():
    ada, bo, cy = frozenset({"i", "main", "resutl"}), frozenset({"k", "main", "resutl"}), frozenset({"i", "main", "x"})
    rarity = counted(ada, bo, cy, *([frozenset({"i", "main"})] * 5))
    assert tie_break(ada, bo, rarity) > tie_break(ada, cy, rarity)


@pytest.mark.parametrize(
    "change",
    [
        {"total": "answer", "at": "j"},
        {"words": "Answer %d"},
        {"limit": 12},
        {"comment": "// strat with nothing"},
    ],
)
def test_each_shared_trace_raises_a_pair_of_twins(change):
    twins = dict(TWINS) | {"flo": {**TWINS["cy"], **change}, "gus": {**TWINS["bo"], **change}}
    texts = {name: LOOP.format(**parts) for name, parts in twins.items()}
    texts.pop("ed")
    names = list(texts)
    pairs = list(combinations(range(len(names)), 2))
    found = tie_breaks(written(texts, "c"), pairs)
    assert set(found) == set(pairs)
    before = {**texts, "flo": LOOP.format(**TWINS["cy"]), "gus": LOOP.format(**TWINS["bo"])}
    plain = tie_breaks(written(before, "c"), pairs)
    pair = names.index("flo"), names.index("gus")
    assert found[pair] > plain[pair]


def test_equal_texts_come_first_of_all():
    texts = {name: LOOP.format(**parts) for name, parts in TWINS.items()}
    texts["zoe"] = texts["bo"]
    pairs = list(combinations(range(len(texts)), 2))
    found = tie_breaks(written(texts, "c"), pairs)
    assert max(found, key=lambda pair: found[pair]) == (1, 5)
    assert found[1, 5] == 1


def test_blanks_are_traces():
    plain = "int a = 1;\nint b = 2;\n"
    odd = "int a  =1 ;\n\n\nint b = 2;\n"
    assert traces([Text("a.c", "c", plain)]) != traces([Text("a.c", "c", odd)])
    assert traces([Text("a.c", "c", plain)]) == traces([Text("b.c", "c", plain.replace("\n", "\r\n"))])


def test_prose_is_compared_by_its_words_as_they_are_written():
    texts = {"ada": "It was, Then, a nite.", "bo": "it was then, a night", "cy": "It was, Then, a nite!"}
    found = tie_breaks(written(texts, "text"), [(0, 1), (0, 2)])
    assert found[0, 2] > found[0, 1]


def test_only_the_class_is_asked_for_and_once():
    asked = []

    def handed_in():
        for each in written(programs()):
            asked.append(each.name)
            yield each

    found = tie_breaks(handed_in(), [(0, 3)])
    assert list(found) == [(0, 3)]
    assert asked == list(programs())
