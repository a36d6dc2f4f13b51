"""The Koala paper, in a reduced run: its tables' claims hold, and they would not if the algorithm were wrong."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from experiments.koala import table1, table2, table3, table4, table5
from experiments.koala.distribution import BASELINE, RANGES, Distribution, Match, distribution, seeded
from experiments.koala.tables import high, low
from experiments.reproduction.setting import Setting, paper
from experiments.technical.collection import collection
from experiments.technical.reports import School

import whorl
from whorl.engine.fixed_size import RaritySelection
from whorl.engine.hashing import Key
from whorl.model import Document
from whorl.registry.reading import Reading, read

QUICK = Setting(seed=1, quick=True)


@pytest.fixture(autouse=True, scope="module")
def _documents_read_once() -> Iterator[None]:
    """Remember what was read of each document: it is stored and searched for in many registries, with the same key.

    What a registry stores of a reading, and what its searches ignore, is decided after it was read.
    """

    @cache
    def read_once(content: str, scheme: whorl.Scheme, key: Key) -> Reading:
        return read(Document("", content), scheme, key)

    def remembered(document: Document, scheme: whorl.Scheme, key: Key) -> Reading:
        reading = read_once(str(document.content), replace(scheme, stored=None, common=None, cap=None), key)
        return replace(reading, document=document)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("whorl.registry.registry.read", remembered)
        yield


def test_table_1_only_related_documents_match():
    found = distribution(QUICK)
    assert found.themselves == found.documents
    assert sum(found.counts) >= found.documents
    assert found.low / (found.documents * (found.documents - 1)) < 0.03
    for how, (hits, count, mean) in table1.recovered(QUICK).items():
        if how in table1.SURE:
            assert hits == count, how
            assert mean > 0.15, how


def test_table_2_selective_is_near_full():
    pairs = table2.measure(QUICK)
    apart = table2.factors(table2.comparable(pairs))
    assert len(apart) >= 10
    assert np.mean([factor <= table2.FACTOR for factor in apart]) >= 0.9
    assert np.median(apart) <= table2.MUCH_CLOSER
    assert all(pair.full < 0.02 for pair in pairs if not pair.selective)


def test_table_3_both_checks_reduce_accidents():
    found = table3.measure(QUICK)
    base, off, start, both = (one.low for one in found.values())
    assert both > 1.3 * start
    assert both > 3 * off
    assert base <= off
    assert base < start / 2
    assert max(map(high, found.values())) - min(map(high, found.values())) <= 0.1 * high(found["baseline"])


def test_table_4_rare_substrings_are_shared_less_by_accident():
    rare, by_hash, by_lot = table4.measure(QUICK).values()
    assert by_hash.low > 1.3 * rare.low
    assert high(by_hash) == pytest.approx(high(rare), rel=0.1)
    assert table4.versions(by_lot) <= 0.1 * table4.versions(rare)


def test_table_4_fails_if_frequent_substrings_are_taken_for_rare(monkeypatch):
    """The rank is turned round: the most frequent beginnings first."""
    from whorl.engine import fixed_size

    counts = fixed_size._counts
    monkeypatch.setattr(fixed_size, "_counts", lambda values: np.uint64(1 << 20) - counts(values))
    other = Setting(seed=2, quick=True)
    wrong, by_hash = distribution(other), distribution(other, table4.SCHEMES["random"])
    assert wrong.low > by_hash.low
    assert RaritySelection.overlap == 0


def test_table_5_more_stored_substrings_make_more_accidents():
    found = table5.measure(QUICK)
    counts = [table5.others(one) for one in found.values()]
    assert counts == sorted(counts)
    assert counts[-1] > 4 * counts[0]
    assert min(map(high, found.values())) >= 0.85 * max(map(high, found.values()))


def test_table_6_a_larger_search_makes_more_accidents():
    found = {str(size): distribution(QUICK, replace(BASELINE, n=size)) for size in (100, 1000, 5000)}
    assert found["5000"].low > 1.5 * found["100"].low
    assert min(map(high, found.values())) >= 0.85 * max(map(high, found.values()))


def test_table_7_longer_substrings_make_fewer_matches():
    found = {str(length): distribution(QUICK, replace(BASELINE, k=length)) for length in (10, 20, 50)}
    ten, twenty, fifty = found.values()
    assert ten.low > 2 * twenty.low
    assert fifty.low < 0.5 * twenty.low
    assert high(fifty) <= high(twenty)


def test_a_ratio_is_rounded_up_and_stands_in_one_column():
    made = Distribution(
        3, (Match(0, 0, 1.0), Match(0, 1, 0.005), Match(1, 0, 0.0201), Match(1, 1, 0.5), Match(2, 0, 0.51))
    )
    assert made.counts == (1, 0, 1, 0, 0, 1, 2)
    assert made.others == 1
    assert [high - low + 1 for low, high in RANGES] == [1, 1, 3, 5, 10, 30, 50]


def test_the_papers_rows_are_whole():
    for name in ("table3", "table4", "table5", "table6", "table7"):
        for row in paper("koala")[name].values():
            assert len(row) == len(RANGES)
            assert row[-1] >= 366
    assert low(paper("koala")["table5"]["10"]) == 134


def test_a_registry_repeats_under_a_seed(tmp_path):
    ids = []
    for number in range(2):
        with seeded(7), whorl.Registry.create(tmp_path / str(number)) as registry:
            ids.append(registry.scheme.key)
    with whorl.Registry.create(tmp_path / "own") as registry:
        ids.append(registry.scheme.key)
    assert ids[0] == ids[1] != ids[2]


def test_reports_repeat_and_differ():
    assert School(3).report(5) == School(3).report(5) != School(3).report(6)
    entries = collection(24, 1, 800)
    assert len(entries) == 24
    assert [entry.of is None for entry in entries] == [True] * 21 + [False] * 3
    assert all(entry.text != entries[entry.of].text for entry in entries if entry.of is not None)
