"""One tenant while another misuses the service: time to answer ``/health`` and a search, alone and beside attackers.

    python -m benchmarks.neighbours [--documents 20000] [--rounds 3] [--seconds 10]

Scenarios take turns in every round, so that other work on the machine meets all of them alike:

- ``alone``: the victim only.
- ``texts``: eleven clients of another tenant search for texts of 6 MB in a loop.
- ``bombs``: two clients of another tenant send JSON objects with 2.7 million keys in a loop.

Attackers run in a process of their own with the lowest priority: a real attacker uses another machine's processor.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchmarks.service import DATA, TENANT, Server, index_of, serving
from benchmarks.service_texts import Texts
from whorl.client.address import Address
from whorl.client.transport import JsonBody, Transport

# Bytes of an attacker's text, and keys of a bomb: the largest body that the service reads has 32 MB.
TEXT_BYTES, KEYS = 6_000_000, 2_700_000

# Name of a scenario → how many clients attack.
SCENARIOS = {"alone": 0, "texts": 11, "bombs": 2}

# Requests a second of one token: the server's own default.
RATE = 50

# Seconds between two searches and between two looks at /health: a person and a monitor, not a load test.
SEARCH_PAUSE, HEALTH_PAUSE = 0.05, 0.02


@dataclass(frozen=True)
class Attack:
    """What the process of the attackers does until its input ends."""

    host: str
    port: int
    token: str
    kind: str
    clients: int
    documents: int

    def body(self) -> bytes:
        """Return the body that all clients send again and again."""
        if self.kind == "bombs":
            return b"{" + b",".join(b'"%x":1' % key for key in range(KEYS)) + b"}"
        texts, pieces, size = Texts(), list[str](), 0
        while size < TEXT_BYTES:
            pieces.append(texts.text(len(pieces) % (2 * self.documents)))
            size += len(pieces[-1])
        return json.dumps({"text": "\n".join(pieces)}).encode()

    def run(self) -> None:
        """Send requests until standard input ends, then print how they were answered."""
        os.nice(19)
        statuses, body = Counter[int](), self.body()
        for _ in range(self.clients):
            threading.Thread(target=self._loop, args=(body, statuses), daemon=True).start()
        print("ready", flush=True)
        sys.stdin.read()
        print(json.dumps(statuses), flush=True)
        os._exit(0)

    def _loop(self, body: bytes, statuses: Counter[int]) -> None:
        while True:
            statuses[_asked(self.host, self.port, self.token, body)] += 1


def _asked(host: str, port: int, token: str, body: bytes) -> int:
    """Send one search and return its status, 0 if the server cut the connection."""
    connection = HTTPConnection(host, port, timeout=120)
    try:
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/search", body, head)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


@dataclass
class Seen:
    """What the victim saw in one scenario."""

    searches: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    attacks: Counter[str] = field(default_factory=Counter)
    # CPU seconds of the server's own process, and the seconds that it was watched.
    spent: float = 0.0
    watched: float = 0.0

    def line(self, name: str, alone: "Seen") -> str:
        """Return the figures in one line."""
        usual = _cut(alone.searches, 99)
        return (
            f"{name:6} search p50 {_cut(self.searches, 50):.0f} p99 {_cut(self.searches, 99):.0f} ms"
            f" ({_cut(self.searches, 99) / usual:.1f} times alone); /health p50 {_cut(self.health, 50):.0f}"
            f" p99 {_cut(self.health, 99):.0f} max {1000 * max(self.health):.0f} ms;"
            f" {len(self.searches)} searches, {dict(self.statuses)}; attackers {dict(self.attacks)};"
            f" server {self.spent / self.watched:.0%} of a core"
        )


def _cut(seconds: list[float], percent: int) -> float:
    """Return a percentile in milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1]


class Victim:
    """A tenant that searches, and a monitor that looks at ``/health``, for some seconds."""

    def __init__(self, server: Server, documents: int) -> None:
        self._server, self._documents, self._texts = server, documents, Texts()
        self._number = 0

    def watch(self, seconds: float, seen: Seen) -> None:
        """Add to ``seen`` what is seen in so many seconds."""
        until, before = time.monotonic() + seconds, self._server.spent()
        monitor = threading.Thread(target=self._monitor, args=(until, seen))
        monitor.start()
        while time.monotonic() < until:
            self._number += 1
            body = json.dumps({"text": self._texts.query(self._number, self._documents)}).encode()
            start = time.perf_counter()
            status = _asked(self._server.host, self._server.port, self._server.token, body)
            seen.searches.append(time.perf_counter() - start)
            seen.statuses[status] += 1
            time.sleep(SEARCH_PAUSE)
        monitor.join()
        seen.spent += self._server.spent() - before
        seen.watched += seconds

    def _monitor(self, until: float, seen: Seen) -> None:
        while time.monotonic() < until:
            start = time.perf_counter()
            connection = HTTPConnection(self._server.host, self._server.port, timeout=120)
            connection.request("GET", "/api/v1/health")
            connection.getresponse().read()
            connection.close()
            seen.health.append(time.perf_counter() - start)
            time.sleep(HEALTH_PAUSE)


def measured(victim: Victim, attack: Attack, seconds: float, seen: Seen) -> None:
    """Watch the victim while the attack runs."""
    if not attack.clients:
        victim.watch(seconds, seen)
        return
    command = [sys.executable, "-m", "benchmarks.neighbours", "--attack", json.dumps(asdict(attack))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the attackers have no pipes")
        process.stdout.readline()
        time.sleep(1)  # until all of them have sent something
        victim.watch(seconds, seen)
        process.stdin.close()
        seen.attacks.update(json.loads(process.stdout.readline()))


def attacker_token(server: Server) -> str:
    """Return the token of another tenant, made by the administrator."""
    transport = Transport(Address.of(f"http://{server.host}:{server.port}"), server.admin)
    answer = transport.json("POST", "/api/v1/tokens", body=JsonBody({"tenant": "attacker", "scopes": ["search"]}))
    transport.close()
    return str(answer["secret"])


def main() -> None:
    """Measure all scenarios in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", choices=list(SCENARIOS), action="append", help="measure this scenario beside 'alone'")
    parser.add_argument("--attack", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.attack:
        Attack(**json.loads(given.attack)).run()
    names = [name for name in SCENARIOS if name == "alone" or not given.only or name in given.only]
    made, seen = index_of(given.documents), {name: Seen() for name in names}
    with tempfile.TemporaryDirectory(dir=DATA) as home:
        shutil.copytree(made, Path(home) / "index")
        with serving(Path(home) / "index", "--rate", str(RATE)) as server:
            token, victim = attacker_token(server), Victim(server, given.documents)
            victim.watch(2, Seen())
            for _ in range(given.rounds):
                for name in names:
                    attack = Attack(server.host, server.port, token, name, SCENARIOS[name], given.documents)
                    measured(victim, attack, given.seconds, seen[name])
    print(f"{given.rounds} rounds of {given.seconds:g} s, {given.documents:,} documents, tenant {TENANT}")
    for name in names:
        print(seen[name].line(name, seen["alone"]))


if __name__ == "__main__":
    main()
