"""Clusters of a tenant's documents: its own alone, by collection."""

import json
import random

import pytest

from tests.service.kinds.stage import task_of
from tests.service.stage import open_jobs
from whorl import Index
from whorl.model import Document
from whorl.service import analysis_jobs

WORDS = [f"word{number}" for number in range(2000)]


def _text(seed, words=300):
    return " ".join(random.Random(seed).choices(WORDS, k=words))


TEXTS = {
    "a/main/one": _text(1), "a/main/two": _text(1) + " and a little more", "a/main/three": _text(2),
    "a/old/four": _text(2) + " with an end of its own", "b/main/five": _text(1), "-/main/six": _text(1),
}  # fmt: skip


@pytest.fixture
def stage(tmp_path):
    with Index.create(tmp_path / "index", "text") as index:
        for name, text in TEXTS.items():
            owner = name[0] if name[0] != "-" else None
            index.add(Document(name, text, url=f"http://example.org/{name}", owner=owner))
        index.add(Document("a/main/forged", _text(1), owner="b"))  # by the command line, under a tenant's name
    database, jobs = open_jobs(tmp_path / "index")
    with database:
        yield tmp_path / "index", database, jobs


def _clusters(task):
    result = analysis_jobs.run_clustering(task)
    written = json.loads((task.results / "clusters.json").read_text())
    assert result["clusters"] == len(written["clusters"])
    return [sorted(member["name"] for member in each["members"]) for each in written["clusters"]], written


def test_a_collection_is_clustered_without_the_documents_of_others(stage):
    clusters, written = _clusters(task_of(stage, "cluster", "a", collection="main"))
    assert clusters == [["one", "two"]]
    assert written["documents"] == 3
    first, second = written["clusters"][0]["members"]
    assert written["clusters"][0]["representative"] in (first["id"], second["id"])
    assert {first["collection"], second["collection"]} == {"main"}
    assert {first["url"], second["url"]} == {"http://example.org/a/main/one", "http://example.org/a/main/two"}
    assert min(first["similarity"], second["similarity"]) > 0.9


def test_all_collections_of_a_tenant(stage):
    clusters, _ = _clusters(task_of(stage, "cluster", "a"))
    assert sorted(clusters) == [["four", "three"], ["one", "two"]]


def test_documents_of_the_command_line_are_clustered_too(stage):
    with Index.open(stage[0]) as index:
        index.add(Document("cli/five", _text(5), owner="a"))
        index.add(Document("elsewhere", _text(5), owner="a"))
        index.add(Document("others", _text(5), owner="b"))
    clusters, _ = _clusters(task_of(stage, "cluster", "a"))
    assert sorted(clusters) == [["cli/five", "elsewhere"], ["four", "three"], ["one", "two"]]
    clusters, _ = _clusters(task_of(stage, "cluster", "a", collection="main"))
    assert clusters == [["one", "two"]]


def test_the_house_has_its_own(stage):
    clusters, written = _clusters(task_of(stage, "cluster", None))
    assert (clusters, written["documents"]) == ([], 1)


def test_everyone(stage):
    clusters, written = _clusters(task_of(stage, "cluster", None, everyone=True))
    assert written["documents"] == 7
    assert clusters[0] == ["a/main/forged", "five", "one", "six", "two"]


def test_the_threshold_is_heeded(stage):
    clusters, _ = _clusters(task_of(stage, "cluster", "a", threshold=0.999))
    assert clusters == []
