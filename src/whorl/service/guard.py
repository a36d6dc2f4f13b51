"""What holds for every request and every answer: the name that the service is asked by, headers that make browsers
strict, an answer in the same form whatever goes wrong, and the figures."""

import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import urlsplit

from whorl.service.metrics import Metrics
from whorl.service.problems import MEDIA, Problem
from whorl.service.settings import Settings

LOG = logging.getLogger("whorl.service")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
API = "/api/"

# What pages may load and run: their own files. Answers of the API are no pages.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
API_POLICY = "default-src 'none'; frame-ancestors 'none'"
# A report says itself, by their hashes, which scripts and styles are its own; this forbids the rest.
REPORT_POLICY = "object-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    # Answers are a tenant's own: no proxy keeps them. What may be kept says so itself.
    (b"cache-control", b"no-store"),
)
# Two years, as the lists of browsers ask for.
_STAY = (b"strict-transport-security", b"max-age=63072000")


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self._app, self._metrics, self._https = app, metrics, settings.https
        own = settings.host if ":" not in settings.host else f"[{settings.host}]"
        wildcard = settings.host in ("0.0.0.0", "::", "")
        self._hosts = {*LOOPBACK, *map(str.lower, settings.allow_hosts), *(() if wildcard else (own.lower(),))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0

        async def strict(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._missing(scope, message["headers"])]
            await send(message)

        try:
            if self._is_known(scope):
                await self._app(scope, receive, strict)
            else:
                told = Problem(421, "Start it with --allow-host NAME to let it be reached by this name.")
                await answer(told, scope, strict)
        except Exception:
            LOG.exception("%s %s", scope["method"], _route(scope))
            if not status:
                told = Problem(500, "The service has a fault. Whoever runs it finds it in the log.")
                await answer(told, scope, strict)
            else:
                raise  # the answer has begun: all that is left is to break it off
        finally:
            self._metrics.count(_method(scope), _route(scope), status, time.monotonic() - begun)

    def _is_known(self, scope: Scope) -> bool:
        """Whether the request's Host is a name of ours, with any port."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            return False
        try:
            name = urlsplit(f"//{hosts[0].decode('ascii')}").hostname or ""
        except ValueError:
            return False
        return (f"[{name}]" if ":" in name else name) in self._hosts

    def _missing(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Headers that the answer has not set itself."""
        policy = API_POLICY if scope["path"].startswith(API) else PAGE_POLICY
        wanted = [*_HEADERS, (b"content-security-policy", policy.encode()), *([_STAY] if self._https else [])]
        present = {name.lower() for name, _ in headers}
        return [(name, value) for name, value in wanted if name not in present]


async def answer(problem: Problem, scope: Scope, send: Send, *, close: bool = False) -> None:
    """Send a problem, to people as a page unless a script of it asked, and say that the connection ends if not all of
    the request was read."""
    is_api = scope["path"].startswith(API) or any(name == b"hx-request" for name, _ in scope["headers"])
    body = json.dumps(problem.as_dict()).encode() if is_api else _page(problem).encode()
    media = MEDIA if is_api else "text/html; charset=utf-8"
    told = {"Content-Type": media, "Content-Length": str(len(body)), **problem.headers()}
    told |= {"Connection": "close"} if close else {}
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _page(problem: Problem) -> str:
    """A page of words alone: what is wrong may be wrong with everything else, too."""
    title, detail = escape(problem.title), escape(problem.detail)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>'
        f'<body><main><h1>{title}</h1><p>{detail}</p><p><a href="/">Back to the first page</a></p></main></body></html>'
    )


def _route(scope: Scope) -> str:
    """The pattern that the path matched: paths themselves are anybody's invention."""
    found = getattr(scope.get("route"), "path", None)
    if found is None:
        return "other"
    return f"{API}v1{found}" if scope["path"].startswith(API) and not found.startswith(API) else str(found)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "DELETE") else "other"
