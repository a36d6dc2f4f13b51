"""An add may be killed at any moment: the store is then as before or as after, and the next add goes on."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests import forks
from tests.sweep.crash import PASSED, at_every_point, at_random
from tests.sweep.world import FAST


@pytest.fixture
def folder():
    with TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


def test_killed_at_every_point(folder):
    assert forks.run(at_every_point, folder) == len(PASSED) >= 14


@pytest.mark.slow
def test_killed_at_random(folder):
    assert forks.run(at_random, folder, 20, 1) == 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 5))
def test_killed_hundreds_of_times(folder, seed):
    assert forks.run(at_random, folder, 100, seed) == 100
