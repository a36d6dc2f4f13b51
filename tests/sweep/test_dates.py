"""Dates of sweeps sort as text, and days hold their moments."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.sweep import day, days, is_until, normalise

moments = st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)).map(lambda moment: moment.replace(microsecond=0))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(moments, moments, zones, zones)
def test_moments_sort_as_text_in_any_zone(one, two, first, second):
    a, b = one.replace(tzinfo=first), two.replace(tzinfo=second)
    assert (normalise(a.isoformat()) < normalise(b.isoformat())) == (a < b)
    assert normalise(normalise(a.isoformat())) == normalise(a.isoformat())
    assert days(normalise(a.isoformat()), normalise(b.isoformat())) == (b - a).total_seconds() / 86400


@given(moments)
def test_a_day_holds_its_moments(moment):
    text = normalise(moment.replace(tzinfo=UTC).isoformat())
    assert is_until(text, day(text))
    assert is_until(day(text), text)
    assert not is_until(text, (moment.date() - timedelta(days=1)).isoformat())
    assert is_until(text, None)


def test_spellings_of_one_date():
    assert normalise("2026-01-31T12:00:00+02:00") == normalise("2026-01-31 10:00") == "2026-01-31T10:00:00Z"
    assert normalise("20260131") == normalise("2026-01-31") == "2026-01-31"


def test_dates_are_texts_or_objects():
    assert normalise(date(2026, 1, 31)) == "2026-01-31"
    assert normalise(datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=2)))) == "2026-01-31T10:00:00Z"
    with pytest.raises(InputError, match="date: 20260131 is no date, but int; give a text such as '2026-01-31'"):
        normalise(20260131)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "T", "now", "2026-1-1", "9999-12-31T23:59:59-14:00"])
def test_no_dates(text):
    with pytest.raises(InputError, match="is not a date"):
        normalise(text)
