"""A soak: many clients of several tenants, with uploads, searches, deletions and jobs, while workers and the server are
killed at random. ``python -m tests.service.soak --minutes 60`` (``make torture``); the tests run seconds of it.

What must hold: no 5xx but 503, and none while the server stands; what was acknowledged is there after a kill; memory
and open files do not grow.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx

from tests.service.harness import ALL, prose
from whorl.service.authentication import TokenStore
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase

TENANTS = ("acme", "bolt", "cora", "dune")
# Seconds until a server that was killed must answer again.
RESTART = 60.0
# Memory and files that a server may have more at the end than in the middle of the time. A server that has just started
# has less of both, so the first half is not looked at; what it may have at all is bounded as well.
GROWTH_BYTES, GROWTH_FILES = 100 << 20, 60
MOST_BYTES, MOST_FILES = 1 << 30, 400
# Measurements without which growth is not judged: some minutes of them.
LEAST = 1000


@dataclass
class Report:
    """What came of a soak."""

    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)


class Soak:
    """A server in a process of its own, and its clients."""

    def __init__(self, folder: Path, clients: int, seconds: float, kill_every: float) -> None:
        self.index, self.clients, self.kill_every = folder / "index", clients, kill_every
        self._seconds, self.until = seconds, 0.0
        self.report = Report()
        self._port, self._turn = 0, threading.Lock()
        self._server = self._start("--create")
        with ServiceDatabase(self.index / SERVICE_DATABASE) as database:
            self.tokens = {tenant: TokenStore(database).create(tenant, ALL, tenant)[1] for tenant in TENANTS}

    def run(self) -> Report:
        """Until the time is over; then the server is stopped."""
        self.until = time.monotonic() + self._seconds
        threads = [threading.Thread(target=self._client, args=(number,)) for number in range(self.clients)]
        for thread in threads:
            thread.start()
        chance, quarter = random.Random(0), time.monotonic() + (self.until - time.monotonic()) / 4
        next_kill = time.monotonic() + self.kill_every
        while time.monotonic() < self.until:
            time.sleep(0.25)
            if time.monotonic() >= next_kill:
                self._kill(chance.choice(("worker", "worker", "server")))
                next_kill = time.monotonic() + self.kill_every
            if time.monotonic() > quarter:
                self._measure()
        for thread in threads:
            thread.join()
        self._stop()
        return self.report

    def _start(self, *more: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "whorl",
            "serve",
            str(self.index),
            "--port",
            str(self._port),
            "--rate",
            "10000",
        ]
        process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if "http://127.0.0.1:" in line:
                self._port = int(line.partition("http://127.0.0.1:")[2].partition("/")[0])
                return process
        raise AssertionError("the server did not start")

    def _stop(self) -> None:
        self._server.terminate()
        self._server.wait(RESTART)
        if self._server.stdout is not None:
            self._server.stdout.close()

    def _kill(self, what: str) -> None:
        self.report.kills[what] += 1
        if what == "worker":
            for pid in _children(self._server.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
            return
        with self._turn:  # clients that fail meanwhile know why
            self._server.kill()
            self._server.wait()
            if self._server.stdout is not None:
                self._server.stdout.close()
            self._server = self._start()

    def _measure(self) -> None:
        try:
            pages = int(Path(f"/proc/{self._server.pid}/statm").read_text().split()[1])
            files = len(list(Path(f"/proc/{self._server.pid}/fd").iterdir()))
        except FileNotFoundError:
            return  # it was killed just now
        self.report.memory.append(pages * os.sysconf("SC_PAGE_SIZE"))
        self.report.files.append(files)

    def _client(self, number: int) -> None:
        chance, tenant = random.Random(number), TENANTS[number % len(TENANTS)]
        headers, stored = {"Authorization": f"Bearer {self.tokens[tenant]}"}, list[int]()
        while time.monotonic() < self.until:
            try:
                with httpx.Client(
                    base_url=f"http://127.0.0.1:{self._port}/api/v1", headers=headers, timeout=60
                ) as client:
                    while time.monotonic() < self.until:
                        self._act(client, chance, stored, f"{number}")
            except httpx.HTTPError:
                self.report.broken += 1
                with self._turn:
                    pass  # until the server stands again
                time.sleep(0.05)

    def _act(self, client: httpx.Client, chance: random.Random, stored: list[int], who: str) -> None:
        act, seed = chance.random(), chance.randrange(1000)
        if act < 0.35:
            answer = client.post("/search", json={"text": prose(seed, 200)})
        elif act < 0.65:
            answer = client.post("/documents", json={"name": f"{who}-{seed}", "text": prose(seed, 200)})
            if answer.status_code in (200, 201) and (added := answer.json()["document"]["id"]) not in stored:
                stored.append(added)  # the same text under the same name again is the same document
        elif act < 0.8 and stored:
            answer = client.get(f"/documents/{stored[-1]}/text")
            if answer.status_code == 404:
                self.report.faults.append(f"document {stored[-1]} was acknowledged and is gone")
        elif act < 0.9 and stored:
            answer = client.delete(f"/documents/{stored.pop()}")
        elif act < 0.92:
            files = [("submissions", (f"{name}.txt", prose(seed, 100).encode())) for name in "ab"]
            answer = client.post("/comparisons", files=files)
        else:
            answer = client.get("/jobs")
        self.report.statuses[answer.status_code] += 1
        if answer.status_code >= 500 and answer.status_code != 503:
            self.report.faults.append(f"{answer.request.method} {answer.request.url.path}: {answer.text[:200]}")


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def faults_of(report: Report) -> list[str]:
    """All that is wrong with a soak."""
    faults = report.faults[:20]
    for what, values, growth, most in (
        ("bytes of memory", report.memory, GROWTH_BYTES, MOST_BYTES),
        ("open files", report.files, GROWTH_FILES, MOST_FILES),
    ):
        if len(values) >= LEAST and median(values[-len(values) // 10 :]) - _middle(values) > growth:
            faults.append(f"{what} grew from {_middle(values):,.0f} to {values[-1]:,}")
        if values and max(values) > most:
            faults.append(f"{max(values):,} {what} are too many")
    return faults


def _middle(values: list[int]) -> float:
    return median(values[len(values) * 4 // 10 : len(values) * 6 // 10])


def main() -> int:
    """Soak as the command line says, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--kill-every", type=float, default=30, help="seconds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Soak(Path(folder), given.clients, 60 * given.minutes, given.kill_every).run()
    print(f"answers {dict(sorted(report.statuses.items()))}, broken off {report.broken}, kills {dict(report.kills)}")
    if report.memory:
        print(f"memory {min(report.memory) >> 20} to {report.memory[-1] >> 20} MB, files to {max(report.files)}")
    for fault in faults_of(report):
        print(f"FAULT {fault}")
    return bool(faults_of(report))


if __name__ == "__main__":
    sys.exit(main())
