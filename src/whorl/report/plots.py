"""The plots of a report: histogram, timeline and cluster sizes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import ceil, log1p, log10
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from whorl.comparison.result import Comparison, Submission
from whorl.report import words

# Ratio of the largest to the smallest count from which on the scale is logarithmic.
LOG_FROM = 50

# Height of the highest bar, in units of the picture.
BAR_HEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """The number of pairs with a score from ``start`` percent on."""

    start: int
    count: int
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """The bars of a histogram, on a log scale if ``logarithmic``."""

    bars: tuple[HistogramBar, ...]
    logarithmic: bool
    largest: int
    total: int


def histogram(scores: Sequence[int]) -> Histogram:
    """Return a bar for each hundredth that has pairs."""
    counts = [count for count in scores if count]
    largest = max(counts, default=0)
    logarithmic = largest > LOG_FROM * min(counts, default=1)
    bars = tuple(
        HistogramBar(i, count, _height(count, largest, logarithmic)) for i, count in enumerate(scores) if count
    )
    return Histogram(bars, logarithmic, largest, sum(counts))


def _height(count: int, largest: int, logarithmic: bool) -> float:
    share = log1p(count) / log1p(largest) if logarithmic else count / largest
    return round(BAR_HEIGHT * share, 2)


# Maximum number of bars of a histogram of lengths.
LENGTH_BARS = 40


RECTANGLE = Markup('<rect{} data-from="{}" x="{}" width="0.88" y="{}" height="{}"><title>{}{}: {}</title></rect>')


class BinnedHistogram(NamedTuple):
    """A histogram of whole numbers: each bar has ``step`` of them, and its number times the step is the first."""

    histogram: Histogram
    step: int
    bars: int

    def bar(self, value: int) -> int:
        """Return the bar of a number; the last bar has all larger ones."""
        return min(value // self.step, self.bars - 1)

    def span(self, bar: int) -> str:
        """Return the numbers of a bar: 20–39, or 7 if it has one only."""
        first, last = bar * self.step, (bar + 1) * self.step - 1
        return f"{first:,}–{last:,}" if last > first else f"{first:,}"

    def rectangles(self, unit: str, bar: int | None) -> Markup:
        """Return the bars as markup; all but ``bar`` are pale, if it is given."""
        return _rectangles(self, unit, bar)


@lru_cache(maxsize=128)
def _rectangles(plot: BinnedHistogram, unit: str, bar: int | None) -> Markup:
    """The pages of all submissions have the same few histograms."""
    return Markup("\n").join(
        RECTANGLE.format(
            Markup(' class="others"') if bar is not None and each.start != bar else "",
            each.start * plot.step, each.start + 0.06, 100 - each.height, each.height,
            plot.span(each.start), unit, words.counted(each.count, "submission"),
        )
        for each in plot.histogram.bars
    )  # fmt: skip


def length_histogram(lengths: Sequence[int]) -> BinnedHistogram:
    """Return a histogram whose step is 1, 2 or 5 times a power of ten."""
    longest = max(lengths, default=0)
    steps = (digit * 10**power for power in range(20) for digit in (1, 2, 5))
    step = next(step for step in steps if longest < LENGTH_BARS * step)
    return _binned(lengths, step, longest // step + 1)


# Width of a bar in a histogram of the scores of submissions, in percent.
SCORE_STEP = 5


def percent_histogram(percents: Sequence[int]) -> BinnedHistogram:
    """Return a histogram of whole percents; 100 is in the last bar."""
    return _binned(percents, SCORE_STEP, 100 // SCORE_STEP)


def _binned(values: Sequence[int], step: int, bars: int) -> BinnedHistogram:
    counts = [0] * bars
    for value in values:
        counts[min(value // step, bars - 1)] += 1
    return BinnedHistogram(histogram(counts), step, bars)


# A date at the beginning of a text, with or without the time.
DATE = re.compile(r"^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d)?")

# Number of dates on the timeline's axis.
TICKS = 5


@dataclass(frozen=True, slots=True)
class TimelinePoint:
    """A pair in the timeline; ``x`` is its later date, from 0 to 1."""

    pair: int
    x: float
    score: float
    date: str
    label: int | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """The points, and the dates of the axis with their positions from 0 to 1."""

    points: tuple[TimelinePoint, ...]
    ticks: tuple[tuple[float, str], ...]


def labels(submissions: Iterable[Submission]) -> dict[str, int]:
    """Number the labels, most frequent first: these get the colours."""
    counts: dict[str, int] = {}
    for submission in submissions:
        if submission.label:
            counts[submission.label] = counts.get(submission.label, 0) + 1
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    return {label: number for number, label in enumerate(ordered)}


def timeline(comparison: Comparison, numbers: Mapping[str, int]) -> Timeline | None:
    """Return the pairs by their later date; None with fewer than two distinct dates. Skip invalid dates."""
    dates = [_date(submission) for submission in comparison.submissions]
    dated = []
    for number, pair in enumerate(comparison.pairs):
        known = [date for date in (dates[pair.left], dates[pair.right]) if date is not None]
        if known:
            dated.append((number, max(known)))
    if len({date for _, date in dated}) < 2:
        return None
    first, last = min(date for _, date in dated), max(date for _, date in dated)
    span = (last - first).total_seconds()
    points = tuple(
        TimelinePoint(
            number, (date - first).total_seconds() / span, comparison.pairs[number].score, f"{date:%Y-%m-%d}", label
        )
        for number, date in dated
        for label in [_pair_label(comparison, number, numbers)]
    )
    ticks = ((i / (TICKS - 1), first + (last - first) * i / (TICKS - 1)) for i in range(TICKS))
    return Timeline(points, tuple((x, f"{date:%Y-%m-%d}") for x, date in ticks))


class DateSpan(NamedTuple):
    """The first and the last day of some submissions, and the place of each date between them, from 0 to 1; None for
    submissions without a valid date."""

    first: str
    last: str
    places: tuple[float | None, ...]


def date_span(submissions: Iterable[Submission]) -> DateSpan | None:
    """Return the places of the dates; None with fewer than two distinct ones."""
    dates = [_date(submission) for submission in submissions]
    known = [date for date in dates if date is not None]
    if len(set(known)) < 2:
        return None
    first, last = min(known), max(known)
    places = (None if date is None else (date - first) / (last - first) for date in dates)
    return DateSpan(f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}", tuple(places))


def day(submission: Submission) -> str:
    """Return the day of a submission in ISO 8601, as its date has it; empty if that is missing or invalid."""
    return f"{date:%Y-%m-%d}" if (date := _written_date(submission)) is not None else ""


def _date(submission: Submission) -> datetime | None:
    """Return the date, in local time if it has no zone; None if it is missing or invalid."""
    date = _written_date(submission)
    try:
        return None if date is None else date.astimezone()
    except (ValueError, OverflowError):
        return None


def _written_date(submission: Submission) -> datetime | None:
    """Return the date in ISO 8601, or the beginning of a text that is: course systems write names of zones, which are
    ignored, and nanoseconds."""
    for text in (submission.date or "", *DATE.findall(submission.date or "")):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            continue
    return None


def _pair_label(comparison: Comparison, number: int, numbers: Mapping[str, int]) -> int | None:
    """Return the number of the label that both sides of a pair have, or None."""
    pair = comparison.pairs[number]
    left, right = comparison.submissions[pair.left].label, comparison.submissions[pair.right].label
    return numbers[left] if left and left == right else None


# Size of the plot of sizes: its text stays readable on a phone, at three quarters of the size.
PLOT_WIDTH, PLOT_HEIGHT = 480, 260
# Margins for labels.
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 42

# Maximum number of decades of an axis with ticks at 2 and 5 between the powers of ten.
FINE_DECADES = 2


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled value on an axis."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The number of clusters of one size."""

    x: float
    y: float
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class SizeRange:
    """The clusters of sizes from ``first`` to ``last``, and their documents."""

    first: int
    last: int
    clusters: int
    documents: int


@dataclass(frozen=True, slots=True)
class SizePlot:
    """Cluster sizes on log scales, as points and, for screen readers, in ranges."""

    points: tuple[SizePoint, ...]
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    ranges: tuple[SizeRange, ...]
    width: int = PLOT_WIDTH
    height: int = PLOT_HEIGHT
    left: int = LEFT
    right: int = PLOT_WIDTH - RIGHT
    top: int = TOP
    bottom: int = PLOT_HEIGHT - BOTTOM


class _Axis:
    """A logarithmic axis from 1 to the power of ten at or above a value."""

    def __init__(self, start: float, end: float, largest: int) -> None:
        self._start, self._length = start, end - start
        self._decades = max(1, ceil(log10(largest)))

    def place(self, value: int) -> float:
        return round(self._start + self._length * log10(value) / self._decades, 1)

    def ticks(self) -> tuple[Tick, ...]:
        steps = (1, 2, 5) if self._decades <= FINE_DECADES else (1,)
        # Beyond seven powers of ten, label every second one.
        powers = range(0, self._decades + 1, 1 + self._decades // 8)
        values = [step * 10**power for power in powers for step in steps]
        return tuple(Tick(self.place(value), _brief(value)) for value in values if value <= 10**self._decades)


def _brief(value: int) -> str:
    """Format a value briefly for an axis: 1, 20, 500, 1k, 50k, 1M."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            return f"{value // unit}{name}"
    return str(value)


def sizes_plot(sizes: NDArray[np.int64]) -> SizePlot | None:
    """Return the number of clusters of each size; None without clusters. Draw coinciding points once."""
    if not len(sizes):
        return None
    values, counts = np.unique(sizes, return_counts=True)
    x = _Axis(LEFT, PLOT_WIDTH - RIGHT, int(values[-1]))
    y = _Axis(PLOT_HEIGHT - BOTTOM, TOP, int(counts.max()))
    points: dict[tuple[int, int], SizePoint] = {}
    for size, count in zip(values.tolist(), counts.tolist(), strict=True):
        point = SizePoint(x.place(size), y.place(count), size, count)
        points.setdefault((round(point.x), round(point.y)), point)
    return SizePlot(tuple(points.values()), x.ticks(), y.ticks(), _ranges(values, counts))


def _ranges(values: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[SizeRange, ...]:
    """Return the non-empty size ranges 2, 3 to 4, 5 to 8, and so on."""
    ranges = []
    last = 2
    while last < 2 * int(values[-1]):
        first = last // 2 + 1
        inside = (values >= first) & (values <= last)
        if inside.any():
            clusters, documents = int(counts[inside].sum()), int((counts * values)[inside].sum())
            ranges.append(SizeRange(first, last, clusters, documents))
        last *= 2
    return tuple(ranges)


def tenths(hundredths: NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
    """Return the non-empty tenths of a histogram of hundredths, with 100% apart."""
    spans = [(f"{start}–{start + 9}%", int(hundredths[start : start + 10].sum())) for start in range(0, 100, 10)]
    return tuple((name, count) for name, count in [*spans, ("100%", int(hundredths[100]))] if count)


def share(value: float, largest: float) -> float:
    """Return the width of a bar, in percent of the largest."""
    return round(100 * value / largest, 2) if largest > 0 else 0.0
