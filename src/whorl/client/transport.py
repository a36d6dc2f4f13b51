"""Requests and answers over one connection: refusals become errors, and the token goes to no other server."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, RemoteDisconnected
from ssl import SSLCertVerificationError, SSLContext, SSLError, create_default_context
from typing import Any
from urllib.parse import urlencode, urlsplit

from whorl._version import VERSION
from whorl.client.address import Address
from whorl.client.body import Body
from whorl.client.faults import AnswerError, RefusedError, UnreachableError

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
class Answer:
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

    def json(self, method: str, path: str, query: dict[str, Any] | None = None, body: Body | None = None) -> Any:
        """The JSON that a request is answered with; None if the answer has no content."""
        answer = self._answered(method, path + _encoded(query), body)
        if not answer.body:
            return None
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise AnswerError(f"{self.address.url}: the answer is no JSON: is a Whorl server there?") from error

    def _answered(self, method: str, path: str, body: Body | None) -> Answer:
        """An answer that is no refusal. Who is told to come again later does so, once."""
        try:
            return self._accepted(method, path, body)
        except RefusedError as error:
            if error.status != 429 or error.retry_after is None or error.retry_after > LONGEST_WAIT:
                raise
            self._pause(error.retry_after)
        return self._accepted(method, path, body)

    def _accepted(self, method: str, path: str, body: Body | None) -> Answer:
        target = self.address.base + path
        for _ in range(REDIRECTS + 1):
            answer = self._exchange(method, target, body)
            if answer.status not in (301, 302, 303, 307, 308):
                return self._checked(answer)
            target = self._moved(method, answer)
        raise AnswerError(f"{self.address.url}: it redirects in a circle")

    def _moved(self, method: str, answer: Answer) -> str:
        """Where on this server the answer is. To another one the token is not carried."""
        location = answer.location or ""
        is_path = location.startswith("/") and not location.startswith("//")
        if not is_path and not self.address.is_same_server(location):
            shown = _printable(location.partition("?")[0])
            raise AnswerError(f"{self.address.url}: it redirects to {shown}: if you trust that, give it to --server")
        if answer.status < 307 and method not in ("GET", "HEAD"):
            raise AnswerError(f"{self.address.url}: it redirects a {method}: is a Whorl server there?")
        parts = urlsplit(location)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _checked(self, answer: Answer) -> Answer:
        if 200 <= answer.status < 300:
            return answer
        raise RefusedError(self.address.url, answer.status, _detail(answer), answer.retry_after)

    def _exchange(self, method: str, target: str, body: Body | None) -> Answer:
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

    def _sent(self, method: str, target: str, body: Body | None) -> Answer:
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

    def _early(self, connection: HTTPConnection, error: OSError) -> Answer:
        """A server that refuses a body says so and reads no more: its answer may be there."""
        try:
            answer = self._read(connection.getresponse())
        except (OSError, HTTPException):
            raise error from None
        self.close()
        return answer

    def _headers(self, body: Body | None) -> dict[str, str]:
        headers = {"Accept": "application/json, application/problem+json", "User-Agent": f"whorl/{VERSION}"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers |= {"Content-Type": body.media, "Content-Length": str(body.length)}
        return headers

    def _read(self, response: HTTPResponse) -> Answer:
        data = response.read(LARGEST_ANSWER + 1)
        if len(data) > LARGEST_ANSWER:
            self.close()
            raise AnswerError(f"{self.address.url}: the answer is larger than any that Whorl gives")
        if response.will_close:
            self.close()
        after = _seconds(response.getheader("Retry-After"))
        return Answer(response.status, response.getheader("Location"), after, data)

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
            told = (
                f"its certificate is not trusted: {error.verify_message}: SSL_CERT_FILE can name the one of its issuer"
            )
            return UnreachableError(f"{url}: {told}")
        if isinstance(error, SSLError):
            return UnreachableError(
                f"{url}: no TLS is spoken there: {error.reason}: is it http:// instead of https://?"
            )
        if isinstance(error, ConnectionRefusedError):
            return UnreachableError(f"{url}: nobody listens there: is the server running, and the address right?")
        if isinstance(error, TimeoutError):
            return UnreachableError(f"{url}: no answer within {self._timeout:g} seconds: try again later")
        if isinstance(error, _STALE):
            return UnreachableError(f"{url}: it ended the connection without an answer: try again, or give it less")
        reason = _printable(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        return UnreachableError(f"{url}: cannot be reached: {reason}")


def _encoded(query: dict[str, Any] | None) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _detail(answer: Answer) -> str:
    """What a refusal says: a problem's own words, or those of the status."""
    try:
        told = json.loads(answer.body)
        words = [str(told[name]) for name in ("title", "detail") if told.get(name)]
        return _printable(": ".join(words)) or "it refuses"
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return "it answers, but not as a Whorl server does"


def _printable(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:LETTERS]).strip()


def _seconds(header: str | None) -> float | None:
    """How long to wait: a number of seconds, or a date."""
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdigit():
        return float(header[:10])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
