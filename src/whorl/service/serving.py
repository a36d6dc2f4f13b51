"""Runs the service: uvicorn in this process, with limits on how slowly a client may send and read."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from whorl.errors import InputError
from whorl.service.app import create_app
from whorl.service.desk import Desk
from whorl.service.settings import Settings

# Connections that the system may keep waiting while this process is busy.
BACKLOG = 512

# Seconds for requests that are under way when the service is stopped.
GRACE = 10


class Server(uvicorn.Server):
    """A server on a socket that is bound already, which says when it can be reached."""

    def __init__(self, config: uvicorn.Config, bound: socket.socket, started: Callable[[int], object]) -> None:
        super().__init__(config)
        self._bound, self._told = bound, started

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until somebody says that it is enough."""
        super().run(sockets or [self._bound])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._told(self._bound.getsockname()[1])


def protocol_of(head_seconds: float, send_seconds: float) -> type[HttpToolsProtocol]:
    """The protocol of a connection that is cut if the head of a request does not come in time, or if the other side
    does not take what is sent.

    Uvicorn itself watches only the time between two requests: a client that opens connections and sends, or reads, a
    letter a minute would hold them all.
    """

    class Watched(HttpToolsProtocol):
        """One connection."""

        watch: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect(head_seconds)

        def connection_lost(self, exc: Exception | None) -> None:
            self._came()
            super().connection_lost(exc)

        def on_message_begin(self) -> None:
            self._expect(head_seconds)
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._came()
            super().on_headers_complete()

        def pause_writing(self) -> None:
            self._expect(send_seconds)
            super().pause_writing()

        def resume_writing(self) -> None:
            self._came()
            super().resume_writing()

        def _expect(self, seconds: float) -> None:
            self._came()
            self.watch = self.loop.call_later(seconds, self.transport.abort)

        def _came(self) -> None:
            if self.watch is not None:
                self.watch.cancel()
                self.watch = None

    return Watched


def server_of(settings: Settings, started: Callable[[int], object]) -> Server:
    """A server whose desk is at work, but which nobody can reach yet. ``started`` is told the port when it is."""
    bound = bound_to(settings.host, settings.port)
    try:
        app = create_app(settings)
        _start(app.state.desk)
    except BaseException:
        bound.close()
        raise
    config = uvicorn.Config(
        app, http=protocol_of(settings.head_seconds, settings.send_seconds),
        ws="none", lifespan="on", loop="asyncio", access_log=False, log_level="warning", server_header=False,
        # Where a request comes from, something before the service says; only on this machine is it believed.
        proxy_headers=settings.https, forwarded_allow_ips="127.0.0.1", backlog=BACKLOG,
        limit_concurrency=settings.connections, timeout_keep_alive=max(1, int(settings.idle_seconds)),
        timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    return Server(config, bound, started)


def bound_to(host: str, port: int) -> socket.socket:
    """A socket at an address of this machine. It says that it is TCP: else asyncio would not tell its connections to
    send at once, and each answer would wait 40 ms for the client's acknowledgement of its head."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, UnicodeError) as error:
        made.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{host}, port {port}: cannot listen there: {reason}; choose another --host or --port"
        ) from error
    return made


def _start(desk: Desk) -> None:
    try:
        desk.start()
    except BaseException:
        desk.close()
        raise


def serve(settings: Settings, told: Callable[[str, str | None], object]) -> None:
    """Run the service until it is told to stop. ``told`` gets its address and, at the first start, the admin token."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

    def started(port: int) -> None:
        desk: Desk = server.config.app.state.desk  # type: ignore[union-attr] # it is the application from above
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        told(f"http://{host}:{port}/", desk.tokens.ensure_admin())

    server = server_of(settings, started)
    with suppress(KeyboardInterrupt):  # Ctrl-C is how it is meant to end; all is closed by then
        server.run()
