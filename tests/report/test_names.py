"""Names that are hidden by a click: on every page, on the way from one to the next, and in what is saved."""

import re

import pytest
from playwright.sync_api import expect

from whorl.report.pages import Names


@pytest.fixture
def hidden(page, report):
    """The overview of the class, with hidden names."""
    page.goto(report.as_uri())
    page.locator("#names").click()
    expect(page.locator("#names")).to_have_text("Show names")
    return page


def labels(page):
    return page.locator("[aria-label]").evaluate_all("all => all.map((each) => each.getAttribute('aria-label'))")


def test_no_name_is_left_on_the_overview_and_all_come_back(hidden):
    assert "student" not in hidden.locator("body").inner_text()
    assert "student" not in hidden.locator("#clusters").text_content()
    assert not any("student" in label for label in labels(hidden))
    assert re.fullmatch(r"Submission \d+", hidden.locator("#table tbody a").first.inner_text())
    hidden.locator("#names").click()
    assert "student" in hidden.locator("#table tbody").inner_text()
    assert "student" in hidden.locator("#clusters").text_content()
    expect(hidden.locator("#names")).to_have_text("Hide names")


def test_names_stay_hidden_on_the_way_to_a_pair_and_a_submission(hidden):
    hidden.locator("#table tbody a").first.click()
    expect(hidden.locator("#names")).to_have_text("Show names")
    assert "student" not in hidden.locator("body").inner_text()
    assert "student" not in hidden.title()
    hidden.locator(".pane h2 a").first.click()
    expect(hidden.locator("h1 [data-s]")).to_have_text(re.compile(r"Submission \d+"))
    assert "student" not in hidden.locator("body").inner_text()


def test_links_carry_the_choice_where_the_browser_stores_nothing(hidden):
    hidden.locator("#table tbody a").first.click()
    hidden.evaluate("sessionStorage.clear()")
    hidden.reload()
    expect(hidden.locator("#names")).to_have_text("Show names")
    hidden.locator(".where a").first.click()
    expect(hidden.locator("#names")).to_have_text("Show names")


def test_one_name_can_be_shown_and_stays_shown(hidden):
    hidden.locator("#table tbody a").first.click()
    hidden.locator("h1 button").first.click()
    left, right = hidden.locator("h1 [data-s]").all_inner_texts()
    assert left.startswith("student")
    assert right.startswith("Submission")
    hidden.locator("#following").click()
    hidden.locator("#previous").click()
    expect(hidden.locator("h1 [data-s]").first).to_have_text(left)


def test_what_is_saved_for_a_hearing_has_no_hidden_name(hidden, tmp_path):
    hidden.locator("#table tbody a").first.click()
    with hidden.expect_download() as download:
        hidden.locator("#save").click()
    download.value.save_as(tmp_path / "saved.html")
    assert "student" not in download.value.suggested_filename
    assert "student" not in (tmp_path / "saved.html").read_text("utf-8")


def test_numbers_do_not_follow_the_alphabet_and_are_the_same_in_every_run():
    submissions = [f"student {number:02}" for number in range(20)]
    names = Names(submissions, ())
    numbers = [names.number(name) for name in submissions]
    assert sorted(numbers) == list(range(1, 21))
    assert numbers != sorted(numbers)
    assert numbers == [Names(reversed(submissions), ()).number(name) for name in submissions]
    assert names("<x>") == '<bdi data-s="">&lt;x&gt;</bdi>'
