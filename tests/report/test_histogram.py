"""The bars of a histogram."""

from whorl.report.plots import histogram


def test_bars_have_heights_by_count():
    drawn = histogram([0, 10, 0, 5])
    assert [(bar.start, bar.count, bar.height) for bar in drawn.bars] == [(1, 10, 100.0), (3, 5, 50.0)]
    assert not drawn.logarithmic
    assert drawn.total == 15


def test_counts_far_apart_are_drawn_by_logarithm():
    drawn = histogram([100_000, 1])
    assert drawn.logarithmic
    assert drawn.bars[1].height > 4


def test_no_scores_at_all():
    assert histogram([0] * 101).bars == ()
    assert histogram([]).largest == 0
