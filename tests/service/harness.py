"""A real server on a loopback port, for tests that speak HTTP to it."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

import whorl
from whorl.service.app import api_of
from whorl.service.desk import Desk
from whorl.service.serving import server_of
from whorl.service.settings import Settings
from whorl.service.tokens import Scope

ALL = frozenset({Scope.SEARCH, Scope.ADD, Scope.COMPARE})

# Seconds: what takes longer, on however slow a machine, is broken.
PATIENCE = 120.0

# Tests come from one address and ask as fast as they can.
EAGER = {"rate": 1e6, "burst": 10**6, "failures": 10**6, "failures_minute": 1e6}


@dataclass(frozen=True)
class Running:
    """A server, and tokens of two tenants and of an admin."""

    port: int
    desk: Desk
    admin: str
    acme: str
    bolt: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=60)

    def token(self, *scopes: Scope, tenant: str | None = "acme") -> str:
        return self.desk.tokens.create(tenant, frozenset(scopes), "test")[1]


@contextmanager
def running(settings: Settings) -> Iterator[Running]:
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
        desk: Desk = server.config.app.state.desk  # type: ignore[union-attr]
        admin = desk.tokens.create(None, frozenset({Scope.ADMIN}), "admin")[1]
        acme, bolt = (desk.tokens.create(tenant, ALL, tenant)[1] for tenant in ("acme", "bolt"))
        yield Running(ports[0], desk, admin, acme, bolt)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"


def settings_in(folder: Path, **changes: object) -> Settings:
    """Settings of a service over a new index."""
    whorl.Index.create(folder / "index").close()
    return replace(Settings(index=folder / "index", port=0, **EAGER), **changes)  # type: ignore[arg-type]


def prose(seed: int, words: int = 400) -> str:
    """Words that nobody else writes, always the same for a seed."""
    chance = random.Random(seed)
    made = ("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(words))
    return " ".join(made)


def operations() -> list[tuple[str, str, str | None]]:
    """Every path and method of the contract, and the scope that it wants."""
    paths = api_of("test").openapi()["paths"]
    return [(path, method, _scope(told)) for path, found in paths.items() for method, told in found.items()]


def _scope(told: dict[str, Any]) -> str | None:
    return told["security"][0]["token"][0] if "security" in told else None


def over(client: httpx.Client, job: str) -> dict[str, Any]:
    """A job, when it has ended."""
    until = time.monotonic() + PATIENCE
    while (found := client.get(f"/jobs/{job}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until, f"the job is still {found['state']}"
        time.sleep(0.1)
    ended: dict[str, Any] = found
    return ended
