"""Random numbers by name: the same key gives the same numbers, in any order, on any machine.

A generator with a state would have to be started for every page, which costs more than the page does.
"""

import numpy as np
from numpy.typing import NDArray

# The finaliser of splitmix64 (Steele, Lea and Flood 2014) and its step, 2^64 divided by the golden ratio.
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
BITS = (1 << 64) - 1

Uniforms = NDArray[np.float64]


def key(*parts: int) -> int:
    """One number for several."""
    mixed = 0
    for part in parts:
        mixed = (mixed ^ part) + STEP & BITS
        mixed = (mixed ^ mixed >> 30) * FIRST & BITS
        mixed = (mixed ^ mixed >> 27) * SECOND & BITS
        mixed ^= mixed >> 31
    return mixed


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every number over all bits, in place."""
    for shift, multiplier in ((30, FIRST), (27, SECOND)):
        values ^= values >> np.uint64(shift)
        values *= np.uint64(multiplier)
    values ^= values >> np.uint64(31)
    return values


def uniforms(count: int, *parts: int) -> Uniforms:
    """So many numbers between 0 and 1, 1 excluded, that belong to a key."""
    places = np.arange(count, dtype=np.uint64)
    places *= np.uint64(STEP)
    places += np.uint64(key(*parts))
    return (mixed(places) >> np.uint64(11)).astype(np.float64) * 2.0**-53
