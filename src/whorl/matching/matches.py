"""The matches of two documents: found by their fingerprints, verified and extended on their streams.

So no collision of hashes is ever shown and no edge is lost (Schleimer, Wilkerson, Aiken 2003, section 5.2).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.matching.evidence import Evidence
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Maximal matches: where they begin on both sides, in symbols of the evidence, and their lengths; in the order of
    the left side."""

    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    lengths: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.lengths)


def find(left: Evidence, right: Evidence, scheme: Scheme, shortest: int | None = None) -> Matches:
    """The matches to show. ``shortest`` is how many symbols every fingerprint covers at least, if some cover fewer than
    the scheme's k-grams."""
    k = min(scheme.k, shortest or scheme.k)
    loops = kernel.matching()
    keys = loops.seeds(left.hashes, left.places, right.hashes, right.places)
    width = np.result_type(left.symbols, right.symbols)
    symbols = [np.ascontiguousarray(side.symbols, width) for side in (left, right)]
    lefts, rights, lengths = loops.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, k)
    sizes, sure = (len(left), len(right)), scheme.guarantee or scheme.k
    chosen = loops.choose(lefts, rights, lengths, sizes, k, sure)
    order = np.lexsort((lengths[chosen], rights[chosen], lefts[chosen]))
    return Matches(lefts[chosen][order], rights[chosen][order], lengths[chosen][order])
