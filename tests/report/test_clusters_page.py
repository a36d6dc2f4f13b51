"""The summary of a clustering in a browser: sorting, finding, folding, themes, a phone, print, hostile names."""

import pytest
from playwright.sync_api import Page, expect

from tests.report.clustering import Row, songs, write_folder
from tests.report.test_hostile import COUNT_ELEMENTS, PAYLOADS, harmless
from whorl.report.clusters import write_clusters


def many() -> list[Row]:
    """Clusters of 9, 8, 7 … members; the smaller, the less alike."""
    rows: list[Row] = []
    for size in range(9, 1, -1):
        head = len(rows)
        rows.append(Row(f"head {size}", head, url=f"http://{size}.example/{'long/' * 30}"))
        alike = 0.5 + size / 20
        rows += [Row(f"member {size}-{other}", head, alike, "near", date="2024-01-01") for other in range(1, size)]
    return rows


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    pairs = [("a", "b", 0.5 + number / 100) for number in range(50)]
    return write_clusters(write_folder(tmp_path_factory.mktemp("clusters"), many(), pairs), title="Pages")


@pytest.fixture
def opened(page, summary):
    page.goto(summary.as_uri())
    return page


def column(page: Page, name: str) -> list[str]:
    cells = page.locator(f"#table .found:not([hidden]) tr:first-child {name}").all_inner_texts()
    return [cell.strip() for cell in cells]


def sort_by(page: Page, name: str) -> None:
    page.locator("#table").get_by_role("button", name=name, exact=True).click()


def test_pictures_have_names_and_tables(opened):
    expect(opened.locator("h1")).to_have_text("Pages")
    for name in ("Cluster sizes on logarithmic scales: 8 clusters", "Resemblance of pairs: 50 pairs"):
        expect(opened.get_by_role("img", name=name)).to_be_visible()
    assert opened.locator(".plot circle").count() == 8
    assert opened.locator(".histogram rect").count() == 50
    sizes = opened.locator("section", has=opened.locator("#sizes-title"))
    sizes.get_by_text("As a table").click()
    assert "5–8" in sizes.locator("table").inner_text()
    assert opened.locator(".histogram line.threshold").get_attribute("x1") == "50.0"


def test_sorting_moves_a_cluster_with_its_members(opened):
    assert column(opened, ".rank") == list("12345678")
    sort_by(opened, "Least similar")
    assert column(opened, ".rank") == list("87654321")
    expect(opened.get_by_role("columnheader", name="Least similar")).to_have_attribute("aria-sort", "ascending")
    assert opened.locator("th[aria-sort]").count() == 1
    assert "member 2-1" in opened.locator(".found").first.locator(".members").text_content()
    sort_by(opened, "Least similar")
    assert column(opened, ".rank") == list("12345678")
    sort_by(opened, "Size")
    assert column(opened, ".rank") == list("12345678")


def test_finding_tells_how_many_and_looks_at_members(opened):
    opened.locator("#filter").fill("MEMBER 7-3")
    assert column(opened, ".rank") == ["3"]
    expect(opened.locator("#count")).to_have_text("1 of 8 match")
    opened.locator("#filter").fill("nobody")
    assert column(opened, ".rank") == []
    expect(opened.locator("#nothing")).to_be_visible()
    opened.locator("#filter").fill("")
    assert len(column(opened, ".rank")) == 8
    expect(opened.locator("#nothing")).to_be_hidden()


def test_members_unfold_by_keyboard_and_all_at_once(opened):
    first = opened.locator(".found details").first
    expect(first.locator("li").first).to_be_hidden()
    first.locator("summary").focus()
    opened.keyboard.press("Enter")
    expect(first.locator("li").first).to_be_visible()
    assert first.locator("li").count() == 8
    opened.locator("#unfold").click()
    assert opened.locator(".found details[open]").count() == 8
    opened.locator("#fold").click()
    assert opened.locator(".found details[open]").count() == 0


def test_dark_by_the_system_and_by_the_switch(opened):
    def background() -> str:
        return str(opened.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background()
    opened.emulate_media(color_scheme="dark")
    assert background() != light
    opened.locator("#theme").click()
    assert background() == light


@pytest.mark.parametrize("width", [360, 1366])
def test_long_names_make_the_page_no_wider(page, tmp_path, width):
    rows = [Row("h" * 200, 0, url=f"http://{'u' * 200}")]
    rows += [Row(f"{'m' * 200}{number}", 0, 0.8, "near", url=f"http://{'v' * 200}") for number in range(3)]
    summary = write_clusters(write_folder(tmp_path / "long", rows), title="T" * 200)
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(summary.as_uri())
    page.locator("#unfold").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 390, 1920])
def test_the_page_scrolls_down_only(opened, width):
    opened.set_viewport_size({"width": width, "height": 844})
    opened.locator("#unfold").click()
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_print_has_no_controls(opened):
    opened.emulate_media(media="print")
    for control in ("#filters", "#theme"):
        expect(opened.locator(control)).to_be_hidden()
    assert "head 9" in opened.locator("#table").inner_text()


def test_without_scripts_members_unfold_and_nothing_else_is_offered(browser, summary):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(summary.as_uri())
    expect(page.locator("#filters")).to_be_hidden()
    page.locator(".found summary").first.click()
    expect(page.locator(".found li").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("rows", [[], [Row("a", 0)], songs()])
def test_a_page_with_little_in_it(page, tmp_path, rows):
    page.goto(write_clusters(write_folder(tmp_path, rows, skipped=[], phases=[])).as_uri())
    expect(page.locator("#next li").first).to_be_visible()


def hostile(payloads: tuple[str, ...]) -> dict[str, object]:
    """What a summary says, of payloads alone."""
    return {
        "scheme": payloads[0],
        "settings": {payload: payload for payload in payloads[:30]},
        "phases": [{"name": payload, "seconds": 1, "cpu_seconds": 1} for payload in payloads[:30]],
        "skipped": [{"file": payload, "row": 3, "reason": payload} for payload in payloads],
    }


def test_hostile_names_make_no_element_and_run_nothing(page, tmp_path):
    """Payloads are ids, URLs, kinds, dates, reasons, settings, phases and the title."""
    mild = tuple(harmless(payload, number) for number, payload in enumerate(PAYLOADS))
    counts = []
    for name, payloads in (("harmless", mild), ("hostile", PAYLOADS)):
        rows = []
        for number, payload in enumerate(payloads):
            text = payload.encode("utf-8", "replace").decode()  # Parquet holds no half of a surrogate pair
            rows.append(Row(f"{number} {text}", 2 * (number // 2), 0.5, text if number % 2 else "unique", text, text))
        result = hostile(payloads)
        written = write_clusters(write_folder(tmp_path / name, rows, [("a", "b", 0.7)], **result), title=payloads[0])
        page.goto(written.as_uri())
        page.locator("#unfold").click()
        page.locator("#filter").fill(payloads[0])
        page.locator("#filter").fill("")
        sort_by(page, "Size")
        counts.append(page.evaluate(COUNT_ELEMENTS))
        assert page.evaluate("window.__xss") is None
    assert counts[0] == counts[1]
    assert page.locator("main a[href^='javascript'], main a[href^='data']").count() == 0
