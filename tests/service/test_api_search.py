import pytest

import whorl
from tests.service.harness import Running, prose, running, settings_in
from whorl.engine.hashing import Key
from whorl.service.api.schemas import RegistryBody
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


@pytest.mark.parametrize(
    ("others", "foreign"), [("nothing", []), ("contact", [{"level": "most", "contact": "b@x.org"}])]
)
def test_the_policy_decides_what_is_reported(tmp_path, others, foreign) -> None:
    with running(settings_in(tmp_path, others=Others(others))) as service:
        with service.client(service.bolt) as bolt:
            bolt.post("/documents", json={"name": "x", "text": prose(112), "contact": "b@x.org"})
        with service.client(service.acme) as acme:
            assert acme.post("/search", json={"text": prose(112)}).json()["foreign"] == foreign


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


def test_a_document_without_a_shared_passage_is_counted_and_not_listed(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(Key, "random", classmethod(lambda cls: cls(b"key for the test")))
    phrase = " nine lamps along the old harbour wall "
    with running(settings_in(tmp_path)) as service, service.client(service.acme) as acme:
        acme.post("/documents", json={"name": "a", "text": prose(1) + phrase + prose(2)})
        query = {"text": prose(3) + phrase + prose(4)}
        ranked = acme.post("/search", json={**query, "passages": False}).json()
        assert [hit["document"]["name"] for hit in ranked["hits"]] == ["a"]
        answer = acme.post("/search", json=query).json()
    assert answer["hits"] == []
    assert answer["notes"] == ["1 document is not listed: fingerprints here and there are shared, but no passage"]


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
        refused = acme.post("/registry/search", json={"text": prose(140, 2000), "threshold": 0})
        assert (refused.status_code, "threshold" in refused.text) == (422, True)
        assert RegistryBody.model_json_schema()["properties"]["threshold"]["exclusiveMinimum"] == 0
        assert [(hit["id"], hit["contact"]) for hit in found] == [("paper-1", "a@x.org")]
        lost = acme.get("/lost-and-found", params={"url": "http://x.org/old"}).json()
        assert lost["places"][0]["url"] == "http://x.org/new"
        new, known = ({"name": f"http://x.org/{number}", "text": prose(number)} for number in (142, 141))
        assert acme.post("/screen", json=new).json()["state"] == "new"
        match = acme.post("/screen", json=known).json()["matches"][0]
        assert (match["of"], match["kind"]) == ("http://x.org/old", "identical")
        assert acme.post("/screen", json={**new, "add": True}).status_code == 403
        with rich.client(rich.admin) as admin:
            assert admin.post("/screen", json={**new, "add": True}).json()["state"] == "new"
            assert admin.post("/screen", json={**new, "add": True}).json()["state"] == "duplicate"
        assert acme.post("/screen", json=new).json()["matches"][0]["of"] == "http://x.org/142"
        missing = acme.get("/lost-and-found", params={"url": "http://x.org/never"})
        assert missing.status_code == 404
        assert str(tmp_path) not in missing.text


QUOTED = f"“{prose(153, 30)}”"


@pytest.fixture(scope="module")
def checked(service: Running):
    """A check of a manuscript that has text of two own documents and of another tenant's; and the texts."""
    own, second, theirs = prose(150), prose(151), prose(152)
    with service.client(service.acme) as acme, service.client(service.bolt) as bolt:
        facts = {"labels": ["title=Tides"], "date": "2020-01", "collection": "papers"}
        acme.post("/documents", json={"name": "tides.txt", "text": f"{own} {QUOTED}", **facts})
        acme.post("/documents", json={"name": "second.txt", "text": second})
        bolt.post("/documents", json={"name": "secret plan", "text": theirs, "contact": "bolt@x.org"})
    return own, second, theirs


def test_a_check_counts_each_letter_once_and_leaves_out_what_does_not_count(service: Running, acme, checked) -> None:
    own, second, _ = checked
    manuscript = f"{own[:800]}\n\n{QUOTED}\n\n{second[:400]}\n\n{prose(154, 150)}"
    answer = acme.post("/check", json={"text": manuscript, "name": "draft"}).json()
    check = answer["check"]
    letters = [len("".join(part.split())) for part in (own[:800], second[:400], manuscript, QUOTED)]
    assert check["similarity"]["counted"] == pytest.approx(sum(letters[:2]) / letters[2], abs=0.01)
    assert check["similarity"]["raw"] == pytest.approx((sum(letters[:2]) + letters[3]) / letters[2], abs=0.01)
    first = check["sources"][0]
    assert (first["title"], first["document"]["name"], first["document"]["collection"]) == (
        "Tides",
        "tides.txt",
        "papers",
    )
    assert manuscript[slice(*check["excluded"]["quotation"][0])] == QUOTED
    fewer = acme.post("/check", json={"text": manuscript, "exclude_before": "2021", "quotations": False}).json()[
        "check"
    ]
    assert [source["title"] for source in fewer["sources"] if "excluded" not in source] == ["second.txt"]
    assert fewer["similarity"]["counted"] == pytest.approx(letters[1] / letters[2], abs=0.01)
    line = service.context.audit.listed(None, everyone=True, limit=1)[0]
    assert (line.action, line.detail) == ("check", "2 own, 0 of others")


def test_a_file_is_checked_and_text_of_base_files_does_not_count(acme, checked) -> None:
    own, second, _ = checked
    page = f"<html><body><p>{own[:600]}</p><p>{second[:600]}</p></body></html>".encode()
    files = [("file", ("draft.html", page)), ("base", ("form.txt", own.encode())), ("base", ("form.txt", b"Dear Sir"))]
    answer = acme.post("/check", files=files, data={"exclude_sources": "none*", "limit": "1"}).json()["check"]
    assert answer["name"] == "draft.html"
    assert answer["similarity"]["raw"] > 0.95
    assert answer["similarity"]["counted"] == pytest.approx(0.5, abs=0.05)


def test_a_check_says_of_others_only_what_the_policy_discloses(acme, checked) -> None:
    answer = acme.post("/check", json={"text": checked[2]})
    assert answer.json()["foreign"] == [{"level": "most", "contact": None}]
    assert answer.json()["check"]["sources"] == []
    assert answer.json()["check"]["similarity"] == {"raw": 0.0, "counted": 0.0}
    assert "bolt" not in answer.text
    assert "secret plan" not in answer.text
    assert acme.post("/search", json={"text": checked[2]}).json()["foreign"] == answer.json()["foreign"]


def test_a_check_and_a_search_share_the_limit_of_answers_about_others(tmp_path) -> None:
    texts = [prose(160 + number) for number in range(3)]
    with running(settings_in(tmp_path, foreign_answers=2)) as service:
        with service.client(service.bolt) as bolt:
            for number, text in enumerate(texts):
                bolt.post("/documents", json={"name": str(number), "text": text})
        with service.client(service.acme) as acme:
            assert acme.post("/check", json={"text": texts[0]}).json()["foreign"]
            assert acme.post("/search", json={"text": texts[1]}).json()["foreign"]
            last = acme.post("/check", json={"text": texts[2]}).json()
    assert last["foreign"] == []
    assert "daily limit" in last["note"]


def test_an_admin_checks_against_all_documents_and_sees_whose_they_are(service: Running, checked) -> None:
    with service.client(service.admin) as admin:
        answer = admin.post("/check", json={"text": checked[2]}).json()
    assert [source["document"]["tenant"] for source in answer["check"]["sources"]] == ["bolt"]
    assert answer["foreign"] == []


@pytest.mark.parametrize(
    ("files", "fields", "status", "words"),
    [
        ([("file", ("a.txt", b"  "))], {}, 422, "no text"),
        ([("file", ("a.pdf", b"%PDF-1.7 nothing"))], {}, 422, "a.pdf"),
        ([("file", ("a.txt", b"x")), ("file", ("b.txt", b"x"))], {}, 422, "one file"),
        ([("file", ("a.txt", b"x")), ("other", ("b.txt", b"x"))], {}, 422, "base"),
        ([("file", ("a.txt", b"x"))], {"exclude_after": "soon"}, 422, "exclude_after"),
        ([("file", ("a.txt", b"x"))], {"min_words": "-1"}, 422, "min_words"),
    ],
)
def test_a_check_that_cannot_be_done_says_why(acme, files, fields, status, words) -> None:
    answer = acme.post("/check", files=files, data=fields)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
