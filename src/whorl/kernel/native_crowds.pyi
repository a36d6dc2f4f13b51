"""Count the hashes that sets have in common, for many pairs of few sets. Defined by
``tests/kernel/specification/crowds.py``."""

import numpy as np
from numpy.typing import NDArray

class Crowd:
    """Sets that are compared with many of each other. Set i is ``hashes[begins[i] : ends[i]]``, number ``members[i]``.

    ``members`` ascend. ``pairs`` is about how many pairs will be compared. Only hashes from ``low`` to ``high`` count:
    a large crowd can be divided by ranges of hashes.
    """

    def __init__(
        self,
        hashes: NDArray[np.uint64],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        members: NDArray[np.int64],
        pairs: int,
        low: int = 0,
        high: int = 0xFFFFFFFFFFFFFFFF,
    ) -> None: ...
    def shared(
        self,
        first: int,
        last: int,
        starts: NDArray[np.int64],
        rights: NDArray[np.int32],
        numbers: NDArray[np.int32],
        counts: NDArray[np.int64],
    ) -> None:
        """Add to ``counts``, for each pair of members ``first`` to ``last`` - 1, the hashes that the two share.

        The set with number i is the left one of pairs ``starts[i]`` to ``starts[i + 1]``, whose ``rights`` have larger
        numbers; ``numbers`` maps these to members of the crowd.
        """
