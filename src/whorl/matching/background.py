"""What the documents of a collection share without copying: how common fingerprints are, and how good chance chains."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from whorl.model import Hashes

# Bits beyond log2(m n) from which on a chain is no chance, if nothing else is known. Of two unrelated documents of m
# and n symbols, m n places could begin one, so one pair in 2^15 should have such (after Karlin and Altschul 1990).
MARGIN = 15.0

# Documents that are thought to be there beside those at hand, with other fingerprints, as for scores: what two of
# three have in common is not common.
PRIOR = 50


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """How rare fingerprints are: the ``hashes`` of those that are not rare, ascending, and the ``rarities`` of each.
    ``margin`` is what chains need beyond the bits of the lengths."""

    hashes: Hashes
    rarities: NDArray[np.float64]
    margin: float = MARGIN

    def rarity(self, hashes: Hashes) -> NDArray[np.float64]:
        """How rare fingerprints are: 1 if no more than two documents have them, near 0 if all have."""
        if not len(self.hashes):
            return np.ones(len(hashes))
        at = self.hashes.searchsorted(hashes)
        at[at == len(self.hashes)] = 0
        return np.where(self.hashes[at] == hashes, self.rarities[at], 1.0)

    def least(self, sizes: tuple[int, int]) -> float:
        """The bits from which on a chain is unlikely between documents of so many symbols."""
        return log2(max(1, sizes[0])) + log2(max(1, sizes[1])) + self.margin


def counted(documents: Sequence[Hashes]) -> Background:
    """How common the fingerprints of some documents are."""
    everything = np.concatenate([*map(np.unique, documents), np.zeros(0, np.uint64)])
    hashes, counts = np.unique(everything, return_counts=True)
    common, most = counts > 2, len(documents) + PRIOR
    return Background(hashes[common], np.log(most / counts[common]) / np.log(most / 2))


# Of two documents alone nothing is known to be common.
NONE = counted([])
