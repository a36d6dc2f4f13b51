"""Postings: which hash stands where, as three columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.fingerprinting.ahead import Ahead


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Columns of one length: a hash, the document that has it, and its place there."""

    hashes: NDArray[np.uint64]
    documents: NDArray[np.uint32]
    places: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, part: slice | NDArray[np.bool_] | NDArray[np.intp]) -> "Postings":
        """Those of a slice, of a mask or of an array of numbers."""
        return Postings(self.hashes[part], self.documents[part], self.places[part])

    @classmethod
    def none(cls) -> Self:
        """No postings."""
        return cls(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))

    @classmethod
    def joined(cls, parts: Sequence["Postings"]) -> "Postings":
        """One after the other."""
        if len(parts) == 1:
            return parts[0]
        parts = parts or [cls.none()]
        return cls(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.places for part in parts]),
        )

    def in_order(self, threads: int = 1) -> "Postings":
        """Sorted by hash, document and place, as segments want them."""
        rows, bounds = kernel.postings().deal(self.hashes, self.documents, self.places)
        columns = tuple(map(np.empty_like, (self.hashes, self.documents, self.places)))
        heaps = len(bounds) - 1
        parts = pairwise(heaps * part // threads for part in range(threads + 1))
        with Ahead(threads) as ahead:
            for _ in ahead.map(lambda part: kernel.postings().settle(rows, bounds, *part, *columns), parts):
                pass
        return Postings(*columns)
