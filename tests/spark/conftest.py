"""Spark for tests: one session on this machine. Without Java 17 or pyspark, its tests alone are skipped."""

import os
import sys
from functools import cache

import pytest

from tests.spark.needs import missing
from tests.spark.standalone import JAVA, QUICK


def needs_spark() -> None:
    """Skips the test, with the reason, where Spark cannot run."""
    if missing():
        pytest.skip(missing())


# A thousand settings by default, of services that are not here. Each table that is read and each task that writes gets
# a copy of them, packed one by one.
DEFAULTS = ("core-default.xml", "mapred-default.xml", "hdfs-default.xml", "yarn-default.xml")


@pytest.fixture(scope="session")
def spark(tmp_path_factory, python_path):
    needs_spark()
    if "PYTEST_XDIST_WORKER" in os.environ:  # the second process that starts Java fails here
        (tmp_path_factory.getbasetemp().parent / "spark").mkdir()
    from py4j.java_gateway import JVMView

    from whorl.spark.stages import session

    settings = tmp_path_factory.mktemp("settings")
    for name in DEFAULTS:
        (settings / name).write_text("<configuration/>", "ascii")
    places = {name: str(tmp_path_factory.mktemp("spark")) for name in ("spark.local.dir", "spark.sql.warehouse.dir")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(settings))
        # Java looks for a class in all its archives, each time that it is asked for.
        patch.setattr(JVMView, "__getattr__", cache(JVMView.__getattr__))
        # A task of Python costs more than the work of a small corpus.
        patch.setattr("whorl.spark.stages.TASKS_PER_CORE", 1)
        # Room from the start: most collections of garbage come while a heap and the space of classes grow.
        java = {"spark.driver.extraJavaOptions": f"{JAVA} -Xms1g -Xmn600m -XX:MetaspaceSize=256m"}
        python = {"spark.python.daemon.module": "tests.spark.daemon", "spark.executorEnv.PYTHONPATH": python_path}
        made = session("local[2]", {**QUICK, **java, **python, **places, "spark.driver.memory": "1g"})
        yield made
        made.stop()


@pytest.fixture(scope="session")
def python_path():
    """What a process of Python needs to find the package and the tests as this one does."""
    return os.pathsep.join(path for path in sys.path if path)
