"""Selectors that choose in every window and so guarantee a match: winnowing, robust winnowing, mod-minimizers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Grams
from whorl.engine.selectors import NONE, Positions, Values
from whorl.kernel import native

FRESH = -1


class WindowSelection(ABC):
    """A pass of a rule that chooses one k-gram in every window of w, given the choice of the window before.

    ``prepare`` treats a run as if the document began there. Its first window is the last one of the run before. If both
    chose the same k-gram in it, all later choices agree too. If not (a tie, and the rule keeps its choice), ``settle``
    repeats the run with the earlier choice.
    """

    def __init__(self, w: int) -> None:
        self.overlap = w
        self._chosen = FRESH

    @abstractmethod
    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        """Return the choices of a run's windows, each once; without the first window's if ``chosen`` is given."""

    def prepare(self, grams: Grams) -> Positions:
        """Return the choices of a run whose past is unknown. A run shorter than a window is one window."""
        w = min(self.overlap, len(grams))
        return self.choose(grams, w, FRESH) if w else NONE

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        """Return the choices that the run before did not make."""
        if grams.start == 0:
            new = prepared
        elif self._chosen - grams.start == prepared[0]:
            new = prepared[1:]
        else:
            new = self.choose(grams, self.overlap, self._chosen - grams.start)
        if len(new):
            self._chosen = grams.start + int(new[-1])
        return new

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        return None


NO_GRAMS = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Winnow:
    """Select the minimum hash of each window; of several, the rightmost (the winnowing paper, definition 1)."""

    w: int

    def select(self, values: Values) -> Positions:
        return native.winnow(values, self.w, FRESH)

    def begin(self, k: int) -> WindowSelection:
        return _WinnowPass(self.w, keep=False)

    def density(self, k: int) -> float:
        """Return 2 / (w + 1) (section 3.1)."""
        return 2 / (self.w + 1)


@dataclass(frozen=True)
class Robust:
    """Winnow, but in a tie keep the choice of the window before (the winnowing paper, definition 3).

    A constant string then costs one fingerprint a window length instead of one a symbol.
    """

    w: int

    def select(self, values: Values) -> Positions:
        return native.robust(values, self.w, FRESH, NO_GRAMS, 0, 0)

    def begin(self, k: int) -> WindowSelection:
        return _WinnowPass(self.w, keep=True)

    def density(self, k: int) -> float:
        """Return 2 / (w + 1): random hashes have no ties."""
        return 2 / (self.w + 1)


class _WinnowPass(WindowSelection):
    def __init__(self, w: int, keep: bool) -> None:
        super().__init__(w)
        self._keep = keep

    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        base, offset = grams.hasher.rolling
        return native.winnow_grams(grams.folded, grams.k, base, offset, w, chosen, self._keep, grams.raw, grams.stride)


@dataclass(frozen=True)
class ModMinimizer:
    """Select by the smallest t-gram of each window (Groot Koerkamp and Pibiri, WABI 2024).

    It gives winnowing's guarantee at a lower density, which the winnowing paper conjectured impossible: it reads the
    k-grams, not only their hashes. A window of w k-grams holds w + k - t grams of length t. The smallest of these
    begins at x, and the k-gram at x mod w is selected. With t ≡ k (mod w), neighbouring windows agree as often as
    possible.

    The robust form is ours, see ``whorl.kernel.native.mod_sample``: of several smallest t-grams the rightmost counts,
    and an earlier choice is kept if it equals the new one. A constant string costs 1/w, and the hash that a window
    selects depends on nothing outside the window.
    """

    w: int
    r: int

    def select(self, values: Values) -> Positions:
        """Select from hashes alone, each taken as a gram of one symbol: k = t = 1."""
        grams = np.ascontiguousarray(values).view(np.uint8)
        return native.mod_sample(values, self.w, 1, 1, FRESH, grams, values.itemsize)

    def begin(self, k: int) -> WindowSelection:
        return _ModPass(self.w, inner_length(k, self.w, self.r))

    def density(self, k: int) -> float | None:
        """Return (2 + ⌊(w + k - t - 1) / w⌋) / (w + k - t + 1): the WABI paper, which writes ℓ = w + k - 1."""
        inside = self.w + k - inner_length(k, self.w, self.r)
        return (2 + (inside - 1) // self.w) / (inside + 1)


@dataclass(frozen=True)
class OpenClosedModMinimizer(ModMinimizer):
    """Order the t-grams by class first: smallest r-gram in the middle (open), at an end (closed), elsewhere.

    Groot Koerkamp, Liu and Pibiri, AMB 2025.
    """

    def begin(self, k: int) -> WindowSelection:
        return _OpenClosedPass(self.w, inner_length(k, self.w, self.r), min(k, self.r))

    def density(self, k: int) -> float | None:
        """Return None: no closed form is known. Measured densities never exceed the mod-minimizer's."""
        return None


def inner_length(k: int, w: int, r: int) -> int:
    """Return t: the least length of at least r that is k modulo w; k itself if k is shorter than r."""
    return r + (k - r) % w if k > r else k


class _ModPass(WindowSelection):
    def __init__(self, w: int, t: int) -> None:
        super().__init__(w)
        self._t = t

    def values(self, grams: Grams) -> Values:
        """Return the values by which the t-grams are ordered."""
        return grams.shorter_order(self._t)

    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        return native.mod_sample(self.values(grams), w, grams.k, self._t, chosen, grams.raw, grams.stride)


class _OpenClosedPass(_ModPass):
    def __init__(self, w: int, t: int, s: int) -> None:
        super().__init__(w, t)
        self._s = s

    def values(self, grams: Grams) -> Values:
        inner, outer = grams.shorter_order(self._s), grams.shorter_order(self._t)
        return native.syncmer_ranks(inner, outer, self._t - self._s + 1)
