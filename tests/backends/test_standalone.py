"""A cluster of two workers: neither a driver nor a worker that dies changes the result."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.backends.conftest import needs_spark
from tests.backends.standalone import Standalone
from tests.conformance.backend import SCHEME, corpus
from whorl.backends.local import cluster

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


def driven(standalone, python_path, folder, stage, process):
    """A driver in a process of its own. When the stage is done, a process ends: 0 is the driver itself."""
    command = [sys.executable, "-m", "tests.backends.driver", standalone.master, str(folder), stage, str(process)]
    environment = {**os.environ, "PYTHONPATH": python_path, "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE, check=False)


def test_a_driver_and_then_a_worker_are_killed(standalone, python_path, tmp_path):
    first = driven(standalone, python_path, tmp_path / "stages", "equals", 0)
    assert first.returncode == -signal.SIGKILL, first.stderr.decode()[-2000:]
    second = driven(standalone, python_path, tmp_path / "stages", "sketches", standalone.worker)
    assert second.returncode == 0, second.stderr.decode()[-2000:]
    told = json.loads(second.stdout.splitlines()[-1])
    assert told["found"] == ["documents", "equals"]
    assert told["made"] == ["sketches", "pieces", "pairs", "hopeful", "alike", "heads"]
    expected, _ = cluster(corpus(5), SCHEME, common=9)
    assert told["members"] == [[one.id, one.cluster, one.similarity, one.kind] for one in expected.members]
