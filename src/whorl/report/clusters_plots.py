"""The numbers behind the pictures of a clustering's summary: points of the cluster sizes, bars of kinds and phases."""

from dataclasses import dataclass
from math import ceil, log10

import numpy as np
from numpy.typing import NDArray

# The picture of sizes: so large that its text can be read on a phone, where it is drawn at three quarters.
WIDTH, HEIGHT = 480, 260
# Room for what is written at the left, at the right, above and below.
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 42

# On an axis of no more decades than this there is room for 2 and 5 between the powers of ten.
FINE_DECADES = 2


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis, and its place."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Point:
    """So many clusters have this size."""

    x: float
    y: float
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class Range:
    """Clusters of a size from ``first`` to ``last``, and the documents in them."""

    first: int
    last: int
    clusters: int
    documents: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Cluster sizes on logarithmic scales, as points and, for who cannot see them, in ranges."""

    points: tuple[Point, ...]
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    ranges: tuple[Range, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


class _Axis:
    """A logarithmic axis from 1 to the power of ten at or above a value."""

    def __init__(self, start: float, end: float, largest: int) -> None:
        self._start, self._length = start, end - start
        self._decades = max(1, ceil(log10(largest)))

    def place(self, value: int) -> float:
        return round(self._start + self._length * log10(value) / self._decades, 1)

    def ticks(self) -> tuple[Tick, ...]:
        steps = (1, 2, 5) if self._decades <= FINE_DECADES else (1,)
        # Beyond seven powers of ten every second one has room.
        powers = range(0, self._decades + 1, 1 + self._decades // 8)
        values = [step * 10**power for power in powers for step in steps]
        return tuple(Tick(self.place(value), _brief(value)) for value in values if value <= 10**self._decades)


def _brief(value: int) -> str:
    """1, 20, 500, 1k, 50k, 1M: what has room on an axis."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            return f"{value // unit}{name}"
    return str(value)


def sizes_plot(sizes: NDArray[np.int64]) -> Sizes | None:
    """How many clusters have each size; None without clusters. Sizes that fall on one spot are drawn once."""
    if not len(sizes):
        return None
    values, counts = np.unique(sizes, return_counts=True)
    x = _Axis(LEFT, WIDTH - RIGHT, int(values[-1]))
    y = _Axis(HEIGHT - BOTTOM, TOP, int(counts.max()))
    points: dict[tuple[int, int], Point] = {}
    for size, count in zip(values.tolist(), counts.tolist(), strict=True):
        point = Point(x.place(size), y.place(count), size, count)
        points.setdefault((round(point.x), round(point.y)), point)
    return Sizes(tuple(points.values()), x.ticks(), y.ticks(), _ranges(values, counts))


def _ranges(values: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[Range, ...]:
    """2, 3 to 4, 5 to 8, and so on by doubling; those without clusters are left out."""
    found = []
    last = 2
    while last < 2 * int(values[-1]):
        first = last // 2 + 1
        inside = (values >= first) & (values <= last)
        if inside.any():
            clusters, documents = int(counts[inside].sum()), int((counts * values)[inside].sum())
            found.append(Range(first, last, clusters, documents))
        last *= 2
    return tuple(found)


def tenths(hundredths: NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
    """A histogram of hundredths in words: each tenth that is not empty, and 100% apart."""
    spans = [(f"{start}–{start + 9}%", int(hundredths[start : start + 10].sum())) for start in range(0, 100, 10)]
    return tuple((name, count) for name, count in [*spans, ("100%", int(hundredths[100]))] if count)


def share(value: float, largest: float) -> float:
    """The width of a bar, in hundredths of the largest."""
    return round(100 * value / largest, 2) if largest > 0 else 0.0
