"""The numbers behind the timeline."""

from dataclasses import replace

from tests.report.sample import classroom
from whorl.report.plots import labels, timeline


def test_labels_are_numbered_by_how_many_have_them():
    comparison = classroom(9)
    assert set(labels(comparison.submissions)) == {"copied", "own"}
    assert sorted(labels(comparison.submissions).values()) == [0, 1]


def test_points_stand_at_the_later_date():
    comparison = classroom(9)
    drawn = timeline(comparison, labels(comparison.submissions))
    assert drawn is not None
    for point in drawn.points:
        pair = comparison.pairs[point.pair]
        assert point.date == max(str(comparison.submissions[side].date) for side in (pair.left, pair.right))
        assert 0 <= point.x <= 1
    assert len(drawn.points) == len(comparison.pairs)


def test_what_is_no_date_is_left_out():
    comparison = classroom(6)
    strange = tuple(replace(submission, date="last week") for submission in comparison.submissions)
    assert timeline(replace(comparison, submissions=strange), {}) is None
