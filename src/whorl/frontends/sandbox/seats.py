"""Places of workers. A seat replaces its worker when that is gone; seats go to those who want them, in their order."""

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from whorl.frontends.sandbox import wire
from whorl.frontends.sandbox.faults import SandboxError, WorkerFault
from whorl.frontends.sandbox.limits import Limits
from whorl.frontends.sandbox.process import Worker

# Faults for which what ran in the worker before may be to blame: a damaged heap, memory that was not given back.
_DOUBTFUL = ("died", "memory")


class Seat:
    """The place of one worker: empty until the first task, and filled anew when the worker in it is gone."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._worker: Worker | None = None
        self._lock = threading.Lock()
        self._closed = False

    def run(self, task: wire.Encoded, following: wire.Encoded | None = None) -> Any:
        """The task's value. A fault that an earlier task may have caused is not believed: a new worker tries again.

        ``following`` is the task that this seat runs next, if that is known and it is small.
        """
        worker = self._filled()
        fresh = worker.fresh
        try:
            return worker.run(task, following)
        except WorkerFault as fault:
            if fresh or fault.kind not in _DOUBTFUL or self._closed:
                raise
        return self._filled().run(task)

    def kill(self) -> None:
        """Kill the worker, whatever it does, and let none follow. Whoever uses the seat finds it dead."""
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.kill()

    def end(self) -> None:
        """Kill and reap the worker; nobody uses the seat."""
        self.kill()
        if self._worker is not None:
            self._worker.end()

    def _filled(self) -> Worker:
        if self._worker is not None and not self._worker.usable:
            self._worker.end()
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            if self._worker is None or not self._worker.usable:
                self._worker = Worker(self._limits)
            return self._worker


class Seats:
    """All seats of a pool. One that becomes free goes to whoever has waited longest, never back to who had it last."""

    def __init__(self, limits: Limits, count: int) -> None:
        self.all = tuple(Seat(limits) for _ in range(count))
        # The seat used last is taken first: its worker is warm, and no more are started than are needed.
        self._free = list(self.all)
        self._waiting: deque[Future[Seat]] = deque()
        self._lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for one."""
        return bool(self._waiting)

    @contextmanager
    def one(self) -> Iterator[Seat]:
        """A seat of one's own, once there is one."""
        seat = self.take()
        try:
            yield seat
        finally:
            self.give(seat)

    def take(self, seconds: float | None = None) -> Seat:
        """A seat; TimeoutError if none becomes free in time."""
        with self._lock:
            if self._free:
                return self._free.pop()
            turn: Future[Seat] = Future()
            self._waiting.append(turn)
        try:
            return turn.result(seconds)
        except BaseException:
            self._withdraw(turn)
            raise

    def give(self, seat: Seat) -> None:
        """Give a seat back, or on."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set_result(seat)
            else:
                self._free.append(seat)

    def _withdraw(self, turn: Future[Seat]) -> None:
        """Whoever was interrupted gives on what came too late."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return
        self.give(turn.result())
