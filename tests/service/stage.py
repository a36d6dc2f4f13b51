"""What tests of the store and of jobs share: a clock that they set, and a queue with kinds of jobs of their own."""

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from whorl.service.database import SERVICE_DATABASE, ServiceDatabase
from whorl.service.jobs import JobQueue

# Runs the jobs of ``child``, as ``whorl.service.worker`` would its own.
COMMAND = (sys.executable, str(Path(__file__).with_name("child.py")))

# Nothing here takes a second; a machine that needs longer than this is broken.
PATIENCE = 60.0


class Clock:
    """The time, which stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **span: float) -> None:
        self.time += timedelta(**span)


def open_jobs(folder, **settings):
    """A queue in an index's folder, which need hold no index."""
    database = ServiceDatabase(folder / SERVICE_DATABASE)
    return database, JobQueue(database, folder / "jobs", **settings)


def until(what, *arguments):
    """Wait until something is true, and give it."""
    late = time.monotonic() + PATIENCE
    while not (found := what(*arguments)):
        assert time.monotonic() < late, f"{what} never became true"
        time.sleep(0.02)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs. One that has ended and that nobody has asked after yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ended before it was opened, or before it was read
        return False
