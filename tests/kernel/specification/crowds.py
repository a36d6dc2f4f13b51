"""What the members of a crowd share, in plain Python: the specification of ``native_crowds``."""

import numpy as np
from numpy.typing import NDArray


class Crowd:
    """Sets that are compared with many of each other: set i is ``hashes[begins[i] : ends[i]]``, and its number is
    ``members[i]``, which ascend. ``pairs`` is how many of them are compared, about: it tells what is worth while. Only
    hashes from ``low`` to ``high`` count, so that a large crowd can be made of several, each of a range of the
    hashes."""

    def __init__(
        self,
        hashes: NDArray[np.uint64],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        members: NDArray[np.int64],
        pairs: int,
        low: int = 0,
        high: int = 2**64 - 1,
    ) -> None:
        self._members = members.tolist()
        every = [hashes[begin:end].tolist() for begin, end in zip(begins, ends, strict=True)]
        self._sets = [{one for one in hashes_of_set if low <= one <= high} for hashes_of_set in every]

    def shared(
        self,
        first: int,
        last: int,
        starts: NDArray[np.int64],
        rights: NDArray[np.int32],
        numbers: NDArray[np.int32],
        counts: NDArray[np.int64],
    ) -> None:
        """How many hashes the pairs of some members have in common, from the first to before the last of them.

        The set with number i is the left one of pairs ``starts[i]`` to ``starts[i + 1]``, whose ``rights`` have larger
        numbers; ``numbers`` tells which member of the crowd they are. The counts are added at the pairs' places.
        """
        for left in range(first, last):
            for pair in range(starts[self._members[left]], starts[self._members[left] + 1]):
                counts[pair] += len(self._sets[left] & self._sets[numbers[rights[pair]]])
