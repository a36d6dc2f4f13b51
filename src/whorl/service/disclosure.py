"""Answers about matches in documents of others: too little to reconstruct them by repeated queries."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whorl.service.audit import AuditLog
from whorl.service.authentication import Principal
from whorl.service.database import Clock, ServiceDatabase, now, to_ticks
from whorl.service.settings import Others

# Letters that a query must have: some hundred words. Below, the few things that are tried could be told apart.
LETTERS = 600
# Fingerprints that must be shared: about eight windows, a paragraph and not a sentence.
SHARED = 8
# The least share of the query, or of the document, that must be the other's; and where "much" and "most" begin.
LEVELS = (0.2, 0.5, 0.8)
# How far the bounds of a document may lie above these, by secret numbers from 0 to 1: whoever does not know a bound
# cannot place a query just below it.
SPREAD = (0.5, 0.3, 0.15)
# Fingerprints from which on a document is near the bounds: less than half of those that must be shared can be added to
# by no guess.
NEAR = SHARED // 2
# Matches that are told: whether there are many more is nobody's business.
MOST_DISCLOSED = 3

Level = Literal["some", "much", "most"]
NAMES: tuple[Level, ...] = ("some", "much", "most")


@dataclass(frozen=True, slots=True)
class ForeignMatch:
    """A match in a document of another owner. ``contact`` is set under the policy "contact" only."""

    level: Level
    contact: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Documents of others that overlap a query: their numbers, the shared fingerprints of each, and those of each
    document in all; how many fingerprints of the query count; and the query's own hashes, in order."""

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    fingerprints: NDArray[np.int64]
    evidence: int
    hashes: NDArray[np.uint64]


def chosen(overlap: Overlap, places: NDArray[np.intp]) -> Overlap:
    """Select some of the documents."""
    numbers, shared = overlap.numbers[places], overlap.shared[places]
    return replace(overlap, numbers=numbers, shared=shared, fingerprints=overlap.fingerprints[places])


def levels(
    overlap: Overlap, letters: int, others: Others, secrets: NDArray[np.float64] | None = None
) -> list[tuple[int, Level]]:
    """Return the documents that are disclosed, the highest level first: number and level. Within a level the oldest
    document comes first, which says nothing about how much it shares. ``secrets`` are four numbers from 0 to 1 for
    each document that raise its bounds: one for each level, one for the fingerprints."""
    if others is Others.NOTHING or letters < LETTERS or not overlap.evidence:
        return []
    share = np.maximum(overlap.shared / overlap.evidence, overlap.shared / np.maximum(1, overlap.fingerprints))
    raised = np.zeros((len(overlap.numbers), 4)) if secrets is None else secrets
    bounds = np.array(LEVELS) * (1 + np.array(SPREAD) * raised[:, :3])
    level = (np.minimum(share, 1.0)[:, None] >= bounds).sum(axis=1)
    level[overlap.shared < SHARED + np.floor(SHARED * raised[:, 3])] = 0
    disclosed = np.flatnonzero(level)
    order = disclosed[np.lexsort((overlap.numbers[disclosed], -level[disclosed]))][:MOST_DISCLOSED]
    return [(int(overlap.numbers[place]), NAMES[int(level[place]) - 1]) for place in order]


# Answers about one document that one tenant gets in so many days.
ANSWERS, DAYS = 3, 30

# Documents near the bounds of one query that are looked at, the oldest first. A text that more of them share is common.
MOST_NEAR = 200

# Hashes of a query that are kept to know it again, and the share of them that nearly the same query has.
SKETCH, ALIKE = 64, 0.5

ACTION, ALARM = "ask about others", "alarm"


class Disclosure:
    """All earlier answers about others' documents. Any thread may ask."""

    def __init__(
        self, database: ServiceDatabase, audit: AuditLog, secret: bytes, daily: int, clock: Clock = now
    ) -> None:  # fmt: skip
        self._database, self._audit, self._secret = database, audit, secret
        self._daily, self._clock = daily, clock
        self._turn = Lock()
        # Alarms of the day that it names: who, and about which document.
        self._alarms: tuple[int, set[tuple[str, int | None]]] = (0, set())

    def disclose(
        self, principal: Principal, overlap: Overlap, letters: int, others: Others
    ) -> tuple[list[tuple[int, Level]], str]:
        """Return the documents that are told, number and level, and what else to say of the answer."""
        near = chosen(overlap, np.flatnonzero(overlap.shared >= NEAR)[:MOST_NEAR])
        if others is Others.NOTHING or letters < LETTERS or not len(near.numbers):
            return [], ""
        tenant, moment = principal.tenant or "", self._clock()
        with self._turn, self._database.transaction(durable=False):
            frozen = self._frozen(tenant, overlap.hashes, moment)
            if frozen is not None:
                return frozen, ""
            if self._today(tenant, moment) >= self._daily:
                self._alarm(principal, None, moment, f"{self._daily} answers are used up")
                return [], "The daily limit of answers about documents of other owners is reached."
            open_ = self._open(principal, near, moment)
            answer = levels(open_, letters, others, self._secrets(tenant, open_.numbers, moment))
            self._note(tenant, open_.numbers, overlap.hashes, answer, moment)
        return answer, ""

    def prune(self) -> int:
        """Forget what is too old to count; how many answers that were."""
        old = to_ticks(self._clock() - timedelta(days=DAYS))
        self._database.write("DELETE FROM foreign_documents WHERE at < ?", old)
        return len(self._database.write("DELETE FROM foreign_queries WHERE at < ? RETURNING 1", old))

    def _frozen(self, tenant: str, hashes: NDArray[np.uint64], moment: datetime) -> list[tuple[int, Level]] | None:
        """Return the answer to the first query that was nearly the same."""
        ask = "SELECT sketch, answer FROM foreign_queries WHERE tenant = ? AND at >= ? ORDER BY id"
        rows = self._database.write(ask, tenant, to_ticks(moment - timedelta(days=DAYS)))
        if not rows:
            return None
        sketches = np.array([_padded(np.frombuffer(row[0], np.uint64)) for row in rows])
        sizes = np.maximum(np.count_nonzero(sketches, axis=1), min(SKETCH, len(hashes)))
        alike = np.flatnonzero(np.isin(sketches, hashes[:SKETCH]).sum(axis=1) >= ALIKE * sizes)
        return [(number, level) for number, level in json.loads(rows[alike[0]][1])] if len(alike) else None

    def _today(self, tenant: str, moment: datetime) -> int:
        """Answers that the tenant got since yesterday at this time."""
        ask = "SELECT count(*) FROM foreign_queries WHERE tenant = ? AND at > ?"
        return int(self._database.write(ask, tenant, to_ticks(moment - timedelta(days=1)))[0][0])

    def _open(self, principal: Principal, near: Overlap, moment: datetime) -> Overlap:
        """Without the documents that the tenant has had its answers about."""
        ask = (
            "SELECT number, count(*) FROM foreign_documents WHERE tenant = ? AND at >= ?"
            f" AND number IN ({', '.join('?' * len(near.numbers))}) GROUP BY number"
        )
        tenant, begun = principal.tenant or "", to_ticks(_month_of(moment))
        counts = dict(self._database.write(ask, tenant, begun, *near.numbers.tolist()))
        used_up = np.array([counts.get(number, 0) >= ANSWERS for number in near.numbers.tolist()])
        for number in near.numbers[used_up].tolist():
            self._alarm(principal, number, moment, f"{ANSWERS} answers about one document are used up")
        return chosen(near, np.flatnonzero(~used_up))

    def _secrets(self, tenant: str, numbers: NDArray[np.uint32], moment: datetime) -> NDArray[np.float64]:
        """Four numbers from 0 to 1 for each document, the same for a tenant all month, which nobody else can know."""
        inputs = (f"{tenant}\0{number}\0{to_ticks(_month_of(moment))}".encode() for number in numbers.tolist())
        drawn = b"".join(
            blake2b(each, digest_size=8, key=self._secret, person=b"whorl bounds").digest() for each in inputs
        )
        return np.frombuffer(drawn, "<u2").reshape(-1, 4) / 65536

    def _note(
        self, tenant: str, numbers: NDArray[np.uint32], hashes: NDArray[np.uint64],
        answer: Sequence[tuple[int, Level]], moment: datetime,
    ) -> None:  # fmt: skip
        at = to_ticks(moment)
        self._database.write(
            "INSERT INTO foreign_queries (tenant, at, sketch, answer) VALUES (?, ?, ?, ?)",
            tenant, at, hashes[:SKETCH].tobytes(), json.dumps(answer),
        )  # fmt: skip
        for number in numbers.tolist():
            self._database.write("INSERT INTO foreign_documents VALUES (?, ?, ?)", tenant, number, at)

    def _alarm(self, principal: Principal, number: int | None, moment: datetime, detail: str) -> None:
        """Write a line of the audit log, once a day for a tenant and a document."""
        day, raised = self._alarms
        if day != moment.toordinal():
            raised = set()
            self._alarms = moment.toordinal(), raised
        if ((principal.tenant or ""), number) not in raised:
            raised.add((principal.tenant or "", number))
            subject = "" if number is None else str(number)
            self._audit.note(
                principal.token_id, principal.tenant, ACTION, subject, ALARM, principal.address, detail
            )  # fmt: skip


def _month_of(moment: datetime) -> datetime:
    """Return the first of the days over which answers about a document are counted together."""
    day = datetime.fromordinal(moment.toordinal() // DAYS * DAYS)
    return day.replace(tzinfo=moment.tzinfo)


def _padded(sketch: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.concatenate([sketch, np.zeros(SKETCH - len(sketch), np.uint64)])
