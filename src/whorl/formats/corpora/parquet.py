"""Write Parquet tables atomically, and plan in the sandbox how to read one in bounded memory."""

import io
import os
import struct
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

# Rows per row group: readers skip and parallelise by row groups.
ROW_GROUP = 1 << 16

# Columns of the tables of ``whorl cluster``, with Arrow's names of their types.
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

# Arrow's names of the number types that NumPy has in the same form.
WIDTHS: Mapping[str, np.dtype[Any]] = {
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint64": np.dtype(np.uint64),
    "double": np.dtype(np.float64),
}


_MISSING = 'Parquet needs pyarrow, which is missing: pip install "whorl[corpus]"'


@cache
def arrow() -> tuple[Any, Any]:
    """Import ``pyarrow`` and ``pyarrow.parquet``, which takes 0.2 s, only where needed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise InputError(_MISSING) from error
    except ImportError as error:
        raise InputError(f"pyarrow cannot be loaded: {error}") from error
    return pyarrow, parquet


def check_arrow() -> None:
    """Raise InputError if pyarrow is missing, without importing it."""
    if find_spec("pyarrow") is None:
        raise InputError(_MISSING)


class TableWriter:
    """Write a table under a temporary name; it gets the name ``path`` when it is complete and on disk.

    An error leaves nothing behind. ``schema`` has the type of each column (``string``, ``int64``, ``float64``,
    ``uint64``, ``bool``).
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
            # Without Arrow's schema: readers would take the texts for categories. No dictionaries for measures, which
            # rarely repeat.
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
        """Add rows: an array or a list for each column. Missing columns are null."""
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
    """Write a table from columns, or from many parts of them; return the number of rows."""
    with TableWriter(path, schema) as writer:
        for piece in [columns] if isinstance(columns, Mapping) else columns:
            writer.write(piece)
    return writer.rows


def _type(kind: str) -> Any:
    """Return the Arrow type. Texts repeat, so they are dictionary-encoded."""
    pa, _ = arrow()
    return pa.dictionary(pa.int32(), pa.string()) if kind == "string" else pa.type_for_alias(kind)


def coded(codes: NDArray[np.int32], texts: Sequence[bytes], is_there: NDArray[np.bool_] | None = None) -> Any:
    """Return a dictionary-encoded column: which of the texts each row has, if any."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return coded_by(codes, np.frombuffer(b"".join(texts), np.uint8), ends, is_there)


def coded_by(
    codes: NDArray[np.int32], data: NDArray[np.uint8], ends: NDArray[np.int32], is_there: NDArray[np.bool_] | None
) -> Any:
    """Return the same for texts concatenated in ``data``: ``ends`` is where each begins and the last ends.

    Equal texts become one: where texts of a dictionary repeat, Arrow 26 writes memory that it has not filled.
    """
    pa, _ = arrow()
    texts = pa.Array.from_buffers(pa.string(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])
    distinct = texts.dictionary_encode()
    if len(distinct.dictionary) < len(texts):
        codes = np.frombuffer(distinct.indices.buffers()[1], np.int32, len(texts))[codes]
    there = None if is_there is None else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    places = pa.Array.from_buffers(pa.int32(), len(codes), [there, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(places, distinct.dictionary, safe=False)


def _array(values: Any, kind: Any, count: int) -> Any:
    pa, _ = arrow()
    if values is None:
        return pa.nulls(count, kind)
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray) and values.dtype == WIDTHS.get(str(kind)):
        # Not by ``pa.array``, which imports pandas if installed and takes half a second.
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(np.ascontiguousarray(values))])
    return pa.array(values, kind)


def _settle(temporary: Path, path: Path) -> None:
    """Sync the file, then rename it."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def _unwritten(path: Path, error: OSError) -> WhorlError:
    return WhorlError(f"{path}: cannot be written: {error.strerror or error}")


# Target bytes of text in a batch, and its maximum of rows. The reader holds several batches.
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096
# Maximum bytes of a batch if every row has the largest value of the dictionary. Writers stop a dictionary at one
# megabyte.
_WORST_BYTES = 64 << 20

# The header of a page in Thrift's compact protocol begins with three 32-bit fields: the kind and two sizes.
_FIELD = 0x15
_HEADER = 32
# The last bytes of a file: the length of the metadata and a mark. Longer metadata is a bomb: a file of a thousand
# columns and a thousand row groups has 50 MB.
_TRAILER = struct.Struct("<I4s")
_MARK, _ENCRYPTED = b"PAR1", b"PARE"
MOST_FIGURES = 128 << 20
_IS_DICTIONARY = 2


class _End(io.RawIOBase):
    """A file of which only the last bytes are present; the others read as zeros."""

    def __init__(self, size: int, end: bytes) -> None:
        self._start, self._file, self._at = size - len(end), io.BytesIO(end), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        size = self._start + len(self._file.getbuffer())
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        before = max(0, min(len(buffer), self._start - self._at))
        self._file.seek(max(0, self._at - self._start))
        rest = self._file.read(len(buffer) - before)
        buffer[: before + len(rest)] = bytes(before) + rest
        self._at += before + len(rest)
        return before + len(rest)


def end_of(path: Path) -> tuple[int, bytes]:
    """In the calling process: return the size of the file and its last bytes, with the metadata."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TRAILER.size))
        trailer = file.read(_TRAILER.size)
        length, mark = _TRAILER.unpack(trailer) if len(trailer) == _TRAILER.size else (0, b"")
        if mark == _ENCRYPTED:
            raise ValueError("encrypted: write it without encryption first")
        length = length if mark == _MARK else 0  # pyarrow says what is wrong
        if length > MOST_FIGURES:
            raise ValueError(f"its figures take more than {MOST_FIGURES >> 20} MB")
        file.seek(max(0, size - length - _TRAILER.size))
        return size, file.read(length + _TRAILER.size)


def headers_at(path: Path, offsets: Sequence[int]) -> list[bytes]:
    """In the calling process: return the first bytes of pages."""
    headers = []
    with path.open("rb") as file:
        for offset in offsets:
            file.seek(max(0, offset))
            headers.append(file.read(_HEADER) if offset > 0 else b"")
    return headers


def places(size: int, end: bytes, needed: Sequence[str] | None) -> list[int]:
    """Return the offset of the first page of each needed column in each row group; -1 if unknown. None needs all."""
    _, pq = arrow()
    with pq.ParquetFile(_End(size, end)) as table:
        return [_first_page(column) for _, columns in _groups(table.metadata, needed) for column in columns]


def plan(
    size: int, end: bytes, headers: Sequence[bytes], needed: Sequence[str], free: int, ratio: int
) -> list[tuple[int, int, str]]:
    """For each row group return its rows, how many to read at a time, and why it is refused, if it is.

    ``headers`` are the first bytes of the pages at ``places``.
    """
    _, pq = arrow()
    with pq.ParquetFile(_End(size, end)) as table:
        left, groups = list(headers), []
        for group, columns in _groups(table.metadata, needed):
            of_group, left = left[: len(columns)], left[len(columns) :]
            groups.append((group.num_rows, _batch_rows(of_group, group), _refusal(columns, free, ratio)))
    return groups


def _groups(data: Any, needed: Sequence[str] | None) -> list[tuple[Any, list[Any]]]:
    names = (data.schema.column(index).path for index in range(data.num_columns))
    leaves = [index for index, name in enumerate(names) if needed is None or _is_needed(name, needed)]
    groups = [data.row_group(number) for number in range(data.num_row_groups)]
    return [(group, [group.column(index) for index in leaves]) for group in groups]


def _is_needed(path: str, needed: Sequence[str]) -> bool:
    """Return whether a column is read. The values of a list are in a nested column."""
    return path in needed or path.partition(".")[0] in needed


def _refusal(columns: Sequence[Any], free: int, ratio: int) -> str:
    for column in columns:
        if column.total_uncompressed_size > max(free, ratio * column.total_compressed_size):
            return f"perhaps a bomb: {column.path_in_schema!r} would grow more than {ratio} times"
    return ""


def _batch_rows(headers: Sequence[bytes], group: Any) -> int:
    fitting: int = _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)
    for header in headers:
        if dictionary := _dictionary(header):
            fitting = min(fitting, _WORST_BYTES // dictionary)
    return max(1, min(_BATCH_ROWS, fitting))


def _first_page(column: Any) -> int:
    offsets = [at for at in (column.dictionary_page_offset, column.data_page_offset) if at]
    return min(offsets) if offsets and min(offsets) > 0 else -1


def _dictionary(header: bytes) -> int:
    """Return the bytes of a column's dictionary; 0 without one, the maximum if unknown."""
    fields = _fields(header)
    if len(fields) < 2:
        return _WORST_BYTES
    return max(0, fields[1]) if fields[0] == _IS_DICTIONARY else 0


def _fields(header: bytes) -> list[int]:
    """Return the kind of a page and its uncompressed size, or fewer if the header is damaged."""
    fields, at = list[int](), 0
    while len(fields) < 2 and at < len(header) and header[at] == _FIELD:
        number, shift, at = 0, 0, at + 1
        while at < len(header) and header[at] & 0x80:
            number |= (header[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
        if at == len(header):
            break
        number |= header[at] << shift
        fields.append((number >> 1) ^ -(number & 1))  # zigzag
        at += 1
    return fields
