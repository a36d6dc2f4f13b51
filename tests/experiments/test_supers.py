"""Super shingles of binned minima: found as often as told, at any length; and the experiment's own pairs."""

import numpy as np
import pytest
from experiments.crawl.pages import Crawl
from experiments.supers.candidates import candidates, pages, table, true_pairs
from experiments.supers.detection import drawn, markdown, predicted, rate, sampled
from experiments.supers.pairs import KINDS, permuted, planted
from experiments.supers.plot import rate_plot
from experiments.supers.ways import (
    COARSEST,
    LEAST,
    divided,
    level,
    of_level,
    of_two_levels,
    runs,
    some_of,
    super_shingles_of,
    ways,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl.engine.super_shingles import binned_probability, size_for, super_shingles

SETS = st.sets(st.integers(0, 2**64 - 1), min_size=1, max_size=60)


def sorted_hashes(values):
    return np.sort(np.array(list(values), np.uint64))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.9])
def test_planted_resemblance_is_about_what_was_asked(kind, wanted):
    rng = np.random.default_rng(3)
    exact = np.mean([planted(kind, 600, wanted, rng).resemblance for _ in range(5)])
    assert exact == pytest.approx(wanted, abs=0.03)


@pytest.mark.parametrize("words", [20, 60, 600])
@pytest.mark.parametrize("resemblance", [0.3, 0.5, 0.8])
def test_bins_find_as_often_as_reported_at_any_length(words, resemblance):
    """250 pairs: four standard errors."""
    pairs = drawn(words, resemblance, 250, 1)
    expected = np.mean([binned_probability(pair.resemblance, 3) for pair in pairs])
    error = np.sqrt(expected * (1 - expected) / 250)
    assert rate(super_shingles_of, pairs) == pytest.approx(expected, abs=4 * error + 0.01)


def test_runs_find_as_often_as_reported():
    pairs = drawn(800, 0.5, 200, 1, ("edited",))
    way = ways(4)["V_i"]
    assert rate(way, pairs) == pytest.approx(predicted(pairs, 4, sampled(pairs, None)), abs=0.12)


def test_levels_that_differ_share_no_run_and_two_levels_do():
    """One document has just enough shingles for the coarser level, the other just too few."""
    coarse = np.arange(1, LEAST + 1, dtype=np.uint64) * np.uint64(COARSEST)
    fine = coarse - np.uint64(COARSEST // 2)
    one, other = np.sort(np.concatenate([coarse, fine])), np.sort(np.concatenate([coarse[:-1], fine]))
    assert (level(one), level(other)) == (COARSEST, COARSEST // 2)
    assert not np.isin(of_level(one, 3), of_level(other, 3)).any()
    assert np.isin(of_two_levels(one, 3), of_two_levels(other, 3)).any()


def test_runs_are_the_librarys_super_shingles():
    import whorl

    sketch = whorl.sketch("a b c d e f g h i j k l m n o p q r s t u v", kind="min", size=8)
    assert np.array_equal(np.sort(runs(sketch.hashes, 3)), super_shingles(sketch, 3))


@given(SETS, st.integers(1, 8), st.integers(1, 40))
@examples(60)
def test_equal_documents_share_all_and_what_is_posted_is_bounded(values, size, groups):
    hashes = sorted_hashes(values)
    posted = super_shingles_of(hashes, size, groups)
    assert 1 <= len(posted) <= groups
    assert np.array_equal(posted, super_shingles_of(hashes.copy(), size, groups))
    assert np.array_equal(posted, np.unique(posted))


@given(SETS, SETS)
@examples(60)
def test_documents_without_a_common_shingle_share_none(left, right):
    one, two = sorted_hashes(left - right), sorted_hashes(right - left)
    assert not np.isin(super_shingles_of(one), super_shingles_of(two)).any()


@pytest.mark.parametrize("values", [[], [0], [2**64 - 1], [0, 2**64 - 1]])
def test_the_ends_of_the_range(values):
    posted = super_shingles_of(np.array(values, np.uint64))
    assert bool(len(posted)) == bool(values)


def test_the_size_follows_the_threshold():
    sizes = [size_for(threshold / 100) for threshold in range(1, 101)]
    assert sizes == sorted(sizes)
    assert [size_for(threshold) for threshold in (0.5, 0.6, 0.7, 0.8, 0.9)] == [3, 4, 6, 8, 8]
    assert all(binned_probability(threshold, size_for(threshold)) >= 0.98 for threshold in (0.3, 0.5, 0.7, 0.9, 1.0))


def test_a_meta_sketch_is_the_least_few():
    hashes = permuted(np.arange(500, dtype=np.uint32))
    every = super_shingles_of(hashes)
    assert np.array_equal(some_of(super_shingles_of, 4, hashes), every[:4])


def test_containment_is_out_of_reach():
    pairs = drawn(300, 0.1, 60, 1, ("grown",))
    assert all(np.isin(pair.left, pair.right).mean() == 1.0 for pair in pairs)
    assert rate(super_shingles_of, pairs) < 0.2


def test_candidates_are_all_pairs_with_a_common_number():
    posted = [np.array(numbers, np.uint64) for numbers in ([1, 2], [2, 3], [4], [1, 3], [2])]
    pairs = {(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in candidates(posted)}
    assert pairs == {(0, 1), (0, 3), (1, 3), (0, 4), (1, 4)}


def test_super_shingles_find_the_true_pairs_of_a_crawl_among_fewer_candidates():
    documents, families = pages(Crawl(600))
    wanted = true_pairs(documents, families)
    found = candidates([super_shingles_of(hashes) for hashes in documents])
    plain = candidates([divided(hashes, level(hashes)) for hashes in documents])
    assert np.isin(wanted, found).mean() > 0.95
    assert 20 * len(found) < len(plain)


def test_tables_and_plots_are_whole():
    assert table(Crawl(200)).count("\n") >= 10
    assert markdown(["a"], [["1"]]) == "| a |\n| --- |\n| 1 |"
    drawing = rate_plot("title", "across", "up", {"one": [(0.0, 0.0), (1.0, 1.0)]})
    assert drawing.startswith("<svg")
    assert drawing.count("<circle") == 2
