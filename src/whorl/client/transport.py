"""HTTP requests to a server: bodies, answers, errors. The token is never sent to another server."""

import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead, RemoteDisconnected
from pathlib import Path
from ssl import SSLCertVerificationError, SSLContext, SSLError, create_default_context
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from whorl._version import VERSION
from whorl.client.address import Address
from whorl.errors import DocumentError, WhorlError

# Advice for a refusal whose message from the server gives none.
_REMEDIES = {
    401: "set WHORL_TOKEN to a token of this server, or use --token-file",
    403: "ask the administrator for a token that allows this",
    413: "send less at a time, or ask the administrator for a larger limit",
    429: "the server is busy: try again later",
}


class UnreachableError(WhorlError):
    """No answer came."""


class AnswerError(WhorlError):
    """The answer does not come from a Whorl server of this version."""


class ServerRefusedError(WhorlError):
    """The server refused a request. ``retry_after`` is in seconds, if it said when to come again."""

    def __init__(self, server: str, status: int, detail: str, retry_after: float | None = None) -> None:
        self.server, self.status, self.detail, self.retry_after = server, status, detail, retry_after
        remedy = _REMEDIES.get(status)
        super().__init__(f"{server}: {detail} ({status})" + (f": {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[type["ServerRefusedError"], tuple[str, int, str, float | None]]:
        return type(self), (self.server, self.status, self.detail, self.retry_after)


# Bytes of a file that are sent at once.
CHUNK = 1 << 16


class HttpBody(Protocol):
    """The content of a request."""

    @property
    def media(self) -> str:
        """Its content type."""

    @property
    def length(self) -> int:
        """How many bytes."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, from the beginning."""


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON document."""

    value: Any

    media = "application/json"

    @property
    def length(self) -> int:
        """How many bytes."""
        return len(self._bytes())

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, from the beginning."""
        yield self._bytes()

    def _bytes(self) -> bytes:
        return json.dumps(self.value).encode()


@dataclass(frozen=True, slots=True)
class FormPart:
    """A field of a form; one with a ``filename`` is a file, whose content is bytes or the file itself."""

    name: str
    content: bytes | Path
    filename: str | None = None


class MultipartForm:
    """A multipart form."""

    def __init__(self, parts: Sequence[FormPart]) -> None:
        # 128 random bits: nobody who writes a document knows them, so none can end a part.
        self._mark = f"whorl-{secrets.token_hex(16)}"
        self._parts = [(_head(self._mark, part), part, _size(part)) for part in parts]
        self._end = f"--{self._mark}--\r\n".encode()

    @property
    def media(self) -> str:
        """Its content type."""
        return f"multipart/form-data; boundary={self._mark}"

    @property
    def length(self) -> int:
        """How many bytes."""
        return sum(len(head) + size + 2 for head, _, size in self._parts) + len(self._end)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, from the beginning."""
        for head, part, size in self._parts:
            yield head
            yield from _content(part, size)
            yield b"\r\n"
        yield self._end


def _head(mark: str, part: FormPart) -> bytes:
    name = f'name="{_quoted(part.name)}"'
    kind = "" if part.filename is None else "\r\nContent-Type: application/octet-stream"
    file = "" if part.filename is None else f'; filename="{_quoted(part.filename)}"'
    return f"--{mark}\r\nContent-Disposition: form-data; {name}{file}{kind}\r\n\r\n".encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """As browsers write names in a form: what would end the name or the line is written as %."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _size(part: FormPart) -> int:
    if isinstance(part.content, bytes):
        return len(part.content)
    try:
        return part.content.stat().st_size
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}", str(part.content)) from error


def _content(part: FormPart, size: int) -> Iterator[bytes]:
    """Yield the bytes of a part: of a file, as many as were announced."""
    if isinstance(part.content, bytes):
        yield part.content
        return
    try:
        with part.content.open("rb") as file:
            while size and (chunk := file.read(min(size, CHUNK))):
                size -= len(chunk)
                yield chunk
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}", str(part.content)) from error
    if size:
        raise DocumentError("changed while it was sent: send it again", str(part.content))


# Seconds without a byte: a search of a long document and a full queue take less.
TIMEOUT = 120.0

# Bytes of an answer: the passages of a hundred long documents are less; a server that sends more is none of ours.
LARGEST_ANSWER = 256 << 20

# Seconds that a client waits when it is told to: longer, a person decides.
LONGEST_WAIT = 60.0

# Redirects that are followed, all of them on the same server.
REDIRECTS = 3

# Letters of a message from a server that are shown.
LETTERS = 500

# How the life of a connection ends between two requests: the server let it go, and the request was not read.
_STALE = (RemoteDisconnected, BrokenPipeError, ConnectionResetError)


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """What a server said."""

    status: int
    location: str | None
    retry_after: float | None
    body: bytes


class Transport:
    """One server, one token, one connection that is opened when it is needed. One thread at a time uses it."""

    def __init__(
        self, address: Address, token: str | None, *, timeout: float = TIMEOUT, context: SSLContext | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self.address = address
        self._token, self._timeout, self._context, self._pause = token, timeout, context, pause
        self._connection: HTTPConnection | None = None

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def json(self, method: str, path: str, query: dict[str, Any] | None = None, body: HttpBody | None = None) -> Any:
        """Return the JSON of the response to a request; None if it has no content."""
        answer = self._answered(method, path + _encoded(query), body)
        if not answer.body:
            return None
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise AnswerError(f"{self.address.url}: the answer is not JSON: is this a Whorl server?") from error

    def _answered(self, method: str, path: str, body: HttpBody | None) -> ServerResponse:
        """Return a successful response. Try again once if the server asks for it."""
        try:
            return self._accepted(method, path, body)
        except ServerRefusedError as error:
            if error.status != 429 or error.retry_after is None or error.retry_after > LONGEST_WAIT:
                raise
            self._pause(error.retry_after)
        return self._accepted(method, path, body)

    def _accepted(self, method: str, path: str, body: HttpBody | None) -> ServerResponse:
        target = self.address.base + path
        for _ in range(REDIRECTS + 1):
            answer = self._exchange(method, target, body)
            if answer.status not in (301, 302, 303, 307, 308):
                return self._checked(answer)
            target = self._moved(method, answer)
        raise AnswerError(f"{self.address.url}: too many redirects")

    def _moved(self, method: str, answer: ServerResponse) -> str:
        """Return the target of a redirect on this server. The token is never sent to another one."""
        location = answer.location or ""
        is_path = location.startswith("/") and not location.startswith("//")
        if not is_path and not self.address.is_same_server(location):
            shown = _printable(location.partition("?")[0])
            raise AnswerError(
                f"{self.address.url}: it redirects to {shown}. If you trust that server, pass it to --server"
            )
        if answer.status < 307 and method not in ("GET", "HEAD"):
            raise AnswerError(f"{self.address.url}: it redirects a {method} request: is this a Whorl server?")
        parts = urlsplit(location)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _checked(self, answer: ServerResponse) -> ServerResponse:
        if 200 <= answer.status < 300:
            return answer
        raise ServerRefusedError(self.address.url, answer.status, _detail(answer), answer.retry_after)

    def _exchange(self, method: str, target: str, body: HttpBody | None) -> ServerResponse:
        """Send a request and read all of its answer, on a new connection if the old one was let go meanwhile."""
        is_fresh = self._connection is None
        try:
            return self._sent(method, target, body)
        except _STALE as error:
            self.close()
            if is_fresh:
                raise self._unreachable(error) from error
        except (OSError, HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error
        return self._exchange(method, target, body)

    def _sent(self, method: str, target: str, body: HttpBody | None) -> ServerResponse:
        connection = self._connected()
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in self._headers(body).items():
            connection.putheader(name, value)
        connection.endheaders()
        try:
            for chunk in body.chunks() if body is not None else ():
                connection.send(chunk)
        except (BrokenPipeError, ConnectionResetError) as error:
            return self._early(connection, error)
        return self._read(connection.getresponse())

    def _early(self, connection: HTTPConnection, error: OSError) -> ServerResponse:
        """Return the response of a server that refused a body before reading all of it, if there is one."""
        try:
            answer = self._read(connection.getresponse())
        except (OSError, HTTPException):
            raise error from None
        self.close()
        return answer

    def _headers(self, body: HttpBody | None) -> dict[str, str]:
        headers = {"Accept": "application/json, application/problem+json", "User-Agent": f"whorl/{VERSION}"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers |= {"Content-Type": body.media, "Content-Length": str(body.length)}
        return headers

    def _read(self, response: HTTPResponse) -> ServerResponse:
        data = response.read(LARGEST_ANSWER + 1)
        if len(data) > LARGEST_ANSWER:
            self.close()
            raise AnswerError(f"{self.address.url}: the answer is too large: is this a Whorl server?")
        if response.length:  # bytes that were announced and did not come
            raise IncompleteRead(data, response.length)
        if response.will_close:
            self.close()
        after = _seconds(response.getheader("Retry-After"))
        return ServerResponse(response.status, response.getheader("Location"), after, data)

    def _connected(self) -> HTTPConnection:
        if self._connection is None:
            host, port = self.address.host, self.address.port
            if self.address.scheme == "https":
                context = self._context or create_default_context()
                self._connection = HTTPSConnection(host, port, timeout=self._timeout, context=context)
            else:
                self._connection = HTTPConnection(host, port, timeout=self._timeout)
        return self._connection

    def _unreachable(self, error: Exception) -> UnreachableError:
        url = self.address.url
        if isinstance(error, SSLCertVerificationError):
            problem = (
                f"its certificate is not trusted: {error.verify_message}. To trust another issuer, set SSL_CERT_FILE"
            )
            return UnreachableError(f"{url}: {problem}")
        if isinstance(error, SSLError):
            return UnreachableError(f"{url}: TLS failed: {error.reason}: should the address begin with http://?")
        if isinstance(error, ConnectionRefusedError):
            return UnreachableError(f"{url}: connection refused: is the server running, and is the address right?")
        if isinstance(error, TimeoutError):
            return UnreachableError(f"{url}: no answer within {self._timeout:g} seconds: try again later")
        if isinstance(error, _STALE):
            return UnreachableError(
                f"{url}: the server closed the connection without an answer: try again, or send less"
            )
        if isinstance(error, IncompleteRead):
            return UnreachableError(f"{url}: the server closed the connection inside its answer: try again")
        reason = _printable(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        return UnreachableError(f"{url}: cannot be reached: {reason}")


def _encoded(query: dict[str, Any] | None) -> str:
    values = {name: value for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(values)}" if values else ""


def _detail(answer: ServerResponse) -> str:
    """Return the message of a refusal: that of the problem document, or that of the status."""
    try:
        problem = json.loads(answer.body)
        words = [str(problem[name]) for name in ("title", "detail") if problem.get(name)]
        return _printable(": ".join(words)) or "request refused"
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return "not an answer of a Whorl server"


def _printable(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:LETTERS]).strip()


def _seconds(header: str | None) -> float | None:
    """Return how long to wait: a number of seconds, or until a date."""
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdigit():
        return float(header[:10])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
