"""Every endpoint of the contract: without a token, with one of the wrong scope, or for somebody else's thing."""

import re
import time
from typing import Any

import httpx
import pytest

from tests.service.harness import Running, operations, prose
from whorl.service.tokens import Scope

GUARDED = [(path, method, scope) for path, method, scope in operations() if scope is not None]

# Paths that name a thing of a tenant's, and the fixture's key for its id. A path with a part in braces that is not here
# names nothing of anybody's.
OWNED = {"{number}": "document", "{job}": "job"}
OPEN = {"{name}": "main", "{token}": "nobody", "{person_}": "nobody", "{path}": "index.html"}

# What comes up to the question whose it is: right but for that.
BODIES: dict[str, dict[str, Any]] = {
    "post": {"json": {}},
    "put": {"json": {}},
}


@pytest.fixture(scope="module")
def belongings(service: Running) -> dict[str, str]:
    """A document, a receipt and a finished job of one tenant."""
    with service.client(service.acme) as acme:
        number = acme.post("/documents", json={"name": "theirs.txt", "text": prose(1)}).json()["document"]["id"]
        gone = acme.post("/documents", json={"name": "gone.txt", "text": prose(2)}).json()["document"]["id"]
        assert acme.delete(f"/documents/{gone}").status_code == 200
        files = [("submissions", (f"{name}.txt", prose(3).encode())) for name in "ab"]
        job = acme.post("/comparisons", files=files).json()["id"]
        until = time.monotonic() + 60
        while acme.get(f"/jobs/{job}").json()["state"] in ("queued", "running"):
            assert time.monotonic() < until
            time.sleep(0.1)
    return {"document": str(number), "receipt": str(gone), "job": job}


def ask(client: httpx.Client, service: Running, path: str, method: str) -> httpx.Response:
    return client.request(method, service.address + path, **BODIES.get(method, {}))


def filled(path: str, belongings: dict[str, str]) -> str:
    for part, kind in OWNED.items():
        path = path.replace(part, belongings["receipt" if "/receipts/" in path else kind])
    for part, value in OPEN.items():
        path = path.replace(part, value)
    assert "{" not in path, f"{path}: say in OWNED or OPEN whose this is"
    return path


@pytest.mark.parametrize(("path", "method", "scope"), GUARDED)
def test_no_token_is_401(service: Running, belongings, path, method, scope) -> None:
    with service.client() as client:
        answer = ask(client, service, filled(path, belongings), method)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(("path", "method", "scope"), GUARDED)
def test_a_token_that_was_never_given_is_401(service: Running, belongings, path, method, scope) -> None:
    with service.client("whorl_" + "x" * 43) as client:
        assert ask(client, service, filled(path, belongings), method).status_code == 401


@pytest.mark.parametrize(("path", "method", "scope"), GUARDED)
def test_another_scope_is_403(service: Running, belongings, path, method, scope) -> None:
    others = {Scope.SEARCH, Scope.ADD, Scope.COMPARE} - {Scope(scope)}
    with service.client(service.token(*others)) as client:
        answer = ask(client, service, filled(path, belongings), method)
    assert answer.status_code == 403
    assert scope in answer.json()["detail"]
    line = service.desk.audit.listed(None, everyone=True, limit=1)[0]
    assert (line.action, line.outcome) == (f"{method.upper()} {answer.url.path}", "refused")
    assert line.actor is not None


@pytest.mark.parametrize(
    ("path", "method"), [(path, method) for path, method, _ in GUARDED if any(part in path for part in OWNED)]
)
def test_somebody_elses_is_404_in_the_words_of_what_is_not_there(service: Running, belongings, path, method) -> None:
    nothing = {"document": "999999", "receipt": "999999", "job": "AAAAAAAAAAAAAAAA"}
    with service.client(service.bolt) as bolt:
        theirs = ask(bolt, service, filled(path, belongings), method)
        missing = ask(bolt, service, filled(path, nothing), method)
    assert theirs.status_code == missing.status_code == 404
    told = [re.sub(r"\b\d+\b", "N", answer.json()["detail"]) for answer in (theirs, missing)]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("path", "method"), [(path, method) for path, method, _ in GUARDED if any(part in path for part in OWNED)]
)
def test_an_admin_sees_everybodys(service: Running, belongings, path, method) -> None:
    if method == "delete":
        pytest.skip("the other tests need it")
    with service.client(service.admin) as admin:
        assert ask(admin, service, filled(path, belongings), method).status_code == 200


def test_a_revoked_token_is_401_at_once(service: Running) -> None:
    token, secret = service.desk.tokens.create("acme", frozenset({Scope.SEARCH}), "short")
    with service.client(secret) as client, service.client(service.admin) as admin:
        assert client.get("/documents").status_code == 200
        assert admin.delete(f"/tokens/{token.id}").status_code == 204
        assert client.get("/documents").status_code == 401
