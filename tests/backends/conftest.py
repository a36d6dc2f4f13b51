"""Spark for tests: one session on this machine. Without Java 17 or pyspark, its tests alone are skipped."""

import os
import shutil
import subprocess
import sys

import pytest

JAVA = 17


def _java() -> int:
    """The major version of the Java that would run; 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    program = f"{home}/bin/java" if home else shutil.which("java")
    if not program:
        return 0
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = told.split('"')[1] if '"' in told else "0"
    return int(version.split(".")[0])


def needs_spark() -> None:
    """Skips the test, with the reason, where Spark cannot run."""
    pytest.importorskip("pyspark", reason="Spark's tests need pyspark: pip install 'whorl[spark]'")
    pytest.importorskip("pandas", reason="Spark's tests need pandas: pip install 'whorl[spark]'")
    if _java() < JAVA:
        pytest.skip(f"Spark's tests need Java {JAVA} or newer, and 'java -version' tells of none")


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    needs_spark()
    from whorl.backends.spark.session import session

    # Small corpora: compiling plans and code for long runs would take longer than the runs.
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1", "spark.sql.codegen.wholeStage": "false",
             "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g"}  # fmt: skip
    places = {name: str(tmp_path_factory.mktemp("spark")) for name in ("spark.local.dir", "spark.sql.warehouse.dir")}
    made = session("local[2]", {**quick, **places})
    yield made
    made.stop()


@pytest.fixture(scope="session")
def python_path():
    """What a process of Python needs to find the package and the tests as this one does."""
    return os.pathsep.join(path for path in sys.path if path)
