"""Room for bodies that arrive, and forms that cannot be read."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.service.harness import ALL, PATIENCE, Running, prose, running, settings_in
from whorl.service.authentication import TokenScope

TENANTS = ("cora", "dora", "emil", "fritz")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    limits = {"max_upload": 1 << 20, "max_batch": 2 << 20}
    with running(settings_in(tmp_path_factory.mktemp("bodies"), **limits)) as found:
        yield found


def begun(service: Running, token: str, request: str, *headers: str, body: bytes) -> socket.socket:
    """A connection whose request has begun and does not end."""
    lines = [f"{request} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", *headers]
    connection = socket.create_connection(("127.0.0.1", service.port), PATIENCE)
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
    return connection


def chunked(service: Running, token: str, request: str) -> socket.socket:
    return begun(
        service, token, request, "Content-Type: application/json", "Transfer-Encoding: chunked", body=b"1\r\n{\r\n"
    )


def announced(service: Running, token: str, request: str) -> socket.socket:
    """A form as long as a comparison may be, of which one byte comes."""
    return begun(
        service, token, request, "Content-Type: multipart/form-data; boundary=x", f"Content-Length: {3 << 20}",
        body=b"-",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("begin", "request_line"),
    [
        (chunked, "PUT /api/v1/collections/slow"),
        (chunked, "POST /api/v1/search"),
        (announced, "POST /api/v1/comparisons"),
    ],
)
def test_slow_bodies_of_four_tenants_keep_nobody_out(service, begin, request_line) -> None:
    tokens = [service.token(*ALL, tenant=tenant) for tenant in TENANTS]
    with ExitStack() as stack:
        for token in tokens:
            stack.enter_context(begin(service, token, request_line))
        time.sleep(0.5)
        bolt, admin = (
            stack.enter_context(service.client(token))
            for token in (service.bolt, service.token(TokenScope.ADMIN, tenant=None))
        )
        assert bolt.post("/search", json={"text": "abc"}).status_code == 200
        assert bolt.post("/search", json={"text": prose(1, 30_000)}).status_code == 200
        assert admin.post("/tokens", json={"scopes": ["search"], "tenant": "acme"}).status_code == 201


def test_a_slow_body_of_unknown_length_leaves_a_tenant_its_others(service) -> None:
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(chunked(service, service.acme, "PUT /api/v1/collections/slow"))
        time.sleep(0.5)
        acme = stack.enter_context(service.client(service.acme))
        assert acme.post("/search", json={"text": prose(2)}).status_code == 200
        form = {"submissions": ("a.txt", prose(3, 100_000).encode())}
        assert acme.post("/comparisons", files=form).status_code == 202


def test_a_tenant_holds_its_share_of_bodies_of_unknown_length_and_no_more(service) -> None:
    """What has arrived counts, whether it was announced or not; small bodies always have room."""
    head = ("Content-Type: multipart/form-data; boundary=x", "Transfer-Encoding: chunked")
    file = b'--x\r\nContent-Disposition: form-data; name="submissions"; filename="a"\r\n\r\n' + b"x" * (2 << 20)
    body = b"%x\r\n%b\r\n" % (len(file), file)
    with ExitStack() as stack:
        stack.enter_context(begun(service, service.acme, "POST /api/v1/comparisons", *head, body=body))
        budget = service.context.bodies
        until = time.monotonic() + PATIENCE
        while budget._held.get("acme", 0) < 7 << 18 and time.monotonic() < until:
            time.sleep(0.01)
        second = stack.enter_context(begun(service, service.acme, "POST /api/v1/comparisons", *head, body=body))
        assert second.recv(4096).startswith(b"HTTP/1.1 429")
        acme, bolt = (stack.enter_context(service.client(token)) for token in (service.acme, service.bolt))
        assert acme.post("/search", json={"text": prose(4)}).status_code == 200
        assert bolt.post("/search", json={"text": prose(4, 30_000)}).status_code == 200
    until = time.monotonic() + PATIENCE
    while budget._held and time.monotonic() < until:
        time.sleep(0.01)
    assert budget._held == {}


@pytest.mark.parametrize("charset", ["undefined", "punycode", "nonsense", "é"])
@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/search"])
def test_a_form_with_a_strange_character_set_is_400(service, path, charset, caplog) -> None:
    media = f"multipart/form-data; boundary=x; charset={charset}".encode("latin-1")
    headers = [(b"Content-Type", media), (b"Authorization", f"Bearer {service.acme}".encode())]
    content = b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nhello\r\n--x--\r\n'
    answer = httpx.post(f"{service.address}{path}", headers=headers, content=content, timeout=PATIENCE)
    assert answer.status_code == 400
    kind = "application/problem+json" if path.startswith("/api") else "text/html"
    assert answer.headers["content-type"].startswith(kind)
    assert "character set" in answer.text
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
