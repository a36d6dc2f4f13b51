"""Which hashes a sketch keeps: the paper's MIN_s, MOD_m and V_i.

A rule works on hashes that were permuted already. All three have the property that makes streaming and merging exact:
what is kept of a union can be found from what is kept of its parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lcm
from typing import ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.errors import UnknownNameError
from whorl.model import Hashes
from whorl.sketches.faults import SketchError

Mask: TypeAlias = NDArray[np.bool_]

NONE: Hashes = np.empty(0, np.uint64)
NONE.flags.writeable = False

BITS = 64

# A sketch is small: one that keeps, or leaves out, more than this is a mistake in the call.
LARGEST = 2**31


def distinct(hashes: Hashes) -> Hashes:
    """Sorted, each once. (NumPy's own ``unique`` takes five times as long.)"""
    ordered = np.sort(hashes)
    return ordered[first_of_each(ordered)]


def first_of_each(ordered: NDArray[np.generic]) -> Mask:
    """Where sorted values differ from the one before."""
    fresh = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


class Rule(Protocol):
    """Decides what is kept of a set of hashes. ``level`` is the i of V_i, and 0 for the others."""

    kind: ClassVar[str]

    @property
    def size(self) -> int:
        """The rule's one number."""

    def admissible(self, hashes: Hashes, kept: Hashes, level: int) -> Mask | None:
        """Which of any hashes may be kept, beside what is ``kept`` so far; None for all. One look at each."""

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """What is kept of admissible hashes, sorted and distinct, and its level, which is at least ``level``."""

    def is_everything(self, kept: Hashes, level: int) -> bool:
        """Whether nothing was left out."""

    def common(self, other: Self) -> Self:
        """The rule that both sketches can be brought to."""


def admit(rule: Rule, hashes: Hashes, kept: Hashes = NONE, level: int = 0) -> Hashes:
    """Those of any hashes that may be kept."""
    mask = rule.admissible(hashes, kept, level)
    return hashes if mask is None else hashes[mask]


def reduce(rule: Rule, hashes: Hashes, level: int = 0) -> tuple[int, Hashes]:
    """What is kept of sorted, distinct hashes, and its level."""
    return rule.settle(admit(rule, hashes, NONE, level), level)


@dataclass(frozen=True, slots=True)
class Minimum:
    """MIN_s: the s smallest hashes, or all if there are fewer."""

    size: int

    kind: ClassVar[str] = "min"

    def admissible(self, hashes: Hashes, kept: Hashes, level: int) -> Mask | None:
        """Those below the greatest that is kept, once there are s."""
        return None if len(kept) < self.size else hashes < kept[-1]

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """The s smallest."""
        return 0, hashes[: self.size]

    def is_everything(self, kept: Hashes, level: int) -> bool:
        """Fewer than s are all there are."""
        return len(kept) < self.size

    def common(self, other: "Minimum") -> "Minimum":
        """The smaller s."""
        return Minimum(min(self.size, other.size))


@dataclass(frozen=True, slots=True)
class Modulus:
    """MOD_m: the hashes that are 0 mod m."""

    size: int

    kind: ClassVar[str] = "mod"

    def admissible(self, hashes: Hashes, kept: Hashes, level: int) -> Mask:
        """The multiples of m.

        With m = odd · 2^i, multiplying by the inverse of the odd part modulo 2^64 takes its multiples, and only
        those, to at most 2^64 / odd: three times as fast as a remainder. (Warren, *Hacker's Delight*, section 10-17.)
        """
        twos = (self.size & -self.size).bit_length() - 1
        odd = self.size >> twos
        divides: Mask = hashes * np.uint64(pow(odd, -1, 1 << BITS)) <= np.uint64(((1 << BITS) - 1) // odd)
        if twos:
            divides &= hashes & _low_bits(twos) == 0
        return divides

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """All of them."""
        return 0, hashes

    def is_everything(self, kept: Hashes, level: int) -> bool:
        """Only if m is 1."""
        return self.size == 1

    def common(self, other: "Modulus") -> "Modulus":
        """A multiple of both is a multiple of their least common multiple."""
        return Modulus(_size(lcm(self.size, other.size)))


@dataclass(frozen=True, slots=True)
class Adaptive:
    """V_i = MOD_{2^i} with the least i at which no more than ``size`` hashes are kept.

    The paper takes i from the length of the document. Taking it from the number that is kept bounds the size of the
    sketch whatever repeats in the document, and makes the sketch of a union a matter of the sketches alone.
    """

    size: int

    kind: ClassVar[str] = "adaptive"

    def admissible(self, hashes: Hashes, kept: Hashes, level: int) -> Mask | None:
        """The multiples of 2^level."""
        return hashes & _low_bits(level) == 0 if level else None

    def settle(self, hashes: Hashes, level: int) -> tuple[int, Hashes]:
        """The halving rule: as long as there are too many, V_{i+1} is made from V_i."""
        while len(hashes) > self.size:
            level += 1
            hashes = hashes[hashes & _low_bits(level) == 0]
        return level, hashes

    def is_everything(self, kept: Hashes, level: int) -> bool:
        """V_0 is."""
        return level == 0

    def common(self, other: "Adaptive") -> "Adaptive":
        """The smaller size."""
        return Adaptive(min(self.size, other.size))


def _low_bits(level: int) -> np.uint64:
    return np.uint64((1 << level) - 1)


RULES: Mapping[str, Callable[[int], Rule]] = {rule.kind: rule for rule in (Minimum, Modulus, Adaptive)}


def rule(kind: str, size: int) -> Rule:
    """The rule of a kind of sketch."""
    if kind not in RULES:
        raise UnknownNameError("kind of sketch", kind, RULES)
    return RULES[kind](_size(size))


def _size(size: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size < LARGEST:
        raise SketchError(f"size: {size!r} is out of range; give a whole number from 1 to {LARGEST - 1}")
    return size
