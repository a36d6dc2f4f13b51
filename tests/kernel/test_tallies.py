"""The loops that count pairs: the compiled ones equal their specification."""

from itertools import combinations, groupby, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
