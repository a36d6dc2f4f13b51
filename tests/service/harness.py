"""A real server on a loopback port, for tests that speak HTTP to it."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import httpx

import whorl
from whorl.service.app import api_of, server_of
from whorl.service.authentication import TokenScope
from whorl.service.context import Context
from whorl.service.settings import Others, ServiceSettings

ALL = frozenset({TokenScope.SEARCH, TokenScope.ADD, TokenScope.COMPARE})

# Seconds: what takes longer, on however slow a machine, is broken.
PATIENCE = 120.0

# Tests come from one address and ask as fast as they can; and they look at what is told of others, if anything is.
EAGER = {
    "rate": 1e6, "burst": 10**6, "failures": 10**6, "failures_minute": 1e6, "others": Others.EXISTS,
    "foreign_answers": 10**6,
}  # fmt: skip


@dataclass(frozen=True)
class Running:
    """A server, and tokens of two tenants and of an admin."""

    port: int
    context: Context
    admin: str
    acme: str
    bolt: str
    moss: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=PATIENCE)

    def token(self, *scopes: TokenScope, tenant: str | None = "acme") -> str:
        return self.context.tokens.create(tenant, frozenset(scopes), "test")[1]


@contextmanager
def running(settings: ServiceSettings) -> Iterator[Running]:
    """A server in a thread of this process, until the block ends."""
    ready, ports = threading.Event(), list[int]()

    def started(port: int) -> None:
        ports.append(port)
        ready.set()

    server = server_of(settings, started)
    thread = threading.Thread(target=server.run, name="server")
    thread.start()
    try:
        assert ready.wait(60), "the server did not start"
        context: Context = server.config.app.state.context  # type: ignore[union-attr]
        admin = context.tokens.create(None, frozenset({TokenScope.ADMIN}), "admin")[1]
        acme, bolt = (context.tokens.create(tenant, ALL, tenant)[1] for tenant in ("acme", "bolt"))
        moss = int((server.moss_address or "0").rpartition(" ")[2])
        yield Running(ports[0], context, admin, acme, bolt, moss)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"


@contextmanager
def idle(folder: Path) -> Iterator[Running]:
    """A server over a new index that runs no jobs: they wait."""
    with running(settings_in(folder)) as found:
        found.context.runner.stop()
        yield found


def settings_in(folder: Path, **changes: object) -> ServiceSettings:
    """Settings of a service over a new index."""
    whorl.Index.create(folder / "index").close()
    return replace(ServiceSettings(index=folder / "index", port=0, **EAGER), **changes)  # type: ignore[arg-type]


def prose(seed: int, words: int = 400) -> str:
    """Words that nobody else writes, always the same for a seed."""
    chance = random.Random(seed)
    sizes = chance.choices(range(2, 10), k=words)
    letters = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=sum(sizes)))
    return " ".join(letters[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True))


@cache
def operations() -> list[tuple[str, str, str | None]]:
    """Every path and method of the contract, and the scope that it wants."""
    paths = api_of("test").openapi()["paths"]
    return [
        (path, method, _scope(operation)) for path, methods in paths.items() for method, operation in methods.items()
    ]


def _scope(operation: dict[str, Any]) -> str | None:
    return operation["security"][0]["token"][0] if "security" in operation else None


def over(client: httpx.Client, job: str) -> dict[str, Any]:
    """A job, when it has ended."""
    until = time.monotonic() + PATIENCE
    while (found := client.get(f"/jobs/{job}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until, f"the job is still {found['state']}"
        time.sleep(0.1)
    ended: dict[str, Any] = found
    return ended
