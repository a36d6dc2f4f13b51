"""The texts of a clustering on its page: excerpts, marks, sources, hostile texts and a bounded size."""

import json

import pytest
from playwright.sync_api import expect

import whorl
from tests.accessibility import ALL_RULES, COLOURS, faults
from tests.report.test_hostile import PAYLOADS
from whorl.clustering.evidence import read_shown
from whorl.report import clusters
from whorl.report.clusters import side_by_side, source_views
from whorl.scheme import resolve

PAGES = resolve("pages")


def excerpts(left: str, right: str) -> tuple[str, str]:
    one, two = (read_shown(whorl.Document("", text, format="text"), PAGES) for text in (left, right))
    sides = side_by_side(one, two, PAGES)
    return str(sides.left), str(sides.right)


def day(number: int) -> str:
    return f"on day {number} the keeper wrote down what the sea had brought to the {number}th stone of his island"


def test_the_longest_passage_and_other_shared_words_are_marked():
    left, right = excerpts(
        "a beginning here. We saw the old grey harbour in the rain, and then one two three four",
        "quite another start. We saw the old grey harbour in the rain; and later one two three four",
    )
    assert left == (
        'a beginning here. <mark class="passage">We saw the old grey harbour in the rain, and</mark> then '
        "<mark>one two three four</mark>"
    )
    assert right.startswith("quite another start. <mark")


def test_a_long_passage_shows_its_ends_and_what_is_around_them():
    passage = " ".join(map(day, range(60)))
    left, right = excerpts(f"{'before ' * 100} LEFT {passage} END {'after ' * 100}", f"RIGHT {passage}")
    for expected in ("… before", 'LEFT <mark class="passage">on day 0 the', " […] ", "</mark> END after", "after …"):
        assert expected in left, expected
    assert right.startswith("RIGHT ")
    assert right.endswith("island</mark>")
    assert len(left) < 1500


def test_texts_without_a_shared_passage_show_their_beginnings():
    left, right = excerpts("alpha " * 200, "beta " * 200)
    assert "<mark" not in left + right
    assert left.startswith("alpha alpha")
    assert left.endswith("alpha …")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_texts_are_escaped(payload):
    left, _ = excerpts(f"{payload} {day(1)}", f"{day(1)} {payload}")
    assert "<" not in left.replace('<mark class="passage">', "").replace("<mark>", "").replace("</mark>", "")


def clustered(folder, texts: dict[str, str], **settings):
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()))
    return whorl.cluster_corpus(path, folder / "out", **settings)


def near_duplicates(count: int) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number in range(count):
        text = " ".join(day(1000 * number + each) for each in range(20))
        texts |= {f"{number}a": f"first {text}", f"{number}b": f"{text} {day(number)} at the end"}
    return texts


def test_the_page_in_a_browser(page, tmp_path):
    result = clustered(tmp_path, near_duplicates(4), threshold=0.5)
    page.goto((result.folder / "summary.html").as_uri())
    summary = page.get_by_text("Texts of the representative and the least similar member").first
    expect(page.locator("#table .sides").first).to_be_hidden()
    summary.click()
    expect(page.locator("#table .sides").first).to_be_visible()
    assert page.locator("#table .sides").first.locator("mark.passage").count() == 4  # the ends of a long passage
    expect(page.locator("#near")).to_contain_text("Just above 50%")
    row = page.locator("#sources tbody tr").first
    expect(row).to_contain_text("corpus.jsonl")
    expect(row).to_contain_text("4 (50%)")
    page.locator("#filter").fill("the keeper wrote")
    expect(page.locator("#nothing")).to_be_visible()
    page.locator("#filter").fill("")
    page.locator("#unfold").click()
    assert faults(page, ALL_RULES) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page, COLOURS) == []
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_hostile_texts_make_no_element_and_run_nothing(page, tmp_path):
    texts = {
        f"{place}{side}": f"{day(100 * place)} {payload.encode('utf-8', 'replace').decode()} {side}"
        for place, payload in enumerate(PAYLOADS)
        for side in "ab"
    }
    page.goto((clustered(tmp_path, texts, boilerplate=0).folder / "summary.html").as_uri())
    page.locator("#unfold").click()
    assert page.locator(".sides p").count() > 50
    assert page.locator(".sides p *:not(mark)").count() == 0
    assert page.evaluate("window.__xss") is None


def test_the_page_stays_small(tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "TEXTS_BYTES", 20_000)
    result = clustered(tmp_path, {key: "&" * 3 + text for key, text in near_duplicates(60).items()}, threshold=0.5)
    page = (result.folder / "summary.html").read_text()
    shown = page.count('<div class="sides">')
    assert 5 < shown < 40
    assert sum(len(part.partition("</figure>")[0]) for part in page.split("<figure>")[1:]) < 25_000


def test_malformed_sources_are_left_out():
    good = {"file": "a", "documents": 3, "dropped": 1, "bytes": 10, "dropped_bytes": 4}
    wrong = [
        None,
        5,
        {},
        {**good, "file": 7},
        {**good, "bytes": -1},
        {**good, "dropped": 1 << 70},
        {**good, "bytes": True},
    ]
    assert [source.file for source in source_views({"sources": [*wrong, good, {**good, "file": ""}]})] == [
        "a",
        "other files",
    ]
    assert source_views({"sources": "x"}) == ()
    assert len(source_views({"sources": [good] * 99})) == clusters.SOURCES
