"""An ordered map on threads that works ahead of its consumer."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Generic, Self, TypeVar

from whorl.errors import InputError

T = TypeVar("T")
R = TypeVar("R")


class Prefetch:
    """Map functions over iterables in order, on ``threads`` threads, holding only a few results at a time."""

    def __init__(self, threads: int) -> None:
        if threads < 1:
            raise InputError(f"threads: {threads} is out of range; give 1 or more")
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def threads(self) -> int:
        return self._threads

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Map in order, with up to two items a thread started before they are needed."""
        if self._pool is None:
            yield from map(function, items)
            return
        started: deque[Future[R]] = deque()
        for item in items:
            started.append(self._pool.submit(function, item))
            if len(started) > 2 * self._threads:
                yield started.popleft().result()
        while started:
            yield started.popleft().result()

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
        started: deque[Future[None]] = deque()
        for number, item in enumerate(items):
            started.append(
                self._pool.submit(lambda number, item: results.pass_on(number, function(item)), number, item)
            )
            if len(started) > 2 * self._threads:
                started.popleft().result()
        while started:
            started.popleft().result()


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
