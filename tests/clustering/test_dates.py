"""Dates are moments, however they are written."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering.cluster import cluster
from whorl.clustering.dates import moment, undated
from whorl.clustering.output import kept_documents

# From the oldest to the newest.
ASCENDING = (
    "-1.5", "-1", "-0.25", "0", "0.5", "999999999", "1499999999", "2019", "2019-02", "2019-02-03", "20190204",
    "2020-01-01T12:00:00+05:00", "2020-01-01T08:00:00Z", "2020-01-01T08:00:00.000000001Z", "2020-01-01 08:00:00.5",
    "2020-01-01T08:00:00,75", "2020-01-01T04:00:01-0400", "20200101T080002Z", "2020-01-01T23:59:60",
)  # fmt: skip

SAME = (
    ("2020", "2020-01", "2020-01-01", "20200101", "2020-01-01T00", "2020-01-01 00:00", "2020-01-01T00:00:00.000Z"),
    ("2020-01-01T24:00", "2020-01-02", "2020-01-01T19:00-05", "1577923200", "1577923200.0", " 2020-01-02 "),
)

NO_DATES = (
    "",
    "soon",
    "2020-13",
    "2020-02-30",
    "20/01/2020",
    "2020-01-01T25:00",
    "2020-01-01T24:01",
    "2020-01-01T12:60",
    "2020-01-01T12:00+24:00",
    "9" * 5000,
    "0." + "1" * 5000,
    "Mon, 20 Jan 2020",
    "1e9",
    "٢٠٢٠",
    "0000",
)


def test_moments_ascend():
    moments = [found for text in ASCENDING if (found := moment(text)) is not None]
    assert len(moments) == len(ASCENDING)
    assert moments == sorted(set(moments))


@pytest.mark.parametrize("texts", SAME)
def test_one_moment_has_several_forms(texts):
    assert len({moment(text) for text in texts}) == 1
    assert moment(texts[0]) is not None


@pytest.mark.parametrize("text", NO_DATES)
def test_other_texts_are_no_dates(text):
    assert moment(text) is None


zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=zones | st.just(UTC))


@given(st.lists(times, min_size=2, max_size=2))
@examples(200)
def test_they_order_as_datetimes_do(pair):
    one, other = (moment(each.isoformat()) for each in pair)
    assert one is not None
    assert other is not None
    assert (one < other, one == other) == (pair[0] < pair[1], pair[0] == pair[1])


T = " ".join(f"the keeper wrote down on day {day} what the sea took" for day in range(30))


@pytest.mark.parametrize(
    ("dates", "newest"),
    [
        (("1599999999", "999999999"), 0),
        (("2020-01-01T08:00:00Z", "2020-01-01T12:00:00+05:00"), 0),
        (("2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00Z"), 0),
        (("yesterday", "1970"), 1),
        (("yesterday", None), 0),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_the_newest_is_the_last_moment(dates, newest, strict):
    documents = [whorl.Document(str(number), T, date=date) for number, date in enumerate(dates)]
    assert kept_documents(cluster(documents), "newest", strict).tolist() == [newest]


def test_what_is_no_date_is_counted_with_what_has_none():
    rows = [(T, "yesterday"), (T, "2020"), (T, None), ("alone", "tomorrow"), (T + " and more", "never")]
    found = cluster([whorl.Document(str(number), text, date=date) for number, (text, date) in enumerate(rows)])
    assert (undated(found, "newest"), undated(found, "first")) == (3, 1)
