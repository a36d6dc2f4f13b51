"""Dated sweeps over a collection: lost and found, how pages change, which pages hold a version of a document.

After Broder, Glassman, Manasse and Zweig (1997), "Web-based applications". A sweep is one dated pass over a collection.
Only new content is sketched, and merged into the existing clusters.

This module has the settings of a sweep, and reads and writes dates.
"""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from whorl.clustering import ClusterSettings
from whorl.errors import InputError
from whorl.scheme import Scheme

# Characters of a day.
DAY = 10

SECONDS_A_DAY = 86_400


# A day or a moment: as a text, or as an object of ``datetime``.
When: TypeAlias = str | date


def normalise(when: When) -> str:
    """Return a day as ``2026-01-31``, or a moment in UTC as ``2026-01-31T12:00:00Z``. The default zone is UTC."""
    if not isinstance(when, str | date):
        raise InputError(f"date: {when!r} is no date, but {type(when).__name__}; give a text such as '2026-01-31'")
    text = when if isinstance(when, str) else when.isoformat()
    try:
        if "T" not in text and " " not in text:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{text!r} is not a date: write 2026-01-31 or 2026-01-31T12:00:00Z") from error
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def day(text: str) -> str:
    """Return the day of a date."""
    return normalise(text)[:DAY]


def is_until(when: str, limit: str | None) -> bool:
    """Return whether a date is not after a limit. The moments of a day are not after that day."""
    return limit is None or when[: len(limit)] <= limit


def days(first: str, last: str) -> float:
    """Return the days from one date to another. A day begins at midnight."""
    return (_moment(last) - _moment(first)).total_seconds() / SECONDS_A_DAY


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


# The settings that decide which documents are similar. The others of a clustering limit the cost of a run.
FIXED = ("threshold", "measure", "common", "closure", "modulus", "least")


def checked(options: Mapping[str, Any]) -> ClusterSettings:
    """Return the settings of a new store, checked."""
    unknown = sorted(set(options) - set(FIXED))
    if unknown:
        raise InputError(f"{', '.join(unknown)}: not a setting of sweeps; choose from {', '.join(FIXED)}")
    return ClusterSettings.of(options)


def to_json(settings: ClusterSettings) -> str:
    """Encode the fixed settings for the store."""
    return json.dumps({name: getattr(settings, name) for name in FIXED}, sort_keys=True)


def from_json(text: str) -> ClusterSettings:
    """Decode the settings of a store."""
    return ClusterSettings(**json.loads(text))


def check_same(settings: ClusterSettings, options: Mapping[str, Any]) -> None:
    """Refuse settings that differ from those of an existing store."""
    for name, value in options.items():
        if getattr(settings, name) != value:
            _refuse(name, value, getattr(settings, name))


def check_scheme(scheme: Scheme, requested: Scheme) -> None:
    """Refuse a scheme that differs from the one of an existing store."""
    if scheme.id != requested.id:
        _refuse("scheme", requested.id, scheme.id)


def _refuse(name: str, requested: object, fixed: object) -> None:
    raise InputError(
        f"{name}: {requested} was asked for, but these sweeps use {fixed}, which is fixed when they are created; leave "
        "it out, or create another store"
    )
