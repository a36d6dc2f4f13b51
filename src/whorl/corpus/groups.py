"""Parquet: the needed columns, a row group at a time and a batch of rows of it at a time.

pyarrow reads it in this process, once ``pages`` has looked at the file's figures in the sandbox: from there on damage
makes it raise, and not crash. See ``docs/decisions/0013-corpora.md``.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whorl.collection.names import printable
from whorl.collection.rules import Rules
from whorl.corpus.parquet import arrow
from whorl.corpus.records import BadRowError, Columns, Fault, Place, Record
from whorl.corpus.rows import record
from whorl.errors import InputError
from whorl.frontends.sandbox import WorkerFault, default_sandbox

# Bytes of a column that are read from the disk at once, instead of all that a row group has of it.
_BUFFER = 1 << 20
# Characters of pyarrow's message that are told: it quotes what it found.
_LONGEST = 160

# What pyarrow raises on damage, beside its own ArrowException: its errors of reading are OSError, and values that no
# Python value can hold are OverflowError or ValueError.
_DAMAGE = (OSError, ValueError, OverflowError, MemoryError, KeyError, NotImplementedError, TypeError)


def names(path: Path) -> list[str] | None:
    """The columns of the file; None if it is damaged."""
    pa, _ = arrow()
    try:
        with _open(path) as file:
            return list(file.schema_arrow.names)
    except (pa.ArrowException, *_DAMAGE):
        return None  # reading reports it


def check_types(path: Path, columns: Columns) -> None:
    """Refuses a file whose column of texts, or of features, can hold none."""
    pa, _ = arrow()
    try:
        with _open(path) as file:
            kind = file.schema_arrow.field(columns.content).type
    except (pa.ArrowException, *_DAMAGE):
        return  # reading reports it
    if not _fits(kind, columns.features is not None):
        wanted = "lists of integers or strings" if columns.features is not None else "texts"
        raise InputError(f"{path}: the column {columns.content!r} holds {kind}, not {wanted}; name another")


def rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Record | Fault]:
    """Every row as a record or a fault. A row group that is damaged ends there, and the next one goes on."""
    pa, _ = arrow()
    limits = (columns.needed(), rules.free, rules.ratio)
    try:
        plan = default_sandbox().call("whorl.corpus.pages:plan", os.fsencode(path.absolute()), *limits)
        file = _open(path)
    except (WorkerFault, pa.ArrowException, *_DAMAGE) as error:
        yield Fault(name, 0, f"damaged: {_reason(error)}")
        return
    with file:
        first, size = 1, path.stat().st_size / max(1, sum(group[0] for group in plan))
        for number, (count, step, refusal) in enumerate(plan):
            row, end = first, first + count
            for values in [refusal] if refusal else _batches(file, number, step, columns):
                if isinstance(values, str):
                    yield Fault(name, row, f"rows {row:,} to {end - 1:,} are lost: {values}")
                    break
                for item in zip(*values.values(), strict=True):
                    place = Place(name, row)
                    yield _row(dict(zip(values, item, strict=True)), columns, place, round(size * row), prefix)
                    row += 1
            else:
                if row != end:
                    yield Fault(name, row, f"damaged: {count:,} rows are promised, {row - first:,} are there")
            first = end


def _open(path: Path) -> Any:
    _, pq = arrow()
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True)


def _batches(file: Any, group: int, step: int, columns: Columns) -> Iterator[dict[str, list[Any]] | str]:
    """The values of each column, some rows at a time; where the group is damaged, the reason, and it ends."""
    pa, _ = arrow()
    there = set(file.schema_arrow.names)
    needed = [name for name in columns.needed() if name in there]
    try:
        for batch in file.iter_batches(batch_size=step, row_groups=[group], columns=needed, use_threads=False):
            yield {name: _values(batch.column(name), name == columns.date) for name in batch.schema.names}
    except (pa.ArrowException, *_DAMAGE) as error:
        yield f"damaged: {_reason(error)}"


def _row(values: dict[str, Any], columns: Columns, place: Place, offset: int, prefix: str) -> Record | Fault:
    try:
        for name, value in values.items():
            if isinstance(value, UnicodeDecodeError):
                raise BadRowError(f"{name!r} is not UTF-8: byte {value.start + 1}")
        return record(values, columns, place, offset, prefix)
    except BadRowError as error:
        return Fault(*place, str(error))


def _values(column: Any, is_date: bool) -> list[Any]:
    """The column as Python values; one that cannot be had is the error."""
    pa, _ = arrow()
    if is_date and pa.types.is_temporal(column.type):
        column = _as_text(column)
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = [_value(cell) for cell in column]
    return values


def _value(cell: Any) -> Any:
    try:
        return cell.as_py()
    except UnicodeDecodeError as error:
        return error


def _as_text(column: Any) -> Any:
    """Dates as ISO 8601 writes them, in UTC."""
    pa, _ = arrow()
    if not pa.types.is_timestamp(column.type):
        return column.cast(pa.string())
    zone = "Z" if column.type.tz else ""
    texts = column.cast(pa.timestamp(column.type.unit)).cast(pa.string()).to_pylist()
    return pa.array([None if text is None else _iso(text) + zone for text in texts], pa.string())


def _iso(text: str) -> str:
    """Arrow's writing of a moment, without zeros behind the second."""
    seconds, _, fraction = text.replace(" ", "T").partition(".")
    return f"{seconds}.{fraction}" if fraction.strip("0") else seconds


def _fits(kind: Any, is_features: bool) -> bool:
    types = arrow()[0].types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_null(kind):
        return True  # every row of it is a fault
    if is_features:
        return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _reason(error: BaseException) -> str:
    line = printable(" ".join(str(error).split())) or type(error).__name__
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
