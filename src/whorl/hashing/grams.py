"""A run of consecutive k-grams of one document, hashed on demand: what selectors look at."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.hasher import Hasher
from whorl.model import Symbols


class Grams:
    """The k-grams of ``symbols``; the first of them is number ``start`` of its document."""

    def __init__(self, symbols: Symbols, hasher: Hasher, start: int = 0) -> None:
        self.symbols = symbols
        self.hasher = hasher
        self.start = start

    def __len__(self) -> int:
        return max(0, len(self.symbols) - self.hasher.k + 1)

    @property
    def k(self) -> int:
        """Symbols a gram."""
        return self.hasher.k

    @cached_property
    def folded(self) -> NDArray[np.uint8]:
        """The symbols as bytes, for the order hash."""
        return self.hasher.fold(self.symbols)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The order value of each k-gram."""
        return self.hasher.order(self.folded, self.k)

    def shorter_order(self, length: int) -> NDArray[np.uint32]:
        """The order value of each gram of another length."""
        return self.hasher.order(self.folded, length)

    def identity(self, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The identity of the k-grams at these positions, counted from the start of this run."""
        return self.hasher.identity(self.symbols, positions)

    @property
    def raw(self) -> NDArray[np.uint8]:
        """The memory of the symbols, ``stride`` bytes each: two k-grams are equal if these are."""
        return self.symbols.view(np.uint8)

    @property
    def stride(self) -> int:
        """Bytes a symbol."""
        return self.symbols.itemsize
