"""The pool of workers: a queue of tasks, slots of workers, and the shared sandbox of the process."""

import atexit
import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from whorl.errors import InputError
from whorl.sandbox import wire
from whorl.sandbox.jail import JailPolicy
from whorl.sandbox.limits import Limits, Outcome, SandboxError, WorkerFault
from whorl.sandbox.process import SMALL_TASK, Worker


@dataclass(frozen=True)
class ParseJob:
    """A task, and the future of its outcome."""

    task: wire.Encoded
    future: Future[Outcome] = field(default_factory=Future)


class ParseJobQueue:
    """A queue whose head can be inspected, and which is closed once."""

    def __init__(self) -> None:
        self._waiting: deque[ParseJob] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: ParseJob) -> None:
        """Add a job at the end."""
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()

    def take(self) -> ParseJob | None:
        """Return the next job, as soon as there is one; None once the queue is closed and empty."""
        with self._changed:
            while True:
                while self._waiting:
                    job = self._waiting.popleft()
                    if job.future.set_running_or_notify_cancel():
                        return job
                if self._closed:
                    return None
                self._changed.wait()

    def take_small(self, largest: int) -> ParseJob | None:
        """Return the next job if there is one of at most this size."""
        with self._changed:
            while self._waiting and wire.size(self._waiting[0].task) <= largest:
                job = self._waiting.popleft()
                if job.future.set_running_or_notify_cancel():
                    return job
        return None

    def close(self) -> None:
        """Release waiting threads once the queue is empty."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


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


class WorkerSlots:
    """All slots of a pool. A freed slot goes to the thread that has waited longest."""

    def __init__(self, limits: Limits, count: int, policy: JailPolicy) -> None:
        self.all = tuple(WorkerSlot(limits, policy) for _ in range(count))
        # The slot used last is taken first: its worker is warm, and no more are started than are needed.
        self._free = list(self.all)
        self._waiting: deque[Future[WorkerSlot]] = deque()
        self._lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether a thread waits for a slot."""
        return bool(self._waiting)

    @contextmanager
    def one(self) -> Iterator[WorkerSlot]:
        """Hold a slot, once one is free."""
        slot = self.take()
        try:
            yield slot
        finally:
            self.give(slot)

    def take(self, seconds: float | None = None) -> WorkerSlot:
        """Return a slot; raise TimeoutError if none becomes free in time."""
        with self._lock:
            if self._free:
                return self._free.pop()
            turn: Future[WorkerSlot] = Future()
            self._waiting.append(turn)
        try:
            return turn.result(seconds)
        except BaseException:
            self._withdraw(turn)
            raise

    def give(self, slot: WorkerSlot) -> None:
        """Release a slot, or pass it to a waiting thread."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set_result(slot)
            else:
                self._free.append(slot)

    def _withdraw(self, turn: Future[WorkerSlot]) -> None:
        """Stop waiting, and release a slot that arrived too late."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return
        self.give(turn.result())


# Workers that run no program, and work as well where the kernel has no jail.
DEFAULT_POLICY = JailPolicy()

# Tasks begun before their result is asked for, a worker: one runs, one waits its turn.
_AHEAD = 2

# How long closing waits for threads that are busy with a worker that was just killed; freeing its memory takes longest.
_CLOSE_SECONDS = 5.0


class Sandbox:
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
        self._closed = False
        self._lock = threading.Lock()
        self._slots = WorkerSlots(self.limits, workers, policy)
        self._jobs = ParseJobQueue()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        return self._closed

    def jail(self) -> tuple[str, ...]:
        """Return the parts of the jail that apply in its workers: ``whorl.sandbox.jail.COMPLETE`` if all
        do."""
        self._check()
        with self._slots.one() as slot:
            return slot.jail()

    def call(self, target: str, *arguments: Any) -> Any:
        """Run ``target(*arguments)`` in a worker; raise ``WorkerFault`` if it fails."""
        task = wire.encode((target, *arguments))
        self._check()
        with self._slots.one() as slot:
            return self._run(slot, task)

    def map(self, target: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Outcome]:
        """Yield one outcome for each tuple of arguments, in order. A few tasks are started ahead."""
        begun: deque[Future[Outcome]] = deque()
        try:
            for arguments in tasks:
                begun.append(self._begin(target, arguments))
                if len(begun) > _AHEAD * self.workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()

    def close(self) -> None:
        """Kill all workers, busy or not. Calling it again does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._owner != os.getpid():
            return  # a copy in a forked process: the workers are not its children
        for slot in self._slots.all:
            slot.kill()
        self._jobs.close()
        self._release_slots()

    def _release_slots(self) -> None:
        """Reap each worker once its thread has released it and earlier waiters have seen why."""
        slots = []
        try:
            for _ in self._slots.all:
                slots.append(self._slots.take(_CLOSE_SECONDS))
                slots[-1].end()
        except TimeoutError:
            return  # the worker is killed; its thread reaps it
        finally:
            for slot in slots:
                self._slots.give(slot)  # for those who come later: they find it closed

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

    def _begin(self, target: str, arguments: tuple[Any, ...]) -> Future[Outcome]:
        job = ParseJob(wire.encode((target, *arguments)))
        with self._lock:
            self._check()
            if len(self._threads) < self.workers:
                self._threads.append(threading.Thread(target=self._work, name="whorl-sandbox", daemon=True))
                self._threads[-1].start()
            self._jobs.put(job)
        return job.future

    def _work(self) -> None:
        """Run one thread of ``map``. Threads keep workers busy while the caller processes a result."""
        while (job := self._jobs.take()) is not None:
            with self._slots.one() as slot:
                self._stay(slot, job)
            del job  # not held while the next one is awaited

    def _stay(self, slot: WorkerSlot, job: ParseJob | None) -> None:
        """Run jobs in one slot, sending each ahead of the end of the one before, until none waits or another thread
        does."""
        while job is not None:
            following = None if self._slots.wanted else self._jobs.take_small(SMALL_TASK)
            try:
                job.future.set_result(self._outcome(slot, job, following))
            except BaseException as error:
                job.future.set_exception(error)
            job = following

    def _outcome(self, slot: WorkerSlot, job: ParseJob, following: ParseJob | None) -> Outcome:
        try:
            return Outcome(value=self._run(slot, job.task, following.task if following else None))
        except WorkerFault as fault:
            return Outcome(fault=fault)


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
