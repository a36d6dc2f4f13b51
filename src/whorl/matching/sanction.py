"""Sanctioned material: template code, the task's text. What comes from it is no evidence.

A k-gram that stands in sanctioned material is no evidence wherever it stands. Symbols are sanctioned where such k-grams
cover a passage of at least the scheme's guarantee: shorter ones are what any two documents share, and would take a
document's own text away from it.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.hasher import Hasher
from whorl.model import Stream, Symbols


class Sanction:
    """All k-grams of the sanctioned documents, by their identities."""

    def __init__(self, streams: Iterable[Stream], hasher: Hasher) -> None:
        self._hasher = hasher
        found = [_identities(stream.symbols, hasher) for stream in streams]
        self._hashes = np.unique(np.concatenate(found)) if found else np.zeros(0, np.uint64)

    def __bool__(self) -> bool:
        return len(self._hashes) > 0

    def grams(self, symbols: Symbols) -> NDArray[np.bool_]:
        """Which k-grams of a stream are sanctioned."""
        hashes = _identities(symbols, self._hasher)
        if not self:
            return np.zeros(len(hashes), np.bool_)
        at = np.searchsorted(self._hashes, hashes)
        at[at == len(self._hashes)] = 0
        is_known: NDArray[np.bool_] = self._hashes[at] == hashes
        return is_known

    def covered(self, grams: NDArray[np.bool_], size: int, shortest: int) -> NDArray[np.bool_]:
        """Which of ``size`` symbols are in a passage of at least ``shortest`` that sanctioned k-grams cover."""
        covered = np.zeros(size, np.bool_)
        edges = np.flatnonzero(np.diff(grams, prepend=False, append=False))
        for first, end in edges.reshape(-1, 2).tolist():
            last = end + self._hasher.k - 1
            if last - first >= shortest:
                covered[first:last] = True
        return covered


def _identities(symbols: Symbols, hasher: Hasher) -> NDArray[np.uint64]:
    count = max(0, len(symbols) - hasher.k + 1)
    return hasher.identity(np.ascontiguousarray(symbols), np.arange(count, dtype=np.int64))
