"""The matches of two documents: who is left does not matter, and coverage counts each symbol once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.comparison.compare import _readable
from whorl.matching.matches import Matches, find

SCHEME = whorl.Scheme(k=4, w=3)
texts = st.text("abc", max_size=60)


@given(texts, texts)
def test_either_side_may_be_the_left_one(left, right):
    one, two = (_readable(text, SCHEME).evidence for text in (left, right))
    found, mirrored = find(one, two, SCHEME), find(two, one, SCHEME).swapped()
    for column in ("lefts", "rights", "lengths"):
        assert getattr(found, column).tolist() == getattr(mirrored, column).tolist()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 9))))
def test_symbols_are_counted_once(rows):
    rows.sort()
    columns = np.array(rows, np.int32).reshape(-1, 3)
    matches = Matches(columns[:, 0], columns[:, 1], columns[:, 2])
    assert matches.left_symbols() == len({at for a, _, n in rows for at in range(a, a + n)})
    assert matches.right_symbols() == len({at for _, b, n in rows for at in range(b, b + n)})


def test_widths_of_symbols_do_not_matter():
    """A text with a letter beyond Latin is held in wider symbols."""
    plain = "the keeper wrote down what the sea had brought"
    found = whorl.compare(plain, f"{plain} 灯台", whorl.Scheme(k=10, w=5))
    assert found.left_coverage == 1
