"""Jobs: the list, one with its progress, cancelling, results and reports; and the search for near-duplicates."""

import re
from functools import partial

from fastapi import APIRouter
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from whorl.service import clusters, events, tasks
from whorl.service.guard import REPORT_POLICY
from whorl.service.page.browsing import collections_of
from whorl.service.page.forms import Form
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.views import clusters_view, job_view, summary
from whorl.service.page.visits import Visit, Visitor
from whorl.service.tokens import Scope

router = APIRouter()

# Jobs on a page: some screens.
ROWS = 50

# The least resemblance, in percent, from which two documents are near-duplicates: roughly the same, as Broder has it.
THRESHOLD = 50

LETTERS = re.compile(r"[^\w.-]+", re.ASCII)


@router.get("/jobs")
def browse(visit: Visitor, after: str = "", said: str = "") -> Response:
    """The list."""
    found = tasks.listed(visit.desk, visit.principal, after=after or None, limit=ROWS + 1)
    rows = [job_view(job) for job in found[:ROWS]]
    collections = collections_of(visit) if visit.principal.allows(Scope.SEARCH) else []
    return page(
        "jobs.html", visit.frame("jobs", said), rows=rows, after=rows[-1].id if rows else "", first=not after,
        more=len(found) > ROWS, more_link=partial(_link, "/jobs"), collections=collections, threshold=THRESHOLD,
    )  # fmt: skip


@router.get("/jobs/{id_}")
def show(visit: Visitor, id_: str, said: str = "") -> Response:
    """A job: how far it is, or what came of it."""
    job = tasks.get(visit.desk, visit.principal, id_)
    view = job_view(job)
    has_clusters = job.kind == clusters.KIND and job.state.value == "done"
    found = clusters_view(tasks.result(visit.desk, visit.principal, id_)) if has_clusters else None
    return page("job.html", visit.frame("jobs", said), row=view, summary=summary(job), clusters=found)


@router.get("/jobs/{id_}/events")
async def follow(visit: Visitor, id_: str) -> Response:
    """How far it is, as it goes on. Proxies must hand each event on at once."""
    told = await events.follow(visit.desk, visit.principal, id_)
    return StreamingResponse(told, media_type=events.MEDIA, headers={"X-Accel-Buffering": "no"})


@router.post("/jobs/{id_}/cancel")
def cancel(visit: Visitor, form: Form, id_: str) -> Response:
    """Stop it."""
    tasks.cancel(visit.desk, visit.principal, id_)
    return RedirectResponse(f"/jobs/{id_}?said=cancelled", 303, HEADERS)


@router.get("/jobs/{id_}/report/{path:path}")
def report(visit: Visitor, id_: str, path: str) -> Response:
    """A page of the report. It names its own scripts and styles by their hashes; our policy forbids the rest."""
    file = tasks.report(visit.desk, visit.principal, id_, path)
    return FileResponse(file, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/jobs/{id_}/report.zip")
def report_zip(visit: Visitor, id_: str) -> Response:
    """The whole report, to be kept or mailed."""
    file = tasks.report_zip(visit.desk, visit.principal, id_)
    return FileResponse(file, filename=f"{_file_name(visit, id_)}.zip")


@router.get("/jobs/{id_}/result.json")
def result(visit: Visitor, id_: str) -> Response:
    """The result for scripts."""
    file = tasks.result(visit.desk, visit.principal, id_)
    return FileResponse(file, filename=f"{_file_name(visit, id_)}.json", media_type="application/json")


@router.post("/clusters")
def cluster(visit: Visitor, form: Form) -> Response:
    """Look for near-duplicates in a collection."""
    percent = form.number("threshold", "Least resemblance")
    job = clusters.submit(
        visit.desk, visit.principal, collection=form.optional("collection"),
        threshold=None if percent is None else percent / 100,
    )  # fmt: skip
    return RedirectResponse(f"/jobs/{job.id}", 303, HEADERS)


def _file_name(visit: Visit, id_: str) -> str:
    """A name that every system takes, of the job's title."""
    title = job_view(tasks.get(visit.desk, visit.principal, id_)).title
    return LETTERS.sub("-", title).strip("-.")[:80] or "report"


def _link(path: str, after: str) -> str:
    return f"{path}?after={after}" if after else path
