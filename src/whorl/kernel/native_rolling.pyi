"""Compute the winnowing paper's rolling hashes (section 2.2). Defined by ``tests/kernel/specification/rolling.py``."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]

def karp_rabin(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return the paper's H: a k-gram is a k-digit number in base b, modulo 2^64."""

def karp_rabin_improved(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return the paper's H′: H times b, so that the last symbol too reaches the high bits."""

def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """Return H without rolling: the baseline that the paper measures rolling against."""
