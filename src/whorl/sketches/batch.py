"""Sketches of many documents at once: what is done once for all of them costs each of them less.

A page of 5 kB is hashed in less time than it takes to call a dozen functions on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.fingerprinting.fingerprint import checked
from whorl.hashing.hasher import hasher
from whorl.hashing.key import Key
from whorl.model import Hashes, Symbols
from whorl.scheme import Scheme
from whorl.sketches.making import Recipe, recipe
from whorl.sketches.permutation import permutation
from whorl.sketches.rules import NONE, Rule, first_of_each
from whorl.sketches.shingles import whole
from whorl.sketches.sketch import Sketch

Bounds = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """Sketches in columns. The hashes of sketch i are ``hashes[bounds[i] : bounds[i + 1]]``."""

    recipe: Recipe
    hashes: Hashes
    bounds: Bounds
    levels: NDArray[np.uint8]
    shingles: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.levels)

    def __iter__(self) -> Iterator[Sketch]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Sketch:
        made, place = self.recipe, range(len(self))[index]
        hashes = self.hashes[self.bounds[place] : self.bounds[place + 1]]
        level, shingles = int(self.levels[place]), int(self.shingles[place])
        return Sketch(made.rule.kind, made.rule.size, level, made.scheme_id, made.key_id, shingles, hashes)


def sketch_batch(
    symbols: Symbols,
    bounds: Bounds,
    kind: str = "min",
    size: int | None = None,
    scheme: Scheme | str = "web",
    key: Key = Key.PUBLIC,
) -> Sketches:
    """The sketches of documents whose streams are at hand, one after the other, in one array.

    Document i has the symbols ``bounds[i]`` to ``bounds[i + 1]``. Its sketch is the one that ``sketch`` makes of it.
    """
    made, symbols, bounds = recipe(kind, size, scheme, key), checked(symbols), np.asarray(bounds, np.int64)
    if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != len(symbols) or np.any(np.diff(bounds) < 0):
        raise InputError(f"bounds: they must rise from 0 to the number of symbols, {len(symbols)}")
    shingles, values = _permuted(symbols, bounds, made)
    hashes, ends = _distinct(*_admitted(values, np.cumsum(shingles), made.rule))
    settled = [made.rule.settle(hashes[start:end], 0) for start, end in pairwise([0, *ends.tolist()])]
    kept = [NONE, *(part for _, part in settled)]
    levels = np.array([level for level, _ in settled], np.uint8)
    return Sketches(made, np.concatenate(kept), np.cumsum([len(part) for part in kept]), levels, shingles)


def _admitted(values: Hashes, ends: Bounds, kept_by: Rule) -> tuple[Hashes, Bounds]:
    """The values that may be kept, and where each document's end."""
    mask = kept_by.admissible(values, NONE, 0)
    if mask is None:
        return values, ends
    places = np.flatnonzero(mask)
    return values[places], np.searchsorted(places, ends)


def _distinct(values: Hashes, ends: Bounds) -> tuple[Hashes, Bounds]:
    """Sorts each document's values in place, and leaves out those that occur again in it."""
    for start, end in pairwise([0, *ends.tolist()]):
        values[start:end].sort()
    fresh = first_of_each(values)
    fresh[ends[ends < len(values)]] = True
    return values[fresh], np.concatenate([[0], np.cumsum(fresh)])[ends]


def _permuted(symbols: Symbols, bounds: Bounds, made: Recipe) -> tuple[NDArray[np.int64], Hashes]:
    """How many shingles each document has, and their permuted hashes, one document after the other."""
    k, lengths = made.scheme.k, np.diff(bounds)
    counts = np.where(lengths >= k, lengths - k + 1, lengths > 0).astype(np.int64)
    firsts = np.cumsum(counts) - counts
    positions = np.arange(counts.sum()) + np.repeat(bounds[:-1] - firsts, counts)
    is_short = (lengths < k) & (lengths > 0)
    # A short document has no k-gram at its place: the first one stands in until its own identity is written there.
    positions[firsts[is_short]] = 0
    if len(symbols) >= k:
        identities = hasher(made.key, k).identity(symbols, positions)
    else:
        identities = np.empty(len(positions), np.uint64)
    for document in np.flatnonzero(is_short).tolist():
        identities[firsts[document]] = whole(symbols[bounds[document] : bounds[document + 1]], made.key)[0]
    return counts, permutation(made.key)(identities)
