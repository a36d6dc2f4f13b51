"""0 mod p (Manber), which promises nothing, and the winnowing paper's safe variant of it (section 3.1.2)."""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values


@dataclass(frozen=True)
class Mod:
    """Selects the hashes that are 0 mod p. Gaps between them have no bound."""

    p: int

    overlap = 0

    def select(self, values: Values) -> Positions:
        """Where the hash is 0 mod p."""
        return np.flatnonzero(values % values.dtype.type(self.p) == 0)

    def begin(self, k: int) -> "Mod":
        """There is nothing to remember between runs."""
        return self

    def density(self, k: int) -> float:
        """1 / p."""
        return 1 / self.p

    def prepare(self, grams: Grams) -> Positions:
        """The order values, spread over all their bits, that are 0 mod p."""
        return self.select(kernel.core().spread(grams.order))

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        """As prepared."""
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        """All stays."""


@dataclass(frozen=True)
class SafeMod:
    """Good: 0 mod p. Bad: it and the w - 1 to its left are not Good. Ugly: the rest. Selects all but the Ugly."""

    p: int
    w: int

    def select(self, values: Values) -> Positions:
        """The Good and the Bad."""
        positions: Positions = kernel.core().safe_mod(values, self.p, self.w, 0)[0]
        return positions

    def begin(self, k: int) -> "SafeModSelection":
        """Start a pass."""
        return SafeModSelection(self.p, self.w)

    def density(self, k: int) -> float:
        """P + (1 - P)^w with P = 1/p: at the best p, which is w / ln w, about (1 + ln w) / w."""
        return 1 / self.p + (1 - 1 / self.p) ** self.w

    @staticmethod
    def best_p(w: int) -> int:
        """The p at which the density is least: the paper's P₀ = ln w / w."""
        return max(1, round(w / log(w))) if w > 1 else 1


class SafeModSelection:
    """A pass of safe 0 mod p: remembers how far back the last Good hash lies.

    It needs no overlap to select, but a whole window to know that a document is not a short one.
    """

    def __init__(self, p: int, w: int) -> None:
        self._p, self.overlap, self._gap = p, w, 0

    def prepare(self, grams: Grams) -> NDArray[np.uint32]:
        """The values whose remainders are taken."""
        values: NDArray[np.uint32] = kernel.core().spread(grams.order)
        return values

    def settle(self, grams: Grams, prepared: NDArray[np.uint32]) -> Positions:
        """The Good and the Bad of this run, but for what the run before had already."""
        seen = self.overlap if grams.start else 0
        positions: Positions
        positions, self._gap = kernel.core().safe_mod(prepared[seen:], self._p, self.overlap, self._gap)
        if grams.start == 0 and 0 < len(prepared) < self.overlap and not len(positions):
            return np.array([len(prepared) - 1 - int(np.argmin(prepared[::-1]))], np.int64)
        return positions + seen

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        """All stays."""
