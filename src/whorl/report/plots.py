"""The numbers behind the pictures of the overview: labels, points of the timeline."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from whorl.comparison.result import Comparison, Submission

# Ticks on the timeline's axis of dates: as many as have room for their text.
TICKS = 5


@dataclass(frozen=True, slots=True)
class Point:
    """A pair in the timeline: ``x`` from 0 to 1 by the later date."""

    pair: int
    x: float
    score: float
    date: str
    label: int | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Points, and dates to write below them with their places from 0 to 1."""

    points: tuple[Point, ...]
    ticks: tuple[tuple[float, str], ...]


def labels(submissions: Iterable[Submission]) -> dict[str, int]:
    """The labels, numbered: those that most submissions have come first, for they get the colours."""
    counts: dict[str, int] = {}
    for submission in submissions:
        if submission.label:
            counts[submission.label] = counts.get(submission.label, 0) + 1
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    return {label: number for number, label in enumerate(ordered)}


def timeline(comparison: Comparison, numbers: Mapping[str, int]) -> Timeline | None:
    """Pairs by the date of the later one; None if fewer than two dates differ. A date that is none is left out."""
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
        Point(number, (date - first).total_seconds() / span, comparison.pairs[number].score, f"{date:%Y-%m-%d}", label)
        for number, date in dated
        for label in [_label(comparison, number, numbers)]
    )
    ticks = ((i / (TICKS - 1), first + (last - first) * i / (TICKS - 1)) for i in range(TICKS))
    return Timeline(points, tuple((x, f"{date:%Y-%m-%d}") for x, date in ticks))


def _date(submission: Submission) -> datetime | None:
    """The date, read as local time if it names no zone; None if there is none, or no date of ISO 8601."""
    try:
        return datetime.fromisoformat(submission.date or "").astimezone()
    except (ValueError, OverflowError):
        return None


def _label(comparison: Comparison, number: int, numbers: Mapping[str, int]) -> int | None:
    """The label of a pair, by number: the one that both sides have."""
    pair = comparison.pairs[number]
    left, right = comparison.submissions[pair.left].label, comparison.submissions[pair.right].label
    return numbers[left] if left and left == right else None
