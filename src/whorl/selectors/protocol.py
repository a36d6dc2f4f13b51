"""What a selector is, and what one pass of it over a document is."""

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams

Values: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]
Prepared: TypeAlias = Any

NONE: Positions = np.empty(0, np.int64)


class Selection(Protocol):
    """One pass over one document, run by run.

    Runs come in order. Each but the first repeats the last ``overlap`` k-grams of the run before it, and the first has
    at least that many unless the document is shorter. ``prepare`` does the work and knows nothing of other runs, so
    runs can be prepared in any order, on any thread; ``settle`` is called in order and makes the result exactly that
    of one run over the whole.

    The short-document rule: a document with fewer than w k-grams is one window, however short, so it still gets a
    fingerprint; one with fewer than k symbols has no k-gram and gets none.
    """

    overlap: int

    def prepare(self, grams: Grams) -> Prepared:
        """What can be found out of a run on its own."""

    def settle(self, grams: Grams, prepared: Prepared) -> Positions:
        """The positions, within the run, that are selected now and were not before; ascending."""

    def finish(self, hashes: NDArray[np.uint64]) -> Positions | None:
        """Which of all that was selected stays, as indices into it; None if all does."""


class Selector(Protocol):
    """A rule that selects fingerprints from the hashes of a document."""

    def select(self, values: Values) -> Positions:
        """The positions selected from any sequence of hashes: the paper's definition, word by word."""

    def begin(self, k: int) -> Selection:
        """Start a pass over the k-grams of a document."""

    def density(self, k: int) -> float | None:
        """The share of random hashes that theory says are selected; None if it depends on the document's length."""
