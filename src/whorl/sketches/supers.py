"""Super shingles: shingles of the sorted sketch. One in common says that two documents probably resemble each other.

The paper's find neither containment (other shingles stand between the common ones) nor resemblance of short documents
(which have too few): the paper says so, and ``detection_probability`` says how much. ``binned`` makes those that
clustering uses: as many of every document, whatever its length, so short ones are found as well. What was measured:
docs/decisions/0014-clustering.md.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.errors import InputError
from whorl.hashing.hasher import hasher
from whorl.hashing.key import Key
from whorl.model import Hashes
from whorl.sketches.faults import SketchError
from whorl.sketches.rules import distinct
from whorl.sketches.sketch import Sketch


def super_shingles(sketch: Sketch, size: int) -> Hashes:
    """The meta-sketch: the identities of all runs of ``size`` neighbours in the sorted sketch; sorted, each once.

    They are compared between sketches of one scheme, key, kind, size and, of V_i, level only. A sketch with fewer than
    ``size`` hashes has none. The hashes are keyed already, so the public key serves for their runs.
    """
    if size < 1:
        raise SketchError(f"size: {size} is out of range; give 1 or more shingles a super shingle")
    runs = len(sketch) - size + 1
    if runs < 1:
        return np.empty(0, np.uint64)
    return distinct(hasher(Key.PUBLIC, size).identity(sketch.hashes, np.arange(runs)))


def detection_probability(resemblance: float, size: int, sample: int) -> float:
    """How probably two documents of equal length share a super shingle, if each sketch has ``sample`` hashes.

    Sort both sketches together. They share a super shingle where ``size`` neighbours are common to both: another
    shingle between them would part the run in the sketch that has it. Each of the n = 2 · sample / (1 + r) different
    hashes is common with probability r, so it is the probability of a run of ``size`` heads in n tosses:
    with q(n) for none, q(n) = q(n-1) - (1-r) · r^size · q(n-size-1).
    """
    if not 0 <= resemblance <= 1 or size < 1 or sample < 0:
        raise InputError("detection: resemblance must lie between 0 and 1, size be 1 or more, and sample not negative")
    tosses = round(2 * sample / (1 + resemblance))
    return 1 - _without_run(resemblance, size, tosses)


def _without_run(head: float, size: int, tosses: int) -> float:
    """The probability of no run of ``size`` heads."""
    if tosses < size:
        return 1.0
    run = head**size
    without = [1.0] * size + [1 - run]
    for n in range(size + 1, tosses + 1):
        without.append(without[n - 1] - (1 - head) * run * without[n - size - 1])
    return without[tosses]


# Super shingles of a document that clustering makes: no more than a sketch has values at the least. Of three minima
# each, they find 98.6% of the pairs that resemble each other at 0.5, and 23% at 0.2.
GROUPS = 32

# Of pairs at the threshold, the share that must be found; and a size beyond which a short document has hardly a bin of
# its own.
SURE, LARGEST = 0.98, 8

# Bins that are asked for a loan before the first full one gives it: of a document with ten shingles, which fill one bin
# in ten of 96, an empty bin finds none among so many once in 800 times.
DONORS = 64


def binned(
    hashes: Hashes, bounds: NDArray[np.int64], size: int, groups: int = GROUPS
) -> tuple[Hashes, NDArray[np.int64]]:
    """Super shingles of documents whose permuted shingles, sorted, each once, lie one after the other, and how many
    each document has: ``groups``, or none if it has no shingle.

    The range of the hashes is cut into ``size`` · ``groups`` bins, whose least members are as good as the minima under
    as many permutations, for one pass. ``size`` of them make a super shingle. An empty bin borrows from another, the
    same in every document.
    """
    minima = kernel.shingles().minima(hashes, bounds, _donors(size * groups))
    made = hasher(Key.PUBLIC, size).identity(minima, np.arange(0, len(minima), size))
    ends = np.concatenate([[0], np.cumsum(np.where(np.diff(bounds) > 0, groups, 0))]).astype(np.int64)
    # Two groups of one document that happen to be the same count once.
    found, ends = kernel.shingles().distinct(made, ends)
    return found, np.diff(ends)


def binned_probability(resemblance: float, size: int, groups: int = GROUPS) -> float:
    """How probably two documents share one of those: a minimum is common to both with probability r."""
    return float(1 - (1 - resemblance**size) ** groups)


def size_for(threshold: float, groups: int = GROUPS) -> int:
    """The largest number of minima a super shingle that finds pairs at the threshold surely enough."""
    sizes = [size for size in range(1, LARGEST + 1) if binned_probability(threshold, size, groups) >= SURE]
    return max(sizes, default=1)


@lru_cache(maxsize=16)
def _donors(bins: int) -> NDArray[np.int64]:
    """For each bin those that it borrows from, in turn."""
    return np.random.default_rng(bins).integers(bins, size=(bins, DONORS))
