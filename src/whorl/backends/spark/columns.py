"""Arrow's columns as NumPy's arrays and back. Spark has no unsigned numbers: a hash travels as a signed one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whorl.clustering.records import Rows
from whorl.model import Hashes


def numbers(column: Any) -> NDArray[Any]:
    """A column of numbers without nulls."""
    joined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    values: NDArray[Any] = joined.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values)


def hashes(column: Any) -> Hashes:
    """A column of hashes."""
    return numbers(column).view(np.uint64)


def lists(column: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """A column of lists: all values, one after the other, and where those of each row begin and the last ones end."""
    joined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    bounds = np.zeros(len(joined) + 1, np.int64)
    np.cumsum(numbers(joined.value_lengths()), out=bounds[1:])
    return numbers(joined.flatten()), bounds


def rows(column: Any) -> Rows:
    """A column of lists of hashes."""
    values, bounds = lists(column)
    return Rows(values.astype(np.int64, copy=False).view(np.uint64), bounds)


def listed(values: NDArray[Any], bounds: NDArray[np.int64]) -> Any:
    """The column of such lists. The values of a batch are far fewer than 2^31."""
    signed = values.view(np.int64) if values.dtype == np.uint64 else values
    return pa.ListArray.from_arrays(pa.array(bounds.astype(np.int32)), pa.array(signed))


def batch(columns: dict[str, Any]) -> Any:
    """Columns as Spark takes them back."""
    arrays = [value if isinstance(value, pa.Array) else pa.array(value) for value in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def gathered(batches: Iterable[Any], least: int) -> Iterator[Any]:
    """The same rows in larger tables, of so many rows at the least but for the last one."""
    waiting: list[Any] = []
    for each in batches:
        waiting.append(each)
        if sum(map(len, waiting)) >= least:
            yield _table(waiting)
            waiting = []
    if waiting:
        yield _table(waiting)


def _table(batches: Sequence[Any]) -> Any:
    return pa.Table.from_batches(batches).combine_chunks()
