"""Winnowing, the winnowing paper's Definition 1, and robust winnowing, its Definition 3."""

from dataclasses import dataclass

import numpy as np

from whorl import kernel
from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values
from whorl.selectors.window import FRESH, WindowSelection

NO_GRAMS = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Winnow:
    """In each window select the minimum hash; if there is more than one, the rightmost."""

    w: int

    def select(self, values: Values) -> Positions:
        """Definition 1 on any sequence of hashes."""
        positions: Positions = kernel.core().winnow(values, self.w, FRESH)
        return positions

    def begin(self, k: int) -> WindowSelection:
        """Start a pass."""
        return _Pass(self.w, keep=False)

    def density(self, k: int) -> float:
        """2 / (w + 1) (section 3.1)."""
        return 2 / (self.w + 1)


@dataclass(frozen=True)
class Robust:
    """Winnowing that breaks ties by keeping what the window one position to the left selected, where it can.

    A constant string then costs one fingerprint a window length instead of one a symbol.
    """

    w: int

    def select(self, values: Values) -> Positions:
        """Definition 3 on any sequence of hashes."""
        positions: Positions = kernel.core().robust(values, self.w, FRESH, NO_GRAMS, 0, 0)
        return positions

    def begin(self, k: int) -> WindowSelection:
        """Start a pass."""
        return _Pass(self.w, keep=True)

    def density(self, k: int) -> float:
        """2 / (w + 1): on random hashes there are no ties."""
        return 2 / (self.w + 1)


class _Pass(WindowSelection):
    def __init__(self, w: int, keep: bool) -> None:
        super().__init__(w)
        self._keep = keep

    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        base, offset = grams.hasher.rolling
        positions: Positions = kernel.core().winnow_grams(
            grams.folded, grams.k, base, offset, w, chosen, self._keep, grams.raw, grams.stride
        )
        return positions
