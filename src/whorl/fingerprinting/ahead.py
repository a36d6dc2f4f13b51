"""Works ahead: an ordered map that lets several threads prepare what one of them will need next."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Generic, Self, TypeVar

from whorl.errors import InputError

T = TypeVar("T")
R = TypeVar("R")


class Ahead:
    """Maps functions over iterables in order, on ``threads`` threads, holding only a few results at a time."""

    def __init__(self, threads: int) -> None:
        if threads < 1:
            raise InputError(f"threads: {threads} is out of range; give 1 or more")
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def threads(self) -> int:
        """How many work at a time."""
        return self._threads

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """``map(function, items)``, but up to two items a thread are begun before they are asked for."""
        if self._pool is None:
            yield from map(function, items)
            return
        begun: deque[Future[R]] = deque()
        for item in items:
            begun.append(self._pool.submit(function, item))
            if len(begun) > 2 * self._threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()

    def each(self, function: Callable[[T], R], items: Iterable[T], then: Callable[[R], object]) -> None:
        """``then(function(item))`` for each item, in their order. What ``function`` gives is handed on by the thread
        that made it, unless it must wait for others: to another core it would be slow to get."""
        if self._pool is None:
            for item in items:
                then(function(item))
            return
        line = _Line(then)
        begun: deque[Future[None]] = deque()
        for number, item in enumerate(items):
            begun.append(self._pool.submit(lambda number, item: line.hand_on(number, function(item)), number, item))
            if len(begun) > 2 * self._threads:
                begun.popleft().result()
        while begun:
            begun.popleft().result()


class _Line(Generic[R]):
    """Hands on numbered results in order, one at a time, whichever thread brings them. After an error nothing more."""

    def __init__(self, then: Callable[[R], object]) -> None:
        self._then = then
        self._lock = Lock()
        self._waiting: dict[int, R] = {}
        self._next = 0

    def hand_on(self, number: int, result: R) -> None:
        """What waits for this one is handed on with it."""
        with self._lock:
            self._waiting[number] = result
            while self._next in self._waiting:
                self._then(self._waiting.pop(self._next))
                self._next += 1
