import io
import json
import zipfile
from urllib.parse import quote

import pytest

from tests.service.harness import Running, prose, running, settings_in


@pytest.fixture
def admin(service: Running):
    with service.client(service.admin) as client:
        yield client


def test_a_token_is_made_used_and_listed_without_its_secret(service: Running, admin) -> None:
    made = admin.post("/tokens", json={"scopes": ["search"], "tenant": "new-one", "label": "a reader", "days": 2})
    assert made.status_code == 201
    secret, token = made.json()["secret"], made.json()["token"]
    assert token["expires"] > token["created"]
    with service.client(secret) as client:
        assert client.get("/documents").json() == {"documents": [], "after": None}
    listed = admin.get("/tokens")
    assert token["id"] in [each["id"] for each in listed.json()["tokens"]]
    assert secret not in listed.text


def test_an_admin_cannot_lock_everybody_out(service: Running, admin) -> None:
    own = service.context.tokens.find(service.admin)
    assert own is not None
    assert admin.delete(f"/tokens/{own.id}").status_code == 409
    assert admin.delete("/tokens/nobody").status_code == 404


def test_what_was_done_is_in_the_log(service: Running, admin) -> None:
    with service.client(service.acme) as acme:
        number = acme.post("/documents", json={"name": "logged", "text": prose(300)}).json()["document"]["id"]
        acme.get(f"/documents/{number}/text")
    newest = admin.get("/audit", params={"limit": 1}).json()
    before = admin.get("/audit", params={"limit": 1, "after": newest["after"]}).json()
    lines = newest["lines"] + before["lines"]
    assert [(line["action"], line["subject"], line["tenant"]) for line in lines] == [
        ("read text", str(number), "acme"), ("add", str(number), "acme"),
    ]  # fmt: skip
    assert before["lines"][0]["id"] < newest["after"]


def test_usage_counts_what_each_tenant_has(tmp_path) -> None:
    with running(settings_in(tmp_path)) as service:
        for number, secret in enumerate((service.acme, service.acme, service.bolt)):
            with service.client(secret) as client:
                client.post("/documents", json={"name": str(number), "text": prose(310 + number)})
        with service.client(service.acme) as acme:
            acme.delete("/documents/1")
        with service.client(service.admin) as admin:
            found = admin.get("/usage").json()
    assert [(each["tenant"], each["documents"]) for each in found["tenants"]] == [("acme", 1), ("bolt", 1)]
    assert found["pending_purges"] == 1


def test_all_about_a_person_is_in_one_archive(service: Running, admin) -> None:
    person = "zoe@example.org"
    with service.client(service.acme) as acme:
        one = acme.post("/documents", json={"name": "hers", "text": prose(320), "contact": person}).json()["document"]
        acme.post("/documents", json={"name": "not hers", "text": prose(321), "contact": "max@example.org"})
    answer = admin.get(f"/people/{person}/export")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        documents = [json.loads(line) for line in archive.read("documents.jsonl").splitlines()]
        assert [document["id"] for document in documents] == [one["id"]]
        assert archive.read(f"texts/{one['id']}.txt").decode() == prose(320)
        assert {"audit.jsonl", "receipts.jsonl"} < set(archive.namelist())
    assert admin.get("/people/nobody@example.org/export").status_code == 404


@pytest.mark.parametrize("person", ["Dept A/B", "/office", "a//b", "x/export", "100% Anna?"])
def test_a_person_whose_name_has_a_slash_is_exported_and_erased(service: Running, admin, person) -> None:
    with service.client(service.acme) as acme:
        body = {"name": "slash", "text": prose(330), "contact": person}
        number = acme.post("/documents", json=body).json()["document"]["id"]
    path = f"/people/{quote(person, safe='')}"
    answer = admin.get(f"{path}/export")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert json.loads(archive.read("documents.jsonl"))["id"] == number
    assert admin.delete(path).json()["documents"] == [number]
    assert [admin.delete("/people/").status_code, admin.get("/people//export").status_code] == [422, 422]


def test_figures_are_prometheus_text_with_few_labels(service: Running, admin) -> None:
    for number in range(5):
        admin.get(f"/documents/{number + 1000}")
        admin.get(f"/nonsense/{number}")
    result = admin.get("/metrics")
    assert result.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'whorl_requests_total{method="GET",route="/api/v1/documents/{number}",status="404"}' in result.text
    assert "nonsense" not in result.text
    assert "whorl_documents " in result.text
    with service.client() as nobody:
        assert nobody.get("/metrics").status_code == 401


def test_figures_can_be_opened(tmp_path) -> None:
    with running(settings_in(tmp_path, open_metrics=True)) as service, service.client() as nobody:
        assert nobody.get("/metrics").status_code == 200


def test_health_needs_no_token(service: Running) -> None:
    with service.client() as nobody:
        assert nobody.get("/health").json()["status"] == "ok"
        assert nobody.get("/health").json()["jail"].startswith(("complete", "incomplete: this kernel has no "))
