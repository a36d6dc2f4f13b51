"""The overview in a browser: sorting, filtering, paging, the slider, the graph, themes, print."""

import json
import re
from dataclasses import replace
from math import log1p

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


def test_identical_submissions_without_a_listed_pair_are_no_row_of_the_table(page, tmp_path):
    few = classroom(8)
    listed = next(pair for pair in few.pairs if {pair.left, pair.right}.isdisjoint((0, 1)))
    groups = ((0, 1), (listed.left, listed.right))
    for identical, pairs, row, no_row in ((groups, (listed,), True, True), (groups[:1], (), False, True),
                                          (groups[1:], (listed,), True, False)):  # fmt: skip
        alike = replace(few, identical=identical, pairs=pairs, clusters=())
        page.goto(write(alike, tmp_path / f"report {row} {no_row}").as_uri())
        text = page.locator("#identical").inner_text()
        assert ("one row of the table" in text, "has no row" in text) == (row, no_row)
        assert text.count("not in the table") == no_row
        assert page.locator("#table tbody tr").count() == len(pairs)


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


def test_filtering_by_several_labels(index):
    menu = index.locator("#filter-labels")
    menu.locator("summary").click()
    menu.get_by_label("own").check()
    assert all("own" in labels for labels in column(index, 13))
    one = count(index)
    menu.get_by_label("copied").check()
    expect(index.locator("#count")).not_to_have_text(one)
    expect(menu.locator("output")).to_have_text("copied, own")
    assert all(column(index, 13))
    menu.get_by_label("on both sides").check()
    index.locator("#rows").select_option("1000")
    unlabelled = {f"student {number:02}" for number in range(0, 36, 5)}
    names = {*column(index, 2), *column(index, 3)}
    assert not {name.split("\n")[0] for name in names} & unlabelled
    menu.get_by_label("copied").uncheck()
    assert set(column(index, 13)) == {"own"}
    menu.get_by_label("own").uncheck()
    menu.get_by_label("no label").check()
    assert set(column(index, 13)) == {""}


def test_the_menu_of_labels_closes_by_key_and_by_a_click_elsewhere_and_is_kept(index):
    menu = index.locator("#filter-labels")
    menu.locator("summary").press("Enter")
    menu.get_by_label("own").press("Space")
    menu.get_by_label("own").press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    menu.locator("summary").click()
    index.locator("#pairs-title").click()
    expect(menu).not_to_have_attribute("open", "")
    shown = count(index)
    index.locator("#table tbody a").first.click()
    index.get_by_role("link", name="Overview").click()
    expect(menu.locator("output")).to_have_text("own")
    expect(index.locator("#count")).to_have_text(shown)


def test_filtering_by_archive(index):
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
    index.locator("#table td.name a").nth(4).click()
    expect(index).to_have_url(re.compile(r"/pair/0003\.html$"))
    index.get_by_role("link", name="Overview").click()
    expect(index.locator("h1")).to_have_text("A class")


def test_bars_stand_in_the_column_that_orders_the_table(index):
    assert index.locator("#table td:nth-child(4) .bar").count() == 50
    for name, at in (("Longest", 9), ("Common tokens", 10)):
        sort_by(index, name)
        assert index.locator(f"#table td:nth-child({at}) .bar").count() == index.locator("#table .bar").count() == 50
        values = [int(value) for value in column(index, at)]
        assert values == sorted(values, reverse=True)
    sort_by(index, "Left")
    assert index.locator("#table td:nth-child(4) .bar").count() == 50


def test_a_comparison_ranked_by_shared_fingerprints_shows_them(page, tmp_path):
    page.goto(write(replace(classroom(4), measure="shared"), tmp_path / "report").as_uri())
    assert "Shared fingerprints" in page.locator("#table thead").inner_text().replace("\n", " ")
    assert "Common" not in page.locator("#table thead").inner_text()


def test_the_histogram_of_longest_passages_filters_the_table(index):
    bars = index.locator("#lengths rect")
    titles = bars.locator("title").all_text_contents()
    assert sum(int(title.split(": ")[1].split()[0]) for title in titles) == int(re.sub(r"\D", "", count(index)))
    bars.last.scroll_into_view_if_needed()
    last = bars.last.bounding_box()
    index.mouse.click(last["x"] + 1, last["y"] + last["height"] / 2)
    start = int(bars.last.get_attribute("data-from"))
    expect(index.locator("#filter-longest")).to_have_value(str(start))
    assert column(index, 9)
    assert all(int(value) >= start for value in column(index, 9))
    expect(index.locator("#lengths rect.below")).to_have_count(bars.count() - 1)


def test_submissions_without_a_link_can_be_hidden(index):
    lonely = index.locator("#graph .node.lonely")
    assert lonely.count() > 0
    index.locator("#linked-only").check()
    expect(lonely.first).to_be_hidden()
    index.locator("#linked-only").uncheck()
    expect(lonely.first).to_be_visible()


def heights(page: Page, picture: str) -> list[float]:
    return [float(rect.get_attribute("height") or 0) for rect in page.locator(f"{picture} rect").all()]


def counts(page: Page, picture: str) -> list[int]:
    return [int(title.split(": ")[1].split()[0]) for title in page.locator(f"{picture} title").all_text_contents()]


@pytest.mark.parametrize("picture", ["histogram", "lengths"])
def test_a_histogram_is_drawn_on_either_scale(index, picture):
    box = index.locator(f'[data-log="{picture}"]')
    numbers = counts(index, f"#{picture}")
    for _ in range(2):
        box.set_checked(not box.is_checked())
        assert counts(index, f"#{picture}") == numbers
        scale = log1p if box.is_checked() else float
        for height, number in zip(heights(index, f"#{picture}"), numbers, strict=True):
            assert height == pytest.approx(100 * scale(number) / scale(max(numbers)), abs=0.01)


def test_bars_are_made_wider(index):
    total = sum(counts(index, "#histogram"))
    for width in ("10", "2", "5"):
        index.locator("#bar-width").select_option(width)
        assert sum(counts(index, "#histogram")) == total
        starts = [int(rect.get_attribute("data-from")) for rect in index.locator("#histogram rect").all()]
        assert all(start % int(width) == 0 for start in starts)
        assert len(set(starts)) == len(starts)
    index.locator('input[type="number"][data-minimum]').fill("60")
    faded = index.locator("#histogram rect.below")
    expect(faded).to_have_count(sum(start < 60 for start in starts))


def test_listed_pairs_are_drawn_by_other_measures(index):
    listed = sum(counts(index, "#lengths"))
    for measure in ("common", "similarity", "containment", "coverage", "longest"):
        index.locator("#measure").select_option(measure)
        assert sum(counts(index, "#lengths")) == listed
        expect(index.locator("#lengths-hint")).to_contain_text("Half of the listed pairs have at most")
    expect(index.locator("#lengths-title")).to_have_text("Longest passages")


def test_paper_has_all_columns_and_no_names_of_controls(index):
    index.set_viewport_size({"width": 1039, "height": 720})
    index.emulate_media(media="print")
    expect(index.locator(".options label").first).to_be_hidden()
    for table in ("#table", "#pairs"):
        assert index.locator(table).evaluate("box => box.scrollWidth") <= 1039


def test_nodes_are_coloured_by_labels(index):
    nodes = index.locator("#graph .node")
    before = [node.get_attribute("class") for node in nodes.all()]
    index.locator("#colours").select_option("labels")
    expect(index.locator("#by-labels")).to_be_visible()
    expect(index.locator("#by-clusters")).to_be_hidden()
    labels = index.locator("#by-labels li").all_inner_texts()
    facts = json.loads(index.locator("#facts").text_content())
    for node in nodes.all():
        label = facts["labels"][int(node.get_attribute("data-submission"))]
        colour = f"c{labels.index(label)}" if label in labels else "none"
        assert colour in node.get_attribute("class").split()
    index.locator("#colours").select_option("clusters")
    assert [node.get_attribute("class") for node in nodes.all()] == before


def test_a_chosen_node_leads_to_the_page_of_its_submission(index):
    node = index.locator("#graph .node").first
    name = node.get_attribute("aria-label")
    node.press("Enter")
    index.get_by_role("link", name="its page").click()
    expect(index.locator("h1")).to_have_text(name)


def test_the_button_prints(index):
    index.evaluate("window.print = () => { document.title = 'printed'; }")
    index.get_by_role("button", name="Print").click()
    expect(index).to_have_title("printed")


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


def test_a_column_names_the_cluster_and_leads_to_its_page(index):
    clusters = column(index, 11)
    assert all(number in {"1", "2", "3"} for number in clusters)
    index.locator("#table tbody td:nth-child(11) a").first.click()
    expect(index.locator("h1")).to_have_text(f"Cluster {clusters[0]}")


def test_rows_are_sorted_by_cluster_and_those_without_one_come_last(page, tmp_path):
    comparison = classroom(12)
    assert [len(cluster.members) for cluster in comparison.clusters] == [4, 4, 4]
    page.goto(write(replace(comparison, clusters=comparison.clusters[:1]), tmp_path / "report").as_uri())
    for order in ("ascending", "descending"):
        sort_by(page, "Cluster")
        expect(page.locator("th[data-key=cluster]")).to_have_attribute("aria-sort", order)
        assert column(page, 11) == ["1"] * 6 + [""] * 12


def test_a_cluster_of_two_has_no_page(page, tmp_path):
    comparison = classroom(6)
    assert {len(cluster.members) for cluster in comparison.clusters} == {2}
    index = write(comparison, tmp_path / "report")
    assert not (index.parent / "cluster").exists()
    page.goto(index.as_uri())
    page.locator("#table tbody td:nth-child(11) a").first.click()
    expect(page).to_have_url(re.compile(r"index\.html#cluster-1$"))


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
