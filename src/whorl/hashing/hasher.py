"""The production pair of hashes: a rolling one that orders k-grams, and a strong one that identifies those selected."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.hashing.key import Key
from whorl.model import Symbols

# The k-gram is hashed as bytes, as 32-bit or as 64-bit words; each of the three has closing constants of its own.
WIDTHS = 3


class Hasher:
    """Hashes of k-grams under one key.

    The order hash is cheap, has 32 bits and only decides which k-grams are selected. The identity has 64 bits, costs
    more, and is computed for the selected ones alone: two different k-grams have the same one with a probability of at
    most 9 / 2^64 over the choice of the key.
    """

    __slots__ = ("_closing", "_fold", "_keys", "k", "key", "rolling")

    def __init__(self, key: Key, k: int) -> None:
        self.key = key
        self.k = k
        base, offset, fold = key.words("order", 3).tolist()
        self.rolling = base & 0xFFFFFFFF | 1, offset & 0xFFFFFFFF
        self._fold = fold | 1
        # 64-bit symbols make two words of 32 bits each, and the second NH sum starts two words later.
        self._keys = key.half_words("identity", 2 * k + 4)
        self._closing = _closing(key)

    @property
    def constants(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """What the identity is made with, for the kernel: the keys of its sums and what closes them."""
        return self._keys, self._closing

    def fold(self, symbols: Symbols) -> NDArray[np.uint8]:
        """One byte a symbol, for the order hash; bytes are themselves."""
        if symbols.dtype == np.uint8:
            return symbols
        folded: NDArray[np.uint8] = kernel.core().fold(symbols, self._fold)
        return folded

    def order(self, folded: NDArray[np.uint8], length: int) -> NDArray[np.uint32]:
        """The order value of every gram of this length."""
        values: NDArray[np.uint32] = kernel.core().order(folded, length, *self.rolling)
        return values

    def identity(self, symbols: Symbols, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The identity of the k-gram at each position."""
        hashes: NDArray[np.uint64] = kernel.core().identity(symbols, positions, self.k, self._keys, self._closing)
        return hashes


@lru_cache(maxsize=64)
def hasher(key: Key, k: int) -> Hasher:
    """The hasher of a key and a length: drawing its constants costs as much as hashing a page of text."""
    return Hasher(key, k)


def _closing(key: Key) -> NDArray[Any]:
    """Per width: two odd multipliers, the same for all widths, and two summands of its own."""
    drawn = key.words("closing", 2 + 2 * WIDTHS)
    multipliers = drawn[:2] | np.uint64(1)
    return np.concatenate([np.concatenate([multipliers, drawn[2 + 2 * i : 4 + 2 * i]]) for i in range(WIDTHS)])
