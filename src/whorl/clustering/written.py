"""What ``whorl cluster`` wrote, read again: tables a part at a time, and of a table no column that is not asked for."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.corpus.parquet import ROW_GROUP, WIDTHS, arrow
from whorl.errors import InputError

DOCUMENTS_FILE = "documents.parquet"
PAIRS_FILE = "pairs.parquet"
SUMMARY_FILE = "summary.json"

# In the summary: how many pairs have a measure of so many hundredths, and the numbers of that list.
HUNDREDTHS, BINS = "pairs_by_hundredth", 101


class Table:
    """A table of a clustering's folder. It must have the columns that are named. Those of ``coded`` come as codes, and
    what each of them stands for."""

    def __init__(self, path: Path, columns: Mapping[str, str], coded: Sequence[str] = ()) -> None:
        pa, pq = arrow()
        if not path.is_file():
            raise InputError(f"{path}: no such file: give the folder that 'whorl cluster -o' wrote")
        self._path = path
        try:
            self._file = pq.ParquetFile(path, read_dictionary=list(coded))
        except (OSError, pa.ArrowException) as error:
            raise self._damaged(error) from error
        self._places = {name: place for place, name in enumerate(self._file.schema_arrow.names)}
        missing = [name for name in columns if name not in self._places]
        if missing:
            raise InputError(f"{path}: there is no column {', '.join(missing)}: 'whorl cluster' writes it")

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def batches(self, *columns: str) -> Iterator[dict[str, Any]]:
        """These columns as Arrow's arrays, some rows at a time."""
        coming = self._file.iter_batches(ROW_GROUP, columns=list(columns))
        while (batch := self._read(lambda: next(coming, None))) is not None:
            yield {name: batch.column(name) for name in columns}

    def rows(self, key: str, values: Sequence[Any], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows whose ``key`` is one of the values, in order.

        Of a row group whose least and largest key rule all values out, nothing is read; of one without such a row, the
        key alone.
        """
        pa, _ = arrow()
        from pyarrow import compute

        if not values:
            return
        wanted = pa.array(values, self._file.schema_arrow.field(key).type)
        for number in range(self._file.metadata.num_row_groups):
            if self._may_have(number, key, values):
                found = compute.is_in(self._group(number, [key]).column(0), value_set=wanted)
                if compute.any(found).as_py():
                    yield from self._group(number, list(columns)).filter(found).to_pylist()

    def take(self, places: NDArray[np.int64], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows at these places, which ascend. Of a row group without any, nothing is read."""
        start = 0
        for number in range(self._file.metadata.num_row_groups):
            end = start + self._file.metadata.row_group(number).num_rows
            inside = places[(places >= start) & (places < end)] - start
            if len(inside):
                # A value at a time: Arrow's own ``take`` imports all of its functions, at 0.2 s.
                group = {name: self._group(number, [name]).column(0) for name in columns}
                yield from ({name: group[name][row].as_py() for name in columns} for row in inside.tolist())
            start = end

    def _may_have(self, number: int, key: str, values: Sequence[Any]) -> bool:
        known = self._file.metadata.row_group(number).column(self._places[key]).statistics
        if known is None or not known.has_min_max:
            return True
        return any(known.min <= value <= known.max for value in values)

    def _group(self, number: int, columns: list[str]) -> Any:
        return self._read(lambda: self._file.read_row_group(number, columns=columns))

    def _read(self, reading: Callable[[], Any]) -> Any:
        try:
            return reading()
        except (OSError, arrow()[0].ArrowException) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> InputError:
        return InputError(f"{self._path}: cannot be read as Parquet: {error}: cluster again, into another folder")


def numbers(column: Any, missing: float = 0) -> NDArray[Any]:
    """An Arrow array of numbers as NumPy's; what is null becomes ``missing``."""
    kind = WIDTHS.get(str(column.type))
    if kind is not None and not column.null_count:
        # As it lies in memory: Arrow's own way imports pandas where it is installed, at half a second.
        return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)
    filled = column.fill_null(missing) if column.null_count else column
    values: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values)


def summary(folder: Path) -> dict[str, Any]:
    """What was said when the clustering was done."""
    path = folder / SUMMARY_FILE
    try:
        told = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file: give the folder that 'whorl cluster -o' wrote") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON: {error}: cluster again, into another folder") from error
    if not isinstance(told, dict):
        raise InputError(f"{path}: holds no summary of a clustering: cluster again, into another folder")
    return told
