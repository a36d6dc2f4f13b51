"""Choose and chain the matches of two documents. Defined by ``tests/kernel/specification/passages.py``."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Places: TypeAlias = NDArray[np.int32]

def choose(
    lefts: Places, rights: Places, lengths: Places, sizes: tuple[int, int], shortest: int, sure: int
) -> NDArray[np.int64]:
    """Choose the matches to show, by greedy string tiling. Return their numbers, ascending."""

def chain(
    lefts: Places,
    rights: Places,
    lengths: Places,
    left_files: Places,
    right_files: Places,
    weights: NDArray[np.float64],
    k: int,
    reach: int,
    bits: float,
    look: int,
    sure: int,
    enough: float,
) -> tuple[Places, Places, Places, NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Chain matches, given in the order of the left side: repeatedly take the best chain of unused matches. Of those
    that have a match of ``sure`` symbols or a score of ``enough``, return the starts and lengths of the matches, those
    of a chain between two bounds; these bounds; the files of each chain on both sides; and its score.

    A match can follow one of the ``look`` matches before it, in the same files, that begins earlier on both sides,
    across gaps of at most ``reach`` symbols. It costs one bit per ``k`` symbols of the longer gap, and ``bits`` per
    ``k`` symbols of an overlap, which has fewer than ``k``.
    """

def united(starts: Places, lengths: Places, bounds: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return how many places the runs of each group cover. The runs between two bounds are a group; in it, their
    starts must ascend. Otherwise return None."""

def joined(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the union of spans as disjoint spans, ascending; those that touch are joined."""

def within(
    starts: NDArray[np.int64], ends: NDArray[np.int64], firsts: NDArray[np.int64], lasts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which spans lie inside one of several disjoint spans, which ascend: from ``firsts`` to ``lasts``."""

def uncovered(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    begins: Places,
    lengths: Places,
    bounds: NDArray[np.int64],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many symbols of the runs of each group lie outside of several disjoint spans, which ascend: from
    ``firsts`` to ``lasts``. A symbol lies from one of ``starts`` to one of ``ends``. The runs between two bounds are a
    group; a symbol of two runs counts twice."""

def statements(symbols: Symbols, marks: NDArray[np.uint32], shortest: int) -> tuple[NDArray[np.uint64], Places, Places]:
    """Return the statements of a stream that have ``shortest`` symbols at least: the hash of each, its first symbol and
    its length. They begin at the marks with the highest bit; the first begins with the stream."""
