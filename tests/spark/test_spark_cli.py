"""The commands that run on Spark print and write what they do on one machine."""

import json

import pytest
from click.testing import CliRunner

from whorl.cli import main
from whorl.clustering.output import ParquetTable
from whorl.formats.corpora.parquet import DOCUMENTS, PAIRS

ON_SPARK = ("--backend", "spark", "--master", "local[2]")


@pytest.fixture
def run(spark, monkeypatch):
    """A command, in the session that all tests share: a command ends the one that it has."""
    monkeypatch.setattr(type(spark), "stop", lambda _: None)

    def done(*arguments):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    return done


def test_cluster(run, tmp_path):
    pages = "examples/crawl/january.jsonl"
    run("cluster", pages, "-o", tmp_path / "here")
    run("cluster", pages, "-o", tmp_path / "there", *ON_SPARK)
    for name, columns in (("documents.parquet", DOCUMENTS), ("pairs.parquet", PAIRS)):
        here, there = (ParquetTable(tmp_path / place / name, columns) for place in ("here", "there"))
        assert len(here) > 0
        assert rows(here, columns) == rows(there, columns)
    assert (tmp_path / "there" / "summary.html").exists()


def rows(table, columns):
    batches = list(table.batches(*columns))
    return sorted(tuple(row) for batch in batches for row in zip(*(batch[c].to_pylist() for c in columns), strict=True))


def test_compare(run):
    result = []
    for options in ((), ON_SPARK):
        command = ("compare", "examples/class", "--base", "examples/template", "--format", "json", *options)
        result.append(json.loads(run(*command)))
    assert result[0] == result[1]
    assert result[0]["pairs"]


def test_index_build(run, tmp_path):
    for place, options in (("here", ()), ("there", ON_SPARK)):
        run("index", "build", tmp_path / place, "examples/archive", *options)
    here, there = (
        json.loads(run("search", tmp_path / place, "examples/manuscript.txt", "--format", "json"))[0]["hits"]
        for place in ("here", "there")
    )
    # Each index has a key of its own, so that what is measured by fingerprints differs a little.
    assert [hit["document"]["name"] for hit in here] == [hit["document"]["name"] for hit in there]
    assert [hit["passages"] for hit in here] == [hit["passages"] for hit in there]
    assert here
