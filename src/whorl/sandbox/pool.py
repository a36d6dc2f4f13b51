"""The pool of workers: a queue of tasks, slots of workers, and the shared sandbox of the process."""

import atexit
import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from whorl.errors import InputError
from whorl.model import Closing
from whorl.sandbox import wire
from whorl.sandbox.jail import JailPolicy
from whorl.sandbox.limits import Limits, Outcome, SandboxError, WorkerFault
from whorl.sandbox.process import SMALL_TASK, Worker
from whorl.threads import Answer, Crew


@dataclass
class ParseJob:
    """A task, and its outcome once it has one. Without a task, the outcome is the jail of the worker."""

    task: wire.Encoded | None
    outcome: Answer[Outcome] = field(default_factory=Answer)
    is_cancelled: bool = False


class ParseJobQueue:
    """A queue whose head can be inspected, and which is closed once. Anyone may put, also a thread that is interrupted;
    the threads of the sandbox take."""

    def __init__(self) -> None:
        self._waiting: deque[ParseJob] = deque()
        # A sign for each job that waits, for threads that have none. Where an interrupt kept one back, the job comes
        # after another one.
        self._signs: SimpleQueue[None] = SimpleQueue()
        self._idle: list[None] = []
        self._unfinished: list[None] = []
        self._taking = threading.Lock()
        self._closed = False

    def put(self, job: ParseJob) -> None:
        """Add a job at the end."""
        self._unfinished.append(None)
        self._waiting.append(job)
        self._signs.put(None)

    def finish(self) -> None:
        """Note that a job which was taken is done, before anyone hears of it."""
        self._unfinished.pop()

    @property
    def unfinished(self) -> int:
        """The jobs that wait or run. An interrupt can leave it too high."""
        return len(self._unfinished)

    def take(self) -> ParseJob | None:
        """Return the next job, as soon as there is one; None once the queue is closed and empty."""
        has_sign = False
        while (job := self._next(has_sign=has_sign)) is None:
            if self._closed:
                self._signs.put(None)  # for the next thread
                return None
            self._idle.append(None)
            self._signs.get()
            self._idle.pop()
            has_sign = True
        return job

    def take_small(self, largest: int) -> ParseJob | None:
        """Return the next job if there is one of at most this size, and no other thread to do it."""
        return None if self._idle else self._next(largest)

    def close(self) -> None:
        """Release waiting threads once the queue is empty."""
        self._closed = True
        self._signs.put(None)

    def _next(self, largest: int | None = None, *, has_sign: bool = False) -> ParseJob | None:
        with self._taking:
            while self._waiting:
                task = self._waiting[0].task
                if largest is not None and (task is None or wire.size(task) > largest):
                    return None
                job = self._waiting.popleft()
                if not has_sign:
                    with suppress(Empty):
                        self._signs.get_nowait()
                has_sign = False
                if not job.is_cancelled:
                    return job
                self.finish()
        return None


# Faults for which what ran in the worker before may be to blame: a damaged heap, memory that was not given back.
_DOUBTFUL = ("died", "memory")


class WorkerSlot:
    """The slot of one worker: empty until the first task, refilled when its worker is gone."""

    def __init__(self, limits: Limits, policy: JailPolicy) -> None:
        self._limits, self._policy = limits, policy
        self._worker: Worker | None = None
        self._lock = threading.Lock()
        self._closed = False

    def run(self, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        """Return the task's value. If an earlier task may have caused a fault, a new worker tries again.

        ``following`` is the next task of this slot, if it is known and small.
        """
        worker = self._live_worker()
        fresh = worker.fresh
        try:
            return worker.run(task, following)
        except WorkerFault as fault:
            if fresh or fault.kind not in _DOUBTFUL or self._closed:
                raise
        return self._live_worker().run(task)

    def jail(self) -> tuple[str, ...]:
        """Return the parts of the jail that apply in the worker."""
        worker = self._live_worker()
        worker.await_ready()
        return worker.jail

    def kill(self) -> None:
        """Kill the worker and start no other."""
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.kill()

    def end(self) -> None:
        """Kill and reap the worker of an unused slot."""
        self.kill()
        if self._worker is not None:
            self._worker.end()

    def _live_worker(self) -> Worker:
        if self._worker is not None and not self._worker.usable:
            self._worker.end()
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            if self._worker is None or not self._worker.usable:
                self._worker = Worker(self._limits, self._policy)
            return self._worker


# Workers that run no program, and work as well where the kernel has no jail.
DEFAULT_POLICY = JailPolicy()

# Tasks begun before their result is asked for, a worker: one runs, one waits its turn.
_AHEAD = 2

# How long closing waits for threads that are busy with a worker that was just killed; freeing its memory takes longest.
_CLOSE_SECONDS = 5.0


class Sandbox(Closing):
    """Runs module-level functions, named ``module:function``, in isolated processes.

    They take and return None, truth values, numbers, strings, bytes, NumPy arrays of numbers, and lists and tuples of
    them. They must not depend on the state of another task, and may be run a second time after a crash. Any number of
    threads may use one sandbox. Processes start on demand and live until ``close``.
    """

    def __init__(
        self, workers: int | None = None, limits: Limits | None = None, policy: JailPolicy = DEFAULT_POLICY
    ) -> None:
        if os.name != "posix" or not sys.executable:
            raise SandboxError("untrusted parsers need a POSIX system (Linux, macOS) and a Python interpreter to start")
        workers = _cores() if workers is None else workers
        if workers < 1:
            raise InputError(f"workers: {workers} is out of range; give 1 or more")
        self.workers, self.limits = workers, limits or Limits()
        self._owner = os.getpid()
        self._closed = self._killed = False
        self._lock = threading.Lock()
        self._slots = tuple(WorkerSlot(self.limits, policy) for _ in range(workers))
        self._unused = list(self._slots)
        self._jobs = ParseJobQueue()
        self._crew = Crew(self._work)

    @property
    def closed(self) -> bool:
        return self._closed

    def jail(self) -> tuple[str, ...]:
        """Return the parts of the jail that apply in its workers: ``whorl.sandbox.jail.COMPLETE`` if all
        do."""
        found: tuple[str, ...] = self._wait(self._begin(None)).result()
        return found

    def call(self, target: str, *arguments: Any) -> Any:
        """Run ``target(*arguments)`` in a worker; raise ``WorkerFault`` if it fails."""
        return self._wait(self._begin(wire.encode((target, *arguments)))).result()

    def begin(self, target: str, *arguments: Any) -> Answer[Outcome]:
        """Let a worker run ``target(*arguments)``, after the tasks that were begun before, and return at once."""
        return self._begin(wire.encode((target, *arguments))).outcome

    def map(self, target: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Outcome]:
        """Yield one outcome for each tuple of arguments, in order. A few tasks are started ahead."""
        begun: deque[ParseJob] = deque()
        try:
            for arguments in tasks:
                begun.append(self._begin(wire.encode((target, *arguments))))
                if len(begun) > _AHEAD * self.workers:
                    yield begun.popleft().outcome.take()
            while begun:
                yield begun.popleft().outcome.take()
        finally:
            for job in begun:
                job.is_cancelled = True

    def close(self) -> None:
        """Kill all workers, busy or not. Calling it again does nothing, unless an interrupt kept it from that."""
        if self._killed:
            return
        with self._lock:
            self._closed = True
            self._jobs.close()
        if self._owner != os.getpid():
            return  # a copy in a forked process: the workers are not its children
        for slot in self._slots:
            slot.kill()
        self._killed = True
        # Their threads reap them, once all who wait have seen why.
        self._crew.join(_CLOSE_SECONDS)

    def _check(self) -> None:
        if self._closed:
            raise SandboxError("the sandbox is closed")
        if self._owner != os.getpid():
            raise SandboxError("the sandbox belongs to another process: make a new one after a fork")

    def _run(self, slot: WorkerSlot, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        try:
            return slot.run(task, following)
        except (WorkerFault, SandboxError):
            self._check()  # a worker that closing killed is no fault of the task
            raise

    def _begin(self, task: wire.Encoded | None) -> ParseJob:
        job = ParseJob(task)
        with self._lock:
            self._check()
            self._jobs.put(job)
            if len(self._crew) < min(self.workers, self._jobs.unfinished):
                self._crew.start()
        return job

    @staticmethod
    def _wait(job: ParseJob) -> Outcome:
        try:
            return job.outcome.take()
        except BaseException:
            job.is_cancelled = True
            raise

    def _work(self) -> None:
        """Run one thread, with a slot of its own. Threads keep workers busy while the caller processes a result."""
        slot = self._unused.pop()
        try:
            while (job := self._jobs.take()) is not None:
                self._stay(slot, job)
                del job  # not held while the next one is awaited
        finally:
            slot.end()

    def _stay(self, slot: WorkerSlot, job: ParseJob | None) -> None:
        """Run jobs in a slot, sending each ahead of the end of the one before, until none waits or another thread
        does."""
        while job is not None:
            following = self._jobs.take_small(SMALL_TASK)
            job.outcome.give(self._outcome, slot, job.task, following.task if following else None)
            job = following

    def _outcome(self, slot: WorkerSlot, task: wire.Encoded | None, following: wire.Encoded | None) -> Outcome:
        try:
            return Outcome(value=slot.jail() if task is None else self._run(slot, task, following))
        except WorkerFault as fault:
            return Outcome(fault=fault)
        finally:
            self._jobs.finish()


def _cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_lock = threading.Lock()
# The program that workers may run, None for those that run none → their sandbox.
_sandboxes: dict[str | None, Sandbox] = {}
_limits = Limits()
_workers: int | None = None

# Set to 1, no parser of this process and of those that it starts runs without a complete jail.
REQUIRED = "WHORL_REQUIRE_JAIL"


def require_jail() -> None:
    """Let no parser run without a complete jail, here and in processes that this one starts. Raise ``SandboxError`` if
    this machine has none."""
    os.environ[REQUIRED] = "1"
    with Sandbox(1, policy=JailPolicy(required=True)) as sandbox:
        sandbox.jail()


def default_sandbox(run: str | None = None) -> Sandbox:
    """Return the shared sandbox, by default with the default limits and one worker per core. Workers that may ``run`` a
    program have a sandbox of their own."""
    with _lock:
        sandbox = _sandboxes.get(run)
        if sandbox is None or sandbox.closed:
            sandbox = _sandboxes[run] = Sandbox(_workers, _limits, JailPolicy(run, os.environ.get(REQUIRED) == "1"))
            atexit.register(sandbox.close)
        return sandbox


def configure(limits: Limits, workers: int | None = None) -> None:
    """Set the limits and the number of workers of the shared sandbox."""
    global _limits, _workers
    with _lock:
        if (limits, workers) == (_limits, _workers):
            return
        for sandbox in _sandboxes.values():
            sandbox.close()
        _sandboxes.clear()
        _limits, _workers = limits, workers


def use_workers(workers: int) -> None:
    """Set the number of workers of the shared sandbox, and leave its limits."""
    configure(_limits, workers)


def _forget() -> None:
    """Reset after a fork: the workers are the parent's, and its lock may never be released."""
    global _lock
    _lock = threading.Lock()
    _sandboxes.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
