"""Contents that were read before, as far as memory goes: they are not read again."""

import numpy as np

from whorl.clustering.records import Records

# Bytes that Python takes for a digest in a set.
EACH = 120


class Seen:
    """Digests of contents. When it is full, copies of what comes later are read again, and found to be equal then."""

    def __init__(self, memory: int) -> None:
        self._room = memory // EACH
        self._digests: set[bytes] = set()

    def __contains__(self, digest: object) -> bool:
        return digest in self._digests

    def add(self, records: Records) -> None:
        """The contents of documents that were read."""
        if len(self._digests) < self._room:
            digests = np.ascontiguousarray(records["content"][records["reason"] < 0])
            self._digests.update(row.tobytes() for row in digests)
