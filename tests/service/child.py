"""The process of a job in the tests: ``whorl.service.worker`` with other kinds of jobs."""

import errno
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from whorl.errors import InputError, WhorlError
from whorl.service import worker
from whorl.service.jobs import Task


def greet(task: Task) -> dict[str, object]:
    (task.results / "greeting.txt").write_text(f"hello {task.settings['name']}")
    task.progress("greeting", 1, 2)
    return {"inputs": sorted(path.name for path in task.inputs.iterdir())}


def sleep(task: Task) -> dict[str, object]:
    """Says who it is and who works for it, and is never done."""
    helper = subprocess.Popen(["sleep", "600"])
    (task.results / "half").write_text("not whole")
    (Path(tempfile.gettempdir()) / "left").write_text("by a process that was killed")
    (task.index / "pids").write_text(f"{os.getpid()} {helper.pid}\n")
    task.progress("sleeping", 3, 10)
    time.sleep(600)
    return {}


def refuse(task: Task) -> dict[str, object]:
    raise InputError(f"{task.inputs / 'essay.txt'}: it cannot be read; upload it again")


def crash(task: Task) -> dict[str, object]:
    with (task.index / "crashes").open("a") as file:
        file.write("x")
    os._exit(7)


def stumble(task: Task) -> dict[str, object]:
    raise ZeroDivisionError("a secret of the inside")


def fill(task: Task) -> dict[str, object]:
    """Finds the disk full, as the index or as the database does."""
    if task.settings.get("database"):
        task.database._writer.rows("PRAGMA max_page_count = 1")
        task.database.write("CREATE TABLE large AS SELECT zeroblob(1000000)")
    raise WhorlError("a fault") from OSError(errno.ENOSPC, "No space left on device")


def linger(task: Task) -> dict[str, object]:
    """Done, with a helper that would go on for ever."""
    helper = subprocess.Popen(["sleep", "600"])
    (task.index / "pids").write_text(f"{os.getpid()} {helper.pid}\n")
    return {}


def swell(task: Task) -> dict[str, object]:
    return {"bytes": len(bytearray(4 << 30))}


# In this process the module is ``__main__``.
worker.KINDS |= {
    name: f"__main__:{name}" for name in ("greet", "sleep", "refuse", "crash", "stumble", "fill", "linger", "swell")
}

if __name__ == "__main__":
    sys.exit(worker.main(sys.argv[1:]))
