"""One worker as seen by its parent: start it, send it tasks, kill it, and explain its death."""

import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from typing import Any

from whorl.sandbox import wire
from whorl.sandbox.jail import COMPLETE, JailPolicy, describe_jail, program_readable, readable
from whorl.sandbox.limits import PATIENCE, Limits, SandboxError, WorkerFault, format_bytes
from whorl.sandbox.wire import DamagedError

# How a worker says that memory ran out; the worker's own module cannot be imported on every system.
_OUT_OF_MEMORY = 77

# A worker starts in 0.2 s. On a machine so loaded that it takes this long, nothing else works either.
_START_SECONDS = 60

# Bytes of the strings in a worker's greeting: the names of the parts of its jail.
READY_SIZE = 256

# Past the limit of wall time by this much, the system's alarm ends a worker whose parent could not.
_GRACE_SECONDS = 2

# How often to look whether a worker died whose pipe something else, such as a child of it, still holds open.
_LOOK_SECONDS = 0.25

# How long a worker may take to die after its pipe closed, which happens a moment before.
_DEATH_SECONDS = 0.5

# The largest pipe that Linux grants everybody: ten times fewer turns between the two processes than with 64 kB.
_PIPE_SIZE = 1 << 20

# Tasks up to this size may wait in the pipe while the one before runs. Any pipe holds that much, so writing it never
# waits. It must not: a worker that waits for its answer to be read would wait for ever.
SMALL_TASK = 1 << 15

# What a worker inherits of the environment: nothing that could be a secret. One thread for numeric libraries: each
# further one sets memory aside, and the pool already uses every core.
_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
_SET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Not multiprocessing's way: that would run the user's main module again in every worker.
_START = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings["path"]
from whorl.sandbox.worker import main
main(settings)
"""


_log = logging.getLogger(__name__)


class _LateError(Exception):
    """The deadline has passed."""


class Worker:
    """A child process that runs one task at a time. One thread may use it at a time; any thread may ``kill`` it."""

    # The parent's ends of the three pipes; -1 once they are closed.
    _tasks: int
    _answers: int
    _lifeline: int

    def __init__(self, limits: Limits, policy: JailPolicy) -> None:
        self._limits, self._policy = limits, policy
        # Of a program that the task starts, nobody counts the processor time.
        self._wall_seconds = limits.seconds * (PATIENCE if policy.run is None else 1)
        # The parts of the jail that hold in it, once it has said so.
        self.jail: tuple[str, ...] = ()
        self._number = 0
        self._ahead: wire.Encoded | None = None
        self._deadline = time.monotonic() + _START_SECONDS
        self._ready = False
        self._peak = self._peak_at_death = 0
        self._status: int | None = None
        self._lock = threading.Lock()
        self._open(limits, policy.run)

    @property
    def fresh(self) -> bool:
        """Whether it has run no task yet."""
        return self._number == 0

    @property
    def usable(self) -> bool:
        """Whether it is alive and waits for a task."""
        if self._status is not None or not self._ready or self._ahead is not None:
            return self._status is None
        return not _polled(self._answers, select.POLLIN, 0)

    def run(self, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        """Return the task's value. After any fault except ``raised`` and an honest ``too-large`` it is no longer
        usable.

        ``following``, of ``SMALL_TASK`` bytes at most, is the task of the next call. It is sent ahead, so that the
        worker need not wait for it; its time starts with its own call.
        """
        try:
            self._await_ready()
            self._number += 1
            self._deadline = time.monotonic() + self._wall_seconds
            if task is not self._ahead:
                wire.send(self._tasks, self._can_write, wire.TASK, self._number, task)
            self._ahead = following
            if following is not None:
                wire.send(self._tasks, self._can_write, wire.TASK, self._number + 1, following)
            answer = wire.receive(self._answers, self._can_read, self._limits.result)
        except _LateError:
            self.end()
            raise WorkerFault("timeout", f"took longer than {self._wall_seconds:g} s") from None
        except wire.TooLargeError:
            self.end()
            raise self._too_large() from None
        except DamagedError:
            self.end()
            raise WorkerFault("died", "the parser damaged the worker that ran it") from None
        except wire.ClosedError:
            raise self._death_fault() from None
        except BaseException:
            self.end()
            raise
        return self._value(answer)

    def await_ready(self) -> None:
        self._await_ready()

    def kill(self) -> None:
        """Kill it and every process that it started, at once. Its user reaps it."""
        with self._lock:
            if self._status is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill and reap it. Calling it again does nothing."""
        self.kill()
        self._reap()
        for fd in (self._tasks, self._answers, self._lifeline):
            if fd >= 0:
                os.close(fd)
        self._tasks = self._answers = self._lifeline = -1

    def _open(self, limits: Limits, run: str | None) -> None:
        tasks, self._tasks = os.pipe()
        self._answers, answers = os.pipe()
        lifeline, self._lifeline = os.pipe()
        theirs = {"tasks": tasks, "answers": answers, "lifeline": lifeline}
        try:
            for fd in (self._tasks, self._answers):
                os.set_blocking(fd, False)
                _widen(fd)
            read = readable(() if run is None else program_readable(run))
            alarm = self._wall_seconds + _GRACE_SECONDS
            settings = {
                **theirs, "path": _path(), "limits": asdict(limits), "alarm": alarm, "read": read, "run": run,
            }  # fmt: skip
            self._process = _start(settings, tuple(theirs.values()))
        except BaseException:
            for fd in (self._tasks, self._answers, self._lifeline):
                os.close(fd)
            raise
        finally:
            for fd in theirs.values():
                os.close(fd)

    def _await_ready(self) -> None:
        """Wait until a new worker is ready. Its start does not count as the task's time; its failure is the
        sandbox's."""
        if self._ready:
            return
        try:
            greeting = wire.receive(self._answers, self._can_read, READY_SIZE)
        except (_LateError, DamagedError, wire.TooLargeError, wire.ClosedError) as error:
            self._death_fault()
            raise SandboxError(f"no worker process can be started: it ended at once (status {self._status})") from error
        self._peak, *jail = greeting.value if isinstance(greeting.value, tuple) else (0,)
        self._ready, self.jail = True, tuple(jail)
        if self.jail == COMPLETE:
            return
        if self._policy.required:
            self.end()
            raise SandboxError(
                f"parsers would not be sandboxed ({describe_jail(self.jail)}); --require-jail forbids that"
            )
        _warn_once(self.jail)

    def _can_read(self) -> None:
        self._wait(self._answers, select.POLLIN)

    def _can_write(self) -> None:
        self._wait(self._tasks, select.POLLOUT)

    def _wait(self, fd: int, event: int) -> None:
        while True:
            left = self._deadline - time.monotonic()
            if _polled(fd, event, min(max(left, 0), _LOOK_SECONDS)):
                return
            if left <= 0:
                raise _LateError
            if self._dead():
                raise wire.ClosedError

    def _value(self, answer: wire.WireFrame) -> Any:
        kind, number, last, value = answer
        if number != self._number or (kind == wire.RAISED and not isinstance(value, str)):
            kind = wire.READY  # of no answer to this task
        if last or kind in (wire.READY, wire.TASK):
            self.end()
        if kind == wire.VALUE:
            return value
        if kind == wire.RAISED:
            raise WorkerFault("raised", value)
        if kind == wire.TOO_LARGE:
            raise self._too_large()
        raise WorkerFault("died", "the parser damaged the worker that ran it")

    def _too_large(self) -> WorkerFault:
        return WorkerFault("too-large", f"gave more than {format_bytes(self._limits.result)}, or too many items")

    def _dead(self) -> bool:
        """Return whether it has exited. It is not reaped yet, so its process id is not reused."""
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _death_fault(self) -> WorkerFault:
        """Return the fault of a worker that closed its pipe: why it exited, if it did."""
        patience = time.monotonic() + _DEATH_SECONDS
        while not (exited := self._dead()) and time.monotonic() < patience:
            time.sleep(0.001)
        self.end()
        return self._exit_fault() if exited else WorkerFault("died", "the parser broke the connection to its worker")

    def _exit_fault(self) -> WorkerFault:
        status, limits = self._status or 0, self._limits
        if status == _OUT_OF_MEMORY:
            return WorkerFault("memory", f"needed more than {format_bytes(limits.memory)}")
        if status == -signal.SIGPROF:
            return WorkerFault("timeout", f"took longer than {limits.seconds:g} s")
        if status == -signal.SIGALRM:
            return WorkerFault("timeout", f"took longer than {self._wall_seconds:g} s")
        if status >= 0:
            return WorkerFault("died", f"the parser ended its process (status {status})")
        if self._ran_out_of_memory(-status):
            return WorkerFault("memory", f"needed more than {format_bytes(limits.memory)} (signal {-status})")
        return WorkerFault("died", f"the parser crashed (signal {-status})")

    def _ran_out_of_memory(self, number: int) -> bool:
        """Return whether a crash was most likely caused by lack of memory: C code then aborts, or writes to address 0.

        By then it has used at least a third of the limit, because a refused array was about to double. The stack does
        not count, because running out of it is another crash. Nor does a peak that did not rise since the start: Linux
        passes the parent's peak on to a new process.
        """
        crashes = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS)
        used = self._peak_at_death * 1024 - self._limits.stack if self._peak_at_death > self._peak else 0
        return sys.platform == "linux" and number in crashes and used >= self._limits.memory / 3

    def _reap(self) -> None:
        with self._lock:
            if self._status is not None:
                return
            try:
                _, status, usage = os.wait4(self._process.pid, 0)
                self._status, self._peak_at_death = os.waitstatus_to_exitcode(status), usage.ru_maxrss
            except ChildProcessError:  # somebody else in this process waits for every child
                self._status = 0
            self._process.returncode = self._status


@cache
def _warn_once(jail: tuple[str, ...]) -> None:
    _log.warning("parsers are not sandboxed (%s): read untrusted files only in a container", describe_jail(jail))


def _start(settings: dict[str, Any], fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
    """Start a fresh interpreter in its own session: no terminal, no Ctrl-C, no files except the given ones."""
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", _START, json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment | _SET,
            pass_fds=fds,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxError(f"no worker process can be started: {error}") from error


def _path() -> list[str]:
    """Return absolute module paths, because the worker starts in another folder."""
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100  (entries are text, and may be empty)


def _widen(pipe: int) -> None:
    """Enlarge a pipe where the system can; a smaller one works as well."""
    import fcntl

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


def _polled(fd: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(fd, event)
    return bool(poll.poll(seconds * 1000))
