"""Dates of sweeps sort as text, and days hold their moments."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.sweeps.dates import day, days, is_until, normal

moments = st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)).map(lambda moment: moment.replace(microsecond=0))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(moments, moments, zones, zones)
def test_moments_sort_as_text_in_any_zone(one, two, first, second):
    a, b = one.replace(tzinfo=first), two.replace(tzinfo=second)
    assert (normal(a.isoformat()) < normal(b.isoformat())) == (a < b)
    assert normal(normal(a.isoformat())) == normal(a.isoformat())
    assert days(normal(a.isoformat()), normal(b.isoformat())) == (b - a).total_seconds() / 86400


@given(moments)
def test_a_day_holds_its_moments(moment):
    text = normal(moment.replace(tzinfo=UTC).isoformat())
    assert is_until(text, day(text))
    assert is_until(day(text), text)
    assert not is_until(text, (moment.date() - timedelta(days=1)).isoformat())
    assert is_until(text, None)


def test_spellings_of_one_date():
    assert normal("2026-01-31T12:00:00+02:00") == normal("2026-01-31 10:00") == "2026-01-31T10:00:00Z"
    assert normal("20260131") == normal("2026-01-31") == "2026-01-31"


@pytest.mark.parametrize("text", ["", "T", "now", "2026-1-1", "9999-12-31T23:59:59-14:00"])
def test_no_dates(text):
    with pytest.raises(InputError, match="is no date"):
        normal(text)
