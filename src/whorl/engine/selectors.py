"""The protocol of selectors, and those that decide on each hash alone: every k-gram, 0 mod p, safe 0 mod p."""

from dataclasses import dataclass
from math import log
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Grams
from whorl.kernel import native

Values: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]
Prepared: TypeAlias = Any

NONE: Positions = np.empty(0, np.int64)


class Selection(Protocol):
    """One pass over one document, run by run.

    Runs come in order. Each but the first repeats the last ``overlap`` k-grams of the run before it, and the first has
    at least that many unless the document is shorter. ``prepare`` depends on no other run, so runs can be prepared in
    any order, on any thread. ``settle`` is called in order and makes the result equal to that of a single run.

    A document with fewer than w k-grams is one window, so it still gets a fingerprint. A document with fewer than k
    symbols has no k-gram and gets none.
    """

    overlap: int

    def prepare(self, grams: Grams) -> Prepared:
        """Do the work on a run that needs no other run."""

    def settle(self, grams: Grams, prepared: Prepared) -> Positions:
        """Return the newly selected positions within the run, ascending."""

    def finish(self, hashes: NDArray[np.uint64]) -> Positions | None:
        """Return the indices of the selected k-grams that stay; None for all."""


class Selector(Protocol):
    """A rule that selects fingerprints from the hashes of a document."""

    def select(self, values: Values) -> Positions:
        """Return the positions selected from a sequence of hashes: the paper's definition."""

    def begin(self, k: int) -> Selection:
        """Start a pass over the k-grams of a document."""

    def density(self, k: int) -> float | None:
        """Return the expected share of selected random hashes; None if it depends on the document's length."""


@dataclass(frozen=True)
class Full:
    """Select every k-gram: the baseline for all other selectors."""

    overlap = 0

    def select(self, values: Values) -> Positions:
        return np.arange(len(values), dtype=np.int64)

    def begin(self, k: int) -> "Full":
        return self

    def density(self, k: int) -> float:
        return 1.0

    def prepare(self, grams: Grams) -> Positions:
        return np.arange(len(grams), dtype=np.int64)

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        return None


@dataclass(frozen=True)
class Mod:
    """Select the hashes that are 0 mod p (Manber). Gaps between them have no bound, so nothing is guaranteed."""

    p: int

    overlap = 0

    def select(self, values: Values) -> Positions:
        return np.flatnonzero(values % values.dtype.type(self.p) == 0)

    def begin(self, k: int) -> "Mod":
        return self

    def density(self, k: int) -> float:
        return 1 / self.p

    def prepare(self, grams: Grams) -> Positions:
        """Select on the order values after mixing their bits."""
        return self.select(native.spread(grams.order))

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        return prepared

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        return None


@dataclass(frozen=True)
class SafeMod:
    """Select hashes that are 0 mod p, and fill every gap of w (the winnowing paper, section 3.1.2).

    Good: 0 mod p. Bad: neither it nor the w - 1 hashes to its left are Good. Ugly: the rest. Selects all but the Ugly.
    """

    p: int
    w: int

    def select(self, values: Values) -> Positions:
        return native.safe_mod(values, self.p, self.w, 0)[0]

    def begin(self, k: int) -> "SafeModSelection":
        return SafeModSelection(self.p, self.w)

    def density(self, k: int) -> float:
        """Return P + (1 - P)^w with P = 1/p: at the best p, w / ln w, about (1 + ln w) / w."""
        return 1 / self.p + (1 - 1 / self.p) ** self.w

    @staticmethod
    def best_p(w: int) -> int:
        """Return the p of least density: the paper's P₀ = ln w / w."""
        return max(1, round(w / log(w))) if w > 1 else 1


class SafeModSelection:
    """A pass of safe 0 mod p: remembers how far back the last Good hash lies.

    Selecting needs no overlap; recognising a short document needs a whole window.
    """

    def __init__(self, p: int, w: int) -> None:
        self._p, self.overlap, self._gap = p, w, 0

    def prepare(self, grams: Grams) -> NDArray[np.uint32]:
        return native.spread(grams.order)

    def settle(self, grams: Grams, prepared: NDArray[np.uint32]) -> Positions:
        """Return the Good and the Bad of this run that the run before did not have."""
        seen = self.overlap if grams.start else 0
        positions, self._gap = native.safe_mod(prepared[seen:], self._p, self.overlap, self._gap)
        if grams.start == 0 and 0 < len(prepared) < self.overlap and not len(positions):
            return np.array([len(prepared) - 1 - int(np.argmin(prepared[::-1]))], np.int64)
        return positions + seen

    def finish(self, hashes: NDArray[np.uint64]) -> None:
        return None
