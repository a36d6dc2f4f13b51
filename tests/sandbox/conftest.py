"""A marker in the environment of all workers of a test, by which those left over are found."""

import pytest

from tests.sandbox.processes import eventually, marked, zombies


@pytest.fixture
def marker(tmp_path, monkeypatch):
    """Checks at the end that the test left nothing running, and nothing unreaped."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    yield str(tmp_path)
    assert eventually(lambda: not marked(str(tmp_path)))
    assert eventually(lambda: not zombies()), zombies()
