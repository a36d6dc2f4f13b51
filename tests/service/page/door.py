"""Signing in and sending forms without a browser, as a browser would."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.service.harness import Running

GUARD = re.compile(r'name="csrf" value="([^"]+)"')


@contextmanager
def signed_in(site: Running, secret: str) -> Iterator[httpx.Client]:
    """A client with the cookie of a session."""
    with httpx.Client(base_url=site.address, timeout=60) as client:
        asked = client.get("/sign-in")
        answer = client.post("/sign-in", data={"token": secret, "csrf": guard(asked.text), "next": "/"})
        assert answer.status_code == 303, answer.text
        yield client


def guard(html: str) -> str:
    """What the form of a page must send back."""
    found = GUARD.search(html)
    assert found is not None, "the page has no form"
    return found[1]


def token_of(client: httpx.Client) -> str:
    """The guard of a session."""
    return guard(client.get("/documents/add").text)


def parse(html: str) -> LexborHTMLParser:
    """The page as a browser reads it."""
    return LexborHTMLParser(html)


def first(html: str, selector: str) -> LexborNode:
    """The first element of a kind, which must be there."""
    node = parse(html).css_first(selector)
    assert node is not None, f"no {selector}"
    return node


def value(html: str, selector: str, attribute: str) -> str:
    """An attribute of the first element of a kind."""
    found = first(html, selector).attributes[attribute]
    assert found is not None
    return found


def links(html: str, selector: str) -> list[str]:
    """Where the links of a kind lead."""
    return [node.attributes["href"] or "" for node in parse(html).css(selector)]


def text_of(html: str, selector: str = "main") -> str:
    """What a page says, in one line."""
    return " ".join(first(html, selector).text().split())
