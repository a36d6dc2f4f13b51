"""Where what was read of each submission waits until a pair needs it: in memory while there is room, then on disk.

A class fits in memory; a hundred thousand files do not. The file has no name and is gone with the shelf.
"""

import tempfile
import weakref
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# Bytes that are held in memory: several times what a class of a thousand programs takes.
ROOM = 64 << 20

Place = list[tuple[int, np.dtype[Any], int]]


class Shelf:
    """Rows of arrays, kept under the numbers 0, 1, 2 … in the order in which they come."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._rows: list[Sequence[NDArray[Any]] | Place] = []
        self._file: IO[bytes] | None = None

    def put(self, arrays: Sequence[NDArray[Any]]) -> int:
        """Keep a row; its number."""
        size = sum(array.nbytes for array in arrays)
        is_held = size <= self._room
        self._room = self._room - size if is_held else 0
        self._rows.append(arrays if is_held else [self._written(array) for array in arrays])
        return len(self._rows) - 1

    def get(self, number: int) -> list[NDArray[Any]]:
        """A row."""
        return [array if isinstance(array, np.ndarray) else self._read(*array) for array in self._rows[number]]

    def _written(self, array: NDArray[Any]) -> tuple[int, np.dtype[Any], int]:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="whorl-")  # noqa: SIM115  (closed with the shelf)
            weakref.finalize(self, self._file.close)
        at = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(array).data)
        return at, array.dtype, len(array)

    def _read(self, at: int, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        if self._file is None:
            raise RuntimeError("a row is on disk, but there is no file")
        self._file.seek(at)
        return np.frombuffer(self._file.read(count * kind.itemsize), kind)
