import json
import re

import pytest

import whorl
from tests.formats.documents.writers import pdf
from tests.service.harness import Running, prose, running, settings_in
from whorl.model import Document
from whorl.service import documents
from whorl.service.api.schemas import IN_WORDS
from whorl.service.app import api_of
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.problems import Problem
from whorl.service.tenant_index import TenantIndex


@pytest.fixture
def acme(service: Running):
    with service.client(service.acme) as client:
        yield client


def test_a_document_comes_back_as_it_was_added(acme) -> None:
    facts = {"url": "http://x.org/a", "date": "2026-01-02", "contact": "a@x.org", "labels": ["one", "two"]}
    added = acme.post("/documents", json={"name": "dir/a é.txt", "text": prose(10), "collection": "c1", **facts})
    assert added.status_code == 201
    document = added.json()["document"]
    assert added.headers["location"] == f"/api/v1/documents/{document['id']}"
    assert {name: document[name] for name in facts} == facts
    assert (document["tenant"], document["collection"], document["name"]) == ("acme", "c1", "dir/a é.txt")
    assert acme.get(f"/documents/{document['id']}").json() == document
    assert acme.get(f"/documents/{document['id']}/text").text == prose(10)


def test_adding_again_tells_what_became_of_it(acme) -> None:
    def states(**changes):
        return acme.post("/documents", json={"name": "again.txt", "text": prose(11), **changes})

    assert [states().status_code, states().status_code] == [201, 200]
    assert states().json()["state"] == "unchanged"
    assert states(contact="me").json()["state"] == "updated"
    before = states(contact="me").json()["document"]["id"]
    replaced = states(text=prose(12)).json()
    assert replaced["state"] == "replaced"
    assert replaced["document"]["id"] != before
    assert acme.get(f"/documents/{before}").status_code == 404
    assert acme.get(f"/receipts/{before}").json()["purged"] is None  # what was replaced is purged, too


def test_a_file_is_added_under_its_own_name(acme) -> None:
    answer = acme.post("/documents", files={"file": ("page.html", b"<p>" + prose(13).encode() + b"</p>")})
    document = answer.json()["document"]
    assert (document["name"], document["format"]) == ("page.html", "html")
    assert acme.get(f"/documents/{document['id']}/text").text.strip() == prose(13)


def test_a_file_that_cannot_be_read_is_refused_without_its_name_in_the_index(acme) -> None:
    answer = acme.post("/documents", files={"file": ("secret.pdf", pdf([["x"]], encrypt=True))})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "cannot be read as PDF: it is encrypted: save it without a password"


def test_lists_go_on_where_they_stopped(service: Running) -> None:
    tenant = service.context.tokens.create("lists", frozenset({"search", "add"}), "")[1]  # type: ignore[arg-type]
    with service.client(tenant) as client:
        for number in range(7):
            client.post("/documents", json={"name": f"{number % 2}-{number}", "text": prose(20 + number, 50)})
        for asked in ({}, {"collection": "main"}):
            names, after = [], None
            while True:
                page = client.get(
                    "/documents", params={**asked, "limit": 3, **({"after": after} if after else {})}
                ).json()
                names += [document["name"] for document in page["documents"]]
                after = page["after"]
                if after is None:
                    break
            expected = [f"{number % 2}-{number}" for number in range(7)]
            assert names == (sorted(expected) if asked else expected)
        begun = client.get("/documents", params={"collection": "main", "starts": "1-"}).json()["documents"]
        assert [document["name"] for document in begun] == ["1-1", "1-3", "1-5"]
        assert client.get("/documents", params={"after": "nonsense"}).status_code == 404


def test_what_is_deleted_is_not_found_and_has_a_receipt(acme) -> None:
    number = acme.post("/documents", json={"name": "bye.txt", "text": prose(40)}).json()["document"]["id"]
    receipt = acme.delete(f"/documents/{number}")
    assert receipt.status_code == 200
    assert receipt.json()["number"] == number
    assert acme.get(f"/documents/{number}").status_code == 404
    assert acme.delete(f"/documents/{number}").status_code == 404
    assert acme.post("/search", json={"text": prose(40)}).json()["hits"] == []
    assert acme.get(f"/receipts/{number}").json() == receipt.json()


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x"},
        {"name": "", "text": "y"},
        {"name": "\u3000", "text": "y"},
        {"name": "x\ny", "text": "y"},
        {"name": "x", "text": "y", "collection": "../other"},
        {"name": "x", "text": "y", "collection": "UPPER"},
        {"name": "x", "text": "y", "labels": ["a\r\nSet-Cookie: b"]},
        {"name": "x", "text": "y", "format": "nonsense"},
        {"name": "x", "text": "y", "colour": "red"},
        {"name": "x" * 501, "text": "y"},
    ],
)
def test_values_that_cannot_be_used_are_422(acme, body) -> None:
    answer = acme.post("/documents", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"name": "a\nb"}, "name: Give one line of text, without control characters and not of white space alone"),
        ({"name": " "}, "name: Give one line of text, without control characters and not of white space alone"),
        ({"url": "a\0"}, "url: Give one line of text, without control characters"),
        ({"collection": "A b"}, "collection: Use lower-case letters, digits, '.', '_' and '-'; begin with a letter"),
        ({"colour": "red"}, "colour: this request has no such field"),
    ],
)
def test_what_is_allowed_is_said_in_words(acme, facts, message) -> None:
    document = {"name": "words", "text": "x", **facts}
    for answer in (acme.post("/documents", json=document),
                   acme.post("/documents", files={"file": ("x.txt", b"x")}, data=facts)):  # fmt: skip
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(message)
    if "collection" in facts:
        assert acme.get("/documents", params=facts).json()["detail"].startswith(message)


def test_each_pattern_of_the_contract_has_words() -> None:
    contract = json.dumps(api_of("test").openapi())
    assert set(re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', contract)) == set(map(json.dumps, IN_WORDS))


def test_an_empty_field_counts_as_not_given(acme) -> None:
    empty = dict.fromkeys(("name", "labels", "date", "url", "contact", "format", "collection"), "")
    made = acme.post("/documents", files={"file": ("empty-fields.txt", prose(43).encode())}, data=empty)
    assert made.status_code == 201
    document = made.json()["document"]
    assert (document["name"], document["collection"], document["labels"]) == ("empty-fields.txt", "main", [])
    assert (document["date"], document["url"], document["contact"]) == (None, None, None)
    facts = {"labels": ["", "draft"], "date": "", "url": "", "contact": ""}
    document = acme.post("/documents", json={"name": "empty", "text": prose(44), **facts}).json()["document"]
    assert (document["labels"], document["date"], document["url"], document["contact"]) == (["draft"], None, None, None)
    found = acme.post("/search", files={"file": ("x.txt", prose(43).encode())}, data={"limit": "", "window": ""})
    assert [hit["document"]["name"] for hit in found.json()["hits"]] == ["empty-fields.txt"]


@pytest.mark.parametrize("path", ["/documents", "/search", "/check"])
def test_a_text_where_a_file_belongs_is_told_as_that(acme, path) -> None:
    forgotten = acme.post(path, files={"file": (None, "essay.txt")})
    assert forgotten.status_code == 422
    assert forgotten.json()["detail"] == "file: this is a text. Send a file, such as -F file=@essay.txt."
    for part in ((None, ""), ("", b"")):
        nothing = acme.post(path, files={"file": part})
        assert nothing.status_code == 422
        assert "Send one file, in the field 'file', such as -F file=@essay.txt" in nothing.json()["detail"]


@pytest.mark.parametrize("path", ["/documents", "/jobs"])
def test_a_place_that_a_list_does_not_have_is_404(acme, path) -> None:
    answer = acme.get(path, params={"after": "nonsense"})
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("after: there is no such place")


def test_head_is_get_without_the_body(acme) -> None:
    for path in ("/health", "/documents", "/openapi.json", "/nowhere"):
        path = path.replace("/openapi", "../openapi")
        head, get = acme.head(path), acme.get(path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        for name in ("content-type", "content-length", "content-security-policy"):
            assert head.headers[name] == get.headers[name]
    assert acme.head("/search").status_code == 405


def test_only_an_admin_sanctions_or_adds_for_others(service: Running, acme) -> None:
    assert acme.post("/documents", json={"name": "s", "text": prose(41), "sanctioned": True}).status_code == 403
    assert acme.post("/documents", json={"name": "s", "text": prose(41), "tenant": "bolt"}).status_code == 403
    with service.client(service.admin) as admin:
        given = admin.post("/documents", json={"name": "gift", "text": prose(41), "tenant": "bolt"}).json()
    assert given["document"]["tenant"] == "bolt"
    with service.client(service.bolt) as bolt:
        assert bolt.get(f"/documents/{given['document']['id']}").status_code == 200


def test_a_name_of_the_command_lines_is_not_taken_over(tmp_path) -> None:
    import whorl

    settings = settings_in(tmp_path)
    with whorl.Index.open(settings.index) as index:
        index.add(whorl.Document("acme/main/house.txt", prose(50)))
    with running(settings) as service, service.client(service.acme) as acme:
        assert acme.post("/documents", json={"name": "house.txt", "text": prose(51)}).status_code == 409
        assert acme.get("/documents").json()["documents"] == []


def test_near_identical_documents_are_found(acme) -> None:
    texts = [prose(60), prose(60)[:-60], prose(61)]
    numbers = [
        acme.post("/documents", json={"name": f"near-{place}", "text": text}).json()["document"]["id"]
        for place, text in enumerate(texts)
    ]
    near = acme.get(f"/documents/{numbers[0]}/near").json()["hits"]
    assert [hit["document"]["id"] for hit in near] == [numbers[1]]
    assert near[0]["resemblance"] > 0.9


def test_a_near_identical_document_is_not_hidden_by_many_that_are_parts_of_it(service: Running) -> None:
    secret = service.context.tokens.create("crowd", frozenset({"search", "add"}), "")[1]  # type: ignore[arg-type]
    whole = " ".join(prose(seed) for seed in range(80, 90))
    with service.client(secret) as client:
        for place in range(30):  # each is in the text from end to end, so it shares more, by its own size
            part = whole[200 * place : 200 * place + 1500]
            client.post("/documents", json={"name": f"part-{place}", "text": part})
        other = client.post("/documents", json={"name": "other", "text": whole[: len(whole) * 7 // 10]}).json()
        number = client.post("/documents", json={"name": "whole", "text": whole}).json()["document"]["id"]
        near = client.get(f"/documents/{number}/near", params={"limit": 3}).json()["hits"]
    assert [hit["document"]["id"] for hit in near] == [other["document"]["id"]]


def test_collections_are_those_with_documents_or_settings(service: Running) -> None:
    secret = service.context.tokens.create("shelves", frozenset({"search", "add"}), "")[1]  # type: ignore[arg-type]
    with service.client(secret) as client:
        client.post("/documents", json={"name": "x", "text": prose(70), "collection": "full"})
        assert client.put("/collections/empty", json={"retention_days": 30}).json()["is_empty"]
        listed = client.get("/collections").json()["collections"]
        result = [(shelf["name"], shelf["retention_days"], shelf["is_empty"]) for shelf in listed]
        assert result == [("empty", 30, True), ("full", None, False)]
        assert client.get("/collections/full").status_code == 200
        assert client.get("/collections/none").status_code == 404
        assert client.put("/collections/full", json={"retention_days": 0}).status_code == 422
        assert client.delete("/collections/empty").status_code == 204
        assert client.get("/collections/empty").status_code == 404


def test_a_name_after_all_others_hides_no_collection(service: Running) -> None:
    with service.client(service.token(TokenScope.SEARCH, TokenScope.ADD, tenant="last")) as client:
        for collection, name in (("aaa", "a"), ("main", "\U0010ffffx"), ("main", "a"), ("main0", "b"), ("zzz", "c")):
            document = {"name": name, "text": prose(80, 50), "collection": collection}
            assert client.post("/documents", json=document).status_code == 201
        listed = client.get("/collections").json()["collections"]
        assert [shelf["name"] for shelf in listed] == ["aaa", "main", "main0", "zzz"]


def test_names_of_the_command_line_hide_no_collection_and_are_read_in_pages(tmp_path, monkeypatch) -> None:
    with TenantIndex.create(tmp_path / "index") as index:
        for number in range(1200):
            index.add(Document(f"acme/A {number}", "a", owner="acme"))
        index.add(Document("acme/main/x", prose(1), owner="acme"))
        index.add(Document("acme/other/x", prose(1), owner="bolt"))
        looks = []
        page = index.page

        def noting(*values):
            looks.append(values)
            return page(*values)

        monkeypatch.setattr(index, "page", noting)
        assert documents._with_documents(index, "acme") == ["main"]
        assert documents._with_documents(index, "bolt") == []
        assert len(looks) < 12


def test_admins_list_a_collection_of_everybody(tmp_path) -> None:
    settings = settings_in(tmp_path)
    with running(settings) as service, service.client(service.admin) as admin:
        for token, collection in ((service.acme, "main"), (service.bolt, "main"), (service.bolt, "else")):
            with service.client(token) as client:
                for name in ("k/2", "k1", "a"):
                    client.post("/documents", json={"name": name, "text": prose(1), "collection": collection})
        admin.post("/documents", json={"name": "k3", "text": prose(1)})
        expected = [(None, "k3"), ("acme", "k/2"), ("acme", "k1"), ("bolt", "k/2"), ("bolt", "k1")]
        for limit in (1, 2, 3, 50):
            result, after = [], None
            while True:
                asked = {"collection": "main", "starts": "k", "limit": limit, **({"after": after} if after else {})}
                answer = admin.get("/documents", params=asked).json()
                result += [(each["tenant"], each["name"]) for each in answer["documents"]]
                after = answer["after"]
                if after is None:
                    break
            assert result == expected
        one = admin.get("/documents", params={"collection": "main", "tenant": "acme"}).json()["documents"]
        assert [each["name"] for each in one] == ["a", "k/2", "k1"]
        with service.client(service.acme) as acme:
            own = acme.get("/documents", params={"collection": "main"}).json()["documents"]
            assert {each["tenant"] for each in own} == {"acme"}


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_names_are_found_in_all_collections_and_in_none(tmp_path, monkeypatch, limit) -> None:
    monkeypatch.setattr(documents, "MOST_READ", 2)
    context = Context(settings_in(tmp_path))
    try:
        with whorl.Index.open(tmp_path / "index") as index:
            for name, owner in (
                ("acme/main/k1", "acme"), ("acme/a-b/k2", "acme"), ("acme/a/k3", "acme"), ("acme/a/x", "acme"),
                ("bolt/main/k4", "bolt"), ("-/main/k5", None), ("k6", None), ("k7", "acme"), ("k8", "bolt"),
                ("kilo/main/x", "kilo"), ("kilo/main/y", "kilo"), ("kz", "acme"), ("x", "acme"),
            ):  # fmt: skip
                index.add(Document(name, prose(1, 20), owner=owner))
        scopes = frozenset({TokenScope.SEARCH})
        own = Principal("t", "acme", scopes), Principal("h", None, scopes)
        admin = Principal("a", None, frozenset({TokenScope.ADMIN}))
        assert _named(context, own[0], "k", limit) == ["k2", "k3", "k1", "k7", "kz"]
        assert _named(context, own[1], "k", limit) == ["k5", "k6"]
        assert _named(context, own[0], "acme", limit) == []
        everyones = ["k5", "k2", "k3", "k1", "k4", "k6", "k7", "k8", "kz"]
        assert _named(context, admin, "k", limit) == everyones
        assert _named(context, admin, "k", limit, tenant="bolt") == ["k4", "k8"]
        with pytest.raises(Problem, match="no such place"):
            documents.list_documents(context, admin, starts="k", after="nonsense")
    finally:
        context.close()


def _named(context: Context, principal: Principal, starts: str, limit: int, tenant: str | None = None) -> list[str]:
    names: list[str] = []
    after = None
    while True:
        answer = documents.list_documents(context, principal, starts=starts, after=after, limit=limit, tenant=tenant)
        assert len(answer.documents) <= limit
        names += [document.name for document in answer.documents]
        after = answer.after
        if after is None:
            return names
