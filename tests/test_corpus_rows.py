"""``whorl.dedup`` and ``whorl.decontaminate`` on rows in memory: what comes back is what rows in files give."""

import json
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.errors import InputError

Row = dict[str, Any]


def story(number: int) -> str:
    return " ".join(f"keeper {number} wrote on day {number * 31 + day} what came by sea" for day in range(12))


ITEM = "how many lamps does the third keeper light before the storm comes in from the northern bay"

# Rows 2 and 4 are copies of row 0. Row 5 has the item of an evaluation.
ROWS: list[Row] = [
    {"id": 7, "text": story(1), "score": 0.5, "url": "http://a/1", "tags": ["x"]},
    {"id": 8, "text": story(2), "score": 0.5, "url": None, "tags": []},
    {"id": 7, "text": story(1), "score": 0.9, "url": "http://a/2", "tags": ["é"]},
    {"id": 9, "text": None, "score": None, "url": None, "tags": None},
    {"id": 7, "text": f"{story(1)}\n{story(5)[:60]}", "score": 0.1, "url": None, "tags": []},
    {"id": 1, "text": f"{story(3)} {ITEM} {story(4)}", "score": 0.0, "url": None, "tags": []},
]


class Polars:
    """What is used of a Polars frame."""

    class Schema(dict[str, str]):
        def names(self) -> list[str]:
            return [*self]

    class Series(list[Any]):
        def __init__(self, name: str, values: list[Any], dtype: Any = "String") -> None:
            assert dtype == "String" or {*values} <= {*dtype.categories}
            super().__init__(values)
            self.name, self.dtype = name, dtype

        to_list = list.copy

    def __init__(self, rows: list[Row], dtype: Any = "String") -> None:
        self.rows, self._dtype = rows, dtype
        self.columns = [*rows[0]] if rows else []
        self.schema = self.Schema.fromkeys(self.columns, "Object")

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("the elements of a frame are its columns")

    def iter_rows(self, *, named: bool) -> Iterator[Row]:
        assert named
        return iter(self.rows)

    def __getitem__(self, key: str | list[int]) -> Any:
        if isinstance(key, str):
            return self.Series(key, [row[key] for row in self.rows], self._dtype)
        return Polars([self.rows[number] for number in key], self._dtype)

    def with_columns(self, series: "Polars.Series") -> "Polars":
        rows = [{**row, series.name: value} for row, value in zip(self.rows, series, strict=True)]
        return Polars(rows, series.dtype)


class Enum:
    """An enumeration of Polars: a column has no other texts."""

    def __init__(self, categories: list[str]) -> None:
        assert len(set(categories)) == len(categories)
        self.categories = categories


class Dataset:
    """A Hugging Face dataset. With a format, its rows are no dictionaries."""

    features = "features"

    def __init__(self, rows: list[Row], kind: str | None = None) -> None:
        self._rows, self.column_names = rows, [*rows[0]] if rows else []
        self.format: dict[str, Any] = {
            "type": kind,
            "columns": self.column_names,
            "output_all_columns": False,
            "format_kwargs": {},
        }

    def __iter__(self) -> Iterator[Any]:
        kind = self.format["type"]
        return iter(self._rows if kind in (None, "custom") else [pa.Table.from_pylist([row]) for row in self._rows])

    def with_format(
        self, kind: str | None, columns: Any = None, output_all_columns: bool = False, **settings: Any
    ) -> "Dataset":
        assert kind is None or columns == self.column_names
        return Dataset(self._rows, kind)

    def select(self, numbers: list[int]) -> "Dataset":
        return Dataset([self._rows[number] for number in numbers], self.format["type"])

    def map(self, function: Callable[[Row, int], Row], *, with_indices: bool, features: str) -> "Dataset":
        assert with_indices
        assert features == self.features
        return Dataset([{**row, **function(row, number)} for number, row in enumerate(self)], self.format["type"])


class Formatted(Dataset):
    """A dataset that gives tables."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(rows, "arrow")


# How rows are given, the type of what comes back, and how it is listed.
KINDS: dict[str, tuple[Callable[[list[Row]], Any], type, Callable[[Any], list[Row]]]] = {
    "list": (list, list, list),
    "generator": (iter, list, list),
    "table": (pa.Table.from_pylist, pa.Table, pa.Table.to_pylist),
    "batch": (pa.RecordBatch.from_pylist, pa.RecordBatch, pa.RecordBatch.to_pylist),
    "frame": (lambda rows: pd.DataFrame(rows, dtype=object), pd.DataFrame, lambda frame: frame.to_dict("records")),
    "polars": (Polars, Polars, lambda frame: frame.rows),
    "dataset": (Dataset, Dataset, list),
    "formatted": (Formatted, Dataset, lambda rows: [each.to_pylist()[0] for each in rows]),
}

kinds = pytest.mark.parametrize("kind", KINDS)


def of_files(folder: Path, rows: list[Row], **settings: Any) -> list[Row]:
    """Return what is left of the same rows in a file."""
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    function = whorl.decontaminate if "against" in settings else whorl.dedup
    function(path, folder / "out", **settings)
    return [json.loads(line) for line in (folder / "out" / path.name).read_text().splitlines()]


@kinds
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"keep": "longest"},
        {"keep": "highest", "rank": "score"},
        {"unit": "paragraph"},
        {"unit": "line", "shortest": 20},
        {"unit": "passage", "tokens": 20},
        {"against": [{"question": ITEM}]},
        {"against": [{"body": ITEM, "name": "q1"}], "items": ["body"], "id": "name", "action": "cut"},
    ],
    ids=str,
)
def test_what_is_left_is_what_is_left_of_files(tmp_path, kind, settings):
    given, expected_type, listed = KINDS[kind]
    function = whorl.decontaminate if "against" in settings else whorl.dedup
    result = function(given(ROWS), **settings)
    assert isinstance(result.rows, expected_type)
    left = listed(result.rows)
    if "against" in settings:
        (tmp_path / "items.jsonl").write_text(json.dumps(settings["against"][0]) + "\n")
        settings = {**settings, "against": tmp_path / "items.jsonl"}
    assert left == of_files(tmp_path, ROWS, **settings) != ROWS
    assert result.folder is None
    assert [(fault.row, fault.reason) for fault in result.faults if fault.left_out] == [(3, "no 'text'")]


def test_changes_count_rows_from_zero():
    assert whorl.dedup(ROWS).changes == (
        {"row": 2, "kind": "identical", "kept_row": 0},
        {"row": 4, "kind": "near", "kept_row": 0},
    )
    (leak,) = whorl.decontaminate(ROWS, against=[{"id": "q7", "text": ITEM}]).changes
    assert (leak["row"], leak["item"]) == (5, "q7")
    assert ROWS[5]["text"][leak["start"] : leak["end"]] == ITEM


@kinds
def test_marks_are_of_each_row_and_the_rows_stay_as_they_are(kind):
    given, _, listed = KINDS[kind]
    result = whorl.dedup(given(ROWS), unit="passage", tokens=20, mark=True)
    assert listed(result.rows) == ROWS
    spans = [marks.get("whorl__passage", []) for marks in result.attributes]
    assert [bool(found) for found in spans] == [False, False, True, False, True, False]
    start, end, score = spans[4][0]
    assert ROWS[4]["text"][start:end] in ROWS[0]["text"]
    assert score == 1.0


def test_other_columns_and_types_come_back_as_they_were():
    schema = pa.schema([("n", pa.int8()), ("body", pa.large_string()), ("when", pa.date32())], {"made": "here"})
    table = pa.table({"n": [1, 2], "body": [story(1)] * 2, "when": [date(2020, 1, 1), None]}, schema)
    left = whorl.dedup(table, text="body").rows
    assert left.equals(table.slice(0, 1), check_metadata=True)
    left = whorl.dedup(table, text="body", unit="paragraph", shortest=5).rows
    assert left.schema.equals(schema, check_metadata=True)

    frame = pd.DataFrame(
        {"body": pd.array([story(1), f"{story(1)}\n\n{story(2)}"], "string"), "x": [1.5, 2.5]}, ["a", "b"]
    )
    left = whorl.dedup(frame, text="body", unit="paragraph").rows
    assert left.dtypes.equals(frame.dtypes)
    assert left.index.tolist() == ["a", "b"]
    assert left["body"].str.strip().tolist() == [story(1), story(2)]
    assert frame["body"].tolist()[1].startswith(story(1))  # what was given is not changed


def test_the_newest_is_found_by_times_and_bytes_are_texts():
    times = [datetime(2020, 1, 1), datetime(2022, 1, 1), pd.NaT, datetime(2021, 1, 1)]
    rows = [{"text": story(1).encode(), "date": time} for time in times]
    assert whorl.dedup(rows, keep="newest").rows == [rows[1]]
    cut = whorl.dedup(
        [{"text": story(1).encode()}, {"text": f"{story(1)}\n\n{story(2)}".encode()}], unit="paragraph"
    ).rows
    assert [row["text"].strip() for row in cut] == [story(1).encode(), story(2).encode()]


@pytest.mark.parametrize("text", [3, ["a"], {"a": 1}, "\ud800", b"\xff", float("nan"), float("inf"), pd.NaT])
def test_rows_without_a_text_stay(text):
    rows = [{"text": story(1)}, {"text": text}, {"text": story(1)}]
    result = whorl.dedup(rows)
    assert result.rows[:1] == rows[:1]
    assert result.rows[1] is rows[1]
    assert len(result.rows) == 2
    assert [fault.row for fault in result.faults] == [1]
    assert len(whorl.dedup(rows, unit="paragraph").rows) == 2


@pytest.mark.parametrize(
    "empty", [[], iter([]), pa.table({"text": pa.array([], pa.string())}), pd.DataFrame({"text": []})]
)
def test_nothing_is_left_of_no_rows(empty):
    result = whorl.dedup(empty)
    assert len(result.rows) == 0
    assert not result.is_complete


@kinds
def test_all_rows_may_go(kind):
    given, _, listed = KINDS[kind]
    assert listed(whorl.decontaminate(given(ROWS[5:]), against=[{"text": ITEM}]).rows) == []


def test_a_base_and_evaluations_may_be_rows_for_files_too(tmp_path):
    rows = [{"text": f"{story(1)} {story(number)}"} for number in (2, 3)]
    assert len(whorl.dedup(rows, threshold=0.3).rows) == 1
    assert len(whorl.dedup(rows, threshold=0.3, base=[{"text": story(1)}]).rows) == 2
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for _ in range(2):  # the same rows are the same evaluation: the second run finds the first one finished
        result = whorl.decontaminate(path, tmp_path / "out", [{"text": ITEM}])
        assert (result.report["removed"], result.rows) == (1, None)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["corpus.jsonl", "out"]
    with pytest.raises(InputError, match="made from another corpus"):
        whorl.decontaminate(path, tmp_path / "out", [{"text": story(2)}])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": ROWS, "out": "out"}, "out: not for rows in memory, which come back in the result; leave it out"),
        ({"paths": ROWS, "index": "seen"}, "index: not for rows in memory"),
        ({"paths": "corpus.jsonl"}, "out: name the folder to write to"),
        ({"paths": ROWS, "text": "body"}, "paths: no column 'body'; there are 'id', 'text', 'score', 'url', 'tags'"),
        ({"paths": ROWS, "base": [{"x": 1}]}, "base: no column 'text'; there are 'x'"),
        ({"paths": {"text": ["a"]}}, "paths: dict is neither a path nor rows; give paths, a table, or a list of"),
        ({"paths": [{"text": "a"}, "b"]}, "paths: str among rows; give paths, or rows as dictionaries"),
        ({"paths": [1, 2], "out": "out"}, "paths: int is not a path; give paths, or rows as dictionaries, such as"),
        ({"paths": ["a text"]}, "out: name the folder to write to; texts in memory are given as rows, such as"),
        ({"paths": pa.array(["a text"])}, "paths: StringScalar is not a path; give paths, or rows as dictionaries"),
        ({"paths": pa.table([["a"], ["b"]], ["text", "text"])}, "paths: 2 columns are called 'text'; rename all but"),
        ({"paths": pd.DataFrame([["a", "b"]], columns=["text"] * 2)}, "paths: 2 columns are called 'text'; rename"),
        ({"paths": 7, "out": "out"}, "paths: int is neither a path nor rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # an array has its address in its text
)
def test_refusals_say_what_to_give(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        whorl.dedup(**arguments)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("empty", [pd.DataFrame(), pa.table({})], ids=["frame", "table"])
def test_a_table_without_columns_is_empty(empty):
    assert len(whorl.dedup(empty).rows) == 0


def test_a_column_that_is_not_read_may_be_there_twice():
    text = story(1)
    table = pa.table([[text, text], ["x", "y"], [1, 2]], ["text", "n", "n"])
    assert whorl.dedup(table).rows.equals(table.slice(0, 1))


@pytest.mark.parametrize("number", [10**5000, -(10**5000)], ids=["large", "small"])
def test_numbers_of_thousands_of_digits(number):
    """Python writes none of more than 4,300 digits, unless it is asked to."""
    rows = [{"text": story(1), "n": number}, {"text": story(1), "n": 0}]
    assert whorl.dedup(rows).rows == rows[:1]
    assert whorl.dedup(rows, keep="highest", rank="n").rows == [max(rows, key=lambda row: row["n"])]
    (skipped,) = whorl.cluster([{"id": number, "text": story(1)}]).skipped
    assert (skipped.name, skipped.reason) == ("0", "'id' is too large a number")


def test_ids_of_a_frame_in_which_one_is_missing():
    """pandas makes floats of the others."""
    frame = pd.DataFrame({"id": [7, 8, None, 9], "text": [story(1), story(1), story(2), None]})
    clustering = whorl.cluster(frame)
    assert list(clustering.ids) == ["7", "8", "2", "9"]
    assert [(each.name, each.reason) for each in clustering.skipped] == [("9", "no 'text'")]
    (leak,) = whorl.decontaminate([{"text": story(1)}], against=frame[:1].astype({"id": float})).changes
    assert leak["item"] == "7"


@pytest.mark.parametrize("number", [1.5, 2.0**53, float("inf")])
def test_other_floats_are_no_ids(number):
    (skipped,) = whorl.cluster([{"id": number, "text": story(1)}]).skipped
    assert skipped.reason == "'id' is a number, neither a string nor a whole number"


def test_one_column_of_items_needs_no_list():
    result = whorl.decontaminate([{"text": story(1)}], against=[{"stem": story(1)}], items="stem")
    assert result.rows == []


def test_rows_are_called_by_their_argument_in_errors():
    with pytest.raises(
        InputError, match=r"^against: no item was read; name the columns of texts with --item, or items"
    ):
        whorl.decontaminate([{"text": story(1)}], against=[{"stem": story(1)}])


def test_evaluations_are_needed():
    with pytest.raises(InputError, match="against: name the evaluation sets"):
        whorl.decontaminate(ROWS)


LINES = st.lists(st.sampled_from(["sea", "sea and land", "é", "\u2028", "a\tb", '"\\', "\x00", "😀"]), max_size=8)


@given(st.lists(LINES.map("\n".join), max_size=6))
def test_lines_are_cut_but_the_first_of_each_whatever_their_characters(texts):
    rows = [{"text": text, "number": number} for number, text in enumerate(texts)]
    left = whorl.dedup(rows, unit="line", shortest=3).rows
    assert all(row == rows[row["number"]] or len(row["text"]) < len(texts[row["number"]]) for row in left)
    long = [line for row in left for line in row["text"].split("\n") if line in ("sea", "sea and land", "a\tb")]
    assert len(long) == len(set(long))
    assert set(long) <= {line for text in texts for line in text.split("\n")}


class Ranked:
    """Values in the ascending order of a rank, and those that count as missing."""

    KINDS = (
        [Decimal(1), Decimal("1.5"), Decimal(2), Decimal("Infinity")],
        [Decimal("-Infinity"), Decimal("-1E+300"), Decimal(-3), Decimal("1E+3000")],
        [np.int64(-1), np.int8(3), np.float32(3.5), np.float64(1e300), np.longdouble(2e300)],
        [float("-inf"), 0, 0.5, float("inf")],
        [1700000000000000001, 1700000000000000002, 10**400],
    )
    MISSING = (None, float("nan"), Decimal("NaN"), np.float32("nan"), pd.NA, pd.NaT)


@pytest.mark.parametrize("values", Ranked.KINDS, ids=str)
def test_the_highest_is_found_by_numbers_of_any_kind(values):
    rows = [{"text": story(1), "rank": value} for value in values]
    for count in range(2, len(rows) + 1):
        result = whorl.dedup(rows[:count], keep="highest", rank="rank")
        assert result.rows == [rows[count - 1]]
        assert result.faults == ()
        assert whorl.dedup(rows[:count][::-1], keep="highest", rank="rank").rows == [rows[count - 1]]


@pytest.mark.parametrize("missing", Ranked.MISSING, ids=str)
def test_a_missing_rank_is_the_lowest(missing):
    rows = [{"text": story(1), "rank": missing}, {"text": story(1), "rank": -5}]
    result = whorl.dedup(rows, keep="highest", rank="rank")
    assert result.rows == rows[1:]
    assert result.faults == ()


def test_decimals_of_arrow_are_numbers():
    ranks = pa.array([Decimal("1.5"), Decimal("2.5")], pa.decimal128(5, 2))
    table = pa.table({"text": [story(1)] * 2, "rank": ranks})
    assert whorl.dedup(table, keep="highest", rank="rank").rows.equals(table.slice(1))


def test_moments_of_numpy_are_dates():
    times = [np.datetime64("2021-01-01"), np.datetime64("2021-06-01T00:00", "ns"), np.datetime64("NaT")]
    rows = [{"text": story(1), "date": time} for time in times]
    result = whorl.dedup(rows, keep="newest")
    assert [row["date"] for row in result.rows] == times[1:2]
    assert result.faults == ()


def test_texts_of_a_category_are_cut():
    texts = [story(1), f"{story(1)}\n\n{story(2)}", f"{story(1)}\n\n{story(3)}"]
    frame = pd.DataFrame({"text": pd.Categorical(texts), "n": [1, 2, 3]})
    left = whorl.dedup(frame, unit="paragraph").rows
    assert left["text"].dtype == "category"
    assert [text.strip() for text in left["text"]] == [story(1), story(2), story(3)]
    assert frame["text"].tolist() == texts


def test_texts_of_an_enumeration_are_cut():
    texts = [story(1), f"{story(1)}\n\n{story(2)}"]
    left = whorl.dedup(Polars([{"text": text} for text in texts], Enum(texts)), unit="paragraph").rows
    assert [row["text"].strip() for row in left.rows] == [story(1), story(2)]
    assert left["text"].dtype.categories[:2] == texts


@kinds
def test_rows_of_any_kind_are_clustered(kind):
    given, _, _ = KINDS[kind]
    members = whorl.cluster(given(ROWS)).members
    assert [member.id for member in members if member.cluster == members[0].cluster] == ["7", "7", "7"]


@pytest.mark.parametrize("kind", [pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str)
@pytest.mark.parametrize("made", [lambda table: table, lambda table: table.to_batches()[0]], ids=["table", "batch"])
def test_texts_of_any_type_of_arrow(kind, made):
    texts = [story(1), story(1), None, f"{story(1)}\n\n{story(2)}", f"{story(2)} and more"]
    given = made(pa.table({"text": pa.array(texts, kind), "n": range(5)}))
    left = whorl.dedup(given).rows
    assert isinstance(left, type(given))
    assert left.schema == given.schema
    assert left.to_pylist() == whorl.dedup(given.to_pylist()).rows != given.to_pylist()
    cut = whorl.dedup(given, unit="paragraph").rows
    assert cut.schema == given.schema
    assert [text and text.strip() for text in cut.to_pylist() for text in [text["text"]]] == [
        story(1), None, story(2), texts[4]
    ]  # fmt: skip
    assert whorl.decontaminate(given, against=[{"text": story(1)}, {"text": story(2)}]).rows.to_pylist() == [
        {"text": None, "n": 2}
    ]


def test_the_column_of_texts_may_begin_in_a_later_row(tmp_path):
    rows: list[Row] = [{"n": 0}, *({"n": number, "text": story(1)} for number in (1, 2))]
    assert whorl.dedup(rows).rows == of_files(tmp_path, rows) == rows[:2]
    assert [member.id for member in whorl.cluster(rows).members] == ["1", "2"]
    with pytest.raises(InputError, match="paths: no column 'text'; there are 'n'"):
        whorl.dedup([rows[0]] * 200 + rows[1:])
    with pytest.raises(InputError, match="documents: no column 'text'; there are 'n'"):
        whorl.cluster([rows[0]] * 200 + rows[1:])


def test_bytes_that_are_no_text_are_called_so():
    rows: list[Row] = [{"text": story(1)}, {"text": b"caf\xe9"}, {"text": "\ud800"}, {"text": "\ud800", "id": b"\xff"}]
    reasons = [fault.reason for fault in whorl.dedup(rows).faults]
    assert reasons[0].startswith("not UTF-8")
    assert reasons[1:] == ["not Unicode: half of a surrogate pair"] * 2
    both = [{"text": b"\xff", "title": "\ud800"}, {"text": story(1)}]
    assert whorl.dedup(both).rows == both


def test_bytes_of_other_columns_are_not_read():
    rows = [{"text": story(1), "image": bytes(range(128 + number, 256))} for number in range(2)]
    result = whorl.dedup(rows)
    assert result.rows == rows[:1]
    assert result.faults == ()


def test_a_frame_with_dates_and_missing_texts_is_clustered():
    dates = pd.to_datetime(["2020-01-01", "2021-01-01", None, "2022-01-01"])
    frame = pd.DataFrame({"text": pd.array([story(1), story(1), story(1), None], "string"), "date": dates})
    found = whorl.cluster(frame)
    assert list(found.dates)[:3] == ["2020-01-01T00:00:00", "2021-01-01T00:00:00", None]
    assert [(each.name, each.reason) for each in found.skipped] == [("3", "no 'text'")]
