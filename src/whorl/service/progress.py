"""How far a job is, told to the database now and then."""

import time
from collections.abc import Callable

from whorl.service.jobs import Jobs

# Seconds between two writes. People see no more, and telling of every document would cost more than some documents.
OFTEN = 0.5


class Progress:
    """Takes what comparing, clustering and the like say of themselves: a step, how much is done, how much there is."""

    def __init__(self, jobs: Jobs, id_: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._jobs, self._id, self._clock = jobs, id_, clock
        self._step, self._told = "", 0.0

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Say how far it is. The first and the last of a step are always written."""
        moment = self._clock()
        if step == self._step and moment - self._told < OFTEN and done != total:
            return
        self._step, self._told = step, moment
        self._jobs.progress(self._id, step, done, total)
