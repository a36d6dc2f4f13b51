"""Sources as markup: what is read in the page is what is in the file, however spans lie."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from whorl.report.markup import Look, TextMark, lines, segments

ALPHABET = "ab \t\n\r<>&\"'{};\x00\x0c\x1b\u202e\u2066\u200d\u2028\ud800\U000e0041é😀א"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=60)
SPANS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


class Read(HTMLParser):
    """What a browser would read: the lines, and the text of each passage."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.passages: dict[int, str] = {}
        self.anchors: list[str] = []
        self.sanctioned = ""
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
