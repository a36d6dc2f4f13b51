"""Turn text into symbols, by the tables of the caller. Defined by ``tests/kernel/specification/text.py``."""

import numpy as np
from numpy.typing import NDArray

def ascii_symbols(data: NDArray[np.uint8], table: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes that the table does not map to 0, mapped, and their places."""

def symbols(
    codes: NDArray[np.uint32],
    entries: NDArray[np.uint32],
    expansion: NDArray[np.uint16],
    offsets: NDArray[np.uint32],
    pool: NDArray[np.uint32],
    pairs: NDArray[np.uint64],
    composites: NDArray[np.uint32],
) -> tuple[NDArray[np.uint8] | NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the values of a text, in eight bits if all fit, and the start and end of the segment of each.

    The last five arguments are ``constants.Shapes``.
    """
