"""Chains against the definition of the best one, and what is done with pieces in another order."""

import time
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl.matching.chains import BITS, REORDER, SMALL, Chains, Gaps, chain_matches, merge_reordered
from whorl.matching.matches import Matches

K = 4
GAPS = Gaps(K, 20)


class Link(NamedTuple):
    """A match with its files and its weight."""

    left: int
    right: int
    length: int
    files: tuple[int, int]
    weight: float


def chains(rows):
    lefts, rights, lengths, files, weights = zip(*rows, strict=True) if rows else ((),) * 5
    first, second, sizes = (np.array(column, np.int32) for column in (lefts, rights, lengths))
    sides = np.array(files, np.int32).reshape(-1, 2).T.copy()
    return chain_matches(Matches(first, second, sizes, K), (sides[0], sides[1]), np.array(weights, np.float64), GAPS)


def links_in(result, rows):
    """The matches of each chain; all matches of a test differ in their places."""
    by_place = {(row.left, row.right, row.length, row.files): row for row in rows}
    members = list(zip(*(column.tolist() for column in (result.lefts, result.rights, result.lengths)), strict=True))
    files = list(map(tuple, result.files.T.tolist()))
    return [
        tuple(by_place[*member, each] for member in members[first:last])
        for (first, last), each in zip(pairwise(result.bounds.tolist()), files, strict=True)
    ]


def links_of(rows):
    return sorted(Link(a, b, size, (file, 0), float(weight)) for a, b, size, file, weight in rows)


links = st.lists(
    st.tuples(
        st.integers(0, 60), st.integers(0, 60), st.integers(K, 12), st.integers(0, 1), st.integers(0, 40)
    ),
    max_size=8,
    unique_by=lambda row: row[:4],
).map(links_of)  # fmt: skip


def follows(last: Link, link: Link) -> bool:
    """Whether a match may come next in a chain, by the definition."""
    ends = last.left + last.length, last.right + last.length
    gaps = link.left - ends[0], link.right - ends[1]
    is_forward = link.left > last.left and link.right > last.right
    ends_later = link.left + link.length > ends[0] and link.right + link.length > ends[1]
    return (
        last.files == link.files and is_forward and ends_later and min(gaps) > -K and max(gaps) <= GAPS.reach
    )  # fmt: skip


def worth(chain):
    """What a chain is worth, by the definition; None if it is none."""
    total = sum(link.weight for link in chain)
    for last, link in pairwise(chain):
        if not follows(last, link):
            return None
        gaps = link.left - last.left - last.length, link.right - last.right - last.length
        total -= max(0, *gaps) / K + max(0, -min(gaps)) * BITS / K
    return total


class TestChains:
    @given(links)
    @examples(300)
    def test_the_first_is_the_best_that_there_is(self, rows):
        result = chains(rows)
        every = [c for size in range(1, len(rows) + 1) for c in combinations(rows, size)]
        best = max((value for c in every if (value := worth(c)) is not None), default=None)
        assert (result.scores[0] if len(result) else None) == pytest.approx(best)

    @given(links)
    def test_each_match_is_in_one_chain_that_is_worth_its_score(self, rows):
        result = chains(rows)
        chained = links_in(result, rows)
        assert sorted(link for chain in chained for link in chain) == rows
        for chain in chained:
            assert worth(chain) is not None
        assert chained == [] or result.scores[0] == pytest.approx(worth(chained[0]))

    def test_a_gap_that_costs_more_than_a_match_parts(self):
        near, far = Link(30, 30, 4, (0, 0), 6.0), Link(50, 50, 4, (0, 0), 3.0)
        rows = [Link(0, 0, 10, (0, 0), 50.0), near, far]
        result = chains(rows)
        assert links_in(result, rows)[0][1:] == (near,)
        assert result.scores[0] == 50 - 20 / K + 6

    def test_matches_without_number_do_not_take_for_ever(self):
        rows = [Link(at, at * 7919 % 50_000, 5, (0, 0), 20.0) for at in range(50_000)]
        began = time.process_time()
        assert len(chains(rows).lengths) == 50_000
        assert time.process_time() - began < 30


@given(links)
def test_symbols_are_counted_once(rows):
    """Of each chain on the side with fewer."""
    for result in (chains(rows), merge_reordered(chains(rows), GAPS)):
        chained = links_in(result, rows)
        sides = [[{at for link in chain for at in range(link[side], link[side] + link.length)} for chain in chained]
                 for side in range(2)]  # fmt: skip
        assert result.symbols().tolist() == [min(map(len, pair)) for pair in zip(*sides, strict=True)]


class TestTurned:
    def test_small_pieces_in_another_order_are_one(self):
        one, two = Link(0, 20, 10, (0, 0), 50.0), Link(12, 0, 10, (0, 0), 50.0)
        result = merge_reordered(chains([one, two]), GAPS)
        assert links_in(result, [one, two]) == [(one, two)]
        assert result.scores.tolist() == [100 - REORDER - 10 / K]

    @pytest.mark.parametrize(
        "other",
        [
            Link(12, 0, 10, (0, 1), 50.0),  # another file
            Link(12, 0, 10, (0, 0), REORDER),  # worth less than the turn
            Link(12 + GAPS.reach, 0, 10, (0, 0), 50.0),  # too far
        ],
    )
    def test_others_stay_apart(self, other):
        assert len(merge_reordered(chains([Link(0, 20, 10, (0, 0), 50.0), other]), GAPS)) == 2

    def test_large_pieces_stay_apart(self):
        size = SMALL * K + 1
        rows = [Link(0, size, size, (0, 0), 100.0), Link(size, 0, size, (0, 0), 100.0)]
        assert len(merge_reordered(chains(rows), GAPS)) == 2

    @given(links)
    def test_nothing_is_lost(self, rows):
        result = merge_reordered(chains(rows), GAPS)
        assert sorted(link for chain in links_in(result, rows) for link in chain) == rows

    def test_a_phrase_that_one_side_repeats_is_one_piece(self):
        rows = [Link(0, 15 * turn, 10, (0, 0), 30.0) for turn in range(40)]
        result = merge_reordered(chains(rows), GAPS)
        assert [len(chain) for chain in links_in(result, rows)] == [40]
        assert result.symbols().tolist() == [10]

    def test_pieces_without_number_do_not_take_for_ever(self):
        lefts = np.arange(50_000, dtype=np.int32)
        ones, files = np.arange(50_001), np.zeros((2, 50_000), np.int32)
        rows = Chains(lefts, -lefts % 50_000, np.full(50_000, 5, np.int32), ones, files, np.full(50_000, 50.0))
        began = time.process_time()
        merge_reordered(rows, GAPS)
        assert time.process_time() - began < 30
