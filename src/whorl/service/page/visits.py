"""Who is at the page: the session's cookie, and what guards forms against other sites."""

import hmac
import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.service.api.asking import address_of, desk_of
from whorl.service.desk import Desk
from whorl.service.page.frame import Frame, frame_of
from whorl.service.principal import Principal
from whorl.service.problems import Problem, problem_of

# Over TLS the prefix makes a browser take the cookie from this host alone, for all of it, and never in the clear.
PLAIN_COOKIE, SECURE_COOKIE = "whorl_session", "__Host-whorl_session"
# Before anybody is signed in, the form to sign in is guarded by a cookie of its own.
VISITOR_COOKIE = "whorl_visitor"
VISITOR_BYTES = 24

# An address on this site: one slash first, so that no browser takes the rest for a host, and nothing that it drops.
INSIDE = re.compile(r"/(?![/\\])[!-\[\]-~]*")


class SignInNeeded(Problem):
    """Nobody is signed in; ``inside`` is where they wanted to go."""

    def __init__(self, inside: str) -> None:
        self.inside = inside
        super().__init__(401, "Sign in first.")


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in person's request."""

    desk: Desk
    principal: Principal
    is_part: bool

    def fault(self, error: WhorlError) -> Problem:
        """What is told above the form that was sent, which then keeps what was typed. For a script, and for what no
        other form would mend, the error goes on."""
        problem = problem_of(error)
        if self.is_part or problem.status == 403 or problem.status >= 500:
            raise error
        return problem

    def frame(self, current: str, notice: str = "") -> Frame:
        """The frame of a page in this section of the menu."""
        return frame_of(self.desk, self.principal, current).saying(notice)


def wants_part(request: Request) -> bool:
    """Whether a script asks for a piece of the page it is on."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


async def visit(request: Request) -> Visit:
    """Who is signed in; sends everybody else to the form."""
    principal = await run_in_threadpool(principal_of, request)
    if principal is None:
        wanted = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        raise SignInNeeded(wanted if request.method == "GET" else "/")
    request.state.principal = principal
    desk = desk_of(request)
    desk.admit(principal)
    return Visit(desk, principal, wants_part(request))


Visitor = Annotated[Visit, Depends(visit)]


def principal_of(request: Request) -> Principal | None:
    """Whose session the cookie is."""
    desk = desk_of(request)
    cookie = request.cookies.get(cookie_name(desk), "")
    session = desk.sessions.find(cookie) if cookie else None
    if session is None:
        return None
    token = session.token
    return Principal(token.id, token.tenant, token.scopes, session.csrf, address_of(request))


def cookie_name(desk: Desk) -> str:
    """What the session's cookie is called."""
    return SECURE_COOKIE if desk.settings.https else PLAIN_COOKIE


def set_cookie(response: Response, desk: Desk, name: str, value: str) -> None:
    """A cookie that no script reads and no other site's request carries; it goes when the browser is closed."""
    response.set_cookie(name, value, path="/", secure=desk.settings.https, httponly=True, samesite="strict")


def visitor_secret(request: Request) -> str:
    """The cookie of somebody who is not signed in, or a new one."""
    kept = request.cookies.get(VISITOR_COOKIE, "")
    return kept if 16 <= len(kept) <= 64 else secrets.token_urlsafe(VISITOR_BYTES)


def visitor_csrf(secret: str) -> str:
    """What the form to sign in must send back."""
    return sha256(b"whorl sign in\0" + secret.encode("utf-8", "surrogatepass")).hexdigest()


def check_csrf(expected: str, sent: str) -> None:
    """A problem unless the form was ours."""
    if not expected or not hmac.compare_digest(expected.encode(), sent.encode("utf-8", "surrogatepass")):
        told = "The form is too old, or was not sent from this page. Go back, load the page anew, and try again."
        raise Problem(403, told, title="The form was not accepted")


def check_origin(request: Request) -> None:
    """A problem if a browser says that another site sent the form."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site in ("same-origin", "none") or (site is None and (origin is None or _is_ours(origin, request))):
        return
    told = "Another site sent this form. Open the page of the service itself, and try again."
    raise Problem(403, told, title="The form was not accepted")


def _is_ours(origin: str, request: Request) -> bool:
    """By the host alone: behind something that speaks TLS, the scheme is not ours to know."""
    try:
        return urlsplit(origin).netloc.lower() == request.headers.get("Host", "").lower() != ""
    except ValueError:
        return False


def inside(wanted: str) -> str:
    """Where to go after signing in: a page of this site, whatever was asked for."""
    return wanted if INSIDE.fullmatch(wanted) else "/"
