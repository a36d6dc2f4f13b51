"""The overview in a browser: sorting, filtering, paging, the slider, the graph, themes, print."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from tests.report.sample import classroom
from whorl._version import VERSION
from whorl.comparison.layouts import Recognised
from whorl.comparison.result import Run
from whorl.report.write import write

# A browser writes what a page stores in its own time: on a loaded machine the next page may come before it.
RELOADS = 10


@pytest.fixture
def index(page, report):
    page.goto(report.as_uri())
    return page


def column(page: Page, number: int) -> list[str]:
    return [cell.strip() for cell in page.locator(f"#table tbody td:nth-child({number})").all_inner_texts()]


def count(page: Page) -> str:
    return page.locator("#count").inner_text()


def shown_links(page: Page) -> int:
    return page.locator("#graph .link:not([hidden])").count()


def set_minimum(page: Page, value: int) -> None:
    page.locator("#minimum-of-scores").fill(str(value))


def sort_by(page: Page, name: str) -> None:
    page.locator("#table").get_by_role("button", name=name, exact=True).click()


def test_it_says_what_was_compared(index):
    expect(index.locator("h1")).to_have_text("A class")
    assert "36 submissions" in index.locator(".lead").inner_text()
    assert "k = 8" in index.locator("#method").inner_text()
    assert "a.bin" in index.locator("#skipped").text_content()


def test_it_lists_all_submissions_the_highest_scores_first(index):
    rows = index.locator("#submissions tbody tr")
    expect(rows).to_have_count(36)
    scores = index.locator("#submissions tbody td:nth-child(2)").all_text_contents()
    numbers = [int(score.strip("<%") or -1) for score in scores]
    assert numbers == sorted(numbers, reverse=True)
    name = rows.first.locator("a").text_content()
    rows.first.locator("a").click()
    expect(index.locator("h1")).to_have_text(name)
    assert index.locator(".histogram rect:not(.others)").count() == 1
    counts = [int(title.split(": ")[1].split()[0]) for title in index.locator(".histogram title").all_text_contents()]
    assert sum(counts) == 36
    assert {"Label", "Date"} <= set(index.locator("#pairs thead th").all_inner_texts())


def test_it_shows_the_export_that_was_recognised(page, tmp_path):
    layouts = (Recognised("sorting.zip", "moodle", 3, 2), Recognised("old", "wrapper", 1, 1))
    page.goto(write(replace(classroom(3), layouts=layouts), tmp_path / "report").as_uri())
    assert (
        "sorting.zip is a Moodle download: 3 submissions of 2 people, and 1 more export."
        in page.locator(".lead").inner_text()
    )
    method = page.locator("#method").inner_text()
    assert "old has one folder or archive around 1 submission" in method
    assert "--layout moodle" in method


def test_sorting_by_numbers_and_by_names(index):
    sort_by(index, "Longest")
    longest = [int(value) for value in column(index, 9)]
    assert longest == sorted(longest, reverse=True)
    sort_by(index, "Longest")
    expect(index.locator("#table").get_by_role("columnheader", name="Longest")).to_have_attribute(
        "aria-sort", "ascending"
    )
    longest = [int(value) for value in column(index, 9)]
    assert longest == sorted(longest)
    sort_by(index, "Left")
    names = column(index, 2)
    assert names == sorted(names)
    assert index.locator("th[aria-sort]").count() == 1


def test_paging(index):
    assert len(column(index, 1)) == 50
    index.get_by_role("button", name="Next").click()
    assert column(index, 1)[0] == "51"
    index.get_by_role("button", name="Last").click()
    expect(index.get_by_role("button", name="Next")).to_be_disabled()
    index.get_by_role("button", name="First").click()
    assert column(index, 1)[0] == "1"
    index.locator("#rows").select_option("100")
    assert len(column(index, 1)) == 100


def test_filtering_by_text_tells_how_many(index):
    index.locator("#filter-text").fill("STUDENT 07")
    names = zip(column(index, 2), column(index, 3), strict=True)
    assert all("student 07" in left + right for left, right in names)
    assert re.fullmatch(r"\d+ of \d+ rows", count(index))
    index.locator("#filter-text").fill("nobody")
    assert count(index).startswith("0 of")
    assert column(index, 1) == []
    expect(index.locator("#pager")).to_be_hidden()


def test_filtering_by_label_and_archive(index):
    index.locator("#filter-label").select_option("any")
    assert all(column(index, 12))
    index.locator("#filter-label").select_option("own")
    assert all("own" in labels for labels in column(index, 12))
    index.locator("#filter-archived").check()
    assert index.locator("#table .archived").count() == 0
    assert len(column(index, 1)) > 0


def test_the_slider_moves_table_graph_histogram_and_field_together(index):
    index.locator("#minimum-of-graph").fill("0")
    before = shown_links(index)
    set_minimum(index, 90)
    assert 0 < shown_links(index) < before
    assert all(int(score.rstrip("%")) >= 90 for score in column(index, 4))
    assert index.locator("#filters [data-minimum]").input_value() == "90"
    assert index.locator("#histogram line.minimum").get_attribute("x1") == "90"
    assert index.locator("#histogram rect.below").count() > 0
    set_minimum(index, 100)
    assert index.locator("#graph .node.lonely").count() > 0


def test_links_of_the_graph_are_hidden_without_hiding_rows(index):
    rows, links = count(index), shown_links(index)
    index.locator("#minimum-of-graph").fill("100")
    assert shown_links(index) < links
    assert count(index) == rows
    expect(index.locator("output[for=minimum-of-graph]")).to_have_text("100%")
    expect(index.locator("output[for=minimum-of-scores]")).not_to_have_text("100%")


def test_rows_are_filtered_by_the_later_date(page, tmp_path):
    days = ["2026-03-01", "2026-03-02 10:00:00.000000000 Z", "2026-03-05 09:00:00.1 Europe/Vienna", "soon", None]
    comparison = classroom(5, threshold=0)
    dated = tuple(replace(each, date=date) for each, date in zip(comparison.submissions, days, strict=True))
    page.goto(write(replace(comparison, submissions=dated), tmp_path / "report").as_uri())
    known = ["2026-03-01", "2026-03-02", "2026-03-05", "", ""]
    later = [max(known[pair.left], known[pair.right]) for pair in comparison.pairs]
    page.locator("#filter-from").fill("2026-03-02")
    expect(page.locator("#table tbody tr")).to_have_count(sum(day >= "2026-03-02" for day in later))
    page.locator("#filter-to").fill("2026-03-02")
    expect(page.locator("#table tbody tr")).to_have_count(later.count("2026-03-02"))
    page.reload()
    expect(page.locator("#filter-to")).to_have_value("2026-03-02")
    expect(page.locator("#table tbody tr")).to_have_count(later.count("2026-03-02"))
    assert 0 < later.count("2026-03-02") < len(later)


def test_the_threshold_can_be_drawn_along_the_histogram(index):
    box = index.locator("#histogram").bounding_box()
    index.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 20)
    index.mouse.down()
    index.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + 20)
    index.mouse.up()
    assert 93 <= int(index.locator("#minimum-of-scores").input_value()) <= 97


def test_from_the_table_to_a_pair_and_back(index):
    index.locator("#table tbody a").nth(4).click()
    expect(index).to_have_url(re.compile(r"/pair/0003\.html$"))
    index.get_by_role("link", name="Overview").click()
    expect(index.locator("h1")).to_have_text("A class")


def test_filtering_by_the_longest_passage(index):
    index.locator("#filter-longest").fill("91")
    longest = [int(value) for value in column(index, 9)]
    assert longest
    assert all(value >= 91 for value in longest)
    assert " of " in count(index)


def test_the_filter_survives_a_pair_and_steers_previous_and_next(index):
    index.locator("#filter-text").fill("student 07")
    sort_by(index, "Right")
    pages = [link.get_attribute("href") for link in index.locator("#table tbody td:nth-child(2) a").all()]
    index.locator("#table tbody a").first.click()
    expect(index.locator("#rank")).to_have_text(f"Pair 1 of {len(pages)} shown")
    expect(index.locator("#previous")).to_be_hidden()
    index.keyboard.press("]")
    expect(index).to_have_url(re.compile(re.escape(pages[1]) + "$"))
    index.get_by_role("link", name="Overview").click()
    expect(index.locator("#filter-text")).to_have_value("student 07")
    expect(index.locator("th[aria-sort]")).to_have_text("Right")
    assert count(index).startswith(f"{len(pages)} of")


def test_names_stand_beside_nodes(index):
    assert index.locator("#graph .node text").count() > 3


def test_clusters_have_names_colours_and_a_pair_to_read_first(index):
    index.locator("#cluster-1").scroll_into_view_if_needed()
    expect(index.locator("#cluster-1 summary")).to_contain_text("student")
    expect(index.locator("#cluster-1")).to_contain_text("Read first: student")
    assert index.locator("#graph .node.c0").count() > 1


def test_all_rows_are_printed(index):
    index.emulate_media(media="print")
    every = int(re.sub(r"\D", "", count(index)))
    expect(index.locator("#table tbody tr")).to_have_count(every)
    assert every > 50
    index.emulate_media(media="screen")
    expect(index.locator("#table tbody tr")).to_have_count(50)


def test_from_a_line_of_the_graph_to_a_pair(index):
    line = index.locator("#graph .link:not([hidden])").last
    number = int(line.get_attribute("data-pair"))
    line.dispatch_event("click")
    expect(index).to_have_url(re.compile(rf"/pair/{number + 1:04d}\.html$"))


def test_a_node_names_itself_and_filters_the_table(index):
    node = index.locator("#graph .node:not(.lonely)").first
    name = node.get_attribute("aria-label")
    node.hover()
    expect(index.locator("#tip")).to_contain_text(name)
    node.click()
    assert all(name in pair for pair in zip(column(index, 2), column(index, 3), strict=True))
    expect(index.locator("#only")).to_be_visible()
    index.locator("#only").click()
    assert count(index).startswith("All")


def test_the_graph_by_keyboard(index):
    index.locator("#graph .node").first.focus()
    index.keyboard.press("ArrowRight")
    second = index.locator("#graph .node").nth(1)
    expect(second).to_be_focused()
    expect(index.locator("#tip")).to_contain_text(second.get_attribute("aria-label"))
    index.keyboard.press("Enter")
    expect(index.locator("#only")).to_contain_text(second.get_attribute("aria-label"))


def test_clusters_show_the_evidence_for_each_link(index):
    assert index.locator("#clusters tbody a").count() > 0
    assert "%" in index.locator("#clusters tbody tr").first.text_content()


def test_points_of_the_timeline_lead_to_pairs(index):
    point = index.locator(".timeline .point").first
    assert re.fullmatch(r"pair/\d{4}\.html", point.get_attribute("href"))


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_as_the_system_has_it_and_by_the_switch(index):
    light = background(index)
    index.emulate_media(color_scheme="dark")
    dark = background(index)
    assert dark != light
    index.locator("#theme").click()
    assert background(index) == light
    index.locator("#theme").click()
    index.emulate_media(color_scheme="light")
    expect(index.locator("html")).to_have_attribute("data-theme", "dark")
    assert background(index) == dark


def test_the_switch_is_kept_for_the_next_page(index, report):
    index.locator("#theme").click()
    index.locator("#theme").click()
    expect(index.locator("#theme")).to_have_text("Theme: dark")
    for _ in range(RELOADS):
        index.goto((report.parent / "pair" / "0001.html").as_uri())
        if index.locator("#theme").inner_text() == "Theme: dark":
            return
    pytest.fail("the theme is forgotten")


def test_print_has_no_controls(index):
    index.emulate_media(media="print")
    for control in ("#filters", "#theme", "#pager", ".slider"):
        expect(index.locator(control).first).to_be_hidden()
    assert "Similarity" in index.locator("#table thead").inner_text()
    assert index.pdf().startswith(b"%PDF")


def test_a_box_plot_shows_the_quartiles_of_all_pairs(page, tmp_path):
    scores = [0] * 101
    scores[10], scores[20], scores[40], scores[80] = 30, 30, 30, 10
    comparison = replace(classroom(6), scores=tuple(scores), compared=100)
    page.goto(write(comparison, tmp_path / "report").as_uri())
    label = page.locator("svg.box").get_attribute("aria-label")
    assert "a quarter score at most 11%, half at most 21%, three quarters at most 41%, 95 of 100 at most 81%" in label
    assert page.locator("svg.box rect").get_attribute("x") == "11.0"
    assert page.locator("svg.box line.median").get_attribute("x1") == "21.0"


def test_no_column_is_cut_on_a_small_laptop(index):
    index.set_viewport_size({"width": 1300, "height": 768})
    widths = index.locator("#pairs .scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert widths[0] <= widths[1]


def test_a_phone_scrolls_down_only(index):
    index.set_viewport_size({"width": 390, "height": 844})
    assert index.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_pairs_are_listed(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("noscript a").count() > 50
    context.close()


def test_it_says_how_to_repeat_the_comparison(page, tmp_path):
    run = Run(("homework",), ("template",), ("last year",), {"limit": 500, "long": None}, "whorl compare homework")
    index = write(replace(classroom(4), run=run), tmp_path / "report")
    page.goto(index.as_uri())
    method = page.locator("#method").inner_text()
    for fact in (f"Whorl {VERSION}", "whorl compare homework", "template", "last year", "limit 500", "k 8", "nothing"):
        assert fact in method
    assert "long" not in method.partition("limit 500")[2].partition("Scheme")[0]
