"""Read Parquet and Arrow files: the needed columns, by row groups and batches of rows."""

import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError
from whorl.formats.archives.names import printable
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.parquet import arrow, end_of, headers_at
from whorl.formats.corpora.records import BadRowError, Columns, CorpusRecord, Fault, RowPlace, fault, record
from whorl.sandbox import WorkerFault, default_sandbox

PLACES, PLAN = "whorl.formats.corpora.parquet:places", "whorl.formats.corpora.parquet:plan"

# Bytes of a column read from disk at once, instead of a whole row group.
_BUFFER = 1 << 20
# The unit of dates if each loses some: microseconds still order documents.
_DATES = "us"
# Rows of an Arrow batch that become Python values at once.
_ARROW_ROWS = 1024
# Maximum characters of pyarrow's message, which quotes the content.
_LONGEST = 160

# pyarrow raises these on damage, besides ArrowException: OSError on reading, OverflowError or ValueError for values
# that Python cannot hold. Errors of the system say nothing about the file.
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_DAMAGE = (OSError, ValueError, OverflowError, MemoryError, KeyError, NotImplementedError, TypeError)


def schema(path: Path) -> Any:
    """Return the schema of a Parquet or Arrow file; None if it is damaged."""
    pa, _ = arrow()
    try:
        if is_arrow(path):
            with _open_arrow(path) as reader:
                return reader.schema
        with _open(path) as file:
            return file.schema_arrow
    except (pa.ArrowException, *_DAMAGE):
        return None  # reading reports it


def check_types(path: Path, schema: Any, columns: Columns) -> None:
    """Raise DocumentError if the column of texts, or one of lists, has another type, or if one that is read is there
    twice."""
    lists = columns.lists()
    for name in columns.needed():
        if (count := schema.names.count(name)) > 1:
            raise DocumentError(f"{count} columns are called {name!r}; rename all but one", str(path))
    for name in dict.fromkeys((columns.content, *lists)):
        kind = schema.field(name).type
        if not _fits(kind, name in lists):
            wanted = "lists of integers or strings" if name in lists else "texts"
            raise DocumentError(f"the column {name!r} holds {kind}, not {wanted}; name another", str(path))


# The numbers of the rows that are read, sorted; None reads all of them. More rows around them may be read.
Chosen: TypeAlias = NDArray[np.int64] | None


def _has_chosen(chosen: Chosen, first: int, end: int) -> bool:
    """Return whether a row from the first on, and before the end, is to be read."""
    return chosen is None or bool(np.any((chosen >= first) & (chosen < end)))


def rows(
    path: Path, name: str, columns: Columns, rules: Rules, prefix: str, chosen: Chosen = None
) -> Iterator[CorpusRecord | Fault]:
    """Yield every row as a record or a fault. A damaged row group ends there; the next one is read."""
    pa, _ = arrow()
    try:
        plan = _plan(path, columns.needed(), rules)
        file = _open(path, _date_unit(path, columns, plan))
    except (WorkerFault, pa.ArrowException, *_DAMAGE) as error:
        yield Fault(name, 0, _whole_reason(error))
        return
    with file:
        first, size = 1, path.stat().st_size / max(1, sum(group[0] for group in plan))
        for number, (count, step, refusal) in enumerate(plan):
            row, end = first, first + count
            if not _has_chosen(chosen, first, end):
                first = end
                continue
            for batch in [refusal] if refusal else _batches(file, number, step, columns, chosen, first):
                if isinstance(batch, str):
                    yield Fault(name, row, f"rows {row:,} to {end - 1:,} are lost: {batch}")
                    break
                length, values = batch
                for place, item in enumerate(zip(*values.values(), strict=True), row):
                    cells = dict(zip(values, item, strict=True))
                    yield _row(cells, columns, RowPlace(name, place), round(size * place), prefix)
                row += length
            else:
                if row != end:
                    yield Fault(name, row, f"damaged: {count:,} rows are promised, {row - first:,} are there")
            first = end


_ARROW_MARK, _PARQUET_MARK = b"ARROW1", b"PAR1"


def is_arrow(path: Path) -> bool:
    """Return whether a file is no Parquet but Arrow's format for files or for streams, which has no mark."""
    with path.open("rb") as file:
        return file.read(len(_PARQUET_MARK)) != _PARQUET_MARK


def _open_arrow(path: Path) -> Any:
    pa, _ = arrow()
    source = pa.OSFile(str(path))
    is_file = source.read(len(_ARROW_MARK)) == _ARROW_MARK
    source.seek(0)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def arrow_rows(
    path: Path, name: str, columns: Columns, rules: Rules, prefix: str, chosen: Chosen = None
) -> Iterator[CorpusRecord | Fault]:
    """Yield every row of an Arrow file or stream (Feather, shards of Hugging Face datasets). What follows damage is
    not read."""
    pa, _ = arrow()
    row, size = 0, path.stat().st_size
    try:
        for batch, offset in arrow_batches(path):
            needed = [name for name in columns.needed() if name in batch.schema.names]
            for column in needed:
                batch.column(column).validate(full=True)
            for start in range(0, batch.num_rows, _ARROW_ROWS):
                part = batch.slice(start, _ARROW_ROWS)
                if _has_chosen(chosen, row + 1, row + 1 + part.num_rows):
                    values = {name: values_of(part.column(name), name == columns.date) for name in needed}
                    for place, item in enumerate(zip(*values.values(), strict=True), row + 1):
                        cells = dict(zip(values, item, strict=True))
                        yield _row(cells, columns, RowPlace(name, place), min(offset, size), prefix)
                row += part.num_rows
    except (pa.ArrowException, *_DAMAGE) as error:
        yield Fault(name, row + 1, f"damaged: {_reason(error)}; the rest of the file is not read")


def arrow_batches(path: Path) -> Iterator[tuple[Any, int]]:
    """Yield every record batch, and how many bytes of the file were read with it."""
    with _open_arrow(path) as reader:
        if not hasattr(reader, "num_record_batches"):
            offset = 0
            for batch in reader:
                offset += batch.nbytes
                yield batch, offset
            return
        size, count = path.stat().st_size, reader.num_record_batches
        for number in range(count):
            yield reader.get_batch(number), size * (number + 1) // count


def _plan(path: Path, needed: Sequence[str], rules: Rules) -> list[tuple[int, int, str]]:
    """Return how to read each row group. Workers that see only the metadata decide."""
    sandbox, end = default_sandbox(), end_of(path)
    headers = headers_at(path, sandbox.call(PLACES, *end, needed))
    plan: list[tuple[int, int, str]] = sandbox.call(PLAN, *end, headers, needed, rules.free, rules.ratio)
    return plan


def _open(path: Path, unit: str | None = None) -> Any:
    _, pq = arrow()
    return pq.ParquetFile(
        path, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True, coerce_int96_timestamp_unit=unit
    )


def _date_unit(path: Path, columns: Columns, plan: Sequence[tuple[int, int, str]]) -> str | None:
    """Return the unit in which dates of INT96 are read; None if there are none."""
    with _open(path) as file:
        dates = [name for name in int96_columns(file) if name == columns.date]
    if not dates:
        return None
    groups = [number for number, (_, _, refusal) in enumerate(plan) if not refusal]
    return exact_unit(path, dates, groups) or _DATES


def _batches(
    file: Any, group: int, step: int, columns: Columns, chosen: Chosen, row: int
) -> Iterator[tuple[int, dict[str, list[Any]]] | str]:
    """Yield the number of rows of each batch of a group, whose first row is ``row``, and the values of each column if
    one of the rows is chosen. If the group is damaged, yield the reason and stop."""
    pa, _ = arrow()
    there = set(file.schema_arrow.names)
    needed = [name for name in columns.needed() if name in there]
    try:
        for batch in file.iter_batches(batch_size=step, row_groups=[group], columns=needed, use_threads=False):
            is_read = _has_chosen(chosen, row, row + batch.num_rows)
            names = batch.schema.names if is_read else ()
            yield batch.num_rows, {name: values_of(batch.column(name), name == columns.date) for name in names}
            row += batch.num_rows
    except (pa.ArrowException, *_DAMAGE) as error:
        yield f"damaged: {_reason(error)}"


def _row(values: dict[str, Any], columns: Columns, place: RowPlace, offset: int, prefix: str) -> CorpusRecord | Fault:
    try:
        for name, value in values.items():
            if isinstance(value, UnicodeDecodeError):
                raise BadRowError(f"{name!r} is not UTF-8: byte {value.start + 1}")
        return record(values, columns, place, offset, prefix)
    except BadRowError as error:
        return fault(place, error)


def values_of(column: Any, is_date: bool = False) -> list[Any]:
    """Return the column as Python values; an invalid value is its error, which has the bytes."""
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
    """Return dates in ISO 8601, in UTC."""
    pa, _ = arrow()
    if not pa.types.is_timestamp(column.type):
        return column.cast(pa.string())
    zone = "Z" if column.type.tz else ""
    texts = column.cast(pa.timestamp(column.type.unit)).cast(pa.string()).to_pylist()
    return pa.array([None if text is None else _iso(text) + zone for text in texts], pa.string())


def _iso(text: str) -> str:
    """Convert Arrow's form of a moment, without trailing zeros."""
    seconds, _, fraction = text.replace(" ", "T").partition(".")
    return f"{seconds}.{fraction}" if fraction.strip("0") else seconds


def _fits(kind: Any, is_list: bool) -> bool:
    types = arrow()[0].types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_null(kind):
        return True  # every row of it is a fault
    if is_list:
        return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
    )


def check_whole(path: Path) -> None:
    """Raise DocumentError if a Parquet file cannot be read as a whole. A worker looks at the metadata: Arrow ends the
    process if it describes an encrypted column."""
    pa, _ = arrow()
    try:
        default_sandbox().call(PLACES, *end_of(path), None)
    except (WorkerFault, pa.ArrowException, *_DAMAGE) as error:
        raise DocumentError(_whole_reason(error), str(path)) from error


def _whole_reason(error: BaseException) -> str:
    """Return why nothing is read of a file."""
    reason = _reason(error)
    if isinstance(error, WorkerFault) and error.kind == "died":
        return f"damaged, or a column is encrypted: {reason}"
    return reason if reason.startswith("encrypted") else f"damaged: {reason}"


def _reason(error: BaseException) -> str:
    """Return what is wrong with a file. Raise the error again if the system is to blame, and not the file."""
    if isinstance(error, OSError) and error.errno in _SHORTAGES:
        raise error
    line = printable(" ".join(str(error).split())) or type(error).__name__
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


# INT96 timestamps, as Spark and Impala write them, are a day and nanoseconds. Arrow makes 64 bits of one: nanoseconds
# reach from 1677 to 2262 only, and other years overflow silently. Moments a second in each unit, the finest first.
UNITS = {"ns": 10**9, "us": 10**6, "ms": 10**3, "s": 1}
# The unit that Arrow takes by itself, and those that are compared with each: in seconds, nothing overflows.
FINEST, _COARSEST = "ns", "s"

# Rows whose timestamps are compared at once.
_COMPARED_ROWS = 1 << 16


def int96_columns(file: Any) -> list[str]:
    """Return the paths of the columns of INT96 in an open Parquet file; parts of nested columns have dots."""
    columns = map(file.schema.column, range(len(file.schema)))
    return [column.path for column in columns if column.physical_type == "INT96"]


def exact_unit(path: Path, columns: Sequence[str], groups: Iterable[int]) -> str | None:
    """Return the finest unit in which no value of these columns is lost, in these row groups; None if each loses some.

    Row groups that cannot be read do not count.
    """
    chosen = list(groups)
    return next((unit for unit in UNITS if _is_exact(path, columns, chosen, unit)), None)


def _is_exact(path: Path, columns: Sequence[str], groups: Sequence[int], unit: str) -> bool:
    pa, pq = arrow()
    with ExitStack() as stack:
        files = [
            stack.enter_context(
                pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER, coerce_int96_timestamp_unit=each)
            )
            for each in (_COARSEST, FINEST, unit)
        ]
        for group in groups:
            options = {
                "batch_size": _COMPARED_ROWS,
                "row_groups": [group],
                "columns": list(columns),
                "use_threads": False,
            }
            try:
                for batches in zip(*(file.iter_batches(**options) for file in files), strict=True):
                    columns_of_all = zip(*map(_moments, batches), strict=True)
                    if not all(_is_same(seconds, exact, read, unit) for seconds, exact, read in columns_of_all):
                        return False
            except (pa.ArrowException, OSError):
                continue  # whoever reads the group reports it
    return True


def _is_same(seconds: NDArray[np.int64], nanoseconds: NDArray[np.int64], values: NDArray[np.int64], unit: str) -> bool:
    """Return whether the values have not overflowed, and are as exact as the nanoseconds, which may have overflowed."""
    each = UNITS[unit]
    return bool((values // each == seconds).all() and (values * (UNITS[FINEST] // each) == nanoseconds).all())


def _moments(batch: Any) -> list[NDArray[np.int64]]:
    """Return the timestamps of each column."""
    pa, _ = arrow()
    leaves = (leaf for column in batch.columns for leaf in _leaves(column))
    return [leaf.drop_null().cast(pa.int64()).to_numpy() for leaf in leaves]


def _leaves(column: Any) -> Iterator[Any]:
    """Yield the timestamps in a column, which may be nested, without those in missing lists and structures."""
    types = arrow()[0].types
    if types.is_timestamp(column.type):
        yield column
    elif types.is_struct(column.type):
        for part in column.flatten():
            yield from _leaves(part)
    elif types.is_nested(column.type):
        yield from _leaves(column.flatten())
