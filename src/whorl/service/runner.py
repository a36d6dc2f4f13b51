"""Run jobs, each in its own process, a few at a time."""

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from whorl.errors import InputError, StoreIOError
from whorl.service.jobs import UPKEEP, JobQueue, JobState, ServiceJob
from whorl.service.problems import is_disk_full
from whorl.storage.folder import writing

# ``-P``: what lies in the folder where the server was started is not imported.
COMMAND = (sys.executable, "-P", "-m", "whorl.service.worker")

# The file in the index's folder that the one server of an index locks.
LOCK = "service.lock"

# Seconds between two looks at a running job, whether it was cancelled, and at the queue. Other processes may write to
# it; what this process submits is seen at once.
LOOK_SECONDS = 0.2
IDLE_SECONDS = 1.0

# Seconds that a job may take: a night. A parser that never ends must not hold the queue up for ever.
LONGEST_SECONDS = 12 * 3600.0

# The variable by which a job's process learns how many bytes of memory it may have.
MEMORY = "WHORL_JOB_MEMORY"

# The exit status of a job's process that found the disk full: EX_TEMPFAIL of sysexits.h.
DISK_FULL = 75

# Why such a job is tried again. A process that the system killed cannot say so; if less than so many bytes are free
# then, that was the reason.
FULL = "the disk of the service is full"
FULL_BYTES = 1 << 20

# Seconds before a job is taken up again after the disk was full.
FULL_SECONDS = 30.0

# Seconds between two attempts to settle a job in a database that refuses, at the most: each is a line in the log.
LONGEST_PAUSE = 30.0

# Seconds for a process to end by itself once its job is over.
GRACE_SECONDS = 10.0

_log = logging.getLogger(__name__)


class Runner:
    """Runs up to ``slots`` jobs at a time. Only one runner per index may exist."""

    def __init__(
        self, jobs: JobQueue, index_folder: Path, slots: int = 1, *, command: Sequence[str] = COMMAND,
        longest: float = LONGEST_SECONDS, memory: int | None = None, reserve: int = 0,
    ) -> None:  # fmt: skip
        """``reserve`` are the bytes of the disk that only upkeep may use: other jobs wait until more are free."""
        self._jobs, self._index, self._slots = jobs, index_folder, slots
        self._command, self._longest, self._memory, self._reserve = tuple(command), longest, memory, reserve
        self._is_short = False
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = ExitStack()

    def start(self) -> None:
        """Recover interrupted jobs and start. Raise if another server uses the index."""
        try:
            self._lock.enter_context(writing(self._index / LOCK, 0))
        except StoreIOError as error:
            if not isinstance(error.__cause__, BlockingIOError):
                raise
            raise InputError(f"{self._index}: another server is using this index: stop it first") from error
        self._jobs.recover()
        kinds = [False] * self._slots + [True]  # what was handed in, and a slot of its own for upkeep
        self._threads = [
            threading.Thread(target=self._slot, args=(upkeep,), name=f"jobs-{number}", daemon=True)
            for number, upkeep in enumerate(kinds)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Kill running jobs and queue them again for the next start. Idempotent."""
        self._stopping.set()
        self._jobs.changed.set()
        for thread in self._threads:
            thread.join()
        self._lock.close()

    def _slot(self, upkeep: bool) -> None:
        while not self._stopping.is_set():
            try:
                if self._has_room(upkeep) and (job := self._jobs.claim(upkeep=upkeep)) is not None:
                    self._run(job)
                    continue
            except Exception:  # without this thread no job would run; the next look may fare better
                _log.exception("the queue of jobs; it goes on in %g s", IDLE_SECONDS)
                self._stopping.wait(IDLE_SECONDS)
            self._jobs.changed.wait(IDLE_SECONDS)
            self._jobs.changed.clear()

    def _has_room(self, upkeep: bool) -> bool:
        """Return whether the disk has room for the next job, if there is one. Upkeep makes room, and may use all."""
        if upkeep or not self._jobs.has_queued(upkeep=False):
            return True
        is_short = free_bytes(self._index) < self._reserve
        if is_short != self._is_short:
            self._is_short = is_short
            if is_short:
                _log.warning("jobs wait: less than %d MB of the disk are free", self._reserve >> 20)
            else:
                _log.warning("jobs go on: the disk has room again")
        return not is_short

    def _run(self, job: ServiceJob) -> None:
        try:
            reason = self._attended(job)
        except Exception as error:  # a job that nobody settles would count as running for ever
            _log.exception("job %s", job.id)
            name = type(error).__name__
            reason = FULL if is_disk_full(error) else f"an internal error ({name}); see the log of the service"
        pause = IDLE_SECONDS
        while not self._is_settled(job.id, reason, pause):
            if self._stopping.wait(pause):
                return  # the next start settles it
            pause = min(2 * pause, LONGEST_PAUSE)
        if reason == FULL:
            self._stopping.wait(FULL_SECONDS)

    def _attended(self, job: ServiceJob) -> str:
        """Run a job's process to its end; what it ended of, if the job is not over."""
        with self._log_of(job.id).open("ab") as log:
            process = self._started(job, log.fileno())
        try:
            self._watch(job, process)
        finally:
            _end(process)
        status = process.returncode
        is_full = status == DISK_FULL or (status != 0 and free_bytes(self._index) < FULL_BYTES)
        return FULL if is_full else epitaph(status)

    def _is_settled(self, id_: str, reason: str, pause: float) -> bool:
        """Make sure that a job without a process does not count as running; False if the database refuses."""
        try:
            if self._stopping.is_set():
                self._jobs.requeue(id_)
            elif (job := self._jobs.crashed(id_, reason)) is not None:
                _log.error("job %s is %s: %s (its log is %s)", id_, job.state, job.message, self._log_of(id_))
            self._jobs.clear(id_)
        except Exception:
            _log.exception("job %s cannot be settled (%s); next try in %g s", id_, reason, pause)
            return False
        return True

    def _log_of(self, id_: str) -> Path:
        """Return the file that has all that the processes of a job printed."""
        return self._jobs.folder(id_) / "log"

    def _started(self, job: ServiceJob, log: int) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own, with its temporary files in the job's folder, so that a kill leaves
        none."""
        scratch = self._jobs.scratch(job.id)
        scratch.mkdir(exist_ok=True)
        return subprocess.Popen(
            [*self._command, str(self._index), job.id],
            stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, "TMPDIR": str(scratch), MEMORY: str(self._memory or "")},
        )  # fmt: skip

    def _watch(self, job: ServiceJob, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process ends, the job is cancelled or the time limit is reached."""
        longest = LONGEST_SECONDS if job.kind in UPKEEP else self._longest
        until = time.monotonic() + longest
        while not _has_ended(process, LOOK_SECONDS) and not self._stopping.is_set():
            state = self._state(job.id)
            if state is JobState.CANCELLED:
                return
            if state is not JobState.RUNNING:
                _has_ended(process, GRACE_SECONDS)
                return
            if time.monotonic() > until:
                self._jobs.fail(job.id, f"exceeded the time limit of {longest:g} s; submit less data")
                return

    def _state(self, id_: str) -> JobState:
        job = self._jobs.get(id_)
        return JobState.CANCELLED if job is None else job.state


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a process ends within that time. It is not reaped, so that its number stays its own."""
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its group, and reap it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except PermissionError:  # so macOS says that only a dead process is in the group
        _log.debug("process %d has ended", process.pid)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def epitaph(status: int) -> str:
    """Return how a process ended."""
    if status < 0:
        return f"its process was killed (signal {-status}); the machine may be out of memory"
    return f"its process ended unexpectedly (status {status})"
