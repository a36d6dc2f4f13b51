"""The page of a pair in a browser: passages, keys, files, themes, print."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.report.sample import Person, Source, compare
from whorl.report.write import write

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
    for key, expected in (("n", "1"), ("j", "2"), ("n", "3"), ("n", "1"), ("p", "3"), ("k", "2")):
        pair.keyboard.press(key)
        assert current(pair) == expected


def test_arrow_keys_in_the_list(pair):
    pair.locator("#passages button").first.focus()
    pair.keyboard.press("ArrowDown")
    expect(pair.locator('#passages li[aria-current="true"] button')).to_be_focused()
    assert current(pair) == "1"
    pair.keyboard.press("ArrowDown")
    assert current(pair) == "2"


def test_brackets_go_to_the_next_and_previous_pair(pair):
    pair.keyboard.press("]")
    expect(pair).to_have_url(re.compile("0003.html$"))
    pair.wait_for_load_state()  # the address changes before the page listens to keys
    pair.keyboard.press("[")
    expect(pair).to_have_url(re.compile("0002.html$"))


def test_help_opens_and_closes(pair):
    pair.keyboard.press("?")
    expect(pair.locator("#keys")).to_be_visible()
    pair.keyboard.press("n")
    assert pair.locator("#passages li[aria-current]").count() == 0
    pair.get_by_role("button", name="Close").click()
    expect(pair.locator("#keys")).to_be_hidden()


def test_why_is_told_for_the_chosen_passage(pair):
    expect(pair.locator(".why").first).to_be_hidden()
    pair.keyboard.press("n")
    expect(pair.locator(".why").first).to_contain_text("tokens are equal")


def test_files_without_passages_are_closed(pair):
    closed = pair.locator("details.file:not([open])")
    assert closed.count() == 1
    closed.locator("summary").click()
    marks = closed.locator(".hidden") if closed.count() else pair.locator(".hidden")
    assert marks.all_inner_texts() == ["FF", "NUL", "RLO", "PDF"]


def test_long_lines_are_wrapped(pair):
    pair.locator("details.file:not([open]) summary").click()
    assert pair.locator("#l").evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    assert pair.locator("#r").evaluate("pane => pane.scrollWidth <= pane.clientWidth")


def test_a_fragment_selects_a_passage(page, two):
    page.goto((two.parent / "pair" / "0002.html").as_uri() + "#r2")
    assert current(page) == "2"


def test_text_is_selected_without_jumping(pair):
    pair.locator("#l1").scroll_into_view_if_needed()
    box = pair.locator('#l mark[data-p="1"]').nth(1).bounding_box()
    pair.mouse.move(box["x"] + 2, box["y"] + 5)
    pair.mouse.down()
    pair.mouse.move(box["x"] + 80, box["y"] + 5)
    pair.mouse.up()
    assert pair.evaluate("String(getSelection()).length") > 3
    assert pair.locator("#passages li[aria-current]").count() == 0


def test_dark(pair):
    light = pair.evaluate("getComputedStyle(document.querySelector('mark')).backgroundColor")
    pair.emulate_media(color_scheme="dark")
    assert pair.evaluate("getComputedStyle(document.querySelector('mark')).backgroundColor") != light


def test_print_keeps_both_sides_whole(pair):
    pair.emulate_media(media="print")
    expect(pair.locator("#help")).to_be_hidden()
    expect(pair.locator(".why").first).to_be_visible()
    boxes = [pair.locator(side).bounding_box() for side in ("#l", "#r")]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert boxes[0]["height"] > 2000
    assert pair.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") > 2


def test_on_a_phone_the_sides_are_one_over_the_other(pair):
    pair.set_viewport_size({"width": 390, "height": 844})
    boxes = [pair.locator(side).bounding_box() for side in ("#l", "#r")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert pair.evaluate("document.documentElement.scrollWidth") <= 390
