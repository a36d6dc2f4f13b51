"""Spark, by the suite of all backends; and what it does in its own way."""

from typing import Any

import pytest

import whorl
from tests.conformance.backend import SCHEME, BackendConformance, corpus, same
from tests.spark.reference import cluster as reference
from whorl.errors import InputError
from whorl.formats.corpora.records import Columns

pa = pytest.importorskip("pyarrow")


def frame(spark, rows):
    """Rows as a DataFrame, in their order. A column of nothing is one of texts."""
    table = pa.Table.from_pylist(rows)
    kinds = [field.with_type(pa.string()) if pa.types.is_null(field.type) else field for field in table.schema]
    return spark.createDataFrame(table.cast(pa.schema(kinds)))


def name_of(rows):
    return str(hash(str(rows)))


# A corpus of the suite, which is read already; the settings of a test decide which of its stages are made anew.
ROWS = corpus(2)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The stages of all corpora: each corpus is read once for all policies."""
    return str(tmp_path_factory.mktemp("stages"))


class TestSpark(BackendConformance):
    @pytest.fixture(autouse=True)
    def place(self, spark, folder):
        self.spark, self.folder = spark, folder

    def clustered(self, rows, scheme=SCHEME, **settings):
        from whorl.spark import cluster

        columns = Columns(features="features" if "features" in rows[0] else None)
        found = cluster(
            frame(self.spark, rows), scheme, folder=self.folder, corpus=name_of(rows), columns=columns, **settings
        )
        return found.collected(), found.all_faults()


def test_beyond_the_drivers_budget_components_are_joined_where_they_are(spark, folder):
    from whorl.spark import cluster

    for closure in (False, True):
        settings: dict[str, Any] = {"threshold": 0.2, "closure": closure}
        expected, _ = reference(ROWS, SCHEME, **settings)
        found = cluster(frame(spark, ROWS), SCHEME, folder=folder, corpus=name_of(ROWS), edges=0, **settings)
        assert "heads" in found.computed
        same(found.collected(), expected)
    table = {row["id"]: row for row in found.documents.collect()}
    assert {name: (row["representative"], row["kind"], row["similarity"]) for name, row in table.items()} == {
        member.id: (member.representative, member.kind, member.similarity) for member in expected.members
    }
    assert found.pairs.count() == len(expected.pairs)


def test_skewed_shingles_are_counted_in_blocks(spark, monkeypatch, folder):
    """Ten documents a block, and a menu that 30 documents have: each two blocks meet once."""
    from whorl.spark import cluster, counting

    monkeypatch.setattr(counting, "BLOCK", 10)
    expected, _ = reference(ROWS, SCHEME, common=60)
    found = cluster(frame(spark, ROWS), SCHEME, folder=folder, corpus=name_of(ROWS), common=60)
    assert {"pieces", "pairs"} <= set(found.computed)
    same(found.collected(), expected)


def test_facts_that_fit_no_machine_are_joined(spark, monkeypatch, folder):
    from whorl.spark import cluster, joining

    monkeypatch.setattr(joining, "BROADCAST", 0)
    settings: dict[str, Any] = {"common": 9, "measure": "containment", "modulus": 2, "least": 4, "threshold": 0.35}
    expected, _ = reference(ROWS, SCHEME, **settings)
    found = cluster(frame(spark, ROWS), SCHEME, folder=folder, corpus=name_of(ROWS), **settings)
    assert {"hopeful", "alike"} <= set(found.computed)
    same(found.collected(), expected)


def test_after_a_stage_that_failed_another_run_goes_on(spark, monkeypatch, tmp_path):
    from whorl.spark import cluster
    from whorl.spark.stages import Stages

    rows, write = corpus(5), Stages.stage

    def fail(stages, name, *arguments):
        if name == "sketches":
            raise ConnectionError("the machine is gone")
        return write(stages, name, *arguments)

    with monkeypatch.context() as failing:
        failing.setattr(Stages, "stage", fail)
        with pytest.raises(ConnectionError):
            cluster(frame(spark, rows), SCHEME, folder=str(tmp_path), corpus="suite", common=9)
    again = cluster(frame(spark, rows), SCHEME, folder=str(tmp_path), corpus="suite", common=9)
    assert again.reused == ("documents", "equals", "frequent")
    same(again.collected(), reference(rows, SCHEME, common=9)[0])


def test_faults_of_a_folder_come_in_the_order_of_its_files(spark, tmp_path):
    """Rows of several files fail, the later ones in earlier lines."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"id": "1", "text": "a b c d e"}\n{"id": "2", "text": 5}\n{"text": 5}\n')
    (folder / "b.jsonl").write_text('{"id": "3", "text": 5}\n{"id": "4"}\n')
    (folder / "notes.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    here = whorl.cluster_corpus(folder, tmp_path / "here", SCHEME)
    there = whorl.cluster_corpus(folder, tmp_path / "there", SCHEME, spark=spark)
    assert [(fault.path, fault.row) for fault in here.faults[:4]] == [
        ("a.jsonl", 2), ("a.jsonl", 3), ("b.jsonl", 1), ("b.jsonl", 2)
    ]  # fmt: skip
    assert there.faults == here.faults


def test_a_path_is_named_once(spark, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "text": "a b c d e"}\n')
    for paths in ([path, path], [tmp_path, path]):
        with pytest.raises(InputError, match=r"a.jsonl is in .*: name it once"):
            whorl.cluster_corpus(paths, tmp_path / "out", SCHEME, spark=spark)


def test_rows_are_no_data_frame():
    pytest.importorskip("pyspark")
    from whorl.spark import cluster

    with pytest.raises(InputError, match=r"documents: list is no DataFrame of Spark; whorl.cluster takes lists"):
        cluster(ROWS, SCHEME)
