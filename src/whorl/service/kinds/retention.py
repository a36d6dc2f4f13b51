"""Retention: documents that were kept as long as their collection says go, and are purged at once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from whorl.index.entry import Entry
from whorl.index.index import Index
from whorl.service.collections import Collection, Collections
from whorl.service.kinds import purge
from whorl.service.moments import now
from whorl.service.naming import prefix_of
from whorl.service.receipts import Receipts
from whorl.service.task import Task

# Documents that are looked at in one go.
PAGE = 500

# The deadline of these deletions if the job does not say ``within_days``. The purge follows in the same job.
WITHIN_DAYS = 1.0


def run(task: Task) -> dict[str, Any]:
    """Ask for the deletion of all documents that are too old, then purge. The purge removes them by their numbers, so
    that a document which takes the name of an old one meanwhile stays."""
    receipts, moment = Receipts(task.database), now()
    within = timedelta(days=float(task.settings.get("within_days", WITHIN_DAYS)))
    count = 0
    with Index.open(task.index) as index:
        for collection in Collections(task.database).limited():
            for entry in _expired(index, collection, moment):
                receipts.requested(entry.id, entry.name, entry.owner, within)
                count += 1
                task.progress("expired", count, None)
    return {"expired": count, "purged": purge.run(task)["documents"] if count else 0}


def _expired(index: Index, collection: Collection, moment: datetime) -> Iterator[Entry]:
    last = moment - timedelta(days=collection.retention_days or 0)
    prefix, after = prefix_of(collection.tenant, collection.name), ""
    while page := index.page(prefix, after, PAGE):
        yield from (entry for entry in page if entry.owner == collection.tenant and _added(entry) <= last)
        after = page[-1].name


def _added(entry: Entry) -> datetime:
    moment = datetime.fromisoformat(entry.added)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
