"""What Spark's tests need beside this package. ``python -m tests.spark.needs`` says what is missing, if anything."""

import importlib.util
import os
import shutil
import subprocess

JAVA = 17


def missing() -> str:
    """Why Spark cannot run here; nothing if it can."""
    for package in ("pyarrow", "pyspark", "pandas"):
        if importlib.util.find_spec(package) is None:
            return f"Spark's tests are skipped: they need {package}: pip install 'whorl[spark]'"
    if _java() < JAVA:
        return f"Spark's tests are skipped: they need Java {JAVA} or newer, and 'java -version' tells of none"
    return ""


def _java() -> int:
    """The major version of the Java that would run; 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which(f"{home}/bin/java" if home else "java")
    if not program:
        return 0
    result = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = result.split('"')[1] if '"' in result else "0"
    return int(version.split(".")[0])


if __name__ == "__main__" and missing():
    print(missing())
