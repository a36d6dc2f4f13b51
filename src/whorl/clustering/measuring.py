"""Which pairs are alike enough: told by the sketches, verified on all shingles."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.counting import Pairs
from whorl.clustering.crowds import STEP, Asked, Told, shared, side_by_side
from whorl.clustering.records import Rows
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.sketching import Sketches, common_among
from whorl.fingerprinting.ahead import Ahead
from whorl.model import Hashes

# Standard errors by which a sample may be wrong before a pair is given up: one pair in 2,000 that just reaches the
# threshold is lost by it.
DOUBT = 3.3

# Fewer sampled shingles than this say nothing about a pair: it is verified.
FEW = 8

# What the division of a threshold may be off, in shingles.
ROUNDING = 1e-6

# Of the memory that is allowed, what shingles may take while they are compared, and what pairs may, all of theirs.
SHARE = 3
EACH = 128

# Numbers of a document that are looked at together: one line of a processor's cache.
LINE = 16

Numbers: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Pairs of documents by number, left < right, with how many shingles they share and how many each has."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    shared: NDArray[np.float64]
    left_size: NDArray[np.int64]
    right_size: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def resemblance(self) -> NDArray[np.float64]:
        """|A ∩ B| / |A ∪ B|."""
        return self.shared / (self.left_size + self.right_size - self.shared)

    @property
    def left_in_right(self) -> NDArray[np.float64]:
        """|A ∩ B| / |A|."""
        return self.shared / self.left_size

    @property
    def right_in_left(self) -> NDArray[np.float64]:
        """|A ∩ B| / |B|."""
        return self.shared / self.right_size

    def measure(self, name: str) -> NDArray[np.float64]:
        """What is asked of a pair: its resemblance, or the larger containment."""
        return self.resemblance if name == "resemblance" else np.maximum(self.left_in_right, self.right_in_left)

    def chosen(self, rows: NDArray[np.bool_] | slice) -> "Measured":
        """Some of the pairs."""
        return Measured(*(getattr(self, column)[rows] for column in self.__slots__))

    @classmethod
    def joined(cls, parts: Iterable["Measured"]) -> "Measured":
        """One after the other."""
        every = list(parts)
        kinds = (np.int32, np.int32, np.float64, np.int64, np.int64)
        return cls(
            *(
                np.concatenate([np.empty(0, kind), *(getattr(part, column) for part in every)])
                for column, kind in zip(cls.__slots__, kinds, strict=True)
            )
        )

    @property
    def ends(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Every pair twice: one document of each, and the other."""
        return np.concatenate([self.left, self.right]), np.concatenate([self.right, self.left])


def needed(one: NDArray[np.int64], two: NDArray[np.int64], settings: ClusterSettings) -> NDArray[np.float64]:
    """How many shingles documents with so many of them must share to reach the threshold."""
    threshold = np.float64(settings.threshold)
    if settings.measure == "resemblance":
        return threshold / (1 + threshold) * (one + two)
    return threshold * np.minimum(one, two)


def _facts(sketches: Sketches, common: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The level of each document's sketch, and by level how many values it has and how many of them are common. What is
    known of a document lies together: pairs are of any documents, and each look at another place is waited for."""
    count, levels = common.shape
    facts = np.zeros((count, -(-(1 + 2 * levels) // LINE) * LINE), np.int32)
    facts[:, 0] = np.log2(sketches.moduli)
    facts[:, 1 : levels + 1] = sketches.kept
    facts[:, levels + 1 : 2 * levels + 1] = common
    return facts[:, 0], facts[:, 1 : levels + 1], facts[:, levels + 1 : 2 * levels + 1]


class Measurer:
    """Tells how alike documents are."""

    def __init__(self, shingles: Rows, sketches: Sketches, common: Hashes, settings: ClusterSettings) -> None:
        self._shingles, self._sketches, self._settings = shingles, sketches, settings
        self._sizes = np.maximum(1, shingles.sizes)
        self._levels, self._kept, self._common = _facts(sketches, common_among(sketches, common))

    def estimated(self, pairs: Pairs) -> Measured:
        """Those of the candidates that reach the threshold, as far as sketches tell. The counts are of shared values of
        sketches, unless candidates share super shingles."""
        if self._settings.super_shingles:
            return self.reached(self.between(pairs.left, pairs.right))
        # What is common was not counted, so sketches that may share some of it are looked at.
        again = self._samples(pairs)[2] > 0
        count = pairs.count.copy()
        count[again] = self._shared(self._sketches.rows, pairs.left[again], pairs.right[again])
        return self.reached(self._estimated(Pairs(pairs.left, pairs.right, count)))

    def verified(
        self, left: Numbers, right: Numbers, ahead: Ahead, told: Told = lambda count: None
    ) -> Iterator[Measured]:
        """Those of the candidates, which are in order, that reach the threshold on all shingles; in parts."""
        asked = Asked(np.ascontiguousarray(left, np.int32), np.ascontiguousarray(right, np.int32), self._needed)
        found = shared(self._shingles, asked, self._settings.memory // SHARE, ahead, told)

        def reached(start: int) -> Measured:
            part = slice(start, start + STEP)
            return self.reached(self._measured(asked.left[part], asked.right[part], found[part]))

        return ahead.map(reached, range(0, len(asked), STEP))

    def between(self, left: Numbers, right: Numbers) -> Measured:
        """How alike any documents are: on all shingles, or, if estimates do, by their sketches."""
        if not self._settings.estimate:
            return self._measured(left, right, self._shared(self._shingles, left, right))
        return self._estimated(Pairs(left, right, self._shared(self._sketches.rows, left, right)))

    def reached(self, told: Measured) -> Measured:
        """Those of some pairs that reach the threshold."""
        return told.chosen(told.measure(self._settings.measure) >= self._settings.threshold)

    def _needed(self, left: Numbers, right: Numbers) -> NDArray[np.float64]:
        return needed(self._sizes[left], self._sizes[right], self._settings) - ROUNDING

    def _estimated(self, pairs: Pairs) -> Measured:
        """The paper's estimates, as if as many shingles were shared as they say."""
        kept_left, kept_right, _ = self._samples(pairs)
        left, right = self._sizes[pairs.left], self._sizes[pairs.right]
        if self._settings.measure == "resemblance":
            estimate = pairs.count / np.maximum(1, kept_left + kept_right - pairs.count)
            shared = estimate / (1 + estimate) * (left + right)
        else:
            shared = (
                pairs.count / np.maximum(1, np.where(left <= right, kept_left, kept_right)) * np.minimum(left, right)
            )
        return self._measured(pairs.left, pairs.right, shared)

    def _samples(self, pairs: Pairs) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """How many shingles of each document its sketch has that the other's could have, which the coarser one decides;
        and how many common ones, which are not counted, both may share."""
        kept, common = self._kept, self._common
        left, right = pairs.left, pairs.right
        level = np.maximum(self._levels[left], self._levels[right])
        may_share = np.minimum(common[left, level], common[right, level])
        return kept[left, level].astype(np.int64), kept[right, level].astype(np.int64), may_share.astype(np.int64)

    def _measured(self, left: Numbers, right: Numbers, shared: NDArray[np.int64] | NDArray[np.float64]) -> Measured:
        one, two = self._sizes[left], self._sizes[right]
        least = np.minimum(shared.astype(np.float64), np.minimum(one, two))
        return Measured(left.astype(np.int32), right.astype(np.int32), least, one, two)

    def hopeful(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Pairs whose sketches do not rule out that they reach the threshold; all that share super shingles."""
        if self._settings.super_shingles:
            return np.ones(len(pairs), np.bool_)
        sizes = None if self._settings.measure == "resemblance" else self._sizes
        left, right, count = (np.asarray(column, np.uint32) for column in (pairs.left, pairs.right, pairs.count))
        hopeful: NDArray[np.bool_] = kernel.pairs().hopeful(
            left, right, count, self._levels, self._kept, self._common, sizes,
            self._settings.threshold, DOUBT, FEW,
        )  # fmt: skip
        return hopeful

    def _shared(self, rows: Rows, left: Numbers, right: Numbers) -> NDArray[np.int64]:
        """How many hashes any documents share."""
        return side_by_side(rows, left, right, np.zeros(len(left)), self._settings.memory // SHARE)
