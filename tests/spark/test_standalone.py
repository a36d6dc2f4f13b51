"""Neither a driver nor a worker that dies changes the result."""

import json
import os
import signal
import subprocess
import sys

import pyarrow as pa
import pytest

from tests.conformance.backend import SCHEME, corpus
from tests.spark.conftest import needs_spark
from tests.spark.reference import cluster
from tests.spark.standalone import Standalone

# Two cores for five processes of Java, and others at work.
PATIENCE = 400


@pytest.fixture(scope="module")
def standalone(tmp_path_factory, python_path):
    needs_spark()
    made = Standalone(tmp_path_factory.mktemp("cluster"), python_path)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def driven(master, python_path, folder, stage, process):
    """A driver in a process of its own. When the stage is done, a process ends: 0 is the driver itself."""
    command = [sys.executable, "-m", "tests.spark.driver", master, str(folder), stage, str(process)]
    environment = {**os.environ, "PYTHONPATH": python_path, "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE, check=False)


def members(clustering):
    return [[one.id, one.cluster, one.similarity, one.kind] for one in clustering.members]


@pytest.mark.slow
def test_after_a_killed_driver_another_one_goes_on(spark, python_path, tmp_path):
    killed = driven("local[2]", python_path, tmp_path / "stages", "equals", 0)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()[-2000:]
    from whorl.spark import cluster as spark_cluster

    rows = spark.createDataFrame(pa.Table.from_pylist(corpus(5)))
    again = spark_cluster(rows, SCHEME, folder=str(tmp_path / "stages"), corpus="suite", common=9)
    assert again.reused == ("documents", "equals")
    assert members(again.collected()) == members(cluster(corpus(5), SCHEME, common=9)[0])


@pytest.mark.slow
def test_a_driver_and_then_a_worker_of_a_cluster_are_killed(standalone, python_path, tmp_path):
    first = driven(standalone.master, python_path, tmp_path / "stages", "equals", 0)
    assert first.returncode == -signal.SIGKILL, first.stderr.decode()[-2000:]
    second = driven(standalone.master, python_path, tmp_path / "stages", "sketches", standalone.worker)
    assert second.returncode == 0, second.stderr.decode()[-2000:]
    result = json.loads(second.stdout.splitlines()[-1])
    assert result["found"] == ["documents", "equals"]
    assert result["made"] == ["frequent", "sketches", "pieces", "pairs", "hopeful", "alike", "heads"]
    assert result["members"] == members(cluster(corpus(5), SCHEME, common=9)[0])
