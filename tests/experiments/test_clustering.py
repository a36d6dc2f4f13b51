"""The clustering paper, in a reduced run: its claims hold, and they would not if the algorithm were wrong."""

from dataclasses import replace

import numpy as np
import pytest
from experiments.clustering import clusters, common, cost, estimator, sizes, supers
from experiments.clustering.crawled import clustered, documents
from experiments.reproduction.setting import Setting, paper

import whorl
from whorl.engine import estimates

QUICK = Setting(seed=1, quick=True)


def test_clusters_are_those_that_were_planted():
    for guarded in (False, True):
        pure, found = clusters.planted(QUICK, clustered(QUICK, guarded=guarded))
        assert pure >= clusters.SURE
        assert found >= clusters.SURE


def test_shares_are_the_papers():
    found, theirs = clusters.census(clustered(QUICK)), clusters.PAPER
    for key in ("clusters", "in_clusters", "identical", "in_identical", "mixed", "in_mixed"):
        share, result = getattr(found, key) / found.documents, getattr(theirs, key) / theirs.documents
        assert share == pytest.approx(result, abs=0.07), key
    assert found.identical > found.mixed
    assert found.in_mixed > found.in_identical


def test_the_papers_counts_agree_with_each_other():
    result = paper("clustering")["clusters"]
    assert clusters.PAPER.clusters == result["clusters"]
    assert clusters.PAPER.in_clusters == result["in_clusters"]
    assert sum(paper("clustering")["cost"].values()) == pytest.approx(10.4)


def test_sketches_have_one_shingle_in_25():
    found = sizes.measure(documents(QUICK)[:600])
    assert found.kept == pytest.approx(found.shingles / 25, rel=0.1)
    assert found.shingles == pytest.approx(500, rel=0.15)
    assert found.bytes < 800


def test_common_shingles_are_at_the_edges_of_pages():
    least, found = common.measure(documents(QUICK), clustered(QUICK).cluster)
    assert least == len(documents(QUICK)) // common.ONE_IN
    assert len(found) > 10
    assert all(one.documents > least and len(one.text.split()) == 10 for one in found)
    assert np.mean([one.kind != "within the page" for one in found]) > 0.8


def test_what_a_shingle_is_made_of():
    one = common.Shingle("3 4 5 6 7 8 9 10 11 12", 9, 0.5, 0.0, 0.1)
    assert one.kind == "a sequence of numbers"
    assert replace(one, text="a b c d e f g h i j").kind == "within the page"
    assert replace(one, text="a b c d e f g h i j", place=0.01, edges=0.9).kind == "head of the page"
    assert replace(one, text="a b c d e f g h i j", copies=0.6).kind == "copies of one page"


@pytest.mark.parametrize(("kind", "size"), [("min", 64), ("mod", 25)])
def test_estimates_are_unbiased_and_as_wrong_as_reported(kind, size):
    found = estimator.measure(kind, size, 0.5, 100, 1)
    assert found.is_unbiased
    assert found.is_right


def test_containment_is_estimated_without_bias():
    found = estimator.measure("mod", 25, 0.5, 60, 1, contained=True)
    assert found.is_unbiased
    assert found.sample > 50


def test_the_error_falls_with_the_root_of_the_size():
    small, large = (estimator.measure("min", size, 0.5, 80, 1) for size in (32, 512))
    assert 2.5 < small.error / large.error < 6.5


def test_estimates_are_biased_if_the_union_is_not_cut_to_the_smallest(monkeypatch):
    """The theorem's MIN_s of the union is left out: what both sketches have is divided by all that they have."""
    monkeypatch.setattr(estimates, "reduce", lambda rule, values, level: (level, values))
    assert not estimator.measure("min", 64, 0.5, 60, 1).is_unbiased


def test_super_shingles_find_long_documents_and_miss_short_ones():
    long, short = (supers.measure(words, 0.8, 60, 1) for words in (5000, 200))
    assert long.found >= supers.HIGH
    assert short.found < long.found - 0.2
    assert supers.measure(5000, 0.2, 60, 1).found <= supers.LOW
    for one in (long, short, supers.measure(800, 0.5, 60, 1)):
        assert one.found == pytest.approx(one.theory, abs=0.2)


def test_super_shingles_cannot_detect_containment():
    assert supers.contained(0.1, 40, 1) <= supers.LOW


def test_super_shingles_give_the_same_clusters_of_fewer_candidates():
    plain, other = clustered(QUICK, guarded=True), clustered(QUICK, guarded=True, supers=True)
    assert supers.agreement(plain, other) >= 0.95
    items = [next(phase.items for phase in one.phases if phase.name == "count pairs") for one in (plain, other)]
    assert 10 * items[1] < items[0]


def test_nothing_is_clustered_if_no_sketch_is_kept_in_common(monkeypatch):
    """Each page in a language of its own: then there is no cluster but of identical pages."""
    pages = [
        replace(one, content=f"{number} ".join(str(one.content).split()))
        for number, one in enumerate(documents(QUICK)[:300])
    ]
    found = clusters.census(whorl.cluster(pages, "web", threshold=0.5, closure=True, estimate=True))
    assert found.clusters == 0


def test_the_table_of_costs_has_the_papers_phases():
    table = cost.section(QUICK).tables[0]
    assert [row[0] for row in table.rows] == [*paper("clustering")["cost"], "Total"]
    assert table.is_cost
