"""Signing in and out: a token becomes a cookie."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whorl.service.api.asking import address_of, desk_of
from whorl.service.page.forms import Form, Posted, parsed
from whorl.service.page.frame import frame_outside
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import (
    VISITOR_COOKIE,
    Visitor,
    check_csrf,
    cookie_name,
    inside,
    set_cookie,
    visitor_csrf,
    visitor_secret,
)
from whorl.service.problems import Problem

router = APIRouter()


async def outside_form(request: Request) -> AsyncIterator[Posted]:
    """The form of somebody who is not signed in; it sends no file."""
    async with parsed(request, 0) as form:
        check_csrf(visitor_csrf(request.cookies.get(VISITOR_COOKIE, "")), form.raw("csrf"))
        yield form


@router.get("/sign-in")
def ask(request: Request, next: str = "/", said: str = "") -> Response:  # noqa: A002 - the address's own word
    """The form that takes a token."""
    return _form(request, inside(next), said=said)


@router.post("/sign-in")
def sign_in(request: Request, form: Annotated[Posted, Depends(outside_form)]) -> Response:
    """Begin a session, and go where the person wanted to."""
    desk, wanted = desk_of(request), inside(form.raw("next"))
    try:
        token, principal = desk.authenticate(form.text("token"), address_of(request))
    except Problem as problem:
        return _form(request, wanted, problem)
    cookie, _ = desk.sessions.begin(token.id)
    desk.note(principal, "sign in")
    response = RedirectResponse(wanted, 303, HEADERS)
    set_cookie(response, desk, cookie_name(desk), cookie)
    response.delete_cookie(VISITOR_COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.post("/sign-out")
def sign_out(request: Request, visit: Visitor, form: Form) -> Response:
    """End the session."""
    name = cookie_name(visit.desk)
    visit.desk.sessions.end(request.cookies.get(name, ""))
    visit.desk.note(visit.principal, "sign out")
    response = RedirectResponse("/sign-in?said=signed-out", 303, HEADERS)
    response.delete_cookie(name, path="/", secure=visit.desk.settings.https, httponly=True, samesite="strict")
    return response


def _form(request: Request, wanted: str, problem: Problem | None = None, said: str = "") -> Response:
    """The form, with what was wrong: a wrong token is told in the page's own words, not in those for scripts."""
    if problem is not None and problem.status == 401:
        problem = Problem(
            401, "Check that all of it was pasted. If it was revoked or its time is over, ask for another.",
            title="This token is not known",
        )  # fmt: skip
    desk, secret = desk_of(request), visitor_secret(request)
    frame = frame_outside(desk, visitor_csrf(secret)).saying(said)
    response = page("sign_in.html", frame, problem.status if problem else 200, fault=problem, next=wanted)
    set_cookie(response, desk, VISITOR_COOKIE, secret)
    return response
