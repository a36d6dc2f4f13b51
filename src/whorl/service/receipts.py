"""Receipts of deletions: which document was to go, by when, and what proves that it is gone.

Of the document's name a hash is kept: who knows the name can check the receipt, and nobody learns it from there.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from whorl.errors import InputError
from whorl.service.database import LAST, ServiceDatabase
from whorl.service.moments import Clock, now, read, read_or_none, stored

_COLUMNS = "number, tenant, name_sha256, requested, deadline, purged, evidence"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The deletion of a document, by its number in the index. ``evidence`` is what was checked after the purge."""

    number: int
    tenant: str | None
    name_sha256: str
    requested: datetime
    deadline: datetime
    purged: datetime | None
    evidence: dict[str, Any] | None


class Receipts:
    """All receipts of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def requested(self, number: int, index_name: str, tenant: str | None, within: timedelta) -> Receipt:
        """Note that a document is to go. Called before it is removed: whatever crashes then, the purge removes it.

        Asked a second time, the first request holds, and its deadline.
        """
        moment = self._clock()
        values = number, tenant, name_sha256(index_name), stored(moment), stored(moment + within)
        with self._database.transaction():
            self._database.write("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?, NULL, NULL)", *values)
            return _receipt(self._database.write(f"SELECT {_COLUMNS} FROM receipts WHERE number = ?", number)[0])

    def due(self, moment: datetime) -> list[Receipt]:
        """Those whose purge must begin now: half of the time until the deadline has passed, and half is left to try
        again if it fails."""
        ask = (
            f"SELECT {_COLUMNS} FROM receipts WHERE purged IS NULL AND requested + deadline <= 2 * ? ORDER BY deadline"
        )
        return [_receipt(row) for row in self._database.read(ask, stored(moment))]

    def pending(self) -> list[Receipt]:
        """All that are not purged yet, the most urgent first. One purge costs as much as many."""
        ask = f"SELECT {_COLUMNS} FROM receipts WHERE purged IS NULL ORDER BY deadline, number"
        return [_receipt(row) for row in self._database.read(ask)]

    def purged(self, number: int, evidence: dict[str, Any]) -> Receipt:
        """Note that a document is gone, and what proves it."""
        ask = f"UPDATE receipts SET purged = ?, evidence = ? WHERE number = ? RETURNING {_COLUMNS}"
        rows = self._database.write(ask, stored(self._clock()), json.dumps(evidence), number)
        if not rows:
            raise InputError(f"document {number}: nobody asked for its deletion")
        return _receipt(rows[0])

    def get(self, number: int) -> Receipt | None:
        """The receipt of a document."""
        row = self._database.first(f"SELECT {_COLUMNS} FROM receipts WHERE number = ?", number)
        return None if row is None else _receipt(row)

    def listed(
        self, tenant: str | None, after: int | None = None, limit: int = 50, *, everyone: bool = False
    ) -> list[Receipt]:
        """Receipts of a tenant, or of ``everyone``, the largest number first. ``after`` is the last number seen."""
        whose, values = ("", ()) if everyone else ("tenant IS ? AND", (tenant,))
        ask = f"SELECT {_COLUMNS} FROM receipts WHERE {whose} number < ? ORDER BY number DESC LIMIT ?"
        return [_receipt(row) for row in self._database.read(ask, *values, LAST if after is None else after, limit)]


def name_sha256(index_name: str) -> str:
    """What a receipt tells of a document's name."""
    return hashlib.sha256(index_name.encode("utf-8", "surrogatepass")).hexdigest()


def _receipt(row: tuple[Any, ...]) -> Receipt:
    number, tenant, name, requested, deadline, purged, evidence = row
    proof = None if evidence is None else json.loads(evidence)
    return Receipt(number, tenant, name, read(requested), read(deadline), read_or_none(purged), proof)
