"""Sentences: where they begin, and edges that snap to them."""

import numpy as np
import pytest

from whorl.formats.text import TextFrontend
from whorl.matching.deep.words import beginnings, snap


@pytest.mark.parametrize(
    ("text", "first_words"),
    [
        ("One two. Three four! Five", ["One", "Three", "Five"]),
        ('He said "no." Then (it ended.) Nothing', ["He", "Then", "Nothing"]),
        ("A heading\n\nA line\nof text", ["A", "A"]),
        ("Version 2.0 of it", ["Version"]),
        ("一。二。", ["一", "二"]),
        ("", []),
        ("...", []),
    ],
)
def test_where_sentences_begin(text, first_words):
    stream = TextFrontend("words").stream(text)
    found = np.flatnonzero(beginnings(text, stream.starts.astype(np.int64)))
    assert [text[stream.starts[at] : stream.ends[at]] for at in found] == first_words


def test_edges_move_out_to_sentences_that_are_near():
    opens = np.zeros(40, np.bool_)
    opens[[0, 10, 30]] = True
    assert snap(12, 28, opens, 5) == (10, 30)
    assert snap(10, 30, opens, 5) == (10, 30)
    assert snap(16, 24, opens, 5) == (16, 24)
    assert snap(3, 36, opens, 5) == (0, 40)
    assert snap(3, 34, opens, 5) == (0, 34)
