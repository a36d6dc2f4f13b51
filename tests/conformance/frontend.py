"""What every front-end must do. A front-end's tests inherit this and give a ``frontend``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl.formats.encoding import decode
from whorl.model import Document

# Pieces that exercise what Unicode text can do, whatever the format. Arbitrary text hits these too rarely.
PLAIN = ["a", "E", "x", "0", "7", " ", ".", "-", "\n", "\x00", "\t", "'", "’", "don't", "Rock’n’roll", "l'été", "90's"]
MARKS = ["\u0301", "\u0327", "\u0308", "\u0345", "\u0323", "\u20dd", "\u3099", "\uff9e", "\u093e", "\u1fbe"]
COMPOSED = [
    "é",
    "ᾳ",
    "ᾂ",
    "Å",
    "ǖ",
    "İ",
    "ı",
    "가",
    "각",
    "が",
    "\u1100",
    "\u1161",
    "\u11a8",
    "\u1112\u1161\u11ab",
    "ொ",
]
EXPANDING = ["ﬁ", "½", "①", "㏂", "㍻", "㋀", "ß", "ŉ", "…", "⒈", "⑴", "ﷺ", "ﬃ", "Ǆ", "ﾊ", "ﾞ", "ｶ", "Ａ", "´", "Ⅷ"]
INVISIBLE = ["\u00ad", "\u200b", "\u200d", "\ufe0f", "\u034f", "\u2060", "\ufeff", "\U000e0041", "\u115f", "\u3164"]
SCRIPTS = ["漢", "か", "ไ", "ำ", "က", "ខ", "ລ", "க", "ொ", "а", "в", "ο", "Ν", "ѕ", "𝐚", "१", "٣"]
STRANGE = ["\ud800", "\udfff", "\U0001f600", "\U0010ffff", "\ufffd", "\ue000"]
PIECES = [*PLAIN, *MARKS, *COMPOSED, *EXPANDING, *INVISIBLE, *SCRIPTS, *STRANGE]


def texts(longest=24):
    """Texts of troublesome pieces, of anything, and of both."""
    anything = st.text(st.characters(exclude_categories=()), max_size=3)
    pieces = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), anything), max_size=longest)
    return pieces.map("".join)


def rows(stream, shift=0, start=0):
    """A stream from its row ``start`` on, as comparable tuples."""
    columns = (stream.symbols.tolist(), (stream.starts + shift).tolist(), (stream.ends + shift).tolist())
    return list(zip(*columns, strict=True))[start:]


class FrontendConformance:
    """Inherit, and define ``frontend``. ``separator`` is text that parts what stands before from what stands after."""

    separator = "\n"

    @property
    def frontend(self):
        raise NotImplementedError

    @given(text=texts())
    def test_lengths_agree_and_spans_are_in_order(self, text):
        stream = self.frontend.stream(text)
        assert len(stream.symbols) == len(stream.starts) == len(stream.ends)
        assert stream.symbols.dtype in (np.uint8, np.uint16, np.uint32, np.uint64)
        assert stream.starts.dtype == stream.ends.dtype == np.int32
        assert np.all(stream.starts >= 0)
        assert np.all(stream.ends <= len(text))
        assert np.all(stream.starts < stream.ends)
        assert np.all(np.diff(stream.starts) >= 0)
        assert np.all(np.diff(stream.ends) >= 0)

    @given(text=texts(10))
    def test_every_symbol_maps_back_to_the_text_it_came_from(self, text):
        for symbol, start, end in rows(self.frontend.stream(text)):
            assert symbol in self.frontend.stream(text[start:end]).symbols.tolist()

    @given(before=texts(8), text=texts(), after=texts(8))
    def test_text_around_changes_no_symbol(self, before, text, after):
        shift = len(before) + len(self.separator)
        whole = rows(self.frontend.stream(before + self.separator + text + self.separator + after))
        # What stands first in the text may join the separator before it (a combining mark): its span then begins there.
        inside = [row for row in whole if row[1] >= len(before) and row[2] <= shift + len(text) + len(self.separator)]
        expected = rows(self.frontend.stream(text), shift)
        assert [row[0] for row in inside][: len(expected)] == [row[0] for row in expected]

    @given(text=texts(), at=st.integers(-1, 60))
    def test_a_cut_divides_the_stream(self, text, at):
        c = self.frontend.cut(text, at)
        assert 0 <= c <= max(at, 0)
        assert c <= len(text)
        left, right = self.frontend.stream(text[:c]), self.frontend.stream(text[c:])
        assert rows(left) + rows(right, c) == rows(self.frontend.stream(text))

    @given(text=texts(), size=st.integers(1, 40))
    def test_the_streams_of_the_pieces_are_the_stream_of_the_document(self, text, size):
        """Through the protocol that the engine uses, for a text and for its bytes."""
        expected = rows(self.frontend.stream(text))
        contents = [text] if any("\ud800" <= c <= "\udfff" for c in text) else [text, text.encode()]
        for content in contents:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("whorl.formats.text.PIECE", size)
                read = [self.frontend.read(piece) for piece in self.frontend.pieces(Document("document.txt", content))]
            if content != text and decode(content).text != text:
                continue  # the text begins with a byte order mark, or says that it is in another encoding
            assert [row for stream in read for row in rows(stream, stream.offset)] == expected

    @given(text=texts(12))
    def test_a_stream_can_be_restarted_at_any_symbol(self, text):
        stream = self.frontend.stream(text)
        for start in sorted(set(stream.starts.tolist())):
            first = int(np.searchsorted(stream.starts, start))
            assert rows(self.frontend.stream(text[start:]), start) == rows(stream, start=first)

    @given(text=texts())
    def test_the_same_text_gives_the_same_stream(self, text):
        first, again = self.frontend.stream(text), self.frontend.stream(text)
        assert rows(first) == rows(again)
        assert first.symbols.dtype == again.symbols.dtype

    def test_a_long_text_can_be_cut(self):
        text = "word, " * 10_000
        c = self.frontend.cut(text, 30_000)
        assert 29_900 < c <= 30_000

    def test_an_empty_text_gives_an_empty_stream(self):
        assert len(self.frontend.stream("")) == 0
        assert self.frontend.cut("", 0) == 0

    @pytest.mark.parametrize("text", ["\ud800", "\udc00x", "\x00", "\x00a\x00", "\ufffe", "\U0010ffff", "a\udc80b"])
    def test_no_text_is_refused(self, text):
        assert len(self.frontend.stream(text)) <= len(text)

    @examples(5)
    @given(piece=texts(6))
    def test_very_long_lines(self, piece):
        stream = self.frontend.stream(piece * 3_000)
        assert np.all(stream.starts < stream.ends)
        assert len(stream) == 0 or stream.ends[-1] <= len(piece) * 3_000
