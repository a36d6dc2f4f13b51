"""The winnowing paper's own hashes, section 2.2: Karp and Rabin's H and the improved H′, modulo 2^64.

For the experiments and the benchmarks. They are public functions and can be broken; production uses ``hasher``.
"""

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.model import Symbols

# An odd base of 64 bits (2^64 divided by the golden ratio): a small one would leave the high bits of H empty.
BASE = 0x9E3779B97F4A7C15


def karp_rabin(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """H(c₁…c_k) = c₁·b^(k-1) + … + c_k, rolled from one k-gram to the next."""
    values: NDArray[np.uint64] = kernel.rolling().karp_rabin(symbols, k, base)
    return values


def karp_rabin_improved(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """H′ = H·b: the addition comes before the multiplication, so the last symbol reaches every bit above its own."""
    values: NDArray[np.uint64] = kernel.rolling().karp_rabin_improved(symbols, k, base)
    return values


def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """H, computed anew for every k-gram: what rolling is measured against."""
    values: NDArray[np.uint64] = kernel.rolling().karp_rabin_from_scratch(symbols, k, base)
    return values
