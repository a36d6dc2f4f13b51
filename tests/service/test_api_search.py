import pytest

import whorl
from tests.service.harness import Running, prose, running, settings_in
from whorl.service.settings import Others


@pytest.fixture
def acme(service: Running):
    with service.client(service.acme) as client:
        yield client


def test_passages_are_marked_on_both_sides_with_context(acme) -> None:
    text = prose(100)
    number = acme.post("/documents", json={"name": "source.txt", "text": text}).json()["document"]["id"]
    copied = text[600:1400]
    answer = acme.post(
        "/search", json={"text": f"{prose(101, 60)} {copied} {prose(102, 60)}", "with_text": True}
    ).json()
    hit = answer["hits"][0]
    assert hit["document"]["id"] == number
    assert hit["verified"]
    passage = hit["passages"][0]
    assert len(passage["left"]["text"]) > 700
    for side, whole in (("left", answer["text"]), ("right", text)):
        shown = passage[side]
        assert whole[shown["start"] : shown["end"]] == shown["text"]
        assert whole[: shown["start"]].endswith(shown["before"])
        assert whole[shown["end"] :].startswith(shown["after"])
        assert shown["before"]
    assert answer["cost"]["fingerprints"] > 0


def test_a_file_can_be_searched_for_and_its_text_is_left_out_unless_asked_for(acme) -> None:
    acme.post("/documents", json={"name": "page.txt", "text": prose(103)})
    page = f"<html><body><p>{prose(103)}</p></body></html>".encode()
    answer = acme.post("/search", files={"file": ("page.html", page)}, data={"limit": "1", "passages": "false"}).json()
    assert answer["name"] == "page.html"
    assert answer["text"] == ""
    assert [hit["passages"] for hit in answer["hits"]] == [[]]


def test_a_tenant_ranks_its_own_and_hears_roughly_of_others(service: Running, acme) -> None:
    with service.client(service.bolt) as bolt:
        bolt.post("/documents", json={"name": "secret plan", "text": prose(110), "contact": "bolt@x.org"})
    answer = acme.post("/search", json={"text": prose(110)})
    assert answer.json()["hits"] == []
    assert answer.json()["foreign"] == [{"level": "most", "contact": None}]
    assert "bolt" not in answer.text
    assert "secret plan" not in answer.text
    assert answer.json()["cost"]["postings"] == answer.json()["cost"]["candidates"] == 0


def test_an_admin_sees_all_in_full(service: Running) -> None:
    with service.client(service.bolt) as bolt:
        bolt.post("/documents", json={"name": "seen", "text": prose(111)})
    with service.client(service.admin) as admin:
        hits = admin.post("/search", json={"text": prose(111)}).json()["hits"]
    assert [(hit["document"]["tenant"], hit["document"]["name"]) for hit in hits] == [("bolt", "seen")]


@pytest.mark.parametrize(("others", "told"), [("nothing", []), ("contact", [{"level": "most", "contact": "b@x.org"}])])
def test_the_policy_decides_what_is_told(tmp_path, others, told) -> None:
    with running(settings_in(tmp_path, others=Others(others))) as service:
        with service.client(service.bolt) as bolt:
            bolt.post("/documents", json={"name": "x", "text": prose(112), "contact": "b@x.org"})
        with service.client(service.acme) as acme:
            assert acme.post("/search", json={"text": prose(112)}).json()["foreign"] == told


def test_documents_of_the_command_line_are_the_houses_or_their_owners(tmp_path) -> None:
    settings = settings_in(tmp_path)
    with whorl.Index.open(settings.index) as index:
        index.add(whorl.Document("papers/a.txt", prose(120)))
        index.add(whorl.Document("papers/b.txt", prose(121), owner="acme"))
    with running(settings) as service, service.client(service.acme) as acme:
        listed = acme.get("/documents").json()["documents"]
        assert [(each["name"], each["collection"]) for each in listed] == [("papers/b.txt", None)]
        assert acme.post("/search", json={"text": prose(121)}).json()["hits"][0]["document"]["name"] == "papers/b.txt"
        house = acme.post("/search", json={"text": prose(120)}).json()
        assert (house["hits"], house["foreign"]) == ([], [{"level": "most", "contact": None}])


def test_options_that_the_index_cannot_do_are_422(acme) -> None:
    answer = acme.post("/search", json={"text": prose(130), "window": 1})
    assert answer.status_code == 422
    assert "window" in answer.json()["detail"]


def test_a_registry_and_sweeps_answer_if_there_are_any(tmp_path) -> None:
    with whorl.Registry.create(tmp_path / "registry") as registry:
        registry.add(whorl.Document("paper-1", prose(140, 2000), url="http://x.org/1", contact="a@x.org"))
    with whorl.Sweep.create(tmp_path / "sweep") as sweep:
        sweep.add([whorl.Document("a", prose(141), url="http://x.org/old")], "2026-01-01")
        sweep.add([whorl.Document("b", prose(141), url="http://x.org/new")], "2026-02-01")
    settings = settings_in(tmp_path, registry=tmp_path / "registry", sweep=tmp_path / "sweep")
    with running(settings) as rich, rich.client(rich.acme) as acme:
        found = acme.post("/registry/search", json={"text": prose(140, 2000)}).json()["hits"]
        assert [(hit["id"], hit["contact"]) for hit in found] == [("paper-1", "a@x.org")]
        lost = acme.get("/lost-and-found", params={"url": "http://x.org/old"}).json()
        assert lost["places"][0]["url"] == "http://x.org/new"
        missing = acme.get("/lost-and-found", params={"url": "http://x.org/never"})
        assert missing.status_code == 404
        assert str(tmp_path) not in missing.text
