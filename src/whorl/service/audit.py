"""The audit log: who did what to which document, when, from where, with what outcome."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from whorl.errors import InputError
from whorl.service.database import LAST, Clock, ServiceDatabase, from_ticks, now, to_ticks

# Days that a line is kept: a year of courses, and no more about people than that.
KEEP_DAYS = 400

# Days that a line can be kept at the most: a century. A date much further back cannot be computed.
LONGEST_DAYS = 36_525

# Characters of a field. What a client sends must not swell the log.
LONGEST = 1000

# Lines that are deleted in one transaction, so that nobody waits long for it.
BATCH = 10_000

_COLUMNS = "id, at, actor, tenant, action, subject, outcome, address, detail"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One entry. ``actor`` is the id of a token, or None; ``tenant`` None is the house."""

    id: int
    at: datetime
    actor: str | None
    tenant: str | None
    action: str
    subject: str
    outcome: str
    address: str
    detail: str


class AuditLog:
    """The audit log. Entries survive a crash at once; a power failure may lose the last few."""

    def __init__(self, database: ServiceDatabase, keep_days: int = KEEP_DAYS, clock: Clock = now) -> None:
        if not 1 <= keep_days <= LONGEST_DAYS:
            raise InputError(f"keep_days: {keep_days} is out of range; give 1 to {LONGEST_DAYS}")
        self._database, self._keep, self._clock = database, timedelta(days=keep_days), clock

    def note(
        self, actor: str | None, tenant: str | None, action: str, subject: str = "", outcome: str = "done",
        address: str = "", detail: str = "",
    ) -> None:  # fmt: skip
        """Add an entry."""
        texts = (action, subject, outcome, address, detail)
        self._database.write(
            "INSERT INTO audit (at, actor, tenant, action, subject, outcome, address, detail)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            to_ticks(self._clock()), actor, tenant, *map(_storable, texts),
            durable=False,
        )  # fmt: skip

    def listed(
        self, tenant: str | None, after: int | None = None, limit: int = 50, *, everyone: bool = False
    ) -> list[AuditLine]:
        """Lines of a tenant, or of ``everyone``, the newest first. ``after`` is the id of the last line seen."""
        whose, values = ("", ()) if everyone else ("tenant IS ? AND", (tenant,))
        ask = f"SELECT {_COLUMNS} FROM audit WHERE {whose} id < ? ORDER BY id DESC LIMIT ?"
        return [_line(row) for row in self._database.read(ask, *values, LAST if after is None else after, limit)]

    def about(self, person: str) -> list[AuditLine]:
        """Return every entry of a person: of their tenant, or with their name as a whole word."""
        ask = (
            f"SELECT {_COLUMNS} FROM audit WHERE tenant = ?1"
            " OR instr(subject, ?1) OR instr(detail, ?1) OR instr(actor, ?1) ORDER BY id"
        )
        lines = map(_line, self._database.read(ask, person))
        word = re.compile(rf"(?<![\w.@-]){re.escape(person)}(?![\w.@-])")
        return [line for line in lines if line.tenant == person or _names(line, word)]

    def prune(self) -> int:
        """Delete old entries; return how many."""
        old, count = to_ticks(self._clock() - self._keep), 0
        ask = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? LIMIT ?) RETURNING id"
        while gone := len(self._database.write(ask, old, BATCH)):
            count += gone
        return count


def _names(line: AuditLine, word: re.Pattern[str]) -> bool:
    return any(word.search(text) for text in (line.actor or "", line.subject, line.detail))


def _storable(text: str) -> str:
    """Shorten a text and escape what is not Unicode."""
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


def _line(row: tuple[Any, ...]) -> AuditLine:
    return AuditLine(row[0], from_ticks(row[1]), *row[2:])
