"""Works ahead: an ordered map that lets several threads prepare what one of them will need next."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

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
