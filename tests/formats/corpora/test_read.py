"""The same documents come out of every container, once, in order; what is wrong is said with its row."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.formats.corpora.making import ROWS, http, ids, jsonl, of_rows, packed, page, planted, reasons, split, warc
from whorl.errors import DocumentError, InputError
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.read import read, size
from whorl.formats.corpora.records import CONTACT, Columns, CorpusRecord, DigestSet, Fault
from whorl.model import Document

JSONL = ["a.jsonl", "a.ndjson", "a.JSONL", "a.jsonl.gz", "a.jsonl.zst", "a.ndjson.gz", "a.json.gz", "a.json", "data"]


@pytest.mark.parametrize("name", [*JSONL, "a.parquet", "unnamed-parquet"])
def test_every_container_gives_the_same_records(tmp_path, name):
    data = of_rows(ROWS, row_group_size=4) if "parquet" in name else packed(jsonl(ROWS), name)
    records, faults = split(planted(tmp_path, name, data))
    assert not faults
    assert [record.row for record in records] == list(range(1, 10))
    assert {record.path for record in records} == {name}
    for record, row in zip(records, ROWS, strict=True):
        assert record.document == Document(row["id"], row["text"], row["url"], row["date"], format="text")
        assert (record.id, record.features) == (row["id"], None)


def test_a_folder_reads_each_file_as_what_it_is(tmp_path):
    planted(tmp_path, "b/part-1.parquet", of_rows(ROWS[:2]))
    planted(tmp_path, "b/part-2.jsonl.gz", packed(jsonl(ROWS[2:4]), ".gz"))
    planted(tmp_path, "a.txt", b"a plain text")
    planted(tmp_path, "c.warc", warc(http(page(1)), 1))
    planted(tmp_path, "settings.json", b'{\n "indent": 2\n}\n')
    assert ids(tmp_path) == ["a.txt", "d0", "d1", "d2", "d3", "urn:uuid:00000001", "settings.json"]


def test_a_folder_is_walked_by_the_rules(tmp_path):
    for name in ("a.jsonl", "old/b.jsonl", ".hidden.jsonl"):
        planted(tmp_path, name, jsonl([{"id": name, "text": "x"}]))
    records, faults = split(tmp_path, rules=Rules(exclude=("old/",)))
    assert [record.id for record in records] == ["a.jsonl"]
    assert {(fault.path, fault.reason, fault.left_out) for fault in faults} == {
        (".hidden.jsonl", "hidden", True),
        ("old/", "excluded by a pattern", True),
    }


def test_an_archive_gives_documents_and_refuses_tables(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x/a.txt", "text")
        archive.writestr("x/b.jsonl", jsonl(ROWS))
    records, faults = split(planted(tmp_path, "a.zip", buffer.getvalue()))
    assert [(record.id, record.document.content) for record in records] == [("x/a.txt", b"text")]
    assert faults == [Fault("x/b.jsonl", 0, "a table in an archive; unpack the archive")]


def test_a_single_document(tmp_path):
    path = planted(tmp_path, "a.html", b"<p>x</p>")
    assert list(read(path)) == [CorpusRecord("a.html", Document("a.html", path), "a.html", 0, None, 0)]


def test_what_is_damaged_is_distinguished_from_what_rules_leave_out(tmp_path):
    planted(tmp_path, "a.zip", b"PK\x03\x04 not a zip")
    planted(tmp_path, "b.png", b"\x89PNG\r\n\x1a\n\0\0\0")
    assert [(fault.path, fault.left_out) for fault in split(tmp_path)[1]] == [("a.zip", False), ("b.png", True)]


def test_an_id_comes_once_over_files_and_corpora(tmp_path):
    first = planted(tmp_path, "a.jsonl", jsonl([ROWS[0], ROWS[1], ROWS[0]]))
    second = planted(tmp_path, "b.parquet", of_rows(ROWS[1:3]))
    fault = "the id 'd0' was there before; the first document keeps it"
    assert split(first)[1] == [Fault("a.jsonl", 3, fault)]
    assert ids(tmp_path) == ["d0", "d1", "d2"]
    seen = DigestSet()
    assert ids(first, seen=seen) + ids(second, seen=seen) == ["d0", "d1", "d2"]


def test_ids_that_are_not_given_are_the_place(tmp_path):
    rows = [{"text": "a"}, {"text": "b", "id": None}, {"text": "c", "id": 7}, {"text": "d", "id": ""}]
    planted(tmp_path, "a.jsonl", jsonl(rows))
    planted(tmp_path, "b.parquet", of_rows([{"text": "x"}, {"text": "y"}]))
    wanted = ["z/a.jsonl:1", "z/a.jsonl:2", "7", "z/a.jsonl:4", "z/b.parquet:1", "z/b.parquet:2"]
    assert ids(tmp_path, prefix="z/") == wanted


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_missing_column_is_said_before_any_work(tmp_path, name):
    rows = [{"docno": "1", "body": "x"}]
    path = planted(tmp_path, name, of_rows(rows) if name.endswith("parquet") else jsonl(rows))
    for corpus in (path, tmp_path):
        with pytest.raises(InputError, match=r"no column 'text' \(--text\); there are 'docno', 'body'"):
            read(corpus)
    with pytest.raises(InputError, match=r"'number' \(--id\)"):
        read(path, Columns(id="number", text="body"))
    assert [record.id for record in split(path, Columns(id="docno", text="body"))[0]] == ["1"]


def test_a_table_without_the_columns_among_others_is_a_fault(tmp_path):
    planted(tmp_path, "a.jsonl", jsonl(ROWS[:1]))
    planted(tmp_path, "b.jsonl", jsonl([{"body": "x"}]))
    planted(tmp_path, "c.jsonl", jsonl(ROWS[1:2]))
    records, faults = split(tmp_path)
    assert [record.id for record in records] == ["d0", "d1"]
    assert [(fault.path, fault.row) for fault in faults] == [("b.jsonl", 0)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.parquet", "a.warc", "a.warc.gz"])
def test_an_empty_corpus(tmp_path, name):
    empty = of_rows([{"id": "", "text": ""}])[:0] if name != "a.parquet" else of_rows(ROWS)
    if name == "a.parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())}), tmp_path / name)
    else:
        planted(tmp_path, name, packed(empty, name))
    assert split(tmp_path / name) == ([], [])


def test_an_empty_file_of_parquet_is_damaged(tmp_path):
    (fault,) = split(planted(tmp_path, "a.parquet", b""))[1]
    assert (fault.row, fault.reason[:8], fault.left_out) == (0, "damaged:", False)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_features(tmp_path, name):
    lists: dict[str, Any] = {"a": [1, 2**62], "b": [], "c": None, "d": [3]}
    numbers = [{"id": identity, "f": value} for identity, value in lists.items()]
    path = planted(tmp_path, name, of_rows(numbers) if name.endswith("parquet") else jsonl(numbers))
    records, faults = split(path, Columns(features="f"))
    assert [(record.id, record.features) for record in records] == [("a", (1, 2**62)), ("d", (3,))]
    assert [(fault.row, fault.reason) for fault in faults] == [(2, "'f' is empty"), (3, "no 'f'")]


def test_features_that_are_none(tmp_path):
    lists = [["a", "b"], [1, "b"], [True], [1.5], [2**64], "ab", [-(2**63)], [None], [[1]]]
    path = planted(tmp_path, "a.jsonl", jsonl([{"f": value} for value in lists]))
    assert [record.row for record in split(path, Columns(features="f"))[0]] == [1, 7]
    assert set(reasons(path, Columns(features="f"))) == {2, 3, 4, 5, 6, 8, 9}


def test_reading_is_lazy_and_the_progress_runs_up_to_the_size(tmp_path):
    for number in range(3):
        planted(tmp_path, f"{number}.jsonl", jsonl([{"id": f"{number}-{i}", "text": "x" * 999} for i in range(999)]))
    items = read(tmp_path)
    assert isinstance(next(items), CorpusRecord)
    (tmp_path / "2.jsonl").unlink()
    offsets = [item.offset for item in items if isinstance(item, CorpusRecord)]
    assert offsets == sorted(offsets)
    assert offsets[-1] == size(tmp_path)
    path = planted(tmp_path, "a.parquet", of_rows(ROWS))
    assert split(path)[0][-1].offset == size(path) == path.stat().st_size


def test_what_is_not_there(tmp_path):
    for ask in (read, size):
        with pytest.raises(DocumentError):
            ask(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_contacts_are_read_if_they_are_asked_for(tmp_path, name):
    rows: list[dict[str, Any]] = [
        {"id": "1", "text": "x", "contact": "ann@x"},
        {"id": "2", "text": "y", "contact": None},
    ]
    path = planted(tmp_path, name, of_rows(rows) if name.endswith("parquet") else jsonl(rows))
    assert [record.document.contact for record in split(path)[0]] == [None, None]
    assert [record.document.contact for record in split(path, Columns(contact=CONTACT))[0]] == ["ann@x", None]
    assert [record.document.contact for record in split(path, Columns(contact="id"))[0]] == ["1", "2"]
    with pytest.raises(InputError, match=r"'owner' \(--contact\)"):
        read(path, Columns(contact="owner"))


def test_contacts_may_be_missing_and_must_be_words(tmp_path):
    path = planted(tmp_path, "a.jsonl", jsonl([{"id": "1", "text": "x"}, {"id": "2", "text": "y", "contact": {}}]))
    assert len(split(path)[0]) == 2
    records, (fault,) = split(path, Columns(contact=CONTACT))
    assert ([record.document.contact for record in records], fault.row) == ([None], 2)


@pytest.mark.parametrize("fields", [{"id": ""}, {"text": None}, {"features": ""}, {"date": 3}, {"contact": ""}])
def test_columns_check_themselves(fields):
    with pytest.raises(InputError, match="is not the name of a column"):
        Columns(**fields)


def test_pyarrow_missing(tmp_path, monkeypatch):
    from whorl.formats.corpora import parquet

    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    parquet.arrow.cache_clear()
    path = planted(tmp_path, "a.parquet", b"PAR1")
    with pytest.raises(InputError, match=r'pip install "whorl\[corpus\]"'):
        read(path)
    monkeypatch.undo()
    parquet.arrow.cache_clear()


def test_the_same_order_every_time(tmp_path):
    for name in ("z.jsonl", "A.jsonl", "m/b.jsonl", "m/a.txt"):
        planted(tmp_path, name, jsonl([{"id": name, "text": "x"}]))
    assert ids(tmp_path) == ids(Path(str(tmp_path))) == ["A.jsonl", "m/a.txt", "m/b.jsonl", "z.jsonl"]
