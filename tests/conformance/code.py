"""What every programming language must do. A language's tests inherit this and give a ``language`` and a ``sample``.

The disguises are written here, driven by the tokens' own spans: what lies between two tokens is layout, comments and
punctuation, and may be stretched; what is an identifier may be called otherwise.
"""

import random
import re
from functools import cache

import numpy as np
import pytest
import tree_sitter
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import count, examples, some
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.languages import LANGUAGES, installed
from whorl.formats.code.plan import IDENTIFIER, plan, symbol
from whorl.formats.code.row import CLOSERS

# Signs that open and close things, or begin what must be ended: code breaks at these.
SIGNS = [*"(){}[]<>\"'`\\/*#@$%&|?:;,.=+-!~ \n\t\x00\ré漢\xad\u200b", "/*", "*/", "//", "'''", '"""', "<?php", "?>"]

# What stands before a name and after it, and is not part of it: sigils, the colon of a label, the mark of a predicate.
NAME = re.compile(r"([@#$%&'.:*]*)(.*?)([:?!'*]*)\Z", re.S)


def edited(text, stream, token=None, gap=None):
    """The text with each token and each gap between tokens rewritten."""
    parts, end = [], 0
    for index, span in enumerate(stream.spans):
        between, held = text[end : span.start], text[span.start : span.end]
        parts += [gap(between) if gap else between, token(index, held) if token else held]
        end = span.end
    return "".join([*parts, gap(text[end:]) if gap else text[end:]])


def stretched(between):
    """Wider blanks, blank lines, blanks at the ends of lines. Indentation stays: it means something in Python."""
    between = re.sub(r"(?<=[^\s\\]) (?=\S|$)", "   ", between)
    between = "\t  " if between == " " else between
    return re.sub(r"(?<!\\)\n", "  \n\n", between)


@cache
def read_once(language, sample):
    """The stream of a sample, for all tests that compare another with it."""
    return CodeFrontend(language).stream(sample)


class CodeConformance:
    """Inherit, and define ``language``, ``sample`` and ``function``. ``opening`` is what must stand before any code,
    ``closing`` what must stand after code that more text follows, ``body`` the sample without what must stand first.

    ``names`` and ``different`` are how many identifiers the sample has at least, and how many different ones;
    ``letter`` is one that names may have and that is not ASCII where the language allows it; ``shape`` is what a name
    looks like; ``recovers`` is what a program with holes keeps of its tokens."""

    opening = ""
    closing = "\n"
    body = ""
    names = 40
    different = 15
    letter = "ö"
    shape = r"[@#$]*\w+[?!]?"
    recovers = 0.8

    @pytest.fixture(autouse=True)
    def _is_installed(self):
        if not installed(self.language):
            pytest.skip(f"no reader for {self.language}")

    @property
    def note(self):
        """A comment for the end of a line, and one for between two tokens, if the language has such."""
        lines = [mark for mark in self.row.comments if mark not in CLOSERS]
        blocks = [f"{mark} so= {CLOSERS[mark]}" for mark in self.row.comments if mark in CLOSERS]
        return f" {lines[0]} a (note) = it's \"one" if lines else f" {blocks[0]}", blocks[0] if blocks else ""

    @property
    def language(self):
        raise NotImplementedError

    @property
    def sample(self):
        raise NotImplementedError

    @property
    def function(self):
        raise NotImplementedError

    def stream(self, text):
        return self.checked(CodeFrontend(self.language).stream(text), text)

    @property
    def whole(self):
        """The stream of the sample."""
        return self.checked(read_once(self.language, self.sample), self.sample)

    def checked(self, stream, text):
        assert len(stream.symbols) == len(stream.starts) == len(stream.ends)
        assert stream.symbols.dtype == np.uint32
        assert stream.starts.dtype == stream.ends.dtype == np.int32
        if len(stream):
            assert stream.starts[0] >= 0
            assert stream.ends[-1] <= len(text)
            assert np.all(stream.starts < stream.ends)
            assert np.all(stream.ends[:-1] <= stream.starts[1:])
        return stream

    def symbols(self, text):
        return self.stream(text).symbols.tolist()

    @property
    def row(self):
        return LANGUAGES[self.language]

    def test_the_sample_has_no_error(self):
        if self.row.reader == "grammar":
            assert not tree_sitter.Parser(plan(self.language).grammar).parse(self.sample.encode()).root_node.has_error
        stream = self.whole
        assert stream.note == ""
        assert 100 < len(stream) < len(self.sample) / 3
        assert self.sample.count("\n") >= 25

    def test_identifiers_map_back_to_names(self):
        stream = self.whole
        names = [
            self.sample[start:end]
            for found, (start, end) in zip(stream.symbols.tolist(), stream.spans, strict=True)
            if found == symbol(self.row.family, IDENTIFIER)
        ]
        assert len(names) >= self.names
        assert [name for name in names if not re.fullmatch(self.shape, name)] == []

    def test_tokens_are_what_a_token_looks_like(self):
        for start, end in self.whole.spans:
            held = self.sample[start:end]
            assert held == held.strip()
            assert held in self.row.keeps | {":"} or re.fullmatch(r"[()\[\]{},;:]+", held) is None
            assert held == "*" or not held.startswith(self.row.comments)

    def test_layout_changes_nothing(self):
        stream = self.whole
        changed = edited(self.sample, stream, gap=stretched)
        assert len(changed) > 1.1 * len(self.sample)
        assert self.symbols(changed) == stream.symbols.tolist()

    def test_comments_change_nothing(self):
        stream = self.whole
        at_end, inside = self.note

        def commented(between):
            if between == " " and inside:
                return f" {inside} "
            return re.sub(r"(?<!\\)\n", lambda _: f"{at_end}\n", between)

        changed = edited(self.sample, stream, gap=commented)
        assert len(changed) > 1.1 * len(self.sample)
        assert self.symbols(changed) == stream.symbols.tolist()

    def test_names_change_nothing(self):
        stream = self.whole
        identifier = symbol(self.row.family, IDENTIFIER)
        fresh: dict[str, str] = {}

        def renamed(index, held):
            if stream.symbols[index] != identifier:
                return held
            sigil, name, mark = NAME.findall(held)[0]
            first = "Q" if name[:1].isupper() else "q"  # in Ruby and Go the case of a name means something
            key = name.lower() if self.row.folds_case else name
            return sigil + fresh.setdefault(key, f"{first}{self.letter}x{len(fresh)}") + mark

        changed = edited(self.sample, stream, token=renamed)
        assert len(fresh) >= self.different
        assert self.symbols(changed) == stream.symbols.tolist()

    def test_the_case_of_letters(self):
        upper, lower = (
            "".join(change(sign) if sign.isascii() else sign for sign in self.sample)
            for change in (str.upper, str.lower)
        )
        assert upper != lower
        is_same = self.symbols(upper) == self.symbols(lower) == self.whole.symbols.tolist()
        assert is_same or not self.row.folds_case

    def test_code_before_and_after_changes_nothing(self):
        bare = self.symbols(self.opening + self.function)
        assert len(bare) > 8
        after = self.body or self.sample
        assert self.symbols(self.opening + self.function + self.closing + after) == bare + self.symbols(after)
        begun = self.sample if self.closing == "\n" else self.sample + self.opening
        assert self.symbols(begun + "\n" + self.function) == self.whole.symbols.tolist() + bare

    @pytest.mark.parametrize("step", some(range(10)))
    def test_truncated_code_has_tokens(self, step):
        whole = self.whole
        for length in range(step * 10, len(self.sample), 100):
            found = self.stream(self.sample[:length])
            assert len(found) >= np.count_nonzero(whole.ends <= length) // 2 - 8

    def test_code_with_holes_has_tokens(self):
        source = random.Random(7)
        lengths = []
        for _ in range(count(40)):
            text = self.sample
            for _ in range(source.randrange(1, 12)):
                at = source.randrange(len(text))
                text = text[:at] + text[at + source.randrange(1, 9) :]
            lengths.append(len(self.stream(text)))
        # A lost quote can make a string of the rest; most holes cost no more than what they are in.
        assert np.median(lengths) > self.recovers * len(self.whole)

    @examples(25)
    @given(data=st.data())
    def test_no_text_is_refused(self, data):
        pieces = st.one_of(st.sampled_from(SIGNS), st.sampled_from(self.sample.split()), st.text(max_size=3))
        text = " ".join(data.draw(st.lists(pieces, max_size=20)))
        first, again = self.stream(text), self.stream(text)
        assert first.symbols.tolist() == again.symbols.tolist()

    @pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n", "\x00", "\ufeff", "\ud800", "é", "漢" * 50])
    def test_nearly_nothing(self, text):
        assert len(self.stream(text)) <= 1

    @pytest.mark.parametrize(("before", "after"), ["()", "[]", "{}", ("(", ""), ("-", ""), ("f(", ")"), ("!", "")])
    def test_deep_nesting(self, before, after):
        depth = 1_000 if self.row.extra else 10_000  # some grammars of the extra need seconds for more
        text = self.opening + "x = " + before * depth + "1" + after * depth
        assert len(self.stream(text)) < 3 * depth

    def test_offsets_are_code_points(self):
        wide = "größe漢𝒳"  # letters of two, three and four bytes
        texts = self.sample, self.sample.replace("größe", wide)
        assert texts[0] != texts[1]
        plain, widened = self.whole, self.stream(texts[1])
        assert widened.symbols.tolist() == plain.symbols.tolist()
        held = [texts[0][start:end].replace("größe", wide) for start, end in plain.spans]
        assert [texts[1][start:end] for start, end in widened.spans] == held

    @pytest.mark.parametrize("text", ["\xad0A", "''' ( \xad"])
    def test_a_character_without_width_is_in_one_token(self, text):
        """A parser may make several of what stands in its place."""
        self.stream(text)

    @pytest.mark.parametrize("word", ["\u200bgröße", "gr\xadöße", "größ\u200b\u2060e", "größe\u200d"])
    def test_characters_without_width_move_no_token(self, word):
        """Grammars are not given them; other readers may take them for the ends of words."""
        text = self.sample.replace("größe", word)
        plain, hidden = self.whole, self.stream(text)
        if self.row.reader == "grammar":
            sign = re.compile("[\xad\u200b\u200d\u2060]")
            assert hidden.symbols.tolist() == plain.symbols.tolist()
            held = [self.sample[start:end] for start, end in plain.spans]
            assert [sign.sub("", text[start:end]) for start, end in hidden.spans] == held

    def test_line_ends(self):
        assert self.symbols(self.sample.replace("\n", "\r\n")) == self.whole.symbols.tolist()

    def test_a_nul_is_a_blank(self):
        stream = self.whole
        changed = edited(self.sample, stream, gap=lambda between: re.sub("(?<=\\S) (?=\\S)|^ $", " \x00 ", between))
        assert "\x00" in changed
        assert self.symbols(changed) == stream.symbols.tolist()
