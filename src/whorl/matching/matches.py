"""The matches of two documents: found by their fingerprints, verified and extended on their streams.

So no collision of hashes is ever shown and no edge is lost (Schleimer, Wilkerson, Aiken 2003, section 5.2).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.matching.evidence import Evidence
from whorl.matching.rare import rare_keys
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Maximal matches: where they begin on both sides, in symbols of the evidence, and their lengths; in the order of
    the left side. None has fewer than ``shortest``."""

    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    lengths: NDArray[np.int32]
    shortest: int

    def __len__(self) -> int:
        return len(self.lengths)


# Finds the matches of two documents.
Finding = Callable[[Evidence, Evidence], Matches]


def find(
    left: Evidence, right: Evidence, scheme: Scheme, shortest: int | None = None, *, rare: bool = False
) -> Matches:
    """The matches to show. ``shortest`` is how many symbols every fingerprint covers at least, if some cover fewer than
    the scheme's k-grams. ``rare``: those through k-grams that stand once on each side as well, selected or not."""
    k = min(scheme.k, shortest or scheme.k)
    loops = kernel.matching()
    keys = loops.seeds(left.hashes, left.places, right.hashes, right.places)
    width = np.result_type(left.symbols, right.symbols)
    symbols = np.ascontiguousarray(left.symbols, width), np.ascontiguousarray(right.symbols, width)
    if rare and len(keys):
        keys = np.sort(np.concatenate([keys, rare_keys(left, right, symbols, scheme.k)]))
    lefts, rights, lengths = loops.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, k)
    sizes, sure = (len(left), len(right)), scheme.guarantee or scheme.k
    chosen = loops.choose(lefts, rights, lengths, sizes, k, sure)
    order = np.lexsort((lengths[chosen], rights[chosen], lefts[chosen]))
    return Matches(lefts[chosen][order], rights[chosen][order], lengths[chosen][order], k)
