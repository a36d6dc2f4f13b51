"""One worker as its parent sees it: starts it, gives it tasks, kills it, and says in words what it died of."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from whorl.frontends.sandbox import wire
from whorl.frontends.sandbox.faults import SandboxError, WorkerFault
from whorl.frontends.sandbox.limits import Limits, in_words
from whorl.frontends.sandbox.values import DamagedError

# How a worker says that memory ran out; the worker's own module cannot be imported on every system.
_OUT_OF_MEMORY = 77

# A worker starts in 0.2 s. On a machine so loaded that it takes this long, nothing else works either.
_START_SECONDS = 60

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
_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "WHORL_KERNEL")
_SET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Not multiprocessing's way: that would run the user's main module again in every worker.
_START = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings["path"]
from whorl.frontends.sandbox.worker import main
main(settings)
"""


class _LateError(Exception):
    """The deadline has passed."""


class Worker:
    """A child process that runs tasks, one at a time. Used by one thread at a time; ``kill`` by any."""

    # The parent's ends of the three pipes; -1 once they are closed.
    _tasks: int
    _answers: int
    _lifeline: int

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._number = 0
        self._ahead: wire.Encoded | None = None
        self._deadline = time.monotonic() + _START_SECONDS
        self._ready = False
        self._peak = self._peak_at_death = 0
        self._status: int | None = None
        self._lock = threading.Lock()
        self._open(limits)

    @property
    def fresh(self) -> bool:
        """Whether no task has run in it yet."""
        return self._number == 0

    @property
    def usable(self) -> bool:
        """Whether it lives and awaits a task. One that says something unasked, or died, is not."""
        if self._status is not None or not self._ready or self._ahead is not None:
            return self._status is None
        return not _polled(self._answers, select.POLLIN, 0)

    def run(self, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        """The task's value. After any other fault than ``raised`` or an honest ``too-large`` it is no longer usable.

        ``following``, of ``SMALL_TASK`` bytes at most, is the task of the next call. It is sent already, so that the
        worker need not wait for it; its time begins with its own call.
        """
        try:
            self._greet()
            self._number += 1
            self._deadline = time.monotonic() + self._limits.seconds
            if task is not self._ahead:
                wire.send(self._tasks, self._can_write, wire.TASK, self._number, task)
            self._ahead = following
            if following is not None:
                wire.send(self._tasks, self._can_write, wire.TASK, self._number + 1, following)
            answer = wire.receive(self._answers, self._can_read, self._limits.result)
        except _LateError:
            self.end()
            raise WorkerFault("timeout", f"took longer than {self._limits.seconds:g} s") from None
        except wire.TooLargeError:
            self.end()
            raise self._too_large() from None
        except DamagedError:
            self.end()
            raise WorkerFault("died", "the parser damaged the worker that ran it") from None
        except wire.ClosedError:
            raise self._cause_of_death() from None
        except BaseException:
            self.end()
            raise
        return self._value(answer)

    def kill(self) -> None:
        """Kill it and every process that it started, at once. It is reaped by whoever uses it."""
        with self._lock:
            if self._status is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill and reap it. Nothing of it is left; calling it again does nothing."""
        self.kill()
        self._reap()
        for fd in (self._tasks, self._answers, self._lifeline):
            if fd >= 0:
                os.close(fd)
        self._tasks = self._answers = self._lifeline = -1

    def _open(self, limits: Limits) -> None:
        tasks, self._tasks = os.pipe()
        self._answers, answers = os.pipe()
        lifeline, self._lifeline = os.pipe()
        theirs = {"tasks": tasks, "answers": answers, "lifeline": lifeline}
        try:
            for fd in (self._tasks, self._answers):
                os.set_blocking(fd, False)
                _widen(fd)
            self._process = _start({**theirs, "path": _path(), "limits": asdict(limits)}, tuple(theirs.values()))
        except BaseException:
            for fd in (self._tasks, self._answers, self._lifeline):
                os.close(fd)
            raise
        finally:
            for fd in theirs.values():
                os.close(fd)

    def _greet(self) -> None:
        """Wait until a new worker is ready. Its time is not the task's; its failure is the sandbox's."""
        if self._ready:
            return
        try:
            greeting = wire.receive(self._answers, self._can_read, 0)
        except (_LateError, DamagedError, wire.TooLargeError, wire.ClosedError) as error:
            self._cause_of_death()
            raise SandboxError(f"no worker process can be started: it ended at once (status {self._status})") from error
        self._ready, self._peak = True, greeting.value if isinstance(greeting.value, int) else 0

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

    def _value(self, answer: wire.Frame) -> Any:
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
        return WorkerFault("too-large", f"gave more than {in_words(self._limits.result)}, or too many items")

    def _dead(self) -> bool:
        """Whether it exited. It is not reaped yet: until then its number cannot become another process's."""
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _cause_of_death(self) -> WorkerFault:
        """What to say of a worker that closed its pipe: why it exited, if it did."""
        patience = time.monotonic() + _DEATH_SECONDS
        while not (exited := self._dead()) and time.monotonic() < patience:
            time.sleep(0.001)
        self.end()
        return self._epitaph() if exited else WorkerFault("died", "the parser broke the connection to its worker")

    def _epitaph(self) -> WorkerFault:
        status, limits = self._status or 0, self._limits
        if status == _OUT_OF_MEMORY:
            return WorkerFault("memory", f"needed more than {in_words(limits.memory)}")
        if status == -signal.SIGALRM:
            return WorkerFault("timeout", f"took longer than {limits.seconds:g} s")
        if status >= 0:
            return WorkerFault("died", f"the parser ended its process (status {status})")
        if self._starved(-status):
            return WorkerFault("memory", f"needed more than {in_words(limits.memory)} (signal {-status})")
        return WorkerFault("died", f"the parser crashed (signal {-status})")

    def _starved(self, number: int) -> bool:
        """Whether a crash was most likely for want of memory: C code that gets none aborts, or writes to address 0.

        By then it has used much of what it may have: an array that doubles and is refused is a third of it at least.
        The stack does not count, since running out of that is another crash. Nor does a peak that did not rise since
        the start: Linux passes the parent's on to a new process.
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


def _start(settings: dict[str, Any], fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
    """A fresh interpreter in a session of its own: no terminal, no Ctrl-C, no files but the given ones."""
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
    """Where modules are found, for a process that starts in another folder."""
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100  (entries are text, and may be empty)


def _widen(pipe: int) -> None:
    """Make a pipe larger where the system can; where it refuses, the smaller one works as well."""
    import fcntl

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


def _polled(fd: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(fd, event)
    return bool(poll.poll(seconds * 1000))
