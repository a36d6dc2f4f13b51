"""The job queue: a bounded queue in the database that survives crashes of the server."""

import json
import math
import secrets
import threading
import time
from collections.abc import Callable, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from whorl.errors import DamageError, InputError, WhorlError
from whorl.service.database import LAST, Clock, ServiceDatabase, from_ticks, from_ticks_or_none, now, to_ticks
from whorl.service.workspace import Workspace

# The columns of a job's row, in the order of ``job_of``.
COLUMNS = (
    "id, kind, tenant, token, settings, state, attempts, submitted, started, ended, step, done, total, message, result"
)


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Return whether the job has ended."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class ServiceJob:
    """A job. ``total`` is None while unknown; ``message`` says what went wrong."""

    id: str
    kind: str
    tenant: str | None
    token_id: str | None
    settings: dict[str, Any]
    state: JobState
    attempts: int
    submitted: datetime
    started: datetime | None
    ended: datetime | None
    step: str
    done: int
    total: int | None
    message: str
    result: dict[str, Any] | None


def job_of(row: tuple[Any, ...]) -> ServiceJob:
    """Return the job of a database row."""
    id_, kind, tenant, token, settings, state, attempts, submitted, started, ended, *rest, result = row
    step, done, total, message = rest
    outcome = None if result is None else json.loads(result)
    return ServiceJob(
        id_, kind, tenant, token, json.loads(settings), JobState(state), attempts, from_ticks(submitted),
        from_ticks_or_none(started), from_ticks_or_none(ended), step, done, total, message, outcome,
    )  # fmt: skip


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

# Kinds of jobs that the service queues for itself. They have a slot of their own: a purge has a deadline.
UPKEEP = ("purge", "retention")
_IS_UPKEEP = f"kind IN ({', '.join(map(repr, UPKEEP))})"

# The job that waits behind the fewest of its own tenant; among those the first that came.
_NEXT = (
    "SELECT place FROM jobs AS one WHERE state = 'queued' AND {which} ORDER BY"
    " (SELECT count(*) FROM jobs AS other WHERE other.state IN ('queued', 'running')"
    " AND other.tenant IS one.tenant AND other.place < one.place), place LIMIT 1"
)


class QueueFullError(WhorlError):
    """The queue, or the share of this tenant, is full."""

    def __init__(self, limit: int, whose: str = "") -> None:
        self.limit = limit
        super().__init__(f"{limit} jobs{whose} are waiting or running. Try again later")


class JobQueue:
    """The job queue of a service. ``folder`` contains a folder for each job."""

    def __init__(self, database: ServiceDatabase, folder: Path, limit: int = LIMIT, clock: Clock = now) -> None:
        self._database, self._limit, self._clock = database, limit, clock
        self._workspace = Workspace(folder)
        # Set when a job is submitted or cancelled, so that the runner need not wait for its next look.
        self.changed = threading.Event()

    # What a client asks for.

    def prepare(self) -> str:
        """Return the id of a new job and create its input folder. Then ``submit`` or ``discard`` it."""
        if self._active() >= self._limit:
            raise QueueFullError(self._limit)
        id_ = secrets.token_urlsafe(12)
        self._workspace.make(id_)
        return id_

    def discard(self, id_: str) -> None:
        """Remove the folder of a prepared job that was not submitted."""
        if self.get(id_) is None:
            self._workspace.remove(id_)

    def discard_inputs(self, id_: str) -> None:
        """Remove the uploads of a prepared job that was not submitted."""
        if self.get(id_) is None:
            self._workspace.remove_inputs(id_)

    def submit(
        self, kind: str, tenant: str | None, token_id: str | None, settings: dict[str, Any], prepared: str | None = None
    ) -> ServiceJob:
        """Queue a job and make it durable with its inputs. ``prepared`` is an id from ``prepare``."""
        id_ = self.prepare() if prepared is None else prepared
        if self.get(id_) is not None:
            raise InputError(f"{id_}: this job was submitted already")
        try:
            self._workspace.sync(id_)
            with self._database.transaction():
                self._check_room(tenant)
                job = self._insert(id_, kind, tenant, token_id, settings)
                self._note_size(id_)
        except BaseException:
            if self.get(id_) is None:  # an interrupt may come after the commit
                self._workspace.remove(id_)
            raise
        self.changed.set()
        return job

    def submit_once(self, kind: str, settings: dict[str, Any]) -> ServiceJob | None:
        """Queue a maintenance job, unless one of its kind waits or runs. The limit of the queue does not apply."""
        with self._database.transaction():
            ask = "SELECT 1 FROM jobs WHERE kind = ? AND state IN ('queued', 'running')"
            if self._database.write(ask, kind):
                return None
            id_ = secrets.token_urlsafe(12)
            self._workspace.make(id_)
            self._workspace.sync(id_)
            job = self._insert(id_, kind, None, None, settings)
        self.changed.set()
        return job

    def cancel(self, id_: str) -> ServiceJob | None:
        """Cancel a job, unless it has ended. Return the job, or None if there is none."""
        ended = self._ended(id_, JobState.CANCELLED, ("queued", "running"), "", None)
        self.changed.set()
        return ended or self.get(id_)

    def get(self, id_: str) -> ServiceJob | None:
        """Return a job by id."""
        row = self._database.first(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", id_)
        return None if row is None else job_of(row)

    def listed(
        self, tenant: str | None, after: str | None = None, limit: int = 50, *, everyone: bool = False,
        token: str | None = None,
    ) -> list[ServiceJob]:  # fmt: skip
        """Jobs of a tenant, of ``everyone`` or of one ``token``, the newest first. ``after`` is the id of the last job
        seen."""
        whose, values = ("", ()) if everyone else ("tenant IS ? AND", (tenant,))
        if token is not None:
            whose, values = f"{whose} token = ? AND", (*values, token)
        last = LAST if after is None else self._place(after)
        ask = f"SELECT {COLUMNS} FROM jobs WHERE {whose} place < ? ORDER BY place DESC LIMIT ?"
        return [job_of(row) for row in self._database.read(ask, *values, last, limit)]

    def forget_result(self, id_: str) -> None:
        """Remove the folder of a job, and the figures, settings and message in its row."""
        ask = "UPDATE jobs SET settings = '{}', result = NULL, message = 'its result was deleted' WHERE id = ?"
        self._database.write(ask, id_)
        self._workspace.remove(id_)
        self._note_size(id_)

    def bytes_by_tenant(self) -> dict[str | None, int]:
        """Return the bytes of uploads and results of jobs by tenant; None is the house."""
        ask = "SELECT tenant, sum(bytes) FROM jobs JOIN job_sizes USING (id) GROUP BY tenant"
        return {tenant: int(size) for tenant, size in self._database.read(ask)}

    def bytes_of(self, tenant: str | None) -> int:
        """Return the bytes of uploads and results of the jobs of a tenant."""
        ask = "SELECT coalesce(sum(bytes), 0) FROM jobs JOIN job_sizes USING (id) WHERE tenant IS ?"
        return int(self._database.read(ask, tenant)[0][0])

    def forget_documents(self, numbers: Set[int]) -> dict[str, int]:
        """Remove the names, collections and URLs of deleted documents from the results of clusterings. Return how many
        results were read, and how many were changed. A damaged result is deleted: nobody can say whom it names."""
        done = [row[0] for row in self._database.read("SELECT id FROM jobs WHERE state = 'done' AND kind = 'cluster'")]
        changed = 0
        for id_ in done:
            try:
                changed += self._workspace.forget_documents(id_, numbers)
            except DamageError:
                self.forget_result(id_)
                changed += 1
        return {"read": len(done), "changed": changed}

    def counts(self) -> dict[JobState, int]:
        """Count the jobs by state."""
        counts = dict(self._database.read("SELECT state, count(*) FROM jobs GROUP BY state"))
        return {state: int(counts.get(state.value, 0)) for state in JobState}

    def folder(self, id_: str) -> Path:
        """Return the folder of a job. The id becomes part of a path, so only valid ids are accepted."""
        return self._workspace.folder(id_)

    def inputs(self, id_: str) -> Path:
        """Return the folder of the uploads, which exists until the job ends."""
        return self._workspace.inputs(id_)

    def results(self, id_: str) -> Path:
        """Return the folder of the results."""
        return self._workspace.results(id_)

    def scratch(self, id_: str) -> Path:
        """Return the folder of temporary files of the worker."""
        return self._workspace.scratch(id_)

    # What the runner and the job itself say.

    def locked(self, id_: str) -> AbstractContextManager[None]:
        """Lock the folder of a job, so that only one process works on it."""
        return self._workspace.locked(id_)

    def claim(self, *, upkeep: bool | None = None) -> ServiceJob | None:
        """Take the next job from the queue and mark it as running; None if the queue is empty. Tenants take turns, so
        that one with many jobs does not block the others. ``upkeep`` True takes only the service's own jobs, False all
        others."""
        if not self.has_queued(upkeep=upkeep):
            return None  # without waiting for whoever writes
        rows = self._database.write(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, started = ?, message = '', step = '',"
            " done = 0, total = NULL"
            f" WHERE place = ({_NEXT.format(which=_which(upkeep))})"
            f" RETURNING {COLUMNS}",
            to_ticks(self._clock()),
        )
        return job_of(rows[0]) if rows else None

    def has_queued(self, *, upkeep: bool | None = None) -> bool:
        """Return whether ``claim`` would find a job."""
        ask = f"SELECT 1 FROM jobs WHERE state = 'queued' AND {_which(upkeep)} LIMIT 1"
        return self._database.first(ask) is not None

    def progress(self, id_: str, step: str, done: int, total: int | None) -> None:
        """Store the progress of a running job."""
        ask = "UPDATE jobs SET step = ?, done = ?, total = ? WHERE id = ? AND state = 'running'"
        self._database.write(ask, step, done, total, id_, durable=False)

    def finish(self, id_: str, result: dict[str, Any]) -> ServiceJob | None:
        """Sync the results and mark a running job as done. Return None if it was not running.

        Documents that were deleted while it ran are removed from the results in the same transaction: a purge that
        comes later finds a job that is done.
        """
        self._workspace.sync_results(id_)
        return self._ended(id_, JobState.DONE, ("running",), "", result)

    def _forget_deleted(self, id_: str) -> None:
        """Remove documents that have a receipt of deletion from the results of a job. A receipt that is only announced
        has something in ``evidence`` before its purge: its document may stay."""
        ask = "SELECT number FROM receipts WHERE purged IS NOT NULL OR evidence IS NULL"
        numbers = {row[0] for row in self._database.write(ask)}
        if numbers:
            self._workspace.forget_documents(id_, numbers)

    def fail(self, id_: str, message: str) -> ServiceJob | None:
        """Mark a running job as failed for good. Return None if it was not running."""
        return self._ended(id_, JobState.FAILED, ("running",), message, None)

    def stumbled(self, id_: str, reason: str) -> None:
        """Store the error that is about to end the process of a job."""
        ask = "UPDATE jobs SET message = ? WHERE id = ? AND state = 'running'"
        self._database.write(ask, _storable(reason), id_)

    def crashed(self, id_: str, reason: str) -> ServiceJob | None:
        """Queue a job again whose process died, or fail it if that was the last attempt. The process's own message
        precedes the reason."""
        job = self.get(id_)
        if job is None:
            return None
        reason = job.message or reason
        if job.attempts >= ATTEMPTS:
            return self.fail(id_, f"tried {ATTEMPTS} times; the last error: {reason}")
        return self._queued_again(id_, reason, 0)

    def requeue(self, id_: str) -> ServiceJob | None:
        """Queue a job again that the stopping server interrupted; the attempt does not count."""
        return self._queued_again(id_, "", 1)

    def recover(self) -> int:
        """At the start: what was running when the server died waits again, how many they are; what a crash left of
        uploads that were never submitted is removed."""
        running = [row[0] for row in self._database.read("SELECT id FROM jobs WHERE state = 'running'")]
        for id_ in running:
            self.crashed(id_, "the server was stopped while the job ran")
            self.clear(id_)
        # A job whose commit nobody saw, because its process died, would come back without its folder: a commit that is
        # made before folders are removed is written over it.
        with self._database.transaction():
            pass
        known = {row[0] for row in self._database.read("SELECT id FROM jobs")}
        self._workspace.keep(known)
        for id_ in known & self._workspace.with_inputs():
            if (job := self.get(id_)) is not None and job.state.is_over:
                self._workspace.remove_inputs(id_)
        for (id_,) in self._database.read("SELECT id FROM jobs WHERE id NOT IN (SELECT id FROM job_sizes)"):
            self._note_size(id_)  # an older Whorl did not
        return len(running)

    def verify(self) -> None:
        """Check the results of all jobs that are done. Raise DamageError at the first fault."""
        for (id_,) in self._database.read("SELECT id FROM jobs WHERE state = 'done'"):
            self._workspace.check_results(id_)

    def check_result(self, id_: str, file: Path) -> None:
        """Raise DamageError if a file of the results is not as it was when its job was done."""
        self._workspace.check_result(id_, file)

    def clear(self, id_: str) -> None:
        """Remove temporary files and incomplete results of a stopped process."""
        job = self.get(id_)
        self._workspace.clear(id_, with_results=job is None or job.state is not JobState.DONE)

    def prune(self, keep: timedelta = timedelta(days=KEEP_DAYS)) -> int:
        """Delete old jobs with their results; return how many."""
        old = to_ticks(self._clock() - keep)
        gone = [row[0] for row in self._database.write("DELETE FROM jobs WHERE ended < ? RETURNING id", old)]
        for id_ in gone:
            self._workspace.remove(id_)
        return len(gone)

    def _place(self, id_: str) -> int:
        """Return the position of a job in the order of submission; 0 if there is none."""
        row = self._database.first("SELECT place FROM jobs WHERE id = ?", id_)
        return 0 if row is None else int(row[0])

    def _active(self) -> int:
        return int(self._database.read("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')")[0][0])

    def _check_room(self, tenant: str | None) -> None:
        """Raise QueueFullError if the queue or the share of a tenant is full; the house has a share too, in which the
        service's own jobs do not count. Call inside a transaction."""
        ask = (
            f"SELECT count(*), count(*) FILTER (WHERE tenant IS ? AND NOT {_IS_UPKEEP})"
            " FROM jobs WHERE state IN ('queued', 'running')"
        )
        [(everyone, of_tenant)] = self._database.write(ask, tenant)
        share = math.ceil(self._limit * SHARE)
        if everyone >= self._limit:
            raise QueueFullError(self._limit)
        if of_tenant >= share:
            raise QueueFullError(share, " of yours")

    def _insert(
        self, id_: str, kind: str, tenant: str | None, token_id: str | None, settings: dict[str, Any]
    ) -> ServiceJob:
        rows = self._database.write(
            "INSERT INTO jobs (id, kind, tenant, token, settings, state, attempts, submitted, step, done, message)"
            f" VALUES (?, ?, ?, ?, ?, 'queued', 0, ?, '', 0, '') RETURNING {COLUMNS}",
            id_, kind, tenant, token_id, json.dumps(settings), to_ticks(self._clock()),
        )  # fmt: skip
        return job_of(rows[0])

    def _queued_again(self, id_: str, reason: str, forgiven: int) -> ServiceJob | None:
        ask = (
            "UPDATE jobs SET state = 'queued', attempts = attempts - ?, message = ?, step = '', done = 0, total = NULL"
            f" WHERE id = ? AND state = 'running' RETURNING {COLUMNS}"
        )
        rows = self._database.write(ask, forgiven, _storable(reason), id_)
        self.changed.set()
        return job_of(rows[0]) if rows else None

    def _ended(
        self, id_: str, state: JobState, before: tuple[str, ...], message: str, result: dict[str, Any] | None
    ) -> ServiceJob | None:
        marks = ", ".join("?" * len(before))
        with self._database.transaction():
            if state is JobState.DONE:
                self._forget_deleted(id_)
            rows = self._database.write(
                f"UPDATE jobs SET state = ?, ended = ?, message = ?, result = ? WHERE id = ? AND state IN ({marks})"
                f" RETURNING {COLUMNS}",
                state.value, to_ticks(self._clock()), _storable(message),
                None if result is None else json.dumps(result), id_, *before,
            )  # fmt: skip
        if rows:
            self._workspace.remove_inputs(id_)
            self._note_size(id_)
        return job_of(rows[0]) if rows else None

    def _note_size(self, id_: str) -> None:
        """Note the bytes of a job's uploads and results, for the quota of its tenant. After a crash they are noted
        again when the job ends or its result is deleted, so nobody waits for the disk."""
        ask = "INSERT OR REPLACE INTO job_sizes SELECT id, ? FROM jobs WHERE id = ?"
        self._database.write(ask, self._workspace.size(id_), id_, durable=False)


def _which(upkeep: bool | None) -> str:
    return "true" if upkeep is None else _IS_UPKEEP if upkeep else f"NOT {_IS_UPKEEP}"


def _storable(message: str) -> str:
    """Shorten a message and escape what is not Unicode."""
    return message[:LONGEST_MESSAGE].encode("utf-8", "backslashreplace").decode()


# Seconds between two writes. People see no more, and telling of every document would cost more than some documents.
OFTEN = 0.5


class JobProgress:
    """A progress callback: step, amount done, total amount."""

    def __init__(self, jobs: JobQueue, id_: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._jobs, self._id, self._clock = jobs, id_, clock
        self._step, self._written = "", 0.0

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Write the progress, at most every half second. Always write the first and the last of a step."""
        moment = self._clock()
        if step == self._step and moment - self._written < OFTEN and done != total:
            return
        self._step, self._written = step, moment
        self._jobs.progress(self._id, step, done, total)


@dataclass(frozen=True, slots=True)
class Task:
    """A running job: the folder of the index, uploads in ``inputs``, and an empty folder ``results``."""

    index: Path
    job: ServiceJob
    inputs: Path
    results: Path
    scratch: Path
    progress: JobProgress
    database: ServiceDatabase

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the job."""
        return self.job.settings
