"""What winnowing and the mod-minimizers have in common: a choice in every window, carried from run to run."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.grams import Grams
from whorl.selectors.protocol import NONE, Positions

FRESH = -1


class WindowSelection(ABC):
    """A pass of a rule that chooses one k-gram in every window of w, given what the window before it chose.

    ``prepare`` looks at a run as if the document began there. Its first window is the last one of the run before, so
    if both chose the same k-gram in it, all that follows is the same too; if not (there was a tie, and the rule keeps
    to its choice), ``settle`` looks at the run again, knowing what was chosen.
    """

    def __init__(self, w: int) -> None:
        self.overlap = w
        self._chosen = FRESH

    @abstractmethod
    def choose(self, grams: Grams, w: int, chosen: int) -> Positions:
        """The choices of the windows in a run, each listed once; after the first window only, if one is chosen."""

    def prepare(self, grams: Grams) -> Positions:
        """The choices of a run whose past is unknown. One shorter than a window is a short document: one window."""
        w = min(self.overlap, len(grams))
        return self.choose(grams, w, FRESH) if w else NONE

    def settle(self, grams: Grams, prepared: Positions) -> Positions:
        """The choices that the run before did not make already."""
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
        """All stays."""
        return
