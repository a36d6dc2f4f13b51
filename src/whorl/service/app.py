"""The application (API, page, error handlers) and the uvicorn server that runs it."""

import asyncio
import gc
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from threading import Lock
from typing import Any

import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Match
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from whorl._version import VERSION
from whorl.errors import InputError, ReplacedError, WhorlError
from whorl.formats.archives.names import printable
from whorl.formats.documents.extraction import always_in_worker
from whorl.service.admission import Shares
from whorl.service.api import admin, documents, jobs, search
from whorl.service.api.authentication import context_of
from whorl.service.api.schemas import ProblemAnswer, in_words
from whorl.service.context import Context
from whorl.service.middleware import API, CONNECTION, LOG, BodyLimitMiddleware, SecurityMiddleware
from whorl.service.moss import MossServer
from whorl.service.moss import router as moss_router
from whorl.service.page.routes import page_routers, problem_page
from whorl.service.problems import (
    PROBLEM_MEDIA,
    TITLES,
    Problem,
    disk_full,
    is_disk_full,
    problem_of,
    too_much_memory,
)
from whorl.service.settings import ServiceSettings

PREFIX = "/api/v1"

# Threads beside those that may wait for something, so that a token can be looked at and a form read whatever waits.
MORE_THREADS = 40


def create_app(settings: ServiceSettings) -> FastAPI:
    """Create the application. It starts its context at startup and closes it at shutdown."""
    context = Context(settings)
    app = api_of(settings.title)
    app.state.context = context
    for router in page_routers(context):
        app.include_router(router, include_in_schema=False)
    if settings.moss_port is not None:
        app.include_router(moss_router, include_in_schema=False)
    for kind in (WhorlError, HTTPException, RequestValidationError, MemoryError, OSError):
        app.add_exception_handler(kind, _problem_answer)
    app.add_middleware(BodyLimitMiddleware, settings=settings)
    app.add_middleware(SecurityMiddleware, settings=settings, metrics=context.metrics)
    return app


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Return the contract, with the schema of problems, which ``documented`` refers to."""
        if self.openapi_schema is None:
            schemas = super().openapi()["components"]["schemas"]
            name = ProblemAnswer.__name__
            described = sorted({**schemas, name: ProblemAnswer.model_json_schema()}.items())
            schemas.clear()
            schemas.update(described)
        return super().openapi()


def api_of(title: str) -> FastAPI:
    """Create the API without a context; its ``openapi()`` is the contract."""
    app = _Api(
        title=title, version=VERSION, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None,
        lifespan=_life, description="Find the source of a text: documents, searches, comparisons.",
        redirect_slashes=False,
    )  # fmt: skip
    for router in (documents.router, documents.collections, search.router, jobs.router, admin.router):
        app.include_router(router, prefix=PREFIX)
    return app


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    context: Context = app.state.context
    anyio.to_thread.current_default_thread_limiter().total_tokens = context.most_waiting + MORE_THREADS
    try:
        await anyio.to_thread.run_sync(context.start)
        yield
    finally:
        await anyio.to_thread.run_sync(context.close)


async def _problem_answer(request: Request, error: Exception) -> Response:
    """Answer an error: as problem JSON for the API, as a page otherwise."""
    problem = _problem(error)
    if problem.status >= 500 and problem is not error:
        is_known = is_disk_full(error) or isinstance(error, ReplacedError)  # where it was found does not matter
        reason = f"{printable(str(error))}: {problem.detail}" if is_known else problem.detail
        LOG.error(
            "%s %s: %s", request.method, printable(request.url.path), reason, exc_info=None if is_known else error
        )
    principal = getattr(request.state, "principal", None)  # nobody, if it failed before that was known
    if problem.status == 403 and principal is not None:
        await run_in_threadpool(context_of(request).forbade, principal, f"{request.method} {request.url.path}")
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}  # such as Content-Range
    if problem.status == 405:
        headers["Allow"] = ", ".join(_methods_at(request))
    if not request.url.path.startswith(API):
        page = await run_in_threadpool(problem_page, request, problem)
        page.headers.update(headers)
        return page
    return JSONResponse(problem.as_dict(), problem.status, {**problem.headers(), **headers}, PROBLEM_MEDIA)


def _methods_at(request: Request) -> list[str]:
    """Return all methods of the requested path. Starlette names those of the first of its routes."""
    routes = request.app.routes
    methods = [
        method
        for method in ("DELETE", "GET", "POST", "PUT")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return [*methods, "HEAD"] if "GET" in methods else methods  # HEAD is GET without the body


def _problem(error: Exception) -> Problem:
    if isinstance(error, WhorlError):
        return problem_of(error)
    if isinstance(error, MemoryError):
        return too_much_memory()
    if is_disk_full(error):
        return disk_full()
    if isinstance(error, RequestValidationError):
        return Problem(422, "; ".join(map(_fault, error.errors()))[:2000])
    if isinstance(error, HTTPException):
        detail = "Look at /api/openapi.json for what there is." if error.status_code in (404, 405) else error.detail
        return Problem(error.status_code, detail, title=TITLES.get(error.status_code))
    raise error


def _fault(fault: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in fault["loc"][1:]) or "request"
    return in_words(where, fault)


# Connections that the system may keep waiting while this process is busy.
BACKLOG = 512

# Seconds for requests that are under way when the service is stopped.
GRACE = 10

# Bytes and lines of a request's head: 30 times what a browser sends, cookies included.
HEAD_BYTES, HEAD_LINES = 1 << 16, 100

# Requests that a client may send before the first of them is answered. Browsers send none ahead.
PIPELINED = 8

# The part of all connections that is kept free for requests with a token.
RESERVE = 0.1

_LARGE_HEAD = b"The head of the request is too large. Send fewer or shorter headers."
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(_LARGE_HEAD), _LARGE_HEAD)
)


class _TooMuchError(Exception):
    """A request head is too large, or too many requests are pipelined."""


class Server(uvicorn.Server):
    """A server on a bound socket that announces when it accepts connections. ``moss`` is the socket for MOSS clients,
    if they are served."""

    def __init__(
        self,
        config: uvicorn.Config,
        bound: socket.socket,
        started: Callable[[int], object],
        moss: socket.socket | None = None,
    ) -> None:
        super().__init__(config)
        self._bound, self._announce, self._moss = bound, started, moss
        self._moss_server: MossServer | None = None

    @property
    def moss_address(self) -> str | None:
        """Host and port for MOSS clients."""
        return None if self._moss is None else "{}, port {}".format(*self._moss.getsockname()[:2])

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until stopped."""
        super().run(sockets or [self._bound])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then announce the port."""
        await super().startup(sockets)
        if self.started:
            port = self._bound.getsockname()[1]
            if self._moss is not None:
                context: Context = self.config.app.state.context  # type: ignore[union-attr] # create_app made it
                self._moss_server = MossServer(context, self._moss, pages_address(context.settings, port))
                await self._moss_server.start()
            self._announce(port)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the sessions of MOSS clients and all event streams, then wait for the other requests."""
        context: Context = self.config.app.state.context  # type: ignore[union-attr] # create_app made it
        context.streams.end()
        if self._moss_server is not None:
            await self._moss_server.close()
        await super().shutdown(sockets)


class LimitedProtocol(HttpToolsProtocol):
    """A connection with limits. It is cut if the head of a request is too large or too slow, if the client does not
    read its answer, or if connections run out and this one has waited longest without a token.

    Uvicorn itself watches only the time between two requests, and counts neither the bytes of a head nor the requests
    that a client sends ahead. ``strangers`` are the connections of a server that have shown no token, the one that has
    waited longest first; beyond ``most`` connections, that one is cut. ``shares`` counts the connections whose request
    has a token, by tenant: slow requests of one must not take all.
    """

    limits: ServiceSettings
    most: int
    strangers: dict[HttpToolsProtocol, None]
    shares: Shares

    watch: asyncio.TimerHandle | None = None
    # Bytes that were fed to the parser since it gave a piece of a body or the end of a request.
    pending = 0
    # Bytes of the lines of the head (or of the trailers) that were parsed, and how many lines.
    head_bytes = head_lines = 0
    is_refused = False
    # The tenant whose request is being answered, and whether the connection has ended.
    holder: str | None = None
    is_lost = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._turn = Lock()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect(self.limits.head_seconds)
        self.strangers[self] = None
        if len(self.connections) > self.most:
            oldest = next(iter(self.strangers))
            del self.strangers[oldest]
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._came()
        self.strangers.pop(self, None)
        self._release(is_lost=True)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.pending += len(data)
        super().data_received(data)
        if self.pending > HEAD_BYTES and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        self._expect(self.limits.head_seconds)
        self.head_bytes = self.head_lines = 0
        super().on_message_begin()
        self.scope["state"][CONNECTION] = self

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.head_lines += 1
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._came()
        if len(self.pipeline) >= PIPELINED:
            raise _TooMuchError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.pending = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.pending = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._release()
        super().on_response_complete()
        if not self.transport.is_closing():
            self.strangers[self] = None

    def pause_writing(self) -> None:
        self._expect(self.limits.send_seconds)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._came()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        if self.is_refused:
            self.transport.write(TOO_LARGE)
            self.transport.close()
        else:
            super().send_400_response(msg)

    def vouch(self, tenant: str) -> bool:
        """Keep this connection when connections run out: its request has a valid token. Return False if the tenant has
        its share of connections. Called from any thread."""
        with self._turn:
            if self.holder is None and not self.is_lost:
                if not self.shares.take(tenant):
                    return False
                self.holder = tenant
        self.loop.call_soon_threadsafe(self.strangers.pop, self, None)
        return True

    def _release(self, *, is_lost: bool = False) -> None:
        with self._turn:
            self.is_lost = self.is_lost or is_lost
            if self.holder is not None:
                self.shares.give_back(self.holder)
                self.holder = None

    def _count(self, size: int) -> None:
        self.head_bytes += size
        if self.head_bytes > HEAD_BYTES or self.head_lines > HEAD_LINES:
            self.is_refused = True
            raise _TooMuchError

    def _refuse(self) -> None:
        self.is_refused = True
        self.send_400_response("")

    def _expect(self, seconds: float) -> None:
        self._came()
        self.watch = self.loop.call_later(seconds, self.transport.abort)

    def _came(self) -> None:
        if self.watch is not None:
            self.watch.cancel()
            self.watch = None


def protocol_of(settings: ServiceSettings) -> type[LimitedProtocol]:
    """Return the protocol of all connections of one server."""
    most = max(1, int(settings.connections * (1 - RESERVE)))
    return type(
        "ServerProtocol",
        (LimitedProtocol,),
        {"limits": settings, "most": most, "strangers": {}, "shares": Shares(most)},
    )


def server_of(settings: ServiceSettings, started: Callable[[int], object]) -> Server:
    """Return a server whose context runs, but which does not listen yet. ``started`` is called with the port later."""
    with ExitStack() as opened:
        bound = opened.enter_context(bound_to(settings.host, settings.port))
        moss = None
        if settings.moss_port is not None:
            moss = opened.enter_context(bound_to(settings.moss_host, settings.moss_port, "--moss"))
        app = create_app(settings)
        _start(app.state.context)
        opened.pop_all()
    config = uvicorn.Config(
        app, http=protocol_of(settings),
        ws="none", lifespan="on", loop="asyncio", access_log=False, log_level="warning", server_header=False,
        # Where a request comes from, something before the service says; only those that were named are believed.
        proxy_headers=bool(settings.proxies), forwarded_allow_ips=list(settings.proxies), backlog=BACKLOG,
        limit_concurrency=settings.connections, timeout_keep_alive=max(1, int(settings.idle_seconds)),
        timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    return Server(config, bound, started, moss)


def pages_address(settings: ServiceSettings, port: int) -> str:
    """Return the address of the pages, for clients of MOSS: the first --allow-host, or the address that the service
    listens at."""
    host = settings.allow_hosts[0] if settings.allow_hosts else settings.host
    host = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"https://{host}/" if settings.https else f"http://{host}:{port}/"


def bound_to(host: str, port: int, option: str = "--port") -> socket.socket:
    """Return a socket bound to an address of this machine. It names TCP as its protocol: otherwise asyncio would not
    disable Nagle's algorithm, and each response would wait 40 ms for the acknowledgement of its head."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, UnicodeError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{host}, port {port}: cannot listen there: {reason}; choose another {option}") from error
    return listener


def _start(context: Context) -> None:
    try:
        context.start()
    except BaseException:
        context.close()
        raise


def serve(settings: ServiceSettings, announce: Callable[[str, str | None, str, str | None], object]) -> None:
    """Run the service until it is stopped. ``announce`` gets its address, at the first start the admin token, what
    locks its parsers in, and where MOSS clients are served."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

    def started(port: int) -> None:
        context: Context = server.config.app.state.context  # type: ignore[union-attr] # it is the application from above
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        gc.collect()
        gc.freeze()  # what is there now stays: no request waits until all of it is looked through again
        announce(f"http://{host}:{port}/", context.tokens.ensure_admin(), context.jail, server.moss_address)

    always_in_worker()
    server = server_of(settings, started)
    with suppress(KeyboardInterrupt):  # Ctrl-C is how it is meant to end; all is closed by then
        server.run()
