"""How often somebody may ask: a bucket for each, which fills at a steady rate and holds no more than a burst."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from threading import Lock

# Buckets that are remembered: those of the most recent who asked. A forgotten one is a full one.
REMEMBERED = 10_000


class Buckets:
    """One bucket for each key. ``rate`` drops fall into it a second, ``burst`` of them fit."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def take(self, key: str) -> int:
        """Take a drop: 0, or the seconds after which there will be one again."""
        with self._turn:
            now = self._clock()
            level, since = self._buckets.pop(key, (self._burst, now))
            level = min(self._burst, level + (now - since) * self._rate)
            wait = 0 if level >= 1 else ceil((1 - level) / self._rate)
            self._buckets[key] = (level if wait else level - 1, now)
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
            return wait
