"""Documents that are given by their address, if the service was started with --fetch.

Whoever may name an address makes this machine knock there. So the name is resolved here, every address that it has must
be a public one, and the connection goes to the very address that was looked at, redirects included.
"""

import http.client
import ipaddress
import socket
import ssl
import string
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from threading import Thread, Timer
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from whorl.errors import DocumentError
from whorl.formats.detection import HEAD, TEXT, detect
from whorl.formats.encoding import decode
from whorl.service.problems import Problem

# Name and port → addresses, as numbers.
Resolver = Callable[[str, int], list[str]]
# Address, port and seconds → a connected socket.
Connector = Callable[[str, int, float], socket.socket]

PORTS = {"http": 80, "https": 443}

# As browsers count: a chain of more is a circle.
REDIRECTS = 5
_REDIRECTED = (301, 302, 303, 307, 308)

# Addresses of the new kind that lead to one of the old kind, which is not seen: translated, 6to4, Teredo.
_TUNNELS = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))

# Addresses that lead to machines of a provider or of a network's own, and that Python 3.11 takes for public ones:
# assignments of protocols, relays, and Azure's host.
_SPECIAL = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20", "5f00::/16"))
)

# Media types of web pages, whatever the end of their address: servers make them by programs.
PAGES = frozenset({"text/html", "application/xhtml+xml"})

# Characters that stay as they are in the address of a redirect. Others, such as letters with accents, come as bytes.
_WRITTEN = string.punctuation + string.ascii_letters + string.digits

# Bytes that are read at a time, between two looks at the size.
PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched document. ``name`` is the last part of the path of its URL. Text whose charset its server declares is
    decoded; ``format`` is ``html`` if the server says so."""

    url: str
    name: str
    content: bytes | str
    format: str | None = None


class _Kind(NamedTuple):
    """The media type and the charset that a server declares."""

    media: str
    charset: str | None


def resolved(host: str, port: int) -> list[str]:
    """Resolve a host name with the resolver of the system."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Problem(422, f"{host[:80]}: unknown host name. Check the address.") from error
    return list(dict.fromkeys(str(each[4][0]) for each in addresses))


def connected(address: str, port: int, seconds: float) -> socket.socket:
    """Connect to a numeric address; nothing is resolved again."""
    return socket.create_connection((address, port), seconds)


def fetch(
    url: str, most: int, seconds: float, *, resolver: Resolver = resolved, connector: Connector = connected
) -> Fetched:
    """Fetch a document from a public address, within a size and a time limit."""
    until = time.monotonic() + seconds
    for _ in range(REDIRECTS + 1):
        parts = _checked(url)
        address = public_address(parts.hostname or "", PORTS[parts.scheme], resolver, until)
        where, content, kind = _asked(parts, address, most, until, connector)
        if where is None:
            name = PurePosixPath(unquote(parts.path)).name or parts.hostname or "page"
            return _declared(Fetched(url, name, content), kind)
        url = urljoin(url, quote(where.encode("latin-1"), safe=_WRITTEN))
    raise Problem(422, f"The address redirects more than {REDIRECTS} times. Give the final address.")


def _declared(fetched: Fetched, kind: _Kind) -> Fetched:
    """Return a document as its server declares it, unless its content says otherwise: a PDF stays one. A byte order
    mark, or valid UTF-8, overrules the charset."""
    data = fetched.content
    if isinstance(data, str) or not (kind.media in PAGES or kind.media.startswith("text/")):
        return fetched
    try:
        is_text = detect("", data[:HEAD]) in (TEXT, "html")
    except DocumentError:
        return fetched  # binary: whoever reads it says so
    if not is_text:
        return fetched
    content = data if kind.charset is None else decode(data, kind.charset).text
    return replace(fetched, content=content, format="html" if kind.media in PAGES else None)


def public_address(host: str, port: int, resolver: Resolver, until: float) -> str:
    """Return an address of a host name. All its addresses must be public."""
    addresses = _in_time(lambda: resolver(host, port), until)
    if not addresses or not all(map(is_public, addresses)):
        raise Problem(422, f"{host[:80]}: not a public address. Send the document itself instead.")
    return addresses[0]


def is_public(text: str) -> bool:
    """Return whether an address is publicly reachable."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False  # one with a zone, such as fe80::1%eth0, too
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if any(address in tunnel for tunnel in _TUNNELS):
            return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _in_time(resolve: Callable[[], list[str]], until: float) -> list[str]:
    """Resolve within the time limit. A resolver that takes longer is abandoned: it cannot be stopped."""
    addresses: Future[list[str]] = Future()

    def run() -> None:
        try:
            addresses.set_result(resolve())
        except BaseException as error:
            addresses.set_exception(error)

    Thread(target=run, name="whorl-resolver", daemon=True).start()
    try:
        return addresses.result(max(0, until - time.monotonic()))
    except TimeoutError as error:
        raise _late() from error


def _checked(url: str) -> SplitResult:
    """Split and check a URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Problem(422, "The address cannot be read. Give one such as https://example.org/paper.pdf.") from error
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None or parts.password is not None:
        raise Problem(422, "Give an http:// or https:// address without a user name.")
    if port not in (None, PORTS[parts.scheme]):
        raise Problem(422, "Only the default ports of http and https are allowed.")
    if any(ord(letter) <= 32 or ord(letter) >= 127 for letter in url):
        raise Problem(
            422, "The address contains characters that must be escaped. Copy it from the address bar of a browser."
        )
    return parts


def _asked(
    parts: SplitResult, address: str, most: int, until: float, connector: Connector
) -> tuple[str | None, bytes, _Kind]:
    """Return the target of a redirect, or the content and what it is declared to be. A timer closes the connection in
    time, however slow it is."""
    host, left = parts.hostname or "", until - time.monotonic()
    if left <= 0:
        raise _late()
    connection = http.client.HTTPConnection(host, PORTS[parts.scheme])
    try:
        connection.sock = connector(address, PORTS[parts.scheme], left)
        if parts.scheme == "https":
            connection.sock = _wrapped(connection.sock, host)
        watch = Timer(until - time.monotonic(), _shut, (connection.sock,))
        watch.start()
        try:
            return _read(connection, parts, most, until)
        finally:
            watch.cancel()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise (_late() if time.monotonic() >= until else _unreachable(host)) from error
    finally:
        connection.close()


def _read(
    connection: http.client.HTTPConnection, parts: SplitResult, most: int, until: float
) -> tuple[str | None, bytes, _Kind]:
    target = parts.path or "/"
    headers = {"Host": parts.netloc, "Accept-Encoding": "identity", "User-Agent": "whorl"}
    connection.request("GET", f"{target}?{parts.query}" if parts.query else target, headers=headers)
    with connection.getresponse() as response:
        where = response.getheader("Location")
        if response.status in _REDIRECTED and where:
            return where, b"", _Kind("", None)
        if response.status != 200:
            raise Problem(422, f"The address answered with status {response.status}.")
        if response.getheader("Content-Encoding", "identity") != "identity":
            raise Problem(422, "The address sent a compressed answer that was not requested. Send the document itself.")
        content = _content(response, most)
        if time.monotonic() >= until:  # the watch ended it, which reads like the end of the document
            raise _late()
        if response.length:
            raise _unreachable(parts.hostname or "")
        return None, content, _Kind(response.headers.get_content_type(), response.headers.get_content_charset())


def _content(response: http.client.HTTPResponse, most: int) -> bytes:
    content = bytearray()
    while piece := response.read(PIECE):
        content += piece
        if len(content) > most:
            raise Problem(413, f"The document is larger than {most >> 20:,} MB.")
    return bytes(content)


def _wrapped(raw: socket.socket, host: str) -> socket.socket:
    """Encrypt a connection. ``raw`` is detached from it: from now on only the returned socket can be shut."""
    return ssl.create_default_context().wrap_socket(raw, server_hostname=host)


def _shut(connection: socket.socket) -> None:
    """Shut a connection down under the thread that reads it, encrypted or not."""
    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already


def _late() -> Problem:
    return Problem(422, "The address did not answer in time. Send the document itself instead.")


def _unreachable(host: str) -> Problem:
    return Problem(422, f"{host[:80]}: no valid answer. Check the address.")
