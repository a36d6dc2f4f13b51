"""Connected components, against the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.components import Components

NODES = 8
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)))


def joined(pairs):
    lefts, rights = np.array(pairs, np.int32).reshape(-1, 2).T
    return Components.of(NODES, np.ascontiguousarray(lefts), np.ascontiguousarray(rights))


def expected(pairs):
    roots = list(range(NODES))
    for _ in range(NODES):
        for left, right in pairs:
            roots[left] = roots[right] = min(roots[left], roots[right])
    return roots


@given(edges)
def test_roots_are_the_least_members(pairs):
    assert joined(pairs).roots().tolist() == expected(pairs)


@given(edges)
def test_members_come_by_the_least(pairs):
    members = joined(pairs).members()
    assert sorted(node for group in members for node in group) == list(range(NODES))
    assert [group[0] for group in members] == sorted(set(expected(pairs)))
    assert all(group == sorted(group) for group in members)


@given(edges, edges)
def test_the_edges_of_two_graphs(one, two):
    first = joined(one)
    first.join(joined(two))
    assert first.roots().tolist() == expected(one + two)
