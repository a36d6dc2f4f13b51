"""Tables of a clustering, read a part at a time."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from whorl.clustering.output import ParquetTable, numbers, summary
from whorl.errors import InputError


@pytest.fixture
def table(tmp_path):
    rows = pa.table({"number": pa.array(range(100), pa.int64()), "name": [f"n{number}" for number in range(100)]})
    parquet.write_table(rows, tmp_path / "t.parquet", row_group_size=7)
    return ParquetTable(tmp_path / "t.parquet", {"number": "int64", "name": "string"})


def test_batches_have_every_row_in_order(table):
    assert len(table) == 100
    parts = [numbers(batch["number"]) for batch in table.batches("number")]
    assert np.concatenate(parts).tolist() == list(range(100))


@pytest.mark.parametrize("places", [[], [0], [99], [6, 7, 8], [0, 13, 14, 50, 99], list(range(100))])
def test_rows_are_taken_by_their_places(table, places):
    taken = list(table.take(np.array(places, np.int64), ["name"]))
    assert taken == [{"name": f"n{place}"} for place in places]


@pytest.mark.parametrize("values", [[], [3], [3, 500, 99, -1], [500]])
def test_rows_are_found_by_their_values(table, values):
    found = [row["name"] for row in table.rows("number", values, ["name"])]
    assert found == [f"n{value}" for value in sorted(values) if 0 <= value < 100]


def test_what_is_null_has_a_number():
    assert numbers(pa.array([1, None, 3], pa.int64()), -1).tolist() == [1, -1, 3]


def test_a_summary_that_is_none(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        summary(tmp_path)
    for text, message in (
        ("[1]", "not a summary"),
        ("\udc80", "cannot be read as JSON"),
        ("[" * 10**6, "cannot be"),
    ):
        (tmp_path / "summary.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(InputError, match=message):
            summary(tmp_path)
