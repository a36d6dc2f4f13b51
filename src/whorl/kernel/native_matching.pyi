"""Find and choose the matches of two documents. Defined by ``tests/kernel/specification/matching.py``.

A match is ``left[a : a + length] == right[b : b + length]``. A key packs a place in both documents so that sorted keys
go through the diagonals one after the other: ``(a - b + 2**31) << 32 | a``.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Places: TypeAlias = NDArray[np.int32]

def seeds(
    left_hashes: NDArray[np.uint64], left_places: Places, right_hashes: NDArray[np.uint64], right_places: Places
) -> NDArray[np.uint64]:
    """Return the sorted keys of all places with the same hash. Both sides are sorted by hash, then by place."""

def matches(
    left: Symbols, left_bounds: Places, right: Symbols, right_bounds: Places, keys: NDArray[np.uint64], k: int
) -> tuple[Places, Places, Places]:
    """Return the maximal matches through the keys: where they begin on both sides, and their lengths.

    A match crosses no bound; the bounds of a side begin with 0 and end with its length.
    """

def common(
    left_hashes: NDArray[np.uint64], right_hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the hashes that both sides have, ascending and distinct: each with its first place among those of the left
    side, and how often it occurs on each side. Both sides ascend."""

def once(
    left: NDArray[np.uint32],
    right: NDArray[np.uint32],
    left_possible: NDArray[np.uint8],
    right_possible: NDArray[np.uint8],
) -> NDArray[np.uint64]:
    """Return the keys of the hashes that occur once at a possible place of each side, in no particular order. The sides
    are the hashes of all their places."""

def shared_inside(
    left_hashes: NDArray[np.uint64],
    left_places: Places,
    left_starts: Places,
    left_size: int,
    right_hashes: NDArray[np.uint64],
    right_places: Places,
    right_starts: Places,
    right_size: int,
    lengths: Places,
    width: int,
) -> tuple[NDArray[np.uint64], int, int]:
    """Return the hashes, ascending and distinct, that both sides have at a place from which on ``width`` symbols are
    each in some run of symbols; and how many symbols of each side are in runs. The hashes of a side ascend; its runs
    may overlap. A size is a side's number of symbols."""

def weigh(known: NDArray[np.uint64], weights: NDArray[np.float64], hashes: NDArray[np.uint64]) -> float:
    """Return the sum of the weights of some hashes, added in their order; unknown ones weigh nothing. Both ascend."""

def match_weights(
    left_hashes: NDArray[np.uint64],
    left_places: Places,
    right_hashes: NDArray[np.uint64],
    known: NDArray[np.uint64],
    rarities: NDArray[np.float64],
    costs: NDArray[np.float64],
    lefts: Places,
    lengths: Places,
    size: int,
    shortest: int,
    bits: float,
    least: float,
) -> NDArray[np.float64]:
    """Return the weights of matches, given by their starts on the left side and their lengths: ``bits`` a symbol, times
    the highest share of the fingerprints of both sides that begin in a match, ``shortest`` symbols or more before its
    end. A match without any keeps its full weight.

    A share is the rarity of the fingerprint, 1 if it is unknown, less the cost of the number of its pairs of places;
    never less than ``least``, which it is for numbers beyond all ``costs``. ``size`` is the length of the left side."""
