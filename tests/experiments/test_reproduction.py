"""The pages of a reproduction: whole, offline, safe, the same every time; and the command that makes them."""

import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner
from experiments.crawl.html import html as page_html
from experiments.crawl.html import repeats
from experiments.crawl.pages import Crawl
from experiments.reproduction import run
from experiments.reproduction.axis import Scale, scale, written
from experiments.reproduction.pages import html, markdown, write
from experiments.reproduction.plot import svg
from experiments.reproduction.record import (
    DASHED,
    MARKS,
    PLAIN,
    Axis,
    Figure,
    Finding,
    Reproduction,
    Section,
    Series,
    Table,
)
from experiments.reproduction.setting import Setting, paper
from experiments.reproduction.webpages import web_pages

from whorl.cli import COMMANDS, main, reproduce
from whorl.errors import InputError

FIGURE = Figure(
    "A & B", Axis("x < y", logarithmic=True), Axis("up"),
    [Series("one", [(1, 2), (10, 3), (900, 4)]), Series("two", [(2, 0.5)], MARKS),
     Series("t", [(1, 1), (9, 4)], DASHED)],
)  # fmt: skip
MADE = Reproduction(
    "winnowing", "A <title>", "Somebody 2003.", "whorl reproduce winnowing", "Drawn.",
    [Section("Figure 9: x", "It <b>says</b>.", "Nothing.", [Table("t", ("a", "b|c"), [("1", "2")])], [FIGURE],
             [Finding("claim & claim", "1", "2", True), Finding("other", "1", "3", False)]),
     Section("Only a table", "p", "d")],
)  # fmt: skip


class Tags(HTMLParser):
    VOID = frozenset(("meta", "br", "link", "img"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_is_whole_and_needs_nothing_else():
    tags = Tags()
    tags.feed(html(MADE))
    assert tags.open == []
    assert all(link.startswith("#") for link in tags.links)
    assert "http" not in html(MADE)
    assert "<script" not in html(MADE)


def test_text_does_not_become_markup():
    page = html(MADE)
    assert "A &lt;title&gt;" in page
    assert "It &lt;b&gt;says&lt;/b&gt;." in page
    assert "x &lt; y" in page
    assert page.count("does not hold") == 2
    assert html(MADE) == page


def test_markdown_has_every_table_and_verdict():
    result = markdown(MADE)
    assert "| a | b\\|c |" in result
    assert "| other | 1 | 3 | **no** |" in result
    for line in result.splitlines():
        assert not line.startswith("|") or line.endswith("|")


def test_a_plot_stays_within_its_frame():
    drawing = svg(FIGURE, 3)
    assert drawing.count("<polyline") == 2
    assert drawing.count('class="mark"') == 4
    for x, y in re.findall(r"([\d.]+),([\d.]+)", " ".join(re.findall(r'points="([^"]+)"', drawing))):
        assert 70 < float(x) < 720
        assert 0 < float(y) < 400


@pytest.mark.parametrize(
    ("low", "high", "logarithmic"), [(0, 1, False), (0, 140, False), (1, 3e7, True), (0.002, 0.3, True)]
)
def test_ticks_are_few_and_within(low, high, logarithmic):
    made = Scale(low, high, 0, 100, logarithmic)
    ticks = made.ticks()
    assert 2 <= len(ticks) <= 9
    assert all(-0.2 <= made.place(tick) <= 100.2 for tick in ticks)
    assert [made.place(tick) for tick in ticks] == sorted(made.place(tick) for tick in ticks)


def test_a_scale_of_one_value_is_no_division_by_zero():
    for axis in (Axis("x"), Axis("x", logarithmic=True)):
        made = scale(axis, [5.0], 0, 100)
        assert 0 <= made.place(5.0) <= 100


@pytest.mark.parametrize(("value", "text"), [(0.02, "0.02"), (50, "50"), (2000, "2000"), (20_000, "20k"), (1e6, "1M")])
def test_values_are_written_short(value, text):
    assert written(value) == text


def test_every_section_is_declared_and_every_paper_has_its_numbers():
    assert set(run.PAPERS) == set(reproduce.PAPERS)
    for name, modules in run.PAPERS.items():
        assert {"title", "citation"} <= paper(name)["paper"].keys()
        assert len(set(modules)) == len(modules)
    assert "reproduce" in COMMANDS


def test_the_command_writes_both_pages_and_repeats(tmp_path, monkeypatch):
    """Two sections stand for all: the others are run by the tests of their paper."""
    monkeypatch.setitem(run.PAPERS, "winnowing", ("figure2", "safe"))
    runner = CliRunner()
    texts = []
    for name in ("one", "two"):
        done = runner.invoke(
            main, ["reproduce", "winnowing", "--quick", "--out", str(tmp_path / name), "--format", "json"]
        )
        assert done.exit_code == 0, done.output
        result = json.loads(done.stdout)
        texts.append([(tmp_path / name / f"winnowing.{kind}").read_text() for kind in ("html", "md")])
    assert texts[0] == texts[1]
    assert result["paper"] == "winnowing"
    assert all(one["holds"] for one in result["findings"])
    assert {"section", "claim", "paper", "ours", "holds"} == result["findings"][0].keys()
    shown = runner.invoke(main, ["reproduce", "winnowing", "--quick", "--out", str(tmp_path / "three")])
    assert shown.exit_code == 0
    assert "Figure 2" in shown.stdout


def test_without_the_source_tree_the_command_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "TREE", tmp_path)
    done = CliRunner().invoke(main, ["reproduce", "koala", "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert "source tree" in done.output
    assert "Traceback" not in done.output


def test_a_corpus_without_pages_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no web pages"):
        web_pages(Setting(corpus=tmp_path), 10)


def test_pages_of_a_corpus_are_read(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.html").write_text("<p>some words of a page</p>")
    found = web_pages(Setting(corpus=tmp_path), 10)
    assert len(found) == 1
    assert "some words" in found.texts[0]
    assert found.bytes == 27


def test_pages_of_the_crawl_say_what_their_text_says():
    crawl = Crawl(400)
    pages = web_pages(Setting(quick=True), 400)
    for page, text in zip(crawl, pages.texts, strict=True):
        found = repeats(page.family, 1)
        shown = text.split()[: len(page.words)]
        assert [word.lower() for word in shown] == page.text.lower().split()
        assert (found is not None) == (len(text.split()) > len(page.words))


def test_identical_pages_are_identical_as_html():
    crawl = Crawl(600)
    page = next(page for page in crawl if page.kind == "mirror")
    first = next(other for other in crawl if other.family == page.family and other.kind == "original")
    assert page_html(page, 1) == page_html(first, 1)


def test_write_makes_its_folder(tmp_path):
    page, tables = write(MADE, tmp_path / "new" / "folder")
    assert page.read_text().startswith("<!doctype html>")
    assert tables.read_text().startswith("# A <title>")
    assert PLAIN != DASHED
