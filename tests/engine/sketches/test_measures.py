"""Resemblance and containment, exactly."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.engine.hashing import Key
from whorl.engine.shingles import containment, resemblance, shingling
from whorl.errors import DocumentError, InputError, KeyMismatchError, SketchMismatchError
from whorl.model import Document
from whorl.scheme import Scheme

FOUR = Scheme(symbols="words", k=4, select="full")
TWO = Scheme(symbols="words", k=2, select="full")
ROSE = "a rose is a rose is a rose"

streams = st.lists(st.integers(0, 3), max_size=12).map(lambda values: np.array(values, np.uint8))


def grams(symbols, k):
    """The shingling as a set of tuples: the definition."""
    values = symbols.tolist()
    if len(values) < k:
        return {tuple(values)} if values else set()
    return {tuple(values[at : at + k]) for at in range(len(values) - k + 1)}


def distance(a, b, scheme):
    """1 - r, without rounding: there are at most 22 shingles in the union."""
    return 1 - Fraction(resemblance(a, b, scheme)).limit_denominator(22)


class TestRose:
    def test_the_set_has_three_shingles(self):
        assert shingling(ROSE, FOUR).size() == 3

    def test_with_occurrences_it_has_five(self):
        assert shingling(ROSE, FOUR).size(counted=True) == 5

    def test_saying_it_longer_makes_no_difference_to_the_set(self):
        longer = ROSE + " is a rose"
        assert resemblance(ROSE, longer, FOUR) == 1
        assert resemblance(ROSE, longer, FOUR, counted=True) == 5 / 8
        assert containment(longer, ROSE, FOUR, counted=True) == 5 / 8
        assert containment(ROSE, longer, FOUR, counted=True) == 1

    def test_a_flower_and_a_rose(self):
        assert resemblance(ROSE, "a rose is a flower", FOUR) == 1 / 4
        assert containment("a rose is a flower", ROSE, FOUR) == 1 / 2


class TestDefinition:
    @given(streams, streams, st.integers(1, 4))
    def test_sets(self, a, b, k):
        scheme = Scheme(k=k, select="full")
        first, second = grams(a, k), grams(b, k)
        union = len(first | second)
        assert resemblance(a, b, scheme) == (len(first & second) / union if union else 1)
        assert containment(a, b, scheme) == (len(first & second) / len(first) if first else 1)

    @given(streams, streams, streams)
    def test_the_distance_is_a_metric(self, a, b, c):
        scheme = Scheme(k=2, select="full")
        ab, bc, ac = (distance(x, y, scheme) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= ab + bc
        assert distance(b, a, scheme) == ab
        assert (ab == 0) == (grams(a, 2) == grams(b, 2))

    @given(streams, streams)
    def test_counted_is_the_resemblance_of_labelled_shingles(self, a, b):
        def labelled(symbols):
            seen: dict[tuple[int, ...], int] = {}
            values = symbols.tolist()
            for at in range(len(values) - 1):
                gram = tuple(values[at : at + 2])
                seen[gram] = seen.get(gram, 0) + 1
                yield (*gram, seen[gram])
            if len(values) == 1:
                yield (values[0], 1)

        first, second = set(labelled(a)), set(labelled(b))
        union = len(first | second)
        expected = len(first & second) / union if union else 1
        assert resemblance(a, b, Scheme(k=2, select="full"), counted=True) == expected


class TestDocuments:
    def test_all_forms_of_a_document_are_alike(self, tmp_path: Path):
        file = tmp_path / "rose.txt"
        file.write_text(ROSE)
        for form in (ROSE.upper(), ROSE.encode(), file, Document("rose", ROSE)):
            assert resemblance(ROSE, form, FOUR) == 1

    def test_short_documents_resemble_their_equals_alone(self):
        assert resemblance("Hello, world", "hello world") == 1
        assert resemblance("hello world", "hello whorl") == 0
        assert resemblance("hello world", "") == 0
        assert resemblance("", "") == 1
        assert containment("", "hello") == 1

    def test_zeros_at_the_end_of_a_short_document_count(self):
        first, second = np.array([5], np.uint8), np.array([5, 0], np.uint8)
        assert resemblance(first, second) == 0

    def test_a_document_that_comes_in_pieces(self, monkeypatch):
        monkeypatch.setattr("whorl.formats.text.PIECE", 7)
        text = " ".join(str(number) for number in range(200))
        whole = shingling(np.arange(200, dtype=np.uint64), Scheme(k=10, select="full"))
        cut = shingling(text, "web")
        assert len(cut) == len(whole) == 191
        monkeypatch.undo()
        assert np.array_equal(cut.hashes, shingling(text, "web").hashes)

    def test_an_array_that_comes_in_runs(self, monkeypatch):
        symbols = np.random.default_rng(1).integers(0, 4, 500, dtype=np.uint8)
        expected = shingling(symbols, "text").hashes
        monkeypatch.setattr("whorl.engine.shingles.RUN", 9)
        assert np.array_equal(shingling(symbols, "text").hashes, expected)

    def test_the_width_of_symbols_says_nothing(self):
        symbols = np.arange(40, dtype=np.uint8)
        assert resemblance(symbols, symbols.astype(np.uint64)) == 1

    def test_hostile_text(self):
        assert resemblance("\0" * 1000 + "\ud800 x", "x \udfff") == 1
        assert resemblance("a " * 50_000, "a " * 20) == 1

    def test_wrong_input(self, tmp_path: Path):
        with pytest.raises(InputError, match="unsigned"):
            resemblance(np.array([-1]), np.array([1]))
        with pytest.raises(DocumentError):
            resemblance(tmp_path / "missing", "x")
        with pytest.raises(KeyMismatchError, match="with_key"):
            resemblance("x", "y", key=Key(b"0123456789abcdef"))
        with pytest.raises(SketchMismatchError, match="schemes"):
            shingling("x", FOUR).resemblance(shingling("x", TWO))
