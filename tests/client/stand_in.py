"""A server that answers as a test says, on a loopback port, and remembers what it was asked."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What is answered."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    # Whether the body of the request is read before the answer is sent.
    is_patient: bool = True


@dataclass
class StandIn:
    """The server's address, and all that it was asked."""

    url: str
    asked: list[Asked]


@contextmanager
def standing_in(answer: Callable[[Asked], Reply], context: ssl.SSLContext | None = None) -> Iterator[StandIn]:
    """A server for the time of a test."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = Asked(self.command, self.path, dict(self.headers.items()), b"")
            reply = answer(request)
            if reply.is_patient:
                request.body = self.rfile.read(length)
            asked.append(request)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            if not reply.is_patient:
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_DELETE = do  # noqa: N815 - the library calls them so

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    scheme = "http" if context is None else "https"
    try:
        yield StandIn(f"{scheme}://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
