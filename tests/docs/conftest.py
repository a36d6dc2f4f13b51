"""A browser, pages that fail the test if they fetch anything, and the site as ``make docs`` builds it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.conftest import page, window

ROOT = Path(__file__).parents[2]

__all__ = ["page", "site", "window"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site. Building it is strict: a broken link or anchor, or a page in no menu, is an error."""
    folder = tmp_path_factory.mktemp("site")
    # The theme's advertisement of its successor is no fault of ours.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder
