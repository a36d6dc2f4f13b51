"""How many answers stay open to tell of progress: no more than may be, for each is a connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from whorl.service.problems import Problem


class Streams:
    """Counts the streams that are open."""

    def __init__(self, most: int) -> None:
        self._left, self._turn = most, Lock()

    def check(self) -> None:
        """A problem if there is no room for another."""
        if self._left < 1:
            raise Problem(429, "Too many streams are open. Ask for the job's state now and then instead.")

    @contextmanager
    def one(self) -> Iterator[bool]:
        """A stream, while it is open; False if somebody else was faster."""
        with self._turn:
            has_room = self._left > 0
            self._left -= has_room
        try:
            yield has_room
        finally:
            with self._turn:
                self._left += has_room
