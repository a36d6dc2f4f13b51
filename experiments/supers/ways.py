"""Ways to make super shingles of a document: what each posts of its sorted permuted hashes.

A way takes every permuted shingle of a document, in order, and gives the numbers under which the document is posted.
Two documents that are posted under one number are candidates.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

import whorl
from whorl.hashing.hasher import hasher
from whorl.model import Hashes
from whorl.sketches.rules import distinct

Way = Callable[[Hashes], Hashes]

# The clustering's V_i: one shingle in 16, or in fewer, so that 32 are left (``whorl.clustering.settings``).
COARSEST, LEAST = 16, 32

# The paper's one in 25.
PAPER = 25

# The proposal. 32 numbers a document are what a sketch has at the least; of three minima each, they find 98.6% of the
# pairs that resemble each other at 0.5, and 23% at 0.2.
SIZE, GROUPS = 3, 32

# Pairs at the threshold that must be found; and a size beyond which a short document's bins are nearly all borrowed.
SURE, LARGEST = 0.98, 8

# Bins that are asked for a loan before the first full bin of all gives it: of a document with ten shingles, that fills
# one bin in ten of 96, an empty bin finds none among so many once in 800 times.
DONORS = 64

NONE: Hashes = np.empty(0, np.uint64)


def runs(sketch: Hashes, size: int) -> Hashes:
    """The paper's super shingles: every run of ``size`` neighbours of a sorted sketch."""
    count = len(sketch) - size + 1
    return hasher(whorl.Key.PUBLIC, size).identity(sketch, np.arange(count)) if count > 0 else NONE


def level(hashes: Hashes, least: int = LEAST) -> int:
    """The modulus of the clustering's V_i."""
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
    """The meta-sketch: the least ``count`` of what a way posts."""
    return distinct(way(hashes))[:count]


def super_shingles_of(hashes: Hashes, size: int = SIZE, groups: int = GROUPS) -> Hashes:
    """Super shingles of min-wise values: ``size`` minima make one, and no minimum is in two.

    The range of the hashes is cut into ``size`` · ``groups`` bins, whose least members are as good as minima under as
    many permutations, for one pass. An empty bin borrows from one that a fixed random table names, the same in every
    document, so that documents with fewer shingles than bins are compared as well.
    """
    if not len(hashes):
        return NONE
    edges, donors = _bins(size * groups)
    places = np.searchsorted(hashes, edges)
    is_full = np.diff(places, append=len(hashes)) > 0
    chosen = np.arange(len(edges))
    empty = np.flatnonzero(~is_full)
    offers = is_full[donors[empty]]
    first = offers.argmax(1)
    chosen[empty] = np.where(offers.any(1), donors[empty, first], is_full.argmax())
    return distinct(hasher(whorl.Key.PUBLIC, size).identity(hashes[places[chosen]], np.arange(groups) * size))


def told(resemblance: float, size: int = SIZE, groups: int = GROUPS) -> float:
    """How probably two documents of any length share one of those: a minimum is common with probability r."""
    return 1 - (1 - resemblance**size) ** groups


def size_for(threshold: float, groups: int = GROUPS) -> int:
    """The largest size, up to 8, that finds pairs at the threshold surely enough."""
    return max([size for size in range(1, LARGEST + 1) if told(threshold, size, groups) >= SURE], default=1)


@lru_cache(maxsize=16)
def _bins(count: int) -> tuple[Hashes, NDArray[np.int64]]:
    """Where each bin begins, and for each the bins that it borrows from, in turn."""
    edges = np.array([(place << 64) // count for place in range(count)], np.uint64)
    return edges, np.random.default_rng(count).integers(count, size=(count, DONORS))


def ways(size: int = SIZE) -> dict[str, Way]:
    """Every way, at one size of a super shingle. Those that can be told how much to post get what is about equal."""
    return {
        "V_i": partial(of_level, size=size),
        "V_i and V_i+1": partial(of_two_levels, size=size),
        "V_i and all coarser": partial(of_all_levels, size=size),
        "MOD_25": partial(of_modulus, size=size, modulus=PAPER),
        "MIN_64": partial(of_least, size=size, count=2 * GROUPS),
        "bins": partial(super_shingles_of, size=size),
    }
