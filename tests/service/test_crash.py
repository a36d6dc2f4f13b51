"""kill -9 of a serving process: what was acknowledged is there after the next start, and jobs end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

import whorl
from tests.service.harness import PATIENCE, over, prose


@dataclass
class Child:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    address: str
    token: str

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.address}api/v1", headers=headers, timeout=PATIENCE)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(index: Path, token: str = "") -> Iterator[Child]:
    """The command itself, until the block ends; the first start tells the token."""
    command = [sys.executable, "-c", "from whorl.cli import main; main()", "serve", str(index), "--port", "0"]
    process = subprocess.Popen([*command, "--rate", "100000"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        found = re.search(r"http://[\d.:]+/", first)
        assert found, first
        while not token:
            line = process.stdout.readline()
            token = line.split()[-1] if "token" in line else ""
        yield Child(process, found[0], token)
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    whorl.Index.create(tmp_path / "index").close()
    return tmp_path / "index"


def test_no_document_that_was_acknowledged_is_lost(index) -> None:
    acknowledged: dict[str, int] = {}
    with serving(index) as child:

        def add(first: int) -> None:
            with child.client() as client:
                for number in range(first, first + 1000):
                    name = f"doc-{number}"
                    try:
                        answer = client.post("/documents", json={"name": name, "text": prose(number, 40)})
                    except httpx.TransportError:
                        return
                    if answer.status_code == 201:
                        acknowledged[name] = answer.json()["document"]["id"]

        threads = [threading.Thread(target=add, args=(first,)) for first in (0, 1000, 2000)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 40 and any(thread.is_alive() for thread in threads):
            threads[0].join(0.01)
        child.kill()
        for thread in threads:
            thread.join()
    assert len(acknowledged) >= 40
    with serving(index, child.token) as again, again.client() as client:
        for name, number in acknowledged.items():
            assert client.get(f"/documents/{number}").json()["name"] == name
            assert client.get(f"/documents/{number}/text").text == prose(int(name.removeprefix("doc-")), 40)
    with whorl.Index.open(index) as opened:
        opened.verify()


def test_a_deletion_that_was_acknowledged_stays_one(index) -> None:
    with serving(index) as child, child.client() as client:
        number = client.post("/documents", json={"name": "x", "text": prose(1)}).json()["document"]["id"]
        receipt = client.delete(f"/documents/{number}").json()
        child.kill()
    with serving(index, child.token) as again, again.client() as client:
        assert client.get(f"/documents/{number}").status_code == 404
        assert client.get(f"/receipts/{number}").json() == receipt


def test_a_job_goes_on_after_the_server_was_killed(index) -> None:
    files = [("submissions", (f"{number}.txt", (prose(5) + prose(number, 300)).encode())) for number in range(12)]
    with serving(index) as child, child.client() as client:
        jobs = [client.post("/comparisons", files=files).json()["id"] for _ in range(2)]
        with client.stream("GET", f"/jobs/{jobs[0]}/events") as events:
            for line in events.iter_lines():
                if line.startswith("data:") and json.loads(line.removeprefix("data:"))["state"] == "running":
                    break
        child.kill()
    with serving(index, child.token) as again, again.client() as client:
        ended = [over(client, job) for job in jobs]
        assert [job["state"] for job in ended] == ["done", "done"]
        assert client.get(f"/jobs/{jobs[0]}/result").json()["pairs"]


def test_a_port_that_is_taken_is_reported_in_one_line(index) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-c", "from whorl.cli import main; main()", "serve", str(index), "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert f"port {port}" in ended.stderr


def test_an_interrupt_ends_it_quietly(index) -> None:
    with serving(index) as child:
        child.process.send_signal(signal.SIGINT)
        assert child.process.wait(PATIENCE) == 0


def test_the_token_is_reported_once_and_two_servers_do_not_share_an_index(index) -> None:
    with serving(index) as child, child.client() as client:
        assert client.get("/tokens").status_code == 200
        command = [sys.executable, "-c", "from whorl.cli import main; main()", "serve", str(index), "--port", "0"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert second.returncode == 1
        assert "another server is using this index" in second.stderr
        assert "whorl_" not in second.stdout
