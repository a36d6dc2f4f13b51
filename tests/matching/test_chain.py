"""Chains against the definition of the best one, and what is done with pieces in another order."""

import time
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl.matching.chains import BITS, REORDER, SMALL, Chain, Gaps, Link, chains, covered, merge_reordered, symbols

K = 4
GAPS = Gaps(K, 20)


def links_of(rows):
    return sorted(Link(a, b, size, (file, 0), float(weight)) for a, b, size, file, weight in rows)


links = st.lists(
    st.tuples(
        st.integers(0, 60), st.integers(0, 60), st.integers(K, 12), st.integers(0, 1), st.integers(0, 40)
    ),
    max_size=8,
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
        found = chains(rows, GAPS)
        every = [c for size in range(1, len(rows) + 1) for c in combinations(rows, size)]
        best = max((value for c in every if (value := worth(c)) is not None), default=None)
        assert (found[0].score if found else None) == pytest.approx(best)

    @given(links)
    def test_each_match_is_in_one_chain_that_is_worth_its_score(self, rows):
        found = chains(rows, GAPS)
        assert sorted(link for chain in found for link in chain.links) == rows
        for chain in found:
            assert worth(chain.links) is not None
        assert found[:1] == [] or found[0].score == pytest.approx(worth(found[0].links))

    def test_a_gap_that_costs_more_than_a_match_parts(self):
        near, far = Link(30, 30, 4, (0, 0), 6.0), Link(50, 50, 4, (0, 0), 3.0)
        found = chains([Link(0, 0, 10, (0, 0), 50.0), near, far], GAPS)
        assert found[0].links[1:] == (near,)
        assert found[0].score == 50 - 20 / K + 6

    def test_matches_without_number_do_not_take_for_ever(self):
        rows = [Link(at, at * 7919 % 50_000, 5, (0, 0), 20.0) for at in range(50_000)]
        began = time.process_time()
        assert covered(chains(rows, GAPS))[0] == 50_004
        assert time.process_time() - began < 30


class TestTurned:
    def test_small_pieces_in_another_order_are_one(self):
        one, two = Link(0, 20, 10, (0, 0), 50.0), Link(12, 0, 10, (0, 0), 50.0)
        (found,) = merge_reordered(chains([one, two], GAPS), GAPS)
        assert found.links == (one, two)
        assert found.score == 100 - REORDER - 10 / K

    @pytest.mark.parametrize(
        "other",
        [
            Link(12, 0, 10, (0, 1), 50.0),  # another file
            Link(12, 0, 10, (0, 0), REORDER),  # worth less than the turn
            Link(12 + GAPS.reach, 0, 10, (0, 0), 50.0),  # too far
        ],
    )
    def test_others_stay_apart(self, other):
        assert len(merge_reordered(chains([Link(0, 20, 10, (0, 0), 50.0), other], GAPS), GAPS)) == 2

    def test_large_pieces_stay_apart(self):
        size = SMALL * K + 1
        rows = [Link(0, size, size, (0, 0), 100.0), Link(size, 0, size, (0, 0), 100.0)]
        assert len(merge_reordered(chains(rows, GAPS), GAPS)) == 2

    @given(links)
    def test_nothing_is_lost(self, rows):
        found = merge_reordered(chains(rows, GAPS), GAPS)
        assert sorted(link for chain in found for link in chain.links) == rows
        for chain in found:
            assert len({link.files for link in chain.links}) == 1

    def test_a_phrase_that_one_side_repeats_is_one_piece(self):
        rows = [Link(0, 15 * turn, 10, (0, 0), 30.0) for turn in range(40)]
        (found,) = merge_reordered(chains(rows, GAPS), GAPS)
        assert len(found.links) == 40
        assert symbols(found) == 10

    def test_pieces_without_number_do_not_take_for_ever(self):
        rows = [Chain((Link(at, -at % 50_000, 5, (0, 0), 50.0),), 50.0) for at in range(50_000)]
        began = time.process_time()
        merge_reordered(rows, GAPS)
        assert time.process_time() - began < 30
