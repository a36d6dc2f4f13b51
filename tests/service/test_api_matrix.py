"""Every endpoint of the contract: without a token, with one of the wrong scope, or for somebody else's thing."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import whorl
from tests.service.harness import Running, operations, over, prose, running, settings_in
from whorl.service.authentication import TokenScope

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
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of these tests alone, which runs no jobs after that of the belongings."""
    with running(settings_in(tmp_path_factory.mktemp("matrix"))) as found:
        yield found


@pytest.fixture(scope="module")
def belongings(service: Running) -> dict[str, str]:
    """A document, a receipt and a finished job of one tenant. The jobs of the tests wait: nobody asks how they end."""
    with service.client(service.acme) as acme:
        number = acme.post("/documents", json={"name": "theirs.txt", "text": prose(1)}).json()["document"]["id"]
        gone = acme.post("/documents", json={"name": "gone.txt", "text": prose(2)}).json()["document"]["id"]
        assert acme.delete(f"/documents/{gone}").status_code == 200
        files = [("submissions", (f"{name}.txt", prose(3).encode())) for name in "ab"]
        job = acme.post("/comparisons", files=files).json()["id"]
        over(acme, job)
    service.context.runner.stop()
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
    others = {TokenScope.SEARCH, TokenScope.ADD, TokenScope.COMPARE} - {TokenScope(scope)}
    with service.client(service.token(*others)) as client:
        answer = ask(client, service, filled(path, belongings), method)
    assert answer.status_code == 403
    assert scope in answer.json()["detail"]
    line = service.context.audit.listed(None, everyone=True, limit=1)[0]
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
    result = [re.sub(r"\b\d+\b", "N", answer.json()["detail"]) for answer in (theirs, missing)]
    assert result[0] == result[1]


@pytest.mark.parametrize(
    ("path", "method"), [(path, method) for path, method, _ in GUARDED if any(part in path for part in OWNED)]
)
def test_an_admin_sees_everybodys(service: Running, belongings, path, method) -> None:
    if method == "delete":
        pytest.skip("the other tests need it")
    with service.client(service.admin) as admin:
        assert ask(admin, service, filled(path, belongings), method).status_code == 200


def matrix() -> dict[tuple[str, str], dict[str, str]]:
    """The table of docs/service.md: method and path → kind of token → what it says."""
    lines = (Path(__file__).parents[2] / "docs/service.md").read_text("utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| request | nobody |"))
    kinds = [cell.strip() for cell in lines[start].strip("|").split("|")][1:]
    rows = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        method, _, path = name.strip("`").partition(" ")
        rows[path, method.lower()] = dict(zip(kinds, cells, strict=True))
    return rows


@pytest.fixture(scope="module")
def tokens(service: Running) -> dict[str, str | None]:
    """A token of each kind that the table has a column for; of the wrong scope, one for each scope."""
    every = (TokenScope.SEARCH, TokenScope.ADD, TokenScope.COMPARE)
    wrong = {f"no {scope}": service.token(*(set(every) - {scope})) for scope in every}
    house = service.token(*every, tenant=None)
    return {
        "nobody": None, "tenant": service.acme, "other tenant": service.bolt, "house": house, "admin": service.admin,
        "no admin": service.token(*every), **wrong,
    }  # fmt: skip


def test_the_table_of_privileges_has_every_endpoint() -> None:
    assert set(matrix()) == {(path.removeprefix("/api/v1"), method) for path, method, _ in operations()}


@pytest.mark.parametrize(("path", "method", "scope"), operations())
def test_every_kind_of_token_may_do_what_the_table_says(
    service: Running, belongings, tokens, path, method, scope
) -> None:
    expected = matrix()[path.removeprefix("/api/v1"), method]
    for kind, cell in expected.items():
        found = dict(belongings)
        if method == "delete" and "/documents/" in path:
            found["document"] = another(service)
        if method == "delete" and "/jobs/" in path:
            found["job"] = service.context.jobs.submit("cluster", "acme", None, {}).id
            service.context.jobs.cancel(found["job"])
        token = tokens[f"no {scope}" if kind == "wrong scope" and scope else kind.replace("wrong scope", "tenant")]
        with service.client(token) as client:
            status = ask(client, service, filled(path, found), method).status_code
        is_owned = any(part in path for part in OWNED)
        result = str(status) if status in (401, 403) or (status == 404 and is_owned) else "yes"
        assert result == cell, f"{method} {path} for {kind}: {status}"


@pytest.fixture(scope="module")
def house_belongings(service: Running, tokens) -> dict[str, str]:
    """A document and a receipt of the house."""
    gone = another(service, tokens["house"])
    with service.client(tokens["house"]) as house:
        assert house.delete(f"/documents/{gone}").status_code == 200
    return {"document": another(service, tokens["house"]), "receipt": gone, "job": "nobody"}


@pytest.mark.parametrize(
    ("path", "method", "scope"), [(path, method, scope) for path, method, scope in GUARDED if "{number}" in path]
)
def test_documents_of_the_house_are_for_its_tokens(
    service: Running, house_belongings, tokens, path, method, scope
) -> None:
    expected = {"house": 200, "admin": 200, "tenant": 404, "other tenant": 404, "wrong scope": 403, "nobody": 401}
    lacking = service.token(*({TokenScope.SEARCH, TokenScope.ADD} - {TokenScope(scope)}), tenant=None)
    result = {}
    for kind in expected:
        found = dict(house_belongings)
        if method == "delete":
            found["document"] = another(service, tokens["house"])
        with service.client(lacking if kind == "wrong scope" else tokens[kind]) as client:
            result[kind] = ask(client, service, filled(path, found), method).status_code
    assert result == expected


def test_the_house_searches_its_own_documents_alone(tmp_path) -> None:
    with running(settings_in(tmp_path)) as service, service.client(service.acme) as acme:
        house_token = service.token(TokenScope.SEARCH, TokenScope.ADD, tenant=None)
        acme.post("/documents", json={"name": "theirs", "text": prose(1)})
        with service.client(house_token) as house:
            house.post("/documents", json={"name": "own", "text": prose(1)})
            number = house.post("/documents", json={"name": "twin", "text": prose(1)}).json()["document"]["id"]
            hits = house.post("/search", json={"text": prose(1)}).json()["hits"]
            assert sorted(hit["document"]["name"] for hit in hits) == ["own", "twin"]
            near = house.get(f"/documents/{number}/near").json()["hits"]
            assert [hit["document"]["name"] for hit in near] == ["own"]
            check = house.post("/check", json={"text": prose(1)}).json()["check"]
            assert {source["document"]["tenant"] for source in check["sources"]} == {None}
            assert {each["name"] for each in house.get("/documents").json()["documents"]} == {"own", "twin"}


def another(service: Running, token: str | None = None) -> str:
    """A document that may go, of acme unless a token of somebody else is given."""
    with service.client(token or service.acme) as acme:
        answer = acme.post("/documents", json={"name": f"{time.monotonic()}.txt", "text": prose(7)})
        return str(answer.json()["document"]["id"])


def test_a_collection_shows_its_owners_documents_alone(tmp_path) -> None:
    """The command line gives any name to anybody's document."""
    settings = settings_in(tmp_path)
    with whorl.Index.open(settings.index) as index:
        index.add(whorl.Document("acme/main/theirs", prose(5), url="https://x", contact="b@x.org", owner="bolt"))
        index.add(whorl.Document("acme/hidden/house", prose(6)))
    with running(settings) as service, service.client(service.acme) as acme:
        acme.post("/documents", json={"name": "own", "text": prose(8)})
        listed = acme.get("/documents", params={"collection": "main"}).json()["documents"]
        assert [each["name"] for each in listed] == ["own"]
        assert acme.get("/collections/hidden").status_code == 404


def test_the_house_sees_an_admins_jobs_with_an_admins_token_alone(tmp_path) -> None:
    files = [("submissions", (f"{name}.txt", prose(3).encode())) for name in "ab"]
    with (
        running(settings_in(tmp_path)) as service,
        service.client(service.admin) as admin,
        service.client(service.token(TokenScope.COMPARE, tenant=None)) as house,
    ):
        job = admin.post("/comparisons", files=files).json()["id"]
        assert house.get("/jobs").json()["jobs"] == []
        for method, path in (("get", ""), ("get", "/result"), ("get", "/events"), ("delete", "")):
            assert house.request(method, f"/jobs/{job}{path}").status_code == 404
        own = house.post("/comparisons", files=files).json()["id"]
        assert [each["id"] for each in house.get("/jobs").json()["jobs"]] == [own]
        assert {job, own} <= {each["id"] for each in admin.get("/jobs").json()["jobs"]}
        over(admin, job)
        over(house, own)


def test_a_tenants_token_is_never_an_admins(service: Running) -> None:
    with service.client(service.admin) as admin:
        answer = admin.post("/tokens", json={"scopes": ["admin"], "tenant": "acme"})
        assert answer.status_code == 422
        assert "of the house" in answer.json()["detail"]
    old, secret = service.context.tokens.create("acme", frozenset({TokenScope.SEARCH}), "made before")
    service.context.database.write("UPDATE tokens SET scopes = 'admin search' WHERE id = ?", old.id)
    with service.client(secret) as client:
        assert client.get("/tokens").status_code == 403
        assert client.get("/documents").status_code == 200


def test_a_revoked_token_is_401_at_once(service: Running) -> None:
    token, secret = service.context.tokens.create("acme", frozenset({TokenScope.SEARCH}), "short")
    with service.client(secret) as client, service.client(service.admin) as admin:
        assert client.get("/documents").status_code == 200
        assert admin.delete(f"/tokens/{token.id}").status_code == 204
        assert client.get("/documents").status_code == 401
