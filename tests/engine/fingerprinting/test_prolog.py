"""The beginning of a document, left out (Heintze 1996, section 6.3)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.engine.fingerprints import without_prolog
from whorl.formats.text import TextFrontend, pieces

FRONTEND = TextFrontend("consonants")


def remaining(text, prolog, size=None):
    """Where the symbols that are left begin, in the text."""
    streams = map(FRONTEND.read, pieces(text, FRONTEND._cut, size))
    return np.concatenate([stream.spans.starts for stream in without_prolog(streams, prolog)]).tolist()


@given(st.text("bcd e\ufb01é", max_size=300), st.integers(1, 120), st.integers(10, 60))
def test_what_begins_in_the_prolog_is_left_out_however_the_text_is_cut(text, prolog, size):
    spans = FRONTEND.stream(text).spans
    length = max(spans.ends.tolist(), default=0)
    expected = [start for start in spans.starts.tolist() if start >= min(prolog, length // 2)]
    assert remaining(text, prolog) == remaining(text, prolog, size) == expected


def test_without_one_all_is_there():
    assert remaining("bcd" * 10, None) == list(range(30))


def test_half_of_a_short_document_stays():
    assert remaining("b" * 100, 1000) == list(range(50, 100))
    assert remaining("b" * 2000, 1000)[0] == 1000
    assert remaining("", 1000) == []


def test_it_can_be_left_out_twice():
    streams = [FRONTEND.stream("b" * 5000)]
    once = list(without_prolog(streams, 1000))
    assert [len(stream) for stream in without_prolog(once, 1000)] == [4000]
