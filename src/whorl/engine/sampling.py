"""Sampling rules of sketches: the paper's MIN_s, MOD_m and V_i, on permuted hashes.

The sample of a union follows from the samples of its parts, so streaming and merging are exact.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import lcm
from typing import ClassVar, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key
from whorl.errors import SketchError, UnknownNameError
from whorl.model import Hashes

Mask: TypeAlias = NDArray[np.bool_]

NONE: Hashes = np.empty(0, np.uint64)
NONE.flags.writeable = False

BITS = 64

# A sketch is small: a larger size is a mistake in the call.
LARGEST = 2**31


V = TypeVar("V", bound=np.generic)


def distinct(hashes: NDArray[V]) -> NDArray[V]:
    """Return the hashes sorted, each once. ``np.unique`` of NumPy 2.4 uses a hash table, 10 to 50 times slower:
    580 ms against 11 for half a million hashes."""
    ordered = hashes.copy()
    ordered.sort()
    return ordered[first_of_each(ordered)]


def first_of_each(ordered: NDArray[np.generic]) -> Mask:
    """Return a mask of the sorted values that differ from the one before."""
    fresh = np.empty(len(ordered), bool)
    fresh[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


class Rule(Protocol):
    """A sampling rule. ``level`` is the i of V_i, and 0 for the others."""

    kind: ClassVar[str]

    @property
    def size(self) -> int:
        """Parameter of the rule: s, m, or the most hashes of V_i."""

    def admissible(self, hashes: Hashes, sample: Hashes, level: int) -> Mask | None:
        """Return a mask of the hashes that may enter the ``sample`` so far; None for all."""

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """Return the level, at least ``level``, and the sample of admissible hashes that are sorted and distinct."""

    def is_everything(self, sample: Hashes, level: int) -> bool:
        """Return whether the sample has every hash."""

    def common(self, other: Self) -> Self:
        """Return the rule that both sketches can be reduced to."""


def admit(rule: Rule, hashes: Hashes, sample: Hashes = NONE, level: int = 0) -> Hashes:
    """Return the hashes that may enter the sample."""
    mask = rule.admissible(hashes, sample, level)
    return hashes if mask is None else hashes[mask]


def reduce(rule: Rule, hashes: Hashes, level: int = 0) -> tuple[int, Hashes]:
    """Return the level and the sample of sorted, distinct hashes."""
    return rule.settle(admit(rule, hashes, NONE, level), level)


@dataclass(frozen=True, slots=True)
class Minimum:
    """MIN_s: the s smallest hashes, or all if there are fewer."""

    size: int

    kind: ClassVar[str] = "min"

    def admissible(self, hashes: Hashes, sample: Hashes, level: int) -> Mask | None:
        return None if len(sample) < self.size else hashes < sample[-1]

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        return 0, hashes[: self.size]

    def is_everything(self, sample: Hashes, level: int) -> bool:
        return len(sample) < self.size

    def common(self, other: "Minimum") -> "Minimum":
        return Minimum(min(self.size, other.size))


@dataclass(frozen=True, slots=True)
class Modulus:
    """MOD_m: the hashes that are 0 mod m."""

    size: int

    kind: ClassVar[str] = "mod"

    def admissible(self, hashes: Hashes, sample: Hashes, level: int) -> Mask:
        """Return a mask of the multiples of m.

        With m = odd · 2^i, multiplying by the inverse of the odd part modulo 2^64 maps its multiples, and only those,
        to at most 2^64 / odd: three times as fast as a remainder. (Warren, *Hacker's Delight*, section 10-17.)
        """
        twos = (self.size & -self.size).bit_length() - 1
        odd = self.size >> twos
        divides: Mask = hashes * np.uint64(pow(odd, -1, 1 << BITS)) <= np.uint64(((1 << BITS) - 1) // odd)
        if twos:
            divides &= hashes & _low_bits(twos) == 0
        return divides

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        return 0, hashes

    def is_everything(self, sample: Hashes, level: int) -> bool:
        return self.size == 1

    def common(self, other: "Modulus") -> "Modulus":
        """Return MOD of the least common multiple."""
        return Modulus(_size(lcm(self.size, other.size)))


@dataclass(frozen=True, slots=True)
class Adaptive:
    """V_i = MOD_{2^i} with the least i at which no more than ``size`` hashes are kept.

    The paper derives i from the length of the document. Deriving it from the size of the sample bounds the sketch
    however much the document repeats, and the sketch of a union then depends on the sketches alone.
    """

    size: int

    kind: ClassVar[str] = "adaptive"

    def admissible(self, hashes: Hashes, sample: Hashes, level: int) -> Mask | None:
        return hashes & _low_bits(level) == 0 if level else None

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """Halve the sample while it is too large: make V_{i+1} from V_i."""
        while len(hashes) > self.size:
            level += 1
            hashes = hashes[hashes & _low_bits(level) == 0]
        return level, hashes

    def is_everything(self, sample: Hashes, level: int) -> bool:
        return level == 0

    def common(self, other: "Adaptive") -> "Adaptive":
        return Adaptive(min(self.size, other.size))


def _low_bits(level: int) -> np.uint64:
    return np.uint64((1 << level) - 1)


RULES: Mapping[str, Callable[[int], Rule]] = {rule.kind: rule for rule in (Minimum, Modulus, Adaptive)}


def rule(kind: str, size: int) -> Rule:
    """Return the rule of a kind of sketch."""
    if kind not in RULES:
        raise UnknownNameError("kind of sketch", kind, RULES)
    return RULES[kind](_size(size))


def _size(size: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size < LARGEST:
        raise SketchError(f"size: {size!r} is out of range; give a whole number from 1 to {LARGEST - 1}")
    return size


# Hashes permuted at a time: three arrays of this size fit in a core's cache, and calls to NumPy cost little.
PERMUTED_BLOCK = 1 << 14

HALF = np.uint64(32)


class Permutation:
    """Permute 64-bit identities so that their order and remainders look random: the paper's π.

    Identities rarely collide, but those of k-grams that differ in one symbol are nearly multiples of one step, and
    would be sampled together too often. Two rounds of an odd multiplication, which carries low bits up, and a fold,
    which carries high bits down, prevent that. A bijection neither adds nor removes a collision. Measurements:
    docs/decisions/0012-sketches.md.
    """

    __slots__ = ("_add", "_first", "_second")

    def __init__(self, key: Key) -> None:
        self._add, first, second = key.words("sketch", 3)
        self._first, self._second = first | np.uint64(1), second | np.uint64(1)

    @property
    def constants(self) -> Hashes:
        """Summand and two multipliers, for the kernel."""
        return np.array([self._add, self._first, self._second], np.uint64)

    def __call__(self, identities: Hashes) -> Hashes:
        """Return the permuted value of each identity, in a new array."""
        values = np.empty(len(identities), np.uint64)
        scratch = np.empty(min(len(values), PERMUTED_BLOCK), np.uint64)
        for start in range(0, len(values), PERMUTED_BLOCK):
            out = values[start : start + PERMUTED_BLOCK]
            self._permute(identities[start : start + PERMUTED_BLOCK], out, scratch[: len(out)])
        return values

    def _permute(self, identities: Hashes, out: Hashes, scratch: Hashes) -> None:
        np.add(identities, self._add, out=out)
        for multiplier in (self._first, self._second):
            np.multiply(out, multiplier, out=out)
            np.right_shift(out, HALF, out=scratch)
            np.bitwise_xor(out, scratch, out=out)


@lru_cache(maxsize=64)
def permutation(key: Key) -> Permutation:
    return Permutation(key)
