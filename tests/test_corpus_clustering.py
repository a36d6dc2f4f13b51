"""``whorl.cluster_corpus``: what ``whorl cluster`` does, for programs."""

import json

import pytest

import whorl
from whorl.clustering.query import Clusters
from whorl.corpus_clustering import verify
from whorl.formats.corpora.records import Columns

SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him" for day in range(20))
FILES = {
    "documents.parquet",
    "pairs.parquet",
    "keep.txt",
    "keep.parquet",
    "summary.html",
    "summary.json",
    "checksums.txt",
    "phases",
}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    texts = {
        "song": SONG,
        "copy": SONG,
        "more": f"{SONG} and this is the end of it all",
        "tale": "a baker and his oven",
    }
    path.write_text("".join(json.dumps({"key": key, "body": body}) + "\n" for key, body in texts.items()))
    return path


COLUMNS = Columns(id="key", text="body")


def test_the_folder_has_the_tables_and_the_summary(corpus, tmp_path):
    out = tmp_path / "out"
    result = whorl.cluster_corpus(corpus, out, columns=COLUMNS, threshold=0.7)
    assert {path.name for path in out.iterdir()} == FILES
    assert result.folder == out
    assert (result.summary["documents"], result.summary["clusters"]) == (4, 1)
    assert result.summary == json.loads((out / "summary.json").read_text())
    assert result.is_complete
    assert {member.id for member in Clusters.open(out).cluster("song")} == {"song", "copy", "more"}
    verify(out)


def test_progress_reports_bytes_of_the_corpus(corpus, tmp_path):
    reports = []
    whorl.cluster_corpus(
        str(corpus), tmp_path / "out", columns=COLUMNS, progress=lambda *report: reports.append(report)
    )
    assert ("sketch", corpus.stat().st_size, corpus.stat().st_size) in reports


def test_another_threshold_resumes_without_the_corpus(corpus, tmp_path):
    out = tmp_path / "out"
    whorl.cluster_corpus(corpus, out, columns=COLUMNS)
    corpus.unlink()
    assert whorl.cluster_corpus((), out, threshold=0.99).summary["in_clusters"] == 2


def test_a_changed_corpus_is_refused_unless_fresh(corpus, tmp_path):
    out = tmp_path / "out"
    whorl.cluster_corpus(corpus, out, columns=COLUMNS)
    corpus.write_text('{"key": "1", "body": "something else"}\n')
    with pytest.raises(whorl.InputError, match="another corpus"):
        whorl.cluster_corpus(corpus, out, columns=COLUMNS)
    assert whorl.cluster_corpus(corpus, out, columns=COLUMNS, fresh=True).summary["documents"] == 1


def test_discard_leaves_nothing_to_resume(corpus, tmp_path):
    out = tmp_path / "out"
    whorl.cluster_corpus([corpus], out, columns=COLUMNS, discard=True)
    assert {path.name for path in out.iterdir()} == FILES - {"phases"}
    with pytest.raises(whorl.InputError, match="the folder is not empty"):
        whorl.cluster_corpus(corpus, out, columns=COLUMNS)


def test_nothing_to_resume(tmp_path):
    with pytest.raises(whorl.InputError, match="nothing to resume"):
        whorl.cluster_corpus((), tmp_path / "out")


def test_a_bad_row_makes_it_incomplete(corpus, tmp_path):
    corpus.write_text(corpus.read_text() + "not json\n")
    result = whorl.cluster_corpus(corpus, tmp_path / "out", columns=COLUMNS)
    assert not result.is_complete
    (row,) = result.left_out()
    assert (row["file"], row["row"]) == (corpus.name, 5)


@pytest.mark.parametrize(
    ("options", "message"), [({"keep": "best"}, "keep: 'best' is unknown"), ({"threshold": 2}, "threshold: 2")]
)
def test_a_wrong_option_is_refused_before_anything_is_written(corpus, tmp_path, options, message):
    with pytest.raises(whorl.WhorlError, match=message):
        whorl.cluster_corpus(corpus, tmp_path / "out", columns=COLUMNS, **options)
    assert not (tmp_path / "out").exists()


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(whorl.DocumentError, match=r"missing\.jsonl: "):
        whorl.cluster_corpus(tmp_path / "missing.jsonl", tmp_path / "out")


def test_no_such_folder_to_verify(tmp_path):
    with pytest.raises(whorl.InputError, match="no such folder"):
        verify(tmp_path / "out")
