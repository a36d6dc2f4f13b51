"""What is odd about one submission is found in that one, and in no other."""

import pytest

from tests.comparison.evidence.planting import NAMES, planted, programs, written
from whorl.comparison.evidence.characters import look_alikes, unseen
from whorl.comparison.evidence.findings import findings
from whorl.comparison.evidence.lexemes import bare, lexemes
from whorl.comparison.evidence.padding import padding

ODD = 4


def kinds(texts, language="python", **options):
    """The kinds of what is odd, by submission."""
    found = findings(written(texts, language, **options)).submissions
    return {number: [finding.kind for finding in told] for number, told in found.items()}


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
    return padding([(language, bare(text, lexemes(language, text))) for language, text in files]).idle


def test_what_all_do_is_not_odd():
    assert kinds(planted(dead, *NAMES)) == {}


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


def test_repeated_statements_are_counted_by_file():
    line = "total = total + weights[here]\n"
    assert padding([("python", line * 3)]).repeated == 2
    assert padding([("python", line), ("python", line)]).repeated == 0
    assert padding([("python", "print('one thing')\nprint('another thing')\n")]).repeated == 0
