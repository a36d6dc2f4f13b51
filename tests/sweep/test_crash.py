"""An add may be killed at any moment: the store is then as before or as after, and the next add goes on."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.sweep.crash import PASSED
from tests.sweep.world import FAST

ROOT = Path(__file__).parents[2]


def crashed(*arguments) -> int:
    """Run the harness; how often it killed a writer."""
    with TemporaryDirectory(dir=FAST) as folder:
        command = [sys.executable, "-m", "tests.sweep.crash", folder, *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return int(done.stdout)


def test_killed_at_every_point():
    assert crashed("points") == len(PASSED) >= 14


@pytest.mark.slow
def test_killed_at_random():
    assert crashed("random", 20, 1) == 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 5))
def test_killed_hundreds_of_times(seed):
    assert crashed("random", 100, seed) == 100
