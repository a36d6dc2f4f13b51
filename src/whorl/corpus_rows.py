"""Rows in memory in place of files: dictionaries, Arrow tables, frames of pandas and Polars, Hugging Face datasets.

The rows go to a temporary JSONL file and back, so the result is that of the same rows in files. None of the packages is
imported: their objects are recognised by their methods.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from hashlib import blake2b
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import Any, ParamSpec

from whorl.clustering.records import rows_of
from whorl.corpus_output import WORK, Deduplication, place_of
from whorl.errors import InputError
from whorl.formats.corpora.parquet import arrow
from whorl.formats.corpora.remote import check_local, copies_of, time_of

P = ParamSpec("P")

# The file of the rows, and the column of their numbers.
FILE, NUMBER = "rows.jsonl", "whorl__row"


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
            if more is not None:
                _check_columns(other, more, given.get("items", [given["text"]]))
            if rows is not None:
                _check_columns("paths", rows, [given["text"]])
                for name in ("out", "index"):
                    if given.get(name) is not None:
                        raise InputError(f"{name}: not for rows in memory, which come back in the result; leave it out")
            with tempfile.TemporaryDirectory(prefix="whorl-") as home:
                if rows is not None:
                    given["out"], given["paths"] = Path(home, "out"), _write(rows, Path(home, FILE))
                if more is not None:
                    given[other] = _write(more, copies_of(check_local(given["out"])) / f"{other}.jsonl")
                result = function(*bound.args, **bound.kwargs)
                return result if rows is None else _read_back(result, given["out"], rows, given["text"])

        return wrapper

    return decorated


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
    if not others and (given or is_rows_if_empty):
        return given, given
    if len(others) < len(given):
        raise InputError(f"{name}: {type(others[0]).__name__} among rows; give paths, or rows as dictionaries")
    return None, given


def _check_columns(name: str, rows: Any, wanted: Sequence[str]) -> None:
    """Raise InputError if the first row has none of the columns."""
    first = next(iter(rows_of(rows)), None)
    if first is not None and wanted and not any(column in first for column in wanted):
        raise InputError(
            f"{name}: no column {' or '.join(map(repr, wanted))}; there are {', '.join(map(repr, first))}. Name the "
            "right one"
        )


def _write(rows: Any, path: Path) -> Path:
    """Write rows to a file with a time that stands for its content, so that the same rows are the same corpus."""
    digest = blake2b(digest_size=16)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for number, row in enumerate(rows_of(rows)):
            values = {str(column): _as_json(value) for column, value in row.items()}
            line = json.dumps({**values, NUMBER: number}).encode() + b"\n"
            file.write(line)
            digest.update(line)
    time = time_of(digest.hexdigest())
    os.utime(path, ns=(time, time))
    return path


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it: missing numbers and times are missing values. Lists and objects only say that they
    are no texts."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if hasattr(value, "isoformat"):
        return None if value != value else value.isoformat()
    return []


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
        for values in map(json.loads, lines):
            number, row = next(each for each in numbered if each[0] == values[NUMBER])
            before = row.get(column)
            if isinstance(before, str | bytes) and values[column] != _as_json(before):
                texts[len(kept)] = values[column].encode() if isinstance(before, bytes) else values[column]
            kept.append(number)
    return _taken(rows, kept, texts, column)


def _taken(rows: Any, kept: list[int], texts: Mapping[int, str | bytes], column: str) -> Any:
    """Return some rows of a table as a table of its kind, and these ``texts`` in place of their own."""

    def renewed(values: Iterable[Any]) -> list[Any]:
        return [texts.get(place, value) for place, value in enumerate(values)]

    def renew(row: Mapping[str, Any], place: int) -> dict[str, Any]:
        return {column: texts.get(place, row[column])}

    if hasattr(rows, "iter_rows"):  # Polars
        taken = rows[kept]
        old = taken[column]
        return taken.with_columns(type(old)(column, renewed(old.to_list()), old.dtype)) if texts else taken
    if hasattr(rows, "schema") and hasattr(rows, "take"):  # Arrow
        pa, _ = arrow()
        taken = rows.take(pa.array(kept, pa.int64()))
        place = taken.schema.get_field_index(column)
        field = taken.schema.field(place)
        old = taken.column(place)
        return taken.set_column(place, field, pa.array(renewed(old.to_pylist()), field.type)) if texts else taken
    if hasattr(rows, "itertuples"):  # pandas
        taken = rows.iloc[kept]
        new = taken[column].copy()
        new[:] = renewed(new.tolist())
        return taken.assign(**{column: new}) if texts else taken
    if hasattr(rows, "select"):  # Hugging Face
        taken = rows.select(kept)
        return taken.map(renew, with_indices=True) if texts else taken
    chosen, wanted = list[Any](), set(kept)
    for number, row in enumerate(rows_of(rows)):
        if number in wanted:
            place = len(chosen)
            chosen.append({**row, column: texts[place]} if place in texts else row)
    return chosen
