"""Pairs by their score: the bars of a histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

# Counts that differ by more than this factor cannot be seen beside each other on a plain scale.
LOG_FROM = 50

# The height of the histogram, in units of its picture.
HEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Bar:
    """So many pairs have a score from ``start`` percent on."""

    start: int
    count: int
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars, and whether their heights are logarithms."""

    bars: tuple[Bar, ...]
    logarithmic: bool
    largest: int
    total: int


def histogram(scores: Sequence[int]) -> Histogram:
    """One bar for each hundredth that has pairs."""
    counts = [count for count in scores if count]
    largest = max(counts, default=0)
    logarithmic = largest > LOG_FROM * min(counts, default=1)
    bars = tuple(Bar(i, count, _height(count, largest, logarithmic)) for i, count in enumerate(scores) if count)
    return Histogram(bars, logarithmic, largest, sum(counts))


def _height(count: int, largest: int, logarithmic: bool) -> float:
    share = log1p(count) / log1p(largest) if logarithmic else count / largest
    return round(HEIGHT * share, 2)
