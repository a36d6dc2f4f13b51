"""Dates of sweeps: a day or a moment, as ISO 8601 writes them, so that they sort as text."""

from datetime import UTC, date, datetime

from whorl.errors import InputError

# Characters of a day.
DAY = 10

SECONDS_A_DAY = 86_400


def normal(text: str) -> str:
    """A day as ``2026-01-31``, a moment in UTC as ``2026-01-31T12:00:00Z``. Without a zone it is UTC."""
    try:
        if "T" not in text and " " not in text:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{text!r} is no date: give one such as 2026-01-31 or 2026-01-31T12:00:00Z") from error
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def day(text: str) -> str:
    """The day of a date."""
    return normal(text)[:DAY]


def is_until(when: str, limit: str | None) -> bool:
    """Whether a date is not after a limit; the moments of a day are not after that day."""
    return limit is None or when[: len(limit)] <= limit


def days(first: str, last: str) -> float:
    """Days from one date to another; a day begins at midnight."""
    return (_moment(last) - _moment(first)).total_seconds() / SECONDS_A_DAY


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
