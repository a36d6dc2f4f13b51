"""What is fetched, and what is not: a resolver of the test's own, and a server on loopback."""

import socket
import ssl
import threading
import time

import pytest

from tests.service.harness import running, settings_in
from whorl.service.fetching import fetch, is_public
from whorl.service.problems import Problem

PUBLIC = "93.184.216.34"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
        "64:ff9b::a00:1", "2002:7f00:1::", "2001:0:1::1", "2001:db8::1",
        "192.0.0.192", "192.0.0.8", "192.88.99.1", "168.63.129.16", "100.100.100.200", "fd00:ec2::254",
        "::ffff:192.0.0.192", "localhost", "", "1", "0x7f.1",
    ],
)  # fmt: skip
def test_these_are_not_public(address) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"])
def test_these_are_public(address) -> None:
    assert is_public(address)


class Web:
    """Hosts with addresses, and what stands at each URL: raw answers of a server on loopback."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {"example.org": [PUBLIC]}
        self.pages: dict[str, bytes] = {}
        self.asked: list[tuple[str, int]] = []
        self.connected: list[str] = []
        self.pause = 0.0
        self.tls: ssl.SSLContext | None = None
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def resolver(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return self.names.get(host, [host])

    def connector(self, address: str, port: int, seconds: float) -> socket.socket:
        self.connected.append(address)
        return socket.create_connection(self._server.getsockname(), seconds)

    def fetch(self, url: str, most: int = 1 << 20, seconds: float = 20.0):
        return fetch(url, most, seconds, resolver=self.resolver, connector=self.connector)

    def close(self) -> None:
        self._server.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection:
                head = connection.recv(65536).decode()
                host = head.partition("Host: ")[2].partition("\r\n")[0]
                page = self.pages.get(f"http://{host}{head.split()[1]}", b"HTTP/1.1 404 No\r\n\r\n")
                for start in range(0, len(page), 1 if self.pause else len(page) or 1):
                    try:
                        connection.sendall(page[start : start + (1 if self.pause else len(page))])
                    except OSError:
                        break
                    time.sleep(self.pause)


@pytest.fixture
def web():
    made = Web()
    yield made
    made.close()


def page(body: bytes, *headers: str) -> bytes:
    lines = [f"Content-Length: {len(body)}", *headers, "", ""]
    return b"HTTP/1.1 200 OK\r\n" + "\r\n".join(lines).encode() + body


def moved(where: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode()


def refused(web: Web, url: str, **limits) -> Problem:
    with pytest.raises(Problem) as found:
        web.fetch(url, **limits)
    return found.value


def test_a_public_page_is_fetched_from_the_address_that_was_looked_at(web) -> None:
    web.pages["http://example.org/a/paper%20one.txt"] = page(b"hello")
    found = web.fetch("http://example.org/a/paper%20one.txt")
    assert (found.name, found.content) == ("paper one.txt", b"hello")
    assert web.asked == [("example.org", 80)]
    assert web.connected == [PUBLIC]


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["10.1.2.3"], ["169.254.169.254"], ["::1"], ["::ffff:10.0.0.1"], [PUBLIC, "10.0.0.1"], []],
)
def test_a_name_with_any_private_address_is_never_connected_to(web, addresses) -> None:
    web.names["evil.example"] = addresses
    assert refused(web, "http://evil.example/").status == 422
    assert web.connected == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "2130706433", "0x7f000001"])
def test_private_addresses_themselves_are_refused(web, host) -> None:
    assert refused(web, f"http://{host}/").status == 422
    assert web.connected == []


@pytest.mark.parametrize(
    "where",
    ["http://127.0.0.1/secret", "http://inside.example/", "//10.0.0.1/", "file:///etc/passwd", "gopher://x.org/"],
)
def test_a_redirect_to_a_private_place_is_refused(web, where) -> None:
    web.names["inside.example"] = ["192.168.0.7"]
    web.pages["http://example.org/"] = moved(where)
    assert refused(web, "http://example.org/").status == 422
    assert web.connected == [PUBLIC]


def test_the_declared_charset_and_media_type_count(web) -> None:
    text = "Сторож маяка"
    web.pages["http://example.org/a.php"] = page(text.encode("cp1251"), "Content-Type: text/html; charset=windows-1251")
    web.pages["http://example.org/b.txt"] = page(
        b"\xef\xbb\xbf" + text.encode(), "Content-Type: text/plain; charset=koi8-r"
    )
    web.pages["http://example.org/c.pdf"] = page(b"%PDF-1.4 \xff", "Content-Type: text/html; charset=windows-1251")
    found = [web.fetch(f"http://example.org/{name}") for name in ("a.php", "b.txt", "c.pdf")]
    assert [(each.content, each.format) for each in found] == [(text, "html"), (text, None), (b"%PDF-1.4 \xff", None)]


def test_redirects_are_followed_and_circles_end(web) -> None:
    web.names["other.example"] = ["8.8.8.8"]
    web.pages["http://example.org/a"] = moved("/b")
    web.pages["http://example.org/b"] = moved("http://other.example/c")
    web.pages["http://other.example/c"] = page(b"there")
    assert web.fetch("http://example.org/a").content == b"there"
    assert web.connected == [PUBLIC, PUBLIC, "8.8.8.8"]
    web.pages["http://example.org/a"] = moved("/a")
    assert "more than 5 times" in refused(web, "http://example.org/a").detail


def test_a_redirect_may_have_letters_that_are_not_escaped(web) -> None:
    location = "/café und mehr.txt".encode().decode("latin-1")
    web.pages["http://example.org/a"] = moved(location).decode().encode("latin-1")
    web.pages["http://example.org/caf%C3%A9%20und%20mehr.txt"] = page(b"there")
    assert web.fetch("http://example.org/a").name == "café und mehr.txt"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "file:///etc/passwd", "http://", "http://user:pw@example.org/", "http://example.org:22/",
        "http://example.org/a b", "http://example.org/\r\nX: y", "http://[::1", "//example.org/", "http://exämple.org/",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(web, url) -> None:
    assert refused(web, url).status == 422
    assert web.connected == []


def test_what_is_too_large_is_broken_off(web) -> None:
    web.pages["http://example.org/"] = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 300_000
    assert refused(web, "http://example.org/", most=100_000).status == 413


def test_what_is_cut_off_is_no_document(web) -> None:
    web.pages["http://example.org/"] = page(b"x" * 1000)[:-1]
    assert refused(web, "http://example.org/").status == 422


def test_what_comes_too_slowly_is_broken_off(web) -> None:
    web.pages["http://example.org/"] = page(b"x" * 1000)
    web.pause = 0.05
    begun = time.monotonic()
    assert "in time" in refused(web, "http://example.org/", seconds=1.0).detail
    assert time.monotonic() - begun < 20


def _anonymous(side: int) -> ssl.SSLContext:
    """TLS without certificates."""
    context = ssl.SSLContext(side)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("aNULL:@SECLEVEL=0")
    return context


def test_what_comes_too_slowly_is_broken_off_over_https_too(web, monkeypatch) -> None:
    monkeypatch.setattr(ssl, "create_default_context", lambda: _anonymous(ssl.PROTOCOL_TLS_CLIENT))
    web.tls = _anonymous(ssl.PROTOCOL_TLS_SERVER)
    web.pages["http://example.org/"] = page(b"x" * 200)
    assert web.fetch("https://example.org/").content == b"x" * 200
    web.pause = 0.05  # ten seconds for the whole page
    begun = time.monotonic()
    assert "in time" in refused(web, "https://example.org/", seconds=0.5).detail
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 500 No\r\n\r\n", b"nonsense\r\n\r\n", b"", page(b"x", "Content-Encoding: gzip")]
)
def test_what_is_no_document_is_reported(web, answer) -> None:
    web.pages["http://example.org/"] = answer
    assert refused(web, "http://example.org/").status == 422


def test_a_name_that_is_looked_up_for_ever_is_late(monkeypatch) -> None:
    gone = threading.Event()

    def resolver(host: str, port: int) -> list[str]:
        gone.wait(30)
        return [PUBLIC]

    begun = time.monotonic()
    with pytest.raises(Problem, match="did not answer in time"):
        fetch("http://slow.example/", 1000, 0.3, resolver=resolver)
    assert time.monotonic() - begun < 10
    gone.set()


def test_slow_addresses_leave_threads_for_others(tmp_path, monkeypatch) -> None:
    release = threading.Event()

    def never(url: str, most: int, seconds: float) -> None:
        release.wait(30)
        raise Problem(422, "late")

    monkeypatch.setattr("whorl.service.api.bodies.fetch", never)
    statuses: list[int] = []
    with running(settings_in(tmp_path, fetch=True)) as service:

        def ask() -> None:
            with service.client(service.acme) as acme:
                statuses.append(acme.post("/search/from-url", json={"from_url": "http://x.org/"}).status_code)

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 30
        while len(statuses) < 15:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert set(statuses) == {429}
        with service.client(service.bolt) as bolt:
            assert bolt.get("/documents").status_code == 200
        release.set()
        for thread in threads:
            thread.join()
    assert statuses.count(422) == 5
