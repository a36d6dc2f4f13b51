"""The shingles of many documents, also from a file, in plain Python: the specification of ``native_shingles``.

Documents lie one after the other in one array; document i is what stands between ``bounds[i]`` and ``bounds[i + 1]``.
"""

import os
from errno import EIO
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tests.kernel.specification.core import identity

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
    samples, moduli = [], []
    for start, end in pairwise(bounds.tolist()):
        row, m = values[start:end].tolist(), modulus
        while m > 1 and sum(value % m == 0 for value in row) < least:
            m //= 2
        samples.append([value for value in row if value % m == 0])
        moduli.append(m)
    flat = [value for row in samples for value in row]
    return np.array(flat, np.uint64), np.cumsum([0, *map(len, samples)], dtype=np.int64), np.array(moduli, np.int32)


def levels(values: Values, bounds: Bounds, count: int) -> NDArray[np.int32]:
    """For each document how many of its values are 0 modulo 1, 2, 4, …: ``count`` numbers."""
    results = [
        [sum(value % (1 << level) == 0 for value in values[start:end].tolist()) for level in range(count)]
        for start, end in pairwise(bounds.tolist())
    ]
    return np.array(results, np.int32).reshape(-1, count)


def among(values: Values, wanted: Values) -> NDArray[np.int64]:
    """Which of the values, by number, are among the wanted ones, which come in order, each once."""
    return np.flatnonzero(np.isin(values, wanted))


def tally(values: Values, cells: NDArray[np.uint32]) -> None:
    """Adds 1 to the cell of each value: the one that its lowest bits name."""
    for value in values.tolist():
        cells[value % len(cells)] += 1


def above(values: Values, cells: NDArray[np.uint32], most: int) -> Values:
    """The values whose cell holds more than ``most``."""
    return np.array([value for value in values.tolist() if cells[value % len(cells)] > most], np.uint64)


def minima(values: Values, bounds: Bounds, donors: NDArray[np.int64]) -> Values:
    """Of each document that has values, which come in order, the least in every bin: ``len(donors)`` bins divide the
    range of 64 bits evenly. An empty bin borrows from the first full one that its row of ``donors`` names, or else from
    the first full one of all."""
    bins, results = len(donors), []
    for start, end in pairwise(bounds.tolist()):
        least: dict[int, int] = {}
        for value in values[start:end].tolist():
            least.setdefault(value * bins >> 64, value)
        for place in range(bins) if least else ():
            offers = [donor for donor in [place, *donors[place].tolist()] if donor in least]
            results.append(least[offers[0] if offers else min(least)])
    return np.array(results, np.uint64)


# Odd numbers with no pattern in their bits: the first ones of the golden ratio, and of the roots of 2 and of 3.
TURNS = (0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B)

# Values that are taken in turns: a processor then does not wait for one multiplication before it begins the next.
LANES = 4


def digests(values: Values, bounds: Bounds) -> Values:
    """128 bits for each document: equal sequences have equal ones, and others do not, but for a chance of 2^-64 or so.
    Whoever looks for two sequences with the same bits finds them: this is no cryptographic digest. A document without
    values has 0.

    Each lane takes every fourth value, added by exclusive or, multiplied and folded; the lanes are then joined in one
    order and in the other. Every step can be undone, so that two sequences that differ in one lane alone never agree.
    """
    rows = [values[start:end].tolist() for start, end in pairwise(bounds.tolist())]
    return np.array([_digest(row) if row else (0, 0) for row in rows], np.uint64).reshape(-1, 2)


def _digest(row: list[int]) -> tuple[int, int]:
    lanes = [len(row) + number for number in range(LANES)]
    for at, value in enumerate(row):
        lanes[at % LANES] = _stirred(lanes[at % LANES], value, TURNS[0])
    one = two = len(row)
    for lane, other in zip(lanes, reversed(lanes), strict=True):
        one, two = _stirred(one, lane, TURNS[1]), _stirred(two, other, TURNS[2])
    return one, two


def _stirred(state: int, value: int, turn: int) -> int:
    state = (state ^ value) * turn & _ALL
    return state ^ state >> 32


def gather(descriptor: int, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The hashes of some sets, one after the other: set i begins at the file's hash ``starts[i]``, and becomes
    ``bounds[i]`` to ``bounds[i + 1]`` of them. What is read is not mapped: the system maps more than is looked at."""
    sizes = 8 * np.diff(bounds)
    data = b"".join(os.pread(descriptor, size, 8 * start) for size, start in zip(sizes, starts, strict=True))
    if len(data) < sizes.sum():
        raise OSError(EIO, "the file ends before the hashes do")
    return np.frombuffer(data, np.uint64)
