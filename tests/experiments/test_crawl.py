"""The synthetic crawl: what is drawn is what is claimed, the same every time, within memory that does not grow."""

import json
from collections import Counter

import numpy as np
import pytest
from experiments.crawl.chance import uniforms
from experiments.crawl.layout import KINDS, LARGEST, MOST, layout
from experiments.crawl.pages import SHINGLE, Crawl
from experiments.crawl.statistics import measure, slope
from experiments.crawl.words import shingles, vocabulary
from experiments.crawl.writing import write

import whorl
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import Columns, CorpusRecord

# Enough for the shares to settle, few enough for a second.
PAGES = 4000


@pytest.fixture(scope="module")
def statistics():
    return measure(Crawl(PAGES))


def test_documents_are_as_long_as_the_papers(statistics):
    assert statistics.shingles == pytest.approx(500, rel=0.1)
    assert statistics.words == pytest.approx(statistics.shingles + SHINGLE - 1, rel=0.02)


def test_clusters_are_as_many_and_as_large_as_the_papers(statistics):
    assert statistics.identical_clusters == pytest.approx(0.070, abs=0.015)
    assert statistics.in_identical == pytest.approx(0.177, abs=0.05)
    assert statistics.mixed_clusters == pytest.approx(0.050, abs=0.015)
    assert statistics.in_mixed == pytest.approx(0.233, abs=0.08)


def test_shingles_are_as_frequent_as_the_papers(statistics):
    once, twice, thrice = statistics.occurring
    assert once == pytest.approx(0.82, abs=0.05)
    assert twice == pytest.approx(0.14, abs=0.04)
    assert thrice == pytest.approx(0.02, abs=0.01)
    assert statistics.slope == pytest.approx(-0.7, abs=0.08)
    assert 0.05 < statistics.most_common < 0.4


def test_versions_resemble_their_original(statistics):
    assert statistics.below_half < 0.02


def test_the_slope_of_a_power_law_is_found():
    frequencies = np.rint(10_000 * np.arange(1, 5_000) ** -0.7).astype(np.int64)
    assert slope(frequencies) == pytest.approx(-0.7, abs=0.02)


def test_large_families_follow_the_power_law():
    """Of those with 3 and more, (3 / f)^(1 / 0.7) have f and more."""
    sizes = np.concatenate([layout(MOST, seed).sizes for seed in range(8)])
    large = sizes[sizes >= 3]
    assert large.max() <= LARGEST
    for size in (6, 12, 24):
        assert np.mean(large >= size) == pytest.approx((3 / size) ** (1 / 0.7), rel=0.12)


def test_the_same_seed_gives_the_same_pages_in_any_order():
    one, two = Crawl(300, seed=5), Crawl(300, seed=5)
    backwards = [two.page(number).document() for number in reversed(range(300))]
    assert list(one.documents()) == backwards[::-1]
    assert list(Crawl(300, seed=6).documents()) != list(one.documents())


def test_the_numbers_do_not_change_between_machines_and_releases():
    assert uniforms(2, 1, 2).tolist() == [0.6986993422930823, 0.9006109088931584]


def test_a_large_crawl_is_laid_out_in_little_memory_and_spreads_its_families():
    crawl = Crawl(30_000_000)
    assert len(crawl._layout) <= MOST
    page = crawl.page(29_999_999)
    assert page.id == "page-29999999"
    assert len(page.words) >= SHINGLE
    families = [crawl.page(number).family for number in range(2000)]
    assert len(set(families)) > 1990


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_means(kind):
    crawl = Crawl(2000)
    page = next(page for page in crawl if page.kind == kind)
    first = next(other for other in crawl if other.family == page.family and other.kind == "original")
    exact = whorl.resemblance(page.text, first.text)
    assert (page.text == first.text) == (kind in ("original", "mirror", "moved"))
    assert (exact == 1.0) == (kind not in ("edited", "rearranged"))
    assert exact > 0.5
    assert (page.url == first.url) == (kind == "original")


def test_features_are_the_shingles_of_the_text():
    page = Crawl(50).page(7)
    assert len(page.features()) == len(np.unique(shingles(page.words, SHINGLE)))
    thinned = page.features(25)
    assert set(thinned.tolist()) == {value for value in page.features().tolist() if value % 25 == 0}
    other = Crawl(50).page(8)
    shared = len(np.intersect1d(page.features(), other.features()))
    result = shared / (len(page.features()) + len(other.features()) - shared)
    assert result == pytest.approx(whorl.resemblance(page.text, other.text, "web"))


def test_texts_are_read_back(tmp_path):
    crawl = Crawl(60)
    made = write(crawl, tmp_path / "crawl.jsonl")
    records = [item for item in read(tmp_path / "crawl.jsonl") if isinstance(item, CorpusRecord)]
    assert made.documents == len(records) == 60
    assert made.bytes == (tmp_path / "crawl.jsonl").stat().st_size
    for record, page in zip(records, crawl, strict=True):
        assert (record.id, record.document.content) == (page.id, page.text)
        assert (record.document.url, record.document.date) == (page.url, page.date)


def test_features_are_read_back(tmp_path):
    crawl = Crawl(60)
    made = write(crawl, tmp_path / "crawl.jsonl", one_in=25)
    found = read(tmp_path / "crawl.jsonl", Columns(features="features"))
    records = [item for item in found if isinstance(item, CorpusRecord)]
    kept = [page for page in crawl if len(page.features(25))]
    assert made.documents == len(records) == len(kept)
    assert [list(record.features or ()) for record in records] == [page.features(25).tolist() for page in kept]


def test_lines_are_json_and_words_are_words(tmp_path):
    write(Crawl(5), tmp_path / "crawl.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "crawl.jsonl").read_text().splitlines()]
    assert all(word.islower() and word.isascii() for word in lines[0]["text"].lower().split())
    assert len(set(vocabulary().tolist())) == len(vocabulary())


def test_planted_families_are_what_the_clustering_finds():
    """Half of what the crawl is for: the families are clusters, and nothing else is."""
    crawl = Crawl(400)
    found = whorl.cluster(crawl.documents(), "web")
    family = {page.id: page.family for page in crawl}
    groups = found.clusters()
    planted = sum(size for size in Counter(family.values()).values() if size > 1)
    assert all(len({family[name] for name in group}) == 1 for group in groups)
    assert sum(map(len, groups)) == pytest.approx(planted, rel=0.05)
