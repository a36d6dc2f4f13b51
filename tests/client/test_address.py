"""Addresses and tokens: what is taken for one, and what is refused in words that give no secret away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.client.address import Address, token_of
from whorl.errors import InputError


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example", Address("https", "a.example", 443, "")),
        ("http://a.example:8000/", Address("http", "a.example", 8000, "")),
        ("https://a.example/under/it/", Address("https", "a.example", 443, "/under/it")),
        ("http://[::1]:8000", Address("http", "::1", 8000, "")),
        ("HTTPS://A.example", Address("https", "a.example", 443, "")),
    ],
)
def test_addresses(url, expected):
    assert Address.of(url) == expected
    assert Address.of(expected.url) == expected


@pytest.mark.parametrize(
    "url",
    ["", "a.example", "ftp://a.example", "file:///etc/passwd", "https://", "https://a.example?x=1", "http://a:99999",
     "https://a.example/#x", "https://a b.example", "https://a.example/\r\nX: y", "https://[", "http://a:x", "http://ä"],
)  # fmt: skip
def test_what_is_no_address(url):
    with pytest.raises(InputError, match="--server: "):
        Address.of(url)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(InputError, match="WHORL_TOKEN") as caught:
        Address.of("https://me:hunter2@a.example/x")
    assert "hunter2" not in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_refused(text):
    for url in (text, f"https://{text}", f"http://a.example/{text}"):
        try:
            assert Address.of(Address.of(url).url) == Address.of(url)
        except InputError:
            continue


@pytest.mark.parametrize(
    ("url", "is_same"),
    [
        ("https://a.example/x?y#z", True), ("https://a.example:443/", True), ("http://a.example/x", False),
        ("https://a.example:444/", False), ("https://b.example/", False), ("https://a.example@b.example/", False),
        ("//a.example/x", False), ("", False),
    ],
)  # fmt: skip
def test_the_same_server(url, is_same):
    assert Address.of("https://a.example/base").is_same_server(url) is is_same


def test_who_can_listen():
    assert Address.of("http://a.example").is_readable_by_others
    assert not Address.of("https://a.example").is_readable_by_others
    assert not Address.of("http://127.0.0.1:8000").is_readable_by_others


def test_a_token_from_the_environment_or_a_file(tmp_path):
    file = tmp_path / "token"
    file.write_text("whorl_file\n")
    assert token_of(None, {}) is None
    assert token_of(None, {"WHORL_TOKEN": " whorl_x\n"}) == "whorl_x"
    assert token_of(file, {"WHORL_TOKEN": "whorl_x"}) == "whorl_file"


@pytest.mark.parametrize("content", [b"", b"\n", b"two words", b"a\r\nX-Header: y", b"\xff", b"x" * 2000, "é".encode()])
def test_what_is_no_token(tmp_path, content):
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(InputError, match="--token-file: "):
        token_of(file, {})
    with pytest.raises(InputError, match="--token-file: cannot read"):
        token_of(tmp_path / "gone", {})
