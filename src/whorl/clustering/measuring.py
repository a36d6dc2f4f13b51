"""Which pairs are alike enough: told by the sketches, verified on all shingles."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.counting import Pairs
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.sketching import Sketches

# Standard errors by which a sketch may be wrong before a pair is not even verified: one pair in 2,000 is lost by it.
DOUBT = 3.3

# Fewer sampled shingles than this say nothing about a pair: it is verified.
FEW = 8


COLUMNS = ("left", "right", "resemblance", "left_in_right", "right_in_left", "shared")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Pairs, by the numbers of their rows, with the measures of both directions and the number of shared shingles."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    resemblance: NDArray[np.float64]
    left_in_right: NDArray[np.float64]
    right_in_left: NDArray[np.float64]
    shared: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)

    def measure(self, name: str) -> NDArray[np.float64]:
        """What is asked of a pair: its resemblance, or the larger containment."""
        return self.resemblance if name == "resemblance" else np.maximum(self.left_in_right, self.right_in_left)

    def chosen(self, rows: NDArray[np.bool_]) -> "Measured":
        """Some of the pairs."""
        return Measured(*(getattr(self, column)[rows] for column in COLUMNS))


def measured(
    left: NDArray[np.int64], right: NDArray[np.int64], shared: NDArray[np.float64], sizes: NDArray[np.int64]
) -> Measured:
    """The measures of pairs of sets, by how many members they share and their sizes."""
    one, two = np.maximum(1, sizes[left]), np.maximum(1, sizes[right])
    shared = np.minimum(shared, np.minimum(one, two))
    counted = np.rint(shared).astype(np.int64)
    return Measured(left, right, shared / (one + two - shared), shared / one, shared / two, counted)


class Measurer:
    """Tells which pairs reach the threshold."""

    def __init__(self, sketched: Sketches, settings: ClusterSettings) -> None:
        self._settings = settings
        self._hashes, self._bounds = sketched.shingles.numbers(), sketched.shingles.bounds()
        self._sizes = np.diff(self._bounds)
        self._moduli = np.array(sketched.moduli, np.int64)

    def alike(self, pairs: Pairs) -> Measured:
        """The pairs that reach the threshold."""
        settings = self._settings
        # The coarser of two sketches decides which shingles both could keep.
        modulus = np.maximum(self._moduli[pairs.left], self._moduli[pairs.right])
        told = measured(pairs.left, pairs.right, (pairs.count * modulus).astype(np.float64), self._sizes)
        if not settings.estimate:
            hopeful = self._hopeful(told, modulus)
            left, right = pairs.left[hopeful], pairs.right[hopeful]
            shared = kernel.pairs().shared(self._hashes, self._bounds, left, right)
            told = measured(left, right, shared.astype(np.float64), self._sizes)
        return told.chosen(told.measure(settings.measure) >= settings.threshold)

    def _hopeful(self, told: Measured, modulus: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Pairs whose sketches do not rule out that they reach the threshold."""
        threshold = self._settings.threshold
        sample = np.minimum(self._sizes[told.left], self._sizes[told.right]) / modulus
        error = np.sqrt(threshold * (1 - threshold) / np.maximum(1, sample))
        reached = told.measure(self._settings.measure) + DOUBT * error >= threshold
        # Of a few shingles nothing can be told.
        hopeful: NDArray[np.bool_] = reached | (sample < FEW)
        return hopeful
