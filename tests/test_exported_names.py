"""What ``whorl`` exports, and that importing it stays cheap."""

import subprocess
import sys
from pathlib import Path

import pytest

import whorl


def test_names_are_sorted_and_there():
    assert whorl.__all__ == sorted(whorl.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in whorl.__all__:
        assert getattr(whorl, name) is not None
    assert dir(whorl) == sorted(whorl.__all__)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'winnow'"):
        _ = whorl.winnow


def modules_after(code):
    script = f"import sys; {code}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_whorl_imports_nothing_heavy():
    assert not modules_after("import whorl") & {"numpy", "click", "rich", "importlib.metadata"}


def test_comparing_programs_imports_nothing_that_it_does_not_need():
    folder = Path(__file__).parents[1] / "examples" / "class"
    code = (
        "from click.testing import CliRunner; from whorl.cli import main; "
        f"result = CliRunner().invoke(main, ['compare', {str(folder)!r}, '--format', 'json', '--no-cache']); "
        "assert result.exit_code == 0, result.output"
    )
    # NumPy imports its masked arrays at the first call of its functions for sets.
    needless = {"numpy.ma", "rich", "whorl.comparison.jplag", "whorl.matching.deep.likeness"}
    assert not modules_after(code) & needless


def test_the_help_needs_nothing_heavy():
    code = "from click.testing import CliRunner; from whorl.cli import main; CliRunner().invoke(main, ['--help'])"
    assert not modules_after(code) & {"numpy", "rich", "whorl.scheme"}


def test_a_process_of_spark_imports_what_its_tasks_need():
    pytest.importorskip("pyspark")
    loaded = modules_after("import whorl.spark.sketching, whorl.spark.joining")
    assert not loaded & {
        "whorl.spark.clustering",
        "whorl.spark.compare",
        "whorl.spark.index",
        "whorl.comparison.result",
    }
    assert {"whorl.spark.clustering", "whorl.spark.compare", "whorl.spark.index"} <= modules_after(
        "from whorl.spark import build, cluster, compare_all; assert callable(cluster)"
    )
