"""JSONL: hostile lines are faults with their numbers, and the lines beside them are read."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.corpora.making import jsonl, packed, planted, reasons, split
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.streams import lines

GOOD = b'{"text": "good"}'

HOSTILE = {
    b"not json": "not JSON, from character 1 on: ",
    b'{"text": "x"': "not JSON, from character 13 on: ",
    b"[1, 2]": "not a JSON object",
    b'"text"': "not a JSON object",
    b'{"text": null}': "no 'text'",
    b'{"other": "x"}': "no 'text'",
    b'{"text": 3}': "'text' is a number, not a text",
    b'{"text": ["x"]}': "'text' is a list, not a text",
    b'{"text": ""}': "'text' is empty",
    b'{"text": " \\n\\t"}': "'text' is empty",
    b'{"text": "x", "id": 1.5}': "'id' is a number, neither a string nor a whole number",
    b'{"text": "x", "id": true}': "'id' is true or false, neither a string nor a whole number",
    b'{"text": "x", "url": {}}': "'url' is an object, neither a string nor a whole number",
    b'{"text": "caf\xe9"}': "not UTF-8: byte 14 of the line",
    b'{"text": "\\ud83d"}': "not Unicode: half of a surrogate pair",
    b'{"text": "x", "id": "\\udc00"}': "not Unicode: half of a surrogate pair",
    b'{"text": "a\0b"}': "not JSON, from character 12 on: ",
    b'{"text": "x", "deep": ' + b"[" * 100_000: "not read: brackets nested too deep",
    b'{"text": "x", "n": ' + b"9" * 5000 + b"}": "not read: a number of too many digits",
    b'\xef\xbb\xbf{"text": "x"}': "not JSON, from character 1 on: ",
}


@pytest.mark.parametrize("bad", HOSTILE, ids=lambda bad: bad[:30].decode("ascii", "replace"))
def test_a_hostile_line_is_a_fault_and_the_rest_goes_on(tmp_path, bad):
    path = planted(tmp_path, "a.jsonl", GOOD + b"\n" + bad + b"\n" + GOOD)
    records, faults = split(path)
    assert [record.id for record in records] == ["a.jsonl:1", "a.jsonl:3"]
    (fault,) = faults
    is_without_text = HOSTILE[bad] in ("no 'text'", "'text' is empty")
    assert (fault.path, fault.row, fault.left_out) == ("a.jsonl", 2, is_without_text)
    assert fault.reason.startswith(HOSTILE[bad])


def test_oddities_that_are_no_faults(tmp_path):
    data = b"\xef\xbb\xbf" + b"\r\n".join(
        [
            GOOD,
            b"",
            b"  ",
            b'{"text": "a\\u0000b"}',
            b'{"text": "first", "text": "last"}',
            b'{"text": "\\ud83d\\ude00"}',
        ]
    )
    records, faults = split(planted(tmp_path, "a.jsonl", data))
    assert not faults
    assert [record.row for record in records] == [1, 4, 5, 6]
    assert [record.document.content for record in records] == ["good", "a\0b", "last", "😀"]


def test_a_line_of_ten_megabytes_is_read_and_one_above_the_limit_is_not(tmp_path):
    long = jsonl([{"text": "word " * 2_000_000}])
    path = planted(tmp_path, "a.jsonl", GOOD + b"\n" + long + GOOD)
    assert [len(str(record.document.content)) for record in split(path)[0]] == [4, 10_000_000, 4]
    records, faults = split(path, rules=Rules(member=1 << 20))
    assert [record.row for record in records] == [1, 3]
    assert [(fault.row, fault.reason) for fault in faults] == [(2, "a line of more than 1,048,576 bytes")]


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_compressed_file_that_breaks_off(tmp_path, ending):
    rows = [{"text": f"text {number * 7919 % 1009} {'x' * (number % 50)}"} for number in range(20_000)]
    data = packed(jsonl(rows), ending)
    for cut in (9, len(data) // 2, len(data) - 1):
        records, faults = split(planted(tmp_path, "a.jsonl" + ending, data[:cut]))
        assert all(record.document.content == rows[record.row - 1]["text"] for record in records)
        if ending == ".gz" and cut > 9:
            assert len(records) > 1000
        (fault,) = faults
        assert fault.row == len(records) + 1
        assert fault.reason == "damaged: it breaks off; the rest of the file is not read"


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_bits_that_flip(tmp_path, ending):
    data = packed(jsonl([{"id": i, "text": f"text {i * 7919}"} for i in range(500)]), ending)
    for at in range(0, len(data), max(1, len(data) // 60)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        records, faults = split(planted(tmp_path, "a.jsonl" + ending, bytes(damaged)))
        assert len(records) + len(faults) >= 1


def test_garbage_behind_gzip_is_said_and_padding_is_not(tmp_path):
    data = packed(jsonl([{"text": "a"}]), ".gz")
    assert reasons(planted(tmp_path, "a.jsonl.gz", data + bytes(999) + data[:0])) == {}
    assert "not gzip" in reasons(planted(tmp_path, "b.jsonl.gz", data + b"garbage"))[2]


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")), max_size=20), st.integers(1, 7))
def test_lines_do_not_depend_on_the_chunks(wanted, step):
    data = b"\n".join(wanted)

    class Pieces:
        at = 0

        def chunk(self):
            self.at += step
            return data[self.at - step : self.at]

    found = [line.content for line in lines(Pieces(), 5)]  # type: ignore[arg-type]
    whole = data.split(b"\n") if not data.endswith(b"\n") else data.split(b"\n")[:-1]
    assert found == ([line if len(line) <= 5 else None for line in whole] if data else [])


def test_a_long_corpus_streams_in_little_memory(tmp_path):
    """200 MB of text in a small file: what it takes above the interpreter is measured, in a process of its own."""
    import zstandard

    line = json.dumps({"text": "word " * 20_000}).encode() + b"\n"
    with zstandard.open(tmp_path / "a.jsonl.zst", "wb") as file:
        for _ in range(2000):
            file.write(line)
    script = (
        "import resource, sys; from pathlib import Path; from whorl.formats.corpora.read import read\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); count = sum(1 for _ in read(Path(sys.argv[1]))); print(count, peak() - before)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.jsonl.zst")], capture_output=True, text=True, check=True
    )
    count, kilobytes = map(int, result.stdout.split())
    assert count == 2000
    assert kilobytes < 60_000
