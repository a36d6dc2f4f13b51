"""The matches of two documents: who is left does not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.comparison.compare import _read
from whorl.engine.hashing import hasher
from whorl.matching import matches
from whorl.matching.evidence import shared_hashes

SCHEME = whorl.Scheme(k=4, w=3)
texts = st.text("abc", max_size=60)


@given(texts, texts)
def test_either_side_may_be_the_left_one(left, right):
    assert whorl.compare(left, right, SCHEME) == whorl.compare(right, left, SCHEME).mirrored()


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_shared_hashes_are_those_of_both_sides(left, right):
    sides = [np.array(sorted(side), np.uint64) for side in (left, right)]
    assert shared_hashes(*sides).tolist() == sorted({*left} & {*right})


def test_widths_of_symbols_do_not_matter():
    """A text with a letter beyond Latin is held in wider symbols."""
    plain = "the keeper wrote down what the sea had brought"
    found = whorl.compare(plain, f"{plain} 灯台", whorl.Scheme(k=10, w=5))
    assert found.left_coverage == 1


def keys(left, right, factor):
    """The keys of k-grams that occur once on each side, if a side counts as long from so many times the other on."""
    one, other = (_read(text, SCHEME)[0].evidence for text in (left, right))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "LOPSIDED", factor)
        return sorted(matches.rare_keys(one, other, (one.symbols, other.symbols), SCHEME.k).tolist())


@given(st.text("abcd", max_size=300), st.text("abcd", max_size=60))
def test_a_pair_with_one_long_side_has_the_matches_of_any_other(long, short):
    """Its k-grams are sorted once and kept; the result is that of the plain way, whichever side is the long one."""
    for pair in ((long, short), (short, long), (long + short, short)):
        assert keys(*pair, 1) == keys(*pair, 1 << 30)


def test_a_query_is_hashed_once_for_all_documents_of_a_width(monkeypatch):
    hashed: list[int] = []

    class Counting:
        def __init__(self, *arguments):
            self._hasher = hasher(*arguments)

        def fold(self, symbols):
            hashed.append(symbols.itemsize)
            return self._hasher.fold(symbols)

        def order(self, *arguments):
            return self._hasher.order(*arguments)

    monkeypatch.setattr(matches, "hasher", Counting)
    query = "the keeper wrote down what the sea had brought to the gate below the tower"
    others = [query[:50], f"{query[20:]} 灯台", query[10:60], f"灯台 {query}"]
    read = [_read(text, SCHEME)[0].evidence for text in (query, *others)]
    for document, text in zip(read[1:], others, strict=True):
        kept = matches.find_matches(read[0], document, SCHEME, rare=True)
        one, other = (_read(each, SCHEME)[0].evidence for each in (query, text))
        fresh = matches.find_matches(one, other, SCHEME, rare=True)
        assert np.array_equal(kept.lefts, fresh.lefts)
        assert np.array_equal(kept.lengths, fresh.lengths)
    assert len({each.symbols.itemsize for each in read}) == 2
    assert len(hashed) == 2 * len(others) + len(others) + 2  # fresh pairs, documents, and the query in two widths
