"""A job as it stands, and as its row has it."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from whorl.service.moments import read, read_or_none

# The columns of a job's row, in the order of ``job_of``.
COLUMNS = (
    "id, kind, tenant, token, settings, state, attempts, submitted, started, ended, step, done, total, message, result"
)


class State(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands. ``total`` is None while nobody knows how much there is; ``message`` says what went wrong."""

    id: str
    kind: str
    tenant: str | None
    token_id: str | None
    settings: dict[str, Any]
    state: State
    attempts: int
    submitted: datetime
    started: datetime | None
    ended: datetime | None
    step: str
    done: int
    total: int | None
    message: str
    result: dict[str, Any] | None


def job_of(row: tuple[Any, ...]) -> Job:
    """A job out of its row."""
    id_, kind, tenant, token, settings, state, attempts, submitted, started, ended, *rest, result = row
    step, done, total, message = rest
    found = None if result is None else json.loads(result)
    return Job(
        id_, kind, tenant, token, json.loads(settings), State(state), attempts, read(submitted),
        read_or_none(started), read_or_none(ended), step, done, total, message, found,
    )  # fmt: skip
