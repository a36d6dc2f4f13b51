"""The shingles of many documents at once, in plain Python: the specification of ``native_shingles``.

Documents lie one after the other in one array; document i is what stands between ``bounds[i]`` and ``bounds[i + 1]``.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl.kernel.twin import identity

Values = NDArray[np.uint64]
Bounds = NDArray[np.int64]

_ALL = (1 << 64) - 1


def values(symbols: Values, bounds: Bounds, k: int, keys: NDArray[np.uint32], closing: Values, turn: Values) -> Values:
    """The identity of every k-gram of every document, in order, permuted: added to ``turn[0]``, then twice multiplied
    by an odd number and folded. A document with fewer than k symbols has no k-gram."""
    grams = [np.arange(start, end - k + 1) for start, end in pairwise(bounds.tolist()) if end - start >= k]
    if not grams:
        return np.empty(0, np.uint64)
    add, first, second = turn.tolist()
    return np.array(
        [
            _turned(value + add, first, second)
            for value in identity(symbols, np.concatenate(grams), k, keys, closing).tolist()
        ],
        np.uint64,
    )


def _turned(value: int, first: int, second: int) -> int:
    for multiplier in (first, second):
        value = value * multiplier & _ALL
        value ^= value >> 32
    return value


def distinct(values: Values, bounds: Bounds) -> tuple[Values, Bounds]:
    """The values of each document in order, each once, and the new bounds."""
    rows = [sorted(set(values[start:end].tolist())) for start, end in pairwise(bounds.tolist())]
    flat = [value for row in rows for value in row]
    return np.array(flat, np.uint64), np.cumsum([0, *map(len, rows)], dtype=np.int64)


def sample(values: Values, bounds: Bounds, modulus: int, least: int) -> tuple[Values, Bounds, NDArray[np.int32]]:
    """Of each document the values that are 0 modulo m, in the order that they have; their bounds; and each m: the
    largest power of two, up to ``modulus``, that leaves ``least`` values, or 1."""
    kept, moduli = [], []
    for start, end in pairwise(bounds.tolist()):
        row, m = values[start:end].tolist(), modulus
        while m > 1 and sum(value % m == 0 for value in row) < least:
            m //= 2
        kept.append([value for value in row if value % m == 0])
        moduli.append(m)
    flat = [value for row in kept for value in row]
    return np.array(flat, np.uint64), np.cumsum([0, *map(len, kept)], dtype=np.int64), np.array(moduli, np.int32)


def minima(values: Values, bounds: Bounds, donors: NDArray[np.int64]) -> Values:
    """Of each document that has values, which come in order, the least in every bin: ``len(donors)`` bins divide the
    range of 64 bits evenly. An empty bin borrows from the first full one that its row of ``donors`` names, or else from
    the first full one of all."""
    bins, found = len(donors), []
    for start, end in pairwise(bounds.tolist()):
        least: dict[int, int] = {}
        for value in values[start:end].tolist():
            least.setdefault(value * bins >> 64, value)
        for place in range(bins) if least else ():
            offers = [donor for donor in [place, *donors[place].tolist()] if donor in least]
            found.append(least[offers[0] if offers else min(least)])
    return np.array(found, np.uint64)
