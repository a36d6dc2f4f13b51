"""The application: the API below ``/api/v1``, its contract at ``/api/openapi.json``, and the page at ``/``."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from whorl._version import VERSION
from whorl.errors import WhorlError
from whorl.service.api import admin, collections, documents, jobs, search
from whorl.service.api.asking import desk_of
from whorl.service.desk import Desk
from whorl.service.guard import API, LOG, Guard
from whorl.service.pacing import Pacing
from whorl.service.page.routes import problem_page
from whorl.service.page.routes import router as page
from whorl.service.problems import MEDIA, TITLES, Problem, problem_of
from whorl.service.settings import Settings

PREFIX = "/api/v1"

# Threads beside those that may wait for something, so that a token can be looked at and a form read whatever waits.
MORE_THREADS = 40


def create_app(settings: Settings) -> FastAPI:
    """An application that starts its desk when it starts and closes it when it ends."""
    desk = Desk(settings)
    app = api_of(settings.title)
    app.state.desk = desk
    app.include_router(page(desk), include_in_schema=False)
    for kind in (WhorlError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _told)
    app.add_middleware(Pacing, settings=settings)
    app.add_middleware(Guard, settings=settings, metrics=desk.metrics)
    return app


def api_of(title: str) -> FastAPI:
    """The API alone, with nothing behind it: its ``openapi()`` is the contract."""
    app = FastAPI(
        title=title, version=VERSION, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None,
        lifespan=_life, description="Where does this text come from? Documents, searches, comparisons.",
        redirect_slashes=False,
    )  # fmt: skip
    for module in (documents, collections, search, jobs, admin):
        app.include_router(module.router, prefix=PREFIX)
    return app


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    anyio.to_thread.current_default_thread_limiter().total_tokens = desk.most_waiting + MORE_THREADS
    try:
        await anyio.to_thread.run_sync(desk.start)
        yield
    finally:
        await anyio.to_thread.run_sync(desk.close)


async def _told(request: Request, error: Exception) -> Response:
    """Any error as an answer: a problem for scripts, a page for people."""
    problem = _problem(error)
    if problem.status >= 500 and problem is not error:
        LOG.error("%s %s", request.method, request.url.path, exc_info=error)
    principal = getattr(request.state, "principal", None)  # nobody, if it failed before that was known
    if problem.status == 403 and principal is not None:
        await run_in_threadpool(desk_of(request).forbade, principal, f"{request.method} {request.url.path}")
    headers = {**problem.headers(), **(dict(error.headers or {}) if isinstance(error, HTTPException) else {})}
    if not request.url.path.startswith(API):
        return await run_in_threadpool(problem_page, request, problem)
    return JSONResponse(problem.as_dict(), problem.status, headers, MEDIA)


def _problem(error: Exception) -> Problem:
    if isinstance(error, WhorlError):
        return problem_of(error)
    if isinstance(error, RequestValidationError):
        return Problem(422, "; ".join(map(_fault, error.errors()))[:2000])
    if isinstance(error, HTTPException):
        detail = "Look at /api/openapi.json for what there is." if error.status_code in (404, 405) else error.detail
        return Problem(error.status_code, detail, title=TITLES.get(error.status_code))
    raise error


def _fault(fault: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in fault["loc"][1:]) or "request"
    return f"{where}: {fault['msg']}"
