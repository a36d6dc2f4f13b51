"""Evidence beside the score in a browser: on the overview what is odd, on the page of a pair what both have."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.accessibility import ALL_RULES, faults
from tests.report.sample import classroom
from whorl.comparison.evidence.finding import Finding, Findings, Place
from whorl.report.write import write

HOSTILE = "<img src=x onerror=alert(1)> \u202e“reversed”"
SHOWN = HOSTILE.replace("\u202e", "⟨RLO⟩")


def place(submission):
    return Place(submission, "main.py", 3)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A class of which the first pair shares a comment and many literals, and one of the two is odd."""
    comparison = classroom(12)
    sides = comparison.pairs[0].left, comparison.pairs[0].right
    shared = [Finding("comment", f"Both have {HOSTILE}", tuple(map(place, sides)))]
    shared += [Finding("literal", f"Both have the literal {number}", tuple(map(place, sides))) for number in range(30)]
    odd = Finding("padding", f"Half of it is padding. {HOSTILE}", (place(sides[1]),))
    found = Findings({sides[1]: (odd,)}, {(min(sides), max(sides)): tuple(shared)})
    folder = tmp_path_factory.mktemp("findings") / "report"
    return write(replace(comparison, findings=found), folder, title="A class"), comparison


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_overview_lists_what_is_odd(page, report, theme):
    index, comparison = report
    page.emulate_media(color_scheme=theme)
    page.goto(index.as_uri())
    page.get_by_role("link", name="Odd submissions").click()
    row = page.locator("#odd tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator("td").first).to_have_text(comparison.submissions[comparison.pairs[0].right].name)
    expect(row.locator("td").last).to_have_text(f"Half of it is padding. {SHOWN}")
    assert faults(page, ALL_RULES) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_pair_lists_what_both_have_and_what_is_odd(page, report, theme):
    index, comparison = report
    page.emulate_media(color_scheme=theme)
    page.goto((index.parent / "pair" / "0001.html").as_uri())
    rows = page.locator("#findings li")
    expect(rows).to_have_count(32)
    expect(rows.first).to_have_text(f"Both have {SHOWN} main.py line 3, main.py line 3")
    expect(rows.last).to_contain_text(f"{comparison.submissions[comparison.pairs[0].right].name}: Half of it")
    assert faults(page, ALL_RULES) == []


def test_many_findings_leave_room_for_the_texts(page, report):
    page.goto((report[0].parent / "pair" / "0001.html").as_uri())
    assert page.locator(".panes").bounding_box()["height"] > 300


def test_nothing_is_said_where_nothing_was_found(page, report):
    page.goto((report[0].parent / "pair" / "0009.html").as_uri())
    expect(page.get_by_text("Other shared traces")).to_have_count(0)
