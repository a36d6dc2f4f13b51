"""Jobs as those who asked for them see them: state, progress, results, reports."""

from pathlib import Path

from whorl.service.desk import Desk
from whorl.service.jobs import Job, State
from whorl.service.principal import Principal
from whorl.service.problems import Problem, missing
from whorl.service.tokens import Scope
from whorl.service.uploads import safe_parts

LARGEST_PAGE = 500

# Kind of a job → the file among its results that is the result.
RESULTS = {"compare": "comparison.json", "cluster": "clusters.json", "purge": "evidence.json"}


def listed(desk: Desk, principal: Principal, *, after: str | None = None, limit: int = 50) -> list[Job]:
    """Jobs, the newest first; an admin sees everybody's. ``after`` is the id of the last job that was told."""
    principal.require(Scope.COMPARE)
    limit = max(1, min(limit, LARGEST_PAGE))
    return desk.jobs.listed(principal.tenant, after, limit, everyone=principal.is_admin)


def get(desk: Desk, principal: Principal, id_: str) -> Job:
    """A job as it stands; a problem if it is not there or somebody else's."""
    principal.require(Scope.COMPARE)
    job = desk.jobs.get(id_)
    if job is None or not principal.sees(job.tenant):
        raise missing("The job")
    return job


def cancel(desk: Desk, principal: Principal, id_: str) -> Job:
    """Stop a job; nothing happens to one that is over."""
    before = get(desk, principal, id_)
    job = desk.jobs.cancel(id_)
    desk.note(principal, "cancel", id_)
    return job or before


def result(desk: Desk, principal: Principal, id_: str) -> Path:
    """The file with the result of a job, JSON; a problem if it is not done."""
    job = _done(desk, principal, id_)
    if job.kind not in RESULTS:
        raise missing("A result of this job")
    return _file(desk, job, (RESULTS[job.kind],))


def report(desk: Desk, principal: Principal, id_: str, path: str) -> Path:
    """A file of a comparison's report."""
    job = _done(desk, principal, id_)
    try:
        parts = safe_parts(path or "index.html")
    except Problem as problem:
        raise missing("This page of the report") from problem
    return _file(desk, job, ("report", *parts))


def report_zip(desk: Desk, principal: Principal, id_: str) -> Path:
    """The whole report, packed."""
    return _file(desk, _done(desk, principal, id_), ("report.zip",))


def _done(desk: Desk, principal: Principal, id_: str) -> Job:
    job = get(desk, principal, id_)
    if job.state in (State.QUEUED, State.RUNNING):
        raise Problem(409, "The job is not done yet. Look at its state, or listen to its events.")
    if job.state is not State.DONE:
        raise Problem(409, f"The job has no result: it was {job.state}. {job.message}".strip())
    return job


def _file(desk: Desk, job: Job, parts: tuple[str, ...]) -> Path:
    """A file among a job's results, which must be there and no way out of them."""
    folder = desk.jobs.results(job.id).resolve()
    path = folder.joinpath(*parts).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        raise missing("This part of the result")
    return path
