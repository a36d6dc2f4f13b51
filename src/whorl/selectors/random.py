"""n k-grams of a document, drawn at random: what Heintze (1996, section 3.4) shows to give poor results.

The draw depends on all of the document. Equal documents draw alike; near copies draw anew, and share few.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values

# Marsaglia's xorshift with a multiplication (Steele, Lea and Flood's SplitMix64): its step and its two factors.
_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True)
class Random:
    """Selects n different hashes at random, each where it first occurs."""

    n: int

    overlap = 0

    def select(self, values: Values) -> Positions:
        """n of any sequence of hashes."""
        return _drawn(values.astype(np.uint64), self.n)

    def begin(self, k: int) -> "Random":
        """There is nothing to remember between runs."""
        return self

    def density(self, k: int) -> None:
        """It depends on the document's length."""

    def prepare(self, grams: Grams) -> Positions:
        """All positions."""
        return np.arange(len(grams), dtype=np.int64)

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        """Offer them all."""
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> Positions:
        """n of all that was offered."""
        return _drawn(hashes, self.n)


def _drawn(hashes: NDArray[np.uint64], n: int) -> Positions:
    _, first = np.unique(hashes, return_index=True)
    seed = hashes.sum(dtype=np.uint64)
    ranks = _mixed(seed + np.arange(len(first), dtype=np.uint64) * _STEP)
    return np.sort(first[np.argsort(ranks, kind="stable")[:n]]).astype(np.int64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that follow each other become numbers that seem unrelated."""
    values = (values ^ values >> np.uint64(30)) * _FIRST
    values = (values ^ values >> np.uint64(27)) * _SECOND
    return values ^ values >> np.uint64(31)
