"""Arrays of numbers on disk, written one after the other and read by their places."""

import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Spool:
    """Rows of 64-bit numbers in one file; row i is where the bounds say."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, prefix="whorl-")  # noqa: SIM115  (closed with the spool)
        weakref.finalize(self, self._file.close)
        self._bounds = [0]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def add(self, row: NDArray[np.uint64]) -> int:
        """Append a row; its number."""
        self._file.write(np.ascontiguousarray(row).data)
        self._bounds.append(self._bounds[-1] + len(row))
        return len(self) - 1

    def bounds(self) -> NDArray[np.int64]:
        """Where the rows begin, and where the last one ends."""
        return np.array(self._bounds, np.int64)

    def numbers(self) -> NDArray[np.uint64]:
        """All rows, mapped into memory."""
        self._file.flush()
        if not self._bounds[-1]:
            return np.zeros(0, np.uint64)
        mapped: NDArray[Any] = np.memmap(self._file, np.uint64, "r", shape=(self._bounds[-1],))
        return mapped

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()
