"""The tasks of ``map`` that wait for a worker, first come, first served."""

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from whorl.frontends.sandbox import wire
from whorl.frontends.sandbox.faults import Outcome


@dataclass(frozen=True)
class Job:
    """A task on its way, and where its outcome is awaited."""

    task: wire.Encoded
    future: Future[Outcome] = field(default_factory=Future)


class Jobs:
    """A queue whose head can be looked at, which is closed once."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: Job) -> None:
        """Add a job at the end."""
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()

    def take(self) -> Job | None:
        """The next job, as soon as there is one; None once the queue is closed and empty."""
        with self._changed:
            while True:
                while self._waiting:
                    job = self._waiting.popleft()
                    if job.future.set_running_or_notify_cancel():
                        return job
                if self._closed:
                    return None
                self._changed.wait()

    def take_small(self, largest: int) -> Job | None:
        """The next job if it is there and of this size at most."""
        with self._changed:
            while self._waiting and wire.size(self._waiting[0].task) <= largest:
                job = self._waiting.popleft()
                if job.future.set_running_or_notify_cancel():
                    return job
        return None

    def close(self) -> None:
        """Let those who take go, after the jobs that are left."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
