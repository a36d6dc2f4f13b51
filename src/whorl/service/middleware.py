"""ASGI middleware: host check, security headers, body limits, and metrics."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from html import escape
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect

from whorl.service.admission import BytePacer
from whorl.service.problems import PROBLEM_MEDIA, Problem
from whorl.service.settings import MEGABYTE, ServiceSettings

METRICS_MEDIA = "text/plain; version=0.0.4; charset=utf-8"

# Seconds: from a look-up to a job's upload.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Metrics:
    """Counts requests and their duration by route, method and status."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("whorl_requests", "Requests that were answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "whorl_request_seconds", "Time until an answer began.", ("method", "route"), registry=self.registry,
            buckets=BUCKETS,
        )  # fmt: skip
        self._documents = Gauge("whorl_documents", "Documents in the index.", registry=self.registry)
        self._waiting = Gauge("whorl_waiting", "Searches that wait.", registry=self.registry)
        self._jobs = Gauge("whorl_jobs", "Jobs by state.", ("state",), registry=self.registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. ``route`` is a route pattern, never a path of a client: labels must stay few."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, documents: int, waiting: int, jobs: Mapping[str, int]) -> bytes:
        """Return all figures in the Prometheus text format. ``jobs`` counts jobs by state."""
        from prometheus_client import generate_latest

        self._documents.set(documents)
        self._waiting.set(waiting)
        for state, count in jobs.items():
            self._jobs.labels(state).set(count)
        return bytes(generate_latest(self.registry))


LOG = logging.getLogger("whorl.service")

# The status under which requests are counted whose client left before they were complete: nginx's number for it.
GONE = 499

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
API = "/api/"

# Where a request's state has the connection that it came by, if the server gives it.
CONNECTION = "connection"

# Pages may load and run their own files only. Answers of the API are no pages.
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


class SecurityMiddleware:
    """The outermost middleware: host check, security headers, errors, metrics."""

    def __init__(self, app: App, settings: ServiceSettings, metrics: Metrics) -> None:
        self._app, self._metrics, self._https = app, metrics, settings.https
        host = settings.host if ":" not in settings.host else f"[{settings.host}]"
        wildcard = settings.host in ("0.0.0.0", "::", "")
        self._hosts = {*LOOPBACK, *map(str.lower, settings.allow_hosts), *(() if wildcard else (host.lower(),))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0
        is_head = scope["method"] == "HEAD"
        # HEAD is GET without the body: no route has to know it.
        routed = {**scope, "method": "GET"} if is_head else scope

        async def strict(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._missing(scope, message["headers"])]
                await send(message)
                if is_head:
                    await send({"type": "http.response.body"})
            elif not is_head:
                await send(message)

        try:
            if self._is_known(scope):
                await self._app(routed, receive, strict)
            else:
                problem = Problem(421, "Start the service with --allow-host NAME to allow this host name.")
                await answer(problem, scope, strict)
        except ClientDisconnect:
            status = status or GONE  # nobody is there to answer
        except asyncio.CancelledError:  # by the server, which is being stopped and has waited for this request
            LOG.warning("%s %s was cut off: the service is being stopped", scope["method"], _route(routed))
            if not status:
                problem = Problem(503, "The service is being stopped. Try again in a moment.")
                await answer(problem, scope, strict, close=True)
        except Exception:
            LOG.exception("%s %s", scope["method"], _route(routed))
            if not status:
                problem = Problem(500, "An internal error occurred. See the log of the service.")
                await answer(problem, scope, strict)
            else:
                raise  # the answer has begun: all that is left is to break it off
        finally:
            self._metrics.count(_method(scope), _route(routed), status, time.monotonic() - begun)

    def _is_known(self, scope: Scope) -> bool:
        """Return whether the Host header names this service, with any port."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            return False
        try:
            name = urlsplit(f"//{hosts[0].decode('ascii')}").hostname or ""
        except ValueError:
            return False
        return (f"[{name}]" if ":" in name else name) in self._hosts

    def _missing(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Return the security headers that the answer does not set itself."""
        policy = API_POLICY if scope["path"].startswith(API) else PAGE_POLICY
        wanted = [*_HEADERS, (b"content-security-policy", policy.encode()), *([_STAY] if self._https else [])]
        present = {name.lower() for name, _ in headers}
        return [(name, value) for name, value in wanted if name not in present]


async def answer(problem: Problem, scope: Scope, send: Send, *, close: bool = False) -> None:
    """Send a problem, to people as a page unless a script of it asked, and say that the connection ends if not all of
    the request was read."""
    is_api = scope["path"].startswith(API) or any(name == b"hx-request" for name, _ in scope["headers"])
    body = json.dumps(problem.as_dict()).encode() if is_api else _page(problem).encode()
    media = PROBLEM_MEDIA if is_api else "text/html; charset=utf-8"
    fields = {"Content-Type": media, "Content-Length": str(len(body)), **problem.headers()}
    fields |= {"Connection": "close"} if close else {}
    headers = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _page(problem: Problem) -> str:
    """Return a plain page that depends on nothing else."""
    title, detail = escape(problem.title), escape(problem.detail)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>'
        f'<body><main><h1>{title}</h1><p>{detail}</p><p><a href="/">Go to the start page</a></p></main></body></html>'
    )


def _route(scope: Scope) -> str:
    """Return the pattern of the matched route, not the path, which clients choose."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    return f"{API}v1{pattern}" if scope["path"].startswith(API) and not pattern.startswith(API) else str(pattern)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "DELETE") else "other"


# Paths that take a whole class, and those that take a document.
LARGE = ("/api/v1/comparisons", "/compare")
DOCUMENT = (
    "/api/v1/documents", "/api/v1/search", "/api/v1/check", "/api/v1/registry/search", "/search", "/check", "/registry",
    "/documents/add",
)  # fmt: skip

# Bytes of a form beside its file.
FORM = MEGABYTE

# Bytes of any other body: a form without a file. /sign-in takes one from everybody, so it must be small.
SMALL = 1 << 16


class _BodyRefusedError(Exception):
    """The body is refused; stop reading it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


# Bytes a second of the large bodies of one tenant, or of one address without a token: receiving takes the time of the
# server's process. The largest comparison takes eight seconds.
PACE = 32 * MEGABYTE

# Seconds for which the rest of a tenant's body is received after its refusal was sent. Most clients listen only when
# all is sent, and a connection that is closed before takes the answer with it.
LINGER_SECONDS = 5.0


class BodyLimitMiddleware:
    """Limits the size, the duration and the pace of request bodies."""

    def __init__(self, app: App, settings: ServiceSettings) -> None:
        self._app, self._settings = app, settings
        self._pacer = BytePacer(PACE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, begun = self._body_of(scope, receive), False

        async def noted(message: Message) -> None:
            nonlocal begun
            if not begun and body.is_left:  # it would be received for nothing
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            elif begun and body.is_left and body.is_of_tenant and not message.get("more_body"):
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": message["type"]}
            begun = True
            await send(message)

        try:
            body.check_length()
            await self._app(scope, body.receive, noted)
        except _BodyRefusedError as refused:
            if begun:
                raise
            await answer(refused.problem, scope, send, close=True)

    def _body_of(self, scope: Scope, receive: Receive) -> "_Body":
        settings, most = self._settings, SMALL
        if scope["method"] == "POST" and scope["path"] in (*LARGE, *DOCUMENT):
            most = (settings.max_batch if scope["path"] in LARGE else settings.max_upload) + FORM
        seconds = settings.head_seconds if most == SMALL else settings.body_seconds
        return _Body(scope, receive, most, seconds, self._pacer)


class _Body:
    """The body of a request while it comes."""

    def __init__(self, scope: Scope, receive: Receive, most: int, seconds: float, pacer: BytePacer) -> None:
        self._scope, self._receive, self._most, self._seconds, self._pacer = scope, receive, most, seconds, pacer
        self._until = asyncio.get_running_loop().time() + seconds
        self._came, self._done = 0, False

    @property
    def is_left(self) -> bool:
        """Whether much of the announced body has not come yet."""
        return not self._done and announced_length(self._scope) - self._came > SMALL

    @property
    def is_of_tenant(self) -> bool:
        """Whether the sender is known."""
        return self._scope.get("state", {}).get("principal") is not None

    def check_length(self) -> None:
        """Refuse a body by its announced length, without reading any of it."""
        if announced_length(self._scope) > self._most:
            raise _BodyRefusedError(_too_large(self._most))

    async def receive(self) -> Message:
        """Return the next part."""
        if self._done:  # only the end of the connection can come now, and that may take as long as the answer
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
                self._count(message)
                if self._came > SMALL:
                    await asyncio.sleep(self._pacer.delay(self._whose(), len(message.get("body", b""))))
        except TimeoutError:
            detail = f"The body was not received within {self._seconds:g} seconds. Send less, or faster."
            raise _BodyRefusedError(Problem(408, detail)) from None
        return message

    async def discard(self) -> None:
        """Receive the rest of the body, for a while, and forget it."""
        with suppress(TimeoutError, _BodyRefusedError):
            async with asyncio.timeout(LINGER_SECONDS):
                while not self._done:
                    await self.receive()

    def _count(self, message: Message) -> None:
        self._came += len(message.get("body", b""))
        if self._came > self._most:
            raise _BodyRefusedError(_too_large(self._most))
        self._done = message["type"] != "http.request" or not message.get("more_body", False)

    def _whose(self) -> str:
        principal = self._scope.get("state", {}).get("principal")
        return str((self._scope.get("client") or ("",))[0]) if principal is None else f"tenant {principal.tenant or ''}"


def _too_large(most: int) -> Problem:
    size = f"{most // MEGABYTE:,} MB" if most >= MEGABYTE else f"{most >> 10} kB"
    return Problem(413, f"The body is larger than {size}. Send less at a time, or ask for a larger limit.")


def announced_length(scope: Mapping[str, Any]) -> int:
    """Return the length of a body that its head announces, 0 if it announces none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length" and value.isdigit()]
    return max((int(value) if len(value) <= 18 else 10**18 for value in lengths), default=0)
