"""Hash, sample, digest and read the shingles of many documents. Defined by ``tests/kernel/specification/shingles.py``.

Documents lie one after the other in one array: document i from ``bounds[i]`` to ``bounds[i + 1]``.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.uint64]
Bounds: TypeAlias = NDArray[np.int64]

def values(symbols: Values, bounds: Bounds, k: int, keys: NDArray[np.uint32], closing: Values, turn: Values) -> Values:
    """Return the permuted identity of every k-gram of every document, in order.

    ``turn`` is the permutation: a summand and two odd multipliers. A document with fewer than k symbols has no k-gram.
    """

def distinct(values: Values, bounds: Bounds) -> tuple[Values, Bounds]:
    """Return the values of each document sorted, each once, and the new bounds."""

def sample(values: Values, bounds: Bounds, modulus: int, least: int) -> tuple[Values, Bounds, NDArray[np.int32]]:
    """Return the values of each document that are 0 modulo its m, their bounds, and each m.

    m is the largest power of two, up to ``modulus``, that leaves ``least`` values, or 1.
    """

def levels(values: Values, bounds: Bounds, count: int) -> NDArray[np.int32]:
    """Return for each document how many of its values are 0 modulo 1, 2, 4, …: ``count`` numbers."""

def among(values: Values, wanted: Values) -> NDArray[np.int64]:
    """Return the indices of the values that are among the wanted ones, which are sorted, each once."""

def tally(values: Values, cells: NDArray[np.uint32]) -> None:
    """Add 1 to the cell of each value: the one that its lowest bits name. The number of cells is a power of two."""

def above(values: Values, cells: NDArray[np.uint32], most: int) -> Values:
    """Return the values whose cell holds more than ``most``."""

def minima(values: Values, bounds: Bounds, donors: NDArray[np.int64]) -> Values:
    """Return the least value in each of ``len(donors)`` bins of each document that has values, which are sorted.

    An empty bin takes that of the first full bin in its row of ``donors``, or else of the first full bin.
    """

def digests(values: Values, bounds: Bounds) -> Values:
    """Return 128 bits for each document; equal sequences have equal ones. Not a cryptographic digest.

    A document without values has 0.
    """

def gather(descriptor: int, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Read sets one after the other. Set i starts at hash ``starts[i]`` and fills ``bounds[i]`` to ``bounds[i + 1]``.

    Raise OSError if the file ends early.
    """
