"""Every page and every flow without scripts: plain forms, one answer a page."""

import io
import json
import re
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.service.harness import running, settings_in
from tests.service.page.door import first, links, parse, signed_in, text_of, token_of, value
from tests.service.page.house import BEES, TEMPLATE, TIDES, class_zip, put
from whorl.index.index import Index
from whorl.model import Document
from whorl.service.administration import LONGEST_TOKEN_DAYS
from whorl.service.api.schemas import TokenBody
from whorl.service.authentication import TokenScope
from whorl.service.jobs import ATTEMPTS
from whorl.service.middleware import PAGE_POLICY, REPORT_POLICY
from whorl.service.page.zip_split import CHILDREN
from whorl.service.search import NOTICE
from whorl.service.settings import Others

ACMES = ("/", "/search", "/check", "/documents", "/documents/add", "/compare", "/jobs", "/registry", "/lost-and-found")
ADMINS = tuple(f"/admin/{name}" for name in ("tokens", "usage", "retention", "deletions", "audit", "people"))


def send(client: httpx.Client, path: str, files: object = None, **fields: object) -> httpx.Response:
    """A form, with its guard."""
    return client.post(path, data={"csrf": token_of(client), **fields}, files=files)  # type: ignore[arg-type]


def ended(client: httpx.Client, job: str) -> str:
    """The page of a job when it is over."""
    assert "event: end" in client.get(f"{job}/events").text
    return client.get(job).text


@pytest.mark.parametrize("path", [*ACMES, *ADMINS])
def test_every_page_is_strict_and_has_its_landmarks(admin, path):
    answer = admin.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "same-origin"
    found = parse(answer.text)
    assert len(found.css("main h1")) == 1
    assert found.css_first("html[lang=en] > head > title") is not None
    assert found.css_first("a.skip[href='#main']") is not None
    ids = [node.attributes["id"] for node in found.css("[id]")]
    assert len(ids) == len(set(ids))


def test_a_check_is_the_page_of_the_report_with_a_notice_about_others(tmp_path):
    contact = "<img src=x onerror=alert(1)>"
    with running(settings_in(tmp_path, others=Others.CONTACT)) as service:
        put(service, service.acme, "essays/tides.txt", TIDES, labels=("title=On tides",))
        put(service, service.bolt, "a secret of bolt", TIDES + BEES, contact=contact)
        with signed_in(service, service.acme) as acme:
            answer = send(acme, "/check", text=f"{TIDES}\n{NOTICE}\n{BEES}", min_words="3")
            files = {"file": ("draft.md", TIDES.encode()), "base": ("form.txt", TIDES.encode())}
            template = send(acme, "/check", files=files)
    assert answer.headers["content-security-policy"] == REPORT_POLICY
    assert answer.headers["cache-control"] == "no-store"
    assert text_of(answer.text, "#sources bdi") == "On tides"
    assert "a secret of bolt" not in answer.text
    assert text_of(answer.text, ".notice bdi") == contact
    assert parse(answer.text).css("img") == []
    assert NOTICE in text_of(answer.text, "#text")
    assert text_of(template.text, "#similarity") == "0%"


def test_a_check_that_fails_keeps_what_was_typed(acme):
    answer = send(acme, "/check", text="  ", exclude_after="soon", exclude_sources="*draft*")
    assert answer.status_code == 422
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert value(answer.text, "#exclude_sources", "value") == "*draft*"
    assert "open" in first(answer.text, "details.more").attributes
    assert text_of(answer.text, "[role=alert]")


@pytest.mark.parametrize("path", ADMINS)
def test_pages_for_admins_are_for_admins(acme, path):
    assert acme.get(path).status_code == 403


def test_a_token_sees_what_it_may_use(site):
    with signed_in(site, site.token(TokenScope.ADD, tenant="adder")) as client:
        menu = text_of(client.get("/documents/add").text, "nav")
        assert menu == "Documents"
        assert send(client, "/documents/add", name="a", text=TIDES).status_code == 200
        assert client.get("/").status_code == 403
        assert client.get("/compare").status_code == 403


def test_an_unknown_address_says_where_to_go(acme):
    answer = acme.get("/nowhere")
    assert answer.status_code == 404
    assert "Use the menu above" in text_of(answer.text)


def test_a_search_shows_passages_on_both_sides(acme):
    answer = send(acme, "/search", text=f"Something before. {TIDES}")
    assert first(answer.text, ".hit h3").text() == "essays/tides.txt"
    left, right = (mark.text() for mark in first(answer.text, ".hit").css(".side mark"))
    assert left == right
    assert left.startswith("The tide at the old harbour")
    assert first(answer.text, "textarea").text().strip().startswith("Something before.")


def test_a_document_is_shown_by_its_title(site, acme):
    lines = [f"Lamp {number} of the pier burns oil from the {number + 40}th barrel of the year." for number in range(9)]
    put(site, site.acme, "essays/lamps.txt", " ".join(lines), labels=("title=Lamps of the pier",))
    answer = send(acme, "/search", text=" ".join(lines))
    assert first(answer.text, ".hit h3").text() == "Lamps of the pier"
    assert "essays/lamps.txt" in first(answer.text, ".hit .about").text()
    assert "title=" not in first(answer.text, ".hit").text()


def test_a_search_by_file(acme):
    answer = send(acme, "/search", files={"file": ("C:\\texts\\bees.txt", BEES.encode())})
    assert "in bees.txt" in text_of(answer.text)
    assert "bees.txt, lines 1–3" in text_of(answer.text)


def test_what_others_hold_is_reported_coarsely(acme, admin):
    result = text_of(send(acme, "/search", text=TIDES + BEES).text)
    assert "You cannot see" in result
    assert "bolt" not in result
    assert "bolt's own tides.txt" in text_of(send(admin, "/search", text=TIDES + BEES).text)


def test_a_script_gets_the_results_alone(acme):
    fields = {"csrf": token_of(acme), "text": TIDES}
    answer = acme.post("/search", data=fields, headers={"HX-Request": "true"})
    assert "<html" not in answer.text
    assert "essays/tides.txt" in answer.text
    answer = acme.post("/search", data={**fields, "text": ""}, headers={"HX-Request": "true"})
    assert (answer.status_code, "<html" in answer.text) == (422, False)


def test_nothing_to_search_for_and_nothing_found_say_what_to_do(acme):
    answer = send(acme, "/search", text="  \n ")
    assert (answer.status_code, "Drop a file or paste a text" in text_of(answer.text)) == (422, True)
    result = text_of(send(acme, "/search", text="qqq zzz " * 50).text)
    assert "No stored document shares a passage with it" in result
    assert "search with a longer piece" in result


def test_a_file_that_cannot_be_read_is_reported(acme):
    answer = send(acme, "/search", files={"file": ("broken.pdf", b"%PDF-1.7 nothing")})
    assert answer.status_code == 422
    assert "broken.pdf" in text_of(answer.text)


def test_an_empty_service_says_how_to_begin(tmp_path):
    with running(settings_in(tmp_path)) as empty:
        with signed_in(empty, empty.acme) as client:
            assert "Add the documents that you want to search in first" in text_of(client.get("/").text)
            assert "No document is stored yet" in text_of(client.get("/documents").text)
            assert "No job yet" in text_of(client.get("/jobs").text)
            assert client.get("/registry").status_code == client.get("/lost-and-found").status_code == 404
        with signed_in(empty, empty.admin) as client:
            assert "Nothing was deleted yet" in text_of(client.get("/admin/deletions").text)
            assert "No collection has a rule" in text_of(client.get("/admin/retention").text)


def test_adding_files_and_a_text(site):
    with signed_in(site, site.token(TokenScope.SEARCH, TokenScope.ADD, tenant="writer")) as client:
        files = [
            ("files", ("one.txt", TIDES.encode())),
            ("files", ("sub/two.txt", BEES.encode())),
            ("files", ("bad.pdf", b"%PDF-")),
        ]
        answer = send(
            client, "/documents/add", files=files, name="three", text=TIDES + BEES, collection="mine", url="https://a.example/",
            labels="x, y ,", contact="me@a.example", date="2026-01-02",
        )  # fmt: skip
        result = text_of(answer.text)
        assert "3 documents were stored" in result
        assert "bad.pdf" in text_of(answer.text, ".notice.bad")
        rows = text_of(client.get("/documents?collection=mine").text, "table")
        assert all(name in rows for name in ("one.txt", "sub/two.txt", "three"))
        page = client.get(links(answer.text, "main li a")[0]).text
        assert all(fact in text_of(page) for fact in ("https://a.example/", "me@a.example", "2026-01-02", "x y"))
        assert "The tide at the old harbour" in text_of(page, ".code")


def test_what_was_filled_in_stays_when_nothing_could_be_added(acme):
    answer = send(acme, "/documents/add", name="", text="a\n\n  b", collection="No Slug", labels="l")
    assert answer.status_code == 422
    assert first(answer.text, "textarea").text() == "a\n\n  b"
    assert value(answer.text, "#collection", "value") == "No Slug"
    assert "Nothing to add" in text_of(send(acme, "/documents/add").text)


def test_the_list_goes_on_and_filters(site):
    secret = site.token(TokenScope.SEARCH, TokenScope.ADD, tenant="lister")
    for number in range(60):
        put(site, secret, f"note {number:03}.txt", f"note {number} {TIDES[:80]}", collection=f"c{number % 2}")
    with signed_in(site, secret) as client:
        for path, total in (("/documents", 60), ("/documents?begins=note+0", 60), ("/documents?begins=note+01", 10)):
            names: list[str] = []
            following = path
            while following:
                html = client.get(following).text
                names += [node.text() for node in parse(html).css("tbody a")]
                following = next(iter(links(html, "a[rel=next]")), "")
            assert len(names) == len(set(names)) == total
        assert "No document fits" in text_of(client.get("/documents?begins=zzz").text)
        part = client.get("/documents?begins=note+01", headers={"HX-Request": "true"})
        assert "<html" not in part.text


def test_names_are_found_whoever_has_them_and_wherever_they_came_from(tmp_path):
    settings = settings_in(tmp_path)
    with Index.open(settings.index) as index:
        for number in range(20):
            index.add(Document(f"acme/kept/k{number:02}", TIDES[:80], owner="acme"))
            index.add(Document(f"cli/k{number:02}", TIDES[:80], owner="acme"))
    with (
        running(settings) as service,
        signed_in(service, service.admin) as admin,
        signed_in(service, service.acme) as acme,
    ):

        def shown(client, path):
            html = client.get(path).text
            assert not links(html, "a[rel=next]")
            return [node.text() for node in parse(html).css("tbody a")]

        for client in (admin, acme):
            assert len(shown(client, "/documents?begins=k")) == 20
            assert shown(client, "/documents?begins=cli/k01") == ["cli/k01"]
            assert len(shown(client, "/documents?begins=k&collection=kept")) == 20
            assert "kept" in text_of(client.get("/documents").text, "#collection")
        assert len(shown(admin, "/documents?begins=k&tenant=acme")) == 20
        assert shown(admin, "/documents?begins=k&tenant=bolt") == []


def test_a_list_that_fills_a_page_exactly_has_no_next_page(site):
    secret = site.token(TokenScope.SEARCH, TokenScope.ADD, tenant="exact")
    for number in range(50):
        put(site, secret, f"note {number:03}.txt", f"note {number} {TIDES[:80]}")
    with signed_in(site, secret) as client:
        for path in ("/documents", "/documents?begins=note", "/documents?begins=note&collection=main"):
            html = client.get(path).text
            assert len(parse(html).css("tbody a")) == 50
            assert not links(html, "a[rel=next]")


def test_a_long_text_comes_in_parts(site):
    secret = site.token(TokenScope.SEARCH, TokenScope.ADD, tenant="author")
    text = "".join(f"line {number} of a long text\n" for number in range(5000))
    number = put(site, secret, "long.txt", text).document.id
    with signed_in(site, secret) as client:
        read, following = "", f"/documents/{number}"
        while following:
            html = client.get(following).text
            read += "\n".join(node.text() for node in parse(html).css(".code li"))
            following = next((f"/documents/{number}{link}" for link in links(html, "a[rel=next]")), "")
        assert read == text
        assert client.get(f"/documents/{number}?start=999999999").status_code == 200
        assert client.get(f"/documents/{number}?start=-1x").status_code == 200


def test_near_and_beside(acme, site):
    tides = links(acme.get("/documents?begins=essays/tides.txt").text, "tbody a")[0]
    put(site, site.acme, "copies/tides again.txt", TIDES + " And again.")
    near = acme.get(f"{tides}/near")
    assert "copies/tides again.txt" in text_of(near.text)
    assert first(acme.get(links(near.text, "a[href*=beside]")[0]).text, ".side mark").text().startswith("The tide")
    assert acme.get(f"{tides}/beside/999999").status_code == 404


def test_deleting_asks_first_and_gives_a_receipt(site, admin):
    secret = site.token(TokenScope.SEARCH, TokenScope.ADD, tenant="deleter")
    number = put(site, secret, "gone.txt", TIDES).document.id
    with signed_in(site, secret) as client:
        asked = text_of(client.get(f"/documents/{number}/delete").text)
        assert "cannot be undone" in asked
        answer = send(client, f"/documents/{number}/delete")
        assert answer.headers["location"] == "/documents?said=deleted"
        assert "The document is deleted" in text_of(client.get("/documents?said=deleted").text)
        assert client.get(f"/documents/{number}").status_code == 404
    assert "pending" in text_of(admin.get("/admin/deletions").text)


def test_others_documents_and_missing_ones_look_the_same(acme, site):
    theirs = put(site, site.bolt, "theirs.txt", BEES).document.id
    for path in ("", "/near", "/delete", "/beside/1"):
        pages = [acme.get(f"/documents/{number}{path}") for number in (theirs, 99_999_999)]
        assert [page.status_code for page in pages] == [404, 404]
        result = [re.sub(r"\d+", "N", text_of(page.text)) for page in pages]
        assert result[0] == result[1]
    assert send(acme, f"/documents/{theirs}/delete").status_code == 404


@pytest.mark.parametrize("number", ["0", "-1", "x", "1e3", "9" * 30, "%00", "٣"])
def test_numbers_that_are_none_are_missing(acme, number):
    assert acme.get(f"/documents/{number}").status_code == 404


def test_notices_are_ours_alone(acme):
    assert "hello" not in acme.get("/documents?said=hello").text


def test_a_class_is_compared_step_by_step(acme, handed_in):
    answer = send(acme, "/compare", files={"submissions": ("exercise3.zip", handed_in.read_bytes())})
    draft = answer.headers["location"]
    marking = acme.get(draft).text
    assert [node.text() for node in parse(marking).css(".picks bdi")] == ["anna", "bert", "carla", "template"]
    assert [node.attributes["value"] for node in parse(marking).css(".picks [checked]")] == ["3"]
    answer = send(acme, draft, template="3", title="My <class>", scheme="code", threshold="7")
    job = answer.headers["location"]
    done = ended(acme, job)
    assert "1 pair of 3 submissions" in text_of(done)
    assert acme.get(draft).headers["location"] == job  # the button *Back* leads there
    report = acme.get(f"{job}/report/index.html")
    assert report.headers["content-security-policy"] == REPORT_POLICY
    assert "My &lt;class&gt;" in report.text
    packed = acme.get(f"{job}/report.zip")
    assert 'filename="My-class.zip"' in packed.headers["content-disposition"]
    assert "report/index.html" in zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    result = json.loads(acme.get(f"{job}/result.json").text)
    assert {pair["left"] for pair in result["pairs"]} | {pair["right"] for pair in result["pairs"]} == {"anna", "bert"}
    assert "My <class>" in text_of(acme.get("/jobs").text)


def test_files_are_submissions_and_a_marked_one_is_the_template(acme):
    files = [("submissions", (f"{name}.py", text.encode())) for name, text in (
        ("anna", TEMPLATE + "x = [1]\n" * 30), ("bert", TEMPLATE + "x = [1]\n" * 30), ("base", TEMPLATE))]  # fmt: skip
    draft = send(acme, "/compare", files=files).headers["location"]
    picks = [node.text() for node in parse(acme.get(draft).text).css(".picks bdi")]
    assert picks == ["anna.py", "base.py", "bert.py"]
    job = send(acme, draft, template="1", threshold="0").headers["location"]
    assert "of 2 submissions" in text_of(ended(acme, job))


def test_template_and_archive_in_files_of_their_own(acme, handed_in):
    files = [
        ("submissions", ("exercise3.zip", handed_in.read_bytes())), ("base", ("t.py", TEMPLATE.encode())),
        ("archive", ("old.zip", class_zip())),
    ]  # fmt: skip
    draft = send(acme, "/compare", files=files).headers["location"]
    result = text_of(acme.get(draft).text)
    assert "Also starter code: t.py" in result
    assert "Earlier submissions: old.zip" in result
    job = send(acme, draft, anonymous="yes").headers["location"]
    assert "Done." in text_of(ended(acme, job))
    assert "anna" not in acme.get(f"{job}/report/index.html").text


def test_what_cannot_be_compared_is_reported_at_once(acme, handed_in):
    assert "Nothing to compare" in text_of(send(acme, "/compare").text)
    draft = send(acme, "/compare", files={"submissions": ("exercise3.zip", handed_in.read_bytes())}).headers["location"]
    everything = send(acme, draft, template=["0", "1", "2", "3"])
    assert (everything.status_code, "Everything is marked" in text_of(everything.text)) == (422, True)
    for wrong in ({"threshold": "many"}, {"scheme": "nope"}, {"threshold": "200"}):
        answer = send(acme, draft, **wrong)
        assert (answer.status_code, "Mark starter code" in text_of(answer.text)) == (422, True)
    assert send(acme, draft, template=["77", "-1", "x"]).status_code == 303


def test_a_zip_file_that_cannot_be_split_is_one_archive_with_a_note(acme):
    crowd = io.BytesIO()
    with zipfile.ZipFile(crowd, "w") as packed:
        for number in range(CHILDREN + 1):
            packed.writestr(f"{number}.txt", "")
    draft = send(acme, "/compare", files={"submissions": ("crowd.zip", crowd.getvalue())}).headers["location"]
    shown = acme.get(draft).text
    assert "cannot be split" in text_of(shown)
    assert [node.text() for node in parse(shown).css("legend bdi")] == ["crowd.zip"]


def test_a_tar_archive_is_not_called_one_submission(acme):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("template/anna.py"))
    draft = send(acme, "/compare", files={"submissions": ("template.tar.gz", packed.getvalue())}).headers["location"]
    shown = acme.get(draft).text
    assert "1 archive uploaded: template.tar.gz" in text_of(shown)
    assert "1 submission" not in text_of(shown)
    assert not parse(shown).css("input[name=template]")
    assert send(acme, draft, {"title": ""}).headers["location"].startswith("/jobs/")


CUT = class_zip()[:200]


@pytest.mark.parametrize("names", [["bad.zip"], ["bad.zip", "worse.ZIP"]])
def test_a_damaged_zip_file_is_refused_like_an_empty_one(acme, names):
    answer = send(acme, "/compare", files=[("submissions", (name, CUT)) for name in names])
    assert answer.status_code == 422
    assert "bad.zip: the zip file is damaged or was cut short: pack it again" in text_of(answer.text)
    assert first(answer.text, "[aria-current=step]").text() == "Upload"


def test_a_damaged_zip_file_among_others_is_named_before_the_comparison(acme):
    files = [("submissions", ("a.py", b"x = 1")), ("submissions", ("bad.zip", CUT)), ("base", ("starter.zip", CUT))]
    notes = [node.text() for node in parse(acme.get(send(acme, "/compare", files=files).headers["location"]).text).css(
        ".notice")]  # fmt: skip
    assert [note.partition(":")[0] for note in notes] == ["bad.zip", "starter.zip"]


def test_a_draft_is_its_tokens_alone(acme, site, handed_in):
    draft = send(acme, "/compare", files={"submissions": ("exercise3.zip", handed_in.read_bytes())}).headers["location"]
    with signed_in(site, site.token(TokenScope.COMPARE, TokenScope.ADD, tenant="acme")) as other:
        assert other.get(draft).status_code == 404
        assert send(other, draft).status_code == 404
    for wrong in ("/compare/AAAAAAAAAAAAAAAA", "/compare/..%2f..%2fx", "/compare/x"):
        assert acme.get(wrong).status_code == 404


def test_old_drafts_make_room(acme, handed_in):
    sent = {"submissions": ("exercise3.zip", handed_in.read_bytes())}
    drafts = [send(acme, "/compare", files=sent).headers["location"] for _ in range(5)]
    assert [acme.get(draft).status_code for draft in drafts] == [404, 404, 200, 200, 200]


def test_an_upload_that_is_sent_twice_is_compared_once(acme, handed_in):
    draft = send(acme, "/compare", files={"submissions": ("twice.zip", handed_in.read_bytes())}).headers["location"]
    with ThreadPoolExecutor(4) as clicks:
        sent = [clicks.submit(send, acme, draft, template="3", title="Sent twice") for _ in range(4)]
        places = {each.result().headers["location"] for each in sent}
    (job,) = places - {"/jobs"}  # which lists it, as long as it is being sent
    assert send(acme, draft, template="3").headers["location"] == job
    assert text_of(acme.get("/jobs").text).count("Sent twice") == 1
    assert "1 pair of 3 submissions" in text_of(ended(acme, job))


@pytest.mark.parametrize("kind", ["compare", "cluster"])
def test_a_job_whose_result_was_deleted_says_so(idle, kind):
    jobs = idle.context.jobs
    id_ = jobs.submit(kind, "acme", None, {}).id
    idle.context.database.write("UPDATE jobs SET state = 'running' WHERE id = ?", id_)
    jobs.finish(id_, {"pairs": 3})
    jobs.forget_result(id_)
    with signed_in(idle, idle.acme) as acme:
        shown = acme.get(f"/jobs/{id_}")
    assert shown.status_code == 200
    assert "The result was deleted. The job was done." in text_of(shown.text)
    assert not links(shown.text, f'a[href^="/jobs/{id_}/"]')


def test_a_job_that_fails_says_why(idle, handed_in):
    with signed_in(idle, idle.acme) as client:
        draft = send(client, "/compare", files={"submissions": ("e.zip", handed_in.read_bytes())}).headers["location"]
        job = send(client, draft).headers["location"]
        for _ in range(ATTEMPTS):
            idle.context.jobs.crashed(idle.context.jobs.claim().id, "no memory")
        shown = client.get(job).text
    assert f"The job failed: tried {ATTEMPTS} times; the last error: no memory" in text_of(shown)
    assert first(shown, "[aria-current=step]").text() == "Compare"


def test_near_duplicates_of_a_collection(site):
    secret = site.token(TokenScope.SEARCH, TokenScope.ADD, TokenScope.COMPARE, tenant="collector")
    for number in range(3):
        put(site, secret, f"copy {number}.txt", f"{TIDES} number {number}")
    with signed_in(site, secret) as client:
        job = send(client, "/clusters", collection="main", threshold="50").headers["location"]
        result = text_of(ended(client, job))
        assert "1 cluster of near-duplicates" in result
        assert "copy 2.txt" in result
        job = send(client, "/clusters", collection="empty", threshold="100").headers["location"]
        assert "No near-duplicates" in text_of(ended(client, job))
        assert send(client, "/clusters", collection="main", threshold="0").status_code == 422


def test_a_job_can_be_cancelled_and_is_nobody_elses(idle, handed_in):
    with signed_in(idle, idle.acme) as acme, signed_in(idle, idle.bolt) as bolt:
        draft = send(acme, "/compare", files={"submissions": ("e.zip", handed_in.read_bytes())}).headers["location"]
        job = send(acme, draft).headers["location"]
        waiting = acme.get(job).text
        assert "Waiting in the queue" in text_of(waiting)
        assert '<meta http-equiv="refresh" content="3">' in waiting
        assert bolt.get(job).status_code == bolt.get(f"{job}/events").status_code == 404
        assert send(bolt, f"{job}/cancel").status_code == 404
        assert acme.get(f"{job}/report/index.html").status_code == 409
        assert send(acme, f"{job}/cancel").headers["location"] == f"{job}?said=cancelled"
        assert "The job was cancelled" in text_of(acme.get(job).text)


def test_a_report_has_no_way_out(acme, handed_in):
    draft = send(acme, "/compare", files={"submissions": ("f.zip", handed_in.read_bytes())}).headers["location"]
    job = send(acme, draft).headers["location"]
    ended(acme, job)
    assert acme.get(f"{job}/report/index.html").status_code == 200
    for path in ("../../service.sqlite", "..%2f..%2fservice.sqlite", "/etc/passwd", "%2e%2e/x", "x\\..\\y"):
        assert acme.get(f"{job}/report/{path}").status_code == 404, path


def test_the_registry_tells_who_had_it_first(acme):
    answer = send(acme, "/registry", text=TIDES)
    assert "1 registered document with shared text" in text_of(answer.text)
    assert "keeper@harbour.example" in text_of(answer.text)
    part = acme.post(
        "/registry", data={"csrf": token_of(acme), "text": "nothing " * 99}, headers={"HX-Request": "true"}
    )
    assert "No registered document shares enough" in part.text
    assert send(acme, "/registry").status_code == 422


def test_lost_and_found(acme):
    answer = acme.get("/lost-and-found", params={"url": " http://harbour.example/old.html "})
    result = text_of(answer.text)
    assert "The page is gone" in result
    assert "http://harbour.example/tides/new.html" in result
    missing = acme.get("/lost-and-found", params={"url": "http://unknown.example/"})
    assert (missing.status_code, "no sweep of" in text_of(missing.text)) == (404, True)
    assert acme.get("/lost-and-found", headers={"HX-Request": "true"}).status_code == 422
    assert acme.get("/lost-and-found?url=%00").status_code == 422


def test_a_token_is_made_shown_once_and_revoked(admin, site):
    answer = send(admin, "/admin/tokens", label="for <b>Eve</b>", tenant="eve", days="30", scopes=["search", "add"])
    secret = first(answer.text, "#secret").text()
    assert secret not in admin.get("/admin/tokens").text
    token = site.context.tokens.find(secret)
    assert token is not None
    assert (token.tenant, token.scopes) == ("eve", {TokenScope.SEARCH, TokenScope.ADD})
    assert token.expires is not None
    with signed_in(site, secret) as eve:
        assert eve.get("/").status_code == 200
        assert "for <b>Eve</b>" in text_of(admin.get(f"/admin/tokens/{token.id}/revoke").text)
        assert send(admin, f"/admin/tokens/{token.id}/revoke").headers["location"] == "/admin/tokens?said=revoked"
        assert eve.get("/").status_code == 303
    assert send(admin, f"/admin/tokens/{token.id}x/revoke").status_code == 404
    assert admin.get(f"/admin/tokens/{token.id}x/revoke").status_code == 404


def test_a_token_that_cannot_be_is_reported(admin):
    tries: tuple[dict[str, object], ...] = (
        {"scopes": []},
        {"scopes": ["search"], "tenant": "No Slug"},
        {"scopes": ["search"], "days": "x"},
        {"scopes": ["search"], "days": "0"},
        {"scopes": ["search"], "days": str(LONGEST_TOKEN_DAYS + 1)},
        {"scopes": ["search"], "days": "999999999"},
    )
    for wrong in tries:
        answer = send(admin, "/admin/tokens", label="keep me", **wrong)
        assert answer.status_code == 422
        assert value(answer.text, "#label", "value") == "keep me"


def test_the_page_and_the_api_let_a_token_live_as_long(admin):
    assert value(admin.get("/admin/tokens").text, "#days", "max") == str(LONGEST_TOKEN_DAYS)
    assert TokenBody.model_validate({"scopes": ["add"], "days": LONGEST_TOKEN_DAYS}).days == LONGEST_TOKEN_DAYS
    made = send(admin, "/admin/tokens", label="long", tenant="eve", days=str(LONGEST_TOKEN_DAYS), scopes=["add"])
    assert made.status_code == 200


def test_a_page_that_takes_no_such_request_says_which_it_takes(acme):
    answer = acme.delete("/documents")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert "Look at" not in answer.text
    assert "Use the menu" in text_of(answer.text)
    assert acme.get("/sign-out").headers["allow"] == "POST"


def test_retention_is_set_for_an_owner(admin, site):
    assert send(admin, "/admin/retention", tenant="acme", name="nature", days="30").status_code == 303
    assert site.context.collections.get("acme", "nature").retention_days == 30
    assert "30 days" in text_of(admin.get("/admin/retention").text)
    for wrong in (
        {"name": "X!"},
        {"name": "a", "days": "0"},
        {"name": "a", "tenant": "nobody"},
        {"name": "a", "days": "x"},
    ):
        assert send(admin, "/admin/retention", **wrong).status_code == 422
    site.context.collections.delete("acme", "nature")


def test_usage_audit_and_one_persons_data(admin):
    assert "acme" in text_of(admin.get("/admin/usage").text)
    result = text_of(admin.get("/admin/audit").text)
    assert "sign in" in result
    for following in links(admin.get("/admin/audit").text, "a[rel=next]"):
        assert admin.get(following).status_code == 200
    made = send(admin, "/admin/people", person="keeper@harbour.example")
    names = zipfile.ZipFile(io.BytesIO(made.content)).namelist()
    assert {"documents.jsonl", "audit.jsonl"} <= set(names)
    missing = send(admin, "/admin/people", person="nobody@nowhere.example")
    assert (missing.status_code, "nobody@nowhere.example" in missing.text) == (404, True)
    assert "Nothing about this person is stored." in text_of(missing.text)


def test_an_admin_chooses_whose_documents(admin):
    everybody = text_of(admin.get("/documents").text, "#list")
    assert "bolt's own tides.txt" in everybody
    assert "essays/tides.txt" in everybody
    one = text_of(admin.get("/documents?tenant=bolt&collection=main").text, "#list")
    assert "bolt's own tides.txt" in one
    assert "essays/tides.txt" not in one
    assert admin.get("/documents?tenant=NO!").status_code == 422


def test_a_form_that_is_none_is_refused(acme):
    headers = {"X-CSRF-Token": token_of(acme), "Content-Type": "multipart/form-data; boundary=x"}
    assert acme.post("/search", content=b"nonsense", headers=headers).status_code in (400, 422)
    many = {f"f{number}": "x" for number in range(3000)}
    assert acme.post("/search", data=many, headers={"X-CSRF-Token": token_of(acme)}).status_code in (200, 400, 422)
