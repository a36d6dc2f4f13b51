"""Keep tables of digests. Defined by ``tests/kernel/specification/seen.py``.

A table has 64 bits of each digest, in the cell that its other 64 bits choose or the first empty one after it. An empty
cell is 0. The number of cells is a power of two, and some are always empty.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Cells: TypeAlias = NDArray[np.uint64]
Digests: TypeAlias = NDArray[np.uint64]
Known: TypeAlias = NDArray[np.bool_]

def find(cells: Cells, digests: Digests, known: Known) -> None:
    """Mark in ``known`` the digests that the table has."""

def insert(cells: Cells, digests: Digests, known: Known, first: int, room: int) -> tuple[int, int]:
    """Insert the unknown digests from ``first`` on, at most ``room``; mark those that the table had.

    Return how many digests are done, and the room that is left.
    """

def firsts(digests: Digests) -> NDArray[np.int64]:
    """Return for each row the number of the first row equal to it."""
