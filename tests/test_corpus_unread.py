"""What cannot be read or searched stays in a corpus that is written again, and is reported; bytes are searched."""

import errno
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner

import whorl
from tests.test_corpus_dedup import UNPACKERS, story
from whorl.cli import main
from whorl.formats.archives.rules import Rules

LONG = " ".join(story(number) for number in range(2))
OTHER = "Something else follows that is long enough to stay here."
TEXTS = [LONG, f"{LONG}\n\n{OTHER}"]
UNITS = ["document", "passage", "paragraph", "line"]
BAD = b"""{"text": "%s"}
not json
{"text": 5}
{"text": "x \\ud800"}
{"other": 1}
{"text": " "}

{"text": "%s"}
"""


def reasons(result: whorl.Deduplication) -> list[tuple[int, str, bool]]:
    faults = sorted(result.faults, key=lambda fault: fault.row)
    return [(fault.row, fault.reason, fault.left_out) for fault in faults]


@pytest.mark.parametrize("unit", UNITS)
def test_unreadable_rows_are_reported_whatever_the_unit(tmp_path, unit):
    path = tmp_path / "a.jsonl"
    path.write_bytes(BAD % (story(1).encode(), story(2).encode()))
    result = whorl.dedup(path, tmp_path / "out", unit=unit)
    assert reasons(result) == [
        (2, "not JSON, from character 1 on: Expecting value", False),
        (3, "'text' is a number, not a text", False),
        (4, "not Unicode: half of a surrogate pair", False),
        (5, "no 'text'", True),
        (6, "'text' is empty", True),
    ]
    assert {fault.path for fault in result.faults} == {"a.jsonl"}
    assert (result.report["documents"], result.report["kept"]) == (2, 2)
    assert (tmp_path / "out" / "a.jsonl").read_bytes() == path.read_bytes()
    run = CliRunner().invoke(main, ["dedup", str(path), "-o", str(tmp_path / "cli"), "--unit", unit])
    assert run.exit_code == 1
    assert "'text' is a number, not a text" in run.output


@pytest.mark.parametrize(
    "settings", [*({"unit": unit} for unit in UNITS), {"unit": "passage", "mark": True}, {}], ids=str
)
def test_files_that_cannot_be_opened_are_reported_and_the_others_are_written(tmp_path, monkeypatch, settings):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("a.jsonl", "b.jsonl", "c.txt"):
        (corpus / name).write_text(json.dumps({"id": name, "text": story(ord(name[0]))}) + "\n")
    (corpus / "d.jsonl").symlink_to("a.jsonl")
    opened = os.open

    def refusing(path: str | Path, *flags: int, **folder: int) -> int:
        if Path(path).name in ("b.jsonl", "c.txt"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, *flags, **folder)

    monkeypatch.setattr(os, "open", refusing)
    if settings:
        result = whorl.dedup(corpus, tmp_path / "out", **settings)
    else:
        result = whorl.decontaminate(corpus, tmp_path / "out", [{"text": story(0)}])
    assert sorted((fault.path, fault.reason.removeprefix("not written: ")) for fault in result.faults) == [
        ("b.jsonl", "permission denied"),
        ("c.txt", "permission denied"),
        ("d.jsonl", "refused: a symbolic link"),
    ]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_whorl", "a.jsonl"]


@pytest.mark.parametrize("unit", ["paragraph", "line"])
def test_faults_of_files_that_were_complete_are_reported_after_a_stop(tmp_path, monkeypatch, unit):
    for name in "ab":
        path = tmp_path / "corpus" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(BAD % (story(1).encode(), name.encode()))

    def stop(step, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        whorl.dedup(tmp_path / "corpus", tmp_path / "out", unit=unit, progress=stop)
    result = whorl.dedup(tmp_path / "corpus", tmp_path / "out", unit=unit)
    assert [(fault.path, fault.row) for fault in result.faults] == [
        (f"{name}.jsonl", row) for name in "ab" for row in (2, 3, 4, 5, 6)
    ]
    assert all("faults" not in file for file in result.report["files"])


@pytest.mark.parametrize("unit", UNITS)
def test_unreadable_rows_in_memory_are_reported(unit):
    result = whorl.dedup([{"text": LONG}, {"text": 5}, {"text": None}], unit=unit)
    assert reasons(result) == [(1, "'text' is a number, not a text", False), (2, "no 'text'", True)]


@pytest.mark.parametrize("unit", ["paragraph", "line"])
def test_a_missing_column_is_refused(tmp_path, unit):
    pq.write_table(pa.table({"body": [LONG]}), tmp_path / "a.parquet")
    with pytest.raises(whorl.InputError, match="no column 'text'"):
        whorl.dedup(tmp_path / "a.parquet", tmp_path / "out", unit=unit)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_later_table_without_the_column_stays_and_is_reported(tmp_path, unit, kind):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in [LONG, LONG]))
    other = tmp_path / "in" / f"b.{kind}"
    if kind == "jsonl":
        other.write_text('{"body":  1}\n')
    else:
        pq.write_table(pa.table({"body": [1]}), other)
    result = whorl.dedup(tmp_path / "in", tmp_path / "out", unit=unit)
    (fault,) = result.faults
    assert (fault.path, fault.row, fault.left_out) == (other.name, 0, False)
    assert fault.reason.startswith("no column 'text' (--text); there are 'body'")
    assert result.report["removed"] == 1
    if kind == "jsonl":
        assert (tmp_path / "out" / other.name).read_bytes() == other.read_bytes()
    assert (tmp_path / "out" / other.name).is_file()


def table(path: Path, texts: list[bytes | str | None], kind: pa.DataType) -> Path:
    pq.write_table(pa.table({"id": list(range(len(texts))), "text": pa.array(texts, kind)}), path)
    return path


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
@pytest.mark.parametrize("unit", ["passage", "paragraph", "line"])
def test_bytes_are_searched_and_cut(tmp_path, unit, kind):
    path = table(tmp_path / "a.parquet", [text.encode() for text in TEXTS], kind)
    result = whorl.dedup(path, tmp_path / "out", unit=unit)
    written = pq.read_table(tmp_path / "out" / "a.parquet")
    assert written.schema.field("text").type == kind
    assert [text.strip() for text in written["text"].to_pylist()] == [LONG.encode(), OTHER.encode()]
    assert (result.report["documents"], result.is_complete) == (2, True)


def test_bytes_are_searched_for_items_and_marked(tmp_path):
    path = table(tmp_path / "a.parquet", [text.encode() for text in TEXTS], pa.binary())
    (tmp_path / "items.jsonl").write_text(json.dumps({"question": LONG}) + "\n")
    result = whorl.decontaminate(path, tmp_path / "clean", [tmp_path / "items.jsonl"])
    assert result.report["removed"] == 2
    whorl.dedup(path, tmp_path / "marks", unit="passage", mark=True)
    marks = [json.loads(line) for line in (tmp_path / "marks" / "a.parquet.jsonl").read_text().splitlines()]
    assert [len(row["attributes"]["whorl__passage"]) for row in marks] == [0, 1]


@pytest.mark.parametrize("kind", [pa.binary(), pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
@pytest.mark.parametrize(("unit", "mark"), [("passage", False), ("passage", True), ("paragraph", False)])
def test_texts_that_are_not_utf8_stay_and_are_reported(tmp_path, unit, kind, mark):
    raw = pa.array([LONG.encode(), b"caf\xe9 au lait", None, TEXTS[1].encode()], pa.binary())
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    wide = pa.array(raw.to_pylist(), pa.large_binary()) if pa.types.is_large_string(values) else raw
    column = wide.view(values)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": column if values == kind else column.dictionary_encode()}), path)
    result = whorl.dedup(path, tmp_path / "out", unit=unit, mark=mark)
    assert [(row, "not UTF-8" in reason, left_out) for row, reason, left_out in reasons(result)] == [
        (2, True, False), (3, False, True),
    ]  # fmt: skip
    if mark:
        assert len((tmp_path / "out" / "a.parquet.jsonl").read_bytes().splitlines()) == 4
        return
    written = pq.read_table(tmp_path / "out" / "a.parquet")["text"]
    assert written.type == kind
    left = written.cast(values).cast(wide.type).to_pylist()
    assert left[:3] == [LONG.encode(), b"caf\xe9 au lait", None]
    assert left[3].strip() == OTHER.encode()


def test_a_damaged_row_group_is_marked_without_spans(tmp_path):
    path = tmp_path / "a.parquet"
    texts = [story(number) + "\n\n" + LONG for number in range(4, 8)]
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "text": texts}), path, row_group_size=2, compression="none")
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(0).column(1).dictionary_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    result = whorl.dedup(path, tmp_path / "out", unit="passage", mark=True)
    marks = [json.loads(line) for line in (tmp_path / "out" / "a.parquet.jsonl").read_text().splitlines()]
    assert [row["id"] for row in marks] == [None, None, 3, 4]
    assert len(marks[3]["attributes"]["whorl__passage"]) == 1
    assert [row for row, _, _ in reasons(result)] == [0, 1]


def test_an_id_with_half_a_surrogate_pair_is_marked(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": {"a": "\\ud83d"}, "text": "a text"}\n')
    whorl.dedup(path, tmp_path / "out", unit="passage", mark=True)
    assert json.loads((tmp_path / "out" / "a.jsonl").read_text())["id"] == {"a": "\ud83d"}


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("size", [2000, 5 << 20])
def test_a_line_that_is_too_long_stays_and_is_reported(tmp_path, ending, last, size):
    lines = [json.dumps({"text": text}).encode() for text in TEXTS]
    long = b'{"text": "' + b"long " * (size // 5) + b'"}'
    data = b"\n".join([*lines, long] if last else [lines[0], long, lines[1]])
    path = tmp_path / f"a.jsonl{ending}"
    path.write_bytes(gzip.compress(data, 1) if ending else data)
    rules = Rules(member=1500)
    rest = json.dumps({"text": OTHER}).encode()
    wanted = b"\n".join([lines[0], rest, long] if last else [lines[0], long, rest]) + b"\n"
    for unit in ("passage", "paragraph"):
        result = whorl.dedup(path, tmp_path / unit, unit=unit, rules=rules)
        assert UNPACKERS[ending]((tmp_path / unit / path.name).read_bytes()) == wanted
        assert reasons(result) == [(3 if last else 2, "a line of more than 1,500 bytes", False)]
    (tmp_path / "items.jsonl").write_text(json.dumps({"question": story(90)}) + "\n")
    whorl.decontaminate(path, tmp_path / "clean", [tmp_path / "items.jsonl"], rules=rules)
    assert UNPACKERS[ending]((tmp_path / "clean" / path.name).read_bytes()) == data + b"\n"
    whorl.dedup(path, tmp_path / "marks", unit="passage", mark=True, rules=rules)
    marks = UNPACKERS[ending]((tmp_path / "marks" / path.name).read_bytes()).splitlines()
    assert [bool(json.loads(line)["attributes"].get("whorl__passage")) for line in marks] == (
        [False, True, False] if last else [False, False, True]
    )


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(level=1).compress,
}


def read_all(path: Path) -> bytes:
    return bytes(UNPACKERS[path.suffix.replace(".jsonl", "")](path.read_bytes()))


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("unit", ["document", "paragraph"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_of_a_truncated_file_only_complete_lines_are_written(tmp_path, ending, unit, share):
    body = b"".join(json.dumps({"text": story(number)}).encode() + b"\n" for number in range(500))
    packed = PACKED[ending](body)
    path = tmp_path / f"a.jsonl{ending}"
    path.write_bytes(packed[: int(len(packed) * share)])
    result = whorl.dedup(path, tmp_path / "out", unit=unit)
    written = read_all(tmp_path / "out" / path.name)
    assert not written or written.endswith(b"}\n")
    assert set(written.splitlines()) <= set(body.splitlines())
    assert not result.is_complete
    assert any("damaged" in reason for _, reason, _ in reasons(result))


@pytest.mark.parametrize("ending", ["", *PACKED])
def test_a_line_longer_than_a_chunk_is_copied(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("whorl.formats.corpora.streams._HELD", 1 << 16)
    rows = [story(1), "x " * (3 << 20), story(1), "y " * (3 << 20), story(2)]
    lines = [json.dumps({"text": text}).encode() for text in rows]
    path = tmp_path / f"a.jsonl{ending}"
    path.write_bytes(PACKED.get(ending, bytes)(b"\n".join(lines)))
    whorl.dedup(path, tmp_path / "out")
    assert read_all(tmp_path / "out" / path.name) == b"\n".join([*lines[:2], *lines[3:]])
