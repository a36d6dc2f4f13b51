"""The rarest k-grams by their first letters (Heintze 1996, section 6.1), and random ones beside them (3.4)."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.engine.fixed_size import Random, Rarity
from whorl.engine.hashing import Hasher, Key

streams = st.tuples(st.sampled_from([2, 4, 26]), st.integers(0, 2**32), st.integers(0, 300)).map(
    lambda drawn: np.random.default_rng(drawn[1]).integers(0, drawn[0], drawn[2], dtype=np.uint8)
)


def section_6_1(symbols, k, n, letters):
    """The paper's words: substrings whose first letters occur infrequently; where they are equal, the lowest hashes."""
    grams = [tuple(symbols[at : at + k].tolist()) for at in range(len(symbols) - k + 1)]
    counts = Counter(gram[:letters] for gram in grams)
    order = Hasher(Key.PUBLIC, k).order(symbols, k).tolist() if grams else []
    first = {gram: at for at, gram in reversed(list(enumerate(grams)))}
    ranked = sorted(first.values(), key=lambda at: (counts[grams[at][:letters]], order[at]))
    return sorted(ranked[:n])


@given(streams, st.integers(1, 12), st.integers(1, 40), st.integers(1, 6))
def test_the_definition(symbols, k, n, letters):
    """Word by word, but for ties of hashes, which this many k-grams do not have."""
    scheme = whorl.Scheme(k=k, select="rarity", n=n, letters=letters)
    selected = whorl.fingerprint(symbols, scheme).positions.tolist()
    assert selected == section_6_1(symbols, k, n, min(letters, k))


@given(st.lists(st.integers(0, 30), max_size=80), st.integers(1, 20))
def test_of_any_hashes_those_that_occur_least_often(values, n):
    counts = Counter(values)
    ranked = sorted(counts, key=lambda value: (counts[value], value))[:n]
    expected = sorted(values.index(value) for value in ranked)
    assert Rarity(n, 5).select(np.array(values, np.uint64)).tolist() == expected


def test_common_beginnings_are_left_out():
    draw = np.random.default_rng(1)
    common = np.tile(np.arange(5, dtype=np.uint8), 1)
    parts = [np.concatenate((common, draw.integers(10, 200, 15, dtype=np.uint8))) for _ in range(200)]
    symbols = np.concatenate(parts)
    selected = whorl.fingerprint(symbols, whorl.Scheme(k=20, select="rarity", n=500))
    assert len(selected) == 500
    assert not any((symbols[at : at + 5] == common).all() for at in selected.positions.tolist())


def test_the_default_is_five_letters():
    assert whorl.Scheme(k=20, select="rarity", n=10).letters == 5


def test_copies_choose_alike_in_any_order_of_their_halves():
    draw = np.random.default_rng(5)
    left, right = (draw.integers(0, 21, 40_000, dtype=np.uint8) for _ in range(2))
    scheme = whorl.Scheme(k=20, select="rarity", n=1000)
    straight, swapped = (whorl.fingerprint(np.concatenate(p), scheme) for p in ((left, right), (right, left)))
    assert len(set(straight.hashes.tolist()) & set(swapped.hashes.tolist())) >= 990


def test_random_selection_shares_few_with_a_near_copy():
    """Section 3.4: of 20,000 substrings 1,000 are drawn; two draws share 50 on average, 90 or more once in 10^7."""
    draw = np.random.default_rng(6)
    symbols = draw.integers(0, 21, 20_019, dtype=np.uint8)
    edited = symbols.copy()
    edited[10_000] ^= 1
    scheme = whorl.Scheme(k=20, select="random", n=1000)
    one, two, again = (set(whorl.fingerprint(each, scheme).hashes.tolist()) for each in (symbols, edited, symbols))
    assert one == again
    assert len(one) == len(two) == 1000
    assert 15 < len(one & two) < 90


@given(st.lists(st.integers(0, 30), max_size=80), st.integers(1, 20))
def test_random_selection_has_different_hashes_at_their_first_places(values, n):
    selected = Random(n).select(np.array(values, np.uint64)).tolist()
    assert len(selected) == min(n, len(set(values)))
    assert all(values.index(values[at]) == at for at in selected)
    assert len({values[at] for at in selected}) == len(selected)
