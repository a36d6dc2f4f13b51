"""The loops of matching: the compiled ones equal their specification, and both keep what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import matching as specification
from tests.kernel.specification import passages
from whorl.kernel import native_matching, native_passages

symbols = st.lists(st.integers(0, 2), max_size=60).map(lambda matched: np.array(matched, np.uint32))
WIDTHS = (np.uint8, np.uint16, np.uint32, np.uint64)


def postings(stream: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Every k-gram, sorted by an injective hash and by place."""
    grams = [int("".join(map(str, stream[i : i + k].tolist())), 3) for i in range(len(stream) - k + 1)]
    order = sorted(range(len(grams)), key=lambda i: (grams[i], i))
    return np.array([grams[i] for i in order], np.uint64), np.array(order, np.int32)


def whole(stream: np.ndarray) -> np.ndarray:
    return np.array([0, len(stream)], np.int32)


def equal(one: object, two: object) -> bool:
    return [x.tolist() for x in one] == [x.tolist() for x in two]  # type: ignore[attr-defined]


@given(symbols, symbols, st.integers(1, 5), st.sampled_from(WIDTHS), st.data())
@examples(400)
def test_native_equals_the_specification(left, right, k, width, data):
    left, right = left.astype(width), right.astype(width)
    sides = (*postings(left, k), *postings(right, k))
    keys = native_matching.seeds(*sides)
    assert keys.tolist() == specification.seeds(*sides).tolist()
    bounds = [_bounds(data, stream) for stream in (left, right)]
    inside = np.array([key for key in keys.tolist() if _is_inside(key, bounds, k)], np.uint64)
    matched = native_matching.matches(left, bounds[0], right, bounds[1], inside, k)
    assert equal(matched, specification.matches(left, bounds[0], right, bounds[1], inside, k))
    sizes, sure = (len(left), len(right)), k + data.draw(st.integers(0, 3))
    lefts, rights, lengths = matched
    chosen = native_passages.choose(lefts, rights, lengths, sizes, k, sure)
    assert chosen.tolist() == passages.choose(lefts, rights, lengths, sizes, k, sure).tolist()
    # Far apart in long documents, the same matches are chosen.
    sizes, far = (1000 * len(left), len(right)), np.where(lefts < len(left) // 2, lefts, lefts + 900 * len(left))
    arguments = far.astype(np.int32), rights, lengths, sizes, k, sure
    assert native_passages.choose(*arguments).tolist() == passages.choose(*arguments).tolist()


def _bounds(data, stream) -> np.ndarray:
    inner = data.draw(st.sets(st.integers(1, max(1, len(stream) - 1)), max_size=2)) if len(stream) > 1 else set()
    return np.array(sorted({0, *inner, len(stream)}), np.int32)


def _is_inside(key: int, bounds: list[np.ndarray], k: int) -> bool:
    """Whether the k-grams of a key cross no bound: those of real documents never do."""
    a = key & 0xFFFFFFFF
    b = a - ((key >> 32) - 2**31)
    return not any(((bound > place) & (bound < place + k)).any() for bound, place in zip(bounds, (a, b), strict=True))


@given(symbols, symbols, st.integers(1, 5))
@examples(300)
def test_matches_are_all_the_maximal_ones(left, right, k):
    """Against the definition: every maximal pair of equal substrings of at least k symbols, and nothing else."""
    keys = native_matching.seeds(*postings(left, k), *postings(right, k))
    matched = native_matching.matches(left, whole(left), right, whole(right), keys, k)
    assert set(zip(*(column.tolist() for column in matched), strict=True)) == set(
        _maximal(left.tolist(), right.tolist(), k)
    )


def _maximal(left: list[int], right: list[int], k: int):
    for a in range(len(left)):
        for b in range(len(right)):
            if a and b and left[a - 1] == right[b - 1]:
                continue
            length = 0
            while a + length < len(left) and b + length < len(right) and left[a + length] == right[b + length]:
                length += 1
            if length >= k:
                yield a, b, length


@given(symbols, symbols, st.integers(1, 5), st.integers(0, 3))
@examples(300)
def test_every_sure_passage_is_chosen_but_for_less_than_k(left, right, k, more):
    keys = native_matching.seeds(*postings(left, k), *postings(right, k))
    lefts, rights, lengths = native_matching.matches(left, whole(left), right, whole(right), keys, k)
    chosen = native_passages.choose(lefts, rights, lengths, (len(left), len(right)), k, k + more)
    covered = np.zeros(len(left), bool), np.zeros(len(right), bool)
    for i in [number for number in chosen.tolist() if lengths[number] >= k + more]:
        covered[0][lefts[i] : lefts[i] + lengths[i]] = True
        covered[1][rights[i] : rights[i] + lengths[i]] = True
    for a, b, length in zip(lefts.tolist(), rights.tolist(), lengths.tolist(), strict=True):
        if length >= k + more:
            assert (~covered[0][a : a + length]).sum() < k
            assert (~covered[1][b : b + length]).sum() < k


def test_a_collision_of_hashes_is_no_match():
    left, right = np.array([1, 2, 3], np.uint32), np.array([1, 2, 4], np.uint32)
    keys = np.array([2**31 << 32], np.uint64)
    assert len(native_matching.matches(left, whole(left), right, whole(right), keys, 3)[0]) == 0


@pytest.mark.parametrize("kernel", [native_matching, specification])
def test_a_hash_that_stands_everywhere_gives_few_seeds(kernel):
    hashes, places = np.zeros(5000, np.uint64), np.arange(5000, dtype=np.int32)
    keys = kernel.seeds(hashes, places, hashes[:70], places[:70])
    assert len(keys) == 5000
    assert len({key & 0xFFFFFFFF for key in keys.tolist()}) == 5000


ascending = st.lists(st.one_of(st.integers(0, 9), st.integers(2**64 - 4, 2**64 - 1)), max_size=30).map(
    lambda values: np.array(sorted(values), np.uint64)
)


@given(ascending, ascending)
@examples(400)
def test_common_hashes(left, right):
    both = native_matching.common(left, right)
    assert equal(both, specification.common(left, right))
    assert [column.dtype for column in both] == [np.uint64, np.int64, np.int64, np.int64]


# Many that occur several times, and some that share all the bits of a filter.
grams = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 9), st.integers(2**32 - 9, 2**32 - 1), st.integers(0, 2**32 - 1)), st.booleans()
    ),
    max_size=40,
)


@given(grams, grams)
@examples(400)
def test_hashes_that_occur_once(left, right):
    sides = [np.array([gram for gram, _ in side], np.uint32) for side in (left, right)]
    possible = [np.array([is_possible for _, is_possible in side], np.uint8) for side in (left, right)]
    arguments = sides[0], sides[1], possible[0], possible[1]
    assert sorted(native_matching.once(*arguments).tolist()) == sorted(specification.once(*arguments).tolist())


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 4), st.data())
@examples(400)
def test_shared_hashes_inside_runs(left, right, width, data):
    """Runs may overlap; a hash may be wider than what is left of the symbols."""
    run = st.tuples(st.integers(0, left), st.integers(0, right)).flatmap(
        lambda at: st.tuples(*map(st.just, at), st.integers(0, min(left - at[0], right - at[1])))
    )
    runs = data.draw(st.lists(run, max_size=6))
    starts, others, lengths = (np.array([run[column] for run in runs], np.int32) for column in range(3))
    fingerprints = [_placed(data, size) for size in (left, right)]
    arguments = *fingerprints[0], starts, left, *fingerprints[1], others, right, lengths, width
    inside, *counts = native_matching.shared_inside(*arguments)
    expected, *expected_counts = specification.shared_inside(*arguments)
    assert inside.tolist() == expected.tolist()
    assert counts == expected_counts


def _placed(data, size) -> tuple[np.ndarray, np.ndarray]:
    """Some hashes, ascending, each with a place."""
    placed = sorted(data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, size)), max_size=9)))
    return np.array([each for each, _ in placed], np.uint64), np.array([place for _, place in placed], np.int32)


@given(ascending, ascending, st.data())
@examples(400)
def test_weights_of_hashes(known, hashes, data):
    """They are added in order: the last digit counts."""
    known, hashes = np.unique(known), np.unique(hashes)
    weights = np.array(data.draw(st.lists(st.floats(0, 1e3), min_size=len(known), max_size=len(known))), np.float64)
    assert native_matching.weigh(known, weights, hashes) == specification.weigh(known, weights, hashes)


@given(symbols, symbols, st.integers(1, 5), ascending, st.data())
@examples(300)
def test_weights_of_matches(left, right, k, known, data):
    """Of fingerprints that are known as common, of others, and of more pairs of places than there are costs for."""
    sides = (*postings(left, k), *postings(right, k))
    known = np.unique(known)
    rarities, costs = (
        np.array(data.draw(st.lists(st.floats(0, 1), min_size=count, max_size=count)), np.float64)
        for count in (len(known), data.draw(st.integers(0, 9)))
    )
    keys = native_matching.seeds(*sides)
    lefts, _, lengths = native_matching.matches(left, whole(left), right, whole(right), keys, k)
    some = np.array(data.draw(st.lists(st.booleans(), min_size=len(sides[0]), max_size=len(sides[0]))), np.bool_)
    fingerprints = sides[0][some], sides[1][some], sides[2]
    arguments = *fingerprints, known, rarities, costs, lefts, lengths, len(left), k, 20 / k, 0.1
    assert native_matching.match_weights(*arguments).tolist() == specification.match_weights(*arguments).tolist()
