"""Hash k-grams and select fingerprints. Defined by ``tests/kernel/specification/core.py``.

Positions count from the start of the array. ``chosen`` resumes a pass: -1 at the start of a document; otherwise the
array starts with the last window of the array before, and ``chosen`` is the position selected in it.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]
Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Bytes: TypeAlias = NDArray[np.uint8]
Positions: TypeAlias = NDArray[np.int64]

def fold(symbols: Symbols, multiplier: int) -> Bytes:
    """Return one byte a symbol, for ordering: the symbol itself if it fits, else a keyed byte of it."""

def order(symbols: Bytes, k: int, base: int, offset: int) -> NDArray[np.uint32]:
    """Return the order value of every k-gram: a polynomial in ``base`` over words of four symbols, modulo 2^32."""

def identity(
    symbols: Symbols, positions: Positions, k: int, keys: NDArray[np.uint32], closing: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return the identity of the k-gram at each position: two NH sums, each closed to 32 bits by multiply-shift."""

def spread(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Map 32 bits one to one so that every bit depends on every bit (the finaliser of MurmurHash3)."""

def winnow(values: Values, w: int, chosen: int) -> Positions:
    """Select the rightmost minimum of each window (the paper's definition 1)."""

def robust(values: Values, w: int, chosen: int, grams: Bytes, stride: int, k: int) -> Positions:
    """Select the minimum of each window; keep the choice of the window before if it ties (definition 3).

    If ``k`` is not 0, a choice is kept only if the k-grams in ``grams``, ``stride`` bytes a symbol, are equal too.
    """

def winnow_grams(
    symbols: Bytes, k: int, base: int, offset: int, w: int, chosen: int, keep: bool, grams: Bytes, stride: int
) -> Positions:
    """Winnow the order values of the k-grams; robustly if ``keep``."""

def safe_mod(values: Values, p: int, w: int, gap: int) -> tuple[Positions, int]:
    """Select the values that are 0 mod p, and those with none of these among themselves and the w - 1 to their left.

    ``gap`` counts the values since the last that was 0 mod p. Return the positions and the new gap.
    """

def mod_sample(values: Values, w: int, k: int, t: int, chosen: int, grams: Bytes, stride: int) -> Positions:
    """Select by mod-sampling: the start of a window's rightmost smallest t-gram, modulo w, names the k-gram."""

def syncmer_ranks(inner: NDArray[np.uint32], outer: NDArray[np.uint32], offsets: int) -> NDArray[np.uint64]:
    """Rank t-grams: open syncmers first, closed ones next, others last; within a class by order value."""

def karp_rabin(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return the winnowing paper's H (section 2.2): a k-gram is a k-digit number in base b, modulo 2^64."""

def karp_rabin_improved(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return the paper's H′: H times b, so that the last symbol too reaches the high bits."""

def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return H without rolling: the baseline that the paper measures rolling against."""
