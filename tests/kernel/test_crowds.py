"""What the members of a crowd share: the compiled count equals its specification, and the definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import crowds as specification
from whorl.kernel import native_crowds

KERNELS = (native_crowds, specification)


def counted(kernel, hashes, bounds, members, pairs, cuts, edges=()):
    lefts, rights = np.array(pairs, np.int32).reshape(-1, 2).T
    starts = np.searchsorted(lefts, np.arange(len(bounds)))
    numbers = np.full(len(bounds), -1, np.int32)
    numbered = np.array(members, np.int64)
    numbers[numbered] = np.arange(len(members))
    counts = np.zeros(len(pairs), np.int64)
    for low, end in pairwise([0, *edges, 2**64]):
        crowd = kernel.Crowd(hashes, bounds[numbered], bounds[numbered + 1], numbered, len(pairs), low, end - 1)
        for first, last in pairwise([0, *cuts, len(members)]):
            crowd.shared(first, last, starts, np.ascontiguousarray(rights), numbers, counts)
    return counts.tolist()


@given(st.lists(st.sets(st.sampled_from([0, 1, 5, 2**40, 2**62, 2**63, *range(2**63, 2**64, 2**57)]))), st.data())
def test_what_members_share(sets, data):
    hashes = np.array([value for one in sets for value in sorted(one)], np.uint64)
    bounds = np.cumsum([0, *map(len, sets)])
    members = sorted(data.draw(st.sets(st.integers(0, len(sets) - 1)))) if sets else []
    every = [(one, two) for one in members for two in members if one < two]
    pairs = sorted(data.draw(st.sets(st.sampled_from(every)))) if every else []
    cuts = sorted(data.draw(st.sets(st.integers(0, len(members)))))
    edges = sorted(data.draw(st.sets(st.sampled_from([1, 5, 2**40 + 1, 2**63, 2**63 + 2**57, 2**64 - 1]))))
    for kernel in KERNELS:
        shared = counted(kernel, hashes, bounds, members, pairs, cuts, edges)
        assert shared == [len(sets[left] & sets[right]) for left, right in pairs]


@pytest.mark.parametrize(("members", "universe", "size"), [(300, 400, 200), (300, 40_000, 200), (40, 9_000, 8_000)])
def test_whatever_becomes_bits_and_whatever_lists(members, universe, size):
    """Large enough that both pay, several slices are numbered, and a row has more bits than a byte can count."""
    draw = np.random.default_rng(members)
    values = np.unique(draw.integers(0, 2**64, universe, np.uint64))
    common = values[: size // 2]
    sets = [np.unique(np.concatenate([common, draw.choice(values, size // 2)])) for _ in range(members)]
    bounds = np.cumsum([0, *map(len, sets)])
    pairs = [(one, two) for one in range(members) for two in range(one + 1, members) if draw.random() < 0.9]
    columns = np.concatenate(sets), bounds, list(range(members)), pairs, [members]
    native, specified = (counted(kernel, *columns) for kernel in KERNELS)
    assert native == specified == counted(native_crowds, *columns, [2**62, 2**63])
