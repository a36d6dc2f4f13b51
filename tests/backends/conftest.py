"""Spark for tests: one session on this machine. Without Java 17 or pyspark, its tests alone are skipped."""

import os
import sys

import pytest

from tests.backends.needs import missing
from tests.backends.standalone import QUICK

# What tells that a test needs Spark.
FIXTURES = {"spark", "standalone"}


def pytest_collection_modifyitems(items):
    """All tests of Spark in one process: each would start a session of its own, and Java with it."""
    for item in items:
        if FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("spark"))


def needs_spark() -> None:
    """Skips the test, with the reason, where Spark cannot run."""
    if missing():
        pytest.skip(missing())


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    needs_spark()
    from whorl.backends.spark.session import session

    places = {name: str(tmp_path_factory.mktemp("spark")) for name in ("spark.local.dir", "spark.sql.warehouse.dir")}
    with pytest.MonkeyPatch.context() as patch:
        # A task of Python costs more than the work of a small corpus.
        patch.setattr("whorl.backends.spark.parcels.TASKS", 1)
        made = session("local[2]", {**QUICK, **places, "spark.driver.memory": "1g"})
        yield made
        made.stop()


@pytest.fixture(scope="session")
def python_path():
    """What a process of Python needs to find the package and the tests as this one does."""
    return os.pathsep.join(path for path in sys.path if path)
