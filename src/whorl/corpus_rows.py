"""Rows in memory in place of files: dictionaries, Arrow tables, frames of pandas and Polars, Hugging Face datasets.

The rows go to a temporary JSONL file and back, so the result is that of the same rows in files. None of the packages is
imported: their objects are recognised by their methods.
"""

import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from hashlib import blake2b
from inspect import signature
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np

from whorl.clustering.records import LOOKED_AT, plain, refuse_twice, rows_of, unformatted
from whorl.corpus_output import WORK, Deduplication, place_of
from whorl.errors import InputError
from whorl.formats.corpora.parquet import arrow
from whorl.formats.corpora.remote import check_local, copies_of, time_of

P = ParamSpec("P")

# The file of the rows, and the column of their numbers.
FILE, NUMBER = "rows.jsonl", "whorl__row"

# Digits of the largest whole number that is written with all of them: Python reads no more than 4,300.
DIGITS = 4000
_TOO_LARGE = 10**DIGITS


def taking_rows(other: str) -> Callable[[Callable[P, Deduplication]], Callable[P, Deduplication]]:
    """Decorate a function of ``paths`` that writes to a folder ``out``: ``paths`` may be rows, which come back in the
    result, and then ``out`` is left out. The argument ``other`` may be rows too."""

    def decorated(function: Callable[P, Deduplication]) -> Callable[P, Deduplication]:
        parameters = signature(function)

        @wraps(function)
        def wrapper(*args: P.args, **keywords: P.kwargs) -> Deduplication:
            bound = parameters.bind(*args, **keywords)
            bound.apply_defaults()
            given = bound.arguments
            rows, given["paths"] = _recognised("paths", given["paths"], is_rows_if_empty=given["out"] is None)
            more, given[other] = _recognised(other, given[other])
            texts = given.get("items", [given["text"]])
            texts = [texts] if isinstance(texts, str) else texts
            used = [given.get(role) for role in ("id", "url", "date", "rank")]
            if more is not None:
                _check_columns(other, more, texts, used)
            if rows is not None:
                _check_columns("paths", rows, [given["text"]], used)
                for name in ("out", "index"):
                    if given.get(name) is not None:
                        raise InputError(f"{name}: not for rows in memory, which come back in the result; leave it out")
            with tempfile.TemporaryDirectory(prefix="whorl-") as home:
                written: dict[str, Path] = {}
                if rows is not None:
                    given["out"] = Path(home, "out")
                    given["paths"] = written["paths"] = _write(rows, Path(home, FILE), [given["text"]])
                if more is not None:
                    copy = copies_of(check_local(given["out"])) / f"{other}.jsonl"
                    given[other] = written[other] = _write(more, copy, texts)
                with _called_as_given(written):
                    result = function(*bound.args, **bound.kwargs)
                return result if rows is None else _read_back(result, given["out"], rows, given["text"])

        return wrapper

    return decorated


@contextmanager
def _called_as_given(written: Mapping[str, Path]) -> Iterator[None]:
    """Call rows by their argument in errors, not by the file that they were written to."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for name, path in written.items():
            message = message.replace(str(path), name)
        if message == str(error):
            raise
        raise InputError(message) from error


def _recognised(name: str, given: Any, *, is_rows_if_empty: bool = False) -> tuple[Any, Any]:
    """Return the rows that were given, None if they are paths; and all that was given, which may be read again."""
    if isinstance(given, str | Path):
        return None, given
    if rows_of(given) is not given or (hasattr(given, "column_names") and hasattr(given, "select")):
        return given, given
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(
            f"{name}: {type(given).__name__} is neither a path nor rows; give paths, a table, or a list of dictionaries"
        )
    given = given if isinstance(given, Sequence) else list(given)
    others = [each for each in given if not isinstance(each, Mapping)]
    if unknown := [each for each in others if not isinstance(each, str | Path)]:
        raise InputError(
            f"{name}: {type(unknown[0]).__name__} is not a path; give paths, or rows as dictionaries, such as "
            "{'text': ...}"
        )
    if not others and (given or is_rows_if_empty):
        return given, given
    if len(others) < len(given):
        raise InputError(f"{name}: {type(others[0]).__name__} among rows; give paths, or rows as dictionaries")
    return None, given


def _check_columns(name: str, rows: Any, wanted: Sequence[str], used: Sequence[str | None]) -> None:
    """Raise InputError if the first rows have none of the wanted columns, or if one that is used is there twice."""
    refuse_twice(rows, [*wanted, *used], name)
    there = dict.fromkeys(column for row in islice(rows_of(rows), LOOKED_AT) for column in row)
    if there and wanted and not any(column in there for column in wanted):
        raise InputError(
            f"{name}: no column {' or '.join(map(repr, wanted))}; there are {', '.join(map(repr, there))}. Name the "
            "right one"
        )


def _write(rows: Any, path: Path, texts: Collection[str]) -> Path:
    """Write rows to a file with a time that stands for its content, so that the same rows are the same corpus.
    ``texts`` are the columns of texts."""
    digest = blake2b(digest_size=16)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for number, row in enumerate(rows_of(rows)):
            damaged = [column for column, value in row.items() if isinstance(value, bytes) and not _is_utf8(value)]
            # Bytes of other columns, such as images, are not read.
            values = {str(column): _as_json(value) for column, value in row.items()}
            values |= {str(column): None for column in damaged if column not in texts}
            line = _line({**values, NUMBER: number}, any(column in texts for column in damaged))
            file.write(line)
            digest.update(line)
    time = time_of(digest.hexdigest())
    os.utime(path, ns=(time, time))
    return path


def _line(values: Mapping[str, Any], is_damaged: bool) -> bytes:
    """Return a row as a line. If a text of it is not UTF-8, neither is the line, and reading says so."""
    if is_damaged:
        with suppress(UnicodeEncodeError):  # another text has half a surrogate pair, which reading reports
            return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
    return json.dumps(values).encode() + b"\n"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it. Lists and objects only say that they are no texts."""
    value = plain(value)
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < _TOO_LARGE else float("inf") if value > 0 else float("-inf")
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value.adjusted() < DIGITS and value == value.to_integral_value()
        return int(value) if is_whole else float(value)
    return {} if isinstance(value, Mapping) else []


def _read_back(result: Deduplication, out: Path, rows: Any, column: str) -> Deduplication:
    """Return the result in a folder with the rows that stay, and without the files."""
    faults = tuple(replace(fault, path="", row=fault.row - 1) for fault in result.faults)
    skipped = tuple(each._replace(name=str(place_of(each.name)[1] - 1)) for each in result.skipped)
    changes = tuple(change for path in (out / WORK).glob("*.parquet") for change in _changes(path))
    if result.report.get("mark"):
        with (out / FILE).open("rb") as lines:
            attributes = tuple(json.loads(line)["attributes"] for line in lines)
        left = rows
    else:
        attributes, left = (), _left(out / FILE, rows, column)
    return replace(
        result, folder=None, faults=faults, skipped=skipped, rows=left, changes=changes, attributes=attributes
    )


def _changes(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what was changed, with the numbers of rows counted from 0 and without the name of the file."""
    _, pq = arrow()
    for change in pq.read_table(path).to_pylist():
        numbers = {name: change[name] - 1 for name in ("row", "kept_row") if name in change}
        yield {name: numbers.get(name, value) for name, value in change.items() if name not in ("file", "kept_file")}


def _left(path: Path, rows: Any, column: str) -> Any:
    """Return the rows that a file still has, with their texts as far as these were cut."""
    kept, texts, numbered = list[int](), dict[int, str | bytes](), enumerate(rows_of(rows))
    with path.open("rb") as lines:
        for line in lines:
            values = json.loads(line.decode("utf-8", "surrogateescape"))
            number, row = next(each for each in numbered if each[0] == values[NUMBER])
            before = row.get(column)
            if isinstance(before, str | bytes) and values[column] != _as_json(before):
                texts[len(kept)] = values[column].encode() if isinstance(before, bytes) else values[column]
            kept.append(number)
    return _taken(rows, kept, texts, column)


def _arrow_rows(rows: Any, kept: Sequence[int]) -> Any:
    """Return some rows of an Arrow table or batch."""
    pa, _ = arrow()
    try:
        return rows.take(pa.array(kept, pa.int64()))
    except pa.ArrowNotImplementedError:  # of views of strings; slices are of any type
        gaps = np.flatnonzero(np.diff(kept) != 1) + 1
        runs = (kept[first:end] for first, end in pairwise([0, *gaps.tolist(), len(kept)]))
        parts = [rows.slice(run[0] if run else 0, len(run)) for run in runs]
        if not isinstance(rows, pa.RecordBatch):
            return pa.concat_tables(parts)
        columns = [pa.concat_arrays([part.column(place) for part in parts]) for place in range(rows.num_columns)]
        return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _renewed(dataset: Any, renew: Callable[[Mapping[str, Any], int], dict[str, Any]]) -> Any:
    """Return a Hugging Face dataset with other texts, in the format that it has."""
    texts = unformatted(dataset).map(renew, with_indices=True, features=dataset.features)
    its_format = dataset.format
    return texts.with_format(
        its_format["type"], its_format["columns"], its_format["output_all_columns"], **its_format["format_kwargs"]
    )


def _widened(dtype: Any, texts: Iterable[str | bytes]) -> Any:
    """Return the type of a column of Polars that is to hold more texts. Only an enumeration must name them."""
    if type(dtype).__name__ != "Enum":
        return dtype
    return type(dtype)([*dict.fromkeys([*dtype.categories, *texts])])


def _taken(rows: Any, kept: list[int], texts: Mapping[int, str | bytes], column: str) -> Any:
    """Return some rows of a table as a table of its kind, and these ``texts`` in place of their own."""

    def renewed(values: Iterable[Any]) -> list[Any]:
        return [texts.get(place, value) for place, value in enumerate(values)]

    def renew(row: Mapping[str, Any], place: int) -> dict[str, Any]:
        return {column: texts.get(place, row[column])}

    if hasattr(rows, "iter_rows"):  # Polars
        taken = rows[kept]
        if not texts:
            return taken
        old = taken[column]
        return taken.with_columns(type(old)(column, renewed(old.to_list()), _widened(old.dtype, texts.values())))
    if hasattr(rows, "schema") and hasattr(rows, "take"):  # Arrow
        pa, _ = arrow()
        taken = _arrow_rows(rows, kept)
        if not texts:
            return taken
        place = taken.schema.get_field_index(column)
        field = taken.schema.field(place)
        old = taken.column(place)
        return taken.set_column(place, field, pa.array(renewed(old.to_pylist()), field.type))
    if hasattr(rows, "itertuples"):  # pandas
        taken = rows.iloc[kept]
        if not texts:
            return taken
        new = taken[column].copy()
        if hasattr(new, "cat"):
            there = {*new.cat.categories}
            new = new.cat.add_categories([text for text in dict.fromkeys(texts.values()) if text not in there])
        new[:] = renewed(new.tolist())
        return taken.assign(**{column: new})
    if hasattr(rows, "select"):  # Hugging Face
        taken = rows.select(kept)
        return _renewed(taken, renew) if texts else taken
    chosen, wanted = list[Any](), set(kept)
    for number, row in enumerate(rows_of(rows)):
        if number in wanted:
            place = len(chosen)
            chosen.append({**row, column: texts[place]} if place in texts else row)
    return chosen
