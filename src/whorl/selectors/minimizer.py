"""The mod-minimizer (Groot Koerkamp and Pibiri, WABI 2024) and its open-closed variant (with Liu, AMB 2025).

Both give winnowing's guarantee at a lower density, which the winnowing paper conjectured impossible: they look into
the k-grams instead of at their hashes. A window of w k-grams holds w + k - t grams of length t; the smallest of these
begins at x, and the k-gram at x mod w is selected. With t ≡ k (mod w) neighbouring windows agree as often as they can.

The robust form is ours, see ``whorl.kernel.twin.mod_sample``: the smallest t-gram is the rightmost one, and a k-gram
selected before is kept if it equals the one asked for. A constant string costs 1/w, and the hash that a window selects
depends on nothing outside the window.
"""

from dataclasses import dataclass

import numpy as np

from whorl import kernel
from whorl.hashing.grams import Grams
from whorl.selectors.protocol import Positions, Values
from whorl.selectors.window import FRESH, WindowSelection


@dataclass(frozen=True)
class ModMinimizer:
    """Orders the t-grams of a window by their hashes."""

    w: int
    r: int

    def select(self, values: Values) -> Positions:
        """On hashes alone there is nothing to look into: each is taken as a gram of one symbol, so k = t = 1."""
        grams = np.ascontiguousarray(values).view(np.uint8)
        positions: Positions = kernel.core().mod_sample(values, self.w, 1, 1, FRESH, grams, values.itemsize)
        return positions

    def begin(self, k: int) -> WindowSelection:
        """Start a pass."""
        return _ModPass(self.w, inner_length(k, self.w, self.r))

    def density(self, k: int) -> float | None:
        """(2 + ⌊(w + k - t - 1) / w⌋) / (w + k - t + 1): the WABI paper, which writes ℓ = w + k - 1."""
        inside = self.w + k - inner_length(k, self.w, self.r)
        return (2 + (inside - 1) // self.w) / (inside + 1)


@dataclass(frozen=True)
class OpenClosedModMinimizer(ModMinimizer):
    """Orders the t-grams by class first: smallest r-gram in the middle (open), at an end (closed), elsewhere."""

    def begin(self, k: int) -> WindowSelection:
        """Start a pass."""
        return _OpenClosedPass(self.w, inner_length(k, self.w, self.r), min(k, self.r))

    def density(self, k: int) -> float | None:
        """No closed form is known; never above the mod-minimizer's, by measurement."""
        return None


def inner_length(k: int, w: int, r: int) -> int:
    """t: the least length of at least r that is k modulo w; k itself if k is shorter than r."""
    return r + (k - r) % w if k > r else k


class _ModPass(WindowSelection):
    def __init__(self, w: int, t: int) -> None:
        super().__init__(w)
        self._t = t

    def values(self, grams: Grams) -> Values:
        """What the t-grams are ordered by."""
        return grams.shorter_order(self._t)

    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        positions: Positions = kernel.core().mod_sample(
            self.values(grams), w, grams.k, self._t, chosen, grams.raw, grams.stride
        )
        return positions


class _OpenClosedPass(_ModPass):
    def __init__(self, w: int, t: int, s: int) -> None:
        super().__init__(w, t)
        self._s = s

    def values(self, grams: Grams) -> Values:
        inner, outer = grams.shorter_order(self._s), grams.shorter_order(self._t)
        ranks: Values = kernel.core().syncmer_ranks(inner, outer, self._t - self._s + 1)
        return ranks
