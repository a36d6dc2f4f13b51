"""The address of a server and the token for it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, urlsplit

from whorl.errors import DocumentError, InputError

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
        """Parse a URL."""
        parts = _split(url)
        if parts.username is not None or parts.password is not None:
            raise InputError(
                f"--server: {_without_secret(parts)}: remove the password: the token comes from WHORL_TOKEN"
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
        """Return whether a URL has the same scheme, host and port: the token may be sent only there."""
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


VARIABLE = "WHORL_TOKEN"

# Far more than a token has: a larger file is another one.
LONGEST = 1000


def token_of(file: Path | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the token in a file, or in the environment; None if there is neither."""
    token = environment.get(VARIABLE, "").strip() if file is None else _read(file)
    where = f"{VARIABLE}" if file is None else f"--token-file: {file}"
    if token and (not token.isascii() or not token.isprintable() or " " in token or len(token) > LONGEST):
        raise InputError(f"{where}: not a token: give one line, as the server printed it")
    if not token and file is not None:
        raise InputError(f"{where}: the file is empty: write the token into it")
    return token or None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(LONGEST + 1).decode("utf-8").strip()
    except OSError as error:
        raise DocumentError(f"--token-file: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--token-file: {file}: not a token: the file is not text") from error
