"""``whorl.dedup``: a corpus in, the same files without near-duplicates out."""

import bz2
import gzip
import io
import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner

import whorl
from whorl import corpus_dedup, corpus_output
from whorl.cli import main
from whorl.clustering.store import sync
from whorl.errors import InputError, WhorlError
from whorl.formats.corpora import streams

PACKERS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
UNPACKERS = {
    "": lambda data: data,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
}


def story(number: int) -> str:
    return " ".join(f"keeper {number} wrote on day {number * 31 + day} what came by sea" for day in range(12))


# Rows 3 and 5 are copies of row 1, row 6 is a near-duplicate of row 2.
ROWS: list[dict[str, Any]] = [
    {"id": 1, "text": story(1), "score": 0.5, "date": "2020-01-01", "meta": {"tags": ["a", "b"]}},
    {"id": 2, "text": story(2), "score": 0.5, "date": "2020-01-01", "meta": {"tags": []}},
    {"id": 1, "text": story(1), "score": 0.9, "date": "2019-01-01", "meta": None},
    {"id": 4, "text": None, "score": 1.0, "date": None, "meta": None},
    {"id": 5, "text": story(1), "score": 0.1, "date": "2021-01-01", "meta": {"tags": ["é"]}},
    {"id": 6, "text": story(2) + " and more", "score": None, "date": None, "meta": None},
]


def lines(rows=ROWS) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]


def jsonl(path: Path, rows=ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines(rows)))
    return path


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.parametrize("ending", PACKERS)
def test_lines_stay_as_they_are_in_the_same_compression(tmp_path, ending):
    odd = b'\xef\xbb\xbf{"text":"x y z","id":1}\r\n\n  \nnot json\n'
    body = b"".join(lines()) + lines()[0].rstrip(b"\n")
    path = tmp_path / f"a.jsonl{ending}"
    path.write_bytes(PACKERS[ending](odd + body))
    result = whorl.dedup(path, tmp_path / "out")
    written = (tmp_path / "out" / path.name).read_bytes()
    rows = lines()
    assert UNPACKERS[ending](written) == odd + rows[0] + rows[1] + rows[3]
    assert (result.report["documents"], result.report["removed"]) == (7, 4)
    assert not result.is_complete  # a line is no JSON, and is told; it stays
    assert [(fault.row, fault.left_out) for fault in result.faults] == [(4, False), (8, True)]


@pytest.mark.parametrize("compliant", [False, True])
def test_parquet_keeps_columns_metadata_codecs_and_row_groups(tmp_path, compliant):
    schema = pa.schema(
        [
            pa.field("id", pa.int32()),
            pa.field("text", pa.large_string(), metadata={"lang": "en"}),
            pa.field("score", pa.float32()),
            pa.field("date", pa.string()),
            pa.field("meta", pa.struct([("tags", pa.list_(pa.string()))])),
        ],
        metadata={"huggingface": "{}"},
    )
    table = pa.Table.from_pylist(ROWS, schema)
    path = tmp_path / "a.parquet"
    codecs = {"text": "zstd", "id": "gzip", "score": "none"}
    pq.write_table(table, path, row_group_size=4, compression=codecs, use_compliant_nested_type=compliant)
    whorl.dedup(path, tmp_path / "out")
    written = pq.ParquetFile(tmp_path / "out" / "a.parquet")
    assert written.read().to_pylist() == [table.to_pylist()[row] for row in (0, 1, 3)]
    assert written.schema_arrow.equals(pq.ParquetFile(path).schema_arrow, check_metadata=True)
    assert written.schema.equals(pq.ParquetFile(path).schema)
    assert written.metadata.num_row_groups == 1  # nothing of the second stays
    group = written.metadata.row_group(0)
    assert [group.column(number).compression for number in range(3)] == ["GZIP", "ZSTD", "UNCOMPRESSED"]


@pytest.mark.parametrize(
    ("keep", "options", "kept"),
    [
        ("first", {}, {1, 2, 4}),
        ("longest", {}, {1, 6, 4}),
        ("newest", {}, {5, 2, 4}),
        ("highest", {"rank": "score"}, {3, 2, 4}),
    ],
)
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_the_policies(tmp_path, keep, options, kept, kind):
    rows = [{**row, "id": number} for number, row in enumerate(ROWS, 1)]
    path = jsonl(tmp_path / "a.jsonl", rows)
    if kind == "parquet":
        path = tmp_path / "a.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path)
    whorl.dedup(path, tmp_path / "out", keep=keep, **options)
    written = tmp_path / "out" / path.name
    table = pq.read_table(written) if kind == "parquet" else pa.Table.from_pylist(
        [json.loads(line) for line in written.read_bytes().splitlines()]
    )  # fmt: skip
    assert set(table["id"].to_pylist()) == kept


def test_a_copy_is_identical_though_a_longer_text_represents_the_cluster(tmp_path):
    path = jsonl(tmp_path / "corpus.jsonl", [{"text": story(1)}, {"text": story(1)}, {"text": story(1) + " and more"}])
    report = whorl.dedup(path, tmp_path / "out").report
    assert report["kinds"] == {"identical": 1, "near": 1}


def test_the_layout_of_folders_and_what_was_removed(tmp_path):
    jsonl(tmp_path / "corpus" / "a" / "shard.jsonl", ROWS[:3])
    jsonl(tmp_path / "corpus" / "b" / "shard.jsonl", ROWS[3:])
    for name in ("one.txt", "two.txt"):
        (tmp_path / "corpus" / name).write_text(story(9))
    (tmp_path / "corpus" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    result = whorl.dedup(tmp_path / "corpus", tmp_path / "out")
    assert result.is_complete
    rows = lines()
    written = {name: data for name, data in files(tmp_path / "out").items() if not name.startswith("_whorl")}
    assert written == {
        "a/shard.jsonl": rows[0] + rows[1],
        "b/shard.jsonl": rows[3],
        "one.txt": story(9).encode(),
    }
    removed = pq.read_table(tmp_path / "out" / "_whorl" / "removed.parquet").to_pylist()
    assert [tuple(row.values()) for row in removed] == [
        ("a/shard.jsonl", 3, "identical", "a/shard.jsonl", 1),
        ("b/shard.jsonl", 2, "identical", "a/shard.jsonl", 1),
        ("b/shard.jsonl", 3, "near", "a/shard.jsonl", 2),
        ("two.txt", 0, "identical", "one.txt", 0),
    ]
    assert result.report["kinds"] == {"identical": 3, "near": 1}
    by_file = {row["file"]: row["kinds"] for row in result.report["files"]}
    assert by_file == {
        "a/shard.jsonl": {"identical": 1},
        "b/shard.jsonl": {"identical": 1, "near": 1},
        "one.txt": {},
        "two.txt": {"identical": 1},
    }
    assert set(files(tmp_path / "out" / "_whorl")) == {"recipe.json", "written.jsonl", "report.json", "removed.parquet"}


def test_shards_of_the_same_name_go_to_different_files(tmp_path):
    paths = [jsonl(tmp_path / name / "shard.jsonl", [*ROWS[:2], {}]) for name in ("a", "b")]
    result = whorl.dedup(paths, tmp_path / "out")
    assert [(fault.path, fault.row) for fault in result.faults] == [("a/shard.jsonl", 3), ("b/shard.jsonl", 3)]
    removed = pq.read_table(tmp_path / "out" / "_whorl" / "removed.parquet", columns=["file", "kept_file"]).to_pylist()
    assert [tuple(row.values()) for row in removed] == [("b/shard.jsonl", "a/shard.jsonl")] * 2
    assert (tmp_path / "out" / "a" / "shard.jsonl").read_bytes() == b"".join(lines(ROWS[:2])) + b"{}\n"
    assert (tmp_path / "out" / "b" / "shard.jsonl").read_bytes() == b"{}\n"
    with pytest.raises(InputError, match="two files of the corpus"):
        whorl.dedup([paths[0], paths[0]], tmp_path / "twice")


def test_the_same_bytes_with_any_number_of_threads(tmp_path):
    rows = [{"text": story(number % 50) + f" {'x ' * (number % 7)}"} for number in range(400)]
    for number in range(4):
        jsonl(tmp_path / "corpus" / f"{number}.jsonl", rows[number::4])
    for workers in (1, 2):
        whorl.dedup(tmp_path / "corpus", tmp_path / f"out{workers}", workers=workers)
    one, two = files(tmp_path / "out1"), files(tmp_path / "out2")
    assert one == two
    assert sum(data.count(b"\n") for name, data in one.items() if name[0] != "_") == 50


def test_the_journal_names_a_file_only_once_its_name_is_on_disk(tmp_path, monkeypatch):
    jsonl(tmp_path / "corpus" / "a.jsonl", ROWS)
    out, order = tmp_path / "out", []

    def noted(path):
        order.append((path, (out / "_whorl" / "written.jsonl").exists()))
        sync(path)

    monkeypatch.setattr(corpus_output, "sync", noted)
    whorl.dedup(tmp_path / "corpus", out)
    assert order == [(out / "_whorl" / ".part", False), (out / "_whorl", False), (out, False)]


def test_the_name_of_a_folder_is_on_disk_before_the_journal_names_a_file_in_it(tmp_path, monkeypatch):
    """Or a power cut takes the folder away, and with it a file that the journal calls complete."""
    jsonl(tmp_path / "corpus" / "a" / "b" / "c.jsonl", ROWS)
    out, synced = tmp_path / "out", list[Path]()

    def noted(path: Path) -> None:
        synced.append(path)
        sync(path)

    monkeypatch.setattr(corpus_output, "sync", noted)
    whorl.dedup(tmp_path / "corpus", out)
    assert (out / "a" / "b" / "c.jsonl").is_file()
    assert {out, out / "a", out / "a" / "b"} <= set(synced)


def test_a_stopped_run_resumes_and_writes_the_same(tmp_path, monkeypatch):
    for number in range(3):
        jsonl(tmp_path / "corpus" / f"{number}.jsonl", [*ROWS, {"text": story(20 + number)}])
    whorl.dedup(tmp_path / "corpus", tmp_path / "whole")
    write, calls = streams.copy_lines, []

    def failing(path, target, rows):
        calls.append(path.name)
        if len(calls) == 2:
            target.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        return write(path, target, rows)

    monkeypatch.setattr(corpus_dedup, "copy_lines", failing)
    with pytest.raises(WhorlError, match="No space left"):
        whorl.dedup(tmp_path / "corpus", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_file()] == ["0.jsonl"]
    with pytest.raises(InputError, match="other settings"):
        whorl.dedup(tmp_path / "corpus", tmp_path / "out", threshold=0.9)
    result = whorl.dedup(tmp_path / "corpus", tmp_path / "out")
    assert calls == ["0.jsonl", "1.jsonl", "1.jsonl", "2.jsonl"]
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert whorl.dedup(tmp_path / "corpus", tmp_path / "out").report == result.report  # nothing is done again
    assert len(calls) == 4


def test_starting_over_removes_only_what_was_written(tmp_path):
    path = jsonl(tmp_path / "a.jsonl")
    whorl.dedup(path, tmp_path / "out")
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        whorl.dedup(path, tmp_path / "out", threshold=0.9, fresh=True)
    assert set(files(tmp_path / "out")) > {"mine.txt", "a.jsonl"}
    (tmp_path / "out" / "mine.txt").unlink()
    (tmp_path / "out" / "_whorl" / ".part").write_text("of a run that was killed")
    assert whorl.dedup(path, tmp_path / "out", threshold=0.9, fresh=True).report["removed"] == 3


def test_damage_is_said_and_the_rest_is_written(tmp_path):
    path = tmp_path / "corpus" / "a.jsonl.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"".join(lines()))[:-30])
    table = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), table)
    (tmp_path / "corpus" / "b.parquet").write_bytes(table.getvalue()[:-30])
    jsonl(tmp_path / "corpus" / "c.jsonl", [{"text": story(30)}])
    result = whorl.dedup(tmp_path / "corpus", tmp_path / "out")
    assert not result.is_complete
    assert {fault.path for fault in result.faults if not fault.left_out} == {"a.jsonl.gz", "b.parquet"}
    assert (tmp_path / "out" / "c.jsonl").is_file()
    assert not (tmp_path / "out" / "b.parquet").exists()


@pytest.mark.parametrize(
    ("name", "data"), [("a.csv", b"id,text\n1,x y\n"), ("a.json", b'[{"text": "x"}]'), ("a.warc", b"WARC/1.0\r\n\r\n")]
)
def test_what_is_not_written_is_refused_before_any_work(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match="neither JSONL nor Parquet"):
        whorl.dedup(tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_archives_bad_policies_and_bad_places_are_refused(tmp_path):
    path = jsonl(tmp_path / "corpus" / "a.jsonl")
    for keep, rank, words in (
        ("best", None, "keep: 'best' is unknown"),
        ("highest", None, "need each other"),
        ("first", "score", "need each other"),
        ("highest", "none", r"no column 'none' \(--rank\)"),
    ):
        with pytest.raises(InputError, match=words):
            whorl.dedup(path, tmp_path / "out", keep=keep, rank=rank)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
    with pytest.raises(InputError, match="inside the corpus"):
        whorl.dedup(tmp_path / "corpus", tmp_path / "corpus" / "out")
    with pytest.raises(InputError, match="not a folder of this machine"):
        whorl.dedup(path, "s3://bucket/out")
    shutil.make_archive(str(tmp_path / "packed" / "a"), "zip", tmp_path / "corpus")
    with pytest.raises(InputError, match="unpack them"):
        whorl.dedup(tmp_path / "packed", tmp_path / "out")


def test_the_command(tmp_path):
    path = jsonl(tmp_path / "a.jsonl")
    result = CliRunner().invoke(main, ["dedup", str(path), "-o", str(tmp_path / "out"), "--keep", "newest"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("5 documents: 2 stay, 3 removed (2 identical, 1 near); ")
    assert "no document: a.jsonl, row 4: no 'text'" in result.stderr
    assert "--keep newest: 1 of 5 documents have no date" in result.stderr
    shown = CliRunner().invoke(
        main, ["dedup", str(path), "-o", str(tmp_path / "out"), "--keep", "newest", "--format", "json"]
    )
    assert json.loads(shown.stdout)["removed"] == 3


NOTE = "This notice is printed on every page of the archive."
POEM = "The sea had brought him a box of letters, and he read them all."


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("kind", ["jsonl.gz", "parquet"])
def test_repeated_paragraphs_are_cut_but_the_first(tmp_path, kind):
    rows: list[dict[str, Any]] = [
        {"text": f"{NOTE}\n\n{POEM}\nsecond line", "n": 1},
        {"text": f"short\n\n{NOTE.replace(' ', '  ')}\n \n\n{story(1)}", "n": 2},
        {"text": f"{story(1)}\n\n{NOTE}\n\nshort", "n": 3},
        {"text": None, "n": 4},
        {"text": f"{story(2)}\n\n{story(2)}", "n": 5},
    ]
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_bytes(gzip.compress(b"".join(lines(rows))))
    result = whorl.dedup(path, tmp_path / "out", unit="paragraph")
    written = tmp_path / "out" / path.name
    left = [rows[0]["text"], f"short\n\n{story(1)}", None, story(2)]
    if kind == "parquet":
        assert pq.read_table(written).to_pylist() == [
            {"text": text, "n": n} for text, n in zip(left, (1, 2, 4, 5), strict=True)
        ]
    else:
        assert [json.loads(line)["text"] for line in gzip.decompress(written.read_bytes()).splitlines()] == left
    assert (result.report["documents"], result.report["removed"], result.report["kinds"]) == (4, 1, {"paragraph": 4})
    # Exactly one copy of each is left: nothing is cut a second time.
    again = whorl.dedup(written, tmp_path / "again", unit="paragraph")
    assert again.report["kinds"] == {"paragraph": 0}


def test_repeated_lines_are_cut_across_files_and_other_bytes_stay(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    first = b'{"x": 1.50, "text": "' + NOTE.encode() + b'\\n\\u00e9t\\u00e9", "y": "\\u00e9"}\n'
    second = (
        b'{"x": 1e5, "text": "'
        + POEM.encode()
        + b"\\n"
        + NOTE.encode()
        + b'\\nend \\"q\\"", "y": "\\u00e9"}\nnot json\n'
    )
    (folder / "1.jsonl").write_bytes(first)
    (folder / "2.jsonl").write_bytes(second)
    (folder / "notes.txt").write_text(NOTE)
    whorl.dedup(folder, tmp_path / "out", unit="line")
    assert (tmp_path / "out" / "1.jsonl").read_bytes() == first
    cut = second.replace(NOTE.encode() + b"\\n", b"")
    assert (tmp_path / "out" / "2.jsonl").read_bytes() == cut
    assert (tmp_path / "out" / "notes.txt").read_text() == NOTE


def test_the_shortest_unit_and_wrong_options(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", [{"text": "one two three\nfour"}, {"text": "zero\none two three\nfive six"}])
    whorl.dedup(path, tmp_path / "all", unit="line")
    assert texts(tmp_path / "all" / "a.jsonl") == ["one two three\nfour", "zero\none two three\nfive six"]
    whorl.dedup(path, tmp_path / "out", unit="line", shortest=10)
    assert texts(tmp_path / "out" / "a.jsonl") == ["one two three\nfour", "zero\nfive six"]
    for options, words in (({"unit": "word"}, "unit"), ({"unit": "line", "shortest": 0}, "shortest")):
        with pytest.raises(InputError, match=words):
            whorl.dedup(path, tmp_path / "no", **options)
    with pytest.raises(InputError, match="leave out the other settings"):
        whorl.dedup(path, tmp_path / "no", unit="line", keep="longest")
    command = ["dedup", str(path), "-o", str(tmp_path / "cli"), "--unit", "line", "--shortest", "10"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.stdout.split(";")[:2]) == (0, ["2 documents: 2 stay, 0 removed", " 1 line cut"])
    refused = CliRunner().invoke(main, [*command, "--threshold", "0.5"])
    assert (refused.exit_code, "--threshold has no effect" in refused.stderr) == (2, True)


def prose(number: int, words: int = 60) -> str:
    return " ".join(f"Word{number}x{place}," for place in range(words))


def passage_rows() -> list[dict[str, Any]]:
    """Row 2 quotes row 1, row 3 has both and little else, row 5 repeats itself."""
    return [
        {"id": "a", "url": "http://a.org/1", "text": f"{prose(1)}\n\nThe end of the first."},
        {
            "id": "b",
            "url": "http://a.org/2",
            "text": f"{prose(2)} And he wrote:\n{prose(1).upper()} So far the quote.",
        },
        {"id": "c", "url": "http://b.org/3", "text": f"{prose(1)} {prose(2)} Tiny rest."},
        {"id": "d", "url": None, "text": None},
        {"id": "e", "url": None, "text": f"{prose(5)} between {prose(5)}"},
    ]


def stored(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
    else:
        path.write_bytes(gzip.compress(b"".join(lines(rows))))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet"])
def test_repeated_passages_are_cut_but_the_first(tmp_path, name):
    rows = passage_rows()
    path = stored(tmp_path / name, rows)
    result = whorl.dedup(path, tmp_path / "out", unit="passage", workers=1)
    left = [
        rows[0],
        {**rows[1], "text": f"{prose(2)} And he wrote:\nSo far the quote."},
        rows[3],
        {**rows[4], "text": f"{prose(5)} between "},
    ]
    assert rows_of(tmp_path / "out" / name) == left
    assert (result.report["documents"], result.report["removed"], result.report["kinds"]) == (4, 1, {"passage": 3})
    listed = pq.read_table(tmp_path / "out" / "_whorl" / "passages.parquet").to_pylist()
    assert [(each["row"], each["kept_row"]) for each in listed] == [(2, 1), (3, 1), (5, 5)]
    quoted = listed[0]
    assert rows[1]["text"][quoted["start"] : quoted["end"]] == prose(1).upper().rstrip(",")
    again = whorl.dedup(tmp_path / "out" / name, tmp_path / "again", unit="passage")
    assert again.report["kinds"] == {"passage": 0}
    whorl.dedup(path, tmp_path / "two", unit="passage", workers=2, memory=1 << 20)
    assert files(tmp_path / "two") == files(tmp_path / "out")


def test_passages_across_files_keep_the_copy_of_the_first(tmp_path):
    for number in range(3):
        stored(
            tmp_path / "corpus" / f"{number}.jsonl.gz", [{"text": f"{prose(number)} {prose(9)} {prose(number + 20)}"}]
        )
    result = whorl.dedup(tmp_path / "corpus", tmp_path / "out", unit="passage")
    kept = [prose(9) in rows_of(tmp_path / "out" / f"{number}.jsonl.gz")[0]["text"] for number in range(3)]
    assert kept == [True, False, False]
    assert [row["kinds"] for row in result.report["files"]] == [{"passage": 0}, {"passage": 1}, {"passage": 1}]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet"])
def test_marks_are_attributes_beside_the_data(tmp_path, name):
    rows = passage_rows()
    path = stored(tmp_path / name, rows)
    whorl.dedup(path, tmp_path / "out", unit="passage", mark=True, boilerplate=1)
    target = tmp_path / "out" / (f"{name}.jsonl" if name.endswith("parquet") else name)
    data = target.read_bytes()
    attributes = [json.loads(line) for line in (gzip.decompress(data) if name.endswith("gz") else data).splitlines()]
    assert [each["id"] for each in attributes] == [row["id"] for row in rows]
    assert attributes[3]["attributes"] == {}
    for kind, expected in (
        ("whorl__boilerplate", [[prose(1)], [prose(1).upper()], [], []]),
        ("whorl__passage", [[], [], [f"{prose(1)} {prose(2)}"], [prose(5)]]),
    ):
        quoted = [
            [row["text"][start:end] + "," for start, end, score in each["attributes"][kind] if score == 1.0]
            for row, each in zip(rows, attributes, strict=True)
            if row["text"] is not None
        ]
        assert quoted == expected


@pytest.mark.parametrize(
    ("unit", "setting"),
    [("passage", {"boilerplate": -1}), ("passage", {"tokens": 1}), ("passage", {"tokens": "9"}),
     ("line", {"shortest": 0}), ("paragraph", {"shortest": -5}), ("passage", {"shortest": None})],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(unit, setting):
    with pytest.raises(InputError, match=f"^{next(iter(setting))}: .* is out of range; give "):
        whorl.dedup([{"text": "a text"}], unit=unit, **setting)


def test_text_of_base_does_not_make_rows_alike(tmp_path):
    licence = story(99)
    path = jsonl(tmp_path / "a.jsonl", [{"text": f"{licence} {story(number)[:120]}"} for number in range(3)])
    (tmp_path / "licence.txt").write_text(licence)
    command = ["dedup", str(path), "--threshold", "0.3", "-o"]
    without = CliRunner().invoke(main, [*command, str(tmp_path / "all")])
    assert without.stdout.startswith("3 documents: 1 stay, 2 removed")
    result = CliRunner().invoke(main, [*command, str(tmp_path / "out"), "--base", str(tmp_path / "licence.txt")])
    assert result.stdout.startswith("3 documents: 3 stay, 0 removed"), result.stderr
    other = CliRunner().invoke(main, [*command, str(tmp_path / "out")])
    assert "--fresh" in other.stderr
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(InputError, match=r"base: .*empty\.txt"):
        whorl.dedup(path, tmp_path / "no", base=[empty])
    with pytest.raises(InputError, match="leave out the other settings"):
        whorl.dedup(path, tmp_path / "no", unit="line", base=[tmp_path / "licence.txt"])
    assert not (tmp_path / "no").exists()


def test_passages_on_the_command_line(tmp_path):
    path = stored(tmp_path / "a.jsonl.gz", passage_rows())
    command = ["dedup", str(path), "--unit", "passage", "-o"]
    result = CliRunner().invoke(main, [*command, str(tmp_path / "out"), "--boilerplate", "1"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("4 documents: 3 stay, 1 removed; 2 passages cut; 1 of boilerplate cut; ")
    marked = CliRunner().invoke(main, [*command, str(tmp_path / "marks"), "--mark"])
    assert "3 passages marked" in marked.stdout
    refused = CliRunner().invoke(main, [*command, str(tmp_path / "no"), "--threshold", "0.5"])
    assert "--threshold has no effect with --unit passage" in refused.stderr
    wrong = CliRunner().invoke(main, ["dedup", str(path), "-o", str(tmp_path / "no"), "--unit", "line", "--mark"])
    assert "only for the unit 'passage'" in wrong.stderr
    assert not (tmp_path / "no").exists()


def test_passages_of_text_files_are_cut(tmp_path):
    folder, out = tmp_path / "corpus", tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text(prose(1), newline="")
    (folder / "b.md").write_text(f"{prose(2)}\r\n{prose(1)}\r\n{prose(3)}", newline="")
    (folder / "c.txt").write_text(prose(1).upper())
    jsonl(folder / "d.jsonl", [{"id": "d", "text": f"{prose(4)} {prose(1)}"}])
    report = whorl.dedup(folder, out, unit="passage").report
    assert (out / "a.txt").read_bytes() == (folder / "a.txt").read_bytes()
    assert (out / "b.md").read_bytes().decode() == f"{prose(2)}\r\n{prose(3)}"
    assert not (out / "c.txt").exists()
    assert json.loads((out / "d.jsonl").read_text())["text"].strip() == prose(4)
    assert (report["documents"], report["removed"], report["kinds"]["passage"]) == (4, 1, 3)
    places = [
        (row["file"], row["row"], row["kept_file"])
        for row in pq.read_table(out / "_whorl" / "passages.parquet").to_pylist()
    ]
    assert places == [("b.md", 0, "a.txt"), ("c.txt", 0, "a.txt"), ("d.jsonl", 1, "a.txt")]


@pytest.fixture
def shards(tmp_path):
    """Two shards of one name: the second has a copy and a near-duplicate of rows of the first."""
    paths = [tmp_path / folder / "part.jsonl" for folder in ("january", "february")]
    for path, rows in zip(paths, ([1, 2, 1], [3, 1, 4, 2]), strict=True):
        path.parent.mkdir()
        path.write_text("".join(json.dumps({"id": number, "text": story(number)}) + "\n" for number in rows))
    with paths[1].open("a") as file:
        file.write(json.dumps({"id": 5, "text": story(2) + " and nothing else"}) + "\n")
    return paths


def ids(path: Path) -> list[int]:
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


def test_later_shards_are_compared_with_earlier_ones_by_an_index(shards, tmp_path):
    january, february = shards
    index, out = tmp_path / "seen.sweep", tmp_path / "out"
    first = whorl.dedup(january, out / "1", index=index)
    january.unlink()  # not read again
    second = whorl.dedup(february, out / "2", index=index)
    assert ids(out / "1" / "part.jsonl") == [1, 2]
    assert ids(out / "2" / "part.jsonl") == [3, 4]
    assert first.report["index"] == {"overlaps": 0, "stored": 2}
    assert second.report["index"]["stored"] == 4
    assert second.report["kinds"] == {"identical": 2, "near": 1}
    removed = pq.read_table(out / "2" / "_whorl" / "removed.parquet").to_pylist()
    assert [(row["row"], row["kept_file"], row["kept_row"]) for row in removed] == [
        (2, str(january.resolve()), 1), (4, str(january.resolve()), 2), (5, str(january.resolve()), 2),
    ]  # fmt: skip


def test_an_index_gives_the_same_answers_after_a_stop(shards, tmp_path, monkeypatch):
    index = tmp_path / "seen.sweep"
    with monkeypatch.context() as patched:
        patched.setattr(corpus_output.OutputFolder, "write_file", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            whorl.dedup(shards, tmp_path / "out", index=index)  # after the commit, before any file
    result = whorl.dedup(shards, tmp_path / "out", index=index)
    whorl.dedup(shards, tmp_path / "other", index=tmp_path / "other.sweep")
    for name in ("january/part.jsonl", "february/part.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert result.report["kept"] == 4
    again = whorl.dedup(shards, tmp_path / "third", index=index)
    assert (again.report["kept"], again.report["index"]["stored"]) == (4, 4)


def test_an_index_takes_documents_that_are_files(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, number in (("a.txt", 1), ("b.txt", 2), ("c.txt", 1)):
        (corpus / name).write_text(story(number))
    result = whorl.dedup(corpus, tmp_path / "out", index=tmp_path / "seen.sweep")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.txt")) == ["a.txt", "b.txt"]
    assert result.report["kinds"] == {"identical": 1}


@pytest.mark.parametrize(
    "options", [{"keep": "longest"}, {"closure": True}, {"boilerplate": 3}, {"unit": "line"}, {"mark": True}]
)
def test_settings_without_a_meaning_for_an_index_are_refused(shards, tmp_path, options):
    with pytest.raises(InputError):
        whorl.dedup(shards, tmp_path / "out", index=tmp_path / "seen.sweep", **options)
    assert not (tmp_path / "seen.sweep").exists()


def test_an_index_keeps_its_settings(shards, tmp_path):
    index = tmp_path / "seen.sweep"
    whorl.dedup(shards[0], tmp_path / "1", index=index, threshold=0.6)
    whorl.dedup(shards[1], tmp_path / "2", index=index)
    with pytest.raises(InputError, match=r"these sweeps use 0\.6"):
        whorl.dedup(shards[1], tmp_path / "3", index=index, threshold=0.5)
    run = CliRunner().invoke(
        main, ["dedup", str(shards[1]), "-o", str(tmp_path / "4"), "--index", str(index), "--threshold", "0.6"]
    )
    assert run.exit_code == 0
    assert "5 documents: 2 stay" in run.output
