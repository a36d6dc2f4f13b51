"""The list of submissions and the pages of clusters in a browser: sorting, searching, the heat map, dates."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import ALL_RULES, COLOURS, faults
from tests.report.sample import classroom
from whorl.comparison.result import Cluster
from whorl.report import overview
from whorl.report.overview import DRAWN, MAPPED, PAIRS_OF_CLUSTER, PAIRS_OUTSIDE, cluster_page, submissions_pages
from whorl.report.write import write


@pytest.fixture
def submissions(page, report):
    page.goto((report.parent / "submissions.html").as_uri())
    return page


@pytest.fixture
def cluster(page, report):
    page.goto((report.parent / "cluster" / "0002.html").as_uri())
    return page


def column(page: Page, number: int, table: str = "#submissions") -> list[str]:
    return [cell.strip() for cell in page.locator(f"{table} tbody td:nth-child({number})").all_inner_texts()]


def sort_by(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def test_it_lists_all_submissions_the_highest_scores_first(submissions):
    heads = submissions.locator("#submissions thead th").all_inner_texts()
    assert heads == ["Submission", "Label", "Date", "Cluster", "Highest score", "Pairs", "Files", "Lines", "Tokens"]
    rows = submissions.locator("#submissions tbody tr")
    expect(rows).to_have_count(36)
    numbers = [int(score.strip("<%") or -1) for score in column(submissions, 5)]
    assert numbers == sorted(numbers, reverse=True)
    name = rows.first.locator("a").first.text_content()
    rows.first.locator("a").first.click()
    expect(submissions.locator("h1")).to_have_text(name)
    submissions.wait_for_load_state()
    for plot in submissions.locator(".histogram").all():
        assert plot.locator("rect:not(.others)").count() == 1
        titles = plot.locator("title").all_text_contents()
        assert sum(int(title.split(": ")[1].split()[0]) for title in titles) == 36
    assert submissions.locator(".histogram").count() == 2
    assert {"Label", "Date", "Cluster"} <= set(submissions.locator("#pairs thead th").all_inner_texts())


def test_the_highest_score_leads_to_its_pair_and_the_cluster_to_its_page(submissions):
    row = submissions.locator("#submissions tbody tr").first
    name, score = row.locator("a").first.inner_text(), row.locator("td.n a").inner_text()
    row.locator("td.n a").click()
    expect(submissions.locator("h1")).to_contain_text(name)
    expect(submissions.locator(".numbers .main dd")).to_have_text(score)
    submissions.go_back()
    number = submissions.locator("#submissions tbody td:nth-child(4) a").first.inner_text()
    submissions.locator("#submissions tbody td:nth-child(4) a").first.click()
    expect(submissions.locator("h1")).to_have_text(number)


@pytest.mark.parametrize(("name", "at", "key"), [("Lines", 8, int), ("Submission", 1, str), ("Date", 3, str)])
def test_submissions_are_sorted_both_ways(submissions, name, at, key):
    before = list(map(key, column(submissions, at)))
    for falling in (name == "Lines", name != "Lines"):
        sort_by(submissions, name)
        expect(submissions.locator("th[aria-sort]")).to_have_text(name)
        assert list(map(key, column(submissions, at))) == sorted(before, reverse=falling)


def test_rows_without_a_value_come_last_in_either_order(submissions):
    for _ in range(2):
        sort_by(submissions, "Label")
        labels = column(submissions, 2)
        assert "" in labels
        assert all(labels[: labels.index("")])
        assert not any(labels[labels.index("") :])


def test_submissions_are_searched_by_name_label_and_date(submissions):
    expect(submissions.locator("output")).to_have_text("All 36 rows")
    for text, at in (("STUDENT 07", 1), ("copied", 2), ("2024-03", 3)):
        submissions.get_by_role("searchbox").fill(text)
        shown = submissions.locator("#submissions tbody tr:visible")
        assert 0 < shown.count() < 36
        assert all(text.lower() in cell for cell in shown.locator(f"td:nth-child({at})").all_inner_texts())
        expect(submissions.locator("output")).to_have_text(f"{shown.count()} of 36 rows")
    submissions.get_by_role("searchbox").fill("nobody")
    expect(submissions.locator("output")).to_have_text("0 of 36 rows")


def test_submissions_are_filtered_by_their_highest_score_and_by_a_bar(submissions):
    scores = [int(score.strip("<%") or -1) for score in column(submissions, 5)]
    least = sorted(scores)[10]
    assert sum(score >= least for score in scores) < 36
    submissions.get_by_label("Highest score at least").fill(str(least))
    expect(submissions.locator("output")).to_have_text(f"{sum(score >= least for score in scores)} of 36 rows")
    bar = submissions.locator(".histogram rect").last
    bar.click()
    shown = submissions.locator("#submissions tbody tr:visible")
    expect(shown).to_have_count(int(bar.locator("title").text_content().split(": ")[1].split()[0]))
    submissions.get_by_label("Highest score at least").fill("")
    expect(submissions.locator("output")).to_have_text("All 36 rows")
    expect(submissions.locator("figcaption")).to_contain_text("mean")


def test_a_long_list_of_submissions_has_several_pages(page, tmp_path, monkeypatch):
    monkeypatch.setattr(overview, "ROWS_SIZE", 5_000)
    index = write(classroom(36, threshold=0.5), tmp_path / "report")
    page.goto((index.parent / "submissions.html").as_uri())
    listed: list[str] = []
    following = page.get_by_role("link", name="Next ›")
    for number in range(1, 5):
        expect(page.locator("nav")).to_contain_text(f"Page {number} of 4")
        page.wait_for_load_state()  # a click ends before the page that it leads to is read
        rows = page.locator("#submissions tbody tr")
        assert 0 < rows.count() < 15
        listed += rows.locator("td:first-child a").all_inner_texts()
        if number < 4:
            following.click()
    expect(following).to_have_count(0)
    assert len(listed) == len(set(listed)) == 36
    page.get_by_role("link", name="‹ Previous").click()
    expect(page.locator("nav")).to_contain_text("Page 3 of 4")


def test_pages_of_submissions_with_hostile_names_stay_small():
    """Names whose characters take most bytes in a page."""
    sample = classroom(3)
    many = tuple(
        replace(sample.submissions[0], name='<&"' * 60 + str(i), label="'" * 90, files=()) for i in range(2_000)
    )
    pages = submissions_pages(replace(sample, submissions=many, pairs=(), clusters=()), "Title")
    assert len(pages) > 1
    assert max(len(each.encode()) for each in pages) < 1_500_000
    assert sum(each.count("<tr><td><a") for each in pages) == 2_000


def test_a_cluster_tells_its_scores_and_what_to_read(cluster, report):
    expect(cluster.locator("h1")).to_have_text("Cluster 2")
    scores = [int(score.strip("%")) for score in column(cluster, 2, "#links")]
    facts = dict(zip(*(cluster.locator(f".numbers {tag}").all_inner_texts() for tag in ("dt", "dd")), strict=True))
    assert facts["Highest"] == f"{max(scores)}%"
    assert facts["Lowest"] == f"{min(scores)}%"
    assert abs(int(facts["Mean score"].strip("%")) - sum(scores) / len(scores)) <= 1
    assert facts["Linked pairs"] == str(len(scores))
    first = cluster.locator("#links tbody a").first.inner_text()
    expect(cluster.locator(".top")).to_contain_text(f"Read first: {first}")
    cluster.get_by_role("link", name="‹ Previous").click()
    expect(cluster.locator("h1")).to_have_text("Cluster 1")


def test_the_heat_map_is_symmetric_and_leads_to_pairs(cluster):
    rows = cluster.locator(".heat tbody tr")
    cells = rows.evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText))"
    )
    assert len(cells) == 12
    assert all(cells[i][j] == cells[j][i] for i in range(12) for j in range(12))
    assert all((cells[i][j] == "") == (i == j) for i in range(12) for j in range(12))
    colours = dict(
        cluster.locator(".heat tbody td:has(a)").evaluate_all(
            "cells => cells.map((cell) => [cell.innerText, getComputedStyle(cell).backgroundColor])"
        )
    )
    assert len({score[:-1] for score in colours}) == len(set(colours.values())) > 1
    names = [name.split(maxsplit=1)[1] for name in rows.locator("th").all_inner_texts()]
    cluster.locator(".heat tbody tr").nth(3).locator("td").nth(7).locator("a").click()
    expect(cluster.locator("h1 [data-s]")).to_have_count(2)
    assert {*cluster.locator("h1 [data-s]").all_inner_texts()} == {names[3], names[7]}


def test_the_graph_has_the_members_and_links_of_the_cluster(cluster):
    names = cluster.locator("#members tbody tr td:first-child").all_inner_texts()
    nodes = cluster.locator(".graph .node")
    assert sorted(nodes.evaluate_all("all => all.map((node) => node.getAttribute('aria-label'))")) == sorted(names)
    rows = cluster.locator("#links tbody tr")
    expect(cluster.locator(".graph .link")).to_have_count(rows.count())
    hrefs = "all => all.map((link) => link.getAttribute('href'))"
    pages = set(cluster.locator(".graph .link").evaluate_all(hrefs))
    assert pages == set(rows.locator("a").evaluate_all(hrefs))
    name = nodes.first.get_attribute("aria-label")
    nodes.first.focus()
    lit = cluster.locator(".graph .link.near")
    expect(lit).to_have_count(sum(name in row for row in rows.locator("td:first-child").all_text_contents()))
    cluster.keyboard.press("Enter")
    expect(cluster.locator("h1")).to_have_text(name)
    cluster.get_by_role("link", name="its place in the graph").click()
    expect(cluster.locator(".node:target")).to_have_attribute("aria-label", name)
    expect(cluster.locator(".node:target")).to_be_in_viewport()


def test_a_link_of_the_graph_and_its_row_light_up_together(cluster):
    link = cluster.locator(".graph .link").first
    link.dispatch_event("pointerenter")
    row = cluster.locator("#links tbody tr.near")
    expect(row).to_have_count(1)
    pair, score = (cell.strip() for cell in row.locator("td").all_text_contents()[:2])
    assert link.locator("title").text_content() == f"{pair}: {score}"
    link.dispatch_event("pointerleave")
    expect(row).to_have_count(0)
    cluster.locator("#links tbody tr").nth(3).locator("a").focus()
    expect(cluster.locator(".graph .link.near")).to_have_count(1)


def test_hidden_names_are_hidden_in_the_graph_too(cluster):
    names = cluster.locator("#members tbody tr td:first-child").all_inner_texts()
    cluster.get_by_role("button", name="Hide names").click()
    cluster.locator(".graph .link").first.dispatch_event("pointerenter")
    shown = cluster.locator(".graph").inner_html()
    assert not any(name in shown for name in names)


def test_pairs_with_submissions_outside_are_listed():
    comparison = classroom(30, threshold=0)
    inside = [at for at, pair in enumerate(comparison.pairs) if max(pair.left, pair.right) < 3]
    across = [
        at for at in comparison.rows if len({comparison.pairs[at].left, comparison.pairs[at].right} & {0, 1, 2}) == 1
    ]
    page = cluster_page(replace(comparison, clusters=(Cluster((0, 1, 2), tuple(inside)),)), 0, "Title")
    assert 0 < len(across) <= PAIRS_OUTSIDE
    assert f"{len(across):,} pairs with submissions outside" in page
    outside = page[page.index('id="outside"') :]
    assert [int(number) - 1 for number in re.findall(r"\.\./pair/(\d+)\.html", outside)] == sorted(
        across, key=lambda at: -comparison.pairs[at].score
    )


def test_members_come_by_date_and_their_dots_with_them(cluster):
    dates = column(cluster, 3, "#members")
    assert dates == sorted(dates)
    places = [float(dot.get_attribute("x1")) for dot in cluster.locator("#members .dot").all()]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (2, 98)
    sort_by(cluster, "Mean score")
    means = [int(mean.strip("%")) for mean in column(cluster, 6, "#members")]
    assert means == sorted(means, reverse=True)


def test_large_clusters_have_small_pages():
    comparison = classroom(90, threshold=0)
    everybody = Cluster(tuple(range(90)), tuple(range(len(comparison.pairs))))
    page = cluster_page(replace(comparison, clusters=(everybody,)), 0, "Title")
    assert len(comparison.pairs) > PAIRS_OF_CLUSTER
    assert page.count('<th scope="row">') == MAPPED
    assert f"Of 90 members, the {MAPPED} most alike are here" in page
    assert page.count('<a class="node') == DRAWN
    assert f"Of 90 members, the {DRAWN} most alike are here" in page
    assert f"And {len(comparison.pairs) - PAIRS_OF_CLUSTER:,} weaker pairs" in page
    assert len(page) < 600_000


def test_members_without_dates_come_by_score(page, tmp_path):
    comparison = classroom(12)
    bare = tuple(replace(each, date=None, label=None) for each in comparison.submissions)
    index = write(replace(comparison, submissions=bare), tmp_path / "report")
    page.goto((index.parent / "cluster" / "0001.html").as_uri())
    assert page.locator("#members .dot").count() == 0
    assert page.locator("#members thead th").all_inner_texts() == [
        "Submission", "Highest score", "Mean score", "Pairs here"
    ]  # fmt: skip
    highest = [int(score.strip("%")) for score in column(page, 2, "#members")]
    assert highest == sorted(highest, reverse=True)


def test_names_are_hidden_on_the_lists(submissions, report):
    submissions.locator("#names").click()
    expect(submissions.locator("#names")).to_have_text("Show names")  # the choice is made before the page is left
    for path in ("submissions.html", "cluster/0001.html"):
        submissions.goto((report.parent / path).as_uri())
        expect(submissions.locator("#names")).to_have_text("Show names")
        assert "student" not in submissions.locator("body").inner_text()


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    """A report with everything that the large one has, and fewer rows of it."""
    return write(classroom(12, threshold=0.5), tmp_path_factory.mktemp("small") / "class", title="A class")


@pytest.mark.parametrize("path", ["submissions.html", "cluster/0001.html"])
def test_everybody_can_use_the_lists(page, small_class, path):
    page.goto((small_class.parent / path).as_uri())
    assert faults(page, ALL_RULES) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page, COLOURS) == []
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.parametrize("path", ["submissions.html", "cluster/0001.html"])
def test_the_lists_read_without_scripts(browser, report, path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((report.parent / path).as_uri())
    assert page.locator("tbody tr").count() > 20
    assert page.locator("button:visible, input:visible").count() == 0
    context.close()


def test_a_class_without_submissions_has_an_empty_list():
    (page,) = submissions_pages(replace(classroom(3), submissions=(), pairs=(), clusters=()), "Title")
    assert re.search(r"<tbody>\s*</tbody>", page)
