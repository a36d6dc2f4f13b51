"""Super shingles: shingles of the sorted sketch. Documents that share one probably resemble each other.

The paper's super shingles find neither containment (other shingles stand between the common ones) nor resemblance of
short documents (which have too few); ``detection_probability`` quantifies this. Clustering uses ``binned``: the same
number for every document, so short ones are found too. Measurements: docs/decisions/0014-clustering.md.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import distinct
from whorl.engine.sketches import Sketch
from whorl.errors import InputError, SketchError
from whorl.kernel import native_shingles
from whorl.model import Hashes


def super_shingles(sketch: Sketch, size: int) -> Hashes:
    """Return the identities of all runs of ``size`` neighbours in the sorted sketch; sorted, each once.

    Compare them only between sketches of one scheme, key, kind, size and, for V_i, level. A sketch with fewer than
    ``size`` hashes has none. The hashes are keyed already, so their runs use the public key.
    """
    if size < 1:
        raise SketchError(f"size: {size} is out of range; give 1 or more shingles per super shingle")
    runs = len(sketch) - size + 1
    if runs < 1:
        return np.empty(0, np.uint64)
    return distinct(hasher(Key.PUBLIC, size).identity(sketch.hashes, np.arange(runs)))


def detection_probability(resemblance: float, size: int, sample: int) -> float:
    """Return the probability that two documents of equal length share a super shingle, with ``sample`` hashes a sketch.

    Sort both sketches together. They share a super shingle where ``size`` neighbours are common to both: another
    shingle between them would divide the run in its sketch. Each of the n = 2 · sample / (1 + r) distinct hashes is
    common with probability r, so this is the probability of a run of ``size`` heads in n tosses: with q(n) for none,
    q(n) = q(n-1) - (1-r) · r^size · q(n-size-1).
    """
    if not 0 <= resemblance <= 1 or size < 1 or sample < 0:
        raise InputError("detection: resemblance must be between 0 and 1, size 1 or more, and sample 0 or more")
    tosses = round(2 * sample / (1 + resemblance))
    return 1 - _without_run(resemblance, size, tosses)


def _without_run(head: float, size: int, tosses: int) -> float:
    """Return the probability of no run of ``size`` heads."""
    if tosses < size:
        return 1.0
    run = head**size
    without = [1.0] * size + [1 - run]
    for n in range(size + 1, tosses + 1):
        without.append(without[n - 1] - (1 - head) * run * without[n - size - 1])
    return without[tosses]


# Super shingles of a document in clustering: at most the least number of values of a sketch. Of three minima each, they
# find 98.6% of the pairs that resemble each other at 0.5, and 23% at 0.2.
GROUPS = 32

# The share of pairs at the threshold that must be found; and a size beyond which a short document hardly fills a bin.
SURE, LARGEST = 0.98, 8

# Bins that an empty bin tries before it takes the first full one: if a document's ten shingles fill one bin in ten of
# 96, all these bins are empty once in 800 times.
DONORS = 64


def binned(
    hashes: Hashes, bounds: NDArray[np.int64], size: int, groups: int = GROUPS
) -> tuple[Hashes, NDArray[np.int64]]:
    """Return the super shingles of documents, and how many each has: ``groups``, or none if it has no shingle.

    The permuted shingles of each document are sorted, each once, one document after the other. Their range is divided
    into ``size`` · ``groups`` bins, whose minima replace those under as many permutations, in one pass. ``size`` of
    them make a super shingle. An empty bin takes the minimum of another, the same one in every document.
    """
    minima = native_shingles.minima(hashes, bounds, _donors(size * groups))
    hashed = hasher(Key.PUBLIC, size).identity(minima, np.arange(0, len(minima), size))
    ends = np.concatenate([[0], np.cumsum(np.where(np.diff(bounds) > 0, groups, 0))]).astype(np.int64)
    # Equal super shingles of one document count once.
    supers, ends = native_shingles.distinct(hashed, ends)
    return supers, np.diff(ends)


def binned_probability(resemblance: float, size: int, groups: int = GROUPS) -> float:
    """Return the probability that two documents share one: a minimum is common to both with probability r."""
    return float(1 - (1 - resemblance**size) ** groups)


def size_for(threshold: float, groups: int = GROUPS) -> int:
    """Return the largest number of minima a super shingle that still finds enough pairs at the threshold."""
    sizes = [size for size in range(1, LARGEST + 1) if binned_probability(threshold, size, groups) >= SURE]
    return max(sizes, default=1)


@lru_cache(maxsize=16)
def _donors(bins: int) -> NDArray[np.int64]:
    """Return for each bin the bins that it tries, in order, if it is empty."""
    return np.random.default_rng(bins).integers(bins, size=(bins, DONORS))
