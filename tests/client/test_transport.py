"""Requests over a real connection: refusals in words, waiting once, redirects, and answers of no sense."""

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from tests.client.stand_in import Asked, Reply, StandIn, standing_in
from whorl.client import transport
from whorl.client.address import Address
from whorl.client.transport import (
    AnswerError,
    FormPart,
    JsonBody,
    MultipartForm,
    ServerRefusedError,
    Transport,
    UnreachableError,
)

PROBLEM = {"type": "about:blank", "title": "Too large", "status": 413, "detail": "Give less."}


def made(url: str, token: str | None = "whorl_secret", **options) -> Transport:
    return Transport(Address.of(url), token, **options)


@contextmanager
def asking(answer: Callable[[Asked], Reply], **options) -> Iterator[tuple[StandIn, Transport]]:
    """A server that answers so, and a client of it."""
    with standing_in(answer) as server, closing(made(server.url, **options)) as client:
        yield server, client


def test_a_request_and_its_answer():
    with standing_in(lambda _: Reply(body=b'{"a": [1]}')) as server, closing(made(server.url + "/under/")) as client:
        assert client.json("GET", "/x", {"q": "a b&c", "none": None}) == {"a": [1]}
        assert client.json("POST", "/y", body=JsonBody({"text": "é"})) == {"a": [1]}
    get, post = server.asked
    assert get.path == "/under/x?q=a+b%26c"
    assert get.headers["Authorization"] == "Bearer whorl_secret"
    assert json.loads(post.body) == {"text": "é"}
    assert post.headers["Content-Type"] == "application/json"


def test_no_content_is_none_and_no_token_is_no_header():
    with standing_in(lambda _: Reply(204, b"")) as server, closing(made(server.url, None)) as client:
        assert client.json("DELETE", "/x") is None
    assert "Authorization" not in server.asked[0].headers


def test_forms_carry_files_as_they_are(tmp_path):
    content = bytes(range(256)) * 1000
    (tmp_path / "file").write_bytes(content)
    form = MultipartForm(
        [FormPart("name", b"one"), FormPart("file", tmp_path / "file", 'a"b\r\n.txt'), FormPart("other", b"", "x")]
    )
    with asking(lambda _: Reply()) as (server, client):
        client.json("POST", "/x", body=form)
    (asked,) = server.asked
    mark = asked.headers["Content-Type"].partition("boundary=")[2].encode()
    parts = asked.body.split(b"--" + mark)
    assert [parts[0], parts[-1]] == [b"", b"--\r\n"]
    heads, bodies = zip(*(part.split(b"\r\n\r\n", 1) for part in parts[1:-1]), strict=True)
    assert bodies == (b"one\r\n", content + b"\r\n", b"\r\n")
    assert b'filename="a%22b%0D%0A.txt"' in heads[1]
    assert int(asked.headers["Content-Length"]) == len(asked.body)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "WHORL_TOKEN"),
        (403, "ask the administrator"),
        (404, "Give less"),
        (413, "send less at a time"),
        (500, "500"),
    ],
)
def test_refusals_say_what_to_do(status, words):
    reply = Reply(status, json.dumps({**PROBLEM, "detail": "Give less.\x1b[2J"}).encode())
    with asking(lambda _: reply) as (server, client), pytest.raises(ServerRefusedError, match=words) as caught:
        client.json("GET", "/x")
    assert (caught.value.status, len(server.asked)) == (status, 1)
    assert server.url in str(caught.value)
    assert "Too large: Give less." in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"[]", b"3", b"[" * 100_000, b"\xff", b""])
def test_refusals_of_others_are_reported_as_such(body):
    with (
        asking(lambda _: Reply(502, body)) as (_server, client),
        pytest.raises(ServerRefusedError, match="not an answer of a Whorl server"),
    ):
        client.json("GET", "/x")


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, b"\xff\xfe"])
def test_answers_that_are_no_json(body):
    with (
        asking(lambda _: Reply(200, body)) as (_server, client),
        pytest.raises(AnswerError, match="is this a Whorl server"),
    ):
        client.json("GET", "/x")


def test_who_is_told_to_wait_waits_once():
    replies = iter([Reply(429, b"{}", {"Retry-After": "7"}), Reply(200, b"[1]")])
    waits: list[float] = []
    with standing_in(lambda _: next(replies)) as server, closing(made(server.url, pause=waits.append)) as client:
        assert client.json("POST", "/x", body=JsonBody({"a": 1})) == [1]
    assert waits == [7]
    assert server.asked[0].body == server.asked[1].body


@pytest.mark.parametrize(
    ("headers", "asked"),
    [({"Retry-After": "7"}, 2), ({}, 1), ({"Retry-After": "3600"}, 1), ({"Retry-After": "soon"}, 1),
     ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 2), ({"Retry-After": "9" * 400}, 1)],
)  # fmt: skip
def test_nobody_waits_for_ever(headers, asked):
    with (
        standing_in(lambda _: Reply(429, b"{}", headers)) as server,
        closing(made(server.url, pause=lambda _: None)) as client,
        pytest.raises(ServerRefusedError, match="the server is busy: try again later"),
    ):
        client.json("GET", "/x")
    assert len(server.asked) == asked


def test_redirects_on_the_same_server_are_followed():
    def answer(asked):
        return Reply(307, b"", {"Location": "/y?z=1"}) if asked.path == "/x" else Reply(200, b"[1]")

    with asking(answer) as (server, client):
        assert client.json("POST", "/x", body=JsonBody([2])) == [1]
    assert [(asked.path, asked.body) for asked in server.asked] == [("/x", b"[2]"), ("/y?z=1", b"[2]")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_token_goes_to_no_other_server(status):
    with standing_in(lambda _: Reply(200, b"[1]")) as other:
        for location in (other.url, f"{other.url}/x", other.url.removeprefix("http:"), "//evil.example/x", "", "x"):
            refuses(status, location)
    assert other.asked == []


def refuses(status: int, location: str) -> None:
    reply = Reply(status, b"", {"Location": location})
    with asking(lambda _: reply) as (_, client), pytest.raises(AnswerError, match="it redirects"):
        client.json("GET", "/x")


@pytest.mark.parametrize(("method", "words"), [("GET", "too many redirects"), ("POST", "it redirects a POST")])
def test_circles_and_redirected_posts_are_refused(method, words):
    with asking(lambda _: Reply(302, b"", {"Location": "/x"})) as (_, client), pytest.raises(AnswerError, match=words):
        client.json(method, "/x")


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UnreachableError, match="connection refused: is the server running"):
        made(url).json("GET", "/x")


def test_a_name_that_nobody_has():
    with pytest.raises(UnreachableError, match="cannot be reached"):
        made("http://nobody.invalid").json("GET", "/x")


def test_a_server_that_says_nothing():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        client = made(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)
        with pytest.raises(UnreachableError, match="no answer within"):
            client.json("GET", "/x")


def test_a_server_that_hangs_up():
    with socket.socket() as rude:
        rude.bind(("127.0.0.1", 0))
        rude.listen()
        thread = threading.Thread(target=lambda: rude.accept()[0].close())
        thread.start()
        with pytest.raises(UnreachableError, match="without an answer"):
            made(f"http://127.0.0.1:{rude.getsockname()[1]}", timeout=30).json("GET", "/x")
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"Content-Length: 100\r\n\r\n{", b"Content-Length: 100\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n64\r\n{", b"Transfer-Encoding: chunked\r\n\r\n",
    ],
)  # fmt: skip
def test_a_server_that_dies_inside_its_answer(answer):
    def answer_one() -> None:
        with rude.accept()[0] as connection:
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + answer)

    with socket.create_server(("127.0.0.1", 0)) as rude:
        thread = threading.Thread(target=answer_one)
        thread.start()
        with pytest.raises(UnreachableError, match="inside its answer: try again"):
            made(f"http://127.0.0.1:{rude.getsockname()[1]}", timeout=30).json("GET", "/x")
        thread.join()


def test_plain_http_where_tls_is_wanted():
    with standing_in(lambda _: Reply()) as server, pytest.raises(UnreachableError, match="TLS failed"):
        made(server.url.replace("http:", "https:")).json("GET", "/x")


def test_a_connection_that_was_let_go_is_made_again():
    """A server ends connections that are idle; the next request opens another."""
    with asking(lambda _: Reply(200, b"[1]")) as (_server, client):
        client.json("GET", "/x")
        assert client._connection is not None
        assert client._connection.sock is not None
        client._connection.sock.shutdown(socket.SHUT_WR)
        assert client.json("POST", "/x", body=JsonBody([2])) == [1]


def test_a_refusal_that_comes_before_the_body_is_read():
    reply = Reply(413, json.dumps(PROBLEM).encode(), is_patient=False)
    form = MultipartForm([FormPart("file", b"x" * (20 << 20), "x")])
    with asking(lambda _: reply) as (_server, client), pytest.raises((ServerRefusedError, UnreachableError)) as caught:
        client.json("POST", "/x", body=form)
    assert "send less" in str(caught.value)


def test_answers_have_an_end(monkeypatch):
    monkeypatch.setattr(transport, "LARGEST_ANSWER", 100)
    with (
        asking(lambda _: Reply(200, b"[" + b"1," * 100 + b"1]")) as (_server, client),
        pytest.raises(AnswerError, match="too large"),
    ):
        client.json("GET", "/x")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """One that nobody trusts, for the loopback address."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=whorl", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key", "-out",
         folder / "pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


def test_certificates_are_verified(certificate, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "pem", certificate / "key")
    with standing_in(lambda _: Reply(200, b"[1]"), context) as server:
        with pytest.raises(UnreachableError, match=r"its certificate is not trusted: .*SSL_CERT_FILE"):
            made(server.url).json("GET", "/x")
        assert server.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "pem"))
        with closing(made(server.url)) as client:
            assert client.json("GET", "/x") == [1]
        with pytest.raises(UnreachableError, match="its certificate is not trusted"):
            made(server.url.replace("127.0.0.1", "localhost")).json("GET", "/x")
