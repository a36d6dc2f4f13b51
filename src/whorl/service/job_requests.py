"""Operations on jobs, for the API and the page: submit, list, follow, cancel, and read results."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import IO, Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.types import Message, Receive, Scope, Send

from whorl.errors import DamageError, StoreIOError
from whorl.formats.detection import names as formats
from whorl.scheme import PRESETS
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.database import now
from whorl.service.jobs import JobState, QueueFullError, ServiceJob
from whorl.service.naming import Upload, checked_fact, checked_slug, keep, safe_parts
from whorl.service.problems import Problem, missing, nowhere

_log = logging.getLogger(__name__)

T = TypeVar("T")

# Seconds after which a full queue may have room: a small class takes so long.
LATER = 30


def refuse_when_full(work: Callable[[], T]) -> T:
    """Call ``work``; translate QueueFullError into a problem with status 429."""
    try:
        return work()
    except QueueFullError as error:
        raise Problem(429, f"The job queue is full: {error}.", retry_after=LATER) from error


COMPARE = "compare"

# The scheme that the documents decide.
AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """How a class is compared: see ``whorl.comparison.settings``. ``anonymous`` gives everybody another name."""

    scheme: str = AUTO
    threshold: float | None = None
    limit: int | None = None
    anonymous: bool = False
    format: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonUploads:
    """The files to compare, or one archive of them; the starter code; and earlier submissions."""

    submissions: Sequence[Upload]
    base: Sequence[Upload] = ()
    archive: Sequence[Upload] = ()

    @property
    def size(self) -> int:
        """Return the bytes of all uploads."""
        return sum(upload.size for upload in (*self.submissions, *self.base, *self.archive))


def submit_comparison(
    context: Context, principal: Principal, batch: ComparisonUploads, options: ComparisonOptions
) -> ServiceJob:
    """Queue a comparison; it and its files are on the disk when this returns."""
    principal.require(TokenScope.COMPARE)
    context.check_room()
    _check(options)
    if not batch.submissions:
        raise Problem(422, "submissions: nothing to compare. Send files, or one archive of files.")
    if len(batch.submissions) + len(batch.base) + len(batch.archive) > context.settings.max_files:
        raise Problem(413, f"More than {context.settings.max_files} files. Send one archive instead.")
    with context.quota.reserved(principal.tenant, batch.size, is_document=False):
        job = _submitted(context, principal, batch, options)
    context.note(principal, "compare", job.id, f"{len(batch.submissions)} files")
    return job


def _submitted(
    context: Context, principal: Principal, batch: ComparisonUploads, options: ComparisonOptions
) -> ServiceJob:
    prepared = refuse_when_full(context.jobs.prepare)
    try:
        for folder, uploads in (("submissions", batch.submissions), ("base", batch.base), ("archive", batch.archive)):
            keep(uploads, context.jobs.inputs(prepared) / folder)
    except BaseException:
        context.jobs.discard(prepared)
        raise
    return refuse_when_full(
        lambda: context.jobs.submit(COMPARE, principal.tenant, principal.token_id, asdict(options), prepared)
    )


def _check(options: ComparisonOptions) -> None:
    """Say at once what would fail the job later."""
    if options.scheme != AUTO and options.scheme not in PRESETS:
        raise Problem(422, f"scheme: {options.scheme[:80]!r} is unknown. Give one of {', '.join([AUTO, *PRESETS])}.")
    if options.threshold is not None and not 0 <= options.threshold <= 1:
        raise Problem(422, f"threshold: {options.threshold} is out of range. Give a number from 0 to 1.")
    if options.limit is not None and not 1 <= options.limit <= 10_000:
        raise Problem(422, f"limit: {options.limit} is out of range. Give a number of pairs from 1 to 10,000.")
    if options.format is not None and options.format not in formats():
        raise Problem(422, f"format: {options.format[:80]!r} is unknown. 'whorl formats' lists them.")
    checked_fact(options.title, "title")


CLUSTER = "cluster"


def submit_clustering(
    context: Context, principal: Principal, *, collection: str | None = None, threshold: float | None = None
) -> ServiceJob:
    """Queue a clustering of a collection, or of all documents of the tenant; of everybody's, for an admin of the
    house."""
    principal.require(TokenScope.COMPARE)
    context.check_room()
    if collection is not None:
        checked_slug(collection, "collection")
    if threshold is not None and not 0 < threshold <= 1:
        raise Problem(422, f"threshold: {threshold} is out of range. Give a number above 0, up to 1.")
    with context.quota.reserved(principal.tenant, 0, is_document=False):
        pass  # the result needs room
    everyone = principal.is_admin and principal.tenant is None and collection is None
    settings = {"collection": collection, "threshold": threshold, "everyone": everyone}
    job = refuse_when_full(lambda: context.jobs.submit(CLUSTER, principal.tenant, principal.token_id, settings))
    context.note(principal, "cluster", job.id, collection or "")
    return job


LARGEST_PAGE = 500

# Kind of a job → the file among its results that is the result.
RESULTS = {"compare": "comparison.json", "cluster": "clusters.json", "purge": "evidence.json"}


def list_jobs(context: Context, principal: Principal, *, after: str | None = None, limit: int = 50) -> list[ServiceJob]:
    """Return jobs, newest first; an admin sees all jobs. ``after`` is the id of the last job of the previous page."""
    principal.require(TokenScope.COMPARE)
    limit = max(1, min(limit, LARGEST_PAGE))
    whose = principal.only_token
    if after is not None and ((last := context.jobs.get(after)) is None or not principal.sees_job(last)):
        raise nowhere()
    return context.jobs.listed(principal.tenant, after, limit, everyone=principal.is_admin, token=whose)


def get_job(context: Context, principal: Principal, id_: str) -> ServiceJob:
    """Return a job. Raise 404 if it does not exist or belongs to someone else."""
    principal.require(TokenScope.COMPARE)
    job = context.jobs.get(id_)
    if job is None or not principal.sees_job(job):
        raise missing("The job")
    return job


def cancel_job(context: Context, principal: Principal, id_: str) -> ServiceJob:
    """Cancel a job, unless it has ended."""
    before = get_job(context, principal, id_)
    context.make_room()
    job = context.jobs.cancel(id_)
    context.note(principal, "cancel", id_)
    return job or before


def forget_result(context: Context, principal: Principal, id_: str) -> ServiceJob:
    """Delete the result of an ended job, with all names and texts in it. Keep the record of the job."""
    job = get_job(context, principal, id_)
    if not job.state.is_over:
        raise Problem(409, "The job is still running. Cancel it first.")
    context.make_room()
    context.jobs.forget_result(id_)
    context.note(principal, "delete result", id_)
    return get_job(context, principal, id_)


class ResultResponse(FileResponse):
    """Sends an open file of a result, whole, even if the result is deleted meanwhile; then closes it."""

    def __init__(
        self, file: IO[bytes], *, media_type: str | None = None, filename: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        number, kind = file.fileno(), media_type or guess_type(filename or file.name)[0]
        super().__init__(
            f"/dev/fd/{number}", media_type=kind, filename=filename, headers=headers, stat_result=os.fstat(number)
        )
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def checked(message: Message) -> None:
            if message["type"] == "http.response.start":
                _refuse_range(message)
            await send(message)

        with self._file:
            await super().__call__(scope, receive, checked)


def _refuse_range(start: Message) -> None:
    """Raise a problem instead of the plain text with which Starlette refuses a Range header."""
    if start["status"] == 400:
        raise Problem(400, "The header Range cannot be understood. Send one such as 'bytes=0-999', or none.")
    if start["status"] == 416:
        headers = {"Content-Range": Headers(raw=start["headers"])["Content-Range"]}
        raise HTTPException(416, "The file is shorter. The header Content-Range says how long it is.", headers)


def result_file(context: Context, principal: Principal, id_: str) -> IO[bytes]:
    """Open the JSON file with the result of a job that is done."""
    job = _done(context, principal, id_)
    if job.kind not in RESULTS:
        raise missing("A result of this job")
    return _file(context, job, (RESULTS[job.kind],))


def report_file(context: Context, principal: Principal, id_: str, path: str) -> IO[bytes]:
    """Open a file of the report of a comparison."""
    return job_report(context, get_job(context, principal, id_), path)


def job_report(context: Context, job: ServiceJob, path: str) -> IO[bytes]:
    """Open a file of the report of a job, whoever asks."""
    _check_done(job)
    try:
        parts = safe_parts(path or "index.html")
    except Problem as problem:
        raise missing("This page of the report") from problem
    return _file(context, job, ("report", *parts))


def report_zip(context: Context, principal: Principal, id_: str) -> IO[bytes]:
    """Open the zip file of the report."""
    return _file(context, _done(context, principal, id_), ("report.zip",))


def _done(context: Context, principal: Principal, id_: str) -> ServiceJob:
    job = get_job(context, principal, id_)
    _check_done(job)
    return job


def _check_done(job: ServiceJob) -> None:
    if job.state in (JobState.QUEUED, JobState.RUNNING):
        raise Problem(409, "The job is not done yet. Poll its state, or follow its events.")
    if job.state is not JobState.DONE:
        raise Problem(409, f"The job has no result; its state is {job.state}. {job.message}".strip())


def _file(context: Context, job: ServiceJob, parts: tuple[str, ...]) -> IO[bytes]:
    """Open a file below the folder of the results; refuse paths that lead out of it."""
    folder = context.jobs.results(job.id).resolve()
    path = folder.joinpath(*parts).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        raise missing(_PART)
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise missing(_PART) from error
    try:
        _check_undamaged(context, job, path)
    except BaseException:
        file.close()
        raise
    return file


def _check_undamaged(context: Context, job: ServiceJob, path: Path) -> None:
    try:
        context.jobs.check_result(job.id, path)
    except (DamageError, StoreIOError) as error:
        current = context.jobs.get(job.id)
        if current is None or current.result is None:  # it was deleted meanwhile
            raise missing(_PART) from error
        if isinstance(error, StoreIOError):
            raise
        _log.error("job %s: %s", job.id, error)
        detail = "A file of the result is damaged on the disk of the service. Submit the job again or restore a backup."
        raise Problem(500, detail, title="The result is damaged") from error


_PART = "This part of the result"

EVENTS_MEDIA = "text/event-stream"

# Seconds between two looks at the job, and after which a silent stream says that it is alive: proxies end idle ones.
LOOK, ALIVE = 0.5, 15.0


async def follow(context: Context, principal: Principal, id_: str) -> AsyncIterator[bytes]:
    """Return the event stream of a job. Raise problems now, before the answer begins."""
    await run_in_threadpool(get_job, context, principal, id_)
    context.streams.check(principal.tenant or "")
    return _stream(context, principal, id_)


async def _stream(context: Context, principal: Principal, id_: str) -> AsyncIterator[bytes]:
    """``progress`` whenever something changed, and ``end`` with the last state. One that lasts too long just ends,
    as all do when the service is stopped: browsers ask again."""
    loop = asyncio.get_running_loop()
    until, silent, last = loop.time() + context.settings.stream_seconds, loop.time() + ALIVE, ""
    with context.streams.one(principal.tenant or "") as is_open:
        while is_open and not context.streams.has_ended and loop.time() < until:
            if not await run_in_threadpool(_is_valid, context, principal):
                return  # the token was revoked or has expired: what it may not ask for, it is not told
            job = await run_in_threadpool(get_job, context, principal, id_)
            payload = json.dumps(state(job))
            if job.state.is_over:
                yield _event("end", payload)
                return
            if payload != last or loop.time() >= silent:
                yield _event("progress", payload) if payload != last else b": still here\n\n"
                last, silent = payload, loop.time() + ALIVE
            await asyncio.sleep(LOOK)


def _is_valid(context: Context, principal: Principal) -> bool:
    token = context.tokens.get(principal.token_id)
    return token is not None and token.is_valid(now())


def state(job: ServiceJob) -> dict[str, Any]:
    """Return the data of an event."""
    payload = {"id": job.id, "state": job.state.value, "step": job.step, "done": job.done, "total": job.total}
    return {**payload, "message": job.message, "result": job.result}


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()
