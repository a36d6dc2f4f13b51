"""The loops that count pairs: the compiled ones equal their specification."""

from itertools import combinations, groupby, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import tallies as specification
from whorl.kernel import native_tallies

postings = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 9))).map(sorted)


@given(postings, st.integers(1, 6), st.booleans(), st.sets(st.integers(1, 9)))
def test_tallying(rows, most, linear, cuts):
    hashes, documents = (
        np.array(column, kind) for column, kind in zip(_columns(rows), (np.uint64, np.uint32), strict=True)
    )
    shared: dict[int, int] = {}
    large: list[int] = []
    for value, group in groupby(rows, lambda row: row[0]):
        members = [document for _, document in group]
        large += [value] if len(members) > most else []
        for left, right in combinations(members, 2) if len(members) <= most or linear else ():
            if len(members) <= most or left == members[0]:
                shared[left << 32 | right] = shared.get(left << 32 | right, 0) + 1
    for kernel in (native_tallies, specification):
        *followed, common = kernel.follow(hashes, documents, most, linear, 10)
        assert common.tolist() == large
        tallied: list[tuple[int, int]] = []
        for first, last in pairwise([0, *sorted(cuts), 10]):
            counted = kernel.tally(documents, *followed, first, last)
            tallied += [(left << 32 | right, count) for right, left, count in counted.tolist()]
        assert tallied == sorted(shared.items())
        assert followed[-1][-1] == sum(shared.values())


def _columns(rows):
    return tuple(zip(*rows, strict=True)) or ((), ())


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9))).map(sorted))
def test_counting(rows):
    pairs, weights = (
        np.array(column, kind) for column, kind in zip(_columns(rows), (np.uint64, np.uint32), strict=True)
    )
    for kernel in (native_tallies, specification):
        distinct, totals = kernel.count(pairs, weights)
        assert dict(zip(distinct.tolist(), totals.tolist(), strict=True)) == {
            pair: sum(weight for other, weight in rows if other == pair) for pair, _ in rows
        }


runs = st.lists(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(1, 9)), max_size=9)


@given(runs)
def test_merging(parts):
    rows = [(right, left, part[left, right]) for part in parts for left, right in sorted(part)]
    sums: dict[tuple[int, int], int] = {}
    for right, left, count in rows:
        sums[left, right] = sums.get((left, right), 0) + count
    for kernel in (native_tallies, specification):
        tallied = kernel.merge(np.array(rows, np.uint32).reshape(-1, 3), np.cumsum([0, *map(len, parts)]))
        assert [((left, right), count) for right, left, count in tallied.tolist()] == sorted(sums.items())


# What two documents share weighs less than both together, though it may weigh more than one: sums are rounded.
weights = st.floats(0.01, 1)
stream = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(5, 9)), st.tuples(weights, st.integers(0, 3)), max_size=12
)


@given(st.lists(stream, min_size=4, max_size=4), st.data())
@examples(400)
def test_fusing(streams, data):
    rows = [(left, right, *of_stream[left, right]) for of_stream in streams for left, right in sorted(of_stream)]
    kinds = (np.int32, np.int32, np.float64, np.int32)
    columns = [np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds)]
    totals = np.array(data.draw(st.lists(st.floats(0.6, 5), min_size=40, max_size=40))).reshape(4, 10)
    has_normal = np.array(data.draw(st.lists(st.booleans(), min_size=10, max_size=10)), np.uint8)
    statements = np.array(data.draw(st.lists(st.integers(0, 9), min_size=20, max_size=20)), np.int64).reshape(2, 10)
    pairs = np.cumsum([0, *map(len, streams)]), columns[0], columns[1], columns[2], columns[3]
    native, specified = (
        kernel.fuse(*pairs, totals, has_normal, statements, 4.0, 0.5) for kernel in (native_tallies, specification)
    )
    assert [column.tolist() for column in native] == [column.tolist() for column in specified]
    assert [column.dtype for column in native] == [column.dtype for column in specified]
    expected = {
        pair
        for number, of_stream in enumerate(streams)
        for pair, (_, count) in of_stream.items()
        if count and (number == 0 or (has_normal[pair[0]] and has_normal[pair[1]]))
    }
    assert list(zip(native[0].tolist(), native[1].tolist(), strict=True)) == sorted(expected)
