"""Jobs: the list, one with its progress, cancelling, results and reports; and the search for near-duplicates."""

import re
from functools import partial

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response, StreamingResponse

from whorl.service import job_requests
from whorl.service.authentication import TokenScope
from whorl.service.job_requests import ResultResponse
from whorl.service.middleware import REPORT_POLICY
from whorl.service.page.documents import collections_of
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.views import clusters_view, job_view, summary
from whorl.service.page.visits import Form, Visit, Visitor

router = APIRouter()

# Jobs on a page: some screens.
ROWS = 50

# The least resemblance, in percent, from which two documents are near-duplicates: roughly the same, as Broder has it.
THRESHOLD = 50

LETTERS = re.compile(r"[^\w.-]+", re.ASCII)


@router.get("/jobs")
def browse(visit: Visitor, after: str = "", said: str = "") -> Response:
    """Show the list."""
    jobs = job_requests.list_jobs(visit.context, visit.principal, after=after or None, limit=ROWS + 1)
    rows = [job_view(job) for job in jobs[:ROWS]]
    collections = collections_of(visit) if visit.principal.allows(TokenScope.SEARCH) else []
    return page(
        "jobs.html", visit.frame("jobs", said), rows=rows, after=rows[-1].id if rows else "", first=not after,
        more=len(jobs) > ROWS, more_link=partial(_link, "/jobs"), collections=collections, threshold=THRESHOLD,
    )  # fmt: skip


@router.get("/jobs/{id_}")
def show(visit: Visitor, id_: str, said: str = "") -> Response:
    """Show a job: its progress, or its result."""
    job = job_requests.get_job(visit.context, visit.principal, id_)
    view = job_view(job)
    clusters = None
    if job.kind == job_requests.CLUSTER and job.result is not None:
        with job_requests.result_file(visit.context, visit.principal, id_) as file:
            clusters = clusters_view(file)
    return page("job.html", visit.frame("jobs", said), row=view, summary=summary(job), clusters=clusters)


@router.get("/jobs/{id_}/events")
async def follow(visit: Visitor, id_: str) -> Response:
    """Send the progress of a job as events. Proxies must forward each at once."""
    stream = await job_requests.follow(visit.context, visit.principal, id_)
    return StreamingResponse(stream, media_type=job_requests.EVENTS_MEDIA, headers={"X-Accel-Buffering": "no"})


@router.post("/jobs/{id_}/cancel")
def cancel(visit: Visitor, form: Form, id_: str) -> Response:
    """Stop it."""
    job_requests.cancel_job(visit.context, visit.principal, id_)
    return RedirectResponse(f"/jobs/{id_}?said=cancelled", 303, HEADERS)


@router.get("/jobs/{id_}/report/{path:path}")
def report(visit: Visitor, id_: str, path: str) -> Response:
    """Return a page of the report. It names its own scripts and styles by their hashes; the policy forbids others."""
    file = job_requests.report_file(visit.context, visit.principal, id_, path)
    return ResultResponse(file, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/jobs/{id_}/report.zip")
def report_zip(visit: Visitor, id_: str) -> Response:
    """Return the whole report, to be kept or mailed."""
    file = job_requests.report_zip(visit.context, visit.principal, id_)
    return ResultResponse(file, filename=f"{_file_name(visit, id_)}.zip")


@router.get("/jobs/{id_}/result.json")
def result(visit: Visitor, id_: str) -> Response:
    """Return the result for scripts."""
    file = job_requests.result_file(visit.context, visit.principal, id_)
    return ResultResponse(file, filename=f"{_file_name(visit, id_)}.json", media_type="application/json")


@router.post("/clusters")
def cluster(visit: Visitor, form: Form) -> Response:
    """Look for near-duplicates in a collection."""
    percent = form.number("threshold", "Minimum resemblance")
    job = job_requests.submit_clustering(
        visit.context, visit.principal, collection=form.optional("collection"),
        threshold=None if percent is None else percent / 100,
    )  # fmt: skip
    return RedirectResponse(f"/jobs/{job.id}", 303, HEADERS)


def _file_name(visit: Visit, id_: str) -> str:
    """Return a file name that every system accepts, made from the job's title."""
    title = job_view(job_requests.get_job(visit.context, visit.principal, id_)).title
    return LETTERS.sub("-", title).strip("-.")[:80] or "report"


def _link(path: str, after: str) -> str:
    return f"{path}?after={after}" if after else path
