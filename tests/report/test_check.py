"""The page of a manuscript: its script counts as Python does, exclusions can be undone, a click shows the source."""

import pytest
from playwright.sync_api import expect

from whorl import Document, Exclusions, MemoryIndex, check_manuscript
from whorl.report.check import BEGINNING, BLOCK, _Pieces, check_page, write_checks
from whorl.report.words import percent

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
RIME = "Eleven painted boats lay upside down on the shingle while their owners argued about the price of tar."
OWN = "Nothing in this sentence was ever written down by anybody else before today."
EVIL = "</script><script>alert(1)</script>"
QUOTED = f"They say: “{RIME}” Nobody answered."
DRAFT = f"{OWN} {EVIL}\n\n{SONG} {TALE}\n\n{OWN}\n\n{QUOTED}\n\n{TALE}\n\nReferences\n\n{SONG} 1998."


@pytest.fixture
def index():
    made = MemoryIndex.create("text")
    made.add(Document("song.txt", f"{EVIL} {SONG}", labels=(f"title={EVIL}", "own")))
    made.add(Document("both.txt", f"Before. {SONG} {TALE} After."))
    made.add(Document("rime.txt", f"{RIME} Nobody listened.", url="https://example.org/rime"))
    return made


def figures(page) -> tuple[str, list[str]]:
    shares = page.locator("#sources li:not(.out)").all()
    return page.locator("#similarity").inner_text(), [row.locator(".n").inner_text() for row in shares]


def expected(index, **rules) -> tuple[str, list[str]]:
    counted = check_manuscript(index, Document("draft.txt", DRAFT), exclusions=Exclusions(**rules)).counted
    return percent(counted.similarity), [percent(share.share) for share in counted.shares]


@pytest.mark.parametrize("width", [360, 1366])
def test_long_names_make_no_page_wider_than_the_screen(page, tmp_path, width):
    index = MemoryIndex.create("text")
    index.add(
        Document("s" * 200, f"{SONG} {TALE}", labels=(f"title={'t' * 200}", "l" * 200), url=f"http://{'u' * 200}")
    )
    checks = [check_manuscript(index, Document(name, f"{'z' * 300} {DRAFT}")) for name in ("m" * 200, "draft.txt")]
    page.set_viewport_size({"width": width, "height": 740})
    for path in (write_checks(checks, tmp_path / "all"), write_checks(checks[:1], tmp_path / "one")):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#text mark").first.click()
    expect(page.locator("#beside")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_script_counts_as_python_does(index, page, tmp_path):
    check = check_manuscript(index, Document("draft.txt", DRAFT))
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    assert figures(page) == expected(index)
    assert len(page.locator("#text mark.x").all()) > 0
    looks = "mark => { const style = getComputedStyle(mark); return [style.backgroundColor, style.boxShadow] }"
    best, out = (page.locator(f"#text mark.{look}").first.evaluate(looks) for look in ("p0", "x"))
    assert best[0] != out[0]
    assert "rgb(255, 255, 0)" not in best[0]  # the browser's own colour of a mark
    page.emulate_media(media="print")
    assert page.get_by_role("button", name="both.txt", exact=True).is_visible()
    page.emulate_media(media="screen")
    page.locator("[name=quotation]").uncheck()
    assert figures(page) == expected(index, quotations=False)
    page.locator("[name=bibliography]").uncheck()
    assert figures(page) == expected(index, quotations=False, bibliography=False)
    assert page.locator("#text mark.x").count() == 0
    page.locator("[name=words]").fill("25")
    assert figures(page) == expected(index, quotations=False, bibliography=False, min_words=25)
    page.get_by_role("button", name="Reset").click()
    again = expected(index)
    expect(page.locator("#similarity")).to_have_text(again[0])  # a form is reset after the click
    assert figures(page) == again
    page.get_by_label("Count both.txt").uncheck()
    assert figures(page) == expected(index, sources=("both.txt",))


def test_on_paper_what_is_known_of_a_source_is_below_its_title(index, page, tmp_path):
    """Without its checkbox, a row has a column less."""
    page.goto(write_checks([check_manuscript(index, Document("draft.txt", DRAFT))], tmp_path / "report").as_uri())
    page.emulate_media(media="print")
    row = page.locator("#sources li", has=page.locator(".about:not(:empty)")).first
    title, about, share = (row.locator(part).bounding_box() for part in ("button", ".about", ".n"))
    assert about["x"] == pytest.approx(title["x"], abs=1)
    assert share["x"] > title["x"] + title["width"]
    assert share["x"] + share["width"] == pytest.approx(row.bounding_box()["x"] + row.bounding_box()["width"], abs=1)


def test_a_click_shows_the_passage_of_the_source(index, page, tmp_path):
    check = check_manuscript(index, Document("draft.txt", DRAFT))
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    page.locator("#text mark[data-n='1']").first.wait_for()  # a loaded machine draws the text late
    assert page.locator("#text").inner_text().replace("\n", "") == DRAFT.replace("\n", "")
    page.locator("#text mark[data-n='1']").first.click()
    assert page.locator("#beside-title").inner_text() == "both.txt"
    assert SONG in page.locator("#beside-text mark").inner_text()
    page.locator("#beside-others button").click()
    assert page.locator("#beside-title").inner_text() == EVIL
    page.locator("#close").click()
    assert page.locator("#beside").is_hidden()
    page.keyboard.press("n")
    assert page.locator("#beside").is_visible()


def test_sources_beyond_the_limit_count_and_are_listed_on_demand(index, page, tmp_path):
    check = check_manuscript(index, Document("draft.txt", DRAFT), limit=1, exclusions=Exclusions(quotations=False))
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    similarity, shares = expected(index, quotations=False)
    shown, (first, others) = figures(page)  # the second row stands for all others
    assert (shown, first) == (similarity, shares[0])
    assert others == percent(check.further()["counted"])
    page.get_by_role("button", name=f"Show {len(check.sources) - 1} more").click()
    assert figures(page) == (similarity, shares)


def test_the_page_without_scripts_has_the_colours(index):
    check = check_manuscript(index, Document("draft.txt", DRAFT))
    html = check_page(check)
    assert '<mark class="p0"' in html
    assert '<mark class="x"' in html
    assert EVIL not in html


def test_a_long_text_comes_in_blocks_that_are_laid_out_when_they_are_seen(index, page, tmp_path):
    """A single block of 300 pages took seconds to lay out. Nothing of the text may be lost by the cuts."""
    draft = "\n\n".join([f"{OWN} {number}" for number in range(400)] + [SONG, TALE] + [OWN] * 100)
    check = check_manuscript(index, Document("draft.txt", draft))
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    blocks = page.locator("#text > div")
    assert blocks.count() == -(-len(draft) // BLOCK)
    assert "".join(blocks.all_text_contents()) == draft
    visibility = "block => getComputedStyle(block).contentVisibility"
    assert blocks.first.evaluate(visibility) == "auto"
    page.keyboard.press("n")
    expect(page.locator("#text mark.on").first).to_be_in_viewport(ratio=1)
    page.emulate_media(media="print")
    assert blocks.first.evaluate(visibility) == "visible"


def test_a_passage_over_the_bound_of_two_blocks_is_one_stretch(page, tmp_path):
    copied = "\n".join(
        f"Line {number} of a long poem, which nobody has ever heard until today." for number in range(200)
    )
    with MemoryIndex.create("text") as index:
        index.add(Document("poem.txt", copied))
        check = check_manuscript(index, Document("draft.txt", f"{OWN}\n{copied}\n{OWN}"))
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    assert page.locator("#text > div").count() > 2
    assert page.locator("#text mark[data-n]").count() == 1
    page.locator("#text mark").first.click()
    assert page.locator("#text mark.on").count() == page.locator("#text mark").count() > 2


def test_passages_beyond_the_room_are_cut_and_have_no_context(index, monkeypatch):
    """A program has thousands of passages, and their context alone made a page of 5 MB."""
    check = check_manuscript(index, Document("draft.txt", DRAFT))
    texts = [each["texts"] for source in _Pieces(check).facts()["sources"] for each in source["passages"]]
    assert any(before and after for before, _, after in texts)
    monkeypatch.setattr("whorl.report.check.ROOM", 1)
    texts = [each["texts"] for source in _Pieces(check).facts()["sources"] for each in source["passages"]]
    assert len(texts) > 1
    assert all(len(text) <= BEGINNING + 1 and (before, after) == ("", "") for before, text, after in texts[1:])


def test_common_code_counts_again_on_the_page(page, tmp_path):
    idiom = "for item in items:\n    if item not in seen:\n        print(item, 1)\n"
    copied = "".join(f"    if values[{n}] {sign} limit:\n        total {sign}= values[{n}:] or {n}\n" for n, sign in
                     enumerate(("<", ">", "==", "!=", "<=", ">=")))  # fmt: skip
    mine = Document("mine.py", f"import os\n\n{idiom}\n\ndef part(v, w, t):\n{copied}    return t\n")
    with MemoryIndex.create("code") as index:
        index.add(Document("origin.py", f"def part(values, limit, total):\n{copied}    return total\n"))
        index.add(Document("idiom.py", f"seen = []\n{idiom}"))
        check = check_manuscript(index, mine)
        every = check_manuscript(index, mine, exclusions=Exclusions(min_tokens=0))
    assert len(check.counted.shares) == 1 < len(every.counted.shares)
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    for limit, shown in ((None, check), ("0", every), (str(check.exclusions.min_tokens), check)):
        if limit is not None:
            page.locator("[name=tokens]").fill(limit)
        shares = [percent(share.share) for share in shown.counted.shares]
        assert figures(page) == (percent(shown.counted.similarity), shares)
    page.locator("[name=tokens]").fill("999")
    assert figures(page) == ("0%", [])


def test_a_source_with_several_passages_at_a_place_is_listed_once(page, tmp_path):
    """A program repeats a piece often; the list of other sources named its file each time."""
    body = "".join(f"    if values[{n}] > limit:\n        total = total + values[{n}] * {n}\n" for n in range(3))
    other = "".join(f"def part{n}(values, limit, total):\n{body}    return total\n\n\n" for n in range(4))
    with MemoryIndex.create("code") as index:
        index.add(Document("one.py", f"def part(values, limit, total):\n{body}    return total\n"))
        index.add(Document("four.py", f"{other}class Tail:\n    name = 'tail'\n"))
        check = check_manuscript(index, Document("mine.py", f"import os\n\n\ndef part(v, w, t):\n{body}    return t\n"))
    assert any(len(source.passages) > 1 for source in check.sources)
    page.goto(write_checks([check], tmp_path / "report").as_uri())
    page.locator("#text mark[data-n]").first.click()
    expect(page.locator("#beside-others button")).to_have_count(1)
    expect(page.locator("#beside-text")).to_have_class("program")
