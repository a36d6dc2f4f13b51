"""All routers of the page, its static files, the page that reports a problem, and signing in: a token becomes a
cookie."""

from collections.abc import AsyncIterator
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whorl.service.api.authentication import address_of, context_of
from whorl.service.context import Context
from whorl.service.page import admin, comparison, documents, jobs, search
from whorl.service.page.admin import token_router
from whorl.service.page.documents import add_router
from whorl.service.page.rendering import HEADERS, PageFrame, assets, frame_of, frame_outside, page
from whorl.service.page.visits import (
    VISITOR_COOKIE,
    Form,
    PostedForm,
    SignInNeeded,
    Visitor,
    check_csrf,
    cookie_name,
    inside,
    parsed,
    principal_of,
    set_cookie,
    visitor_csrf,
    visitor_secret,
    wants_part,
)
from whorl.service.problems import Problem, missing

asset_router, session_router = APIRouter(), APIRouter()

# The digest in the address changes with the content.
FOREVER = "public, max-age=31536000, immutable"


@asset_router.get("/static/{digest}/{name}")
async def asset(digest: str, name: str) -> Response:
    """One of our own files, of this very content."""
    asset_file = assets().get(name)
    if asset_file is None or asset_file.address != f"/static/{digest}/{name}":
        raise missing("The file")
    headers = {"Cache-Control": FOREVER, "X-Content-Type-Options": "nosniff"}
    return Response(asset_file.content, media_type=asset_file.media, headers=headers)


@asset_router.get("/favicon.ico")
async def icon() -> Response:
    """Return the icon that browsers ask for by themselves."""
    asset_file = assets()["mark.svg"]
    return Response(asset_file.content, media_type=asset_file.media, headers={"Cache-Control": "public, max-age=86400"})


def problem_page(request: Request, problem: Problem) -> Response:
    """Show a problem as a page; for a script, as a piece of one. Send those who are not signed in to the form."""
    if isinstance(problem, SignInNeeded):
        return _to_sign_in(request, problem)
    if problem.status == 404 and "route" not in request.scope:
        problem = Problem(404, "There is no page at this address. Use the menu above.")
    if problem.status == 405:
        problem = Problem(405, "This address does not take such a request. Use the menu above.")
    template = "problem_part.html" if wants_part(request) else "problem.html"
    response = page(template, _frame(request), problem.status, fault=problem)
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def _frame(request: Request) -> PageFrame:
    context, principal = context_of(request), principal_of(request)
    return frame_outside(context) if principal is None else frame_of(context, principal, "")


def _to_sign_in(request: Request, problem: SignInNeeded) -> Response:
    facts = {"next": "" if problem.inside == "/" else problem.inside, "said": "ended" if problem.ended else ""}
    query = urlencode({name: value for name, value in facts.items() if value})
    address = f"/sign-in?{query}" if query else "/sign-in"
    if wants_part(request):  # A script would put the form into the middle of the page.
        return Response(status_code=204, headers={**HEADERS, "HX-Redirect": address})
    return RedirectResponse(address, 303, HEADERS)


async def outside_form(request: Request) -> AsyncIterator[PostedForm]:
    """Read the form of somebody who is not signed in; it has no files."""
    async with parsed(request, 0) as form:
        check_csrf(visitor_csrf(request.cookies.get(VISITOR_COOKIE, "")), form.raw("csrf"))
        yield form


@session_router.get("/sign-in")
def ask(request: Request, next: str = "/", said: str = "") -> Response:  # noqa: A002 - the address's own word
    """Show the form for a token."""
    return _form(request, inside(next), said=said)


@session_router.post("/sign-in")
def sign_in(request: Request, form: Annotated[PostedForm, Depends(outside_form)]) -> Response:
    """Begin a session, and go where the person wanted to."""
    context, wanted = context_of(request), inside(form.raw("next"))
    try:
        token, principal = context.authenticate(form.text("token"), address_of(request))
    except Problem as problem:
        return _form(request, wanted, problem)
    cookie, _ = context.sessions.begin(token.id)
    context.note(principal, "sign in")
    response = RedirectResponse(wanted, 303, HEADERS)
    set_cookie(response, context, cookie_name(context), cookie)
    response.delete_cookie(VISITOR_COOKIE, path="/", httponly=True, samesite="strict")
    return response


@session_router.post("/sign-out")
def sign_out(request: Request, visit: Visitor, form: Form) -> Response:
    """End the session."""
    name = cookie_name(visit.context)
    visit.context.sessions.end(request.cookies.get(name, ""))
    visit.context.note(visit.principal, "sign out")
    response = RedirectResponse("/sign-in?said=signed-out", 303, HEADERS)
    response.delete_cookie(name, path="/", secure=visit.context.settings.https, httponly=True, samesite="strict")
    return response


def _form(request: Request, wanted: str, problem: Problem | None = None, said: str = "") -> Response:
    """Show the form again, with the error in the page's own words, not in those for scripts."""
    if problem is not None and problem.status == 401:
        problem = Problem(
            401, "Check that you pasted all of it. If it was revoked or has expired, ask for a new one.",
            title="Unknown token",
        )  # fmt: skip
    context, secret = context_of(request), visitor_secret(request)
    frame = frame_outside(context, visitor_csrf(secret)).saying(said)
    response = page("sign_in.html", frame, problem.status if problem else 200, fault=problem, next=wanted)
    set_cookie(response, context, VISITOR_COOKIE, secret)
    return response


def page_routers(context: Context) -> list[APIRouter]:
    """Return the routers of all pages; those of a registry and of sweeps only if the service has them."""
    routers = [
        asset_router, session_router, search.router,
        add_router,  # "/documents/add" stands before "/documents/{number}"
        documents.router, comparison.router, jobs.router, token_router, admin.router,
    ]  # fmt: skip
    if context.has_registry:
        routers.append(search.registry_router)
    if context.has_sweep:
        routers.append(search.sweep_router)
    return routers
