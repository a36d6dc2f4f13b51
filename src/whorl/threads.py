"""Threads that make calls for another one. Ctrl-C leaves neither them stuck nor the one that waits for them.

Python raises KeyboardInterrupt in the main thread between any two of its own steps, also where its library has just
taken a lock: ``Future.result`` and ``Thread.start`` can leave one locked for ever. Then a thread waits for it, and the
end of the program for the thread. So the main thread takes no lock that these threads need. What both touch are queues
and lists, by single calls of C, which are done or not.
"""

from _thread import get_ident, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import starmap
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar, cast

from whorl.errors import InputError
from whorl.model import Closing

T = TypeVar("T")
R = TypeVar("R")


class Answer(Generic[R]):
    """What a thread will have to say: a result, or an error. It is given once, and taken once."""

    __slots__ = ("_given",)

    def __init__(self) -> None:
        self._given: SimpleQueue[tuple[R | None, BaseException | None]] = SimpleQueue()

    def give(self, call: Callable[..., R], *arguments: Any) -> None:
        """Make a call: its result, or its error, is the answer."""
        try:
            self._given.put((call(*arguments), None))
        except BaseException as error:
            self._given.put((None, error))

    def is_given(self) -> bool:
        """Return whether it waits to be taken."""
        return not self._given.empty()

    def take(self) -> R:
        """Wait for the result; raise the error, if it is one."""
        value, error = self._given.get()
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback has this frame
        return cast(R, value)


class Crew:
    """Threads that are counted. Each of them does ``work``, which ends by itself some day."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._started: list[int] = []
        self._ended: SimpleQueue[None] = SimpleQueue()

    def __len__(self) -> int:
        return len(self._started)

    def start(self) -> None:
        """Start one more."""
        # One call of C: no thread is started without being counted.
        self._started.extend(starmap(start_new_thread, [(self._run, ())]))

    def join(self, seconds: float | None = None) -> bool:
        """Wait until all have ended, and return whether they have. Each may take so long."""
        try:
            while self._started:
                self._ended.get(timeout=seconds)
        except Empty:
            return False
        return True

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._started.remove(get_ident())
            self._ended.put(None)


class Threads(Closing):
    """Up to ``count`` threads, which start when they are needed. Leaving drops the calls that have not begun, and waits
    for those that have."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._calls: _Calls = SimpleQueue()
        self._crew = Crew(partial(_make, self._calls))

    def __del__(self) -> None:
        """End the threads, where an interrupt prevented the close; one that came before left none."""
        if hasattr(self, "_crew"):
            self._calls.put(None)

    def submit(self, function: Callable[..., R], *arguments: Any) -> Answer[R]:
        """Let a thread make a call."""
        if len(self._crew) < self._count:
            self._crew.start()
        answer: Answer[R] = Answer()
        self._calls.put(lambda: answer.give(function, *arguments))
        return answer

    def close(self) -> None:
        """Drop what has not begun, and wait for the rest. Calling it again does nothing."""
        with suppress(Empty):
            while True:
                self._calls.get_nowait()
        self._calls.put(None)
        self._crew.join()


_Calls: TypeAlias = "SimpleQueue[Callable[[], None] | None]"


def _make(calls: _Calls) -> None:
    """Make calls, until there are no more."""
    while (call := calls.get()) is not None:
        call()
        del call  # not held while the next one is awaited
    calls.put(None)  # for the next thread


class Prefetch(Closing):
    """Map functions over iterables in order, on ``threads`` threads, holding only a few results at a time."""

    def __init__(self, threads: int) -> None:
        if threads < 1:
            raise InputError(f"threads: {threads} is out of range; give 1 or more")
        self._threads = threads
        self._pool = Threads(threads) if threads > 1 else None

    @property
    def threads(self) -> int:
        return self._threads

    def close(self) -> None:
        """Drop what has not begun, and wait for the rest."""
        if self._pool is not None:
            self._pool.close()

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Map in order, with up to two items a thread started before they are needed."""
        if self._pool is None:
            yield from map(function, items)
            return
        started: deque[Answer[R]] = deque()
        for item in items:
            started.append(self._pool.submit(function, item))
            if len(started) > 2 * self._threads:
                yield started.popleft().take()
        while started:
            yield started.popleft().take()

    def each(self, function: Callable[[T], R], items: Iterable[T], then: Callable[[R], object]) -> None:
        """Call ``then(function(item))`` for each item, in order.

        The thread that computed a result passes it on, unless it must wait for earlier ones: moving it to another core
        would be slow.
        """
        if self._pool is None:
            for item in items:
                then(function(item))
            return
        results = _InOrder(then)
        started: deque[Answer[None]] = deque()
        for number, item in enumerate(items):
            started.append(
                self._pool.submit(lambda number, item: results.pass_on(number, function(item)), number, item)
            )
            if len(started) > 2 * self._threads:
                started.popleft().take()
        while started:
            started.popleft().take()


class _InOrder(Generic[R]):
    """Pass on numbered results in order, one at a time, from any thread. After an error, pass on no more."""

    def __init__(self, then: Callable[[R], object]) -> None:
        self._then = then
        self._lock = Lock()
        self._waiting: dict[int, R] = {}
        self._next = 0

    def pass_on(self, number: int, result: R) -> None:
        """Pass on a result, and those that waited for it."""
        with self._lock:
            self._waiting[number] = result
            while self._next in self._waiting:
                self._then(self._waiting.pop(self._next))
                self._next += 1
