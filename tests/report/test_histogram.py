"""The bars of a histogram."""

import pytest

from whorl.report.plots import histogram, length_histogram


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


@pytest.mark.parametrize(
    ("lengths", "step", "bars"),
    [([], 1, 1), ([0, 39], 1, 40), ([40], 2, 21), ([7, 1999], 50, 40), ([10**9], 50_000_000, 21)],
)
def test_steps_of_lengths_are_round(lengths, step, bars):
    drawn = length_histogram(lengths)
    assert (drawn.step, drawn.bars) == (step, bars)
    assert drawn.histogram.total == len(lengths)
    assert [bar.start for bar in drawn.histogram.bars] == sorted({length // step for length in lengths})
