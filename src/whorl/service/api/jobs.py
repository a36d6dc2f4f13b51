"""``/comparisons``, ``/clusters`` and ``/jobs``: long work, and what came of it."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from whorl.service import job_requests
from whorl.service.api.authentication import Comparer, context_of
from whorl.service.api.bodies import FORM, JSON, fields_of, form_of, json_of, media_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.schemas import ClusterBody, ComparisonBody, JobsAnswer, Limit, Line, documented
from whorl.service.job_requests import ComparisonOptions, ComparisonUploads, ResultResponse
from whorl.service.jobs import ServiceJob
from whorl.service.middleware import REPORT_POLICY
from whorl.service.problems import Problem

router = APIRouter(tags=["jobs"])

# Fields of the form of a comparison that have files.
FILES = ("submissions", "base", "archive")

_COMPARISON = schema_of(ComparisonBody, many=FILES)


@router.post("/comparisons", status_code=202, openapi_extra=body((FORM, _COMPARISON)), responses=documented(408, 415))
async def compare(request: Request, response: Response, principal: Comparer) -> ServiceJob:
    """Compare a class: files, or one archive of them, as ``submissions``; what everybody was given as ``base``; what is
    only compared with as ``archive``. The answer is a job, whose address is in ``Location``."""
    if media_of(request) != FORM:
        raise Problem(415, f"Send the body as {FORM}.")
    async with form_of(request) as sent:
        if unknown := set(sent.files) - set(FILES):
            raise Problem(422, f"{', '.join(sorted(unknown))[:200]}: send files as {', '.join(FILES)}.")
        options = ComparisonOptions(**fields_of(sent, ComparisonBody, FILES).model_dump())
        if not sent.files.get(FILES[0]):
            raise Problem(422, "submissions: send files, or one archive of files, such as -F submissions=@class.zip.")
        batch = ComparisonUploads(**{name: sent.files.get(name, []) for name in FILES})
        job = await run_in_threadpool(job_requests.submit_comparison, context_of(request), principal, batch, options)
    return _located(job, response)


@router.post(
    "/clusters", status_code=202, openapi_extra=body((JSON, schema_of(ClusterBody))), responses=documented(408, 415)
)
async def cluster(request: Request, response: Response, principal: Comparer) -> ServiceJob:
    """Find near-duplicates among one's documents. The answer is a job."""
    fields = await json_of(request, ClusterBody)
    job = await run_in_threadpool(
        job_requests.submit_clustering,
        context_of(request),
        principal,
        collection=fields.collection,
        threshold=fields.threshold,
    )
    return _located(job, response)


@router.get("/jobs", responses=documented(404))
def list_(
    request: Request, principal: Comparer,
    after: Annotated[Line | None, Query(description="What the answer before had in 'after'.")] = None,
    limit: Annotated[Limit, Query()] = 50,
) -> JobsAnswer:  # fmt: skip
    """Jobs, the newest first."""
    found_jobs = job_requests.list_jobs(context_of(request), principal, after=after, limit=limit)
    return JobsAnswer(jobs=found_jobs, after=found_jobs[-1].id if len(found_jobs) == limit else None)


@router.get("/jobs/{job}", responses=documented(404))
def get(request: Request, job: str, principal: Comparer) -> ServiceJob:
    """Return the state of a job."""
    return job_requests.get_job(context_of(request), principal, job)


@router.delete("/jobs/{job}", responses=documented(404))
def cancel(request: Request, job: str, principal: Comparer) -> ServiceJob:
    """Stop a job. Nothing happens to one that is over."""
    return job_requests.cancel_job(context_of(request), principal, job)


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {job_requests.EVENTS_MEDIA: {"schema": {"type": "string"}}}}, **documented(404)},
)
async def follow(request: Request, job: str, principal: Comparer) -> StreamingResponse:
    """Server-sent events: ``progress`` whenever something changed, then ``end``."""
    stream = await job_requests.follow(context_of(request), principal, job)
    return StreamingResponse(stream, media_type=job_requests.EVENTS_MEDIA)


def _part_of(media: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of the other answers of a file, of which clients can ask for a part."""
    content = {media: {"schema": {"type": "string"}}, "multipart/byteranges": {"schema": {"type": "string"}}}
    return {
        206: {"description": "The part that the header Range asks for.", "content": content},
        **documented(404, 409, 416),
    }


@router.get("/jobs/{job}/result", response_class=FileResponse, responses={
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}, **_part_of("application/json"),
})  # fmt: skip
def result(request: Request, job: str, principal: Comparer) -> FileResponse:
    """Return the result of a finished job. Of a comparison: what ``whorl compare --format json`` prints."""
    file = job_requests.result_file(context_of(request), principal, job)
    return ResultResponse(file, media_type="application/json")


@router.delete("/jobs/{job}/result", responses=documented(404, 409))
def forget(request: Request, job: str, principal: Comparer) -> ServiceJob:
    """Delete the result of a job that is over: names and texts in it are gone, that there was a job stays."""
    return job_requests.forget_result(context_of(request), principal, job)


@router.get("/jobs/{job}/report.zip", response_class=FileResponse, responses={
    200: {"content": {"application/zip": {"schema": {"type": "string"}}}}, **_part_of("application/zip"),
})  # fmt: skip
def report_zip(request: Request, job: str, principal: Comparer) -> FileResponse:
    """Return the report of a comparison as a zip file."""
    file = job_requests.report_zip(context_of(request), principal, job)
    return ResultResponse(file, media_type="application/zip", filename="report.zip")


@router.get("/jobs/{job}/report/{path:path}", response_class=FileResponse, responses={
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A file of the report."},
    **_part_of("text/html"),
})  # fmt: skip
def report(request: Request, job: str, path: str, principal: Comparer) -> FileResponse:
    """Return a page of the report of a comparison; the first is ``index.html``."""
    file = job_requests.report_file(context_of(request), principal, job, path)
    return ResultResponse(file, headers={"Content-Security-Policy": REPORT_POLICY})


def _located(job: ServiceJob, response: Response) -> ServiceJob:
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return job
