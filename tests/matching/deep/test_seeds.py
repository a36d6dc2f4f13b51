"""Seeds: bigrams that occur once on each side, by their definition."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.matching.deep.seeds import NEAR, Bigrams, Seeds, distinct, ordered, seeds, unique_pairs, unordered
from whorl.matching.deep.words import Words

FEW = st.lists(st.integers(0, 6), max_size=40)
# A word: its hash, whether it is longer, whether it is evidence, and whether a new file begins with it.
WORDS = st.lists(st.tuples(st.integers(1, 6), st.booleans(), st.booleans(), st.sampled_from([0, 0, 0, 1])), max_size=40)


def words(rows: list[tuple[int, bool, bool, int]]) -> Words:
    own = np.array([row[2] for row in rows], np.bool_)
    lasts = np.cumsum(own.astype(np.int64))
    return Words(
        np.array([row[0] for row in rows], np.uint64),
        lasts - own,
        lasts,
        np.cumsum(np.array([row[3] for row in rows], np.int64)),
        own,
        np.array([row[1] for row in rows], np.bool_),
        np.zeros(len(rows), np.bool_),
    )


def keys_ordered(side: Words) -> dict[tuple[int, int], tuple[int, int]]:
    return {
        (i, i + 1): (int(side.hashes[i]), int(side.hashes[i + 1]))
        for i in range(len(side) - 1)
        if side.is_evidence[i] and side.is_evidence[i + 1] and side.files[i] == side.files[i + 1]
    }


def keys_unordered(side: Words) -> dict[tuple[int, int], tuple[int, int]]:
    chosen = [i for i in range(len(side)) if side.is_evidence[i] and side.is_long[i]]
    found = {}
    for i, j in pairwise(chosen):
        if j - i <= NEAR and side.files[i] == side.files[j]:
            one, two = sorted((int(side.hashes[i]), int(side.hashes[j])))
            found[i, j] = (one, two)
    return found


def brute(left: dict[Any, Any], right: dict[Any, Any]) -> set[tuple[int, int, int, int, int]]:
    counts = Counter(left.values()), Counter(right.values())
    return {
        (*a, *b, 7)
        for a, one in left.items()
        for b, two in right.items()
        if one == two and counts[0][one] == counts[1][two] == 1
    }


def as_set(found: Seeds) -> set[tuple[int, ...]]:
    return set(map(tuple, found.tolist()))


@given(FEW, FEW)
def test_rare_is_once_on_each_side(left, right):
    at_left, at_right = unique_pairs(np.array(left, np.uint64), np.array(right, np.uint64))
    expected = {
        (i, j)
        for i, one in enumerate(left)
        for j, two in enumerate(right)
        if one == two and left.count(one) == right.count(two) == 1
    }
    assert set(zip(at_left.tolist(), at_right.tolist(), strict=True)) == expected
    assert len(at_left) == len(expected)


@given(WORDS, WORDS)
def test_ordered_bigrams(left, right):
    one, two = words(left), words(right)
    assert as_set(seeds(ordered(one), ordered(two), 7)) == brute(keys_ordered(one), keys_ordered(two))


@given(WORDS, WORDS)
def test_unordered_bigrams_of_longer_words(left, right):
    one, two = words(left), words(right)
    assert as_set(seeds(unordered(one), unordered(two), 7)) == brute(keys_unordered(one), keys_unordered(two))


@given(WORDS, st.integers(0, 45), st.integers(0, 45))
def test_bigrams_between_two_places(row, start, end):
    for grams in (ordered(words(row)), unordered(words(row))):
        found = grams.between(start, end)
        places = zip(grams.firsts.tolist(), grams.seconds.tolist(), strict=True)
        expected = [(first, second) for first, second in places if start <= first and second < end]
        assert list(zip(found.firsts.tolist(), found.seconds.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 5), max_size=30))
def test_each_seed_once(rows):
    found = distinct([np.array(rows, np.int64).reshape(-1, 5)])
    assert found.tolist() == sorted(map(list, set(rows)))


def test_rarity_is_that_of_the_window():
    hashes, firsts = np.array([5, 5], np.uint64), np.array([0, 50])
    left = Bigrams(hashes, firsts, firsts + 1)
    right = Bigrams(hashes[:1], firsts[:1], firsts[:1] + 1)
    assert len(seeds(left, right, 0)) == 0
    assert as_set(seeds(left.between(0, 40), right, 1)) == {(0, 1, 0, 1, 1)}
