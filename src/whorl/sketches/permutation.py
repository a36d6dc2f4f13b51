"""π: a keyed bijection of 64 bits that stands in for the paper's random permutation of all shingles."""

from functools import lru_cache

import numpy as np

from whorl.hashing.key import Key
from whorl.model import Hashes

# Hashes permuted at a time: three arrays of this size fit in a core's cache, and calls to NumPy do not yet count.
BLOCK = 1 << 14

HALF = np.uint64(32)


class Permutation:
    """Spreads 64-bit identities so that their order, and their remainders, look random.

    Identities collide as seldom as their bound says, but those of k-grams that differ in one symbol are nearly
    multiples of one step, and are kept together more often than chance has it. Two rounds of an odd multiplication,
    which carries low bits up, and a fold, which carries high bits down, break that. A bijection neither adds nor
    removes a collision. What was measured: docs/decisions/0012-sketches.md.
    """

    __slots__ = ("_add", "_first", "_second")

    def __init__(self, key: Key) -> None:
        self._add, first, second = key.words("sketch", 3)
        self._first, self._second = first | np.uint64(1), second | np.uint64(1)

    @property
    def constants(self) -> Hashes:
        """The summand and the two multipliers, for the kernel."""
        return np.array([self._add, self._first, self._second], np.uint64)

    def __call__(self, identities: Hashes) -> Hashes:
        """The permuted value of each identity, in a new array."""
        values = np.empty(len(identities), np.uint64)
        scratch = np.empty(min(len(values), BLOCK), np.uint64)
        for start in range(0, len(values), BLOCK):
            out = values[start : start + BLOCK]
            self._permute(identities[start : start + BLOCK], out, scratch[: len(out)])
        return values

    def _permute(self, identities: Hashes, out: Hashes, scratch: Hashes) -> None:
        np.add(identities, self._add, out=out)
        for multiplier in (self._first, self._second):
            np.multiply(out, multiplier, out=out)
            np.right_shift(out, HALF, out=scratch)
            np.bitwise_xor(out, scratch, out=out)


@lru_cache(maxsize=64)
def permutation(key: Key) -> Permutation:
    """The permutation of a key."""
    return Permutation(key)
