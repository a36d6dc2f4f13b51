"""Two sides of a pair in a browser: exchanged, their files in another order, and as a line diff."""

import re
from difflib import SequenceMatcher
from random import Random

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import ALL_RULES, COLOURS, faults
from tests.report.sample import Person, Source, compare
from whorl.comparison.result import File
from whorl.matching.passage import Match, Passage, Side
from whorl.model import Span
from whorl.report.pair import matched_share
from whorl.report.write import write

SHARED = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(30))
LEFT = f'"""Solution of task 1."""\n\nfirst = 1\n{SHARED}last = 1\n'
RIGHT = f'"""Solution of task 2, <b>mine</b>."""\n\n  first = 1\n{SHARED}last = 1\nmore = [2]\n'
SMALL = "def area(width, height):\n    return 2 * (width + height) + width * height / 4\n"
NOISE = "".join(f"{'+-*/%@&|'[i % 8] * (i % 5 + 1)} # {i}\n" for i in range(40))


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A pair of two files each: a long one with one passage, and one of which half is matched."""
    people = [
        Person("Ada", (Source("a.py", LEFT), Source("b.py", SMALL + NOISE)), date="2026-01-01"),
        Person("Grace", (Source("c.py", RIGHT), Source("d.py", SMALL))),
    ]
    return write(compare(people, threshold=0.01), tmp_path_factory.mktemp("sides") / "report")


@pytest.fixture
def pair(page, two):
    page.goto((two.parent / "pair" / "0001.html").as_uri())
    return page


def sides(page: Page) -> list[str]:
    return page.locator(".pane h2 a").all_inner_texts()


def files(page: Page, side: str) -> list[str]:
    return page.locator(f"#{side} details.file summary bdi").all_inner_texts()


def test_sides_are_exchanged_with_their_names_numbers_and_lines(pair):
    before = pair.locator(".coverage").all_inner_texts()
    assert before[0] != before[1]
    for order in (["Grace", "Ada"], ["Ada", "Grace"]):
        pair.keyboard.press("x")
        assert sides(pair) == order
        assert pair.locator("h1 bdi").all_inner_texts() == order
        assert pair.locator(".coverage").all_inner_texts() == (before if order[0] == "Ada" else before[::-1])
        listed = pair.locator("#passages li").first.locator(".at bdi").all_inner_texts()
        assert listed == (["a.py", "c.py"] if order[0] == "Ada" else ["c.py", "a.py"])
        name = pair.locator("#passages .badge").first.get_attribute("aria-label")
        lines = pair.locator("#passages li").first.locator(".at").all_inner_texts()
        assert name == f"Passage 1: {' and '.join(line.partition(' ')[2] for line in lines)}"
        there = pair.locator(".side").first.locator(".code .badge").first.get_attribute("aria-label")
        assert there == "Passage 1: show it on the right"


def test_exchanged_sides_still_go_together(pair):
    pair.get_by_role("button", name="Swap sides").click()
    pair.locator('#passages li[data-p="2"] .badge').click()
    expect(pair.locator("#l2")).to_be_in_viewport()
    expect(pair.locator("#r2")).to_be_in_viewport()
    assert faults(pair, ALL_RULES) == []


def test_evidence_has_the_order_of_the_record(pair, tmp_path):
    pair.keyboard.press("x")
    with pair.expect_download() as download:
        pair.locator("#save").click()
    download.value.save_as(tmp_path / "saved.html")
    saved = (tmp_path / "saved.html").read_text("utf-8")
    heading = re.sub(r"<[^>]*>", "", saved.partition("<h1>")[2].partition("</h1>")[0])
    assert heading.split() == ["Ada", "and", "Grace"]
    assert 'id="diff"' not in saved
    assert sides(pair) == ["Grace", "Ada"]


def test_files_tell_their_matched_share_and_are_ordered_by_it(pair):
    shares = dict(re.findall(r"(\w\.py).*? (\d+)% matched", pair.locator("#l").inner_text()))
    assert int(shares["a.py"]) > 80 > int(shares["b.py"]) > 5
    assert files(pair, "l") == ["a.py", "b.py"]
    marks = pair.locator(".side:has(#l) .map rect")
    places = [mark.bounding_box()["y"] for mark in marks.all()]
    order = pair.get_by_label("Files by").nth(1)
    order.select_option("matched share")
    assert files(pair, "r") == ["d.py", "c.py"]
    assert files(pair, "l") == ["a.py", "b.py"]
    assert [mark.bounding_box()["y"] for mark in marks.all()] == places
    first, second = pair.locator(".side:has(#r) .map g").all()
    assert second.bounding_box()["y"] < first.bounding_box()["y"]
    order.select_option("name")
    assert files(pair, "r") == ["c.py", "d.py"]
    order.select_option("matched share")
    order.select_option("longest passage")
    longest = pair.locator("#passages .at:nth-of-type(2) bdi").first.inner_text()
    assert files(pair, "r") == [longest, "d.py"]


def rows(page: Page) -> list[tuple[str, str, str]]:
    """The kind of each row of the diff, and its line numbers."""
    found = page.locator(".diff tbody tr:not(.note)").evaluate_all(
        "all => all.map((row) => [row.className, row.cells[0].textContent, row.cells[1].textContent])"
    )
    return [(kind, left, right) for kind, left, right in found]


def test_the_diff_marks_what_one_side_has_and_folds_what_is_equal(pair):
    pair.keyboard.press("d")
    expect(pair.locator(".panes")).to_be_hidden()
    expect(pair.locator("#diff-count")).to_have_text(
        "Lines only on the left: 1, only on the right: 2, equal: 34. Indentation does not count."
    )
    assert pair.locator(".diff del").all_inner_texts() == ['"""Solution of task 1."""']
    assert pair.locator(".diff ins").all_inner_texts() == ['"""Solution of task 2, <b>mine</b>."""', "more = [2]"]
    assert pair.locator(".diff .added b").all_text_contents() == ["2, <b>mine</b>"]
    assert rows(pair)[:3] == [("removed", "1", ""), ("added", "", "1"), ("equal", "2", "2")]
    hidden = pair.locator(".diff tbody[hidden] tr")
    before = hidden.count()
    assert before > 20
    pair.get_by_role("button", name=f"Show {before} equal lines").click()
    expect(hidden).to_have_count(0)
    pair.keyboard.press("n")
    expect(pair.locator(".panes")).to_be_visible()
    expect(pair.locator("#diff")).to_be_hidden()


def test_the_diff_of_another_pair_of_files_and_of_exchanged_sides(pair):
    pair.get_by_role("button", name="Line diff").click()
    assert pair.locator("#diff-files option").all_inner_texts() == ["a.py and c.py", "b.py and d.py"]
    pair.locator("#diff-files").select_option("b.py and d.py")
    expect(pair.locator("#diff-count")).to_contain_text("left: 40, only on the right: 0, equal: 3")
    pair.keyboard.press("x")
    expect(pair.locator("#diff-count")).to_contain_text("left: 0, only on the right: 40, equal: 3")
    expect(pair.locator("#diff-files option:checked")).to_have_text("d.py and b.py")
    pair.get_by_role("button", name="Side by side").click()
    expect(pair.locator("#diff")).to_be_hidden()


def test_everybody_can_use_the_diff(pair):
    pair.keyboard.press("d")
    assert faults(pair, ALL_RULES) == []
    pair.emulate_media(color_scheme="dark")
    assert faults(pair, COLOURS) == []
    pair.set_viewport_size({"width": 400, "height": 800})
    assert pair.evaluate("document.documentElement.scrollWidth") <= 400
    pair.emulate_media(media="print")
    expect(pair.locator("#diff")).to_be_hidden()


def test_the_diff_finds_as_many_equal_lines_as_difflib_or_nearly(pair):
    random = Random(3)
    for size, kinds in ((0, 1), (30, 5), (200, 20), (400, 4), (3_000, 3_000), (2_000, 2)):
        left = [str(random.randrange(kinds)) for _ in range(size)]
        right = [line for line in left if random.random() > 0.2] + [str(random.randrange(kinds)) for _ in range(9)]
        equal = pair.evaluate("([a, b]) => equalLines(a, b, [0, a.length, 0, b.length])", [left, right])
        assert all(left[i] == right[j] for i, j in equal)
        assert equal == sorted(equal)
        assert len({i for i, _ in equal}) == len({j for _, j in equal}) == len(equal)
        if size <= 400 or kinds > size / 2:
            blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
            assert len(equal) >= 0.8 * sum(block.size for block in blocks)


def test_lines_that_the_page_leaves_out_are_named_in_the_diff(page, tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.report.pair.SIDE", 18_000)
    monkeypatch.setattr("whorl.report.pair.FOLDED", 4_000)
    noise = ["".join(f"# {i * n}\n" for i in range(900)) for n in (1, 3)]
    people = [Person(f"p{n}", (Source("main.py", SHARED + noise[n] + SHARED),)) for n in range(2)]
    index = write(compare(people, threshold=0.001), tmp_path / "report")
    page.goto((index.parent / "pair" / "0001.html").as_uri())
    assert page.locator(".left-out").count() > 0
    page.keyboard.press("d")
    assert page.locator(".diff .note", has_text="Left: Lines").count() > 0
    assert page.locator(".diff .note", has_text="Right: Lines").count() > 0
    numbers = [int(left) for _, left, _ in rows(page) if left]
    assert numbers == sorted(numbers)


def passage(file: str, *matches: tuple[int, int, int]) -> Passage:
    side = Side(file, 0, 100, 1, 9)
    pieces = tuple(Match(Span(start, end), Span(0, 1), symbols) for start, end, symbols in matches)
    return Passage(side, side, sum(match.symbols for match in pieces), pieces)


@pytest.mark.parametrize(
    ("matches", "share"),
    [
        ([], 0.0),
        ([(0, 10, 4)], 0.2),
        ([(0, 10, 4), (20, 40, 6)], 0.5),
        ([(0, 10, 4), (0, 10, 4)], 0.2),
        ([(0, 10, 4), (5, 15, 4)], 0.3),
        ([(0, 100, 90)], 1.0),
    ],
)
def test_overlapping_matches_count_once(matches, share):
    passages = [passage("a", match) for match in matches]
    assert matched_share(File("a", "python", 20), [*passages, passage("b", (0, 10, 10))], "l") == pytest.approx(share)


def test_a_file_without_symbols_has_no_share():
    assert matched_share(File("a", "text", 0), [], "r") == 0
