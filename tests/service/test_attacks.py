"""Attacks on a service that others share: memory without a token, freezing everybody, connections that hold others off.

The server is a process of its own here, so that its memory is its own.
"""

import json
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from tests.service.harness import ALL, PATIENCE, prose
from whorl.errors import InputError
from whorl.service.api import bodies
from whorl.service.api.large_json import MOST_BYTES, MOST_STRINGS, PIECE, has_many_strings, parted
from whorl.service.app import HEAD_BYTES
from whorl.service.authentication import TokenStore
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase
from whorl.service.page.zip_split import CENTRAL, CHILDREN, END, MEMBERS, directory

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Apart:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    acme: str
    bolt: str

    @property
    def memory(self) -> int:
        """Bytes that the process holds."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api/v1", headers=headers, timeout=PATIENCE)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Apart]:
    """``whorl serve`` over a new index, until the block ends."""
    index = folder / "index"
    command = [sys.executable, "-m", "whorl", "serve", str(index), "--create", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            port = _port(process)
            with ServiceDatabase(index / SERVICE_DATABASE) as database:
                acme, bolt = (TokenStore(database).create(tenant, ALL, tenant)[1] for tenant in ("acme", "bolt"))
            yield Apart(process, port, acme, bolt)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if "http://127.0.0.1:" in line:
            return int(line.partition("http://127.0.0.1:")[2].partition("/")[0])
    raise AssertionError("the server did not start")


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    with serving(tmp_path_factory.mktemp("apart"), "--rate", "100000") as found:
        with found.client(found.acme) as acme:
            acme.post("/search", json={"text": prose(1)})
        yield found


def status_of(connection: socket.socket) -> bytes:
    """The status that comes, or nothing if the connection was cut."""
    try:
        return connection.recv(4096).split(b" ")[1:2][0]
    except (ConnectionError, IndexError):
        return b""


def health(service: Apart) -> float:
    """Seconds until the service says that it is well."""
    begun = time.monotonic()
    with service.client() as client:
        assert client.get("/health").status_code == 200
    return time.monotonic() - begun


def push(connection: socket.socket, data: bytes) -> int:
    """Send until the other side takes no more: bytes that were sent."""
    connection.settimeout(1.0)
    try:
        connection.sendall(data)
    except OSError:
        return 0
    return len(data)


def test_stalled_forms_without_a_token_take_no_memory(apart: Apart) -> None:
    head = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    before = apart.memory
    with ExitStack() as stack:
        for _ in range(40):
            connection = stack.enter_context(apart.connect())
            connection.sendall(head + b"Content-Length: 33000000\r\n\r\n")
            assert status_of(connection) == b"413"
        for _ in range(40):  # of unknown length: cut once they are too long
            connection = stack.enter_context(apart.connect())
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            push(connection, b"100000\r\n" + b"x" * MEGABYTE + b"\r\n")
        assert apart.memory - before < 50 * MEGABYTE
        assert health(apart) < 5


@pytest.mark.parametrize(
    "line", [b"X-%d: y\r\n", b"X-%d: " + b"y" * 1000 + b"\r\n", b""], ids=["many", "long", "one that never ends"]
)
def test_a_head_is_cut_at_its_limit(apart: Apart, line: bytes) -> None:
    before = apart.memory
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    more = b"".join(line % number for number in range(200_000)) if line else b"X: " + b"y" * (24 * MEGABYTE)
    with ExitStack() as stack:
        connections = [stack.enter_context(apart.connect()) for _ in range(4)]
        for connection in connections:
            push(connection, head + more[: 24 * MEGABYTE])
            assert status_of(connection) in (b"431", b"")
    assert apart.memory - before < 20 * MEGABYTE


def test_an_address_and_trailers_are_part_of_the_head(apart: Apart) -> None:
    chunked = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    for start in (b"GET /", chunked + b"X: "):
        with apart.connect() as connection:
            push(connection, start + b"y" * (16 * MEGABYTE))
            assert status_of(connection) in (b"431", b"400", b"403", b"")
    with apart.connect() as connection:
        connection.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * HEAD_BYTES + b"\r\n\r\n")
        assert status_of(connection) == b"431"


def test_requests_that_are_sent_ahead_are_bounded(apart: Apart) -> None:
    before = apart.memory
    with ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(apart.connect())
            push(connection, b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000)
        assert health(apart) < 5
        assert apart.memory - before < 50 * MEGABYTE


def test_a_thousand_stalled_requests_hold_nobody_off(apart: Apart) -> None:
    starts = (
        b"", b"GET / HTTP/1.1\r\nX: " + b"y" * 60_000,
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + b"x" * 50_000,
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000000\r\n\r\n" + b"x" * 60_000,
    )  # fmt: skip
    before = apart.memory
    with ExitStack() as stack:
        for number in range(1000):
            connection = stack.enter_context(apart.connect())
            push(connection, starts[number % len(starts)])
        assert apart.memory - before < 50 * MEGABYTE
        assert health(apart) < 5
        with apart.client(apart.acme) as acme:
            assert acme.post("/search", json={"text": prose(2)}).status_code == 200


def test_a_body_of_millions_of_fields_freezes_nobody(apart: Apart) -> None:
    """What validates it is a worker, which is not this process: others are answered meanwhile."""
    bodies = (
        b"{" + b",".join(b'"k%d":1' % number for number in range(700_000)) + b"}",
        b'{"text": "x", "labels": [' + b"1," * 2_000_000 + b"1]}",
        b"[" * 5_000_000,
    )
    statuses: list[int] = []

    def ask() -> None:
        with apart.client(apart.acme) as acme:
            for body in bodies:
                answer = acme.post("/search", content=body, headers={"Content-Type": "application/json"})
                statuses.append(answer.status_code)
                assert len(answer.content) < 5000

    before, slowest = apart.memory, 0.0
    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive():
        slowest = max(slowest, health(apart))
        time.sleep(0.01)
    thread.join()
    assert statuses == [422, 422, 422]
    assert slowest < 3, "seconds; it was 20"
    assert apart.memory - before < 500 * MEGABYTE


@pytest.mark.parametrize("key", ['"%d"', r'"%d\\"', r'"\"%d"'])
def test_a_body_of_many_strings_is_recognised_without_parsing_it(key: str) -> None:
    """However the quotes of its keys are escaped; a long text with as many quotes is none."""
    many = ("{" + ",".join(f"{key % number}:1" for number in range(3 * MOST_STRINGS)) + "}").encode()
    assert len(json.loads(many)) == 3 * MOST_STRINGS
    assert has_many_strings(many)
    text = json.dumps({"text": 'she said "no" and \\"yes\\"\\\n' * 200_000}).encode()
    assert len(text) > 2 * PIECE
    assert not has_many_strings(text)
    assert has_many_strings(b'{"text": "' + b"x" * PIECE + b'",' + many[1:])


def test_long_and_deep_lists_are_refused_before_they_are_parsed() -> None:
    for body in (b'{"labels": [' + b"1," * MOST_BYTES + b"1]}", b"[" * (2 * MOST_BYTES), b" " * (2 * MOST_BYTES)):
        with pytest.raises(ValueError, match="far more fields"):
            parted(body, "text")
    assert parted(b'{"text": "' + b"1," * MOST_BYTES + b'"}', "text")[1] == "{}"


def test_a_body_that_comes_byte_by_byte_is_not_counted_anew_for_each() -> None:
    looks = 0

    class Part(bytes):
        def __len__(self) -> int:
            nonlocal looks
            looks += 1
            return 1

    class Slow:
        async def stream(self) -> AsyncIterator[bytes]:
            for _ in range(1000):
                yield Part(b"x")

    with start_blocking_portal() as portal:  # a thread of its own: a browser of other tests may have a loop in this one
        assert portal.call(bodies._received, Slow()) == b"x" * 1000  # type: ignore[arg-type] # all that it asks for
    assert looks <= 2000


def test_no_tenant_holds_all_the_room_for_bodies(tmp_path: Path) -> None:
    """One that sends many large bodies at once hears 429; the others do not notice."""
    with serving(tmp_path, "--max-upload", "8", "--max-batch", "16") as service, ExitStack() as stack:
        head = f"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.acme}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n{"
        connections = [stack.enter_context(service.connect()) for _ in range(8)]
        for connection in connections:
            connection.sendall(head.encode())
        waiting, until = connections, time.monotonic() + PATIENCE
        while len(waiting) > 2 and time.monotonic() < until:
            answered = select.select(waiting, [], [], PATIENCE)[0]
            assert {status_of(connection) for connection in answered} == {b"429"}
            waiting = [connection for connection in waiting if connection not in answered]
        assert len(waiting) == 2
        assert select.select(waiting, [], [], 0.5)[0] == []
        with service.client(service.bolt) as bolt:
            assert bolt.post("/search", json={"text": prose(3, 20_000)}).status_code == 200


def archive(path: Path, names: list[str], declared: int | None = None) -> Path:
    """A zip file's directory alone, which declares so many members."""
    records = b"".join(CENTRAL.pack(b"PK\x01\x02", *[0] * 9, len(name), *[0] * 6) + name.encode() for name in names)
    count = len(names) if declared is None else declared
    path.write_bytes(records + END.pack(b"PK\x05\x06", 0, 0, count, count, len(records), 0, 0))
    return path


def test_listing_a_zip_file_takes_time_by_its_members_and_not_by_their_square(tmp_path: Path) -> None:
    def seconds(members: int) -> float:
        path = archive(tmp_path / f"{members}.zip", [f"class/{n % 1000}/{n}" for n in range(members)])
        begun = time.process_time()
        assert len(directory(path).children) == 1000
        return time.process_time() - begun

    small, large = seconds(4_000), seconds(40_000)
    assert large < 40 * small + 1  # ten times the members; it took 46 s for the small one


def test_members_are_counted_and_not_believed(tmp_path: Path) -> None:
    many = archive(tmp_path / "many.zip", [f"class/anna/{number}" for number in range(MEMBERS + 1)], declared=1)
    with pytest.raises(InputError, match="cannot be split"):
        directory(many)
    crowd = archive(tmp_path / "crowd.zip", [f"{number}/a.txt" for number in range(CHILDREN + 1)])
    with pytest.raises(InputError, match="cannot be split"):
        directory(crowd)


def test_eleven_clients_of_one_tenant_do_not_starve_another(apart: Apart) -> None:
    large = {"text": prose(5, 150_000), "passages": False}
    stop, statuses = threading.Event(), list[int]()

    def loop() -> None:
        with apart.client(apart.acme) as acme:
            while not stop.is_set():
                acme.post("/search", json=large)

    threads = [threading.Thread(target=loop) for _ in range(11)]
    for thread in threads:
        thread.start()
    try:
        with apart.client(apart.bolt) as bolt:
            for _ in range(20):
                statuses.append(bolt.post("/search", json={"text": prose(6)}).status_code)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [200] * 20
