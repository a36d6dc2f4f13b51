"""A class that was given starter code: what is compared, counted and marked is what students wrote."""

import re

import pytest

import whorl
from tests.matching.starting import handed_in, starter

OTHER = {
    "// TODO: add up price times count": "for (Item each : items) total = total + each.count * each.price;",
    "// TODO\n        return false;": """int left = count;
        for (Item each : items) {
            while (each.name.equals(name) && each.count > 0 && left > 0) {
                each.count--;
                left--;
            }
        }
        sold += count - left;
        return left == 0;""",
    "// TODO: round up\n        return pieces / SHELF_SIZE;": """
        if (pieces % SHELF_SIZE > 0) return pieces / SHELF_SIZE + 1;
        return pieces / SHELF_SIZE;""",
}


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    ada, _ = handed_in("java")
    independent = starter("java")
    for place, code in OTHER.items():
        assert place in independent
        independent = independent.replace(place, code)
    copy = re.sub(r"\b(it|byName|ceil)\b", r"my_\1", ada)
    texts = {"ada.java": ada, "bo.java": copy, "cy.java": independent, "di.java": starter("java")}
    for name, text in texts.items():
        (folder / name).write_text(text)
    base = tmp_path_factory.mktemp("base") / "Inventory.java"
    base.write_text(starter("java"))
    return whorl.compare_all(folder, base=base, threshold=0.0), whorl.compare_all(folder, threshold=0.0)


def pairs(found):
    names = [submission.name for submission in found.submissions]
    return {(names[pair.left], names[pair.right]): pair for pair in found.pairs}


def test_a_copy_of_a_students_own_work_is_found_and_the_template_is_not(compared):
    with_base, without = map(pairs, compared)
    assert with_base["ada.java", "bo.java"].score > 0.9
    assert min(pair.score for pair in without.values()) > 0.2
    assert max([pair.score for names, pair in with_base.items() if names != ("ada.java", "bo.java")], default=0) < 0.1


def test_who_only_handed_the_template_in_has_nothing_to_compare(compared):
    (untouched,) = (submission for submission in compared[0].submissions if submission.name == "di.java")
    assert (untouched.symbols, untouched.fingerprints) == (0, 0)


def test_students_loops_are_marked_and_starter_lines_are_not(compared):
    pair = pairs(compared[0])["ada.java", "bo.java"]
    text, own = handed_in("java")
    spans = [match.left for passage in pair.passages for match in passage.matches]
    marked = {at for start, end in spans for at in range(start, end) if not text[at].isspace()}
    theirs = {at for start, end in own for at in range(start, end)}
    words = {at for at in marked if text[at].isalnum()}
    assert words <= theirs
    loop = text.index("for (int i = 0; i < items.size(); i++) {\n            Item it")
    assert set(range(loop, loop + 3)) <= marked
