"""The pool: hands tasks to workers, keeps results in order, and leaves nothing behind when it is closed."""

import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

from whorl.errors import InputError
from whorl.frontends.sandbox import wire
from whorl.frontends.sandbox.faults import Outcome, SandboxError, WorkerFault
from whorl.frontends.sandbox.jobs import Job, Jobs
from whorl.frontends.sandbox.limits import Limits
from whorl.frontends.sandbox.process import SMALL_TASK
from whorl.frontends.sandbox.seats import Seat, Seats

# Tasks begun before their result is asked for, a worker: one runs, one waits its turn.
_AHEAD = 2

# How long closing waits for threads that are busy with a worker that was just killed; freeing its memory takes longest.
_CLOSE_SECONDS = 5.0


class Sandbox:
    """Runs module-level functions, named ``module:function``, in processes that cannot hurt this one.

    They take and give None, truth values, numbers, strings, bytes, NumPy arrays of numbers, and lists and tuples of
    them. They must not count on what another task left behind, and may be run a second time after a crash. Any number
    of threads may use one sandbox. Processes start when they are first needed and live until ``close``.
    """

    def __init__(self, workers: int | None = None, limits: Limits | None = None) -> None:
        if os.name != "posix" or not sys.executable:
            raise SandboxError("untrusted parsers need a POSIX system (Linux, macOS) and a Python interpreter to start")
        workers = _cores() if workers is None else workers
        if workers < 1:
            raise InputError(f"workers: {workers} is out of range; give 1 or more")
        self.workers, self.limits = workers, limits or Limits()
        self._owner = os.getpid()
        self._closed = False
        self._lock = threading.Lock()
        self._seats = Seats(self.limits, workers)
        self._jobs = Jobs()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether it takes no more tasks."""
        return self._closed

    def call(self, target: str, *arguments: Any) -> Any:
        """``target(*arguments)`` in a worker. Raises a WorkerFault if it comes to nothing."""
        task = wire.encode((target, *arguments))
        self._check()
        with self._seats.one() as seat:
            return self._run(seat, task)

    def map(self, target: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Outcome]:
        """One outcome for each tuple of arguments, in order. A few tasks are begun before they are asked for."""
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
        """End all workers, busy or not, and leave no process behind. Calling it again does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._owner != os.getpid():
            return  # a copy in a forked process: the workers are not its children
        for seat in self._seats.all:
            seat.kill()
        self._jobs.close()
        self._vacate()

    def _vacate(self) -> None:
        """Reap each worker once the thread that used it has let go of it, and those who waited before have seen why."""
        taken = []
        try:
            for _ in self._seats.all:
                taken.append(self._seats.take(_CLOSE_SECONDS))
                taken[-1].end()
        except TimeoutError:
            return  # the worker is killed; its thread reaps it
        finally:
            for seat in taken:
                self._seats.give(seat)  # for those who come later: they find it closed

    def _check(self) -> None:
        if self._closed:
            raise SandboxError("the sandbox is closed")
        if self._owner != os.getpid():
            raise SandboxError("the sandbox belongs to another process: make a new one after a fork")

    def _run(self, seat: Seat, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        try:
            return seat.run(task, following)
        except (WorkerFault, SandboxError):
            self._check()  # a worker that closing killed is no fault of the task
            raise

    def _begin(self, target: str, arguments: tuple[Any, ...]) -> Future[Outcome]:
        job = Job(wire.encode((target, *arguments)))
        with self._lock:
            self._check()
            if len(self._threads) < self.workers:
                self._threads.append(threading.Thread(target=self._work, name="whorl-sandbox", daemon=True))
                self._threads[-1].start()
            self._jobs.put(job)
        return job.future

    def _work(self) -> None:
        """One thread of ``map``. Threads, so that workers are kept busy while the caller digests a result."""
        while (job := self._jobs.take()) is not None:
            with self._seats.one() as seat:
                self._stay(seat, job)
            del job  # not held while the next one is awaited

    def _stay(self, seat: Seat, job: Job | None) -> None:
        """Run jobs, each handed to the worker before the one before it is done, until nobody waits or others do."""
        while job is not None:
            following = None if self._seats.wanted else self._jobs.take_small(SMALL_TASK)
            try:
                job.future.set_result(self._outcome(seat, job, following))
            except BaseException as error:
                job.future.set_exception(error)
            job = following

    def _outcome(self, seat: Seat, job: Job, following: Job | None) -> Outcome:
        try:
            return Outcome(value=self._run(seat, job.task, following.task if following else None))
        except WorkerFault as fault:
            return Outcome(fault=fault)


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
