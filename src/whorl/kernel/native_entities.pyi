"""Resolve the character references of a web page. Defined by ``tests/kernel/specification/entities.py``."""

import numpy as np
from numpy.typing import NDArray

def resolve(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Replace character references by their characters, then runs of blank lines by one blank line.

    The text is UTF-8 and may hold lone surrogates.
    """
