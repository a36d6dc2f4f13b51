"""``whorl.cluster_corpus``: what ``whorl cluster`` does, for programs."""

import gzip
import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from whorl import corpus_clustering
from whorl.clustering.evidence import read_shown
from whorl.clustering.query import Clusters
from whorl.clustering.records import Features
from whorl.corpus_clustering import Corpus, SourceRuns, verify
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import tables
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.read import UNKNOWN_ROW, ChosenPlace
from whorl.formats.corpora.records import Columns
from whorl.scheme import PRESETS

SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him" for day in range(20))
FILES = {
    "documents.parquet",
    "pairs.parquet",
    "keep.txt",
    "keep.parquet",
    "urls.parquet",
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


def test_a_name_is_no_columns(corpus, tmp_path):
    with pytest.raises(whorl.InputError, match=r"name a column with columns=Columns\(text='text'\)"):
        whorl.cluster_corpus(corpus, tmp_path / "out", columns="text")  # type: ignore[arg-type]


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(whorl.DocumentError, match=r"missing\.jsonl: "):
        whorl.cluster_corpus(tmp_path / "missing.jsonl", tmp_path / "out")


def test_no_such_folder_to_verify(tmp_path):
    with pytest.raises(whorl.InputError, match="no such folder"):
        verify(tmp_path / "out")


def page_of(out):
    return (out / "summary.html").read_text()


def test_the_page_shows_texts_and_the_summary_counts_by_source(corpus, tmp_path):
    result = whorl.cluster_corpus(corpus, tmp_path / "out", columns=COLUMNS, threshold=0.7)
    assert '<mark class="passage">the keeper wrote' in page_of(result.folder)
    texts = [json.loads(line)["body"] for line in corpus.read_text().splitlines()]
    kept = (result.folder / "keep.txt").read_text().split()
    dropped = [
        json.loads(line)["body"] for line in corpus.read_text().splitlines() if json.loads(line)["key"] not in kept
    ]
    assert result.summary["sources"] == [
        {
            "file": "corpus.jsonl",
            "documents": 4,
            "dropped": 2,
            "bytes": sum(map(len, texts)),
            "dropped_bytes": sum(map(len, dropped)),
        }
    ]
    assert result.summary["dropped_bytes"] == sum(map(len, dropped))
    assert result.summary["source_count"] == 1


def test_a_later_run_without_the_corpus_shows_texts_as_long_as_it_is_there(corpus, tmp_path):
    out = tmp_path / "out"
    first = whorl.cluster_corpus(corpus, out, columns=COLUMNS).summary
    again = whorl.cluster_corpus((), out, threshold=0.8)
    assert '<mark class="passage">' in page_of(out)
    assert again.summary["sources"] == first["sources"]
    corpus.write_text(corpus.read_text() + "\n")
    whorl.cluster_corpus((), out, threshold=0.9)
    assert '<mark class="passage">' not in page_of(out)
    assert "texts are not shown: the corpus has changed" in page_of(out)


def test_another_keep_shows_the_same_pairs_below_the_threshold(tmp_path):
    path, out = tmp_path / "corpus.jsonl", tmp_path / "out"
    words = [f"word{number}" for number in range(100)]
    texts = [" ".join(words[: 100 - 5 * at] + [f"other{at}x{each}" for each in range(5 * at)]) for at in range(10)]
    path.write_text("".join(json.dumps({"id": f"n{at}", "text": text}) + "\n" for at, text in enumerate(texts)))
    whorl.cluster_corpus(path, out, boilerplate=0)
    near = page_of(out).partition('<section id="near"')[2].partition("</section>")[0]
    assert "Just below 40%" in near
    assert near.count("<li>") == 10
    whorl.cluster_corpus((), out, boilerplate=0, keep="longest")
    assert page_of(out).partition('<section id="near"')[2].partition("</section>")[0] == near


def rows(path, texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()))


def test_sources_of_several_paths_folders_and_archives(tmp_path):
    other = "a quite different text about bread and the ovens of the old town"
    rows(tmp_path / "one/a.jsonl", {"1": SONG, "2": other})
    rows(tmp_path / "two/a.jsonl", {"3": SONG, "1": "the id was there before, so this is no document"})
    (tmp_path / "pages/deep").mkdir(parents=True)
    (tmp_path / "pages/deep/x.txt").write_text(SONG)
    (tmp_path / "pages/y.txt").write_text(f"{SONG} and more of it")
    with zipfile.ZipFile(tmp_path / "pages/z.zip", "w") as archive:
        archive.writestr("inner/w.txt", f"{SONG} and still more")
    paths = [tmp_path / "one/a.jsonl", tmp_path / "two/a.jsonl", tmp_path / "pages"]
    result = whorl.cluster_corpus(paths, tmp_path / "out", keep="first")
    counts = {row["file"]: (row["documents"], row["dropped"]) for row in result.summary["sources"]}
    assert counts == {
        "one/a.jsonl": (2, 0),
        "two/a.jsonl": (1, 1),
        "pages/deep": (1, 1),
        "pages": (1, 1),
        "pages/z.zip/inner": (1, 1),
    }
    assert '<mark class="passage">the keeper wrote' in page_of(result.folder)


def test_only_tables_with_shown_documents_are_read_again(tmp_path, monkeypatch):
    rows(tmp_path / "in/a.jsonl", {"1": SONG, "2": f"{SONG} again"})
    rows(tmp_path / "in/b.jsonl", {"3": "nothing like it at all, not in one word"})
    read, chosen_rows = [], tables.chosen_rows

    def noted(kind, path, *more):
        read.append((path.name, sorted(more[-1])))
        return chosen_rows(kind, path, *more)

    monkeypatch.setattr(tables, "chosen_rows", noted)
    result = whorl.cluster_corpus(tmp_path / "in", tmp_path / "out")
    assert read == [("a.jsonl", [1, 2])]
    assert '<mark class="passage">' in page_of(result.folder)


def test_the_number_of_sources_is_bounded(monkeypatch):
    monkeypatch.setattr(corpus_clustering, "MOST_SOURCES", 3)
    runs = SourceRuns()
    for number in range(6):
        runs.add(f"s{number}", [1, 2])
    assert runs.runs == [("s0", 2), ("s1", 2), ("s2", 2), ("", 6)]
    assert runs.places([0, 5, 6], 12) == {
        0: (0, ChosenPlace("s0", 1)),
        5: (0, ChosenPlace("s2", 2)),
        6: (0, ChosenPlace("", 1)),
    }
    assert runs.places([0], 13) is None
    assert SourceRuns().places([0], 1) is None


def test_the_number_of_runs_of_rows_is_bounded(monkeypatch):
    monkeypatch.setattr(corpus_clustering, "MOST_ROW_RUNS", 2)
    runs = SourceRuns()
    runs.add("a", [2, 3, 7, 8, 12, 14])
    assert runs.rows == [(0, 2, 2), (0, 7, 2), (0, UNKNOWN_ROW, 2)]
    places = runs.places(range(6), 6)
    assert places is not None
    assert [place.row for _, place in places.values()] == [2, 3, 7, 8, UNKNOWN_ROW, UNKNOWN_ROW]


def test_marks_of_lines_get_sparser(monkeypatch):
    monkeypatch.setattr(corpus_clustering, "MOST_MARKS", 4)
    monkeypatch.setattr(corpus_clustering, "MARK_STEP", 10)
    runs = SourceRuns()
    for first in range(1, 100, 3):
        runs.add("a", [first, first + 1, first + 2], 0, np.arange(first, first + 3) * 20)
    assert 2 <= len(runs.marks) <= 4
    assert all(offset == 20 * (number + 1) for number, offset in runs.marks)
    places = runs.places(range(99), 99)
    assert places is not None
    for number, (_, place) in places.items():
        assert place.row == number + 1
        assert place.mark.row <= place.row


TEXTS = [f"{SONG} number {number}" for number in range(30)]


def lines(texts):
    """Objects with gaps: empty and faulty lines, null texts, the same id twice, numbers as ids and a long line."""
    objects = [{"id": number if number % 3 else f"näme {number}", "text": text} for number, text in enumerate(texts)]
    plain = [json.dumps(each, ensure_ascii=number % 2 == 0) for number, each in enumerate(objects)]
    null, long = ({"id": 99, "text": None}, {"id": 98, "text": "x" * 5000})
    gaps = [json.dumps(null), *plain[7:9], plain[2], "", *plain[9:20], json.dumps(long)]
    return "\n".join(["", *plain[:7], "{", *gaps, *plain[20:]])


def write_jsonl(path):
    path.write_bytes(b"\xef\xbb\xbf" + lines(TEXTS).encode())


def write_compressed(path):
    path.write_bytes(gzip.compress(lines(TEXTS).encode()))


def write_array(path):
    path.write_text(json.dumps([{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)]))


def write_cells(path):
    path.write_text("".join(f"{at},{text}\n" for at, text in [("id", "text"), (7, ""), *enumerate(TEXTS)]))


def write_groups(path):
    table = pa.table({"id": [str(at) for at in range(31)], "text": [None, *TEXTS]})
    pq.write_table(table, path, row_group_size=7)


def write_batches(path):
    table = pa.table({"id": list(range(30)), "text": TEXTS})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)


def write_pages(path):
    path.mkdir()
    for number, text in enumerate(TEXTS[:5]):
        (path / f"p{number}.txt").write_text(text)
    write_jsonl(path / "rows.jsonl")
    (path / "deep").mkdir()
    write_groups(path / "deep/a.parquet")


def write_archive(path):
    write_pages(path)
    with zipfile.ZipFile(path / "z.zip", "w") as archive:
        archive.writestr("inner/w.txt", SONG)


WRITERS = {
    "a.jsonl": write_jsonl,
    "a.jsonl.gz": write_compressed,
    "a.json": write_array,
    "a.csv": write_cells,
    "a.parquet": write_groups,
    "a.arrow": write_batches,
    "pages": write_pages,
    "archives": write_archive,
}


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", WRITERS)
def test_any_document_can_be_read_again_by_its_place(tmp_path, monkeypatch, name, count):
    monkeypatch.setattr(corpus_clustering, "MARK_STEP", 1500)
    paths = [tmp_path / f"x{number}" / name for number in range(count)]
    for path in paths:
        path.parent.mkdir()
        WRITERS[name](path)
    corpus = Corpus(paths, Columns(id="id" if count == 1 else None), Rules(member=4000))
    first = {}
    for item in corpus.items(None):
        assert not isinstance(item, Features)
        for document in item.documents() if isinstance(item, Sheet) else [item]:
            first[document.name] = read_shown(document, PRESETS["pages"]).text
    assert len(first) >= 30 * count
    for numbers in ([len(first) - 1], [3, 4, 20], range(len(first))):
        known = dict(again(corpus, first, numbers))
        assert known == {number: list(first.values())[number] for number in numbers}
    corpus.sources = SourceRuns()
    assert dict(again(corpus, first, range(len(first)))) == known


def again(corpus, ids, numbers):
    clustering = SimpleNamespace(ids=list(ids), scheme=PRESETS["pages"])
    return {number: shown.text for number, shown in corpus.texts_of(clustering)(numbers).items()}.items()


def test_a_table_that_changed_meanwhile_shows_no_other_text(tmp_path):
    path = tmp_path / "a.jsonl"
    rows(path, {str(number): text for number, text in enumerate(TEXTS)})
    corpus = Corpus([path], Columns(), Rules())
    ids = [identity for item in corpus.items(None) if isinstance(item, Sheet) for identity in item.ids]
    rows(path, {f"n{number}": text for number, text in enumerate(TEXTS)})
    assert not dict(again(corpus, ids, range(30)))
    path.write_text("{")
    assert not dict(again(corpus, ids, [29]))
    path.unlink()
    assert not dict(again(corpus, ids, [0]))


def test_features_have_no_texts(tmp_path):
    path = tmp_path / "songs.jsonl"
    path.write_text("".join(json.dumps({"id": key, "notes": list(range(20))}) + "\n" for key in "ab"))
    result = whorl.cluster_corpus(path, tmp_path / "out", columns=Columns(features="notes"))
    assert result.summary["clusters"] == 1
    assert "2 texts are not shown" in page_of(result.folder)
