"""Copies of Parquet tables: values and types stay, also those that Arrow reads with loss or cannot filter."""

import struct
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from tests.test_corpus_dedup import story
from whorl.errors import DocumentError
from whorl.formats.archives.rules import DEFAULT
from whorl.formats.corpora import parquet_copy
from whorl.formats.corpora.parquet_copy import copy_parquet, without_rows
from whorl.formats.corpora.records import Columns, CorpusRecord
from whorl.formats.corpora.tables import records

FAR = datetime(9999, 12, 31, 23, 59, 59, 999999)
SPARK = datetime(2020, 1, 2, 3, 4, 5, 678901)
DATES = [SPARK, FAR, None, datetime(1, 1, 1), datetime(1500, 6, 7), datetime(2262, 1, 1)]


def int96(path: Path, table: pa.Table, **options) -> Path:
    pq.write_table(table, path, use_deprecated_int96_timestamps=True, **options)
    return path


def physical(path: Path) -> dict[str, str]:
    schema = pq.ParquetFile(path).schema
    columns = [schema.column(number) for number in range(len(schema))]
    return {column.path: column.physical_type for column in columns}


def copied(path: Path, removed: int = 2) -> Path:
    target = path.with_name("copy.parquet")
    assert copy_parquet(path, target, without_rows(np.array([removed], np.int64))) == ""
    return target


@pytest.mark.parametrize("version", ["1.0", "2.4", "2.6"])
@pytest.mark.parametrize("stored", [True, False])
def test_times_of_spark_stay_in_every_year(tmp_path, version, stored):
    nested = pa.list_(pa.struct([("at", pa.timestamp("us"))]))
    table = pa.table({
        "when": pa.array(DATES, pa.timestamp("us")),
        "visits": pa.array([None if date is None else [{"at": date}, None] for date in DATES], nested),
        "named": pa.array([[("x", date)] for date in DATES], pa.map_(pa.string(), pa.timestamp("us"))),
    })  # fmt: skip
    path = int96(tmp_path / "a.parquet", table, version=version, store_schema=stored, row_group_size=2)
    copy = copied(path)
    assert physical(copy) == physical(path)
    assert physical(copy)["when"] == "INT96"
    assert pq.ParquetFile(copy).schema.equals(pq.ParquetFile(path).schema)
    read = pq.ParquetFile(copy, coerce_int96_timestamp_unit="us").read().to_pylist()
    assert read == [row for number, row in enumerate(table.to_pylist()) if number != 1]


@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_times_of_spark_keep_their_nanoseconds(tmp_path, version):
    exact = pa.table({"when": pa.array([1577934245678901234, 7, -1], pa.timestamp("ns"))})
    copy = copied(int96(tmp_path / "a.parquet", exact, version=version))
    assert physical(copy) == {"when": "INT96"}
    assert pq.read_table(copy)["when"].cast("int64").to_pylist() == [1577934245678901234, -1]


def days_and_nanoseconds(
    path: Path, nanoseconds: int, day: int, texts: tuple[str | None, ...] = (story(1), story(2))
) -> Path:
    """Write a year that nanoseconds cannot reach and a nanosecond, by changing a value on the way."""
    marked = 0x0123456789AB
    table = pa.table({"text": texts, "when": pa.array([5, marked], pa.timestamp("ns"))})
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    int96(path, table, **options)
    before = struct.pack("<qi", marked % (86400 * 10**9), 2440588 + marked // (86400 * 10**9))
    data = path.read_bytes()
    assert data.count(before) == 1
    path.write_bytes(data.replace(before, struct.pack("<qi", nanoseconds, day)))
    return path


def test_a_table_that_no_unit_holds_is_refused_and_called_sound(tmp_path):
    path = days_and_nanoseconds(tmp_path / "a.parquet", 1, 5373484)  # the last day of 9999
    with pytest.raises(DocumentError, match=r"'when' has timestamps before 1677 or after 2262 .*the file is sound"):
        copied(path)
    result = whorl.dedup(path, tmp_path / "out")
    assert [fault.reason.partition(":")[0] for fault in result.faults] == ["not written"]
    assert not result.is_complete
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["_whorl"]


def test_a_table_that_is_not_written_is_reported_beside_its_rows(tmp_path):
    path = days_and_nanoseconds(tmp_path / "a.parquet", 1, 5373484, (story(1), None))
    result = whorl.dedup(path, tmp_path / "out")
    assert [fault.reason.partition(":")[0] for fault in result.faults] == ["no 'text'", "not written"]
    assert not result.is_complete


@pytest.mark.parametrize("day", [5373484, 1 << 30])  # the second is a year that microseconds cannot reach
def test_the_finest_unit_that_loses_nothing_is_chosen(tmp_path, day):
    path = days_and_nanoseconds(tmp_path / "a.parquet", 0, day)
    data = path.read_bytes().replace(struct.pack("<qi", 5, 2440588), struct.pack("<qi", 0, 2440588))
    path.write_bytes(data)
    copy = copied(path, removed=1)
    assert struct.pack("<qi", 0, day) in copy.read_bytes() or pq.ParquetFile(
        copy, coerce_int96_timestamp_unit="s"
    ).read()["when"].cast("int64").to_pylist() == [(day - 2440588) * 86400]


def test_two_types_of_times_are_refused(tmp_path, monkeypatch):
    table = pa.table({"when": pa.array([5], pa.timestamp("us")), "then": pa.array([5], pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "a.parquet")
    monkeypatch.setattr(parquet_copy, "int96_columns", lambda _file: ["when"])
    with pytest.raises(DocumentError, match="'when' has timestamps of the type INT96 and 'when' of INT64"):
        copied(tmp_path / "a.parquet")


def dates(path: Path, columns: Columns) -> list[str | None]:
    rows = records("parquet", path, path.name, columns, DEFAULT, "")
    return [row.document.date for row in rows if isinstance(row, CorpusRecord)]


def test_dates_of_spark_are_read_in_every_year(tmp_path):
    table = pa.table({"text": [story(number) for number in range(6)], "date": pa.array(DATES, pa.timestamp("us"))})
    path = int96(tmp_path / "a.parquet", table)
    assert dates(path, Columns()) == [
        "2020-01-02T03:04:05.678901", "9999-12-31T23:59:59.999999", None, "0001-01-01T00:00:00", "1500-06-07T00:00:00",
        "2262-01-01T00:00:00",
    ]  # fmt: skip


def test_dates_that_no_unit_holds_are_read_in_microseconds(tmp_path):
    path = days_and_nanoseconds(tmp_path / "a.parquet", 1001, 5373484)
    assert dates(path, Columns(date="when")) == ["1970-01-01T00:00:00", "9999-12-31T00:00:00.000001"]


def test_the_newest_row_stays_by_times_of_spark(tmp_path):
    dates = [datetime(2020, 1, 1), datetime(9999, 12, 31), datetime(2021, 1, 1)]
    table = pa.table({"text": [story(1)] * 3, "at": pa.array(dates, pa.timestamp("us"))})
    whorl.dedup(int96(tmp_path / "a.parquet", table), tmp_path / "out", keep="newest", date="at")
    copy = pq.ParquetFile(tmp_path / "out" / "a.parquet", coerce_int96_timestamp_unit="us").read()
    assert copy["at"].to_pylist() == dates[1:2]


VIEWS = {
    "text": (pa.string_view(), "a text"),
    "bytes": (pa.binary_view(), b"\xff\x00"),
    "list": (pa.list_(pa.string_view()), ["a", None]),
    "large": (pa.large_list(pa.struct([("x", pa.list_(pa.binary_view()))])), [{"x": [b"1"]}]),
    "fixed": (pa.list_(pa.string_view(), 2), ["a", "b"]),
    "map": (pa.map_(pa.string_view(), pa.binary_view()), [("k", b"v")]),
    "struct": (pa.struct([("a", pa.string_view()), ("n", pa.int64())]), {"a": "q", "n": 1}),
    "plain": (pa.list_view(pa.string()), ["a"]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_copied_with_their_types(tmp_path, name):
    kind, value = VIEWS[name]
    table = pa.table({name: pa.array([value, None, value, None], kind), "n": [1, 2, 3, 4]})
    table = table.replace_schema_metadata({"key": "value"})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    before, after = pq.ParquetFile(path), pq.ParquetFile(copied(path))
    assert after.read().to_pylist() == [row for row in table.to_pylist() if row["n"] != 2]
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    assert after.schema.equals(before.schema)


def test_views_of_lists_of_views_are_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([["a"], ["b"]], pa.list_view(pa.string_view()))}), tmp_path / "a.parquet")
    with pytest.raises(DocumentError, match=r"cannot filter columns of list_view.*the file is sound"):
        copied(tmp_path / "a.parquet")


@pytest.mark.parametrize("unit", ["document", "passage", "paragraph", "line"])
@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
def test_a_column_of_views_is_searched_and_cut(tmp_path, unit, kind):
    paragraphs = " ".join(story(number) for number in range(2)) + "\n\n"
    texts = [paragraphs, paragraphs, paragraphs + "something else follows that is long enough to stay here."]
    path, out = tmp_path / "a.parquet", tmp_path / "out"
    meta = pa.array([{"title": "a"}] * 3, pa.struct([("title", pa.string_view())]))
    pq.write_table(pa.table({"text": pa.array(texts, pa.string()).cast(kind), "meta": meta}), path)
    result = whorl.dedup(path, out, unit=unit)
    written = pq.ParquetFile(out / "a.parquet")
    assert written.schema_arrow.equals(pq.ParquetFile(path).schema_arrow)
    assert written.metadata.num_rows == (1 if unit == "document" else 2)
    assert result.report["removed"] > 0


def renumbered(path: Path) -> Path:
    """Make the version in the metadata 1.0, as writers other than Arrow do whatever the types are."""
    data = path.read_bytes()
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    assert data[start : start + 2] == b"\x15\x04"
    path.write_bytes(data[:start] + b"\x15\x02" + data[start + 2 :])
    return path


def test_nanoseconds_and_unsigned_numbers_stay_in_files_of_version_1(tmp_path):
    table = pa.table({
        "when": pa.array([1577934245678901234, 1, 2], pa.timestamp("ns")), "count": pa.array([1, 2, 3], pa.uint32())
    })  # fmt: skip
    pq.write_table(table, tmp_path / "a.parquet", store_schema=False)
    path = renumbered(tmp_path / "a.parquet")
    assert pq.ParquetFile(path).metadata.format_version == "1.0"
    copy = pq.ParquetFile(copied(path))
    assert copy.schema.equals(pq.ParquetFile(path).schema)
    assert copy.read()["when"].cast("int64").to_pylist() == [1577934245678901234, 2]
