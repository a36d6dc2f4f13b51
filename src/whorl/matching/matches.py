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

    def swapped(self) -> "Matches":
        """The same matches, seen from the other side."""
        return _sorted(self.rights, self.lefts, self.lengths)

    def left_symbols(self) -> int:
        """How many symbols of the left side are in matches."""
        return _union(self.lefts, self.lengths)

    def right_symbols(self) -> int:
        """How many symbols of the right side are in matches."""
        order = np.argsort(self.rights, kind="stable")
        return _union(self.rights[order], self.lengths[order])


def _union(starts: NDArray[np.int32], lengths: NDArray[np.int32]) -> int:
    """How many places intervals cover together. They come by their starts."""
    reached = np.maximum.accumulate(starts + lengths)
    before = np.concatenate([starts[:1], reached[:-1]])
    return int(np.maximum(0, reached - np.maximum(starts, before)).sum())


def find(left: Evidence, right: Evidence, scheme: Scheme) -> Matches:
    """The matches to show. Which of two documents is the left one does not matter."""
    if left.symbols.tobytes() > right.symbols.tobytes():
        return _find(right, left, scheme).swapped()
    return _find(left, right, scheme)


def _find(left: Evidence, right: Evidence, scheme: Scheme) -> Matches:
    loops = kernel.matching()
    keys = loops.seeds(left.hashes, left.places, right.hashes, right.places)
    width = np.result_type(left.symbols, right.symbols)
    symbols = [np.ascontiguousarray(side.symbols, width) for side in (left, right)]
    lefts, rights, lengths = loops.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, scheme.k)
    chosen = loops.choose(lefts, rights, lengths, (len(left), len(right)), scheme.k, scheme.guarantee or scheme.k)
    return _sorted(lefts[chosen], rights[chosen], lengths[chosen])


def _sorted(lefts: NDArray[np.int32], rights: NDArray[np.int32], lengths: NDArray[np.int32]) -> Matches:
    order = np.lexsort((lengths, rights, lefts))
    return Matches(lefts[order], rights[order], lengths[order])
