"""The paper's theorem: resemblance and containment estimated from two sketches, with confidence intervals.

For V_i the theorem fixes i beforehand, but ours depends on how many hashes were kept. Estimates are therefore made at
the level of the *union's* sketch. That level depends on the union alone, all of whose elements count alike, so that
what was sampled from it is as good as drawn blindly: the estimates stay unbiased.
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from whorl.model import Hashes
from whorl.sketches.confidence import clopper_pearson
from whorl.sketches.faults import SketchError
from whorl.sketches.rules import NONE, Rule, admit, distinct, reduce
from whorl.sketches.sketch import Sketch, aligned


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure estimated from ``sample`` shingles, and the interval that holds the true one at the confidence asked.

    Without a sample nothing is known: ``value`` is not a number and the interval is all of 0 to 1. If both sketches
    have every shingle, the value is exact and the interval is that value.
    """

    value: float
    low: float
    high: float
    sample: int


def estimate_resemblance(first: Sketch, second: Sketch, confidence: float = 0.95) -> Estimate:
    """The resemblance of two documents, from their sketches."""
    common, level = aligned(first, second)
    union = distinct(np.concatenate([first.hashes, second.hashes]))
    is_exact = first.is_complete and second.is_complete
    if not is_exact:
        _, union = reduce(common, union, level)
    shared = _shared(first, second)
    matched = len(shared) if is_exact else int(np.isin(shared, union, assume_unique=True).sum())
    return _estimate(matched, len(union), is_exact, confidence)


def estimate_containment(first: Sketch, second: Sketch, confidence: float = 0.95) -> Estimate:
    """The containment of the first document in the second, from their sketches.

    A few samples are left of a document that is far shorter than the other: the interval says so.
    """
    common, level = aligned(first, second)
    if first.kind == "min":
        raise SketchError(
            "containment: the smallest hashes tell resemblance alone; make sketches of kind mod, adaptive"
        )
    is_exact = not first.shingles or (first.is_complete and second.is_complete)
    if not is_exact:
        level = _union_level(first, second, common, level)
    matched = admit(common, _shared(first, second), NONE, level)
    return _estimate(len(matched), len(admit(common, first.hashes, NONE, level)), is_exact, confidence)


def _shared(first: Sketch, second: Sketch) -> Hashes:
    shared: Hashes = np.intersect1d(first.hashes, second.hashes, assume_unique=True)
    return shared


def _union_level(first: Sketch, second: Sketch, common: Rule, level: int) -> int:
    return reduce(common, distinct(np.concatenate([first.hashes, second.hashes])), level)[0]


def _estimate(matched: int, sample: int, is_exact: bool, confidence: float) -> Estimate:
    low, high = clopper_pearson(matched, sample, confidence)
    if is_exact:
        # Nothing is contained in everything, and resembles nothing else.
        value = matched / sample if sample else 1.0
        return Estimate(value, value, value, sample)
    return Estimate(matched / sample if sample else nan, low, high, sample)
