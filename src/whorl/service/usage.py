"""How much is stored, and whose: for admins."""

from collections import Counter
from dataclasses import dataclass

from whorl.service.desk import Desk
from whorl.service.jobs import State
from whorl.service.principal import Principal
from whorl.service.tokens import Scope

# Rows that are read at a time.
BATCH = 2000


@dataclass(frozen=True, slots=True)
class TenantUsage:
    """What one tenant has stored; None is the house."""

    tenant: str | None
    documents: int
    symbols: int
    fingerprints: int


@dataclass(frozen=True, slots=True)
class Usage:
    """All that is stored. ``pending_purges`` counts deleted documents of which something may be left yet."""

    documents: int
    postings: int
    segments: int
    bytes: int
    jobs: dict[State, int]
    pending_purges: int
    tenants: tuple[TenantUsage, ...]


def usage(desk: Desk, principal: Principal) -> Usage:
    """Look at every document's row: seconds for a hundred thousand."""
    principal.require(Scope.ADMIN)
    documents: Counter[str | None] = Counter()
    symbols: Counter[str | None] = Counter()
    fingerprints: Counter[str | None] = Counter()
    with desk.searching() as index, index.reading():
        stats, after = index.stats(), 0
        while page := index.page_by_number(after, BATCH):
            for entry in page:
                documents[entry.owner] += 1
                symbols[entry.owner] += entry.symbols
                fingerprints[entry.owner] += entry.fingerprints
            after = page[-1].id
    tenants = sorted(documents, key=lambda tenant: tenant or "")
    told = tuple(TenantUsage(name, documents[name], symbols[name], fingerprints[name]) for name in tenants)
    pending = len(desk.receipts.pending())
    return Usage(stats.documents, stats.postings, stats.segments, stats.bytes, desk.jobs.counts(), pending, told)
