"""The address of a server, and what may be reached from it."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import SplitResult, urlsplit

from whorl.errors import InputError

PORTS = {"http": 80, "https": 443}

# Hosts for which a network is not needed, so that nobody on one can listen.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is. ``base`` is the path that it lives under, without a slash at its end."""

    scheme: str
    host: str
    port: int
    base: str

    @classmethod
    def of(cls, url: str) -> Self:
        """The address that a URL names."""
        parts = _split(url)
        if parts.username is not None or parts.password is not None:
            raise InputError(
                f"--server: {_without_secret(parts)}: no password belongs there: the token is in WHORL_TOKEN"
            )
        if parts.query or parts.fragment:
            raise InputError(f"--server: {url}: give the address alone, without ? and #")
        return cls(parts.scheme, str(parts.hostname), _port(parts, url), parts.path.rstrip("/"))

    @property
    def url(self) -> str:
        """As a person writes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.base}"

    @property
    def is_readable_by_others(self) -> bool:
        """Whether somebody on the way could read what is sent."""
        return self.scheme == "http" and self.host not in _LOOPBACK

    def is_same_server(self, url: str) -> bool:
        """Whether a URL names the same scheme, host and port: only there the token may go."""
        try:
            other = Address.of(url.partition("#")[0].partition("?")[0])
        except InputError:
            return False
        return (other.scheme, other.host, other.port) == (self.scheme, self.host, self.port)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(f"--server: {url}: {error}") from error
    if parts.scheme not in PORTS or not parts.hostname or not url.isascii() or not url.isprintable() or " " in url:
        raise InputError(f"--server: {url!r}: give an address such as https://whorl.example.org")
    return parts


def _port(parts: SplitResult, url: str) -> int:
    try:
        return PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:
        raise InputError(f"--server: {url}: {error}") from error


def _without_secret(parts: SplitResult) -> str:
    return f"{parts.scheme}://…@{parts.hostname}"
