"""Jobs on their way into the queue: one that is full is told as such."""

from collections.abc import Callable
from typing import TypeVar

from whorl.service.jobs import QueueFullError
from whorl.service.problems import Problem

T = TypeVar("T")

# Seconds after which a full queue may have room: a small class takes so long.
LATER = 30


def submitted(work: Callable[[], T]) -> T:
    """What the queue gives; 429 if it is full."""
    try:
        return work()
    except QueueFullError as error:
        raise Problem(429, f"The queue is full: {error}.", retry_after=LATER) from error
