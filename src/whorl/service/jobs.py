"""Jobs: long work in a bounded queue that survives whatever happens to the server.

A job is a row, and a folder of its own: ``input/`` has what was uploaded, until the job ends, and ``result/`` what came
out. ``runner`` runs jobs, ``work`` is what they do.
"""

import json
import math
import secrets
import threading
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

from whorl.errors import InputError, WhorlError
from whorl.service.database import LAST, ServiceDatabase
from whorl.service.job import COLUMNS, Job, State, job_of
from whorl.service.moments import Clock, now, stored
from whorl.service.workspace import Workspace

__all__ = ["Job", "Jobs", "QueueFullError", "State"]

# Jobs that may wait and run at a time. A class takes minutes, so that the last of so many waits for hours already.
LIMIT = 100

# The part of them that one tenant may have, so that the others can still hand in something.
SHARE = 0.5

# A job that took the server or its own process down so often does so again.
ATTEMPTS = 3

# Days that a job and its result are kept: a term.
KEEP_DAYS = 180

# Characters of a message for people.
LONGEST_MESSAGE = 2000

# The job that waits behind the fewest of its own tenant; among those the first that came.
_NEXT = (
    "SELECT place FROM jobs AS one WHERE state = 'queued' ORDER BY"
    " (SELECT count(*) FROM jobs AS other WHERE other.state IN ('queued', 'running')"
    " AND other.tenant IS one.tenant AND other.place < one.place), place LIMIT 1"
)


class QueueFullError(WhorlError):
    """There is no room for another job, or none for another one of this tenant."""

    def __init__(self, limit: int, whose: str = "") -> None:
        self.limit = limit
        super().__init__(f"{limit} jobs{whose} are waiting or running already: try again when some of them are done")


class Jobs:
    """The queue of a service. ``folder`` is where the jobs' own folders are."""

    def __init__(self, database: ServiceDatabase, folder: Path, limit: int = LIMIT, clock: Clock = now) -> None:
        self._database, self._limit, self._clock = database, limit, clock
        self._workspace = Workspace(folder)
        # Set when a job is submitted or cancelled, so that the runner need not wait for its next look.
        self.changed = threading.Event()

    # What a client asks for.

    def prepare(self) -> str:
        """The id of a job to be, whose input folder is there to be filled: ``submit`` it then, or ``discard`` it."""
        if self._active() >= self._limit:
            raise QueueFullError(self._limit)
        id_ = secrets.token_urlsafe(12)
        self._workspace.make(id_)
        return id_

    def discard(self, id_: str) -> None:
        """Remove the folder of a job that was prepared and not submitted."""
        if self.get(id_) is None:
            self._workspace.remove(id_)

    def submit(
        self, kind: str, tenant: str | None, token_id: str | None, settings: dict[str, Any], prepared: str | None = None
    ) -> Job:
        """Queue a job; it and its inputs are on the disk when this returns. ``prepared`` is what ``prepare`` gave."""
        id_ = self.prepare() if prepared is None else prepared
        if self.get(id_) is not None:
            raise InputError(f"{id_}: this job was submitted already")
        try:
            self._workspace.sync(id_)
            with self._database.transaction():
                self._check_room(tenant)
                job = self._insert(id_, kind, tenant, token_id, settings)
        except BaseException:
            self._workspace.remove(id_)
            raise
        self.changed.set()
        return job

    def submit_once(self, kind: str, settings: dict[str, Any]) -> Job | None:
        """Queue upkeep of the house, unless a job of its kind waits or runs. It is not refused: it is one at most."""
        with self._database.transaction():
            ask = "SELECT 1 FROM jobs WHERE kind = ? AND state IN ('queued', 'running')"
            if self._database.write(ask, kind):
                return None
            id_ = secrets.token_urlsafe(12)
            self._workspace.make(id_)
            job = self._insert(id_, kind, None, None, settings)
        self.changed.set()
        return job

    def cancel(self, id_: str) -> Job | None:
        """Stop a job, unless it is over already; as it stands then, or None if there is no such job."""
        ended = self._ended(id_, State.CANCELLED, ("queued", "running"), "", None)
        self.changed.set()
        return ended or self.get(id_)

    def get(self, id_: str) -> Job | None:
        """The job of an id."""
        row = self._database.first(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", id_)
        return None if row is None else job_of(row)

    def listed(
        self, tenant: str | None, after: str | None = None, limit: int = 50, *, everyone: bool = False
    ) -> list[Job]:
        """Jobs of a tenant, or of ``everyone``, the newest first. ``after`` is the id of the last job seen."""
        whose, values = ("", ()) if everyone else ("tenant IS ? AND", (tenant,))
        last = LAST if after is None else self._place(after)
        ask = f"SELECT {COLUMNS} FROM jobs WHERE {whose} place < ? ORDER BY place DESC LIMIT ?"
        return [job_of(row) for row in self._database.read(ask, *values, last, limit)]

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state."""
        found = dict(self._database.read("SELECT state, count(*) FROM jobs GROUP BY state"))
        return {state: int(found.get(state.value, 0)) for state in State}

    def folder(self, id_: str) -> Path:
        """The folder of a job. The id must be one that ``prepare`` or a job gave: it becomes a path."""
        return self._workspace.folder(id_)

    def inputs(self, id_: str) -> Path:
        """Where the uploads of a job are, until it ends."""
        return self._workspace.inputs(id_)

    def results(self, id_: str) -> Path:
        """Where the results of a job are, once it is done."""
        return self._workspace.results(id_)

    def scratch(self, id_: str) -> Path:
        """Where a job's process keeps what it does not need when it ends."""
        return self._workspace.scratch(id_)

    # What the runner and the job itself say.

    def held(self, id_: str) -> AbstractContextManager[None]:
        """A job's folder for one process alone: no two work at one job, even while the first of them is dying."""
        return self._workspace.held(id_)

    def claim(self) -> Job | None:
        """The next job, which is running now: nobody else gets it. None if none waits. Tenants have their turns: who
        hands in many does not keep the others waiting for all of them."""
        if self._database.first("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1") is None:
            return None  # without waiting for whoever writes
        rows = self._database.write(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, started = ?, message = '', step = '',"
            " done = 0, total = NULL"
            f" WHERE place = ({_NEXT})"
            f" RETURNING {COLUMNS}",
            stored(self._clock()),
        )
        return job_of(rows[0]) if rows else None

    def progress(self, id_: str, step: str, done: int, total: int | None) -> None:
        """Say how far a running job is."""
        ask = "UPDATE jobs SET step = ?, done = ?, total = ? WHERE id = ? AND state = 'running'"
        self._database.write(ask, step, done, total, id_, durable=False)

    def finish(self, id_: str, result: dict[str, Any]) -> Job | None:
        """A running job is done; None if it was not running any more."""
        return self._ended(id_, State.DONE, ("running",), "", result)

    def fail(self, id_: str, message: str) -> Job | None:
        """A running job cannot be done, and trying again would not help; None if it was not running any more."""
        return self._ended(id_, State.FAILED, ("running",), message, None)

    def stumbled(self, id_: str, reason: str) -> None:
        """A running job's process says what it is about to end of."""
        ask = "UPDATE jobs SET message = ? WHERE id = ? AND state = 'running'"
        self._database.write(ask, _storable(reason), id_)

    def crashed(self, id_: str, reason: str) -> Job | None:
        """A running job's process died: queued again, or failed if that was the last attempt. What the process itself
        said goes before the reason."""
        job = self.get(id_)
        if job is None:
            return None
        reason = job.message or reason
        if job.attempts >= ATTEMPTS:
            return self.fail(id_, f"stopped {ATTEMPTS} times without an end; the last time: {reason}")
        return self._queued_again(id_, reason, 0)

    def requeue(self, id_: str) -> Job | None:
        """A running job was stopped because the server is; the attempt does not count."""
        return self._queued_again(id_, "", 1)

    def recover(self) -> int:
        """At the start: what was running when the server died waits again, how many they are; what a crash left of
        uploads that were never submitted is removed."""
        running = [row[0] for row in self._database.read("SELECT id FROM jobs WHERE state = 'running'")]
        for id_ in running:
            self.crashed(id_, "the server was stopped while the job ran")
            self.clear(id_)
        known = {row[0] for row in self._database.read("SELECT id FROM jobs")}
        self._workspace.keep(known)
        for id_ in known & self._workspace.with_inputs():
            if (job := self.get(id_)) is not None and job.state.is_over:
                self._workspace.remove_inputs(id_)
        return len(running)

    def clear(self, id_: str) -> None:
        """Without what a process that was stopped left behind: its scratch files, and results that are not whole."""
        job = self.get(id_)
        self._workspace.clear(id_, with_results=job is None or job.state is not State.DONE)

    def prune(self, keep: timedelta = timedelta(days=KEEP_DAYS)) -> int:
        """Forget the jobs that ended so long ago, and their results; how many they were."""
        old = stored(self._clock() - keep)
        gone = [row[0] for row in self._database.write("DELETE FROM jobs WHERE ended < ? RETURNING id", old)]
        for id_ in gone:
            self._workspace.remove(id_)
        return len(gone)

    def _place(self, id_: str) -> int:
        """Where a job stands in the order of all; before the first if there is no such job."""
        row = self._database.first("SELECT place FROM jobs WHERE id = ?", id_)
        return 0 if row is None else int(row[0])

    def _active(self) -> int:
        return int(self._database.read("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')")[0][0])

    def _check_room(self, tenant: str | None) -> None:
        """Inside a transaction. The house has no share: it is the admin's own."""
        ask = "SELECT count(*), count(*) FILTER (WHERE tenant = ?) FROM jobs WHERE state IN ('queued', 'running')"
        [(everyone, own)] = self._database.write(ask, tenant)
        share = math.ceil(self._limit * SHARE)
        if everyone >= self._limit:
            raise QueueFullError(self._limit)
        if own >= share:
            raise QueueFullError(share, " of yours")

    def _insert(self, id_: str, kind: str, tenant: str | None, token_id: str | None, settings: dict[str, Any]) -> Job:
        rows = self._database.write(
            "INSERT INTO jobs (id, kind, tenant, token, settings, state, attempts, submitted, step, done, message)"
            f" VALUES (?, ?, ?, ?, ?, 'queued', 0, ?, '', 0, '') RETURNING {COLUMNS}",
            id_, kind, tenant, token_id, json.dumps(settings), stored(self._clock()),
        )  # fmt: skip
        return job_of(rows[0])

    def _queued_again(self, id_: str, reason: str, forgiven: int) -> Job | None:
        ask = (
            "UPDATE jobs SET state = 'queued', attempts = attempts - ?, message = ?, step = '', done = 0, total = NULL"
            f" WHERE id = ? AND state = 'running' RETURNING {COLUMNS}"
        )
        rows = self._database.write(ask, forgiven, _storable(reason), id_)
        self.changed.set()
        return job_of(rows[0]) if rows else None

    def _ended(
        self, id_: str, state: State, before: tuple[str, ...], message: str, result: dict[str, Any] | None
    ) -> Job | None:
        marks = ", ".join("?" * len(before))
        rows = self._database.write(
            f"UPDATE jobs SET state = ?, ended = ?, message = ?, result = ? WHERE id = ? AND state IN ({marks})"
            f" RETURNING {COLUMNS}",
            state.value, stored(self._clock()), _storable(message), None if result is None else json.dumps(result),
            id_, *before,
        )  # fmt: skip
        if rows:
            self._workspace.remove_inputs(id_)
        return job_of(rows[0]) if rows else None


def _storable(message: str) -> str:
    """Short, and Unicode."""
    return message[:LONGEST_MESSAGE].encode("utf-8", "backslashreplace").decode()
