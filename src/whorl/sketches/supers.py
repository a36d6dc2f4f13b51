"""Super shingles: shingles of the sorted sketch. One in common says that two documents probably resemble each other.

They find neither containment (other shingles stand between the common ones) nor resemblance of short documents (which
have too few): the paper says so, and ``detection_probability`` says how much.
"""

import numpy as np

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
