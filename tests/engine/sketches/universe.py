"""Small sketches made by hand, and pairs of sets whose resemblance is known."""

from collections import Counter
from functools import cache
from itertools import permutations

import numpy as np

from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct, reduce, rule
from whorl.engine.sketches import Sketch
from whorl.scheme import preset

# Two sets that share one of five elements; a set in a larger one, and the other way round.
PAIRS = [({0, 1, 2}, {2, 3, 4}), ({0, 1}, {0, 1, 2, 3, 4}), ({0, 1, 2, 3}, {3})]

# One element more than the sets have: 720 permutations.
UNIVERSE = 6


def by_hand(values, kind, size, scheme="scheme", key="key"):
    """The sketch of these hashes, which are taken as permuted already."""
    hashes = distinct(np.array(sorted(values), np.uint64))
    level, sample = reduce(rule(kind, size), hashes)
    return Sketch(kind, size, level, scheme, key, len(hashes), sample)


def every_permutation(kind, size, first, second):
    """The two sketches that permutations of the universe give, and how many of them give these."""
    images = Counter(
        tuple(frozenset(order[x] for x in each) for each in (first, second)) for order in permutations(range(UNIVERSE))
    )
    for pair, count in images.items():
        yield *(by_hand(each, kind, size) for each in pair), count


def keys(count, seed):
    """Keys that are the same in every run."""
    drawn = np.random.default_rng(seed)
    return [Key(drawn.bytes(16)) for _ in range(count)]


@cache
def web(key):
    """The preset for web pages under a key."""
    return preset("web").with_key(key.id)


def overlapping(common, first_only, second_only):
    """Identities of two sets, as unlike random numbers as can be: 0, 1, 2, …"""
    first = np.arange(common + first_only, dtype=np.uint64)
    second = np.concatenate([first[:common], np.arange(second_only, dtype=np.uint64) + np.uint64(len(first))])
    return first, second
