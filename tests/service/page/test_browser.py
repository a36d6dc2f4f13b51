"""Every page and flow in a browser: with scripts and without, by mouse and by keyboard, on a phone and a projector."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, FloatRect, Locator, Page, expect

from tests.accessibility import ALL_RULES, COLOURS, faults
from tests.service.harness import ALL, Running, running, settings_in
from tests.service.page.conftest import LAPTOP, context_of, watched
from tests.service.page.door import signed_in
from tests.service.page.house import BEES, TIDES, furnish, put, registry_in, sweep_in
from whorl.service.authentication import TokenScope

ACMES = (
    "/", "/check", "/documents", "/documents?begins=zzz", "/documents/add", "/documents/1", "/documents/1/near",
    "/documents/1/beside/2", "/documents/1/delete", "/compare", "/jobs", "/registry", "/lost-and-found",
    "/lost-and-found?url=http://harbour.example/old.html",
)  # fmt: skip
ADMINS = tuple(f"/admin/{name}" for name in ("tokens", "usage", "retention", "deletions", "audit", "people"))

PHONE, PROJECTOR = {"width": 360, "height": 740}, {"width": 1920, "height": 1080}

WIDTH = "document.documentElement.scrollWidth"


def check_access(page: Page) -> None:
    """Clean in the light and in the dark."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    result = faults(page, ALL_RULES)
    page.emulate_media(color_scheme="dark")
    assert result + faults(page, COLOURS) == []
    page.emulate_media(color_scheme="light")


def box_of(locator: Locator) -> FloatRect:
    """Where an element stands, which must be seen."""
    box = locator.bounding_box()
    assert box is not None
    return box


def searched(page: Page, text: str) -> None:
    page.goto("/")
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#results h2").first).to_be_visible()


@pytest.fixture(scope="module")
def window(browser: Browser, site: Running) -> Iterator[Page]:
    """One page for the checks that only look."""
    context = context_of(browser, site, site.admin)
    page, watch = watched(context, site)
    yield page
    context.close()
    assert watch.faults == []


def test_what_is_wrong_would_be_seen(window):
    window.goto("/documents")
    window.evaluate("document.querySelector('main').innerHTML = '<input><p class=hint id=main>x</p>'")
    assert any("label" in fault for fault in faults(window, ALL_RULES))


def test_pages_of_a_tenant_are_open_to_everybody(page):
    for path in ACMES:
        page.goto(path)
        check_access(page)


def test_pages_of_admins_are_open_to_everybody(window):
    for path in ADMINS:
        window.goto(path)
        check_access(window)


def test_pages_outside_and_of_a_newcomer(browser, site):
    context = browser.new_context(base_url=site.address)
    page = context.new_page()
    page.goto("/sign-in?said=signed-out")
    check_access(page)
    page.get_by_label("Your token").fill("whorl_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Unknown token")
    check_access(page)
    page.get_by_label("Your token").fill(site.token(*ALL, tenant="newcomer"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="No document is stored yet")).to_be_visible()
    check_access(page)
    page.goto("/nowhere")
    check_access(page)
    page.goto("/documents/add")
    expect(page.get_by_role("heading", level=1)).to_have_text("Add documents")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    context.close()


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with one long name of each kind, and none that a browser can break by itself."""
    folder = tmp_path_factory.mktemp("crowded")
    with running(settings_in(folder, registry=registry_in(folder), sweep=sweep_in(folder))) as found:
        furnish(found)
        put(
            found, found.acme, f"a-name-{'x' * 200}.txt", BEES, collection="c" * 60, labels=("y" * 150, "next"),
            contact="z" * 150, url=f"https://long.example/{'u' * 200}",
        )  # fmt: skip
        for tenant, label in (("t" * 60, "L" * 155), ("acme", "M" * 155)):
            secret = found.context.tokens.create(tenant, ALL, label)[1]
            with signed_in(found, secret) as client:
                assert client.get("/documents").status_code == 200
        yield found


@pytest.mark.parametrize("size", [PHONE, LAPTOP, PROJECTOR], ids=["phone", "laptop", "projector"])
def test_nothing_is_wider_than_the_screen(browser, crowded, size):
    def check() -> None:
        assert page.evaluate(WIDTH) <= size["width"], page.url

    context = context_of(browser, crowded, crowded.acme, viewport=size)
    page, _ = watched(context, crowded)
    for path in (*ACMES, "/documents?collection=main&begins=a-name", "/documents/6", "/documents/6/delete"):
        page.goto(path)
        check()
    searched(page, TIDES + BEES)
    check()
    page.goto("/compare")
    names = [f"{letter * 190}.py" for letter in "pq"]
    files = [FilePayload(name=name, mimeType="text/plain", buffer=b"x = 1") for name in names]
    page.locator("#submissions").set_input_files(files)
    check()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Title of the report").fill("T" * 200)
    check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("link", name="Read the report").wait_for(timeout=60_000)
    check()
    page.goto("/jobs")
    check()
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= (19 if size is PROJECTOR else 15)
    context.close()
    context = context_of(browser, crowded, crowded.admin, viewport=size)
    page, _ = watched(context, crowded)
    for path in (*ADMINS, "/documents", "/jobs"):
        page.goto(path)
        check()
    context.close()


def test_the_caption_of_a_passage_stands_in_one_line_above_it(page):
    searched(page, TIDES)
    for path in (None, "/documents/1/beside/2"):
        if path is not None:
            page.goto(path)
        for side in page.locator(".side").all()[:2]:
            caption, excerpt = (box_of(side.locator(each)) for each in ("b", ".excerpt"))
            assert caption["width"] > 300
            assert caption["height"] < 30
            assert caption["y"] + caption["height"] <= excerpt["y"]


def test_short_words_of_a_table_stay_whole_beside_a_long_name(browser, crowded):
    context = context_of(browser, crowded, crowded.admin, viewport=LAPTOP)
    page, _ = watched(context, crowded)
    page.goto("/admin/audit")
    cells = page.locator("td[data-label=Did], td[data-label=From]")
    assert max(cells.evaluate_all(LINES)) == 1
    page.goto("/admin/tokens")
    assert {round(box_of(button)["height"]) for button in page.locator("td .button").all()} == {38}
    context.close()


# In how many lines the text of each element stands.
LINES = """elements => elements.map((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].filter((box) => box.width > 2).map((box) => Math.round(box.bottom))).size;
})"""


def test_on_a_phone_nothing_touches_its_neighbour(browser, crowded):
    context = context_of(browser, crowded, crowded.admin, viewport=PHONE)
    page, _ = watched(context, crowded)
    page.goto("/documents")
    add, filters = (box_of(page.locator(each)) for each in ("a.primary", "form.filters"))
    assert filters["y"] - add["y"] - add["height"] >= 10
    long, following = (box_of(page.locator(".labels .tag", has_text=text)) for text in ("yyy", "next"))
    assert long["y"] + long["height"] < following["y"]
    page.goto("/admin/usage")
    for cell in page.locator("td[data-label^=Documents]").all():
        assert cell.evaluate(LABEL_WIDTH) < cell.evaluate("cell => parseFloat(getComputedStyle(cell).paddingLeft)")
    context.close()


# The width of the label that the style sheet writes before a cell.
LABEL_WIDTH = "cell => parseFloat(getComputedStyle(cell, '::before').width)"


def test_a_session_that_ended_in_another_tab_is_named(browser, site):
    context = context_of(browser, site, site.acme)
    page, other = context.new_page(), context.new_page()
    page.goto("/")
    page.locator("#text").fill(TIDES)
    other.goto("/jobs")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("status")).to_have_text("You are signed out.")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    context.close()


def test_a_search_answers_on_the_page_and_takes_the_focus(page):
    searched(page, TIDES)
    assert page.url.endswith("/")
    expect(page.locator("#results")).to_be_focused()
    expect(page.locator(".hit h3").first).to_have_text("essays/tides.txt")
    assert page.locator("#text").input_value() == TIDES
    check_access(page)


def test_a_manuscript_is_checked_and_its_exclusions_are_undone_on_the_page(page):
    page.goto("/check")
    page.locator("#text").fill(f"{TIDES}\n\n“{BEES.partition('. ')[0]}.”\n\nAnd a few words of my own at the end.")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#similarity")).not_to_have_text("100%")
    check_access(page)
    before = page.locator("#similarity").inner_text()
    page.get_by_label("Quotations").uncheck()
    expect(page.locator("#similarity")).not_to_have_text(before)
    page.locator("#text mark").first.click()
    expect(page.locator("#beside-title")).to_contain_text("essays/tides.txt")
    expect(page.locator(".notice")).to_contain_text("You cannot see")
    page.get_by_role("link", name="Check another").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check a manuscript")


def test_a_search_by_keyboard_that_finds_nothing(page):
    page.goto("/")
    page.locator("#text").fill("qqq zzz xxx " * 40)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("No stored document shares a passage with it")).to_be_visible()
    check_access(page)


def test_a_dropped_file_is_named_and_searched(page):
    page.goto("/")
    file = {"name": "bees of mine.txt", "mimeType": "text/plain", "buffer": BEES.encode()}
    page.locator("#file").set_input_files(file)
    expect(page.locator(".drop output")).to_contain_text("bees of mine.txt (1 kB)")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#results")).to_contain_text("in bees of mine.txt")


def test_a_file_that_is_too_large_is_not_sent(page, site):
    page.goto("/")
    page.locator("#file").evaluate("input => { input.dataset.most = '10'; }")
    page.locator("#file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"x" * 11})
    assert page.locator("#file").evaluate("input => input.validity.customError")


def test_a_fault_of_a_search_is_reported_on_the_page(browser, site):
    context = context_of(browser, site, site.acme)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("Drop a file or paste a text")
    check_access(page)
    page.route(
        "**/search",
        lambda route: route.fulfill(
            status=413,
            content_type="application/problem+json",
            body='{"title": "Too large", "detail": "Send <b>less</b>."}',
        ),
    )
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_have_text("Too large. Send <b>less</b>.")
    page.route("**/search", lambda route: route.abort())
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("The server did not answer")
    context.close()


def test_a_click_on_one_side_of_a_passage_scrolls_the_other(page, site):
    long = "\n".join(
        f"Paragraph {number} of a text that both of us have, and that is long. " * 3 for number in range(60)
    )
    put(site, site.acme, "long both.txt", long, collection="long")
    searched(page, f"{BEES}\n{long}")
    sides = page.locator(".passage").filter(has_text="Paragraph 30").first.locator(".side")
    left, right = sides.nth(0), sides.nth(1)
    assert right.evaluate("side => side.scrollTop") == 0
    left.evaluate("side => { side.scrollTop = side.scrollHeight / 2; }")
    left.click()
    expect(right.locator("mark")).to_have_class(re.compile(r"\bon\b"))
    expect(page.locator(".side mark.on")).to_have_count(2)
    lines = [side.evaluate(AT_MIDDLE) for side in (left, right)]
    assert abs(lines[0] - lines[1]) <= 2


# The paragraph that stands in the middle of a side.
AT_MIDDLE = """side => {
  const box = side.getBoundingClientRect();
  const range = document.caretRangeFromPoint(box.left + 80, box.top + box.height / 2);
  const before = range.startContainer.textContent.slice(0, range.startOffset);
  return Number([...before.matchAll(/Paragraph (\\d+)/g)].at(-1)[1]);
}"""


def test_the_list_is_filtered_while_one_types(page):
    page.goto("/documents")
    page.get_by_label("Name begins with").press_sequentially("essays/r")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    expect(page.locator("#list tbody a")).to_have_text("essays/report.txt")
    expect(page).to_have_url(re.compile("begins=essays"))
    page.get_by_label("Collection").select_option("nature")
    expect(page.get_by_text("No document fits")).to_be_visible()


def test_a_document_from_adding_to_deleting(page):
    page.goto("/documents/add")
    page.get_by_label("Name of a pasted text").fill("short life.txt")
    page.get_by_label("Text", exact=True).fill(f"Mine alone. {BEES}")
    page.get_by_text("Address, date, contact, labels").click()
    page.get_by_label("Labels").fill("one, two")
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".notice.good")).to_contain_text("1 document was stored")
    check_access(page)
    page.get_by_role("link", name="short life.txt").click()
    expect(page.locator(".code")).to_contain_text("A hive in a glass wall")
    page.get_by_role("link", name="Find near-identical documents").click()
    page.get_by_role("link", name="Show both side by side").first.click()
    expect(page.locator(".side mark").first).to_be_visible()
    page.get_by_role("link", name="short life.txt").click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("status")).to_contain_text("The document is deleted")


def marked(page: Page, handed_in: Path) -> None:
    """The first two steps of the wizard."""
    page.goto("/compare")
    page.locator("#submissions").set_input_files(handed_in)
    page.get_by_role("button", name="Next: mark starter code").click()
    expect(page.get_by_label("template", exact=True)).to_be_checked()
    expect(page.locator(".picks li")).to_have_count(4)


def test_the_wizard_ends_in_the_report(page, handed_in):
    marked(page, handed_in)
    check_access(page)
    page.get_by_label("Title of the report").fill("Words")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("link", name="Read the report").wait_for(timeout=60_000)  # progress reloads the page by itself
    check_access(page)
    page.get_by_role("link", name="Read the report").click()
    expect(page.locator("#table tbody tr")).to_have_count(1)  # the report's own scripts made it, under our policy
    page.locator("#table tbody a").first.click()
    expect(page.locator("#passages li").first).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#passages li[aria-current]")).to_have_count(1)
    page.goto("/jobs")
    check_access(page)


def test_progress_is_reported_while_a_job_waits_and_runs(browser, idle, handed_in):
    context = context_of(browser, idle, idle.acme)
    page, watch = watched(context, idle)
    marked(page, handed_in)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".progress .step")).to_have_text("Waiting in the queue")
    check_access(page)
    job = idle.context.jobs.claim()
    idle.context.jobs.progress(job.id, "reading", 3, 7)
    expect(page.locator(".progress .step")).to_have_text("reading")
    expect(page.locator(".progress .count")).to_have_text("3 of 7")
    assert page.locator(".progress progress").evaluate("bar => [bar.value, bar.max]") == [3, 7]
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.get_by_text("The job was cancelled.")).to_be_visible()
    context.close()
    assert watch.faults == []


def test_without_scripts_everything_works(browser, site, handed_in):
    context = context_of(browser, site, site.acme, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    assert page.locator("#theme").is_hidden()
    assert page.get_by_role("button", name="Sign out").is_visible()
    page.locator("#text").fill(TIDES)
    page.get_by_role("button", name="Search").click()
    assert page.locator(".hit h3").first.inner_text() == "essays/tides.txt"
    page.goto("/documents")
    page.get_by_label("Name begins with").fill("essays/t")
    page.get_by_role("button", name="Show").click()
    assert page.locator("tbody a").first.inner_text() == "essays/tides.txt"
    marked(page, handed_in)
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("link", name="Read the report").wait_for(timeout=60_000)  # the page asks again by itself
    context.close()


def test_near_duplicates_by_a_job(page):
    page.goto("/jobs")
    page.get_by_label("Collection", exact=True).select_option("main")
    page.get_by_role("button", name="Find near-duplicates").click()
    expect(page.get_by_role("heading", name=re.compile("of near-duplicates|No near-duplicates")).first).to_be_visible(
        timeout=60_000
    )
    check_access(page)


def test_registry_and_lost_and_found_answer_on_the_page(page):
    page.goto("/registry")
    page.locator("#text").fill(TIDES)
    page.get_by_role("button", name="Search the registry").click()
    expect(page.locator("#results")).to_contain_text("1 registered document")
    check_access(page)
    page.goto("/lost-and-found")
    page.get_by_label("Address of the page").fill("http://harbour.example/old.html")
    page.get_by_role("button", name="Find it").click()
    expect(page.locator("#results")).to_contain_text("The page is gone")
    expect(page).to_have_url(re.compile("url=http"))


def test_a_token_is_made_and_revoked(admin_page, site):
    admin_page.goto("/admin/tokens")
    admin_page.get_by_label("Label", exact=True).fill("for a colleague")
    admin_page.get_by_label("Owner", exact=True).fill("colleague")
    admin_page.get_by_label(re.compile("^compare")).check()
    admin_page.get_by_role("button", name="Create the token").click()
    secret = admin_page.locator("#secret").inner_text()
    token = site.context.tokens.find(secret)
    assert (token.tenant, token.scopes) == ("colleague", {TokenScope.SEARCH, TokenScope.COMPARE})
    check_access(admin_page)
    admin_page.get_by_role("link", name=re.compile(r"Revoke\s+for a colleague")).click()
    check_access(admin_page)
    admin_page.get_by_role("button", name="Revoke it").click()
    expect(admin_page.get_by_role("status")).to_have_text("The token is revoked.")


def test_retention_and_one_persons_data(admin_page):
    admin_page.goto("/admin/retention")
    admin_page.get_by_label("Owner").select_option("acme")
    admin_page.get_by_label("Collection").fill("nature")
    admin_page.get_by_label("Days").fill("400")
    admin_page.get_by_role("button", name="Set").click()
    expect(admin_page.get_by_role("status")).to_have_text("The rule is set.")
    admin_page.goto("/admin/people")
    admin_page.get_by_label("Owner or contact").fill("keeper@harbour.example")
    with admin_page.expect_download() as download:
        admin_page.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == "person.zip"


def test_the_keyboard_comes_everywhere_in_order(page):
    page.goto("/documents")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    assert page.locator(".skip").bounding_box()["y"] >= 0
    names = []
    for _ in range(9):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline not in ("none", "")
    assert names[:8] == ["Whorl", "Search", "Check", "Documents", "Compare", "Jobs", "Registry", "Lost and found"]
    page.goto("/documents")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_theme_is_the_reports_and_stays(page):
    page.goto("/")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(colour) != light
    page.goto("/documents")
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()


def test_text_from_right_to_left_stays_in_its_place(page):
    page.goto("/documents?begins=الميناء")
    page.locator("tbody a").first.click()
    assert page.locator(".code").evaluate("list => getComputedStyle(list).direction") == "rtl"
    expect(page.locator("h1 bdi")).to_have_text("الميناء.txt")
