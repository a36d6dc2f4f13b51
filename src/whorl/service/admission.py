"""Limits: request rates, pace of uploads, event streams, pools of index readers, bytes of uploads,
bytes that a tenant stores, and bytes of the disk that are kept for deletions."""

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from threading import Condition, Lock
from typing import Generic, TypeVar

from whorl.service.problems import Problem
from whorl.storage.files import PRIVATE_FILE, translate_os_errors

# Buckets that are remembered: those of the most recent who asked. A forgotten one is a full one.
REMEMBERED = 10_000


class RateLimiter:
    """A token bucket per key: ``rate`` requests per second, at most ``burst`` at once."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def take(self, key: str) -> int:
        """Take one request from the bucket. Return 0, or the seconds to wait."""
        with self._turn:
            now = self._clock()
            level, since = self._buckets.pop(key, (self._burst, now))
            level = min(self._burst, level + (now - since) * self._rate)
            wait = 0 if level >= 1 else ceil((1 - level) / self._rate)
            self._buckets[key] = (level if wait else level - 1, now)
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
            return wait


# Seconds of the pace that may come at once.
PACED_AHEAD = 0.25


class BytePacer:
    """Bytes a second, per key: how long to wait before more is received."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._due: OrderedDict[str, float] = OrderedDict()

    def delay(self, key: str, size: int) -> float:
        """Count bytes that came, and return the seconds to wait. Called from one thread."""
        now = self._clock()
        due = max(now, self._due.pop(key, now)) + size / self._rate
        self._due[key] = due
        if len(self._due) > REMEMBERED:
            self._due.popitem(last=False)
        return max(0.0, due - now - PACED_AHEAD)


class Shares:
    """Counts what each tenant holds of something that all need: at most half of it."""

    def __init__(self, most: int) -> None:
        self._share, self._turn = max(1, ceil(most / 2)), Lock()
        self._held: Counter[str] = Counter()

    def take(self, tenant: str) -> bool:
        """Count one more; return False if the tenant holds its share already."""
        with self._turn:
            if self._held[tenant] >= self._share:
                return False
            self._held[tenant] += 1
            return True

    def give_back(self, tenant: str) -> None:
        """Count one less."""
        with self._turn:
            self._held[tenant] -= 1
            if not self._held[tenant]:
                del self._held[tenant]


class StreamLimiter:
    """Counts the open event streams, of all and of each tenant."""

    def __init__(self, most: int) -> None:
        self._left, self._turn, self._shares = most, Lock(), Shares(most)
        self.has_ended = False

    def end(self) -> None:
        """Let all streams end: the service is being stopped."""
        self.has_ended = True

    def check(self, tenant: str) -> None:
        """Raise 429 if the tenant may open no further stream."""
        with self.one(tenant) as has_room:
            if not has_room:
                raise Problem(429, "Too many event streams are open. Poll the state of the job instead.")

    @contextmanager
    def one(self, tenant: str) -> Iterator[bool]:
        """Count a stream while it is open. Yield False if the limit was reached meanwhile."""
        with self._turn:
            has_room = self._left > 0 and self._shares.take(tenant)
            self._left -= has_room
        try:
            yield has_room
        finally:
            if has_room:
                with self._turn:
                    self._left += 1
                self._shares.give_back(tenant)


T = TypeVar("T")

# Seconds that somebody who may wait does so at the most: past it, what they wait for is stuck.
PATIENCE = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A waiting request."""

    tenant: str | None


class Pool(Generic[T]):
    """Things that one thread at a time uses, opened when they are first needed. ``waiting`` threads may wait, and
    ``most`` is how many threads there are in here at the most.

    A tenant has all of the things but one at the most, and half of the places to wait, so that nobody keeps the others
    out. Whoever has the fewest comes first; among those, who waits longest. ``None`` is the service itself, which has
    no share. Things that are added later are preferred, and a tenant may have as many as were added.
    """

    def __init__(self, opener: Callable[[], T], size: int, waiting: int) -> None:
        self._opener, self._left, self._room, self.size = opener, size, waiting, size
        self._share, self._share_of_room = max(1, size - 1), max(1, ceil(waiting / 2))
        self._free: list[T] = []
        self._added: list[T] = []
        self._line: list[_Place] = []
        self._used: Counter[str | None] = Counter()
        self._expected: Counter[str | None] = Counter()
        self._changed = Condition()
        self.most = size + waiting

    @property
    def waits(self) -> int:
        """Return the number of waiting threads."""
        return len(self._line)

    @contextmanager
    def borrowed(self, tenant: str | None = None) -> Iterator[T]:
        """Borrow an item."""
        item = self._take(tenant)
        try:
            yield item
        finally:
            with self._changed:
                self._give_back(item)
                self._give_up(tenant)

    def add(self, item: T) -> None:
        """Add an item."""
        with self._changed:
            self._added.append(item)
            self.size, self.most, self._share = self.size + 1, self.most + 1, max(self._share, len(self._added))
            self._give_back(item)
            self._changed.notify_all()

    @contextmanager
    def expected(self, tenant: str | None) -> Iterator[None]:
        """Count somebody of a tenant who comes later, once a body was received. Raise 429 if those who wait and those
        who are expected have all the places that the tenant may have: nothing is received for nothing."""
        with self._changed:
            self._check_line(tenant, self._expected[tenant])
            self._expected[tenant] += 1
        try:
            yield
        finally:
            with self._changed:
                self._expected[tenant] -= 1
                if not self._expected[tenant]:
                    del self._expected[tenant]

    def free(self) -> list[T]:
        """Remove and return the unused items, to be closed."""
        with self._changed:
            items, self._free = self._free, []
            return items

    def _give_back(self, item: T) -> None:
        """Put an item where it is taken from: the last one is next."""
        self._free.insert(len(self._free) if item in self._added else 0, item)

    def _take(self, tenant: str | None) -> T:
        with self._changed:
            if self._must_wait(tenant):
                self._wait(tenant)
            self._used[tenant] += 1
            if self._free:
                return self._free.pop()
            self._left -= 1
        return self._opened(tenant)

    def _opened(self, tenant: str | None) -> T:
        try:
            return self._opener()
        except BaseException:
            with self._changed:
                self._left += 1
                self._give_up(tenant)
            raise

    def _give_up(self, tenant: str | None) -> None:
        self._used[tenant] -= 1
        if not self._used[tenant]:
            del self._used[tenant]
        self._changed.notify_all()

    def _must_wait(self, tenant: str | None) -> bool:
        return bool(self._line) or not self._is_free() or not self._may_have(tenant)

    def _is_free(self) -> bool:
        return bool(self._free) or self._left > 0

    def _may_have(self, tenant: str | None) -> bool:
        return tenant is None or self._used[tenant] < self._share

    def _next(self) -> _Place | None:
        """Return the waiting request that is next, if an item is free."""
        able = [place for place in self._line if self._may_have(place.tenant)]
        return min(able, key=lambda place: self._used[place.tenant], default=None) if self._is_free() else None

    def _check_line(self, tenant: str | None, expected: int = 0) -> None:
        of_tenant = expected + sum(place.tenant == tenant for place in self._line)
        if self.waits >= self._room or (tenant is not None and of_tenant >= self._share_of_room):
            raise Problem(429, "The service is busy: too many requests are waiting. Try again in a moment.")

    def _wait(self, tenant: str | None) -> None:
        self._check_line(tenant)
        place = _Place(tenant)
        self._line.append(place)
        try:
            if not self._changed.wait_for(lambda: self._next() is place, PATIENCE):
                raise Problem(503, "The service did not respond within a minute. Tell its administrator.")
        finally:
            self._line.remove(place)
            self._changed.notify_all()  # who is first now may go on, if something is free


class ByteBudget:
    """A budget of bytes that all requests share, with a limit per tenant."""

    def __init__(self, size: int, share: int) -> None:
        self._left, self._share = size, share
        self._held: dict[str, int] = {}
        self._turn = Lock()

    @contextmanager
    def reserved(self, tenant: str, size: int) -> Iterator[None]:
        """Reserve bytes while the block runs. Raise 429 if the budget or the share of the tenant is used up."""
        with self._turn:
            reserved_bytes = self._held.get(tenant, 0)
            if reserved_bytes + size > self._share or size > self._left:
                raise Problem(429, "Too many large uploads at once. Send fewer at a time.")
            self._held[tenant], self._left = reserved_bytes + size, self._left - size
        try:
            yield
        finally:
            with self._turn:
                self._left += size
                self._held[tenant] -= size
                if not self._held[tenant]:
                    del self._held[tenant]


# Seconds after which stored bytes are counted again. The command line may have added documents.
COUNTED_AGAIN = 3600.0

# Seconds after which they are counted again before a tenant is refused. A purge may have made room.
COUNTED_FOR_REFUSAL = 10.0

_MEGABYTE = 1 << 20


class StorageQuota:
    """The bytes that a tenant may store: documents, and uploads and results of jobs. Without a limit, all may be
    stored; the house has none.

    ``count_documents`` counts every tenant's documents, which takes a while. In between, additions are added up;
    ``job_bytes`` counts the jobs of one tenant, at once.
    """

    def __init__(
        self, limit: int | None, count_documents: Callable[[], Mapping[str | None, int]],
        job_bytes: Callable[[str], int], clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.limit, self._count_documents, self._job_bytes, self._clock = limit, count_documents, job_bytes, clock
        self._documents: Counter[str | None] = Counter()
        self._reserved: Counter[str | None] = Counter()
        self._counted, self._is_high = float("-inf"), False
        self._turn = Lock()

    def freed(self) -> None:
        """Count again before the next refusal: a document was deleted or replaced."""
        with self._turn:
            self._is_high = True

    @contextmanager
    def reserved(self, tenant: str | None, size: int, *, is_document: bool = True) -> Iterator[None]:
        """Reserve bytes while they are being stored. Raise 413 if the quota is used up."""
        if self.limit is None or tenant is None:
            yield
            return
        with self._turn:
            self._check(tenant, size, self.limit)
            self._reserved[tenant] += size
        try:
            yield
        except BaseException:
            self._release(tenant, size, 0)
            raise
        self._release(tenant, size, size if is_document else 0)

    def _release(self, tenant: str, size: int, stored: int) -> None:
        with self._turn:
            self._reserved[tenant] -= size
            self._documents[tenant] += stored

    def _check(self, tenant: str, size: int, limit: int) -> None:
        age = self._clock() - self._counted
        is_refused = self._used(tenant) + size > limit
        if age > COUNTED_AGAIN or (is_refused and (self._is_high or age > COUNTED_FOR_REFUSAL)):
            self._count()
        if (used := self._used(tenant)) + size > limit:
            detail = (
                f"Your tenant stores {_megabytes(used)} of its {_megabytes(limit)} MB,"
                f" and this needs {_megabytes(size)} MB."
                " Delete documents or results of jobs, or ask the administrator for more."
            )
            raise Problem(413, detail, title="The quota is used up")

    def _used(self, tenant: str) -> int:
        return self._documents[tenant] + self._reserved[tenant] + self._job_bytes(tenant)

    def _count(self) -> None:
        self._counted, self._is_high = self._clock(), False
        self._documents = Counter(self._count_documents())


def _megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:,.1f}"


class DeletionReserve:
    """A file that keeps bytes of the disk for deletions: each writes a receipt and a line of the audit log, also when
    nothing is free. ``free_bytes`` returns how many bytes are free."""

    # Bytes of the file: what the logs of both databases grow to before SQLite writes them anew, 1,000 pages each.
    SIZE = 8 * _MEGABYTE

    # A deletion needs less than this.
    LEAST = _MEGABYTE

    def __init__(self, path: Path, free_bytes: Callable[[], int]) -> None:
        self._path, self._free_bytes = path, free_bytes

    def fill(self) -> None:
        """Create the file, unless it is there or would take most of what is free."""
        if self._is_filled() or self._free_bytes() < 2 * self.SIZE:
            return
        with translate_os_errors(self._path, "create"):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            try:
                os.posix_fallocate(descriptor, 0, self.SIZE)
            finally:
                os.close(descriptor)

    def release(self) -> None:
        """Remove the file if the disk is full."""
        if self._free_bytes() < self.LEAST:
            self.remove()

    def remove(self) -> None:
        """Remove the file."""
        with translate_os_errors(self._path, "remove"):
            self._path.unlink(missing_ok=True)

    def _is_filled(self) -> bool:
        try:
            return self._path.stat().st_size == self.SIZE
        except FileNotFoundError:
            return False
