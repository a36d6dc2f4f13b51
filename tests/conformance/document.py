"""What every front-end of documents must do. Its tests inherit this and give a ``frontend`` and its format."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.frontend import rows, texts
from tests.examples import examples
from whorl.errors import DocumentError
from whorl.formats.text import TextFrontend
from whorl.model import Document

SAMPLES = Path(__file__).parents[1] / "formats" / "documents" / "samples"

# Prose without a character that means something in a format.
PROSE = [
    "The keeper climbed ninety steps",
    "and lit the lamp before dusk",
    "été à Orléans, naïve",
    "漢字かな",
    "л’été 1911",
]
WORDS = ["keeper", "lamp", "Été", "x7", "1911", "naïve", "don't", "漢字", "über", "ﬁn"]


def drawn_paragraphs(data, words, least=0):
    paragraph = st.lists(st.sampled_from(words), min_size=1, max_size=6).map(" ".join)
    return data.draw(st.lists(paragraph, min_size=least, max_size=5))


class DocumentConformance:
    """Inherit, and define ``frontend``, ``sample``, ``write`` and ``variants``. ``refuses``: whether a document that
    is damaged may be refused. ``binary``: whether it is bytes, whose sample is written here. ``trials``: how often a
    damaged one is read; fewer where a program must be started."""

    sample = ""
    refuses = False
    binary = False
    trials = 100
    prose = PROSE
    words = WORDS

    @property
    def frontend(self):
        raise NotImplementedError

    def write(self, paragraphs):
        """A document with these paragraphs."""
        raise NotImplementedError

    def variants(self, paragraphs):
        """Documents with the same paragraphs in other markup."""
        raise NotImplementedError

    def stream(self, content):
        document = Document("document", content)
        return [row for piece in self.frontend.pieces(document) for row in self._rows(self.frontend.read(piece))]

    def _rows(self, stream):
        return rows(stream, stream.offset)

    def symbols(self, content):
        return [row[0] for row in self.stream(content)]

    def holds(self, content):
        """Every rule that holds for any document at all; False if it was refused."""
        try:
            extracted = self.frontend.extract(Document("document", content))
        except DocumentError:
            assert self.refuses
            return False
        text = extracted.text
        found = self.stream(content)
        assert found == rows(TextFrontend(self.frontend.symbols).stream(text))
        assert all(0 <= start < end <= len(text) for _, start, end in found)
        places = [place for mark in extracted.marks for place in (mark.start, mark.end)]
        assert places == sorted(places)
        assert [mark.number for mark in extracted.marks] == list(range(1, len(extracted.marks) + 1))
        assert not places or (places[0] == 0 and places[-1] == len(text))
        return True

    @property
    def content(self):
        """The sample."""
        return self.write(self.prose * 3) if self.binary else (SAMPLES / self.sample).read_bytes()

    def test_every_symbol_maps_back_to_the_extracted_text(self):
        text = self.frontend.extract(Document("document", self.content)).text
        plain = TextFrontend(self.frontend.symbols)
        found = self.stream(self.content)
        assert len(found) > 50
        for symbol, start, end in found:
            assert symbol in plain.stream(text[start:end]).symbols.tolist()
        assert self.holds(self.content)

    def of_kind(self, kind, content):
        frontend = type(self.frontend)(kind)
        pieces = frontend.pieces(Document("document", content))
        return np.concatenate([frontend.read(piece).symbols.astype(np.uint64) for piece in pieces]).tolist()

    @examples(40)
    @given(data=st.data())
    def test_the_same_prose_gives_the_same_stream_as_plain_text(self, data):
        paragraphs = drawn_paragraphs(data, self.words, least=self.binary)
        for kind in ("characters", "words", "consonants"):
            expected = TextFrontend(kind).stream("\n\n".join(paragraphs)).symbols.tolist()
            assert self.of_kind(kind, self.write(paragraphs)) == expected

    @examples(25)
    @given(data=st.data())
    def test_text_around_changes_no_symbol(self, data):
        before, text, after = (drawn_paragraphs(data, self.words, least=1) for _ in range(3))
        for kind in ("characters", "words"):
            parts = [symbol for part in (before, text, after) for symbol in self.of_kind(kind, self.write(part))]
            assert self.of_kind(kind, self.write(before + text + after)) == parts

    def test_markup_changes_nothing(self):
        expected = self.symbols(self.write(self.prose))
        assert len(expected) > 50
        for variant in self.variants(self.prose):
            assert self.symbols(variant) == expected, variant

    def test_a_string_its_bytes_and_a_file_are_one_document(self, tmp_path):
        path = tmp_path / "document"
        path.write_bytes(self.content)
        found = self.stream(path)
        assert found == self.stream(self.content)
        if self.binary:
            with pytest.raises(DocumentError, match="is binary"):
                self.stream("a string")
        else:
            assert found == self.stream(self.content.decode())

    def test_pieces_are_the_whole(self, monkeypatch):
        whole = self.stream(self.content)
        monkeypatch.setattr("whorl.formats.text.PIECE", 7)
        assert self.stream(self.content) == whole

    @given(data=st.one_of(st.binary(max_size=300), texts()))
    def test_anything_is_read(self, data):
        self.holds(data)

    def test_random_bytes_are_read(self):
        generator = random.Random(0)
        alphabet = b"<>/=\"'!-&#;x[](){}*_`~|\\:, \n\t\x00\xffabp1"
        for _ in range(3 * self.trials):
            self.holds(bytes(generator.choices(alphabet, k=generator.randrange(200))))

    def test_truncations_are_read(self):
        for length in range(0, len(self.content), max(10, len(self.content) // (3 * self.trials))):
            self.holds(self.content[:length])

    def test_changed_bytes_are_read(self):
        generator = random.Random(1)
        for _ in range(self.trials):
            damaged = bytearray(self.content)
            for _ in range(5):
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
            self.holds(bytes(damaged))

    def test_the_same_document_gives_the_same_text(self):
        document = Document("document", self.content)
        assert self.frontend.extract(document) == self.frontend.extract(document)

    def test_a_file_that_is_missing_is_named(self):
        with pytest.raises(DocumentError, match="nowhere"):
            list(self.frontend.pieces(Document("document", Path("/nowhere"))))
