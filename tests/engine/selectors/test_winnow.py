"""Winnowing and robust winnowing against the paper: its figure, its definitions, its loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.engine.selectors import paper
from tests.examples import examples
from whorl.engine.winnowing import Robust, Winnow
from whorl.formats.text import TextFrontend

# Few different hashes make ties, which is where definitions and loops part.
hashes = st.one_of(
    st.lists(st.integers(0, 3), max_size=60),
    st.lists(st.integers(0, 2**64 - 1), max_size=60),
    st.lists(st.integers(0, 40), max_size=200),
)
windows = st.integers(1, 25)


def select(selector, values):
    return selector.select(np.array(values, np.uint64)).tolist()


@pytest.mark.usefixtures("each_kernel")
class TestFigure2:
    HASHES = (77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98)

    @pytest.mark.parametrize("selector", [Winnow(4), Robust(4)])
    def test_fingerprints_with_positions(self, selector):
        positions = select(selector, self.HASHES)
        assert [(self.HASHES[at], at) for at in positions] == [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]

    def test_the_text_with_irrelevant_features_removed_has_these_grams(self):
        stream = TextFrontend().stream("A do run run run, a do run run")
        assert bytes(stream.symbols.tolist()) == b"adorunrunrunadorunrun"
        assert whorl.fingerprint(stream.symbols, whorl.Scheme(k=5, w=4)).grams == len(self.HASHES)


@pytest.mark.usefixtures("each_kernel")
def test_a_known_trap():
    assert select(Winnow(3), [0, 2, 0, 3, 3, 3, 3, 1, 0, 3, 0, 3]) == [2, 5, 6, 7, 8, 10]


@given(hashes, windows)
@examples(2000)
def test_definition_1(values, w):
    assert select(Winnow(w), values) == paper.definition_1(values, w)


@given(hashes, windows)
@examples(2000)
def test_definition_3(values, w):
    assert select(Robust(w), values) == paper.definition_3(values, w)


@given(hashes, windows, st.booleans())
@examples(2000)
def test_the_loop_of_figure_5(values, w, robust):
    """At the end of each iteration that has a whole window behind it, ``min`` is what the definition selects."""
    looped = sorted(set(list(paper.figure_5(values, w, robust))[w - 1 :]))
    if robust:
        # The loop remembers what it chose in the windows that were not yet whole: it may differ from the definition
        # until those choices have left the window, but selects the same hashes.
        assert {values[at] for at in looped} == {values[at] for at in select(Robust(w), values)}
    else:
        assert looped == select(Winnow(w), values)


@given(hashes, windows, st.integers(0, 25))
def test_a_wider_window_selects_a_subset(values, w, more):
    """Section 3.2. For robust winnowing it holds of the hashes, not of where they are."""
    assert set(select(Winnow(w + more), values)) <= set(select(Winnow(w), values))
    narrow, wide = select(Robust(w), values), select(Robust(w + more), values)
    assert {values[at] for at in wide} <= {values[at] for at in narrow}


@given(st.integers(1, 50), st.integers(1, 400))
def test_a_constant_string(w, length):
    values = [7] * length
    assert len(select(Winnow(w), values)) == max(0, length - w + 1)
    assert len(select(Robust(w), values)) == length // w
