"""A server under load: many clients search and add at once, then many requests one after the other.

    python -m benchmarks.service [--documents 100000] [--clients 64] [--seconds 60] [--requests 20000]

The index of synthetic documents is made once and kept in ``benchmarks/.data``; each run works on a copy of it. The
server is ``whorl serve``, the clients are a process of their own on the same machine: they share its cores.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import whorl
from benchmarks.service_clients import Plan
from benchmarks.service_texts import Texts
from whorl.client.address import Address
from whorl.client.transport import JsonBody, Transport
from whorl.model import Document

DATA = Path(__file__).parent / ".data"

# Whose all documents are: a search ranks every one of them that shares something.
TENANT = "bench"

# What a token may ask is not what is measured.
RATE = 1_000_000

# Looks at the server's memory and files while many requests are answered.
LOOKS = 5


def index_of(documents: int) -> Path:
    """Return the index, made if it is not there yet."""
    folder = DATA / f"service-{documents}"
    if folder.exists():
        return folder
    texts = Texts()
    making = folder.with_suffix(".new")
    shutil.rmtree(making, ignore_errors=True)
    making.parent.mkdir(exist_ok=True)
    start = time.monotonic()
    with whorl.Index.create(making, "text") as index:
        coming = (
            Document(f"{TENANT}/main/document-{number}", texts.text(number), owner=TENANT)
            for number in range(documents)
        )
        for _ in index.add_all(coming):
            pass
        size = index.stats().bytes
    making.rename(folder)
    print(f"made an index of {documents:,} documents, {size / 1e6:.0f} MB, in {time.monotonic() - start:.0f} s")
    return folder


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: int
    host: str
    port: int
    token: str
    admin: str

    def spent(self) -> float:
        """CPU seconds so far, with its processes: they tell what a request costs even if others use the machine."""
        stats = [Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in self._processes()]
        return sum(int(fields[11]) + int(fields[12]) for fields in stats) / os.sysconf("SC_CLK_TCK")

    def look(self) -> dict[str, int]:
        """Its memory and that of its processes, without the pages of mapped files, in MB; its own open files and
        threads."""
        statuses = [Path(f"/proc/{process}/status").read_text() for process in self._processes()]
        memory = sum(int(each) for status in statuses for each in re.findall(r"RssAnon:\s+(\d+)", status))
        threads = int(re.findall(r"Threads:\s+(\d+)", statuses[0])[0])
        return {"MB": memory >> 10, "files": len(list(Path(f"/proc/{self.process}/fd").iterdir())), "threads": threads}

    def _processes(self) -> list[int]:
        tasks = Path(f"/proc/{self.process}/task").glob("*/children")
        return [self.process, *(int(child) for task in tasks for child in task.read_text().split())]


def token_of(url: str, admin: str) -> str:
    """Return a token as people have one: it may search and add."""
    transport = Transport(Address.of(url), admin)
    result = transport.json("POST", "/api/v1/tokens", body=JsonBody({"tenant": TENANT, "scopes": ["search", "add"]}))
    transport.close()
    return str(result["secret"])


@contextmanager
def serving(index: Path, *options: str) -> Iterator[Server]:
    """``whorl serve``, as a person starts it."""
    command = [sys.executable, "-m", "whorl", "serve", str(index), "--port", "0", "--rate", str(RATE), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None:
            raise RuntimeError("the server's output is not there")
        address = process.stdout.readline()
        secret = next(line for line in iter(process.stdout.readline, "") if "admin token" in line)
        host, port = re.findall(r"http://([\d.]+):(\d+)", address)[0]
        admin = secret.split()[-1]
        yield Server(process.pid, host, int(port), token_of(f"http://{host}:{port}", admin), admin)
    finally:
        process.terminate()
        process.wait(30)


def asked(plan: Plan) -> dict[str, Any]:
    """Let clients ask, and what they were told."""
    command = [sys.executable, "-m", "benchmarks.service_clients", json.dumps(asdict(plan))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the clients failed: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def tell(name: str, measured: dict[str, Any]) -> None:
    """Rates, statuses and times."""
    print(f"{name}: {measured['wall']:.0f} s, {measured['hits']:,} searches found something")
    for kind, statuses in measured["statuses"].items():
        counts = ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items()))
        seconds = measured["seconds"][kind]
        if len(seconds) < 2:
            print(f"  {kind:6}  {counts or 'nothing'}")
            continue
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        times = ", ".join(f"p{at} {1000 * cuts[at - 1]:.0f} ms" for at in (50, 95, 99))
        print(f"  {kind:6}  {len(seconds) / measured['wall']:.0f} a second; {times}; statuses {counts}")


def main() -> None:
    """The load, then the growth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--waiting", type=int, help="searches that may wait; without it the server's own default")
    parser.add_argument("--impatient", action="store_true", help="clients ask again at once, whatever they are told")
    given = parser.parse_args()
    made = index_of(given.documents)
    with tempfile.TemporaryDirectory(dir=DATA) as home:
        shutil.copytree(made, Path(home) / "index")
        options = [] if given.waiting is None else ["--waiting", str(given.waiting)]
        with serving(Path(home) / "index", *options) as server:
            plan = Plan(server.host, server.port, server.token, given.clients, given.documents, given.seconds)
            print(f"before: {server.look()}")
            before = server.spent()
            result = asked(plan if not given.impatient else impatient(plan))
            tell(f"{given.clients} clients", result)
            answers = sum(sum(each.values()) for each in result["statuses"].values())
            print(f"  the server spent {1000 * (server.spent() - before) / answers:.1f} CPU ms a request")
            print(f"after: {server.look()}")
            growth(server, given.requests, given.documents)


def impatient(plan: Plan) -> Plan:
    """Run the same clients without their limits."""
    return Plan(**{**asdict(plan), "patient": False})


def growth(server: Server, requests: int, documents: int) -> None:
    """Many requests of a few clients: memory and open files must not grow with them."""
    for look in range(LOOKS):
        plan = Plan(
            server.host, server.port, server.token, 4, documents, requests=requests // LOOKS,
            first=10**7 + look * requests // LOOKS,
        )  # fmt: skip
        result = asked(plan)
        counts = {status: sum(each.get(status, 0) for each in result["statuses"].values()) for status in ("200", "201")}
        others = sum(sum(each.values()) for each in result["statuses"].values()) - sum(counts.values())
        print(f"{(look + 1) * requests // LOOKS:,} requests: {server.look()}; {others} not answered with 200 or 201")


if __name__ == "__main__":
    main()
