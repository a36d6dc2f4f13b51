"""A writer may be killed at any moment: what it acknowledged is there, nothing is half there, the next one goes on."""

import pytest

from tests import forks
from tests.index.crash import at_every_point, at_random
from whorl.storage.files import POINTS


def test_killed_at_every_point(tmp_path):
    assert len(POINTS) >= 30
    assert forks.run(at_every_point, tmp_path) >= len(POINTS)


@pytest.mark.slow
def test_killed_at_random(tmp_path):
    assert forks.run(at_random, tmp_path, 12, 1) == 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_five_hundred_times(tmp_path, seed):
    assert forks.run(at_random, tmp_path, 100, seed) == 100
