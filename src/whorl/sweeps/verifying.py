"""Which pairs are alike enough: the rule of ``whorl cluster``, on shingles that are read from the store.

What the sketches do not rule out is verified on all shingles. Common shingles, which are not counted, are taken for
shared when it comes to ruling out, so what becomes common later can make no pair of what is none now.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.counting import Pairs
from whorl.clustering.measuring import DOUBT, FEW, Measured, needed
from whorl.clustering.settings import ClusterSettings
from whorl.sweeps.likeness import shared_by
from whorl.sweeps.store import SweepStore

Numbers = NDArray[np.int64]

# Bytes of a shingle.
SHINGLE = 8


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Of every content by its number: how many shingles it has, and one in how many its sketch keeps."""

    shingles: Numbers
    moduli: Numbers


def hopeful(pairs: Pairs, common: Numbers, sizes: Sizes, settings: ClusterSettings) -> NDArray[np.bool_]:
    """Pairs whose sketches do not rule out that they reach the threshold. ``common``: how many values of the sketch of
    the right one are common, and may be shared without being counted."""
    # The coarser of two sketches decides which shingles both could keep: one in so many of those that they must share.
    modulus = np.maximum(sizes.moduli[pairs.left], sizes.moduli[pairs.right])
    expected = needed(sizes.shingles[pairs.left], sizes.shingles[pairs.right], settings) / modulus
    found = pairs.count + common + DOUBT * np.sqrt(expected) >= expected
    hopeful: NDArray[np.bool_] = found | (expected < FEW)
    return hopeful


class Verifier:
    """Verifies pairs; the shingles that are at hand at a time fit a budget, unless those of one pair do not."""

    def __init__(self, store: SweepStore, sizes: Sizes, settings: ClusterSettings, memory: int) -> None:
        self._store, self._sizes, self._settings = store, sizes, settings
        self._room = max(1, memory // SHINGLE)

    def alike(self, pairs: Pairs, common: Numbers) -> Iterator[tuple[Pairs, Numbers]]:
        """The pairs that reach the threshold, and how many shingles they share, in parts. ``common``: of each content
        by its number, how many values of its sketch are common."""
        kept = hopeful(pairs, common[pairs.right], self._sizes, self._settings)
        left, right, count = pairs.left[kept], pairs.right[kept], pairs.count[kept]
        for first, last in self._cuts(left, right):
            part = slice(first, last)
            shared = self._shared(left[part], right[part])
            told = measured(left[part], right[part], shared, self._sizes.shingles)
            alike = told.measure(self._settings.measure) >= self._settings.threshold
            found = Pairs(left[part][alike], right[part][alike], count[part][alike])
            yield found, shared[alike]

    def _cuts(self, left: Numbers, right: Numbers) -> Iterator[tuple[int, int]]:
        """Where pairs are cut, so that the shingles of their members fit."""
        first, held, room = 0, set[int](), self._room
        for at, ends in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            fresh = set(ends) - held
            room -= sum(int(self._sizes.shingles[number]) for number in fresh)
            held |= fresh
            if room < 0 and at > first:
                yield first, at
                first, held = at, set(ends)
                room = self._room - sum(int(self._sizes.shingles[number]) for number in held)
        if len(left) > first:
            yield first, len(left)

    def _shared(self, left: Numbers, right: Numbers) -> Numbers:
        members = np.unique(np.concatenate([left, right]))
        shingles = [self._store.hashes(number) for number in members.tolist()]
        bounds = np.concatenate([[0], np.cumsum([len(each) for each in shingles])]).astype(np.int64)
        places = np.searchsorted(members, left), np.searchsorted(members, right)
        return shared_by(np.concatenate(shingles), bounds, *places)


def measured(left: Numbers, right: Numbers, shared: Numbers, sizes: Numbers) -> Measured:
    """The measures of pairs, by how many shingles they share and how many each content has."""
    one, two = np.maximum(1, sizes[left]), np.maximum(1, sizes[right])
    counted = np.minimum(shared, np.minimum(one, two)).astype(np.float64)
    return Measured(left.astype(np.int32), right.astype(np.int32), counted, one, two)
