"""What every front-end of documents must do. Its tests inherit this and give a ``frontend`` and its format."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.frontend import rows, texts
from whorl.errors import DocumentError
from whorl.frontends.text import TextFrontend
from whorl.model import Document

SAMPLES = Path(__file__).parents[1] / "frontends" / "documents" / "samples"

# Prose without a character that means something in a format.
PROSE = [
    "The keeper climbed ninety steps",
    "and lit the lamp before dusk",
    "été à Orléans, naïve",
    "漢字かな",
    "л’été 1911",
]
WORDS = st.sampled_from(["keeper", "lamp", "Été", "x7", "1911", "naïve", "don't", "漢字", "über", "ﬁn"])
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=5)


class DocumentConformance:
    """Inherit, and define ``frontend``, ``sample``, ``write`` and ``variants``. ``refuses``: whether a document that
    is damaged may be refused."""

    sample = ""
    refuses = False

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

    def test_every_symbol_maps_back_to_the_extracted_text(self):
        content = (SAMPLES / self.sample).read_bytes()
        text = self.frontend.extract(Document("document", content)).text
        plain = TextFrontend(self.frontend.symbols)
        found = self.stream(content)
        assert len(found) > 50
        for symbol, start, end in found:
            assert symbol in plain.stream(text[start:end]).symbols.tolist()
        assert self.holds(content)

    @given(paragraphs=PARAGRAPHS)
    def test_the_same_prose_gives_the_same_stream_as_plain_text(self, paragraphs):
        for kind in ("characters", "words", "consonants"):
            frontend = type(self.frontend)(kind)
            pieces = frontend.pieces(Document("document", self.write(paragraphs)))
            found = np.concatenate([frontend.read(piece).symbols.astype(np.uint64) for piece in pieces])
            assert found.tolist() == TextFrontend(kind).stream("\n\n".join(paragraphs)).symbols.tolist()

    def test_markup_changes_nothing(self):
        expected = self.symbols(self.write(PROSE))
        assert len(expected) > 50
        for variant in self.variants(PROSE):
            assert self.symbols(variant) == expected, variant

    def test_a_string_its_bytes_and_a_file_are_one_document(self):
        path = SAMPLES / self.sample
        found = self.stream(path)
        assert found == self.stream(path.read_bytes()) == self.stream(path.read_text(encoding="utf-8"))

    def test_pieces_are_the_whole(self, monkeypatch):
        whole = self.stream(SAMPLES / self.sample)
        monkeypatch.setattr("whorl.frontends.pieces.PIECE", 7)
        assert self.stream(SAMPLES / self.sample) == whole

    @given(data=st.one_of(st.binary(max_size=300), texts()))
    def test_anything_is_read(self, data):
        self.holds(data)

    def test_random_bytes_are_read(self):
        generator = random.Random(0)
        alphabet = b"<>/=\"'!-&#;x[](){}*_`~|\\:, \n\t\x00\xffabp1"
        for _ in range(300):
            self.holds(bytes(generator.choices(alphabet, k=generator.randrange(200))))

    def test_truncations_are_read(self):
        content = (SAMPLES / self.sample).read_bytes()
        for length in range(0, len(content), 10):
            self.holds(content[:length])

    def test_changed_bytes_are_read(self):
        generator = random.Random(1)
        content = (SAMPLES / self.sample).read_bytes()
        for _ in range(100):
            damaged = bytearray(content)
            for _ in range(5):
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
            self.holds(bytes(damaged))

    def test_the_same_document_gives_the_same_text(self):
        document = Document("document", SAMPLES / self.sample)
        assert self.frontend.extract(document) == self.frontend.extract(document)

    def test_a_file_that_is_missing_is_named(self):
        with pytest.raises(DocumentError, match="nowhere"):
            list(self.frontend.pieces(Document("document", Path("/nowhere"))))
