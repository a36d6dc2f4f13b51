"""Windows: wholes of short documents, stretches round matches of long ones, and never two copies of the same."""

import numpy as np

from whorl.matching.deep.anchors import BUDGET, MARGIN, WHOLE, widened, windows

LONG = 4 * WHOLE


def boxes(*rows):
    return np.array(rows, np.int64).reshape(-1, 4)


def test_short_documents_are_one_window():
    assert windows(boxes((3, 9, 3, 9)), (WHOLE, 10)).tolist() == [[0, WHOLE, 0, 10, 0]]


def test_long_documents_have_windows_round_what_they_share():
    assert len(windows(boxes(), (LONG, LONG))) == 0
    found = windows(boxes((5000, 5100, 200, 300)), (LONG, 700))
    assert found.tolist() == [[5000 - MARGIN, 5100 + MARGIN, 0, 700, 1]]


def test_a_margin_ends_before_another_copy():
    left, right = (2000, 2300), (5000, 5300)
    copies = boxes((*left, *right), (*left, right[1], right[1] + 300))
    found = widened(copies, (LONG, LONG), np.ones(2, np.bool_))
    assert found[0].tolist() == [2000 - MARGIN, 2300 + MARGIN, 5000 - MARGIN, 5300, 1]
    assert found[1].tolist() == [2000 - MARGIN, 2300 + MARGIN, 5300, 5600 + MARGIN, 2]


def test_a_margin_goes_on_over_what_is_something_else():
    others = boxes((2000, 2300, 5000, 5300), (2350, 2400, 9000, 9050))
    found = widened(others, (LONG, LONG), np.array([True, False]))
    assert found.tolist() == [[2000 - MARGIN, 2300 + MARGIN, 5000 - MARGIN, 5300 + MARGIN, 1]]


def test_windows_have_a_budget():
    places = np.arange(0, 40_000, 10)
    many = np.stack((places, places + 5, places[::-1], places[::-1] + 5), axis=1)
    found = windows(many, (40_010, 40_010))
    assert (found[:, 1] - found[:, 0] + found[:, 3] - found[:, 2]).sum() <= BUDGET * 2 * 40_010
