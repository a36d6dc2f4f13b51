"""A purge: nothing stays of the documents whose deletion was asked for, and the receipts say what was checked."""

import json
from typing import Any

from whorl.errors import WhorlError
from whorl.index.index import Index
from whorl.service.receipts import Receipts
from whorl.service.task import Task

# Seconds to wait for whoever writes to the index: longer than any add.
WAIT = 300.0


class PurgeError(WhorlError):
    """Something of a document was still there after the purge."""


def run(task: Task) -> dict[str, Any]:
    """Purge all documents whose deletion was asked for, due or not: the index is written anew in any case."""
    receipts = Receipts(task.database)
    numbers = [receipt.number for receipt in receipts.pending()]
    if not numbers:
        return {"documents": 0}
    task.progress("purging", 0, len(numbers))
    with Index.open(task.index, wait=WAIT) as index:
        evidence = index.purge(numbers)
    told = evidence.as_dict()
    (task.results / "evidence.json").write_text(json.dumps(told), "utf-8")
    if not evidence.is_clean:
        raise PurgeError(f"the purge left something: {'; '.join(evidence.remains[:5])}")
    _receipt_all(receipts, numbers, told, task)
    return {"documents": len(numbers)}


def _receipt_all(receipts: Receipts, numbers: list[int], told: dict[str, Any], task: Task) -> None:
    """Note on each receipt what was checked; which other documents went at the same time is none of its business."""
    general = {name: value for name, value in told.items() if name not in ("documents", "removed", "dropped")}
    with task.database.transaction():
        for done, number in enumerate(numbers, 1):
            receipts.purged(number, {**general, "document": number, "removed": number in told["removed"]})
            task.progress("receipts", done, len(numbers))
