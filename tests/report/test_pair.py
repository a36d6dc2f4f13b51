"""The page of a pair in a browser: passages, keys, files, themes, print."""

import functools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.report.sample import Person, Source, classroom, compare
from tests.report.test_overview import RELOADS
from tests.sandbox.processes import eventually
from whorl._version import VERSION
from whorl.errors import InputError
from whorl.formats.documents.extraction import SectionMark
from whorl.matching.passage import Lines, Match, Passage, Side
from whorl.model import Span
from whorl.report.pages import ReviewMark
from whorl.report.pair import aligned_rows
from whorl.report.write import read_review, write, write_ignored

BLOCKS = (
    "for i in range(9):\n    sum = sum + value[i] * weight[i]\n    if sum > limit:\n        return sum - limit\n",
    "while queue:\n    node = queue.pop()\n    seen[node] = depth\n    queue.extend(edges[node])\n    depth += 1\n",
    "def area(width, height):\n    return 2 * (width + height) + width * height / 4 - width % height\n",
)


def padding(number: int) -> str:
    """Lines that have nothing in common with those of another number."""
    sign = "+-*/%@&|"[number]
    return "".join(f"{sign * (i % 5 + 1)} # {number}\n" for i in range(60))


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two long sources with three passages, in another order on the right, and an awkward third file."""
    left = padding(0) + BLOCKS[0] + padding(1) + BLOCKS[1] + padding(2) + BLOCKS[2] + padding(3)
    right = padding(4) + BLOCKS[0] + padding(5) * 2 + BLOCKS[1] + padding(6) + BLOCKS[2]
    odd = "tab\there\r\nform\x0cfeed\r\nnul\x00\r\n\u202eevil\u202c\r\n😀" + "long" * 500 + "\r\n"
    people = [
        Person("left", (Source("main.py", left), Source("odd.txt", odd)), label="group A", date="2024-05-01"),
        Person("right", (Source("main.py", right),), archived=True),
        Person("third", (Source("main.py", left), Source("odd.txt", odd))),
    ]
    return write(compare(people, threshold=0.01), tmp_path_factory.mktemp("pair") / "report")


@pytest.fixture
def pair(page, two):
    page.goto((two.parent / "pair" / "0002.html").as_uri())
    return page


def top(page: Page, anchor: str) -> float:
    return float(page.locator(f"#{anchor}").evaluate("a => a.getBoundingClientRect().top"))


def current(page: Page) -> str | None:
    return page.locator("#passages li[aria-current]").get_attribute("data-p")


def test_it_names_both_and_shows_the_numbers(pair):
    assert {"left", "right"} & set(pair.locator("h1 bdi").all_inner_texts())
    assert "Similarity" in pair.locator(".numbers").inner_text()
    assert pair.locator("#passages li").count() == 3


def test_choosing_a_passage_on_one_side_brings_the_other_beside_it(pair):
    pair.keyboard.press("s")
    pair.locator("#l3").scroll_into_view_if_needed()
    before = pair.locator("#r").evaluate("pane => pane.scrollTop")
    pair.locator('#l mark[data-p="3"]').first.click()
    assert pair.locator("#r").evaluate("pane => pane.scrollTop") != before
    assert current(pair) == "3"
    assert pair.locator("#r mark.on").count() > 0
    expect(pair.locator("#r3")).to_be_in_viewport()


def test_the_two_sides_of_a_passage_stand_at_one_height(pair):
    pair.locator('#passages li[data-p="2"]').click()
    assert abs(top(pair, "l2") - top(pair, "r2")) < 3


def test_badges_work_from_right_to_left_too(pair):
    pair.locator("#r2").scroll_into_view_if_needed()
    pair.locator("#r2").click()
    expect(pair.locator("#l2")).to_be_in_viewport()


def test_keys_go_through_the_passages(pair):
    for key, expected in (("n", "2"), ("j", "3"), ("n", "1"), ("p", "3"), ("k", "2")):
        pair.keyboard.press(key)
        assert current(pair) == expected


def test_arrow_keys_in_the_list(pair):
    pair.locator("#passages button").first.focus()
    pair.keyboard.press("ArrowDown")
    expect(pair.locator('#passages li[aria-current="true"] .badge')).to_be_focused()
    assert current(pair) == "2"
    pair.keyboard.press("ArrowDown")
    assert current(pair) == "3"


def test_brackets_go_to_the_next_and_previous_pair(pair):
    pair.keyboard.press("]")
    expect(pair).to_have_url(re.compile("0003.html$"))
    pair.wait_for_load_state()  # the address changes before the page listens to keys
    pair.keyboard.press("[")
    expect(pair).to_have_url(re.compile("0002.html$"))


def test_the_buttons_stand_in_one_row_on_a_laptop(page, report):
    page.set_viewport_size({"width": 1200, "height": 800})
    page.goto((report.parent / "pair" / "0012.html").as_uri())
    tops = [round(each.bounding_box()["y"]) for each in page.locator(".top .where, .tools button").all()]
    assert len(tops) == 9
    assert max(tops) - min(tops) < 20


def test_help_opens_and_closes(pair):
    pair.keyboard.press("?")
    expect(pair.locator("#keys")).to_be_visible()
    pair.keyboard.press("n")
    assert current(pair) == "1"
    pair.get_by_role("button", name="Close").click()
    expect(pair.locator("#keys")).to_be_hidden()


def test_why_is_reported_for_the_chosen_passage(pair):
    expect(pair.locator(".why").first).to_contain_text("tokens are equal")
    expect(pair.locator(".why").nth(1)).to_be_hidden()
    pair.keyboard.press("n")
    expect(pair.locator(".why").first).to_be_hidden()


def scroll_tops(page: Page) -> list[float]:
    """Where both sides are when neither has moved for some pictures: one follows the other a moment later."""
    tops: list[float] = page.evaluate(
        "async () => {"
        " const tops = () => ['l', 'r'].map((side) => document.getElementById(side).scrollTop);"
        " for (let last = tops(), still = 0; still < 5; ) {"
        "  await new Promise(requestAnimationFrame);"
        "  const now = tops();"
        "  still = String(now) === String(last) ? still + 1 : 0;"
        "  last = now;"
        " }"
        " return tops(); }"
    )
    return tops


def test_it_opens_at_the_longest_passage_with_both_sides_aligned(pair):
    assert current(pair) == "1"
    expect(pair.locator("#l1")).to_be_in_viewport()
    assert abs(top(pair, "l1") - top(pair, "r1")) < 3


def test_both_sides_scroll_together_until_that_is_switched_off(pair):
    pair.keyboard.press("n")
    left, right = scroll_tops(pair)
    pair.locator("#l").evaluate("pane => { pane.scrollTop += 40; }")
    assert eventually(lambda: scroll_tops(pair)[1] == right + 40)
    pair.keyboard.press("s")
    expect(pair.locator("#together")).to_have_attribute("aria-pressed", "false")
    pair.locator("#l").evaluate(
        "pane => new Promise((done) => {"
        " pane.addEventListener('scroll', () => setTimeout(done), { once: true });"
        " pane.scrollTop -= 30; })"
    )
    assert scroll_tops(pair) == [left + 10, right + 40]


def test_the_maps_show_all_passages_and_lead_to_them(pair):
    assert [pair.locator(f".side:has({side}) .map a").count() for side in ("#l", "#r")] == [3, 3]
    pair.locator('.side:has(#r) .map a[data-p="3"]').click()
    assert current(pair) == "3"
    expect(pair.locator("#l3")).to_be_in_viewport()


def test_programs_are_coloured(pair):
    assert pair.locator("#l .code .k").count() > 0


def test_files_without_passages_are_named_and_open_on_the_page_of_the_submission(pair):
    others = pair.locator("#l .others, #r .others")
    assert others.count() == 1
    assert pair.locator(".hidden").count() == 0
    others.locator("summary").click()
    others.get_by_role("link", name="odd.txt").click()
    expect(pair).to_have_url(re.compile(r"/submission/\d{4}\.html#f2$"))
    expect(pair.locator("#f2 .code")).to_be_visible()
    pair.wait_for_load_state()
    assert pair.locator("#f2 .hidden").all_inner_texts() == ["FF", "NUL", "RLO", "PDF"]


def test_all_files_of_a_side_are_closed_and_opened_by_a_button(page, tmp_path):
    text = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(20))
    other = "".join(f"if name[{i}]:\n    call(name, {i})\n" for i in range(20))
    sources = (Source("main.py", text), Source("more.py", other))
    report = write(compare([Person(name, sources) for name in ("left", "right")], threshold=0.01), tmp_path / "report")
    page.goto((report.parent / "pair" / "0001.html").as_uri())
    expect(page.locator("#l details.file[open]")).to_have_count(2)
    page.locator("#l .close-all").click()
    expect(page.locator("#l details.file[open]")).to_have_count(0)
    expect(page.locator("#r details.file[open]")).to_have_count(2)
    page.locator("#l").get_by_role("button", name="Open all").click()
    expect(page.locator("#l details.file[open]")).to_have_count(2)


def test_stretches_without_passages_are_folded(pair):
    fold = pair.locator("#l .fold").first
    expect(fold.locator("li").first).to_be_hidden()
    assert "Lines 1–57 without a passage" in fold.inner_text()
    fold.locator("summary").click()
    expect(fold.locator("li").first).to_be_visible()
    assert fold.locator("li").count() == 57


def test_lines_keep_their_numbers_after_a_fold(pair):
    first = pair.locator("#l mark[data-p]").first
    assert first.evaluate("m => m.closest('ol').start") == 58


def test_long_lines_are_wrapped(pair):
    pair.locator("h2 a").first.click()
    pair.locator("details.file summary").last.click()
    assert pair.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_fragment_selects_a_passage(page, two):
    page.goto((two.parent / "pair" / "0002.html").as_uri() + "#r2")
    assert current(page) == "2"


def test_text_is_selected_without_jumping(pair):
    pair.keyboard.press("n")
    pair.keyboard.press("s")
    pair.locator("#l1").scroll_into_view_if_needed()
    box = pair.locator('#l mark[data-p="1"]').nth(1).bounding_box()
    pair.mouse.move(box["x"] + 2, box["y"] + 5)
    pair.mouse.down()
    pair.mouse.move(box["x"] + 80, box["y"] + 5)
    pair.mouse.up()
    assert pair.evaluate("String(getSelection()).length") > 3
    assert current(pair) == "2"


def test_dark(pair):
    light = pair.evaluate("getComputedStyle(document.querySelector('mark')).backgroundColor")
    pair.emulate_media(color_scheme="dark")
    assert pair.evaluate("getComputedStyle(document.querySelector('mark')).backgroundColor") != light


def test_keys_typed_into_a_note_do_not_walk_through_passages(pair):
    pair.locator("#review-note").fill("")
    pair.locator("#review-note").press_sequentially("np s")
    assert current(pair) == "1"
    assert pair.locator("#review-note").input_value() == "np s"


def stored(page: Page) -> str:
    """The marks that have reached a page."""
    return page.evaluate("localStorage.getItem(review.store)") or ""


def opened(page: Page, store: Callable[[], object], url: str, shows: Callable[[Page], bool]) -> Page:
    """Another page, which shows what this one stored. It does so a moment later; but now and then, on a loaded machine,
    Chromium cuts a page off from the store, for as long as it is open: then both are opened anew."""
    for _ in range(RELOADS):
        page.reload()
        store()
        other = page.context.new_page()
        other.goto(url)
        if eventually(functools.partial(shows, other), 1):
            return other
    pytest.fail("what was stored is forgotten")


def test_marks_are_kept_saved_and_read_again(pair, two, tmp_path):
    def mark() -> None:
        pair.locator("#review-state").select_option("follow-up")
        pair.locator("#review-note").fill("ask <both>")

    overview = opened(pair, mark, two.as_uri(), lambda page: "ask <both>" in page.locator("#table").inner_text())
    overview.locator("#filter-review").select_option("to be followed up")
    expect(overview.locator("#count")).to_have_text("1 of 3 rows")
    with overview.expect_download() as download:
        overview.get_by_role("button", name="Save review marks").click()
    file = tmp_path / "marks.json"
    download.value.save_as(file)
    marks = read_review(file)
    assert list(marks.values()) == [ReviewMark("follow-up", "ask <both>")]
    people = [Person(name, (Source("main.py", padding(0) + BLOCKS[0]),)) for name in ("third", "right", "left")]
    again = write(compare(people, threshold=0.01), tmp_path / "again", title="Again", review=marks)
    overview.goto(again.as_uri())
    assert overview.locator("#table").inner_text().count("to be followed up") == 1
    overview.locator("#table tr:has-text('ask') a").first.click()
    expect(overview.locator("#review-state")).to_have_value("follow-up")
    expect(overview.locator("#review-note")).to_have_value("ask <both>")


def test_marks_of_another_tab_are_saved_too(pair, two, tmp_path):
    notes = (f"note {number}" for number in count())

    def shows(overview: Page) -> bool:
        """Write another note after the page was opened."""
        pair.locator("#review-note").fill(note := next(notes))
        return bool(eventually(lambda: note in stored(overview), 1))

    overview = opened(pair, lambda: None, two.as_uri(), shows)
    with overview.expect_download() as download:
        overview.get_by_role("button", name="Save review marks").click()
    download.value.save_as(tmp_path / "marks.json")
    assert [mark.note for mark in read_review(tmp_path / "marks.json").values()] == [
        pair.locator("#review-note").input_value()
    ]


def test_an_ignored_passage_is_saved_with_both_sides(pair, two, tmp_path):
    def ignore() -> None:
        button = pair.get_by_role("button", name="Ignore passage 1")
        if button.get_attribute("aria-pressed") != "true":
            button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(pair.locator("#ignored")).to_be_visible()

    overview = opened(pair, ignore, two.as_uri(), lambda page: bool(stored(page)))
    with overview.expect_download() as download:
        overview.get_by_role("button", name="Save review marks").click()
    download.value.save_as(tmp_path / "marks.json")
    marks = read_review(tmp_path / "marks.json")
    assert len([mark for mark in marks.values() if mark.ignored]) == 1
    paths = write_ignored(marks, tmp_path)
    assert [path.name for path in paths] == ["1.java"]  # both sides are equal; the sample has one format
    assert any(block.strip() == paths[0].read_text().strip() for block in BLOCKS)
    again = write(compare([], threshold=0.01), tmp_path / "again", title="Again", review=marks)
    assert json.loads(again.read_text().partition('id="review-data">')[2].partition("</script>")[0])["marks"]
    later = opened(pair, ignore, pair.url, lambda page: page.locator("#ignored").is_visible())
    later.get_by_role("button", name="Count all again").click()
    expect(later.locator("#ignored")).to_be_hidden()
    assert not later.evaluate("ignored().length")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"kind": "whorl review"}',
        '{"kind": "other", "pairs": []}',
        '{"kind": "whorl review", "pairs": [{"left": "a", "right": "b", "state": "", "note": 5}]}',
        '{"kind": "whorl review", "pairs": [{"left": "a", "right": "b", "state": "", "note": "", "ignored": [5]}]}',
    ],
)
def test_other_files_are_no_review(tmp_path, content):
    (tmp_path / "marks.json").write_text(content)
    with pytest.raises(InputError, match="no review marks"):
        read_review(tmp_path / "marks.json")


def test_paper_has_aligned_passages_and_the_record(pair):
    pair.emulate_media(media="print")
    expect(pair.locator("#aligned .both")).to_have_count(3)
    for both in pair.locator("#aligned .both").all():
        lists = both.locator("ol").all()
        assert len(lists) == 2
        assert lists[0].bounding_box()["y"] == lists[1].bounding_box()["y"]
        assert all(each.locator("mark").count() for each in lists)
    assert pair.locator("#aligned .both").first.locator("ol").first.evaluate("list => list.start") > 1
    assert "It is not the probability that somebody copied" in pair.locator("#hearing").inner_text()
    record = pair.locator(".record").inner_text()
    assert f"Whorl {VERSION}" in record
    assert "group A, 2024-05-01" in record
    assert "A score is no verdict" in record
    expect(pair.locator(".panes")).to_be_hidden()
    pair.emulate_media(media="screen")
    expect(pair.locator("#aligned .both")).to_have_count(0)
    expect(pair.locator("#hearing")).to_be_hidden()


def test_a_pair_is_saved_as_one_file_for_a_hearing(pair, tmp_path):
    pair.locator("#review-note").fill("a note of the reader")
    with pair.expect_download() as download:
        pair.get_by_role("button", name="Save for a hearing").click()
    assert re.fullmatch(r"hearing-(left|right|third)-(left|right|third)\.html", download.value.suggested_filename)
    expect(pair.locator("#aligned .both")).to_have_count(0)
    file = tmp_path / "elsewhere.html"
    download.value.save_as(file)
    text = file.read_text("utf-8")
    assert not re.search(r"<(script|button|a|input|form|img|link)\b|\ssrc=|a note of the reader", text)
    pair.goto(file.as_uri())
    for part in ("#hearing", "#passages .why", "#aligned", ".record dl"):
        expect(pair.locator(part).first).to_be_visible()
    expect(pair.locator("#aligned .both")).to_have_count(3)
    assert pair.locator("#aligned mark").first.evaluate("mark => getComputedStyle(mark).boxShadow") != "none"
    for width in (1366, 400):
        pair.set_viewport_size({"width": width, "height": 800})
        assert pair.evaluate("document.documentElement.scrollWidth") <= width


def test_rows_on_paper_begin_with_a_match_that_is_further_down_on_both_sides():
    left, right = "a\nx\nb\nc\n", "a\nb\ny\ny\nc\n"
    matches = [Match(Span(left.index(sign), left.index(sign) + 1), Span(right.index(sign), right.index(sign) + 1), 1)
               for sign in "abc"]  # fmt: skip
    sides = Side("a", 0, 7, 1, 4), Side("b", 0, 9, 1, 5)
    passage = Passage(*sides, 3, tuple(matches))
    assert aligned_rows(passage, Lines(left), Lines(right)) == [(1, 1), (3, 2), (4, 5), (5, 6)]
    moved = replace(passage, matches=(matches[0], Match(matches[1].left, Span(0, 1), 1), matches[2]))
    assert aligned_rows(moved, Lines(left), Lines(right)) == [(1, 1), (4, 5), (5, 6)]


def test_lines_of_overlapping_passages_are_printed_once(page, tmp_path):
    text = padding(0) + BLOCKS[0] + padding(1)
    comparison = compare([Person(name, (Source("main.py", text),)) for name in ("left", "right")], threshold=0.01)
    pair = comparison.pairs[0]
    twice = replace(comparison, pairs=(replace(pair, passages=pair.passages * 2),))
    report = write(twice, tmp_path / "report")
    page.goto((report.parent / "pair" / "0001.html").as_uri())
    page.emulate_media(media="print")
    expect(page.locator("#aligned section")).to_have_count(2 * len(pair.passages))
    expect(page.get_by_text("Its lines are in the passages above.")).to_have_count(len(pair.passages))
    drawn = page.locator("#aligned li").all_inner_texts()
    assert len(drawn) == 2 * sum(each.left.end_line - each.left.start_line + 1 for each in pair.passages)


def test_paper_names_the_lines_that_had_no_room(page, tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.report.pair.SIDE", 2_000)
    text = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(200))
    comparison = compare([Person(name, (Source("main.py", text),)) for name in ("left", "right")], threshold=0.01)
    report = write(comparison, tmp_path / "report")
    page.goto((report.parent / "pair" / "0001.html").as_uri())
    page.emulate_media(media="print")
    expect(page.locator("#aligned .left-out")).to_have_count(2)
    present = page.locator("#aligned .both ol").first.locator("li").count()
    assert 0 < present < 200
    notes = page.locator("#aligned .left-out").all_inner_texts()
    assert notes == [f"{200 - present} of the lines 1–200 had no room on the page of this pair: read the file."] * 2


def test_files_beyond_the_first_hundreds_of_lines_open_with_their_passage(page, tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.report.pair.OPEN", 400)
    files = tuple(Source(f"{number}.py", padding(number) + block) for number, block in enumerate(BLOCKS))
    report = write(compare([Person(name, files) for name in ("left", "right")], threshold=0.01), tmp_path / "report")
    page.goto((report.parent / "pair" / "0001.html").as_uri())
    opened = [item for item in page.locator("#l details.file").all() if item.get_attribute("open") is not None]
    assert 1 <= len(opened) < 3
    for number in range(1, page.locator("#passages li").count() + 1):
        page.locator(f'#passages li[data-p="{number}"]').click()
        expect(page.locator(f"#l{number}")).to_be_in_viewport()
        assert abs(top(page, f"l{number}") - top(page, f"r{number}")) < 3
    expect(page.locator("details.file[open]")).to_have_count(6)


def test_the_longest_passage_has_room_before_the_files_above_it(page, tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.report.pair.SIDE", 3_000)
    long = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(20))
    short = [Source(f"{number}.py", padding(number) + block) for number, block in enumerate(BLOCKS)]
    files = (*short, Source("last.py", long))
    report = write(compare([Person(name, files) for name in ("left", "right")], threshold=0.01), tmp_path / "report")
    page.goto((report.parent / "pair" / "0001.html").as_uri())
    for anchor in ("#l1", "#r1"):
        expect(page.locator(anchor)).to_be_in_viewport()
    assert "last.py" in page.locator('#passages li[data-p="1"]').inner_text()
    names = page.locator("#l details.file > summary bdi").all_inner_texts()
    assert names == ["0.py", "1.py", "2.py", "last.py"]
    expect(page.locator("#l .left-out").first).to_be_visible()


def test_neighbouring_lines_without_room_are_left_out_together(page, tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.report.pair.SIDE", 10)
    monkeypatch.setattr("whorl.report.pair.FOLDED", 10)
    text = padding(0) + BLOCKS[0] + padding(1) + BLOCKS[1] + padding(2)
    comparison = compare([Person(name, (Source("a.py", text),)) for name in ("left", "right")], threshold=0.01)
    page.goto((write(comparison, tmp_path / "report").parent / "pair" / "0001.html").as_uri())
    expect(page.locator("#l .left-out")).to_have_count(1)
    assert "too many for this page" in page.locator("#l .left-out").inner_text()


def test_print_keeps_both_sides_whole(pair):
    pair.emulate_media(media="print")
    expect(pair.locator("#help")).to_be_hidden()
    expect(pair.locator(".why").first).to_be_visible()
    sides = pair.locator("#aligned .both").first.locator("ol")
    expect(sides).to_have_count(2)
    boxes = [each.bounding_box() for each in sides.all()]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert pair.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_on_a_phone_the_sides_are_one_over_the_other(pair):
    pair.set_viewport_size({"width": 390, "height": 844})
    boxes = [pair.locator(side).bounding_box() for side in ("#l", "#r")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert pair.evaluate("document.documentElement.scrollWidth") <= 390


def test_cells_of_a_notebook_have_borders_and_numbers(page, tmp_path):
    comparison = classroom(4)
    text = comparison.text(0, 0)
    cells = (
        SectionMark("cell", 1, 0, 20, "markdown"),
        SectionMark("cell", 2, text.index("\n") + 1, len(text), "python"),
    )
    notebooks = tuple(
        replace(each, files=(replace(each.files[0], format="notebook", cells=cells), *each.files[1:]))
        for each in comparison.submissions
    )
    index = write(replace(comparison, submissions=notebooks), tmp_path / "report")
    page.goto((index.parent / "pair" / "0001.html").as_uri())
    assert [cell.get_attribute("data-cell") for cell in page.locator("#l .cell").all()] == [
        "Cell 1, markdown",
        "Cell 2, python",
    ]
    assert "Cell 2" in page.locator("#l .cell").nth(1).evaluate("cell => getComputedStyle(cell, '::after').content")
    assert page.locator("#l .code .k").count() > 0
