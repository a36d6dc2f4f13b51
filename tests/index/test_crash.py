"""A writer may be killed at any moment: what it acknowledged is there, nothing is half there, the next one goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

from whorl.storage.files import POINTS

ROOT = Path(__file__).parents[2]


def crashed(folder, *arguments) -> int:
    """Run the harness; how often it killed a writer."""
    command = [sys.executable, "-m", "tests.index.crash", str(folder), *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return int(done.stdout)


def test_killed_at_every_point(tmp_path):
    assert len(POINTS) >= 30
    assert crashed(tmp_path, "points") >= len(POINTS)


@pytest.mark.slow
def test_killed_at_random(tmp_path):
    assert crashed(tmp_path, "random", 12, 1) == 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_five_hundred_times(tmp_path, seed):
    assert crashed(tmp_path, "random", 100, seed) == 100
