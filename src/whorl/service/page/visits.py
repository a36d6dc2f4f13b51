"""Requests of the page: the session cookie, protection against CSRF, and posted forms."""

import hmac
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.service.api.authentication import address_of, context_of, vouch
from whorl.service.api.bodies import check_charset, expected, reserved
from whorl.service.authentication import Principal
from whorl.service.context import Context
from whorl.service.page.rendering import PageFrame, frame_of
from whorl.service.problems import Problem, problem_of

# Over TLS the prefix makes a browser take the cookie from this host alone, for all of it, and never in the clear.
PLAIN_COOKIE, SECURE_COOKIE = "whorl_session", "__Host-whorl_session"
# Before anybody is signed in, the form to sign in is guarded by a cookie of its own.
VISITOR_COOKIE = "whorl_visitor"
VISITOR_BYTES = 24

# An address on this site: one slash first, so that no browser takes the rest for a host, and nothing that it drops.
INSIDE = re.compile(r"/(?![/\\])[!-\[\]-~]*")


class SignInNeeded(Problem):
    """Nobody is signed in; ``inside`` is where they wanted to go. ``ended`` says that they were signed in before."""

    def __init__(self, inside: str, *, ended: bool) -> None:
        self.inside, self.ended = inside, ended
        super().__init__(401, "Sign in first.")


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in person's request."""

    context: Context
    principal: Principal
    is_part: bool

    def fault(self, error: WhorlError) -> Problem:
        """Return the error to show above the form, which keeps its values. Raise it again for a script, and if no other
        input would help."""
        problem = problem_of(error)
        if self.is_part or problem.status == 403 or problem.status >= 500:
            raise error
        return problem

    def frame(self, current: str, notice: str = "") -> PageFrame:
        """Return the frame of a page in this section of the menu."""
        return frame_of(self.context, self.principal, current).saying(notice)


def wants_part(request: Request) -> bool:
    """Return whether a script requests a piece of the page it is on."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


async def visit(request: Request) -> Visit:
    """Return who is signed in; redirect everybody else to the form."""
    principal = await run_in_threadpool(principal_of, request)
    if principal is None:
        wanted = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        is_form = request.method != "GET"
        # Forms and scripts stand on pages that only the signed-in see; and nobody else was given the cookie.
        ended = is_form or wants_part(request) or cookie_name(context_of(request)) in request.cookies
        raise SignInNeeded("/" if is_form else wanted, ended=ended)
    request.state.principal = principal
    vouch(request, principal)
    context = context_of(request)
    context.admit(principal)
    return Visit(context, principal, wants_part(request))


Visitor = Annotated[Visit, Depends(visit)]


def principal_of(request: Request) -> Principal | None:
    """Whose session the cookie is."""
    context = context_of(request)
    cookie = request.cookies.get(cookie_name(context), "")
    session = context.sessions.find(cookie) if cookie else None
    if session is None:
        return None
    return Principal.of(session.token, session.csrf, address_of(request))


def cookie_name(context: Context) -> str:
    """Return the name of the session's cookie."""
    return SECURE_COOKIE if context.settings.https else PLAIN_COOKIE


def set_cookie(response: Response, context: Context, name: str, value: str) -> None:
    """Set a cookie that no script can read and no other site's request carries; it ends with the browser session."""
    response.set_cookie(name, value, path="/", secure=context.settings.https, httponly=True, samesite="strict")


def visitor_secret(request: Request) -> str:
    """Return the cookie of somebody who is not signed in, or a new one."""
    cookie = request.cookies.get(VISITOR_COOKIE, "")
    return cookie if 16 <= len(cookie) <= 64 else secrets.token_urlsafe(VISITOR_BYTES)


def visitor_csrf(secret: str) -> str:
    """Return the token that the sign-in form must send back."""
    return sha256(b"whorl sign in\0" + secret.encode("utf-8", "surrogatepass")).hexdigest()


def check_csrf(expected: str, sent: str) -> None:
    """Raise a problem unless the form is the service's own."""
    if not expected or not hmac.compare_digest(expected.encode(), sent.encode("utf-8", "surrogatepass")):
        detail = "The form has expired or was not sent from this page. Reload the page and try again."
        raise Problem(403, detail, title="The form was not accepted")


def check_origin(request: Request) -> None:
    """Raise a problem if the browser says that another site sent the form."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site in ("same-origin", "none") or (site is None and (origin is None or _is_ours(origin, request))):
        return
    detail = "Another site sent this form. Open the page of the service and try again."
    raise Problem(403, detail, title="The form was not accepted")


def _is_ours(origin: str, request: Request) -> bool:
    """By the host alone: behind something that speaks TLS, the scheme is not ours to know."""
    try:
        return urlsplit(origin).netloc.lower() == request.headers.get("Host", "").lower() != ""
    except ValueError:
        return False


def inside(wanted: str) -> str:
    """Return where to go after signing in: always a page of this site."""
    return wanted if INSIDE.fullmatch(wanted) else "/"


# Fields of a form beside its files: the largest form of ours marks some hundred submissions.
MOST_FIELDS = 2000

# Where a script that is not a form may send the guard.
CSRF_HEADER = "X-CSRF-Token"


@dataclass(frozen=True, slots=True)
class PostedForm:
    """Return the fields of a form."""

    data: FormData

    def text(self, name: str) -> str:
        """Return a field, stripped; "" if it was not sent."""
        return self.raw(name).strip()

    def raw(self, name: str) -> str:
        """Return a field as it was typed."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def optional(self, name: str) -> str | None:
        """Return a field, or None if it was left empty."""
        return self.text(name) or None

    def several(self, name: str) -> tuple[str, ...]:
        """Return all values of a field that can be sent more than once."""
        return tuple(value for value in self.data.getlist(name) if isinstance(value, str))

    def is_checked(self, name: str) -> bool:
        """Return whether a box was checked."""
        return bool(self.text(name))

    def number(self, name: str, label: str) -> int | None:
        """Return an integer, or None if the field was left empty."""
        text = self.text(name)
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Problem(422, f"{label}: {text[:40]!r} is not a whole number. Give one, or leave the field empty.")
        return int(text)

    def files(self, name: str) -> list[UploadFile]:
        """Files that were chosen. A browser sends one without a name if none was."""
        return [file for file in self.data.getlist(name) if isinstance(file, UploadFile) and file.filename]


@asynccontextmanager
async def parsed(request: Request, most_files: int) -> AsyncIterator[PostedForm]:
    """Read a form, whoever sent it; its files are deleted after the request."""
    check_origin(request)
    check_charset(request)
    most: int = context_of(request).settings.max_upload  # of a field that is no file: a text is as long as a document
    try:
        async with expected(request):
            data = await request.form(max_files=most_files, max_fields=MOST_FIELDS, max_part_size=most)
    except HTTPException as error:  # Starlette's word for a form that cannot be parsed
        raise Problem(400, f"The form cannot be read: {error.detail} Send fewer or smaller fields.") from error
    try:
        yield PostedForm(data)
    finally:
        await data.close()


async def posted(request: Request, visit: Visitor) -> AsyncIterator[PostedForm]:
    """Read the form of a signed-in person."""
    with reserved(request) as counted:
        async with parsed(counted, visit.context.settings.max_files) as form:
            check_csrf(visit.principal.csrf or "", request.headers.get(CSRF_HEADER) or form.raw("csrf"))
            yield form


Form = Annotated[PostedForm, Depends(posted)]
