"""A session of Spark for the command line. Who has one already brings it along, in a DataFrame."""

import os
import sys
from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from whorl.errors import InputError

# Quiet, and with nothing that listens beyond what the machines need to talk to each other.
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(master: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session at a master. What an environment or a file of Spark's says holds unless ``settings`` say otherwise."""
    # The machine's first python3 may lack what this one has; an environment that was packed says it by itself.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    chosen = {**QUIET, **(LOOPBACK if master.startswith("local") else {}), **(settings or {})}
    builder = SparkSession.builder.master(master).appName("whorl")
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except (PySparkException, RuntimeError) as error:
        line = str(error).strip().splitlines()[0]
        raise InputError(
            f"{master}: Spark does not start: {line}. It needs Java 17 and a master that answers"
        ) from error
