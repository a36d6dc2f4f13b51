"""Sources as markup: what is read in the page is what is in the file, however spans lie."""

import re
import sys
from functools import partial
from html.parser import HTMLParser
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.report import markup
from whorl.report.markup import (
    Look,
    PaintedText,
    RecentTexts,
    SyntaxSpan,
    TextMark,
    coloured_ahead,
    colours,
    line_items,
    lines,
    segments,
)
from whorl.sandbox import Outcome, default_sandbox
from whorl.threads import Answer, Threads

ALPHABET = "ab \t\n\r<>&\"'{};\x00\x0c\x1b\u202e\u2066\u200d\u2028\ud800\U000e0041é😀א"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=60)
SPANS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)

# Classes of a program's tokens.
COLOURS = "kn"


class Read(HTMLParser):
    """What a browser would read: the lines, and the text of each passage."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.passages: dict[int, str] = {}
        self.anchors: list[str] = []
        self.sanctioned = ""
        self.coloured: dict[str, str] = {}
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(str(markup))
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self._open.append((tag, attributes))
        if tag == "li":
            self.lines.append("")
        if tag == "a":
            self.anchors.append(attributes["id"])
        if tag == "i":
            self._take(chr(int(attributes["data-u"], 16)))

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        if self._open and self._open[-1][0] != "i":
            self._take(data)

    def _take(self, text):
        self.lines[-1] += text
        for tag, attributes in self._open:
            if tag == "mark":
                number = int(attributes["data-p"] or 0)
                self.passages[number] = self.passages.get(number, "") + text
            if tag in ("mark", "span") and "s" in (attributes["class"] or "").split():
                self.sanctioned += text
            if tag == "span" and (name := attributes["class"] or "") in COLOURS:
                self.coloured[name] = self.coloured.get(name, "") + text


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def bare(text: str) -> str:
    """Without what may lie outside the elements: line ends and indentation."""
    return re.sub(r"[ \t\r\n]", "", text)


@given(
    TEXTS,
    st.lists(st.tuples(SPANS, st.sampled_from([Look.GAP, Look.MATCH]), st.integers(1, 20)), max_size=8),
    st.lists(SPANS, max_size=3),
)
def test_the_text_of_the_lines_is_that_of_the_source(text, marked, sanctioned):
    marks = [TextMark(start, end, look, passage) for (start, end), look, passage in marked]
    marks += [TextMark(start, end, Look.SANCTIONED) for start, end in sanctioned]
    assert Read(lines(text, marks, "l")).lines == lines_of(text)


@given(TEXTS, st.lists(st.integers(0, 60), min_size=2, max_size=12))
def test_each_passage_has_the_text_of_its_span(text, bounds):
    bounds = sorted(min(bound, len(text)) for bound in bounds)
    spans = list(zip(bounds[::2], bounds[1::2], strict=False))
    marks = [TextMark(start, end, Look.GAP, number) for number, (start, end) in enumerate(spans, start=1)]
    read = Read(lines(text, marks, "r"))
    for number, (start, end) in enumerate(spans, start=1):
        assert bare(read.passages.get(number, "")) == bare(text[start:end])
    assert read.anchors == [f"r{number}" for number, (start, end) in enumerate(spans, start=1) if start < end]


@given(
    TEXTS,
    st.lists(st.integers(0, 60), max_size=12),
    st.lists(st.tuples(SPANS, st.sampled_from([Look.GAP, Look.MATCH]), st.integers(1, 5)), max_size=8),
)
def test_each_letter_has_the_colour_of_its_token_whatever_is_marked(text, bounds, marked):
    bounds = sorted(min(bound, len(text)) for bound in bounds)
    spans = [
        SyntaxSpan(start, end, COLOURS[number % 2])
        for number, (start, end) in enumerate(zip(bounds[::2], bounds[1::2], strict=False))
    ]
    marks = [TextMark(start, end, look, passage) for (start, end), look, passage in marked]
    read = Read("\n".join(line_items(PaintedText(text, spans), marks, "l")))
    assert read.lines == lines_of(text)
    for name in COLOURS:
        expected = "".join(text[span.start : span.end] for span in spans if span.name == name)
        assert bare(read.coloured.get(name, "")) == bare(expected)


@given(TEXTS, SPANS)
def test_sanctioned_text_is_marked(text, span):
    start, end = span
    read = Read(lines(text, [TextMark(start, end, Look.SANCTIONED)], "l"))
    assert bare(read.sanctioned) == bare(text[start:end])


@given(st.integers(0, 60), st.lists(st.tuples(SPANS, st.integers(0, 5)), max_size=8))
def test_segments_cover_the_text_once(length, spans):
    marks = [TextMark(start, min(end, length), Look.GAP, number) for (start, end), number in spans if start < length]
    covered = [place for segment in segments(length, marks) for place in range(segment.start, segment.end)]
    assert covered == list(range(length))


def test_every_passage_has_its_anchor_even_under_others():
    marks = [TextMark(0, 9, Look.GAP, 1), TextMark(0, 9, Look.GAP, 2), TextMark(3, 5, Look.MATCH, 3)]
    assert Read(lines("abcdefghi", marks, "l")).anchors == ["l1", "l2", "l3"]


def test_matches_gaps_and_sanctioned_text_look_different():
    marks = [TextMark(0, 9, Look.GAP, 1), TextMark(0, 3, Look.MATCH, 1), TextMark(6, 9, Look.SANCTIONED)]
    markup = lines("abcdefghi", marks, "l")
    assert '<mark class="p0" data-p="1">abc</mark>' in markup
    assert '<mark class="p0 g" data-p="1">def</mark>' in markup
    assert '<mark class="p0 s" data-p="1">ghi</mark>' in markup


def test_indentation_and_empty_lines_have_no_colour():
    markup = lines("a\n\n    b\n", [TextMark(0, 9, Look.MATCH, 1)], "l")
    assert markup.count("<mark") == 2
    assert '<li>    <mark class="p0" data-p="1">b</mark></li>' in markup


def test_direction_controls_are_shown_and_take_no_effect():
    markup = lines('access = "user\u202e \u2066// admin\u2069 \u2066"', [], "l")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", markup)
    assert "RLO" in markup
    assert "RIGHT-TO-LEFT OVERRIDE" in markup


def test_many_passages_inside_each_other_cost_little():
    """Quadratic, this would be 50 million steps."""
    size = 7_000
    text = "x" * (2 * size)
    marks = [TextMark(i, 2 * size - i, Look.GAP, i + 1) for i in range(size)]
    assert len(Read(lines(text, marks, "l")).anchors) == size


def test_a_source_full_of_hidden_characters_stays_small():
    text = "a\x00" * 100_000
    markup = lines(text, [TextMark(0, 9, Look.GAP, 1)], "l")
    assert len(markup.encode()) < 3 * len(text)
    assert Read(markup).lines == [text.replace("\x00", "\ufffd")]


def test_a_source_of_one_line_and_one_of_line_ends_only():
    assert Read(lines("x" * 200_000, [TextMark(5, 190_000, Look.GAP, 1)], "l")).lines == ["x" * 200_000]
    assert Read(lines("\n" * 50_000, [TextMark(5, 40_000, Look.GAP, 1)], "l")).lines == [""] * 50_001


PROGRAMS = [(f"def f{number}(x):\n    return {number}\n", "python") for number in range(40)]


@pytest.fixture
def asked(monkeypatch):
    """The programs that a worker was asked for, when nothing is known yet."""
    monkeypatch.setattr(markup, "_known", RecentTexts(8_000_000))
    programs = []
    begin = default_sandbox().begin

    def noted(target, language, data):
        programs.append((data.decode(), language))
        return begin(target, language, data)

    monkeypatch.setattr(default_sandbox(), "begin", noted)
    return programs


def test_colours_are_known_when_a_page_comes_and_are_asked_for_once(asked):
    pages = [PROGRAMS[number : number + 3] for number in range(len(PROGRAMS) - 2)]
    for number, _ in enumerate(coloured_ahead(pages)):
        before = len(asked)
        assert [colours(*program).classes[0] for program in pages[number]] == ["k"] * 3
        assert len(asked) == before
    assert number == len(pages) - 1
    assert asked == PROGRAMS


def test_colours_that_were_dropped_meanwhile_are_asked_for_again(asked, monkeypatch):
    monkeypatch.setattr(markup, "_known", RecentTexts(1))
    for program, _ in zip(PROGRAMS, coloured_ahead([each] for each in PROGRAMS), strict=True):
        assert [colours(*other).classes[0] for other in (PROGRAMS[0], program)] == ["k", "k"]


def test_what_stops_a_worker_or_is_too_long_has_no_colours(asked, monkeypatch):
    monkeypatch.setattr(markup, "COLOURER", "whorl.formats.code.lexers:nothing")
    monkeypatch.setattr(markup, "COLOURED", 30)
    long = ("x = 1\n" * 10, "python")
    assert list(coloured_ahead([[PROGRAMS[0], long]])) == [None]
    assert list(colours(*PROGRAMS[0]).spans()) == list(colours(*long).spans()) == []
    assert asked == PROGRAMS[:1]


@pytest.mark.parametrize(
    "value",
    [
        None,
        (b"\0\0\0\0", b"\1\0\0\0"),
        (b"\0\0\0", b"\1\0\0", "k"),
        (b"\0\0\0\0", b"\1\0\0\0", "kn"),
        (b"\0\0\0\0", b"\1\0\0\0", '"'),
        (b"\0\0\0\0", b"\1\0\0\0", ['k"><script>']),
    ],
)
def test_an_answer_of_a_damaged_worker_gives_no_colours(value, monkeypatch):
    monkeypatch.setattr(markup, "_known", RecentTexts(100))
    answer: Answer[Outcome] = Answer()
    answer.give(Outcome, value)
    monkeypatch.setattr(default_sandbox(), "begin", lambda *_: answer)
    assert list(colours("x = 1", "python").spans()) == []


@pytest.mark.parametrize(
    "spans", [[(-3, 2, "k")], [(2, 99, "k")], [(70, 99, "k")], [(3, 9, "k"), (2, 1, "n"), (0, 9, "k")]]
)
def test_wrong_spans_lose_no_text(spans):
    painted = PaintedText("a <= b;", [SyntaxSpan(*span) for span in spans])
    assert Read("\n".join(line_items(painted, [TextMark(1, 4, Look.MATCH, 1)], "l"))).lines == ["a <= b;"]


def test_texts_are_kept_up_to_a_number_of_letters():
    kept = RecentTexts[str](10)
    for key, length, expected in (("a", 4, "a"), ("b", 4, "ab"), ("a", 4, "ab"), ("c", 4, "ac"), ("d", 50, "d")):
        assert kept.get(key, length, lambda: "made") == "made"
        assert "".join(name for name in "abcd" if name in kept) == expected
    assert kept.get("d", 50, lambda: "made again") == "made"


def test_threads_share_the_texts_that_are_kept():
    """Two reports may be written at once."""
    kept, before = RecentTexts[int](30), sys.getswitchinterval()

    def use(seed: int) -> bool:
        chance = Random(seed)
        keys = [chance.randrange(20) for _ in range(20_000)]
        return all(kept.get(key, 10, partial(int, key)) == key for key in keys)

    sys.setswitchinterval(1e-6)
    try:
        with Threads(4) as threads:
            answers = [threads.submit(use, seed) for seed in range(4)]
            assert [answer.take() for answer in answers] == [True] * 4
    finally:
        sys.setswitchinterval(before)
    assert sum(key in kept for key in range(20)) == 3
