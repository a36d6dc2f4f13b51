"""``whorl index``, ``whorl search`` and ``whorl registry`` read tables: each row is a document or a query."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from whorl.cli import main
from whorl.formats.corpora.read import read

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
ROWS: list[dict[str, Any]] = [
    {"id": "s1", "text": SONG, "url": "https://example.org/1", "date": "2001-02-03", "who": "sea", "tags": ["a", "b"]},
    {"id": "t1", "text": TALE, "who": None, "tags": None},
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def answer(*arguments: object, code: int = 0) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("index", "create", "index").exit_code == 0
    return Path("index")


def entries(index: Path) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in answer("index", "list", index)}


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_each_row_is_a_document_with_its_facts(index, name):
    table = write(Path(name), ROWS)
    options = ("--owner-column", "who", "--labels-column", "tags", "--owner", "village", "--label", "old")
    assert answer("index", "add", index, table, *options) == {"added": 2, "skipped": [], "without_text": []}
    listed = entries(index)
    assert [*listed] == ["s1", "t1"]
    song, tale = listed["s1"], listed["t1"]
    assert (song["url"], song["date"]) == ("https://example.org/1", "2001-02-03")
    assert (song["owner"], song["labels"]) == ("sea", ["a", "b", "old"])
    assert (tale["owner"], tale["labels"]) == ("village", ["old"])
    assert answer("index", "add", index, table, *options) == {"unchanged": 2, "skipped": [], "without_text": []}
    (found,) = answer("search", index, write(Path("q.jsonl"), [{"text": SONG}, {"text": "short"}]))[:1]
    assert found["hits"][0]["document"]["labels"] == ["a", "b", "old"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_columns_become_labels_with_their_names(index, name):
    facts: list[dict[str, Any]] = [
        {"licence": "MIT", "title": "The Song", "year": "2001"},
        {"licence": None, "title": "", "year": "1999"},
    ]
    table = write(Path(name), [{**row, **more} for row, more in zip(ROWS, facts, strict=True)])
    options = ("--label-column", "licence", "--label-column", "title", "--labels-column", "tags", "--label", "old")
    assert answer("index", "add", index, table, *options)["added"] == 2
    listed = entries(index)
    assert listed["s1"]["labels"] == ["a", "b", "licence=MIT", "title=The Song", "old"]
    assert listed["t1"]["labels"] == ["old"]
    (found,) = answer("search", index, write(Path("q.jsonl"), [{"text": SONG}]), "--label", "licence=MIT")
    assert [hit["document"]["name"] for hit in found["hits"]] == ["s1"]


def test_a_row_without_an_id_is_named_by_file_and_row(index):
    Path("folder").mkdir()
    write(Path("folder/rows.jsonl"), [{"text": SONG}])
    Path("folder/tale.txt").write_text(TALE)
    assert answer("index", "add", index, "folder")["added"] == 2
    assert answer("index", "add", index, "folder/rows.jsonl") == {"unchanged": 1, "skipped": [], "without_text": []}
    assert [*entries(index)] == ["folder/rows.jsonl:1", "folder/tale.txt"]


def test_mirror_removes_files_and_keeps_rows_with_an_id(index):
    Path("folder").mkdir()
    table = write(Path("folder/rows.jsonl"), ROWS)
    Path("folder/tale.txt").write_text(TALE)
    answer("index", "add", index, "folder")
    Path("folder/tale.txt").unlink()
    write(table, ROWS[:1])
    mirrored = answer("index", "add", index, "folder", "--mirror")
    assert mirrored == {"unchanged": 1, "removed": 1, "skipped": [], "without_text": []}
    assert [*entries(index)] == ["s1", "t1"]


def test_bad_rows_are_named_and_the_others_are_added(index):
    Path("rows.jsonl").write_text(
        f"{json.dumps(ROWS[0])}\nnot json\n{json.dumps({'id': 'x'})}\n{json.dumps(ROWS[0])}\n"
    )
    added = answer("index", "add", index, "rows.jsonl", code=1)
    assert added["added"] == 1
    assert [item["file"] for item in added["skipped"]] == [f"rows.jsonl, row {row}" for row in (2, 3, 4)]


def test_the_same_id_in_two_tables_is_reported(index):
    added = answer("index", "add", index, write(Path("a.jsonl"), ROWS), write(Path("b.jsonl"), ROWS[:1]), code=1)
    assert added["added"] == 2
    assert added["skipped"] == [{"file": "s1", "reason": "another document has the same id; the first one is kept"}]


def test_labels_that_are_no_list_are_a_fault_of_their_row(index):
    rows = [{**ROWS[0], "tags": "a"}, ROWS[1]]
    added = answer("index", "add", index, write(Path("rows.jsonl"), rows), "--labels-column", "tags", code=1)
    assert added["added"] == 1
    assert added["skipped"][0]["file"] == "rows.jsonl, row 1"
    assert "not a list" in added["skipped"][0]["reason"]


@pytest.mark.parametrize(
    "option", ["--id-column", "--text-column", "--owner-column", "--labels-column", "--label-column"]
)
def test_a_missing_column_is_named_with_its_option(index, option):
    result = run("index", "add", index, write(Path("rows.jsonl"), ROWS), option, "nothing")
    assert result.exit_code == 1
    assert f"no column 'nothing' ({option})" in result.stderr
    assert entries(index) == {}


def test_build_reads_a_warc(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{SONG}</p>".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:one>\r\nWARC-Target-URI: https://example.org/\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(page)}\r\n\r\n"
    )
    Path("crawl.warc").write_bytes(head.encode() + page + b"\r\n\r\n")
    assert answer("index", "build", "index", "crawl.warc") == {"added": 1, "skipped": [], "without_text": []}
    assert entries(Path("index"))["urn:one"]["url"] == "https://example.org/"


def test_queries_from_a_table_give_a_line_each(index):
    answer("index", "add", index, write(Path("rows.jsonl"), ROWS))
    queries = write(Path("q.jsonl"), [{"key": 7, "body": TALE}, {"key": 8, "body": 5}, {"key": 9, "body": SONG}])
    result = run("search", index, queries, "--id-column", "key", "--text-column", "body", "--format", "jsonl")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["name"], line["hits"][0]["document"]["name"]) for line in lines] == [("7", "t1"), ("9", "s1")]
    assert result.exit_code == 1
    assert "skipped: q.jsonl, row 2: 'body' is a number, not a text" in result.stderr


def test_a_registry_answers_queries_from_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("registry", "create", "registry")
    chosen = random.Random(1)
    words = ["".join(chosen.choices("abcdefghiklmnoprstuw", k=7)) for _ in range(900)]
    texts = [{"id": f"d{n}", "text": " ".join(words[n : n + 300])} for n in (0, 600)]
    table = write(Path("rows.jsonl"), texts)
    assert answer("registry", "add", "registry", table)["added"] == 2
    result = run("registry", "search", "registry", table, "--format", "jsonl")
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["name"], [hit["document"]["id"] for hit in line["hits"]]) for line in lines] == [
        ("d0", ["d0"]),
        ("d600", ["d600"]),
    ]


def test_a_table_is_read_once_however_many_columns_are_labels(index, monkeypatch):
    paths = list[Path]()

    def counted(path, *rest):
        paths.append(path)
        return read(path, *rest)

    monkeypatch.setattr("whorl.cli.index.read", counted)
    rows = [{**ROWS[0], "a": "x", "b": 7, "name (old)": "y"}]
    options = ("--label-column", "a", "--label-column", "b", "--label-column", "name (old)", "--labels-column", "tags")
    assert answer("index", "add", index, write(Path("rows.jsonl"), rows), *options)["added"] == 1
    assert paths == [Path("rows.jsonl")]
    assert entries(index)["s1"]["labels"] == ["a", "b", "a=x", "b=7", "name (old)=y"]


def test_a_column_of_parquet_that_holds_no_lists_is_refused_as_labels(index):
    result = run("index", "add", index, write(Path("rows.parquet"), ROWS), "--labels-column", "url")
    assert result.exit_code == 1
    assert "the column 'url' holds string, not lists of integers or strings" in result.stderr
