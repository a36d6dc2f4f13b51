"""Retention periods of collections, receipts of deletions, the thread that enforces both, and the jobs that it
submits: erase deleted documents, and delete expired ones."""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any

from whorl.errors import InputError, WhorlError
from whorl.index.index import Index
from whorl.index.store import Entry
from whorl.service.audit import AuditLog
from whorl.service.database import LAST, Clock, ServiceDatabase, from_ticks, from_ticks_or_none, now, to_ticks
from whorl.service.disclosure import Disclosure
from whorl.service.jobs import JobQueue, Task
from whorl.service.naming import prefix_of
from whorl.service.workspace import JOBS_FOLDER

# Days that a collection can be kept for at the most: a century, beyond which a date would not be one.
LONGEST_DAYS = 36_525

# The house in a key, because a missing value would be unequal to itself. No tenant has this name.
_HOUSE = ""

_COLLECTION_COLUMNS = "tenant, name, retention_days, created"


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of a tenant. Without ``retention_days``, documents stay until they are deleted."""

    tenant: str | None
    name: str
    retention_days: int | None
    created: datetime


class CollectionStore:
    """Settings of collections. A collection also exists without settings if it has documents."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def put(self, tenant: str | None, name: str, retention_days: int | None) -> Collection:
        """Set a collection up, or change how long its documents are kept."""
        if retention_days is not None and not 1 <= retention_days <= LONGEST_DAYS:
            raise InputError(f"retention_days: {retention_days} is out of range; give 1 to {LONGEST_DAYS}, or nothing")
        ask = (
            "INSERT INTO collections VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            f" SET retention_days = excluded.retention_days RETURNING {_COLLECTION_COLUMNS}"
        )
        values = tenant or _HOUSE, name, retention_days, to_ticks(self._clock())
        return _collection(self._database.write(ask, *values)[0])

    def get(self, tenant: str | None, name: str) -> Collection | None:
        """Return the settings of a collection, if any."""
        ask = f"SELECT {_COLLECTION_COLUMNS} FROM collections WHERE tenant = ? AND name = ?"
        row = self._database.first(ask, tenant or _HOUSE, name)
        return None if row is None else _collection(row)

    def listed(self, tenant: str | None, *, everyone: bool = False) -> list[Collection]:
        """Return the settings of all collections of a tenant, or of ``everyone``, by name."""
        ask = f"SELECT {_COLLECTION_COLUMNS} FROM collections WHERE ? OR tenant = ? ORDER BY tenant, name"
        return [_collection(row) for row in self._database.read(ask, everyone, tenant or _HOUSE)]

    def limited(self) -> list[Collection]:
        """Return the collections with a retention period."""
        return [each for each in self.listed(None, everyone=True) if each.retention_days is not None]

    def delete(self, tenant: str | None, name: str) -> bool:
        """Delete the settings of a collection; its documents stay. Return False if there were none."""
        ask = "DELETE FROM collections WHERE tenant = ? AND name = ? RETURNING name"
        return bool(self._database.write(ask, tenant or _HOUSE, name))


def _collection(row: tuple[Any, ...]) -> Collection:
    return Collection(row[0] or None, row[1], row[2], from_ticks(row[3]))


# Stands in the column of the evidence until the commit that replaces the document is known to have succeeded. A crash
# may come on either side of that commit, which is in another database.
_ANNOUNCED = json.dumps("announced")

# Whether a receipt is more than announced.
CONFIRMED = f"(evidence IS NULL OR evidence <> '{_ANNOUNCED}')"

_RECEIPT_COLUMNS = "number, tenant, name_sha256, requested, deadline, purged, evidence"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The deletion of a document. ``evidence`` lists the checks after the purge."""

    number: int
    tenant: str | None
    name_sha256: str
    requested: datetime
    deadline: datetime
    purged: datetime | None
    evidence: dict[str, Any] | None


class ReceiptStore:
    """The receipts of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def requested(
        self, number: int, index_name: str, tenant: str | None, within: timedelta, samples: Iterable[bytes] = ()
    ) -> Receipt:
        """Note that a document is to go. Called before it is removed: whatever crashes then, the purge removes it.
        ``samples`` are pieces of it, for which the purge will look.

        Asked a second time, the first request holds, and its deadline.
        """
        with self._database.transaction():
            self._withdraw(number)
            self._discard_other(number, index_name)
            self._insert(number, index_name, tenant, within, None, samples)
            return _receipt(
                self._database.write(f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE number = ?", number)[0]
            )

    def announce(self, documents: Iterable[tuple[Entry, Iterable[bytes]]], within: timedelta) -> None:
        """Note documents, each with its samples, that the next commit of the index replaces if it succeeds. Nobody sees
        such a receipt, and no purge removes its document, before ``settle`` confirms it."""
        with self._database.transaction():
            for entry, samples in documents:
                self._insert(entry.id, entry.name, entry.owner, within, _ANNOUNCED, samples)

    def settle(self, outcome: Mapping[int, bool]) -> None:
        """Confirm the announced receipts of documents that are gone (True), and withdraw the others."""
        with self._database.transaction():
            for number, is_gone in outcome.items():
                if is_gone:
                    ask = "UPDATE receipts SET evidence = NULL WHERE number = ? AND purged IS NULL AND evidence = ?"
                    self._database.write(ask, number, _ANNOUNCED)
                else:
                    self._withdraw(number)

    def announced(self) -> list[tuple[int, datetime]]:
        """Return the documents whose receipts are announced and not settled, with the times."""
        ask = "SELECT number, requested FROM receipts WHERE purged IS NULL AND evidence = ?"
        return [(number, from_ticks(at)) for number, at in self._database.read(ask, _ANNOUNCED)]

    def names(self) -> dict[int, str]:
        """Return the numbers of all documents that were deleted, with the hashes of their names."""
        return dict(self._database.read(f"SELECT number, name_sha256 FROM receipts WHERE {CONFIRMED}"))

    def reopen(self, number: int, within: timedelta) -> None:
        """Note that a document is to go again if it was purged: it is back from a copy of the index."""
        ask = "UPDATE receipts SET purged = NULL, evidence = NULL, deadline = ? WHERE number = ? AND purged IS NOT NULL"
        self._database.write(ask, to_ticks(self._clock() + within), number)

    def due(self, moment: datetime) -> list[Receipt]:
        """Those whose purge must begin now: half of the time until the deadline has passed, and half is left to try
        again if it fails. Announced ones too: the purge settles them."""
        ask = (
            f"SELECT {_RECEIPT_COLUMNS} FROM receipts"
            " WHERE purged IS NULL AND requested + deadline <= 2 * ? ORDER BY deadline"
        )
        return [_receipt(row) for row in self._database.read(ask, to_ticks(moment))]

    def pending(self) -> list[Receipt]:
        """Return all receipts that are not purged yet, the most urgent first."""
        ask = f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE purged IS NULL AND {CONFIRMED} ORDER BY deadline, number"
        return [_receipt(row) for row in self._database.read(ask)]

    def samples(self) -> dict[bytes, int]:
        """Return samples of the documents that are not purged yet, with their numbers."""
        return {bytes(sample): number for number, sample in self._database.read("SELECT * FROM receipt_samples")}

    def sample_counts(self) -> Counter[int]:
        """Return how many samples there are of each document that is not purged yet. A document that was added again
        and deleted again has the same ones under both numbers."""
        return Counter(dict(self._database.read("SELECT number, count(*) FROM receipt_samples GROUP BY number")))

    def purged(self, number: int, evidence: dict[str, Any]) -> Receipt:
        """Record that a document is erased, with the evidence."""
        ask = f"UPDATE receipts SET purged = ?, evidence = ? WHERE number = ? RETURNING {_RECEIPT_COLUMNS}"
        rows = self._database.write(ask, to_ticks(self._clock()), json.dumps(evidence), number)
        if not rows:
            raise InputError(f"document {number}: nobody asked for its deletion")
        self._database.write("DELETE FROM receipt_samples WHERE number = ?", number)
        return _receipt(rows[0])

    def get(self, number: int) -> Receipt | None:
        """Return the receipt of a document."""
        ask = f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE number = ? AND {CONFIRMED}"
        row = self._database.first(ask, number)
        return None if row is None else _receipt(row)

    def listed(
        self, tenant: str | None, after: int | None = None, limit: int = 50, *, everyone: bool = False
    ) -> list[Receipt]:
        """Receipts of a tenant, or of ``everyone``, the largest number first. ``after`` is the last number seen."""
        whose, values = ("", ()) if everyone else ("tenant IS ? AND", (tenant,))
        ask = (
            f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE {whose} number < ? AND {CONFIRMED}"
            " ORDER BY number DESC LIMIT ?"
        )
        return [_receipt(row) for row in self._database.read(ask, *values, LAST if after is None else after, limit)]

    def _insert(
        self, number: int, index_name: str, tenant: str | None, within: timedelta, evidence: str | None,
        samples: Iterable[bytes],
    ) -> None:  # fmt: skip
        """Insert a receipt, unless there is one, and its samples, unless it has some or is purged. The request of a
        retention period has none, as its purge removes the document itself."""
        moment = self._clock()
        values = number, tenant, name_sha256(index_name), to_ticks(moment), to_ticks(moment + within), evidence
        self._database.write("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?, NULL, ?)", *values)
        ask = (
            "SELECT 1 FROM receipts WHERE number = ? AND purged IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM receipt_samples WHERE number = receipts.number)"
        )
        if self._database.write(ask, number):
            for sample in samples:
                self._database.write("INSERT INTO receipt_samples VALUES (?, ?)", number, sample)

    def _discard_other(self, number: int, index_name: str) -> None:
        """Delete the receipt of another document of this number: it would prove what was not done. The command line
        gives numbers again if it adds to an older copy of the index."""
        ask = "DELETE FROM receipts WHERE number = ? AND name_sha256 <> ? RETURNING number"
        self._database.write(
            "DELETE FROM receipt_samples WHERE number IN"
            " (SELECT number FROM receipts WHERE number = ? AND name_sha256 <> ?)",
            number, name_sha256(index_name),
        )  # fmt: skip
        if self._database.write(ask, number, name_sha256(index_name)):
            LOG.warning("the receipt of document %d was another document's, and is deleted", number)

    def _withdraw(self, number: int) -> None:
        """Delete a receipt that is only announced."""
        which = "SELECT number FROM receipts WHERE number = ? AND purged IS NULL AND evidence = ?"
        self._database.write(f"DELETE FROM receipt_samples WHERE number IN ({which})", number, _ANNOUNCED)
        self._database.write(f"DELETE FROM receipts WHERE number IN ({which})", number, _ANNOUNCED)


def name_sha256(index_name: str) -> str:
    """Hash the name of a document for a receipt."""
    return hashlib.sha256(index_name.encode("utf-8", "surrogatepass")).hexdigest()


def _receipt(row: tuple[Any, ...]) -> Receipt:
    number, tenant, name, requested, deadline, purged, evidence = row
    proof = None if evidence is None else json.loads(evidence)
    return Receipt(number, tenant, name, from_ticks(requested), from_ticks(deadline), from_ticks_or_none(purged), proof)


LOG = logging.getLogger("whorl.service")

# Looks between two at what is old or past its retention, of which days are told and not minutes.
SELDOM = 60


class Maintenance:
    """A thread that regularly queues the maintenance jobs that are due."""

    def __init__(
        self, jobs: JobQueue, receipts: ReceiptStore, collections: CollectionStore, audit: AuditLog,
        disclosure: Disclosure, seconds: float,
    ) -> None:  # fmt: skip
        self._jobs, self._receipts, self._collections, self._audit = jobs, receipts, collections, audit
        self._disclosure, self._seconds, self._stopped = disclosure, seconds, Event()
        self._thread = Thread(target=self._run, name="whorl-upkeep", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self, number: int) -> None:
        """Queue what is due now; the first of many looks, and then every so often, at what is old as well."""
        if self._receipts.due(now()):
            self._jobs.submit_once("purge", {})
        if number % SELDOM == 0:
            if self._collections.limited():
                self._jobs.submit_once("retention", {})
            self._audit.prune()
            self._disclosure.prune()
            self._jobs.prune()

    def _run(self) -> None:
        number = 0
        while not self._stopped.is_set():
            try:
                self.look(number)
            except Exception:  # without this thread nothing would be purged; the next look may fare better
                LOG.exception("upkeep failed; next try in %g s", self._seconds)
            number += 1
            self._stopped.wait(self._seconds)


# An announced receipt is settled right after the commit that it was announced for. When so much time has passed, that
# commit failed or its process died.
SETTLED = timedelta(hours=1)


def settle_announced(receipts: ReceiptStore, index: Index) -> None:
    """Confirm the announced receipts of documents that are gone. Withdraw those of documents that were not replaced
    after all."""
    announced = receipts.announced()
    gone = {number: index.find(number) is None for number, _ in announced}
    if outcome := {number: gone[number] for number, at in announced if gone[number] or now() - at > SETTLED}:
        receipts.settle(outcome)


# Seconds to wait for whoever writes to the index: longer than any add.
WAIT = 300.0


class PurgeError(WhorlError):
    """A purge left data of a document behind."""


def run_purge(task: Task) -> dict[str, Any]:
    """Erase all deleted documents, due or not, from the index and from results of jobs: the index is rewritten in any
    case."""
    receipts = ReceiptStore(task.database)
    if receipts.announced():
        with Index.open(task.index) as index:
            settle_announced(receipts, index)
    pending = receipts.pending()
    if not pending:
        return {"documents": 0}
    numbers = [receipt.number for receipt in pending]
    task.progress("purging", 0, len(numbers))
    with Index.open(task.index, wait=WAIT) as index:
        known, counts = receipts.samples(), receipts.sample_counts()
        evidence = index.purge((receipt.number for receipt in pending if _is_about(receipt, index)), known)
    results = JobQueue(task.database, task.index / JOBS_FOLDER).forget_documents(frozenset(numbers))
    checked = {**evidence.as_dict(), "results": results}
    (task.results / "evidence.json").write_text(json.dumps(checked), "utf-8")
    if not evidence.is_clean:
        raise PurgeError(f"the purge left something: {'; '.join(evidence.remains[:5])}")
    _receipt_all(receipts, numbers, checked, counts, task)
    return {"documents": len(numbers)}


def _is_about(receipt: Receipt, index: Index) -> bool:
    """Return whether no other document has the number of a receipt."""
    entry = index.find(receipt.number)
    return entry is None or name_sha256(entry.name) == receipt.name_sha256


def _receipt_all(
    receipts: ReceiptStore, numbers: list[int], checked: dict[str, Any], samples: Counter[int], task: Task
) -> None:
    """Note on each receipt what was checked; which other documents went at the same time is none of its business. One
    of whose document nothing was looked for does not say that it is clean: nothing was proved."""
    general = {name: value for name, value in checked.items() if name not in ("documents", "removed", "dropped")}
    with task.database.transaction():
        for done, number in enumerate(numbers, 1):
            removed = number in checked["removed"]
            counted = {"samples": samples[number]} if not removed else {}
            clean = general["clean"] and (removed or samples[number] > 0)
            receipts.purged(number, {**general, "document": number, "removed": removed, **counted, "clean": clean})
            task.progress("receipts", done, len(numbers))


# Documents that are looked at in one go.
PAGE = 500

# The deadline of these deletions if the job does not say ``within_days``. The purge follows in the same job.
WITHIN_DAYS = 1.0


def run_retention(task: Task) -> dict[str, Any]:
    """Ask for the deletion of all documents that are too old, then purge. The purge removes them by their numbers, so
    that a document which takes the name of an old one meanwhile stays."""
    receipts, moment = ReceiptStore(task.database), now()
    within = timedelta(days=float(task.settings.get("within_days", WITHIN_DAYS)))
    count = 0
    with Index.open(task.index) as index:
        for collection in CollectionStore(task.database).limited():
            for entry in _expired(index, collection, moment):
                receipts.requested(entry.id, entry.name, entry.owner, within)
                count += 1
                task.progress("expired", count, None)
    return {"expired": count, "purged": run_purge(task)["documents"] if count else 0}


def _expired(index: Index, collection: Collection, moment: datetime) -> Iterator[Entry]:
    last = moment - timedelta(days=collection.retention_days or 0)
    prefix, after = prefix_of(collection.tenant, collection.name), ""
    while page := index.page(prefix, after, PAGE):
        yield from (entry for entry in page if entry.owner == collection.tenant and _added(entry) <= last)
        after = page[-1].name


def _added(entry: Entry) -> datetime:
    moment = datetime.fromisoformat(entry.added)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
