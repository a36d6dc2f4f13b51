"""Moments as the service's database keeps them: whole microseconds since 1970, in UTC, so that they compare exactly."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

# Gives the time; tests give their own.
Clock = Callable[[], datetime]

_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def stored(moment: datetime) -> int:
    """A moment as a row has it. It must name its time zone."""
    return (moment - _BEGIN) // _TICK


def stored_or_none(moment: datetime | None) -> int | None:
    """The same, for a moment that may be missing."""
    return None if moment is None else stored(moment)


def read(ticks: int) -> datetime:
    """A moment out of a row."""
    return _BEGIN + ticks * _TICK


def read_or_none(ticks: int | None) -> datetime | None:
    """The same, for a moment that may be missing."""
    return None if ticks is None else read(ticks)
