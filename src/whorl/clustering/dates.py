"""Dates of documents as moments: ISO 8601 in its usual forms, and numbers of seconds since 1970."""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.result import Clustering

# Groups: year, month, day, hour, minute, second, fraction, zone.
_TIME = r"(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?"
_ZONE = r" ?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?"
_ISO = re.compile(rf"(\d{{4}})(?:-(\d\d)(?:-(\d\d)(?:[Tt ]{_TIME}{_ZONE})?)?)?", re.ASCII)
# The same without hyphens. Six digits alone are no date of ISO 8601: they could be a year and a month, or a day.
_BASIC = re.compile(rf"(\d{{4}})(\d\d)(\d\d)(?:[Tt]{_TIME}{_ZONE})?", re.ASCII)
# Not of any length: Python refuses to convert thousands of digits.
_NUMBER = re.compile(r"([+-]?)(\d{1,18})(?:\.(\d{1,18}))?", re.ASCII)

# The first of January 1970, as ``date`` counts days.
_EPOCH = date(1970, 1, 1).toordinal()


class Moment(NamedTuple):
    """Whole seconds since 1970 in UTC, and the digits of the fraction behind them, which order as their text does."""

    seconds: int
    fraction: str


@lru_cache(1 << 16)
def moment(text: str) -> Moment | None:
    """Return the moment that a date stands for, its earliest if it is a year, a month or a day; None if it is no date.

    Without an offset it is taken as UTC. Other numbers than years and days count seconds since 1970.
    """
    text = text.strip()
    dated = _ISO.fullmatch(text) or _BASIC.fullmatch(text)
    found = None if dated is None else _of_date(*dated.groups(""))
    if found is None and (number := _NUMBER.fullmatch(text)) is not None and len(number[2]) != len("2020"):
        return _of_number(*number.groups(""))
    return found


def _of_date(year: str, month: str, day: str, *time: str) -> Moment | None:
    hour, minute, second = (int(part or 0) for part in time[:3])
    fraction, zone = time[3:]
    # 24:00 ends a day, and a minute may have a leap second.
    if minute > 59 or second > 60 or (hour, minute, second) > (24, 0, 0):
        return None
    try:
        days = date(int(year), int(month or 1), int(day or 1)).toordinal() - _EPOCH
    except ValueError:
        return None
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return Moment(seconds - _offset(zone), fraction.rstrip("0"))


def _offset(zone: str) -> int:
    """Return the seconds by which a zone is ahead of UTC."""
    if zone in ("", "Z", "z"):
        return 0
    minutes = 60 * int(zone[1:3]) + int(zone[3:].lstrip(":") or 0)
    return 60 * (-minutes if zone[0] == "-" else minutes)


def _of_number(sign: str, whole: str, fraction: str) -> Moment:
    fraction, seconds = fraction.rstrip("0"), int(whole)
    if sign != "-":
        return Moment(seconds, fraction)
    if not fraction:
        return Moment(-seconds, "")
    # Seconds are whole, so the fraction is counted from the second before.
    return Moment(-seconds - 1, str(10 ** len(fraction) - int(fraction)).zfill(len(fraction)))


def newest_first(clustering: Clustering) -> NDArray[np.int64]:
    """Return ranks by date, the newest first, then documents without one. Only those that are like others have ranks of
    their own: the dates of the rest are not read."""
    numbers, moments = _moments(clustering)
    ranks = {moment: rank for rank, moment in enumerate(sorted({each for each in moments if each is not None}), 1)}
    order = np.zeros(len(clustering.cluster), np.int64)
    order[numbers] = [0 if each is None else -ranks[each] for each in moments]
    return order


def undated(clustering: Clustering, keep: str) -> int:
    """Return the number of documents without a date. If dates choose what stays, those that are like others and have a
    text that is no date count, too."""
    missing = int((clustering.is_there & ~clustering.dates.is_there).sum())
    return missing + (_moments(clustering)[1].count(None) if keep == "newest" else 0)


def _moments(clustering: Clustering) -> tuple[NDArray[np.int64], Sequence[Moment | None]]:
    """Return the documents that are like others and have a date, and the moment of each."""
    there = clustering.is_there
    sizes = np.bincount(clustering.cluster[there], minlength=len(there))
    is_like = there & (sizes[clustering.cluster] > 1)
    for end in clustering.pairs.ends:
        is_like[end] = True
    numbers = np.flatnonzero(is_like & clustering.dates.is_there)
    return numbers, [moment(clustering.dates[number] or "") for number in numbers.tolist()]
