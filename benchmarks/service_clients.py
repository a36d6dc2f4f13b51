"""Clients of a service, in a process of their own: ``python -m benchmarks.service_clients PLAN``, which is JSON.

Each client has one connection and sends one request after the other; who is told to come again later waits as long as
it was told. Prints JSON: of each kind of request the statuses, and the seconds of those that were answered with 200.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from benchmarks.service_texts import Texts

# One in so many requests adds a document.
ADDS = 10


@dataclass
class Plan:
    """Whom to ask, and for how long: ``seconds`` or ``requests``, whichever ends first."""

    host: str
    port: int
    token: str
    clients: int
    documents: int
    seconds: float = 1e9
    requests: int = 10**9
    first: int = 0
    patient: bool = True


@dataclass
class Tally:
    """What was answered."""

    statuses: dict[str, Counter[int]] = field(default_factory=lambda: {"search": Counter(), "add": Counter()})
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"search": [], "add": []})
    hits: int = 0
    started: int = 0


class Clients:
    """All clients of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._texts, self.tally = plan, Texts(), Tally()
        self._until = time.monotonic() + plan.seconds

    async def run(self) -> None:
        """Until the plan is done."""
        await asyncio.gather(*(self._client() for _ in range(self._plan.clients)))

    async def _client(self) -> None:
        connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        while time.monotonic() < self._until and self.tally.started < self._plan.requests:
            number = self._plan.first + self.tally.started
            self.tally.started += 1
            if connection is None:
                connection = await asyncio.open_connection(self._plan.host, self._plan.port, limit=1 << 24)
            try:
                wait = await self._ask(number, *connection)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.tally.statuses["search"][0] += 1
                connection[1].close()
                connection = None
                continue
            if wait and self._plan.patient:
                await asyncio.sleep(wait)
        if connection is not None:
            connection[1].close()

    async def _ask(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> float:
        """One request; the seconds that the server asks to wait."""
        kind = "add" if number % ADDS == 0 else "search"
        start = time.perf_counter()
        writer.write(self._request(kind, number))
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        spent, status = time.perf_counter() - start, int(head[0].split()[1])
        self.tally.statuses[kind][status] += 1
        if status in (200, 201):
            self.tally.seconds[kind].append(spent)
            self.tally.hits += kind == "search" and b'"hits":[{' in body
        return float(headers.get("retry-after", 0)) if status == 429 else 0.0

    def _request(self, kind: str, number: int) -> bytes:
        plan = self._plan
        if kind == "add":
            sent: dict[str, Any] = {"name": f"added-{number}", "text": self._texts.text(2 * 10**9 + number)}
        else:
            sent = {"text": self._texts.query(number, plan.documents)}
        body = json.dumps(sent).encode()
        path = "/api/v1/documents" if kind == "add" else "/api/v1/search"
        head = f"POST {path} HTTP/1.1\r\nHost: {plan.host}:{plan.port}\r\nAuthorization: Bearer {plan.token}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


if __name__ == "__main__":
    clients = Clients(Plan(**json.loads(sys.argv[1])))
    begun = time.monotonic()
    asyncio.run(clients.run())
    counts = {"statuses": clients.tally.statuses, "seconds": clients.tally.seconds, "hits": clients.tally.hits}
    print(json.dumps({**counts, "wall": time.monotonic() - begun}))
