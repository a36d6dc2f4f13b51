"""Names, texts and facts that try to run: none does, and none makes an element or an attribute, on any page."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from playwright.sync_api import Browser

from tests.report.test_hostile import PAYLOADS, RUN, harmless
from tests.service.harness import Running, running, settings_in
from tests.service.page.conftest import context_of, watched
from tests.service.page.door import first, links, parse, signed_in, token_of
from tests.service.page.house import TIDES, put
from whorl import Document
from whorl.registry.registry import Registry
from whorl.service.authentication import TokenScope
from whorl.service.naming import checked_fact
from whorl.service.problems import Problem
from whorl.sweep.sweep import Sweep

MILD = tuple(harmless(payload, number) for number, payload in enumerate(PAYLOADS))
SCOPES = frozenset({TokenScope.SEARCH, TokenScope.ADD, TokenScope.COMPARE})


def _is_fact(text: str) -> bool:
    """Whether the service takes it as a name or a fact: control characters it does not."""
    try:
        checked_fact(text, "x")
    except Problem:
        return False
    return True


FACTS = tuple(number for number, payload in enumerate(PAYLOADS) if _is_fact(payload))
# A name in an archive may not have a backslash, by which some systems part folders.
NAMES = tuple(place for place in FACTS if "\\" not in PAYLOADS[place])
SENDABLE = tuple(
    number for number, payload in enumerate(PAYLOADS) if not any(0xD800 <= ord(c) < 0xE000 for c in payload)
)


# Many together, where each alone would take as many requests.
TOGETHER = 5
BUNDLES = tuple(
    " ".join(PAYLOADS[place] for place in SENDABLE[start : start + TOGETHER])
    for start in range(0, len(SENDABLE), TOGETHER)
)


@dataclass(frozen=True)
class Twin:
    """A tenant, its payloads, and the numbers of its documents."""

    secret: str
    payloads: tuple[str, ...]
    documents: tuple[int, ...]


def text_with(payload: str) -> str:
    return f"{payload}\n{TIDES}{payload}{TIDES}\n{payload}"


def fill(site: Running, name: str, payloads: tuple[str, ...]) -> Twin:
    """Payloads as names, facts, labels and texts of documents, as labels of tokens and titles of jobs."""
    secret = site.context.tokens.create(name, SCOPES, name)[1]
    numbers = []
    for place in FACTS:
        text = payloads[place]
        added = put(
            site, secret, f"{place:02} {text}", text_with(text), url=f"https://x.example/{text}", date=text,
            contact=text, labels=(text, f"{text} 2"),
        )  # fmt: skip
        numbers.append(added.document.id)
        if payloads is PAYLOADS:
            site.context.tokens.create(name, SCOPES, text)
        site.context.audit.note(text, name, text, text, text, text, text)
        job = site.context.jobs.submit("compare", name, None, {"title": text})
        site.context.jobs.cancel(job.id)
    put(site, secret, "url itself", TIDES, url=f"javascript:{RUN}" if payloads is PAYLOADS else "xxxxxxxxxx:xxxxxxxxx")
    for place, payload in enumerate(payloads):
        if place in SENDABLE:
            put(site, secret, f"text {place:02}", text_with(payload), collection="texts")
    return Twin(secret, payloads, tuple(numbers))


def fill_job(site: Running, tenant: str, payload: str) -> str:
    """A job that failed with this message, or ended with these names."""
    job = site.context.jobs.submit("cluster", tenant, None, {"collection": "main"})
    site.context.database.write("UPDATE jobs SET state = 'running' WHERE id = ?", job.id)
    site.context.jobs.fail(job.id, payload)
    return job.id


def clusters_job(site: Running, tenant: str, payloads: tuple[str, ...]) -> str:
    job = site.context.jobs.submit("cluster", tenant, None, {"collection": "main"})
    site.context.database.write("UPDATE jobs SET state = 'running' WHERE id = ?", job.id)
    results = site.context.jobs.results(job.id)
    results.mkdir(parents=True, exist_ok=True)
    members = [{"id": 1, "name": payload, "similarity": 0.9} for payload in payloads]
    (results / "clusters.json").write_text(json.dumps({"clusters": [{"members": members}]}), "utf-8")
    site.context.jobs.finish(job.id, {"documents": 9, "clusters": 1})
    return job.id


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Iterator[tuple[Running, Twin, Twin]]:
    """A service with two tenants: one is hostile, the other has letters in the place of payloads."""
    folder = tmp_path_factory.mktemp("hostile")
    with Registry.create(folder / "registry") as registry, Sweep.create(folder / "sweep") as sweep:
        for place in FACTS[::4]:
            evil, mild = f"{place} {PAYLOADS[place]}", f"{place} {MILD[place]}"
            for text, word in ((evil, "tide"), (mild, "bide")):
                content = TIDES.replace("tide", word).replace("harbour", f"{word}our") * 2
                registry.add(Document(text, content, url=text, date=text, contact=text))
        for payloads, word in ((PAYLOADS, "tide"), (MILD, "bide")):
            content = TIDES.replace("tide", word).replace("children", f"{word}ren")
            pages = [Document(f"http://{word}.example/", content, url=f"http://{word}.example/")]
            pages += [
                Document("x", content, url=f"http://{word}.example/{payloads[n]}", contact=payloads[n]) for n in FACTS
            ]
            sweep.add(pages, f"2026-01-0{1 if word == 'tide' else 2}")
    settings = settings_in(folder, registry=folder / "registry", sweep=folder / "sweep", title=f"<b>{PAYLOADS[0]}</b>")
    with running(settings) as site:
        site.context.runner.stop()  # jobs are filled in by hand here
        yield site, fill(site, "evil", PAYLOADS), fill(site, "mild", MILD)


LINKS = ("href", "src", "action", "formaction", "hx-get", "hx-post")
FOREIGN = {"iframe", "object", "embed", "base", "style", "svg", "math", "template", "plaintext", "xmp", "marquee"}


def census(html: str) -> Counter[str]:
    """How many elements and attributes of each kind a page has, but for the names of hidden characters. Fails if there
    is anything among them that a browser would run, load or follow elsewhere."""
    found: Counter[str] = Counter()
    for node in parse(html).css("*"):
        tag, attributes = str(node.tag), node.attributes
        if tag == "i" and attributes.get("class") == "hidden":
            continue
        found[tag] += 1
        assert tag not in FOREIGN, node.html
        assert tag != "script" or (attributes.get("src") or "").startswith("/static/"), node.html
        for name, value in attributes.items():
            found[f"{tag}@{name}"] += 1
            assert not name.startswith("on"), node.html
            assert name not in LINKS or _leads_well(value or ""), node.html
    return found


def _leads_well(link: str) -> bool:
    return link.startswith(("/", "#", "?", "http://", "https://")) and not link.startswith("//")


def compare(hostile, ask: Callable[[httpx.Client, Twin], httpx.Response]) -> None:
    """The same question of both tenants gives pages of the same build."""
    site, evil, mild = hostile
    with signed_in(site, evil.secret) as one, signed_in(site, mild.secret) as other:
        answers = ask(one, evil), ask(other, mild)
    assert answers[0].status_code == answers[1].status_code
    assert census(answers[0].text) == census(answers[1].text)


def test_there_are_enough_payloads():
    assert len(FACTS) >= 60
    assert len(SENDABLE) >= 60


def test_a_census_sees_what_a_payload_makes():
    assert census("<p>x</p>") != census("<p><img src=/x></p>")
    assert census('<p title="a">x</p>') != census('<p title="a" class="b">x</p>')
    with pytest.raises(AssertionError):
        census("<a href=javascript:x>y</a>")


@pytest.mark.parametrize(
    "path", ["/documents", "/documents?collection=main&begins=0", "/documents?collection=texts", "/jobs"]
)
def test_lists(hostile, path):
    compare(hostile, lambda client, twin: client.get(path))
    compare(hostile, lambda client, twin: client.get(path, headers={"HX-Request": "true"}))


def test_documents_one_by_one(hostile):
    site, evil, mild = hostile
    with signed_in(site, evil.secret) as one, signed_in(site, mild.secret) as other:
        expected = census(other.get(f"/documents/{mild.documents[0]}").text)
        for number in evil.documents:
            assert census(one.get(f"/documents/{number}").text) == expected
        for number in evil.documents[::5]:
            census(one.get(f"/documents/{number}/delete").text)


def test_near_and_side_by_side(hostile):
    compare(hostile, lambda client, twin: client.get(f"/documents/{twin.documents[0]}/near"))
    compare(hostile, lambda client, twin: client.get(f"/documents/{twin.documents[0]}/beside/{twin.documents[1]}"))


def test_texts_one_by_one(hostile):
    site, evil, _ = hostile
    with signed_in(site, evil.secret) as client:
        html = client.get("/documents?collection=texts").text
        found = [*links(html, "tbody a"), *links(client.get(links(html, "a[rel=next]")[0]).text, "tbody a")]
        assert len(found) == len(SENDABLE)
        for link in found:
            shown = client.get(link).text
            census(shown)
            assert "old harbour" in shown


def test_searches_with_each_payload(hostile):
    site, evil, mild = hostile
    with signed_in(site, evil.secret) as one, signed_in(site, mild.secret) as other:
        guards = token_of(one), token_of(other)
        for bundle in BUNDLES:
            for client, guard in ((one, guards[0]), (other, guards[1])):
                html = client.post("/search", data={"csrf": guard, "text": text_with(bundle)}).text
                assert census(html)["mark"] > 0


def test_what_was_typed_comes_back_as_text(hostile):
    site, evil, _ = hostile
    facts = ("name", "collection", "text", "labels", "url", "contact", "date")
    with signed_in(site, evil.secret) as client:
        guard = token_of(client)
        for bundle in BUNDLES:
            forms = (
                ("/search", {"text": "", "format": bundle}),
                ("/search", {"text": bundle, "format": bundle}),
                ("/check", dict.fromkeys(("text", "format", "exclude_sources", "exclude_labels", "min_words"), bundle)),
                ("/documents/add", dict.fromkeys(facts, bundle)),
                ("/registry", {"text": bundle}),
            )
            for path, fields in forms:
                answer = client.post(path, data={"csrf": guard, **fields})
                assert census(answer.text)["textarea"] == 1
            census(client.get("/lost-and-found", params={"url": bundle}).text)
            census(client.get("/documents", params={"begins": bundle, "collection": "main"}).text)
            census(client.get("/sign-in", params={"next": bundle, "said": bundle}).text)


def test_names_of_files_in_every_way_they_are_reported(hostile):
    site, evil, mild = hostile
    with signed_in(site, evil.secret) as one, signed_in(site, mild.secret) as other:
        pages = []
        for client, payloads in ((one, PAYLOADS), (other, MILD)):
            made = io.BytesIO()
            with zipfile.ZipFile(made, "w") as archive:
                for place in NAMES:
                    archive.writestr(f"class/{place:02} {payloads[place].replace('/', '_')}/a.txt", "x")
            sent = {"submissions": ("class.zip", made.getvalue())}
            answer = client.post("/compare", data={"csrf": token_of(client)}, files=sent)
            pages.append(client.get(answer.headers["location"]).text)
        assert census(pages[0]) == census(pages[1])
        for place in FACTS[::8]:
            for field, path in (("files", "/documents/add"), ("file", "/search"), ("submissions", "/compare")):
                sent = {field: (PAYLOADS[place], b"%PDF-1.4 broken")}
                answer = one.post(path, data={"csrf": token_of(one)}, files=sent, follow_redirects=True)
                census(answer.text)


def test_jobs_that_failed_or_found_clusters(hostile):
    site, evil, _ = hostile
    with signed_in(site, evil.secret) as client:
        for bundle in BUNDLES:
            census(client.get(f"/jobs/{fill_job(site, 'evil', bundle)}").text)
        mine, theirs = clusters_job(site, "evil", PAYLOADS[:20]), clusters_job(site, "evil", MILD[:20])
        pages = [client.get(f"/jobs/{job}").text for job in (mine, theirs)]
        assert census(pages[0]) == census(pages[1])


def test_registry_and_lost_and_found(hostile):
    site, evil, _ = hostile
    with signed_in(site, evil.secret) as client:
        guard = token_of(client)
        texts = (TIDES.replace("harbour", "tideour"), TIDES.replace("tide", "bide").replace("harbour", "bideour"))
        pages = [client.post("/registry", data={"csrf": guard, "text": text * 2}).text for text in texts]
        assert "registered document" in pages[0]
        assert census(pages[0]) == census(pages[1])
        pages = [
            client.get("/lost-and-found", params={"url": f"http://{word}.example/"}).text for word in ("tide", "bide")
        ]
        assert "have a version of it" in pages[0]
        census(pages[0])


def test_pages_of_admins(hostile):
    site, _, _ = hostile
    with signed_in(site, site.admin) as client:
        for path in (
            "/admin/tokens",
            "/admin/usage",
            "/admin/audit",
            "/admin/deletions",
            "/admin/retention",
            "/documents",
            "/jobs",
        ):
            census(client.get(path).text)
        for token in site.context.tokens.listed()[::5]:
            census(client.get(f"/admin/tokens/{token.id}/revoke").text)
        guard = token_of(client)
        for bundle in BUNDLES:
            fields = dict.fromkeys(("label", "tenant", "days", "name", "person"), bundle)
            for path in ("/admin/tokens", "/admin/retention", "/admin/people"):
                answer = client.post(path, data={"csrf": guard, **fields, "scopes": [bundle]})
                assert answer.status_code in (404, 422)
                census(answer.text)
        for payload in PAYLOADS[::9]:
            made = client.post("/admin/tokens", data={"csrf": guard, "label": payload, "scopes": "search"})
            census(made.text)


def test_names_are_read_as_they_are(hostile):
    site, evil, _ = hostile
    with signed_in(site, evil.secret) as client:
        for number, place in list(zip(evil.documents, FACTS, strict=True))[::6]:
            heading = first(client.get(f"/documents/{number}").text, "h1").text()
            if PAYLOADS[place].isascii():
                assert heading == f"{place:02} {PAYLOADS[place]}"


def test_in_a_browser_nothing_runs(browser: Browser, hostile):
    """Pages with all payloads together, used as people use them."""
    site, evil, _ = hostile
    context = context_of(browser, site, evil.secret)
    page, watch = watched(context, site)
    for path in ("/documents", "/documents?collection=texts", f"/documents/{evil.documents[0]}", "/jobs"):
        page.goto(path)
        assert page.evaluate("window.__xss") is None
    page.goto("/")
    page.locator("#text").fill("\n".join(PAYLOADS[place] for place in SENDABLE) + TIDES)
    page.locator("#go").click()
    page.locator("#results .hit").first.wait_for()
    for mark in page.locator(".side mark").all()[:4]:
        mark.click()
    assert page.evaluate("window.__xss") is None
    page.goto("/documents/add")
    page.locator("#text").fill("\n".join(PAYLOADS[place] for place in SENDABLE))
    page.locator("#name").fill(PAYLOADS[0])
    page.locator("main button.primary").click()
    page.wait_for_load_state()
    assert page.evaluate("window.__xss") is None
    context.close()
    assert watch.faults == []
