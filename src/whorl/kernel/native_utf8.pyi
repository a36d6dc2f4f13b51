"""Decode UTF-8. Defined by ``tests/kernel/specification/utf8.py``."""

import numpy as np
from numpy.typing import NDArray

def code_points(data: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], int]:
    """Return the code points of the longest well-formed beginning, and its bytes."""

def well_formed(data: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the number of bytes of the longest well-formed beginning, and of its code points."""
