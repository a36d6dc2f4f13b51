"""A cluster of Spark on this machine: a master and two workers, each a process of its own, on loopback alone."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

WORKERS = 2

# Small corpora: making plans, machine code and threads for long runs would take longer than the runs.
# Nor is there a reason to verify the classes of Spark. Hadoop starts chmod for each file that it makes: without a
# program between that Java would start it by. The room for machine code that Java has by itself is too small for Spark:
# Java would discard compiled code, and compile it again.
JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -XX:-UsePerfData "
    "-Djdk.lang.Process.launchMechanism=VFORK"
)
QUICK = {
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    # Plans are made for tables of a few rows, and nobody reads them.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    # Nor which line made each column.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.maxPlanStringLength": "0",
    # A page is cleared whenever a task sorts or joins; by the default, 16 MB for a few rows fill the heap.
    "spark.buffer.pageSize": "1m",
    "spark.sql.parquet.compression.codec": "uncompressed",
    "spark.shuffle.compress": "false",
    "spark.broadcast.compress": "false",
    # Each file of a stage would have a file of checksums beside it, and be moved twice.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
}

# Seconds that a process of Java may take to be ready on a machine that has other work.
PATIENCE = 120


def fail(process: int) -> None:
    """End a process and its children at once, as a machine that fails does."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    for each in [process, *map(int, children)]:
        os.kill(each, signal.SIGKILL)


class Standalone:
    """The processes of a cluster. ``master`` is its address."""

    def __init__(self, folder: Path, python_path: str, memory: str = "700m") -> None:
        self._folder, self._python_path, self._memory = folder, python_path, memory
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.master = ""

    def start(self) -> None:
        """Start all, and wait until the master knows every worker."""
        self._run("master", "org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        self.master = self._awaited(r"Starting Spark master at (spark://\S+)")[0]
        for number in range(WORKERS):
            place = ["--work-dir", str(self._folder / f"work-{number}"), "--webui-port", "0"]
            room = ["--cores", "1", "--memory", self._memory]
            self._run(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *room, *place, self.master)
        self._awaited(r"Registering worker", WORKERS)

    @property
    def worker(self) -> int:
        """The process of one of the workers."""
        return self._processes["worker-0"].pid

    def stop(self) -> None:
        """End every process that was started."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait(PATIENCE)

    def _run(self, name: str, kind: str, *arguments: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": JAVA,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": self._python_path,
        }
        command = [str(home / "bin" / "spark-class"), kind, "--host", "127.0.0.1", *arguments]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def _awaited(self, pattern: str, times: int = 1) -> list[str]:
        """What the master's log says, once it says it so often."""
        log, end = self._folder / "master.log", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.findall(pattern, log.read_text("utf-8", "replace"))
            if len(found) >= times:
                return found
            time.sleep(0.2)
        raise AssertionError(f"the cluster is not ready: {log.read_text('utf-8', 'replace')[-2000:]}")
