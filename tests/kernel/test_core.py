"""The compiled kernel equals its specification on every input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.examples import examples
from tests.kernel.specification import core
from whorl.kernel import native

BASE, OFFSET, FOLD = 0x9E3779B1, 0x1234567, 0x9E3779B97F4A7C15
KEYS = np.random.default_rng(1).integers(0, 2**32, 1000, dtype=np.uint32)
CLOSING = np.random.default_rng(2).integers(0, 2**63, 12, dtype=np.uint64) | np.uint64(1)


def streams(dtypes=(np.uint8, np.uint16, np.uint32, np.uint64)):
    """Streams of every width, with few different symbols (many ties) or with many."""
    largest = st.sampled_from([1, 2, 25, 255, 300, 70_000, 2**33])
    return st.tuples(st.sampled_from(dtypes), largest, st.integers(0, 150)).flatmap(
        lambda drawn: hnp.arrays(
            drawn[0], drawn[2], elements=st.integers(0, min(drawn[1], int(np.iinfo(drawn[0]).max)))
        )
    )


def values():
    """Sequences of hashes, 32 or 64 bits wide, from few different ones to all different."""
    return st.tuples(
        st.sampled_from([np.uint32, np.uint64]), st.sampled_from([1, 3, 2**32 - 1]), st.integers(0, 80)
    ).flatmap(lambda drawn: hnp.arrays(drawn[0], drawn[2], elements=st.integers(0, drawn[1])))


lengths = st.integers(1, 40)


def folded(symbols):
    return symbols if symbols.dtype == np.uint8 else core.fold(symbols, FOLD)


@given(streams((np.uint16, np.uint32, np.uint64)))
def test_fold(symbols):
    assert np.array_equal(native.fold(symbols, FOLD), core.fold(symbols, FOLD))


@given(streams(), lengths)
def test_order(symbols, k):
    data = folded(symbols)
    assert np.array_equal(native.order(data, k, BASE, OFFSET), core.order(data, k, BASE, OFFSET))


@pytest.mark.parametrize("k", [1, 3, 4, 5, 7, 8, 20, 50, 51, 64, 1000])
def test_order_of_a_long_stream(k):
    """Long enough for the vectors and their remainders; checked against the definition at places all over it."""
    symbols = np.random.default_rng(k).integers(0, 256, 5003, dtype=np.uint8)
    whole = native.order(symbols, k, BASE, OFFSET)
    assert len(whole) == 5003 - k + 1
    for at in [0, 1, 15, 16, 17, 1000, 1249, 1250, 2501, 3777, len(whole) - 17, len(whole) - 1]:
        assert whole[at] == core.order(symbols[at : at + k], k, BASE, OFFSET)[0]


@given(streams(), lengths)
def test_identity(symbols, k):
    positions = np.arange(max(0, len(symbols) - k + 1))
    expected = core.identity(symbols, positions, k, KEYS, CLOSING)
    assert np.array_equal(native.identity(symbols, positions, k, KEYS, CLOSING), expected)


@given(streams(), lengths)
def test_hashes_do_not_depend_on_the_width_of_the_array(symbols, k):
    wide = symbols.astype(np.uint64)
    positions = np.arange(max(0, len(symbols) - k + 1))
    assert np.array_equal(
        native.identity(symbols, positions, k, KEYS, CLOSING), native.identity(wide, positions, k, KEYS, CLOSING)
    )
    assert np.array_equal(folded(symbols), native.fold(wide, FOLD))


@given(hnp.arrays(np.uint32, st.integers(0, 50)))
def test_spread(order):
    assert np.array_equal(native.spread(order), core.spread(order))


@given(values(), lengths)
@examples(300)
def test_winnow(hashes, w):
    assert np.array_equal(native.winnow(hashes, w, -1), core.winnow(hashes, w, -1))


@given(values(), lengths, streams(), st.integers(0, 5))
@examples(300)
def test_robust(hashes, w, symbols, k):
    """Hashes and symbols unrelated to each other: equal hashes of different k-grams are common here."""
    symbols = np.resize(symbols, len(hashes) + k) if len(symbols) else np.zeros(len(hashes) + k, np.uint8)
    grams, stride = symbols.view(np.uint8), symbols.itemsize
    expected = core.robust(hashes, w, -1, grams, stride, k)
    assert np.array_equal(native.robust(hashes, w, -1, grams, stride, k), expected)


@given(values(), st.integers(1, 9), lengths, st.integers(0, 50))
def test_safe_mod(hashes, p, w, gap):
    (got, after), (expected, expected_after) = native.safe_mod(hashes, p, w, gap), core.safe_mod(hashes, p, w, gap)
    assert np.array_equal(got, expected)
    assert after == expected_after


@given(streams(), st.integers(1, 30), st.integers(1, 20), st.integers(1, 6))
@examples(300)
def test_mod_sample_and_syncmer_ranks(symbols, k, w, r):
    s = min(k, r)
    t = s + (k - s) % w
    inner, outer = (core.order(folded(symbols), length, BASE, OFFSET) for length in (s, t))
    grams, stride = symbols.view(np.uint8), symbols.itemsize
    ranks = native.syncmer_ranks(inner, outer, t - s + 1)
    assert np.array_equal(ranks, core.syncmer_ranks(inner, outer, t - s + 1))
    for ordering in (outer, ranks):
        expected = core.mod_sample(ordering, w, k, t, -1, grams, stride)
        assert np.array_equal(native.mod_sample(ordering, w, k, t, -1, grams, stride), expected)


@given(streams(), lengths, st.integers(1, 2**64 - 1))
def test_karp_rabin(symbols, k, base):
    for name in ("karp_rabin", "karp_rabin_improved", "karp_rabin_from_scratch"):
        assert np.array_equal(getattr(native, name)(symbols, k, base), getattr(core, name)(symbols, k, base))
