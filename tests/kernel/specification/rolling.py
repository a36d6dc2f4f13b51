"""The paper's rolling hashes (section 2.2): the specification of ``native_rolling``."""

import numpy as np
from numpy.typing import NDArray

from tests.kernel.specification.core import LOW64, Symbols


def karp_rabin(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """The paper's H: a k-gram is a k-digit number in base b, modulo 2^64."""
    return np.array([_number(gram, base) & LOW64 for gram in _grams(symbols, k)], np.uint64)


def karp_rabin_improved(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """The paper's H′: H times b, so that the last symbol too reaches the high bits."""
    return np.array([_number(gram, base) * base & LOW64 for gram in _grams(symbols, k)], np.uint64)


def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """H again, without rolling: what the paper measures rolling against."""
    return karp_rabin(symbols, k, base)


def _grams(symbols: Symbols, k: int) -> list[list[int]]:
    digits = symbols.tolist()
    return [digits[i : i + k] for i in range(len(digits) - k + 1)]


def _number(digits: list[int], base: int) -> int:
    number = 0
    for digit in digits:
        number = number * base + digit
    return number
