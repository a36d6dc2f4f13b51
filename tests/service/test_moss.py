"""MOSS clients: the protocol by socket and by the unmodified mosspy, refusals, and damaged sessions."""

import errno
import json
import random
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service.harness import PATIENCE, Running, running, settings_in
from tests.service.stage import until
from whorl.service import moss
from whorl.service.jobs import JobState
from whorl.service.moss import LINE, MossServer
from whorl.service.naming import ReceivedFile, arrange
from whorl.service.problems import Problem, disk_full
from whorl.service.settings import ServiceSettings, ServiceSettingsError
from whorl.service.workspace import JOBS_FOLDER

STARTER = "def read(path):\n    with open(path) as file:\n        return [line.strip() for line in file]\n\n"
SIEVE = """
def primes(limit):
    sieve, result = [True] * (limit + 1), []
    for number in range(2, limit + 1):
        if sieve[number]:
            result.append(number)
            for multiple in range(number * number, limit + 1, number):
                sieve[multiple] = False
    return result


def main():
    total = 0
    for value in read("input.txt"):
        for prime in primes(int(value)):
            total += prime % 7
    print(total, max(primes(total)))
"""
COUNTER = """
class Words:
    def __init__(self):
        self.seen = {}

    def feed(self, words):
        for word in words:
            self.seen[word] = self.seen.get(word, 0) + 1

    def best(self, count):
        return sorted(self.seen, key=self.seen.get, reverse=True)[:count]
"""
CLASS = {
    "hw/alice/main.py": STARTER + SIEVE,
    "hw/bob/main.py": STARTER + SIEVE.replace("total", "summe").replace("sieve", "table"),
    "hw/carol/main.py": STARTER + COUNTER,
}


def head(user: str = "1", language: str = "python", **options: int) -> bytes:
    lines = [f"moss {user}", *(f"{name} {value}" for name, value in options.items()), f"language {language}"]
    return "".join(f"{line}\n" for line in lines).encode()


def upload(number: int, name: str, text: str) -> bytes:
    content = text.encode()
    return f"file {number} python {len(content)} {name}\n".encode() + content


def whole_session(**options: int) -> bytes:
    files = [upload(0, "base.py", STARTER), *(upload(at, *file) for at, file in enumerate(CLASS.items(), 1))]
    return head("1", "python", **options) + b"".join(files) + b"query 0 Homework 1\n"


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        yield client


def lines_of(client: socket.socket) -> list[str]:
    """Everything that the server still says."""
    received = b""
    try:
        while block := client.recv(4096):
            received += block
    except ConnectionError:
        pass  # a reset ends a session, too
    return received.decode().splitlines()


def talk(port: int, data: bytes) -> list[str]:
    """The answers to a session whose client sends all at once, then listens."""
    with connected(port) as client:
        client.sendall(data)
        return lines_of(client)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("moss")
    limits: dict[str, Any] = {"max_upload": 1 << 20, "max_batch": 2 << 20, "moss_users": ("1", "2"), "moss_port": 0}
    with running(settings_in(folder, **limits)) as service:
        yield service


@pytest.mark.slow
def test_the_answer_is_a_url(service: Running) -> None:
    accepted, url = talk(service.moss, whole_session(X=0, maxmatches=10, show=250))
    assert accepted == "yes"
    assert "alice/main.py" in httpx.get(url, timeout=PATIENCE).text


def test_the_unmodified_mosspy_gets_a_url_whose_pages_show_the_matches(
    service: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mosspy = pytest.importorskip("mosspy", reason="the client of others, in the development requirements")
    monkeypatch.chdir(tmp_path)
    for name, text in {**CLASS, "base.py": STARTER}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    client = mosspy.Moss("2", "python")
    client.server, client.port = "127.0.0.1", service.moss
    client.setDirectoryMode(1)
    client.setCommentString("Homework 1")
    client.addBaseFile("base.py")
    client.addFilesByWildcard("hw/*/main.py")
    url = client.send()
    assert url.startswith(f"{service.address}/moss/")
    client.saveWebPage(url, "saved.html")
    assert "Homework 1" in Path("saved.html").read_text("utf-8")
    assert "noindex" in httpx.get(url, timeout=PATIENCE).headers["x-robots-tag"]
    pair = httpx.get(f"{url}pair/0001.html", timeout=PATIENCE).text
    assert "primes" in pair
    assert {"alice", "bob"} <= set(re.findall(r"<bdi[^>]*>(\w+)</bdi>", pair))
    assert "carol" not in pair
    job = service.context.jobs.get(url.rstrip("/").rpartition("/")[2])
    assert job is not None
    run = json.loads((service.context.jobs.results(job.id) / "comparison.json").read_text())["run"]
    assert (sorted(run["paths"]), run["base"]) == (["alice", "bob", "carol"], ["base.py"])
    assert (job.settings["max_share"], job.settings["limit"], job.settings["format"]) == (10, 250, "python")
    service.context.jobs.forget_result(job.id)
    assert httpx.get(url, timeout=PATIENCE).status_code == 404


def test_only_sessions_have_reports_under_moss(service: Running) -> None:
    job = service.context.jobs.submit("compare", "acme", None, {})
    assert httpx.get(f"{service.address}/moss/{job.id}/", timeout=PATIENCE).status_code == 404
    service.context.jobs.cancel(job.id)


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (head(user="3") + upload(1, "a.py", "a") + b"query 0 \n", "the user id '3' is not allowed"),
        (head(language="klingon") + b"query 0 \n", "the language 'klingon' is unknown"),
        (head() + upload(1, "a.py", SIEVE) + b"query 0 \n", "fewer than two files"),
        (head(directory=1) + upload(1, "a/1", "1") + upload(2, "a/2", "2") + b"query 0 \n", "fewer than two folders"),
        (head() + upload(1, "a.py", "x" * (1 << 20) + "x") + b"query 0 \n", "larger than 1 MB"),
        (head() + b"file 1 python 3000000 a.py\n", "larger than 2 MB"),
        (head() + b"file 1 python many a.py\n", "'many' is not a number"),
        (head() + b"file 1 python -1 a.py\n", "'-1' is not a number"),
        (head() + b"file 1 python\n", "a file needs its number"),
        (head() + upload(1, "a\x01.py", "a") + b"query 0 \n", "not a valid document name"),
        (head() + upload(1, "../..", "a") + b"query 0 \n", "not a valid file name"),
        (head() + b"erase everything\n", "'erase' is no command"),
        (head(show=-5), "'-5' is not a number"),
        (b"GET / HTTP/1.1\r\n\r\n", "no MOSS client"),
        (b"moss " + b"1" * 2 * LINE + b"\n", "a line is longer than"),
        (head() + b"end\n", "ended before its query"),
    ],
)
def test_a_refused_client_is_told_why(service: Running, data: bytes, answer: str) -> None:
    line = talk(service.moss, data)[-1]
    assert answer in line
    assert line.endswith(".")
    assert not line.endswith("..")


def test_a_client_is_told_that_the_disk_is_full(service: Running, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(moss, "_append", refuse)
    assert talk(service.moss, whole_session())[-1] == f"Error: {disk_full().detail}"


def test_a_client_that_breaks_off_leaves_nothing(service: Running) -> None:
    before = set(service.context.settings.index.joinpath(JOBS_FOLDER).iterdir())
    with connected(service.moss) as client:
        client.sendall(head() + b"file 1 python 1000 a.py\nabc")
        client.shutdown(socket.SHUT_WR)
        assert lines_of(client) == ["yes", "Error: the connection ended inside a file."]
    assert set(service.context.settings.index.joinpath(JOBS_FOLDER).iterdir()) == before


def test_a_comparison_is_cancelled_if_its_client_goes_away(service: Running) -> None:
    known = {job.id for job in service.context.jobs.listed(None)}
    with connected(service.moss) as client:
        client.sendall(whole_session())
        [job] = until(lambda: [job for job in service.context.jobs.listed(None) if job.id not in known])
    until(lambda: service.context.jobs.get(job.id).state is JobState.CANCELLED)  # type: ignore[union-attr]


def test_a_slow_client_is_refused(tmp_path: Path) -> None:
    with running(settings_in(tmp_path, head_seconds=0.5, body_seconds=0.7, moss_port=0)) as service:
        with connected(service.moss) as slow:
            slow.sendall(head() + b"file 1 python 1000 a.py\nabc")
            assert lines_of(slow)[-1] == "Error: the upload took longer than 0.7 seconds."
        with connected(service.moss) as silent:
            assert lines_of(silent) == ["Error: the first line took longer than 0.5 seconds."]


def test_a_client_that_leaves_without_its_answer_is_no_fault_of_the_service(service: Running, caplog) -> None:
    for _ in range(20):
        with connected(service.moss) as client:
            client.sendall(head(language="klingon") + b"end\n")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it resets the connection
    assert "fewer than two files" in talk(service.moss, head() + b"query 0 \n")[-1]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_an_end_that_cannot_be_sent_says_that_the_client_has_gone() -> None:
    class Gone:
        def can_write_eof(self) -> bool:
            return True

        def write_eof(self) -> None:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")

    with pytest.raises(ConnectionError):
        moss._end(Gone())  # type: ignore[arg-type] # all that it asks for


def test_too_many_clients_are_refused(tmp_path: Path) -> None:
    with running(settings_in(tmp_path, moss_port=0, moss_connections=1)) as service, connected(service.moss) as first:
        first.sendall(head())
        assert first.recv(4) == b"yes\n"
        assert "Too many sessions" in talk(service.moss, head())[0]
        first.sendall(b"query 0 \n")
        assert "fewer than two files" in lines_of(first)[-1]


def test_only_named_networks_are_allowed(service: Running) -> None:
    server = MossServer(service.context, socket.socket(), "")
    server._networks = [__import__("ipaddress").ip_network("192.0.2.0/24")]
    assert [server._is_allowed(address) for address in ("127.0.0.1", "::1", "192.0.2.7", "::ffff:192.0.2.7")] == [
        True
    ] * 4
    assert not any(map(server._is_allowed, ("192.0.3.1", "2001:db8::1")))
    server._listener.close()


def test_an_open_address_needs_networks(tmp_path: Path) -> None:
    with pytest.raises(ServiceSettingsError, match="--moss-from"):
        ServiceSettings(index=tmp_path, moss_port=7690, moss_host="0.0.0.0")
    with pytest.raises(ServiceSettingsError, match="give an address or a network"):
        ServiceSettings(index=tmp_path, moss_port=7690, moss_networks=("campus",))
    ServiceSettings(index=tmp_path, moss_port=7690, moss_host="0.0.0.0", moss_networks=("192.0.2.0/24",))


def received(folder: Path, *names: str) -> list[ReceivedFile]:
    (folder / "uploads").mkdir()
    files = [ReceivedFile(folder / "uploads" / str(at), tuple(name.split("/")), False) for at, name in enumerate(names)]
    for file in files:
        file.path.write_bytes(b"x")
    return files


@pytest.mark.parametrize(
    ("by_folder", "names", "submissions"),
    [
        (False, ["a.py", "b.py"], ["a.py", "b.py"]),
        (False, ["hw/a/main.py", "hw/b/main.py"], ["a/main.py", "b/main.py"]),
        (False, ["hw/a.py", "hw/a.py", "hw/a.py"], ["a.py", "a.py (2)", "a.py (3)"]),
        (True, ["hw/a/x.py", "hw/a/y.py", "hw/b/x.py"], ["a", "b"]),
        (True, ["a/x.py", "a/src/y.py", "b/src/deep/z.py"], ["a", "b/src/deep"]),
        (True, ["x.py", "a/y.py"], ["top folder", "a"]),
    ],
)
def test_files_become_submissions(tmp_path: Path, by_folder: bool, names: list[str], submissions: list[str]) -> None:
    assert arrange(received(tmp_path, *names), tmp_path, by_folder=by_folder) == submissions
    assert len([path for path in (tmp_path / "submissions").rglob("*") if path.is_file()]) == len(names)


def test_a_file_and_a_folder_of_one_name_are_refused(tmp_path: Path) -> None:
    files = received(tmp_path, "a/x", "a/x/y.py", "b/z.py")
    with pytest.raises(Problem, match="the same name"):
        arrange(files, tmp_path, by_folder=True)


def damaged(chance: random.Random) -> bytes:
    """A session with some damage: cut, doubled, replaced or inserted bytes, or numbers that are wrong."""
    data = bytearray(whole_session(directory=chance.randrange(2), maxmatches=chance.randrange(20)))
    for _ in range(chance.randrange(1, 6)):
        at, size = chance.randrange(len(data) + 1), chance.choice([1, 3, 50, 5000])
        match chance.randrange(5):
            case 0:
                del data[at : at + size]
            case 1:
                data[at:at] = chance.randbytes(size)
            case 2:
                data[at : at + 3] = chance.choice([b"\n", b"0", b"9" * 12, b"-1", b" ", b"\xff\xfe", b"query 0 \n"])
            case 3:
                data[at:at] = data[at : at + size]
            case _:
                del data[at:]
    return bytes(data)


@pytest.mark.parametrize("sessions", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_damaged_sessions_leave_the_server_up(service: Running, sessions: int) -> None:
    for seed in range(sessions):
        with connected(service.moss) as client:
            try:
                client.sendall(damaged(random.Random(seed)))
                client.shutdown(socket.SHUT_WR)
            except ConnectionError:
                continue  # refused before all was sent
            lines = lines_of(client)
        assert all(line in ("yes", "no") or line.startswith(("Error: ", "http://")) for line in lines), lines
    assert "fewer than two files" in talk(service.moss, head() + b"query 0 \n")[-1]
    assert httpx.get(f"{service.address}/api/v1/health", timeout=PATIENCE).status_code == 200
