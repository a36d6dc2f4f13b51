"""Ways to make super shingles of a document: what each posts of its sorted permuted hashes.

A way takes every permuted shingle of a document, in order, and gives the numbers under which the document is posted.
Two documents that are posted under one number are candidates.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

import whorl
from whorl.engine.hashing import hasher
from whorl.engine.sampling import distinct
from whorl.engine.super_shingles import GROUPS, binned
from whorl.model import Hashes

Way = Callable[[Hashes], Hashes]

# The clustering's V_i: one shingle in 16, or in fewer, so that 32 are left (``whorl.clustering``).
COARSEST, LEAST = 16, 32

# The paper's one in 25.
PAPER = 25

# Minima a super shingle: 32 of three find 98.6% of the pairs that resemble each other at 0.5, and 23% at 0.2.
SIZE = 3

NONE: Hashes = np.empty(0, np.uint64)


def runs(sketch: Hashes, size: int) -> Hashes:
    """Return the paper's super shingles: every run of ``size`` neighbours of a sorted sketch."""
    count = len(sketch) - size + 1
    return hasher(whorl.Key.PUBLIC, size).identity(sketch, np.arange(count)) if count > 0 else NONE


def level(hashes: Hashes, least: int = LEAST) -> int:
    """Return the modulus of the clustering's V_i."""
    modulus = COARSEST
    while modulus > 1 and len(divided(hashes, modulus)) < least:
        modulus //= 2
    return modulus


def divided(hashes: Hashes, modulus: int) -> Hashes:
    """MOD_m."""
    kept: Hashes = hashes[hashes % np.uint64(modulus) == 0]
    return kept


def of_level(hashes: Hashes, size: int) -> Hashes:
    """Runs of V_i as the clustering keeps it."""
    return runs(divided(hashes, level(hashes)), size)


def of_two_levels(hashes: Hashes, size: int) -> Hashes:
    """Runs of V_i, and of V_{i+1} made from it."""
    own = level(hashes)
    return of_levels(hashes, size, own, min(COARSEST, 2 * own))


def of_all_levels(hashes: Hashes, size: int) -> Hashes:
    """Runs of V_i, and of every coarser one."""
    return of_levels(hashes, size, level(hashes), COARSEST)


def of_levels(hashes: Hashes, size: int, finest: int, coarsest: int) -> Hashes:
    """Runs of every V_i between two moduli."""
    moduli = [1 << power for power in range(finest.bit_length() - 1, coarsest.bit_length())]
    return distinct(np.concatenate([runs(divided(hashes, modulus), size) for modulus in moduli]))


def of_modulus(hashes: Hashes, size: int, modulus: int) -> Hashes:
    """Runs of MOD_m."""
    return runs(divided(hashes, modulus), size)


def of_least(hashes: Hashes, size: int, count: int) -> Hashes:
    """Runs of MIN_s: documents of any length post about as much, and what they post is comparable."""
    return runs(hashes[:count], size)


def some_of(way: Way, count: int, hashes: Hashes) -> Hashes:
    """Return the meta-sketch: the least ``count`` of what a way posts."""
    return distinct(way(hashes))[:count]


def super_shingles_of(hashes: Hashes, size: int = SIZE, groups: int = GROUPS) -> Hashes:
    """Super shingles of min-wise values: ``size`` minima make one, and no minimum is in two.

    The range of the hashes is cut into ``size`` · ``groups`` bins, whose least members are as good as minima under as
    many permutations, for one pass. An empty bin borrows from one that a fixed random table names, the same in every
    document, so that documents with fewer shingles than bins are compared as well.
    """
    return binned(hashes, np.array([0, len(hashes)]), size, groups)[0]


def ways(size: int = SIZE) -> dict[str, Way]:
    """Every way, at one size of a super shingle. Where the amount to post can be chosen, it is about equal."""
    return {
        "V_i": partial(of_level, size=size),
        "V_i and V_i+1": partial(of_two_levels, size=size),
        "V_i and all coarser": partial(of_all_levels, size=size),
        "MOD_25": partial(of_modulus, size=size, modulus=PAPER),
        "MIN_64": partial(of_least, size=size, count=2 * GROUPS),
        "bins": partial(super_shingles_of, size=size),
    }
