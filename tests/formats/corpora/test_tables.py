"""Every kind of table is read, or refused with a reason."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest

from tests.formats.corpora.making import ROWS, http, jsonl, packed, planted, split, warc
from whorl.errors import InputError
from whorl.formats.corpora import jsonl as json_reader
from whorl.formats.corpora.read import prefixes, read
from whorl.formats.corpora.records import Columns, Fault, kinds_of_faults

PACKED = ("", ".gz", ".zst", ".bz2", ".xz")
IDS = [row["id"] for row in ROWS]


def as_csv(rows, delimiter=","):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_arrow(rows, stream=False):
    table, sink = pa.Table.from_pylist(rows), io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    return sink.getvalue()


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        *((f"rows.jsonl{ending}", packed(jsonl(ROWS), ending)) for ending in PACKED),
        *((f"rows.json{ending}", packed(json.dumps(ROWS, indent=1).encode(), ending)) for ending in PACKED),
        *((f"rows.csv{ending}", packed(as_csv(ROWS), ending)) for ending in PACKED),
        ("rows.tsv", as_csv(ROWS, "\t")),
        ("semicolons.csv", as_csv(ROWS, ";")),
        ("marked.csv", b"\xef\xbb\xbf" + as_csv(ROWS)),
        ("rows.arrow", as_arrow(ROWS)),
        ("rows.feather", as_arrow(ROWS)),
        ("stream.arrow", as_arrow(ROWS, stream=True)),
    ],
)
def test_rows_of_every_container(tmp_path, name, data, folder):
    path = planted(tmp_path, name, data)
    records, faults = split(path.parent if folder else path)
    assert faults == []
    assert [record.id for record in records] == IDS
    assert [record.document.content for record in records] == [row["text"] for row in ROWS]
    assert [record.row for record in records] == list(range(1, 10))[: len(IDS)]
    assert {(record.document.url, record.document.date) for record in records[:1]} == {("http://x/0", "2024-01-02")}


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2"])
def test_texts_of_common_crawl(tmp_path, ending):
    records = b"".join(warc(f"text {n} of a page".encode(), n, "conversion", "text/plain") for n in (1, 2))
    path = planted(tmp_path, f"CC-MAIN-0001.warc.wet{ending}", packed(records, ending))
    for place in (path, path.parent):
        pages, faults = split(place)
        assert [page.document.content for page in pages] == [b"text 1 of a page", b"text 2 of a page"]
        assert faults == []


def test_a_folder_keeps_other_csv_and_json_as_documents(tmp_path):
    planted(tmp_path, "data.csv", b"year,sum\n2001,7\n")
    path = planted(tmp_path, "list.json", b'[{"year": 2001}]')
    records, faults = split(path.parent)
    assert ([record.row for record in records], faults) == ([0, 0], [])
    for name in ("data.csv", "list.json"):
        with pytest.raises(InputError, match="no column 'text'"):
            read(path.parent / name)


def test_a_cell_with_line_breaks_and_bad_rows_of_csv(tmp_path):
    rows = b'id,text\n1,"two\nlines, ""quoted"""\n2,"open"wrong\n3\n4,a,b\n5,\xff\n6,good\n'
    records, faults = split(planted(tmp_path, "a.csv", rows))
    assert [(record.id, record.document.content) for record in records] == [
        ("1", 'two\nlines, "quoted"'),
        ("6", "good"),
    ]
    assert [(fault.row, fault.left_out) for fault in faults] == [(2, False), (3, True), (4, False), (5, False)]
    records, faults = split(planted(tmp_path, "b.csv", b'id,text\n1,a\n2,"never closed\n'))
    assert [record.id for record in records] == ["1"]
    assert faults[0].reason.startswith("not CSV")


def test_a_json_array_is_read_in_pieces_of_any_size(tmp_path, monkeypatch):
    rows = [{"id": number, "text": "ü" * (7 * number + 1)} for number in range(40)]
    data = json.dumps([*rows, 17, "x", None], ensure_ascii=False).encode()

    class Pieces:
        member, offset = -1, 0

        def __init__(self, size):
            self._pieces = iter([data[at : at + size] for at in range(0, len(data), size)])

        def chunk(self):
            return next(self._pieces, b"")

        def resync(self, start):
            return False

    for size in (1, 2, 7, 100, len(data)):
        assert list(json_reader._elements(Pieces(size), 10_000)) == [*rows, 17, "x", None]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'[{"id": "1", "text": "a"}, {"id": "2", "text"', "not JSON"),
        (b'[{"id": "1", "text": "a"}', "no end"),
        (b'[{"id": "1", "text": "a"}, {"id": "2", "text": "\xff"}]', "not UTF-8"),
    ],
)
def test_a_broken_array(tmp_path, data, reason):
    records, (fault,) = split(planted(tmp_path, "a.json", data))
    assert [record.id for record in records] in ([], ["1"])
    assert reason in fault.reason
    assert not fault.left_out


def test_a_damaged_arrow_file_is_a_fault(tmp_path):
    records, (fault,) = split(planted(tmp_path, "a.arrow", as_arrow(ROWS, stream=True)[:-900]))
    assert len(records) < len(ROWS)
    assert fault.reason.startswith("damaged")
    assert not fault.left_out
    _, (fault,) = split(planted(tmp_path, "b.arrow", b"something else"))
    assert fault.reason.startswith("damaged")


@pytest.mark.parametrize("ending", [".bz2", ".xz"])
def test_a_damaged_stream_is_a_fault(tmp_path, ending):
    data = packed(jsonl(ROWS), ending)
    _, (fault,) = split(planted(tmp_path, f"a.jsonl{ending}", data[:-20]))
    assert "damaged" in fault.reason
    # Streams one behind the other are one file.
    two = packed(jsonl(ROWS[:4]), ending) + packed(jsonl(ROWS[4:]), ending)
    records, faults = split(planted(tmp_path, f"b.jsonl{ending}", two))
    assert ([record.id for record in records], faults) == (IDS, [])


def test_a_row_without_a_text_is_left_out(tmp_path):
    rows = [{"id": "a", "text": None}, {"id": "b"}, {"id": "c", "text": " "}, {"id": "d", "text": "x"}]
    for name, data in (("a.jsonl", jsonl(rows)), ("a.json", json.dumps(rows).encode()), ("a.arrow", as_arrow(rows))):
        records, faults = split(planted(tmp_path, name, data))
        assert [record.id for record in records] == ["d"]
        assert [fault.left_out for fault in faults] == [True] * 3


def test_faults_of_one_kind_are_one_line():
    faults = [Fault("a.jsonl", row, f"the id 'x{row}' was there before") for row in (3, 5, 1000)]
    rows = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
    (kind, other) = kinds_of_faults([{"file": "b", "row": 0, "reason": "damaged"}, *rows])
    assert str(kind) == "3 times, first a.jsonl, row 3: the id 'x3' was there before"
    assert str(other) == "b: damaged"


def test_names_of_several_paths_differ(tmp_path):
    shards = [planted(tmp_path / folder, "shard.jsonl", jsonl([{"text": folder}])) for folder in ("a", "b")]
    other = planted(tmp_path / "a", "other.txt", b"a text")
    archive = planted(tmp_path / "a", "all.zip", b"PK\5\6" + bytes(18))
    assert prefixes(shards) == ["a/", "b/"]
    assert prefixes([*shards, other, archive]) == ["a/", "b/", "", "all.zip/"]
    assert prefixes([shards[0], other, shards[1].parent]) == ["", "", "b/"]
    assert prefixes(shards[:1]) == [""]
    # The file c/b/shard.jsonl is none of the folder b.
    third = planted(tmp_path / "c" / "b", "shard.jsonl", b"")
    assert prefixes([shards[0], third, shards[1].parent]) == ["a/", "b/", f"{tmp_path.name}/b/"]


def test_a_folder_at_the_root_is_told_from_one_below_another(tmp_path):
    """Output goes below a folder, so no name begins with a slash."""
    folder = tmp_path / "usr"
    folder.mkdir()
    assert prefixes([Path("/usr"), folder]) == ["usr/", f"{tmp_path.name}/usr/"]


def test_integers_are_distinguished_from_texts(tmp_path):
    rows = [{"id": 1, "text": "a"}, {"id": "2", "text": "b"}]
    records, _ = split(planted(tmp_path, "a.jsonl", jsonl(rows)))
    assert [record.is_integer for record in records] == [True, False]


def test_an_empty_page_of_http_is_still_a_fault(tmp_path):
    _, (fault,) = split(planted(tmp_path, "a.warc", warc(http(b""))), Columns())
    assert not fault.left_out
