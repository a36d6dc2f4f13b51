"""Runs jobs, each in a process of its own that can be killed, a few at a time."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from whorl.errors import InputError, WhorlError
from whorl.index.faults import IndexIOError
from whorl.index.lock import writing
from whorl.service.jobs import Job, Jobs, State

# ``-P``: what lies in the folder where the server was started is not imported.
COMMAND = (sys.executable, "-P", "-m", "whorl.service.work")

# The file in the index's folder that the one server of an index locks.
LOCK = "service.lock"

# Seconds between two looks at a running job, whether it was cancelled, and at the queue. Other processes may write to
# it; what this process submits is seen at once.
LOOK_SECONDS = 0.2
IDLE_SECONDS = 1.0

# Seconds that a job may take: a night. A parser that never ends must not hold the queue up for ever.
LONGEST_SECONDS = 12 * 3600.0

# Seconds for a process to end by itself once its job is over.
GRACE_SECONDS = 10.0

_log = logging.getLogger(__name__)


class Runner:
    """Takes jobs from the queue, ``slots`` at a time. One runner an index, of all processes."""

    def __init__(
        self, jobs: Jobs, index_folder: Path, slots: int = 1, *, command: Sequence[str] = COMMAND,
        longest: float = LONGEST_SECONDS,
    ) -> None:  # fmt: skip
        self._jobs, self._index, self._slots = jobs, index_folder, slots
        self._command, self._longest = tuple(command), longest
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = ExitStack()

    def start(self) -> None:
        """Take up what a server before has left, then begin. Raises if another server uses the index."""
        try:
            self._lock.enter_context(writing(self._index / LOCK, 0))
        except IndexIOError as error:
            raise InputError(f"{self._index}: another server uses this index: stop it first") from error
        self._jobs.recover()
        self._threads = [
            threading.Thread(target=self._slot, name=f"jobs-{number}", daemon=True) for number in range(self._slots)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Kill what is running and queue it again, for the next start. Calling it again does nothing."""
        self._stopping.set()
        self._jobs.changed.set()
        for thread in self._threads:
            thread.join()
        self._lock.close()

    def _slot(self) -> None:
        while not self._stopping.is_set():
            try:
                job = self._jobs.claim()
                if job is not None:
                    self._run(job)
                    continue
            except (WhorlError, OSError):
                _log.exception("the queue of jobs; it goes on in %g s", IDLE_SECONDS)
                self._stopping.wait(IDLE_SECONDS)
            self._jobs.changed.wait(IDLE_SECONDS)
            self._jobs.changed.clear()

    def _run(self, job: Job) -> None:
        try:
            reason = self._attended(job)
        except (WhorlError, OSError) as error:
            _log.exception("job %s", job.id)
            reason = f"a fault of the service ({type(error).__name__}); its log has more"
        while not self._is_settled(job.id, reason):
            if self._stopping.wait(IDLE_SECONDS):
                return  # the next start settles it

    def _attended(self, job: Job) -> str:
        """Run a job's process to its end; what it ended of, if the job is not over."""
        with (self._jobs.folder(job.id) / "log").open("ab") as log:
            process = self._started(job, log.fileno())
        try:
            self._watch(job, process)
        finally:
            _end(process)
        return _epitaph(process.returncode)

    def _is_settled(self, id_: str, reason: str) -> bool:
        """Make sure that a job without a process does not count as running; False if the database refuses."""
        try:
            if self._stopping.is_set():
                self._jobs.requeue(id_)
            else:
                self._jobs.crashed(id_, reason)
            self._jobs.clear(id_)
        except (WhorlError, OSError):
            _log.exception("job %s cannot be settled; next try in %g s", id_, IDLE_SECONDS)
            return False
        return True

    def _started(self, job: Job, log: int) -> subprocess.Popen[bytes]:
        """A process in a group of its own, whose temporary files are in the job's folder: killed, it leaves none."""
        scratch = self._jobs.scratch(job.id)
        scratch.mkdir(exist_ok=True)
        return subprocess.Popen(
            [*self._command, str(self._index), job.id],
            stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, "TMPDIR": str(scratch)},
        )  # fmt: skip

    def _watch(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        """Until it has ended, or must end."""
        until = time.monotonic() + self._longest
        while not _has_ended(process, LOOK_SECONDS) and not self._stopping.is_set():
            state = self._state(job.id)
            if state is State.CANCELLED:
                return
            if state is not State.RUNNING:
                _has_ended(process, GRACE_SECONDS)
                return
            if time.monotonic() > until:
                self._jobs.fail(job.id, f"took longer than {self._longest:g} s; give it less to do")
                return

    def _state(self, id_: str) -> State:
        job = self._jobs.get(id_)
        return State.CANCELLED if job is None else job.state


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends so soon. It is not reaped: until then its number cannot become another process's."""
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its group, whether it has ended or not, and reap it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except PermissionError:  # so macOS says that only a dead process is in the group
        _log.debug("process %d has ended", process.pid)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _epitaph(status: int) -> str:
    if status < 0:
        return f"its process was killed (signal {-status}); the machine may be short of memory"
    return f"its process ended without a word (status {status})"
