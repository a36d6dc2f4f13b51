"""What is odd about one submission is found in that one, and in no other."""

import random
from array import array
from statistics import median, quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison.evidence.planting import NAMES, planted, programs, written
from whorl.comparison.evidence.findings import findings
from whorl.comparison.evidence.oddities import MEDIANS, MIN_SHARE, TIMES, look_alikes, outliers, padding, unseen
from whorl.comparison.evidence.traits import bare, codes_of, read_program

ODD = 4


def kinds(texts, language="python", **options):
    """The kinds of what is odd, by submission."""
    found = findings(written(texts, language, **options)).submissions
    return {number: [finding.kind for finding in result] for number, result in found.items()}


def dead(text):
    lines = [f"    padding{at} = {at} * 3\n    other{at} = padding{at} + 1" for at in range(6)]
    return text.replace("    kept = []", "\n".join(["    kept = []", *lines]))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("padding", dead),
        ("padding", lambda text: text + "print('once more', 7)\n" * 8),
        ("unseen characters", lambda text: text.replace("kept", "ke\u200bpt")),
        ("unseen characters", lambda text: text.replace("a", "a\u202e\u2066")),
        ("look-alikes", lambda text: text.replace("separate", "sepаrate")),
        ("look-alikes", lambda text: text.replace("separate", "ｓeparate")),
    ],
)
def test_what_is_odd_about_one_is_found_in_it_alone(kind, change):
    assert kinds(planted(change, NAMES[ODD])) == {ODD: [kind]}


def idle(*files):
    """How many idle statements programs have, given by language and text."""
    return padding([(language, bare(read_program(language, text))) for language, text in files]).idle


def code(language, text):
    """A program without comments and strings."""
    return language, array("I", codes_of(text).tobytes())


def test_what_all_do_is_not_odd():
    assert kinds(planted(dead, *NAMES)) == {}


def loops(times):
    """A class whose programs repeat their statements as often as real ones do: seldom, and a few of them often."""
    body = "".join(f"value{at} = read(source, {at})\n" for at in range(20))
    return {f"s{number}": body + "value0 = read(source, 0)\n" * repeats for number, repeats in enumerate(times)}


def test_only_outliers_of_the_class_are_odd():
    """A long tail is no oddity, whatever the shares are; what is far beyond it is, with the median beside it."""
    tail = [0] * 20 + [1] * 20 + [2] * 20 + [3] * 10 + [4] * 6 + [6] * 5 + [8] * 3 + [9] * 2
    assert kinds(loops(tail)) == {}
    (finding,) = findings(written(loops([*tail, 60]))).of_submission(len(tail))
    assert finding.words == "60 of 80 statements repeat within the file (class median: 2)"


def test_no_more_than_a_fiftieth_of_a_class_is_odd_by_chance():
    draw = random.Random(7)
    for size in (20, 40, 200):
        classes = [[min(0.9, draw.lognormvariate(-3.2, 1.0)) for _ in range(size)] for _ in range(4000 // size)]
        assert sum(len(outliers(shares)) for shares in classes) <= 80


@given(st.lists(st.floats(0, 1), min_size=5, max_size=40), st.floats(0, 1))
def test_outliers_are_what_the_definition_says(others, share):
    """Far beyond the tenth of the others with most, as ``statistics.quantiles`` has it."""
    middle, *_, high = median(others), *quantiles(others, n=10, method="inclusive")
    limit = max(MIN_SHARE, MEDIANS * middle, middle + TIMES * (high - middle))
    if abs(share - limit) > 1e-9:
        assert (len(others) in outliers([*others, share])) == (share > limit)


def test_idle_and_repeated_statements_are_distinguished():
    (finding,) = findings(written(planted(dead, NAMES[ODD]))).of_submission(ODD)
    assert finding.words == "12 of 25 statements set values that nothing reads (class median: 0)"


@pytest.mark.parametrize("change", [lambda text: text.replace("kept", "ke\u200bpt")])
def test_what_most_of_a_class_has_is_not_odd(change):
    """Such characters came with the task; who has far more of them is odd all the same."""
    assert kinds(planted(change, *NAMES[:6])) == {}
    texts = planted(change, *NAMES[:6])
    texts[NAMES[8]] = texts[NAMES[8]].replace("e", "e\u200b")
    assert kinds(texts) == {8: ["unseen characters"]}


def test_two_submissions_are_enough_to_see_what_is_hidden():
    (finding,) = findings(written({"ada": "ke\u200bpt " * 4, "bo": "kept"}, "text")).of_submission(0)
    assert finding.words == "ada.txt has invisible characters in 4 places"


def test_a_mark_at_the_beginning_and_hard_blanks_are_not_odd():
    texts = {name: "\ufeff" + text.replace("    ", "\xa0\xa0  ") for name, text in programs().items()}
    assert kinds(texts) == {}


def test_hidden_text_is_shown():
    unseen_text = {NAMES[ODD]: ("an essay that a reader never sees, " * 4,)}
    (finding,) = findings(written(programs(), unseen=unseen_text)).of_submission(ODD)
    assert finding.kind == "hidden text"
    assert "an essay that a reader never sees" in finding.words
    assert kinds(programs(), unseen={NAMES[ODD]: ("a label",)}) == {}


def test_honest_alphabets_are_not_odd():
    texts = {
        "russian": "Это обычный текст о саде и доме, со словом Python в нём. " * 5,
        "persian": "می‌خواهم کتاب‌ها را بخوانم. " * 5,
        "emoji": "A family 👨‍👩‍👧‍👦 and a flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 are fine. " * 5,
        "greek": "Το αλφάβητο και η γλώσσα. The angle α and the rate β. " * 5,
        "accents": "Déjà vu, naïve, Ångström, ﬁne. " * 5,
    }
    for text in texts.values():
        assert unseen(text) == []
        assert look_alikes(text) == []


def test_idle_values_are_followed_through_those_that_read_them():
    assert idle(("python", "a = 1\nb = a + 1\nc = b * 2\n")) == 3
    assert idle(("python", "a = 1\nb = a + 1\nprint(b)\n")) == 0
    assert idle(("python", "a = read()\n")) == 0
    assert idle(("python", "a.b = 1\na[0] = 2\nx == 1\n")) == 0
    assert idle(("python", "call(\n    key=1,\n    other=2,\n)\n")) == 0
    assert idle(("java", 'int a = 3; int[] b = {1, 2}; String s = "a;b"; for (int i = 0; i < 3; i++) { f(i); }')) == 3
    assert idle(("javascript", "let a = 1; const f = (x) => { return x; }; f(2);")) == 1
    assert idle(("java", "int a = 1;"), ("java", "f(a);")) == 0


def test_values_that_are_filled_into_strings_are_read():
    assert idle(("python", "a = 1\nprint(f'{a}')\n")) == 0
    assert idle(("javascript", "let a = 1; show(`${a}`);")) == 0
    assert idle(("python", "a = 1\nprint('a')\n")) == 1


@settings(max_examples=300)
@given(st.sampled_from(["python", "java"]), st.text(alphabet="ab()[]{};\n ", max_size=40))
def test_statements_end_outside_of_brackets(language, text):
    opens, closes = ("([{", ")]}") if language == "python" else ("([", ")]")
    depth, parts = 0, [""]
    for sign in text:
        depth = max(0, depth + (sign in opens) - (sign in closes))
        is_end = sign in "{};\n" and sign not in opens + closes and (not depth or sign in "{}")
        parts = [*parts, ""] if is_end else [*parts[:-1], parts[-1] + sign]
    assert padding([code(language, text)]).statements == sum(bool(part.strip()) for part in parts)


def test_repeated_statements_are_counted_by_file():
    line = "total = total + weights[here]\n"
    assert padding([code("python", line * 3)]).repeated == 2
    assert padding([code("python", line), code("python", line)]).repeated == 0
    assert padding([code("python", "print('one thing')\nprint('another thing')\n")]).repeated == 0


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="ab= \t\x1c", max_size=14), max_size=12))
def test_repeated_statements_are_the_same_in_any_alphabet(statements):
    ascii_only = padding([code("python", "\n".join(statements))])
    assert padding([code("python", "\n".join([*statements, "é()"]))]).repeated == ascii_only.repeated
    shapes = ["".join(each.split()) for each in statements]
    long = [shape for shape in shapes if len(shape) >= 10]
    assert ascii_only.repeated == len(long) - len(set(long))
