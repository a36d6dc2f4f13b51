"""Full fingerprinting: every k-gram. The yardstick for all others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values


@dataclass(frozen=True)
class Full:
    """Selects everything."""

    overlap = 0

    def select(self, values: Values) -> Positions:
        """All positions."""
        return np.arange(len(values), dtype=np.int64)

    def begin(self, k: int) -> "Full":
        """There is nothing to remember between runs."""
        return self

    def density(self, k: int) -> float:
        """One."""
        return 1.0

    def prepare(self, grams: Grams) -> Positions:
        """All positions."""
        return np.arange(len(grams), dtype=np.int64)

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        """As prepared."""
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        """All stays."""
