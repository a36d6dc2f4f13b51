"""Read sets of hashes from a file. Defined by ``tests/kernel/specification/files.py``."""

import numpy as np
from numpy.typing import NDArray

def gather(descriptor: int, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Read sets one after the other. Set i starts at hash ``starts[i]`` and fills ``bounds[i]`` to ``bounds[i + 1]``.

    Raise OSError if the file ends early.
    """
