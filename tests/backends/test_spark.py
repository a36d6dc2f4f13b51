"""Spark, by the suite of all backends; and what it does in its own way."""

from typing import Any

import pytest

from tests.conformance.backend import SCHEME, BackendConformance, corpus, same
from whorl.backends.local import cluster as reference
from whorl.corpus.records import Columns

pa = pytest.importorskip("pyarrow")


def frame(spark, rows):
    """Rows as a DataFrame, in their order."""
    return spark.createDataFrame(pa.Table.from_pylist(rows))


class TestSpark(BackendConformance):
    @pytest.fixture(autouse=True)
    def place(self, spark, tmp_path_factory):
        self.spark, self.folder = spark, tmp_path_factory.getbasetemp() / "stages"

    def clustered(self, rows, scheme=SCHEME, **settings):
        from whorl.backends.spark import cluster

        columns = Columns(features="features" if "features" in rows[0] else None)
        if rows[0].get("text", "") is None and len(rows) == 1:
            given = self.spark.createDataFrame([("a", None)], "id string, text string")
        else:
            given = frame(self.spark, rows)
        # The same corpus is read once for all policies.
        found = cluster(
            given, scheme, folder=str(self.folder), corpus=str(hash(str(rows))), columns=columns, **settings
        )
        return found.collected(), found.all_faults()


def test_beyond_the_drivers_budget_components_are_joined_where_they_are(spark, tmp_path):
    from whorl.backends.spark import cluster

    rows = corpus(4)
    for closure in (False, True):
        expected, _ = reference(rows, SCHEME, threshold=0.2, closure=closure)
        found = cluster(frame(spark, rows), SCHEME, folder=str(tmp_path), edges=0, threshold=0.2, closure=closure)
        same(found.collected(), expected)
    table = {row["id"]: row for row in found.documents.collect()}
    assert {name: (row["representative"], row["kind"], row["similarity"]) for name, row in table.items()} == {
        member.id: (member.representative, member.kind, member.similarity) for member in expected.members
    }
    assert found.pairs.count() == len(expected.pairs)


def test_skewed_shingles_are_counted_in_blocks(spark, monkeypatch, tmp_path):
    """Ten documents a block, and a menu that 30 documents have: each two blocks meet once."""
    from whorl.backends.spark import cluster, grouping

    monkeypatch.setattr(grouping, "BLOCK", 10)
    rows = corpus(6)
    expected, _ = reference(rows, SCHEME, common=60)
    same(cluster(frame(spark, rows), SCHEME, folder=str(tmp_path), common=60).collected(), expected)


def test_facts_that_fit_no_machine_are_joined(spark, monkeypatch, tmp_path):
    from whorl.backends.spark import cluster, measuring

    monkeypatch.setattr(measuring, "BROADCAST", 0)
    rows = corpus(7)
    settings: dict[str, Any] = {"common": 9, "measure": "containment", "modulus": 2, "least": 4}
    expected, _ = reference(rows, SCHEME, **settings)
    same(cluster(frame(spark, rows), SCHEME, folder=str(tmp_path), **settings).collected(), expected)
