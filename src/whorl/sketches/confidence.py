"""Confidence intervals of a proportion: Clopper and Pearson's.

It is the one interval whose coverage is never below what is claimed, at any proportion and any size of the sample.
Wilson's is narrower and falls short where resemblances near 1 are, which is where decisions are taken.
"""

from math import exp, lgamma, log

from whorl.errors import InputError

# Halvings of [0, 1]: after these the bounds are exact to one in a thousand million, far below what a sample tells.
HALVINGS = 30

# Of Lentz's algorithm: when a factor is as good as 1, and what stands in for a zero that it would divide by.
ENOUGH, TINY = 1e-15, 1e-300


def clopper_pearson(matched: int, sample: int, confidence: float) -> tuple[float, float]:
    """The proportions that ``matched`` of ``sample`` does not contradict at this confidence."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence: {confidence} is out of range; give a number between 0 and 1, such as 0.95")
    if sample == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if matched == 0 else _quantile(tail, matched, sample - matched + 1)
    high = 1.0 if matched == sample else _quantile(1 - tail, matched + 1, sample - matched)
    return low, high


def _quantile(share: float, a: int, b: int) -> float:
    """Where the beta distribution has this share below it."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beta(middle, a, b) < share else (low, middle)
    return (low + high) / 2


def beta(x: float, a: int, b: int) -> float:
    """The regularised incomplete beta function I_x(a, b), for x strictly between 0 and 1."""
    # The continued fraction converges fast below the mean; above it, the function is mirrored.
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: int, b: int) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's algorithm.

    It takes about as many steps as the root of the sample is large; the bound only stops a fault.
    """
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 100 + a + b):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            total *= d * c
        if abs(d * c - 1) < ENOUGH:
            break
    return total


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
