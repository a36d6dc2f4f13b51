"""The application context: everything that a running service has open. Every operation takes it."""

import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from datetime import timedelta
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NoReturn

from whorl.errors import ReplacedError
from whorl.report.words import counted
from whorl.sandbox import default_sandbox
from whorl.sandbox.jail import describe_jail
from whorl.sandbox.pool import use_workers
from whorl.service.admission import ByteBudget, DeletionReserve, Pool, RateLimiter, StorageQuota, StreamLimiter
from whorl.service.audit import AuditLog
from whorl.service.authentication import Principal, SessionStore, Token, TokenStore
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase
from whorl.service.disclosure import Disclosure
from whorl.service.index_process import IndexProcess, IndexThread
from whorl.service.jobs import JobQueue
from whorl.service.middleware import FORM, Metrics
from whorl.service.problems import MUCH_LATER, Problem, disk_full
from whorl.service.retention import CollectionStore, Maintenance, ReceiptStore
from whorl.service.runner import LOCK, Runner, free_bytes
from whorl.service.settings import ServiceSettings
from whorl.service.tenant_index import WAITING, DocumentWriter, KnownOwners, Ownership, TenantIndex, adopt_owners
from whorl.service.workspace import JOBS_FOLDER
from whorl.storage.files import make_private_folder

if TYPE_CHECKING:
    from whorl.registry.registry import Registry
    from whorl.sweep.sweep import Sweep

# Tenants that can have as many bytes of bodies on their way as one comparison may have, at a time.
BODIES = 4

# Bytes by which the room of a body grows while it arrives.
BODY_STEP = 1 << 18

# Documents that are fetched at a time, and as many may wait.
FETCHES = 4

# The file in the index's folder that keeps room for deletions.
RESERVE = "service.reserve"

# Workers of the sandbox beside those for searches: for lists of archives and looks at one document.
SPARE_WORKERS = 2

# Small questions (a list, a text) that may wait: each takes milliseconds, and has a reader beside the searches' own.
SMALL_WAITING = 16

# The function that tells a process what the server knows.
ADOPT_OWNERS = f"{adopt_owners.__module__}:{adopt_owners.__name__}"

_log = logging.getLogger(__name__)


class Growth:
    """Adds something in the background, one after the other and ``most`` in all, while more is wanted."""

    def __init__(self, most: int, add: Callable[[], None]) -> None:
        self._left, self._add, self._turn = most, add, Lock()
        self._thread: Thread | None = None

    def want(self) -> None:
        """Begin to add one, unless one is being added or all are there."""
        with self._turn:
            if self._left > 0 and (self._thread is None or not self._thread.is_alive()):
                self._left -= 1
                self._thread = Thread(target=self._run, name="growth", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Wait for the one that is being added, and add no other."""
        with self._turn:
            self._left, thread = 0, self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            self._add()
        except Exception:  # the searches that there are go on
            _log.exception("no further process for searches can be started")


class DraftSizes:
    """The bytes of uploads that wait on the page until their comparison is asked for, by tenant. After a restart there
    are none: the service removes them at its start."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._turn = clock, Lock()
        self._drafts: dict[str, tuple[str | None, int, float]] = {}

    def add(self, id_: str, tenant: str | None, size: int, seconds: float) -> None:
        """Count an upload for so many seconds: nobody must wait for one that was forgotten."""
        with self._turn:
            self._drafts[id_] = tenant, size, self._clock() + seconds

    def remove(self, id_: str) -> int:
        """Count an upload no longer; return its bytes."""
        with self._turn:
            return self._drafts.pop(id_, (None, 0, 0.0))[1]

    def by_tenant(self) -> Counter[str | None]:
        """Return the bytes of each tenant's uploads."""
        sizes: Counter[str | None] = Counter()
        with self._turn:
            for tenant, size, until in self._drafts.values():
                sizes[tenant] += size if until > self._clock() else 0
        return sizes


class Context:
    """The context of a service. ``start`` starts background work; ``close`` ends everything."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self._is_started = self._is_closed = False
        # The jail of the parsers, in words; known when the context is started.
        self.jail = ""
        self.ownership = Ownership()
        first = TenantIndex.of(settings.index, self.ownership)
        self.database = ServiceDatabase(settings.index / SERVICE_DATABASE)
        self.tokens, self.sessions = TokenStore(self.database), SessionStore(self.database)
        self.audit = AuditLog(self.database, settings.keep_days)
        self.collections, self.receipts = CollectionStore(self.database), ReceiptStore(self.database)
        self.jobs = JobQueue(self.database, settings.index / JOBS_FOLDER, settings.jobs)
        secret = first.secret_for("bounds of others' documents")
        self.disclosure = Disclosure(self.database, self.audit, secret, settings.foreign_answers)
        self.runner = Runner(
            self.jobs, settings.index, longest=settings.job_seconds, memory=settings.job_memory,
            reserve=settings.disk_reserve,
        )  # fmt: skip
        self.writer = DocumentWriter(first, self.receipts, timedelta(days=settings.purge_within))
        self._searchers = Pool[IndexThread | IndexProcess](self._thread, settings.threads, settings.waiting)
        # On one core, a process would only take turns with the thread.
        self._growth = Growth(settings.threads if settings.threads > 1 else 0, self._add_searcher)
        self._lookers = Pool(self.opened, 1, SMALL_WAITING)
        self._processes = Pool(self._process, max(2, settings.threads), settings.waiting)
        self._tokens_used = RateLimiter(settings.rate, settings.burst)
        share = settings.max_batch + FORM
        share += -share % BODY_STEP
        self.bodies = ByteBudget(BODIES * share, share)
        # What tenants announce: it limits each of them, and not the others.
        self.announced_bodies = ByteBudget(sys.maxsize, share)
        self.waiting_bodies: Counter[str] = Counter()  # by tenant; the event loop's alone
        self._failures = RateLimiter(settings.failures_minute / 60, settings.failures)
        self._registries = Pool(lambda: _registry_of(settings), 1, SMALL_WAITING)
        self._sweeps = Pool(lambda: _sweep_of(settings), 1, SMALL_WAITING)
        self._fetches = Pool(object, FETCHES, FETCHES)
        self.drafts = DraftSizes()
        self._reserve = DeletionReserve(settings.index / RESERVE, lambda: _free_bytes(settings.index))
        self.quota = StorageQuota(settings.quota, self._document_bytes, self._job_bytes)
        self.metrics, self.streams = Metrics(), StreamLimiter(settings.streams)
        self.upkeep = Maintenance(
            self.jobs, self.receipts, self.collections, self.audit, self.disclosure, settings.upkeep_seconds
        )

    def start(self) -> None:
        """Take up jobs that were left, learn who holds what, and look after what is due. Raises if another server uses
        the index. Does nothing if it was called before."""
        if self._is_started:
            return
        make_private_folder(self.settings.index)
        # A worker for every thread that may want one: waiting for a worker knows no shares of tenants.
        use_workers(self._searchers.size + SPARE_WORKERS)
        self.jail = describe_jail(default_sandbox().jail())
        self.runner.start()
        self._is_started = True
        self._reserve.fill()
        with self.reading() as index, index.reading():
            known = self.ownership.learn(index)
        self._repeat_deletions(known)
        if self.has_registry:
            with self.registry():
                pass  # that it can be opened
        if self.has_sweep:
            with self.sweep():
                pass
        self.upkeep.start()

    def close(self) -> None:
        """Stop and close everything, the rest even if one of it fails. Running jobs are queued again. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        pools = (self._searchers, self._lookers, self._processes, self._registries, self._sweeps)
        with ExitStack() as steps:  # taken from the last to the first
            if self._is_started:  # otherwise it may be another server's
                steps.callback(self._reserve.remove)
            steps.callback(self.database.close)
            steps.callback(self.writer.close)
            for pool in pools:
                steps.callback(_close_free, pool)
            steps.callback(self._growth.stop)
            steps.callback(self.runner.stop)
            steps.callback(self.upkeep.stop)

    def searching(self, principal: Principal) -> AbstractContextManager[IndexThread | IndexProcess]:
        """Borrow an index for a small search or for reading a small document. Raise 429 if too many wait. Where some
        wait, processes are started that answer the next ones."""
        if self._searchers.waits:
            self._growth.want()
        return self._searchers.borrowed(_share_of(principal))

    def reading(self, principal: Principal | None = None) -> AbstractContextManager[TenantIndex]:
        """Borrow the index for a quick read, which does not queue behind searches. Without a principal, the service
        itself reads."""
        return self._lookers.borrowed(_share_of(principal))

    def in_process(self, principal: Principal) -> AbstractContextManager[IndexProcess]:
        """Borrow a process with the index, for a large search or document. Raise 429 if too many wait."""
        return self._processes.borrowed(_share_of(principal))

    def fetching(self, principal: Principal) -> AbstractContextManager[object]:
        """Limit concurrent fetches: a slow address occupies a thread."""
        return self._fetches.borrowed(_share_of(principal))

    def expecting_process(self, principal: Principal) -> AbstractContextManager[None]:
        """Count a large body as one that waits for a process while it is read. Raise 429 if ``in_process`` would: it is
        not read for nothing."""
        return self._processes.expected(_share_of(principal))

    def registry(self, principal: Principal | None = None) -> AbstractContextManager["Registry"]:
        """Borrow the registry. Raise 404 if the service has none."""
        if not self.has_registry:
            raise Problem(404, "This service has no registry. It is started with 'whorl serve --registry'.")
        return self._registries.borrowed(_share_of(principal))

    def sweep(self, principal: Principal | None = None) -> AbstractContextManager["Sweep"]:
        """Borrow the sweeps. Raise 404 if the service has none."""
        if not self.has_sweep:
            raise Problem(404, "This service has no sweeps. It is started with 'whorl serve --sweep'.")
        return self._sweeps.borrowed(_share_of(principal))

    @property
    def has_registry(self) -> bool:
        """Return whether the service has a registry."""
        return self.settings.registry is not None

    @property
    def has_sweep(self) -> bool:
        """Return whether the service has sweeps."""
        return self.settings.sweep is not None

    @property
    def most_waiting(self) -> int:
        """Return how many threads may use or wait for resources of the context."""
        pools = (
            self._searchers, self._lookers, self._processes, self._registries, self._sweeps, self._fetches,
        )  # fmt: skip
        return sum(pool.most for pool in pools) + self.settings.threads + WAITING  # as many searchers may be added

    @property
    def waiting(self) -> int:
        """Return the number of waiting searches."""
        return self._searchers.waits

    def authenticate(self, secret: str, address: str) -> tuple[Token, Principal]:
        """Return the token of a secret. Raise 401 if it is invalid, 429 after many failures from one address."""
        token = self.tokens.find(secret)
        if token is None:
            self.refuse(address)
        return token, Principal.of(token, None, address)

    def refuse(self, address: str) -> NoReturn:
        """Record a failed authentication and raise 401, or 429 after many."""
        wait = self._failures.take(address)
        if wait:
            raise Problem(429, "Too many wrong tokens from this address. Wait, then try again.",
                          retry_after=wait)  # fmt: skip
        self.audit.note(None, None, "sign in", "", "refused", address)
        raise Problem(
            401, "Send a token in the header 'Authorization: Bearer whorl_…'. The token may be wrong or expired."
        )

    def admit(self, principal: Principal) -> None:
        """Raise 429 if the token exceeds its request rate."""
        wait = self._tokens_used.take(principal.token_id)
        if wait:
            detail = f"This token may send {self.settings.rate:g} requests per second. Slow down."
            raise Problem(429, detail, retry_after=wait)

    def check_room(self, store: Path | None = None) -> None:
        """Raise 503 if the disk of a store, by default the index, is nearly full, so that maintenance still has space.
        Call it before anything is stored, not before anything is deleted."""
        if _free_bytes(store or self.settings.index) < self.settings.disk_reserve:
            raise disk_full()
        self._reserve.fill()

    def check_writable(self) -> None:
        """Raise 503 if files of the index cannot be opened to write: a disk with errors becomes read-only."""
        try:
            os.close(os.open(self.settings.index / LOCK, os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            raise Problem(
                503, f"The disk of the service cannot be written: {error.strerror}.", retry_after=MUCH_LATER
            ) from error

    def make_room(self) -> None:
        """Make room for the receipt and the audit log if nothing is free. Call it before anything is deleted."""
        self._reserve.release()

    def note(self, principal: Principal, action: str, subject: object = "", detail: str = "") -> None:
        """Add an entry to the audit log."""
        self.audit.note(
            principal.token_id, principal.tenant, action, str(subject), "done", principal.address, detail
        )  # fmt: skip

    def forbade(self, principal: Principal, what: str) -> None:
        """Add an entry about a forbidden request."""
        self.audit.note(principal.token_id, principal.tenant, what, "", "refused", principal.address)

    def _repeat_deletions(self, known: KnownOwners) -> None:
        """Delete documents again that an older copy of the index brought back, or whose deletion was interrupted."""
        back = self.writer.repeat_deletions(known)
        for entry in back:
            self.audit.note(None, entry.owner, "delete again", str(entry.id), "done", "", "it was in the index")
        if back:
            _log.warning(
                "%s with a receipt in the index, as after a restore: deleted again", counted(len(back), "document")
            )

    def _document_bytes(self) -> dict[str | None, int]:
        with self.reading() as index, index.reading():
            return index.bytes_by_tenant()

    def job_bytes_by_tenant(self) -> Counter[str | None]:
        """Return the bytes of uploads and results of jobs by tenant, and of uploads that wait on the page."""
        return Counter(self.jobs.bytes_by_tenant()) + self.drafts.by_tenant()

    def _job_bytes(self, tenant: str) -> int:
        return self.jobs.bytes_of(tenant) + self.drafts.by_tenant()[tenant]

    def opened(self) -> TenantIndex:
        """Return an index of one's own, to be closed: for an administrator who reads all of it."""
        return TenantIndex.again(self.settings.index, self.ownership)

    def _thread(self) -> IndexThread:
        return IndexThread(self.opened())

    def _process(self) -> IndexProcess:
        return IndexProcess(self.settings.index, self.settings.request_memory)

    def _add_searcher(self) -> None:
        process = IndexProcess(self.settings.index, self.settings.request_memory, 0, self._tell_owners)
        try:
            process.start()
        except BaseException:
            process.close()
            raise
        self._searchers.add(process)

    def _tell_owners(self, process: IndexProcess) -> None:
        process.call(ADOPT_OWNERS, self.ownership.known())


def _share_of(principal: Principal | None) -> str | None:
    """Return whose share of a pool a request uses. The house counts as a tenant."""
    return None if principal is None else principal.tenant or ""


def _free_bytes(folder: Path) -> int:
    try:
        return free_bytes(folder)
    except FileNotFoundError as error:
        raise ReplacedError(folder) from error


def _close_free(pool: Pool[Any]) -> None:
    """Close what a pool has, the rest even if one fails."""
    with ExitStack() as steps:
        for opened in pool.free():
            steps.callback(opened.close)


def _registry_of(settings: ServiceSettings) -> "Registry":
    from whorl.registry.registry import Registry

    return Registry.open(settings.registry or "")


def _sweep_of(settings: ServiceSettings) -> "Sweep":
    from whorl.sweep.sweep import Sweep

    return Sweep.open(settings.sweep or "")
