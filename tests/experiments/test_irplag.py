"""The measures of ranking, and the reading of labelled programs."""

import zipfile

import numpy as np
import pytest
from experiments.labelled.irplag import LEVELS, measure, unpack
from experiments.labelled.measures import area, average_precision

import whorl

COPY = (
    "class A {{ int sum(int[] values) {{ int {0} = 0; for (int v : values) "
    "{{ if (v > 3) {0} += v * 2; }} return {0}; }} }}"
)
OTHER = 'class B {{ String name; void greet(int n) {{ while (n-- > 0) System.out.println("{0}" + name.trim()); }} }}'


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for case in ("01", "02"):
            archive.writestr(f"set/case-{case}/original/A.java", COPY.format("total"))
            for number in ("01", "02", "13"):
                archive.writestr(f"set/case-{case}/non-plagiarized/{number}/B.java", OTHER.format(number * 9))
            for level in LEVELS:
                archive.writestr(f"set/case-{case}/plagiarized/{level}/01/A.java", COPY.format(f"x{level}"))
    return path


def test_copies_come_before_independent_programs(data, tmp_path):
    programs = unpack(data, tmp_path)
    assert sum(program.kind == "non-plagiarized" for program in programs) == 5
    found = measure(programs, tmp_path, whorl.PRESETS["code"])
    assert found.precision == found.area == 1
    assert set(found.by_level.values()) == {1}


def test_measures_of_ranking():
    is_copy = np.array([True, False, True, False])
    assert average_precision(is_copy, np.array([4.0, 3.0, 2.0, 1.0])) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(is_copy, np.zeros(4)) == area(is_copy, np.zeros(4)) == 0.5
    assert area(is_copy, np.array([4.0, 3.0, 2.0, 1.0])) == 0.75
