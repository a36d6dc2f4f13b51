"""Parquet out: tables of results, written as they come, and there only when they are whole."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError, WhorlError

# Rows that are gathered before they are written: readers skip and share work by row groups.
ROW_GROUP = 1 << 16

# The columns of what ``whorl cluster`` writes, with Arrow's names of their types.
DOCUMENTS = {
    "id": "string",
    "cluster": "int64",
    "representative": "string",
    "similarity": "float64",
    "kind": "string",
    "url": "string",
    "date": "string",
}
PAIRS = {
    "left": "string",
    "right": "string",
    "resemblance": "float64",
    "left_in_right": "float64",
    "right_in_left": "float64",
    "shared": "int64",
}

# Arrow's names of the types of numbers that lie in memory as NumPy has them.
WIDTHS: Mapping[str, np.dtype[Any]] = {
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint64": np.dtype(np.uint64),
    "double": np.dtype(np.float64),
}


_MISSING = 'Parquet needs pyarrow, which is missing: pip install "whorl[corpus]"'


@cache
def arrow() -> tuple[Any, Any]:
    """``pyarrow`` and ``pyarrow.parquet``. They take 0.2 s to import, so only who needs them does."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError(_MISSING) from error
    return pyarrow, parquet


def check_arrow() -> None:
    """Refuses at once what ``arrow`` would refuse later, without importing anything."""
    if find_spec("pyarrow") is None:
        raise InputError(_MISSING)


class TableWriter:
    """A table on its way to ``path``. It gets that name when all of it is on the disk; an error leaves nothing behind.

    ``schema`` has the name of each column and of its type (``string``, ``int64``, ``float64``, ``uint64``, ``bool``).
    """

    def __init__(self, path: Path, schema: Mapping[str, str]) -> None:
        pa, pq = arrow()
        self.rows = 0
        self._path = path
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._schema = pa.schema([(name, _type(kind)) for name, kind in schema.items()])
        self._waiting: list[Any] = []
        self._waiting_rows = 0
        try:
            # Without Arrow's own schema: readers would take texts for categories, which is only how they are written.
            # What is measured rarely repeats: looking for equal values of it takes time and saves no room.
            self._writer = pq.ParquetWriter(
                self._temporary, self._schema, compression="zstd", store_schema=False, write_batch_size=ROW_GROUP,
                use_dictionary=[name for name, kind in schema.items() if kind != "float64"],
            )  # fmt: skip
        except OSError as error:
            raise _unwritten(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._drop()
            return
        try:
            self._flush()
            self._writer.close()
            _settle(self._temporary, self._path)
        except OSError as error:
            self._drop()
            raise _unwritten(self._path, error) from error

    def write(self, columns: Mapping[str, Any]) -> None:
        """Some rows: an array or a list for each column. A column of the schema that is not given is null."""
        pa, _ = arrow()
        unknown = sorted(set(columns) - set(self._schema.names))
        if unknown:
            raise InputError(f"{self._path}: no column {', '.join(unknown)} in the schema")
        count = len(next(iter(columns.values()), ()))
        arrays = [_array(columns.get(field.name), field.type, count) for field in self._schema]
        self._waiting.append(pa.record_batch(arrays, schema=self._schema))
        self._waiting_rows += count
        self.rows += count
        if self._waiting_rows >= ROW_GROUP:
            try:
                self._flush()
            except OSError as error:
                raise _unwritten(self._path, error) from error

    def _flush(self) -> None:
        if self._waiting_rows:
            table = arrow()[0].Table.from_batches(self._waiting, self._schema)
            self._writer.write_table(table, row_group_size=2 * ROW_GROUP)  # no small rest of its own
        self._waiting, self._waiting_rows = [], 0

    def _drop(self) -> None:
        with suppress(OSError):  # the disk is full: what was written goes anyhow
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


def write_table(path: Path, columns: Mapping[str, Any] | Iterable[Mapping[str, Any]], schema: Mapping[str, str]) -> int:
    """Writes a table from columns, or from many pieces of them as they come; gives the number of rows."""
    with TableWriter(path, schema) as writer:
        for piece in [columns] if isinstance(columns, Mapping) else columns:
            writer.write(piece)
    return writer.rows


def _type(kind: str) -> Any:
    """Of texts each is written once, and for every row which of them it has: they repeat."""
    pa, _ = arrow()
    return pa.dictionary(pa.int32(), pa.string()) if kind == "string" else pa.type_for_alias(kind)


def coded(codes: NDArray[np.int32], texts: Sequence[bytes], is_there: NDArray[np.bool_] | None = None) -> Any:
    """A column of texts: which of the texts each row has, if any."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return coded_by(codes, np.frombuffer(b"".join(texts), np.uint8), ends, is_there)


def coded_by(
    codes: NDArray[np.int32], data: NDArray[np.uint8], ends: NDArray[np.int32], is_there: NDArray[np.bool_] | None
) -> Any:
    """The same of texts that lie one after the other in ``data``: ``ends`` is where each begins and the last ends."""
    pa, _ = arrow()
    texts = pa.Array.from_buffers(pa.string(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])
    there = None if is_there is None else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    places = pa.Array.from_buffers(pa.int32(), len(codes), [there, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(places, texts, safe=False)


def _array(values: Any, kind: Any, count: int) -> Any:
    pa, _ = arrow()
    if values is None:
        return pa.nulls(count, kind)
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray) and values.dtype == WIDTHS.get(str(kind)):
        # Not by ``pa.array``: that imports pandas where it is installed, at half a second.
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(np.ascontiguousarray(values))])
    return pa.array(values, kind)


def _settle(temporary: Path, path: Path) -> None:
    """Gives the file its name once the disk has it."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def _unwritten(path: Path, error: OSError) -> WhorlError:
    return WhorlError(f"{path}: cannot be written: {error.strerror or error}")
