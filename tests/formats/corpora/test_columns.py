"""A column is what a list of its texts is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.formats.corpora.jsonl import Column

texts = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4))


@given(texts, st.data())
def test_it_is_a_list(texts, data):
    column = Column.of(texts)
    assert list(column) == [column[number] for number in range(len(column))] == column[:] == texts
    assert list(column.encoded()) == [(text or "").encode() for text in texts]
    assert column.is_whole == all(texts)
    lengths, packed = column.packed()
    assert lengths.tolist() == [-1 if text is None else len(text.encode()) for text in texts]
    assert packed == "".join(filter(None, texts)).encode()
    those = np.array([data.draw(st.booleans()) for _ in texts], np.bool_)
    assert list(column.chosen(those)) == [text for text, is_wanted in zip(texts, those, strict=True) if is_wanted]


def test_nothing():
    assert list(Column.empty(3)) == [None] * 3
    assert Column.empty(3).packed()[0].tolist() == [-1] * 3
