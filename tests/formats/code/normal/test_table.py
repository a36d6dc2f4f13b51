"""The table in the code and the one in docs/normal-form.md say the same."""

from pathlib import Path

import pytest

from whorl.formats.code.normal import nodes
from whorl.formats.code.normal.form import REWRITES, TABLES, has_normal_form, names, rules

PAGE = Path(__file__).parents[4] / "docs" / "normal-form.md"


def test_every_bit_has_one_rewrite():
    assert sum(rewrite.mark for rewrite in REWRITES) == nodes.ALL
    assert len({rewrite.name for rewrite in REWRITES}) == len(REWRITES)


def test_the_page_says_which_language_has_which():
    table = PAGE.read_text().split("## Which language has which")[1].split("##")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")
    ]
    languages = rows[0][1:]
    data = {row[0]: {name for name, cell in zip(languages, row[1:], strict=True) if cell == "yes"} for row in rows[2:]}
    assert data == {rewrite.name: set(rewrite.languages) for rewrite in REWRITES}


def test_all_languages_of_the_table_have_a_lowering():
    assert set().union(*(rewrite.languages for rewrite in REWRITES)) == set(TABLES)
    assert not has_normal_form("rust")
    assert has_normal_form("java")


@pytest.mark.parametrize("language", TABLES)
def test_rewrites_can_be_left_out(language):
    assert rules(language, 0) == {}
    assert set(rules(language, nodes.LOOPS)) == {"while", "do", "for", "range", "loop"}


def test_names():
    assert names(nodes.LOOPS | nodes.INLINED) == ("loops unified", "small functions inlined")
    assert names(0) == ()
