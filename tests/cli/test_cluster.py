"""``whorl cluster``: a collection in, tables out."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.formats.corpora.making import http, page, revisit, warc
from whorl.cli import main

SONG = " ".join(
    f"the keeper wrote down on day {day} what the sea had brought him and what it took" for day in range(20)
)
TALE = " ".join(f"a baker fired oven {number} before the village woke and nobody asked him why" for number in range(20))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def corpus(tmp_path):
    rows = [
        {"id": "song", "text": SONG, "url": "http://a/song"},
        {"id": "tale", "text": TALE, "date": "2020-01-01"},
        {"id": "copy", "text": SONG},
        {"id": "loud", "text": SONG.upper()},
        {"id": "more", "text": f"{SONG} and this is the end of it all, said the keeper"},
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def table(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def test_clusters_of_a_corpus(corpus, tmp_path):
    result = run("cluster", corpus, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["documents"], answer["clusters"], answer["in_clusters"], answer["kept"]) == (5, 1, 4, 2)
    rows = {row["id"]: row for row in table(tmp_path / "out" / "documents.parquet")}
    # Whichever of the two stands for the cluster, the other is near it, and what is equal to the other with it.
    kinds = {name: row["kind"] for name, row in rows.items()}
    centre = rows["song"]["representative"]
    assert centre in ("song", "more")
    equal = {"copy": "identical", "loud": "lexical"} if centre == "song" else {"copy": "near", "loud": "near"}
    other = "more" if centre == "song" else "song"
    assert kinds == {centre: "unique", other: "near", "tale": "unique", **equal}
    assert len({rows[name]["cluster"] for name in ("song", "copy", "loud", "more")}) == 1
    assert rows["song"]["url"] == "http://a/song"
    assert rows["tale"]["date"] == "2020-01-01"
    (pair,) = table(tmp_path / "out" / "pairs.parquet")
    assert {pair["left"], pair["right"]} == {"song", "more"}
    assert 0.85 < pair["resemblance"] < 1
    kept = (tmp_path / "out" / "keep.txt").read_text().split()
    assert "tale" in kept
    assert len(kept) == 2
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["documents"] == 5


def test_a_bad_row_is_reported_and_the_rest_goes_on(corpus, tmp_path):
    corpus.write_text(corpus.read_text() + "not json\n")
    result = run("cluster", corpus, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "5 documents" in result.stdout
    assert "row 6" in result.stderr


def test_a_folder_with_something_in_it_is_refused(corpus, tmp_path):
    result = run("cluster", corpus, "-o", tmp_path)
    assert result.exit_code == 1
    assert "the folder is not empty" in result.stderr


@pytest.mark.parametrize("size", ["12X", "G", "-1", "1.5G"])
def test_a_size_that_is_none(corpus, tmp_path, size):
    assert run("cluster", corpus, "-o", tmp_path / "out", "--memory", size).exit_code == 2


def test_what_writing_takes_is_asked_for_before_anything_is_read(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("cluster", corpus, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert 'pyarrow, which is missing: pip install "whorl[corpus]"' in result.output
    assert not (tmp_path / "out").exists()


def test_any_memory_gives_the_same(corpus, tmp_path):
    for size in ("1M", "2G"):
        assert run("cluster", corpus, "-o", tmp_path / size, "--memory", size).exit_code == 0
    assert table(tmp_path / "1M" / "documents.parquet") == table(tmp_path / "2G" / "documents.parquet")


def test_another_threshold_needs_no_corpus_and_forgets_no_fault(corpus, tmp_path):
    corpus.write_text(corpus.read_text() + "not json\n")
    out = tmp_path / "out"
    assert run("cluster", corpus, "-o", out).exit_code == 1
    corpus.unlink()
    again = run("cluster", "-o", out, "--threshold", "0.99", "--format", "json")
    assert again.exit_code == 1
    result = json.loads(again.stdout)
    assert (result["clusters"], result["in_clusters"]) == (1, 3)
    assert result["skipped"][0]["row"] == 6
    assert json.loads((out / "summary.json").read_text())["settings"]["threshold"] == 0.99
    assert "0.99" in (out / "summary.html").read_text()


def test_a_corpus_is_needed_at_first_and_when_all_begins_anew(corpus, tmp_path):
    out = tmp_path / "out"
    assert "nothing to resume" in run("cluster", "-o", out).stderr
    assert run("cluster", corpus, "-o", out).exit_code == 0
    assert "nothing to resume" in run("cluster", "-o", out, "--fresh").stderr
    assert run("cluster", corpus, "-o", out, "--fresh", "--discard").exit_code == 0
    assert not (out / "phases").exists()
    assert "the folder is not empty" in run("cluster", corpus, "-o", out).stderr


def test_another_corpus_is_refused_in_the_folder_of_the_first(corpus, tmp_path):
    out = tmp_path / "out"
    assert run("cluster", corpus, "-o", out).exit_code == 0
    corpus.write_text('{"id": "1", "text": "something else"}\n')
    assert "another corpus" in run("cluster", corpus, "-o", out).stderr
    assert run("cluster", corpus, "-o", out, "--fresh").exit_code == 0


def test_a_question_is_answered_out_of_the_folder(corpus, tmp_path):
    out = tmp_path / "out"
    assert run("cluster", corpus, "-o", out).exit_code == 0
    answer = run("cluster", "-o", out, "--query", "http://a/song")
    assert answer.exit_code == 0
    assert all(name in answer.stdout for name in ("song", "copy", "loud", "more"))
    result = json.loads(run("cluster", "-o", out, "--query", "tale", "--query", "copy", "--format", "json").stdout)
    assert [len(cluster["members"]) for cluster in result["clusters"]] == [1, 4]
    unknown = run("cluster", "-o", out, "--query", "nobody")
    assert unknown.exit_code == 1


def test_any_objects_by_a_column_of_features(tmp_path):
    rows = [{"id": name, "features": list(range(start, start + 30))} for name, start in (("a", 0), ("b", 2), ("c", 90))]
    path = tmp_path / "objects.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("cluster", path, "--features", "features", "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["in_clusters"] == 2


def test_super_shingles_and_containment_are_refused_together(corpus, tmp_path):
    result = run("cluster", corpus, "-o", tmp_path / "out", "--super-shingles", "--measure", "containment")
    assert result.exit_code == 1
    assert "do not find a part in a larger document" in result.stderr


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_without_a_text_are_one_line_and_no_error(tmp_path):
    rows = [{"id": number, "text": None if number else SONG} for number in range(500)]
    result = run("cluster", written(tmp_path / "a.jsonl", rows), "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "left out: 499 times, first a.jsonl, row 2: no 'text'\n"
    (reason,) = json.loads((tmp_path / "out" / "summary.json").read_text())["reasons"]
    assert reason == {"count": 499, "file": "a.jsonl", "row": 2, "reason": "no 'text'"}


def test_a_corpus_without_documents_is_an_error(tmp_path):
    result = run("cluster", written(tmp_path / "a.jsonl", [{"id": "1", "text": ""}]), "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "no document was read" in result.stderr


def test_integer_ids_stay_integers_and_line_breaks_are_safe(tmp_path):
    rows = [{"id": 7, "text": SONG}, {"id": 8, "text": SONG}, {"id": -9, "text": TALE}]
    out = tmp_path / "out"
    assert run("cluster", written(tmp_path / "a.jsonl", rows), "-o", out).exit_code == 0
    assert [row["id"] for row in table(out / "keep.parquet")] == [7, -9]
    assert (out / "keep.txt").read_text() == "7\n-9\n"
    assert run("cluster", "-o", out, "--keep", "longest").exit_code == 0  # nothing is read again
    assert [row["id"] for row in table(out / "keep.parquet")] == [7, -9]
    rows = [{"id": "two\nlines", "text": SONG}, {"id": "5", "text": TALE}, {"id": 6, "text": "short"}]
    assert run("cluster", written(tmp_path / "b.jsonl", rows), "-o", tmp_path / "mixed").exit_code == 0
    assert [row["id"] for row in table(tmp_path / "mixed" / "keep.parquet")] == ["two\nlines", "5", "6"]
    assert (tmp_path / "mixed" / "keep.txt").read_text() == "two\\nlines\n5\n6\n"
    rows = [{"id": 1 << 70, "text": SONG}]
    assert run("cluster", written(tmp_path / "c.jsonl", rows), "-o", tmp_path / "large").exit_code == 0
    assert [row["id"] for row in table(tmp_path / "large" / "keep.parquet")] == [str(1 << 70)]


def test_shards_of_the_same_name_are_all_read(tmp_path):
    shards = [written(tmp_path / name / "shard.jsonl", [{"text": text}]) for name, text in (("a", SONG), ("b", TALE))]
    result = run("cluster", *shards, "-o", tmp_path / "out", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["documents"]) == (0, 2)


@pytest.mark.parametrize("out", ["s3://bucket/out", "gs://bucket", "file:///tmp/x"])
def test_an_address_as_the_output_is_refused_at_once(corpus, out):
    result = run("cluster", corpus, "-o", out)
    assert result.exit_code == 1
    assert "is not a folder of this machine" in result.stderr
    assert not Path(out.split("/")[0]).exists()


def test_keeping_the_newest_without_dates_is_said(corpus, tmp_path):
    result = run("cluster", corpus, "-o", tmp_path / "out", "--keep", "newest")
    assert "--keep newest: 4 of 5 documents have no date" in result.stderr


@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_the_pages_to_drop_are_listed_by_their_addresses(tmp_path, strict):
    rows = [
        {"text": SONG, "url": "http://a/1", "date": "2024-01-01"},
        {"text": TALE, "url": "http://a/2"},
        {"text": SONG + " and more", "url": "http://a/3", "date": "2024-02-01"},
        {"text": SONG, "url": "http://a/4"},
        {"text": TALE},
    ]
    path = tmp_path / "crawl.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("cluster", path, "-o", tmp_path / "out", "--keep", "first", *strict).exit_code == 0
    first = {"kept_url": "http://a/1", "kept_date": "2024-01-01"}
    assert table(tmp_path / "out" / "urls.parquet") == [
        {"url": "http://a/3", "date": "2024-02-01", "kind": "near", **first},
        {"url": "http://a/4", "date": None, "kind": "identical", **first},
    ]


@pytest.mark.parametrize("order", [("first", "second"), ("second", "first"), (".",)])
def test_an_unchanged_page_has_the_content_of_the_file_that_has_it(tmp_path, order):
    """Two crawls in two folders with files of one name; the second one met two pages again."""
    crawls = tmp_path / "crawls"
    for name, data in (
        ("first", warc(http(page(1)), 1) + warc(http(page(2)), 2)),
        ("second", revisit(1, WARC_Refers_To="<urn:uuid:00000001>") + revisit(7, WARC_Payload_Digest="sha1:NOWHERE")),
    ):
        (crawls / name).mkdir(parents=True)
        (crawls / name / "crawl.warc").write_bytes(data)
    result = run("cluster", *(crawls / name for name in order), "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 1
    documents = {row["id"]: row for row in table(tmp_path / "out" / "documents.parquet")}
    assert documents["urn:uuid:again-1"]["cluster"] == documents["urn:uuid:00000001"]["cluster"]
    assert documents["urn:uuid:again-1"]["kind"] == "identical"
    (reason,) = json.loads(result.stdout)["reasons"]
    assert (reason["row"], reason["count"]) == (2, 1)
    assert reason["reason"] == "unchanged, but the record that it repeats is in another file: 'http://x/7'"


def test_a_modulus_of_1_finds_a_few_words_in_longer_texts(tmp_path):
    def text(number: int, words: range) -> str:
        return " ".join(f"word{number}x{place}" for place in words)

    path = tmp_path / "a.jsonl"
    rows = [{"id": f"{number} {len(words)}", "text": text(number, words)}
            for number in range(40) for words in (range(200), range(50, 55))]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["cluster", str(path), "-o", str(tmp_path / "out"), "--measure", "containment", "--format", "json"]
    found = [
        json.loads(CliRunner().invoke(main, [*arguments, *more]).stdout)["clusters"]
        for more in ([], ["--modulus", "1"])
    ]
    assert found[0] < found[1] == 40
    refused = CliRunner().invoke(main, [*arguments, "--modulus", "3"])
    assert refused.exit_code == 1
    assert "modulus: 3 is not a power of two" in refused.output
    dedup = ["dedup", str(path), "-o", str(tmp_path / "clean"), "--measure", "containment", "--modulus", "1"]
    assert "40 removed" in CliRunner().invoke(main, dedup).stdout
    assert (
        "--modulus has no effect with --unit line"
        in CliRunner().invoke(main, [*dedup[:4], *dedup[6:], "--unit", "line"]).output
    )
    indexed = [*dedup[:3], str(tmp_path / "more"), *dedup[4:], "--index", str(tmp_path / "seen.sweep")]
    assert "40 removed" in CliRunner().invoke(main, indexed).stdout
