"""Parquet in and out: types of columns, damage, and tables that are there only when they are whole."""

import datetime
import io
import json
import random
from contextlib import suppress
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption
import pytest

import whorl
from tests.formats.corpora.making import ROWS, ids, of_rows, parquet, planted, reasons, split
from whorl.errors import InputError, WhorlError
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.parquet import DOCUMENTS, PAIRS, end_of, headers_at, places, plan, write_table
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import Columns

TEXTS = ["one", "two", "three"]
KINDS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_texts_of_every_type(tmp_path, kind):
    path = planted(tmp_path, "a.parquet", parquet({"text": pa.array(TEXTS).cast(kind)}))
    assert [record.document.content for record in split(path)[0]] == TEXTS


def test_bytes_are_a_content(tmp_path):
    path = planted(tmp_path, "a.parquet", parquet({"text": pa.array([b"caf\xe9", b""])}))
    assert [record.document.content for record in split(path)[0]] == [b"caf\xe9"]
    assert reasons(path) == {2: "'text' is empty"}


def test_a_column_that_is_read_is_there_once(tmp_path):
    table = pa.table([["x"], ["y"], ["z"], ["z"]], ["text", "text", "n", "n"])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    with pytest.raises(InputError, match="2 columns are called 'text'; rename all but one"):
        read(planted(tmp_path, "a.parquet", sink.getvalue()))


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        (pa.array([b"caf\xc3\xa9"]), "café"),
        (pa.array([Decimal(2**80)], pa.decimal128(38, 0)), str(2**80)),
        (pa.array([UUID(int=7).bytes], pa.uuid()), str(UUID(int=7))),
    ],
    ids=["bytes", "decimal", "uuid"],
)
def test_ids_of_other_types(tmp_path, identity, name):
    path = planted(tmp_path, "a.parquet", parquet({"id": identity, "text": ["x"]}))
    assert [record.id for record in split(path)[0]] == [name]
    whorl.dedup(path, tmp_path / "out", unit="passage", mark=True)
    assert json.loads((tmp_path / "out" / "a.parquet.jsonl").read_text())["id"] == name


def test_ids_that_are_no_names(tmp_path):
    for number, value in enumerate((pa.array([b"\xff"]), pa.array([Decimal("1.5")]))):
        path = planted(tmp_path, f"{number}.parquet", parquet({"id": value, "text": ["x"]}))
        (reason,) = reasons(path).values()
        assert reason in ("'id' is bytes that are not UTF-8", "'id' is a number, neither a string nor a whole number")


class Keys(encryption.KmsClient):  # type: ignore[misc]  # pyarrow has no types
    """Keys that open nothing: only their names are in the file."""

    def __init__(self, _: encryption.KmsConnectionConfig) -> None:
        super().__init__()

    def wrap_key(self, key: bytes, name: str) -> bytes:
        return key.hex().encode()

    def unwrap_key(self, wrapped: bytes, name: str) -> bytes:
        raise AssertionError


@pytest.mark.parametrize("unit", ["document", "passage", "line"])
def test_encrypted_tables_are_reported_and_the_others_are_written(tmp_path, unit):
    """Arrow ends the process that looks at the metadata of an encrypted column."""
    table = pa.table({"text": ["one text"], "secret": ["x"]})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, plain in (("a", True), ("b", False)):
        setting = encryption.EncryptionConfiguration("f", column_keys={"k": ["secret"]}, plaintext_footer=plain)
        properties = encryption.CryptoFactory(Keys).file_encryption_properties(
            encryption.KmsConnectionConfig(), setting
        )
        with pq.ParquetWriter(corpus / f"{name}.parquet", table.schema, encryption_properties=properties) as writer:
            writer.write_table(table)
    pq.write_table(table, corpus / "c.parquet")
    result = whorl.dedup(corpus, tmp_path / "out", unit=unit, shortest=1)
    found = {fault.path: fault.reason.removeprefix("not written: ") for fault in result.faults}
    assert found == {
        "a.parquet": "damaged, or a column is encrypted: the parser crashed (signal 6)",
        "b.parquet": "encrypted: write it without encryption first",
    }
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_whorl", "c.parquet"]


@pytest.mark.parametrize("values", [[1, 2], [[1], [2]], [1.5, None], [True, False]])
def test_a_column_that_holds_no_text_is_refused(tmp_path, values):
    path = planted(tmp_path, "a.parquet", parquet({"text": values}))
    with pytest.raises(InputError, match=r"the column 'text' holds .*, not texts"):
        read(path)
    with pytest.raises(InputError, match=r"'text' holds .*, not lists"):
        read(planted(tmp_path, "b.parquet", parquet({"text": ["x"]})), Columns(features="text"))


def test_rows_that_are_bad(tmp_path):
    texts = pa.array([b"a", b"caf\xe9", None, b"  ", b"e"]).cast(pa.binary())
    broken = pa.StringArray.from_buffers(5, *texts.buffers()[1:], texts.buffers()[0])
    path = planted(tmp_path, "a.parquet", parquet({"text": broken}))
    assert [record.row for record in split(path)[0]] == [1, 5]
    assert reasons(path) == {2: "'text' is not UTF-8: byte 4", 3: "no 'text'", 4: "'text' is empty"}


def test_dates_and_numbers(tmp_path):
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9)
    wanted = [
        (pa.array([moment], pa.timestamp("s")), "2024-05-06T07:08:09"),
        (pa.array([moment], pa.timestamp("s", "Europe/Paris")), "2024-05-06T07:08:09Z"),
        (pa.array([1], pa.timestamp("ns")), "1970-01-01T00:00:00.000000001"),
        (pa.array([moment.date()]), "2024-05-06"),
        (pa.array([17]), "17"),
        (pa.array([None], pa.null()), None),
    ]
    for number, (column, text) in enumerate(wanted):
        path = planted(tmp_path, f"{number}.parquet", parquet({"id": [number], "text": ["x"], "date": column}))
        (record,) = split(path)[0]
        assert (record.id, record.document.date) == (str(number), text)


def test_only_the_needed_columns_are_read(tmp_path):
    whole = parquet({"text": TEXTS, "other": ["x" * 1000, "y" * 1000, "z" * 1000]}, compression="none")
    at = whole.index(b"y" * 1000)
    damaged = whole[:at] + b"\xff" * 1000 + whole[at + 1000 :]
    assert ids(planted(tmp_path, "a.parquet", damaged)) == ["a.parquet:1", "a.parquet:2", "a.parquet:3"]


def test_a_damaged_row_group_costs_itself(tmp_path):
    data = bytearray(
        of_rows(ROWS, row_group_size=3, write_page_checksum=True, compression="none", use_dictionary=False)
    )
    data[data.index(b"text number 4") + 5] ^= 1
    path = planted(tmp_path, "a.parquet", bytes(data))
    assert [record.row for record in split(path)[0]] == [1, 2, 3, 7, 8, 9]
    (fault,) = split(path)[1]
    assert fault.row == 4
    assert fault.reason.startswith("rows 4 to 6 are lost: damaged: ")


def test_a_file_that_breaks_off_anywhere(tmp_path):
    data = of_rows(ROWS * 40, row_group_size=40)
    for cut in range(4, len(data), 100):
        records, (fault,) = split(planted(tmp_path, "a.parquet", data[:cut]))
        assert not records
        assert (fault.row, fault.reason[:9]) == (0, "damaged: ")


@pytest.mark.parametrize("compression", ["zstd", "snappy", "none"])
def test_bits_that_flip_anywhere(tmp_path, compression):
    rows = [{**row, "id": f"{again}-{row['id']}"} for again in range(20) for row in ROWS]
    data = of_rows(rows, row_group_size=30, compression=compression)
    choice = random.Random(7)
    for _ in range(120):
        damaged = bytearray(data)
        damaged[choice.randrange(4, len(data))] ^= 1 << choice.randrange(8)
        path = planted(tmp_path, "a.parquet", bytes(damaged))
        with suppress(InputError):  # the name or the type of a column
            records, faults = split(path)
            assert records or faults


def test_figures_that_end_the_process_are_damage(tmp_path):
    """pyarrow throws what nobody catches if the histogram of a column's levels has a wrong length."""
    data = parquet({"text": ["x", "y"]}, compression="none")
    at = data.rindex(b"PAR1") - 4
    footer = at - int.from_bytes(data[at : at + 4], "little")
    died = 0
    for place in range(footer, at):
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        with suppress(InputError):
            records, faults = split(planted(tmp_path, "a.parquet", bytes(damaged)))
            assert records or faults
            died += any("signal" in fault.reason or "died" in fault.reason for fault in faults)
    assert died


def test_a_column_that_would_grow_too_much_is_refused(tmp_path):
    small = {"id": ["a"], "text": ["x" * 100]}
    bomb = {"id": ["b"], "text": ["x" * (11 << 20)]}
    with pq.ParquetWriter(tmp_path / "a.parquet", pa.table(small).schema, compression="zstd") as writer:
        for rows in (small, bomb, {**small, "id": ["c"]}):
            writer.write_table(pa.table(rows))
    assert ids(tmp_path / "a.parquet") == ["a", "c"]
    assert reasons(tmp_path / "a.parquet")[2].startswith("rows 2 to 2 are lost: perhaps a bomb: 'text' would grow")
    assert ids(tmp_path / "a.parquet", rules=Rules(ratio=1_000_000)) == ["a", "b", "c"]


def test_a_large_dictionary_is_read_in_few_rows(tmp_path):
    value = random.Random(1).randbytes(1 << 19).hex()
    for texts, most in (([value] * 300, 64), ([f"{number} text" for number in range(300)], 4096)):
        path = planted(tmp_path, "a.parquet", parquet({"text": texts}))
        end = end_of(path)
        headers = headers_at(path, places(*end, ["text"]))
        ((rows, step, refusal),) = plan(*end, headers, ["text"], 0, 200)
        assert (rows, refusal) == (300, "")
        assert step in range(most // 2, most + 1)
    assert [record.document.content for record in split(path)[0]] == texts


def test_a_table_is_written_as_it_comes(tmp_path):
    def pieces():
        for start in range(0, 200_000, 1000):
            numbers = np.arange(start, start + 1000)
            yield {
                "id": list(map(str, numbers)),
                "cluster": numbers,
                "similarity": numbers / 200_000,
                "kind": ["near"] * 1000,
            }

    assert write_table(tmp_path / "documents.parquet", pieces(), DOCUMENTS) == 200_000
    with pq.ParquetFile(tmp_path / "documents.parquet") as file:
        assert file.schema_arrow.names == list(DOCUMENTS)
        assert file.num_row_groups == 4  # of 66,000 rows, and the rest
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"
        table = file.read()
    assert table["cluster"].to_pylist() == list(range(200_000))
    assert table["url"].null_count == 200_000
    assert [path.name for path in tmp_path.iterdir()] == ["documents.parquet"]


def test_what_is_written_can_be_read(tmp_path):
    columns = {"left": ["a", "b"], "right": ["c", "d"], "resemblance": [0.5, 1.0], "shared": np.array([3, 4])}
    write_table(tmp_path / "pairs.parquet", columns, PAIRS)
    (record, _) = split(tmp_path / "pairs.parquet", Columns(id="left", text="right"))[0]
    assert (record.id, record.document.content) == ("a", "c")


def test_an_empty_table(tmp_path):
    assert write_table(tmp_path / "pairs.parquet", [], PAIRS) == 0
    assert pq.read_table(tmp_path / "pairs.parquet").schema.names == list(PAIRS)


def test_an_error_leaves_the_old_table_and_nothing_else(tmp_path):
    path = tmp_path / "pairs.parquet"
    write_table(path, {"left": ["old"]}, PAIRS)

    def pieces():
        yield {"left": ["new"]}
        raise KeyError

    with pytest.raises(KeyError):
        write_table(path, pieces(), PAIRS)
    with pytest.raises(InputError, match="no column lefft"):
        write_table(path, {"lefft": ["x"]}, PAIRS)
    assert pq.read_table(path)["left"].to_pylist() == ["old"]
    assert [found.name for found in tmp_path.iterdir()] == ["pairs.parquet"]


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(WhorlError, match="cannot be written"):
        write_table(tmp_path / "nowhere" / "pairs.parquet", [], PAIRS)


def test_a_full_disk_is_said(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("whorl.formats.corpora.parquet.os.fsync", full)
    with pytest.raises(WhorlError, match=r"pairs\.parquet: cannot be written: No space left on device"):
        write_table(tmp_path / "pairs.parquet", {"left": ["x"]}, PAIRS)
    assert not list(tmp_path.iterdir())


def test_numbers_of_another_type_are_converted(tmp_path):
    schema = {"measure": "float64", "count": "int64", "hash": "uint64"}
    columns = {"measure": np.arange(3), "count": np.arange(3, dtype=np.int32), "hash": np.arange(3, dtype=np.uint64)}
    write_table(tmp_path / "t.parquet", columns, schema)
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.to_pydict() == {"measure": [0.0, 1.0, 2.0], "count": [0, 1, 2], "hash": [0, 1, 2]}
