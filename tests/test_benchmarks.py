"""The page of the peers: tables of costs, put between its marks."""

import pytest
from benchmarks.peers import BEGIN, END, PAGE, table, written
from benchmarks.processes import Cost


def test_tables_tell_the_middle_the_range_and_the_ratio():
    costs = {
        "whorl": [Cost(1.0, 1.5, 10**8), Cost(2.0, 2.5, 2 * 10**8), Cost(1.0, 1.0, 10**8)],
        "peer 1.2": [Cost(4.0, 4.0, 10**8), Cost(4.0, 4.0, 10**8), Cost(3.0, 3.0, 10**8)],
    }
    assert table(costs)[2:] == [
        "| whorl | 1.00 (1.00–2.00) | 1.50 | 200 MB |  |",
        "| peer 1.2 | 4.00 (3.00–4.00) | 4.00 | 100 MB | 3.00 (2.00–4.00) |",
    ]


def test_lines_take_the_place_of_those_before():
    page = f"before\n{BEGIN}old\n{END}after\n"
    again = written(written(page, ["new", ""]), ["newer"])
    assert again == f"before\n{BEGIN}\nnewer\n\n{END}after\n"


def test_a_page_without_marks_is_refused():
    with pytest.raises(SystemExit, match="no marks"):
        written("nothing here", ["new"])


def test_the_page_has_its_marks_and_a_table():
    page = PAGE.read_text("utf-8")
    result = page.partition(BEGIN)[2].partition(END)[0]
    for name in ("whorl", "compare50", "copydetect", "gaoya", "rensa", "datasketch"):
        assert f"\n| {name} " in result
