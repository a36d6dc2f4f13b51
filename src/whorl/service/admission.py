"""Who may begin now: a few at a time, some may wait, and whoever comes then hears at once that it is too much.

A service that lets everybody wait gives its answers when nobody wants them any more.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Generic, TypeVar

from whorl.service.problems import Problem

T = TypeVar("T")

# Seconds that somebody who may wait does so at the most: past it, what they wait for is stuck.
PATIENCE = 60.0


class Pool(Generic[T]):
    """Things that one thread at a time uses, opened when they are first needed. ``waiting`` threads may wait, whoever
    waits longest comes first, and ``most`` is how many threads there are in here at the most."""

    def __init__(self, opener: Callable[[], T], size: int, waiting: int) -> None:
        self._opener, self._left, self._room = opener, size, waiting
        self._free: list[T] = []
        self._line: deque[object] = deque()
        self._changed = Condition()
        self.most = size + waiting

    @property
    def waits(self) -> int:
        """How many threads wait."""
        return len(self._line)

    @contextmanager
    def taken(self) -> Iterator[T]:
        """One of them, for as long as it is used."""
        item = self._take()
        try:
            yield item
        finally:
            with self._changed:
                self._free.append(item)
                self._changed.notify_all()

    def free(self) -> list[T]:
        """All of them that nobody uses, which nobody gets any more: to be closed."""
        with self._changed:
            found, self._free = self._free, []
            return found

    def _take(self) -> T:
        with self._changed:
            if self._line or not self._is_free():
                self._wait()
            if self._free:
                return self._free.pop()
            self._left -= 1
        return self._opened()

    def _opened(self) -> T:
        try:
            return self._opener()
        except BaseException:
            with self._changed:
                self._left += 1
                self._changed.notify_all()
            raise

    def _is_free(self) -> bool:
        return bool(self._free) or self._left > 0

    def _wait(self) -> None:
        if self.waits >= self._room:
            raise Problem(429, "The service is busy: as many requests as may wait are waiting. Try again in a moment.")
        place = object()
        self._line.append(place)
        try:
            if not self._changed.wait_for(lambda: self._line[0] is place and self._is_free(), PATIENCE):
                raise Problem(503, "The service is stuck: nothing came free for a minute. Tell whoever runs it.")
        finally:
            self._line.remove(place)
            self._changed.notify_all()  # who is first now may go on, if something is free
