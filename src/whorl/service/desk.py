"""Everything that a running service has open, in one place. What the API and the page do takes the desk, who asks, and
what is asked for."""

from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from whorl.service.admission import Pool
from whorl.service.audit import Audit
from whorl.service.collections import Collections
from whorl.service.database import NAME as DATABASE
from whorl.service.database import ServiceDatabase
from whorl.service.holdings import Holdings
from whorl.service.intake import WAITING, Intake
from whorl.service.jobs import Jobs
from whorl.service.limits import Buckets
from whorl.service.metrics import Metrics
from whorl.service.principal import Principal
from whorl.service.problems import Problem
from whorl.service.reader import Reader
from whorl.service.receipts import Receipts
from whorl.service.runner import Runner
from whorl.service.sessions import Sessions
from whorl.service.settings import Settings
from whorl.service.streams import Streams
from whorl.service.tokens import Token, Tokens
from whorl.service.upkeep import Upkeep
from whorl.service.workspace import NAME as JOBS

if TYPE_CHECKING:
    from whorl.registry.registry import Registry
    from whorl.sweeps.sweep import Sweep

# Small questions (a list, a text) that may wait: each takes milliseconds, and has a reader beside the searches' own.
SMALL_WAITING = 16


class Desk:
    """An open service. ``start`` begins the work in the background; ``close`` ends everything."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._is_started = self._is_closed = False
        self.holdings = Holdings()
        first = Reader.of(settings.index, self.holdings)
        self.database = ServiceDatabase(settings.index / DATABASE)
        self.tokens, self.sessions = Tokens(self.database), Sessions(self.database)
        self.audit = Audit(self.database, settings.keep_days)
        self.collections, self.receipts = Collections(self.database), Receipts(self.database)
        self.jobs = Jobs(self.database, settings.index / JOBS, settings.jobs)
        self.runner = Runner(self.jobs, settings.index)
        self.intake = Intake(first, self.receipts, timedelta(days=settings.purge_within))
        self._searchers = Pool(self._opened, settings.threads, settings.waiting)
        self._lookers = Pool(self._opened, 1, SMALL_WAITING)
        self._tokens_used = Buckets(settings.rate, settings.burst)
        self._failures = Buckets(settings.failures_minute / 60, settings.failures)
        self._registries = Pool(lambda: _registry_of(settings), 1, SMALL_WAITING)
        self._sweeps = Pool(lambda: _sweep_of(settings), 1, SMALL_WAITING)
        self.metrics, self.streams = Metrics(), Streams(settings.streams)
        self.upkeep = Upkeep(self.jobs, self.receipts, self.collections, self.audit, settings.upkeep_seconds)

    def start(self) -> None:
        """Take up jobs that were left, learn who holds what, and look after what is due. Raises if another server uses
        the index. Does nothing if it was called before."""
        if self._is_started:
            return
        self.runner.start()
        self._is_started = True
        with self.reading() as index, index.reading():
            self.holdings.learn(index)
        if self.has_registry:
            with self.registry():
                pass  # that it can be opened
        if self.has_sweep:
            with self.sweep():
                pass
        self.upkeep.start()

    def close(self) -> None:
        """End everything; jobs that run go on at the next start. Does nothing if it was called before."""
        if self._is_closed:
            return
        self._is_closed = True
        self.upkeep.stop()
        self.runner.stop()
        for pool in (self._searchers, self._lookers, self._registries, self._sweeps):
            for opened in pool.free():
                opened.close()
        self.intake.close()
        self.database.close()

    def searching(self) -> AbstractContextManager[Reader]:
        """The index, for work that takes a processor: a search, or reading a document. A problem if too many wait."""
        return self._searchers.taken()

    def reading(self) -> AbstractContextManager[Reader]:
        """The index, for a quick look: it does not stand in line behind the searches."""
        return self._lookers.taken()

    def registry(self) -> AbstractContextManager["Registry"]:
        """The registry, one request at a time; a problem if the service was started without one."""
        if not self.has_registry:
            raise Problem(404, "This service has no registry. It is started with 'whorl serve --registry'.")
        return self._registries.taken()

    def sweep(self) -> AbstractContextManager["Sweep"]:
        """The sweeps, one request at a time; a problem if the service was started without any."""
        if not self.has_sweep:
            raise Problem(404, "This service has no sweeps. It is started with 'whorl serve --sweep'.")
        return self._sweeps.taken()

    @property
    def has_registry(self) -> bool:
        """Whether a registry can be searched."""
        return self.settings.registry is not None

    @property
    def has_sweep(self) -> bool:
        """Whether there is a lost and found."""
        return self.settings.sweep is not None

    @property
    def most_waiting(self) -> int:
        """How many threads may use or wait for what the desk has."""
        pools = (self._searchers, self._lookers, self._registries, self._sweeps)
        return sum(pool.most for pool in pools) + WAITING

    @property
    def waiting(self) -> int:
        """How many searches wait now."""
        return self._searchers.waits

    def authenticate(self, secret: str, address: str) -> tuple[Token, Principal]:
        """Whose token this is. A problem if it is nobody's; 429 after many wrong ones from one address."""
        token = self.tokens.find(secret)
        if token is None:
            self.refuse(address)
        return token, Principal(token.id, token.tenant, token.scopes, None, address)

    def refuse(self, address: str) -> NoReturn:
        """A wrong token or none."""
        wait = self._failures.take(address)
        if wait:
            raise Problem(429, "Too many wrong tokens came from this address. Wait, then try the right one.",
                          retry_after=wait)  # fmt: skip
        self.audit.note(None, None, "sign in", "", "refused", address)
        raise Problem(401, "Send a token in the header 'Authorization: Bearer whorl_…'. It may be wrong or expired.")

    def admit(self, principal: Principal) -> None:
        """A problem if this token asks too often."""
        wait = self._tokens_used.take(principal.token_id)
        if wait:
            told = f"This token may ask {self.settings.rate:g} times a second. Wait, then go on more slowly."
            raise Problem(429, told, retry_after=wait)

    def note(self, principal: Principal, action: str, subject: object = "", detail: str = "") -> None:
        """A line of the audit log."""
        self.audit.note(
            principal.token_id, principal.tenant, action, str(subject), "done", principal.address, detail
        )  # fmt: skip

    def forbade(self, principal: Principal, what: str) -> None:
        """A line about what a token asked for and may not."""
        self.audit.note(principal.token_id, principal.tenant, what, "", "refused", principal.address)

    def _opened(self) -> Reader:
        return Reader.of(self.settings.index, self.holdings)


def _registry_of(settings: Settings) -> "Registry":
    from whorl.registry.registry import Registry

    return Registry.open(settings.registry or "")


def _sweep_of(settings: Settings) -> "Sweep":
    from whorl.sweeps.sweep import Sweep

    return Sweep.open(settings.sweep or "")
