"""What matches are worth, in bits: by their length, and by how rare the rarest fingerprint in them is."""

import numpy as np
from numpy.typing import NDArray

from whorl.matching.background import Background
from whorl.matching.chain import BITS
from whorl.matching.evidence import Evidence
from whorl.matching.matches import Matches

# The least share of its bits that a match keeps, however common it is: it does not part what stands round it.
LEAST = 0.1


def weights(matches: Matches, left: Evidence, right: Evidence, k: int, background: Background) -> NDArray[np.float64]:
    """The bits of each match. What the collection has often, and what the pair has in several places, is worth less. A
    match without a fingerprint was found by a k-gram that stands once on each side, and is worth all."""
    worth = matches.lengths.astype(np.float64) * (BITS / k)
    places, shares = _fingerprints(left, right, background)
    starts = places.searchsorted(matches.lefts)
    ends = places.searchsorted(matches.lefts + (matches.lengths - matches.shortest), "right")
    some = (ends > starts).nonzero()[0]
    if len(some):
        bounds = np.stack((starts[some], ends[some]), axis=1).ravel()
        worth[some] *= np.maximum.reduceat(shares, bounds)[::2]
    return worth


def _fingerprints(
    left: Evidence, right: Evidence, background: Background
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The places on the left side of the fingerprints that both have, in order, and the share of its bits that a match
    with each keeps; a last share is nobody's. Every doubling of the pairs of places that a fingerprint could stand for
    takes a bit of a k-gram's."""
    first = right.hashes.searchsorted(left.hashes)
    first[first == len(right.hashes)] = 0
    shared = (right.hashes[first] == left.hashes).nonzero()[0] if len(right.hashes) else first[:0]
    hashes = left.hashes[shared]
    begins = np.concatenate((_START, (hashes[1:] != hashes[:-1]).nonzero()[0] + 1))[: len(hashes)]
    lefts = np.concatenate((begins[1:], [len(hashes)]))[: len(begins)] - begins
    rights = right.hashes.searchsorted(hashes[begins], "right") - first[shared[begins]]
    shares = np.maximum(LEAST, background.rarity(hashes[begins]) - np.log2(lefts * rights) / BITS)
    places = left.places[shared]
    order = places.argsort()
    return places[order], np.concatenate((shares.repeat(lefts)[order], _NOBODY))


_START, _NOBODY = np.zeros(1, np.intp), np.zeros(1)
