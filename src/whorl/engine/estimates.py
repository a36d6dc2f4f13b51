"""Estimate resemblance and containment from two sketches, with confidence intervals.

For V_i the paper's theorem fixes i beforehand, but our level depends on the size of the sample. Estimates therefore use
the level of the *union's* sketch. It depends on the union alone, in which all elements count alike, so the estimates
stay unbiased.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, nan

import numpy as np

from whorl.engine.sampling import NONE, Rule, admit, distinct, reduce
from whorl.engine.sketches import Sketch, aligned
from whorl.errors import InputError, SketchError
from whorl.model import Hashes

# Halvings of [0, 1]: the bounds are then exact to one in a thousand million, far below the error of a sample.
HALVINGS = 30

# Of Lentz's algorithm: how near to 1 a factor ends it, and the replacement of a zero divisor.
ENOUGH, TINY = 1e-15, 1e-300


def clopper_pearson(matched: int, sample: int, confidence: float) -> tuple[float, float]:
    """Return the interval of proportions that fit ``matched`` of ``sample`` at this confidence.

    Its coverage is never below the confidence, at any proportion and sample size. Wilson's interval is narrower, and
    falls short for resemblances near 1, where decisions are made.
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence: {confidence} is out of range; give a number between 0 and 1, such as 0.95")
    if sample == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if matched == 0 else _quantile(tail, matched, sample - matched + 1)
    high = 1.0 if matched == sample else _quantile(1 - tail, matched + 1, sample - matched)
    return low, high


@lru_cache(maxsize=1 << 12)  # the hits of a search have few sizes of samples between them
def _quantile(share: float, a: int, b: int) -> float:
    """Return the quantile of the beta distribution."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beta(middle, a, b) < share else (low, middle)
    return (low + high) / 2


def beta(x: float, a: int, b: int) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for x strictly between 0 and 1."""
    # The continued fraction converges fast below the mean; above it, use the mirrored function.
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: int, b: int) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's algorithm.

    It takes about as many steps as the square root of the sample; the bound guards against endless loops.
    """
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or TINY)
    total = d
    for m in range(1, 100 + a + b):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + even * d or TINY)
        c = 1 + even / c or TINY
        total *= d * c
        d = 1 / (1 + odd * d or TINY)
        c = 1 + odd / c or TINY
        factor = d * c
        total *= factor
        if abs(factor - 1) < ENOUGH:
            break
    return total


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure estimated from ``sample`` shingles, and its confidence interval.

    Without a sample, ``value`` is not a number and the interval is 0 to 1. If both sketches have every shingle, the
    value is exact and the interval is that value.
    """

    value: float
    low: float
    high: float
    sample: int


def estimate_resemblance(first: Sketch, second: Sketch, confidence: float = 0.95) -> Estimate:
    """Estimate the resemblance of two documents from their sketches."""
    common, level = aligned(first, second)
    union = distinct(np.concatenate([first.hashes, second.hashes]))
    is_exact = first.is_complete and second.is_complete
    if not is_exact:
        _, union = reduce(common, union, level)
    shared = _shared(first, second)
    matched = len(shared) if is_exact else int(np.isin(shared, union, assume_unique=True).sum())
    return _estimate(matched, len(union), is_exact, confidence)


def estimate_containment(first: Sketch, second: Sketch, confidence: float = 0.95) -> Estimate:
    """Estimate the containment of the first document in the second from their sketches.

    If the first is far shorter than the second, few samples are left and the interval is wide.
    """
    common, level = aligned(first, second)
    if first.kind == "min":
        raise SketchError(
            "containment: sketches of kind min estimate resemblance only; make sketches of kind mod or adaptive"
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
        # The empty set is contained in every set, and resembles itself.
        value = matched / sample if sample else 1.0
        return Estimate(value, value, value, sample)
    return Estimate(matched / sample if sample else nan, low, high, sample)
