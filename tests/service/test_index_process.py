"""Large searches, documents and bodies in a process of their own: the same answers, and nothing left behind."""

import os
import signal
import time
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from types import SimpleNamespace

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.requests import Request

import whorl
from tests.service.harness import Running, prose, settings_in
from tests.service.stage import PATIENCE, is_alive
from whorl.index.prepare import Prepared
from whorl.service import documents, search
from whorl.service.api import bodies
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.documents import LARGE, NewDocument
from whorl.service.index_process import NICENESS, IndexProcess
from whorl.service.problems import Problem
from whorl.service.search import SearchQuery
from whorl.service.tenant_index import IndexQuery

# A text that is large, of which two documents have a part; a third is another owner's.
TEXTS = [prose(number, 3000) for number in range(3)]
QUERY = "\n".join([TEXTS[0], prose(9, 30_000), TEXTS[1], TEXTS[2]])


# Bytes of memory of a process: enough for all texts here but one.
MEMORY = 256 << 20


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    settings = settings_in(tmp_path_factory.mktemp("index"))
    with whorl.Index.open(settings.index) as index:
        for number, (owner, text) in enumerate(zip(("acme", "acme", "bolt"), TEXTS, strict=True)):
            index.add(whorl.Document(f"{owner}/main/{number}", text, owner=owner, contact="b@example.org"))
    context = Context(settings)  # not started: it runs no jobs
    yield context
    context.close()


@pytest.fixture
def acme(context) -> Principal:
    return tenant_of(context, "acme")


def tenant_of(context: Context, name: str) -> Principal:
    scopes = frozenset({TokenScope.SEARCH, TokenScope.ADD})
    return Principal.of(context.tokens.create(name, scopes, "test")[0], None, "")


def in_server(monkeypatch) -> None:
    """Let the server's process read everything itself, and no other."""

    def refuse(*_):
        raise AssertionError("a process was asked for")

    monkeypatch.setattr(Context, "in_process", refuse)
    for module in (search, documents):
        monkeypatch.setattr(module, "LARGE", 1 << 40)


@pytest.mark.parametrize("options", [{}, {"limit": 1}, {"passages": False}, {"window": 100}, {"look_ups": 50}])
def test_a_large_search_gives_the_same_answer_to_the_letter(context, acme, monkeypatch, options) -> None:
    query = SearchQuery(content=QUERY, **options)
    assert len(QUERY) > LARGE
    answer = search.search(context, acme, query)
    in_server(monkeypatch)
    assert search.search(context, acme, query) == answer
    assert answer.text == QUERY
    assert len(answer.hits) == min(2, query.limit)
    assert bool(answer.hits[0].passages) == query.passages


def test_what_is_reported_of_others_is_the_same(context, acme, monkeypatch) -> None:
    query = SearchQuery(content=TEXTS[2])
    monkeypatch.setattr(search, "LARGE", 100)
    answer = search.search(context, acme, query)
    for table in ("foreign_queries", "foreign_documents"):  # else the first answer would be given again
        context.database.write(f"DELETE FROM {table}")
    in_server(monkeypatch)
    assert search.search(context, acme, query) == answer
    assert [match.level for match in answer.foreign] == ["most"]


def test_a_small_query_that_meets_large_documents_is_read_elsewhere(context, acme, monkeypatch) -> None:
    monkeypatch.setattr(search, "LARGE", 10_000)  # the documents have more, the query has less
    query = SearchQuery(content=TEXTS[0][:5000])
    asked, call = list[str](), IndexProcess.call

    def noted(process, target, *given):
        asked.append(target)
        return call(process, target, *given)

    monkeypatch.setattr(IndexProcess, "call", noted)
    answer = search.search(context, acme, query)
    assert asked == ["whorl.service.search:find_hits"]
    in_server(monkeypatch)
    assert search.search(context, acme, query) == answer
    assert answer.hits[0].passages


def test_near_duplicates_of_a_large_document_are_the_same(context, acme, monkeypatch) -> None:
    monkeypatch.setattr(search, "LARGE", 1000)
    near = search.near_duplicates(context, acme, 1, threshold=0.0)
    in_server(monkeypatch)
    assert search.near_duplicates(context, acme, 1, threshold=0.0) == near


def test_a_large_document_is_prepared_alike(context, acme) -> None:
    document = whorl.Document("acme/main/large", QUERY, owner="acme")
    with context.opened() as index:
        here = documents.prepare_document(index, document, False)
    with context.in_process(acme) as process:
        there = process.call("whorl.service.documents:prepare_document", document, False)
    assert here == there
    assert isinstance(here[1], Prepared)
    new = NewDocument(name="large", content=QUERY)
    added = documents.add_document(context, acme, new)
    assert added.state == "added"
    assert documents.add_document(context, acme, new) == replace(added, state="unchanged")
    assert documents.read_text(context, acme, added.document.id) == QUERY
    documents.delete_document(context, acme, added.document.id)


def test_a_fault_is_the_same_problem(context, acme, monkeypatch) -> None:
    query = SearchQuery(content=QUERY, look_ups=0)
    with pytest.raises(Problem) as elsewhere:
        search.search(context, acme, query)
    in_server(monkeypatch)
    with pytest.raises(whorl.WhorlError) as here:
        search.search(context, acme, query)
    assert (elsewhere.value.status, elsewhere.value.detail) == (422, str(here.value))


@pytest.fixture
def crowded(tmp_path):
    """A context of two threads, of which a tenant may have one."""
    settings = settings_in(tmp_path, threads=2)
    with whorl.Index.open(settings.index) as index:
        index.add(whorl.Document("acme/main/0", TEXTS[0], owner="acme"))
    context = Context(settings)
    yield context
    context.close()


def waiting_search(context: Context, principal: Principal, query: SearchQuery) -> Thread:
    """Begin a search that has to wait."""
    before = context.waiting
    thread = Thread(target=search.search, args=(context, principal, query))
    thread.start()
    while context.waiting == before:
        time.sleep(0.001)
    return thread


def test_further_processes_answer_while_others_wait(crowded, monkeypatch) -> None:
    acme = tenant_of(crowded, "acme")
    query, small = SearchQuery(content=TEXTS[0][:5000]), SearchQuery(content=TEXTS[0][:3000])
    answer = search.search(crowded, acme, query)
    asked, call = list[str](), IndexProcess.call

    def noted(process, target, *given):
        asked.append(target.rpartition(":")[2])
        assert process._niceness == 0
        return call(process, target, *given)

    monkeypatch.setattr(IndexProcess, "call", noted)
    with crowded.searching(tenant_of(crowded, "bolt")), crowded.searching(tenant_of(crowded, "cora")):
        waits = waiting_search(crowded, acme, small)
        assert not asked
        assert search.search(crowded, acme, query) == answer  # the first who meets one that waits asks for more
        waits.join()
        new = NewDocument(name="later", content=prose(77))
        added = documents.add_document(crowded, acme, new)
        assert added.state == "added"
        found = search.search(crowded, acme, SearchQuery(content=prose(77)))
        assert [hit.document.id for hit in found.hits] == [added.document.id]
        assert asked == ["adopt_owners", "find_hits", "find_hits", "prepare_document", "find_hits"]
        asked.clear()
        (process,) = crowded._searchers._added
        os.kill(process._process.pid, signal.SIGKILL)
        with pytest.raises(Problem, match="process of this request ended"):
            search.search(crowded, acme, query)
        assert search.search(crowded, acme, query) == answer
    assert asked == ["find_hits", "find_hits", "adopt_owners"]


def test_a_small_query_that_a_further_process_finds_large_is_read_at_a_low_priority(crowded) -> None:
    process = IndexProcess(crowded.settings.index, MEMORY, 0)
    try:
        query = IndexQuery(document=whorl.Document("query", TEXTS[0][:5000]), tenant="acme")
        assert process.call("whorl.service.search:find_hits", tenant_of(crowded, "acme"), query, True, 5000) is None
        assert process.call("whorl.service.search:find_hits", tenant_of(crowded, "acme"), query, True) is not None
    finally:
        process.close()


def test_where_no_further_process_can_be_started_the_threads_go_on(crowded, monkeypatch, caplog) -> None:
    def refuse(*_):
        raise Problem(503, "no process")

    monkeypatch.setattr(IndexProcess, "call", refuse)
    acme = tenant_of(crowded, "acme")
    with crowded.searching(acme):
        threads = [waiting_search(crowded, acme, SearchQuery(content=TEXTS[0][:3000])) for _ in range(3)]
        while "no further process for searches" not in caplog.text:
            time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert crowded._searchers.size == 2


@pytest.fixture
def process(context):
    process = IndexProcess(context.settings.index, MEMORY)
    yield process
    process.close()


def pid_of(process: IndexProcess) -> int:
    """Return the number of the process, after it has answered something."""
    document = whorl.Document("acme/main/small", TEXTS[0], owner="acme")
    assert process.call("whorl.service.documents:prepare_document", document, False)[0] is None
    assert process._process is not None
    return process._process.pid


def test_a_killed_process_is_reported_and_replaced(process, caplog) -> None:
    killed = pid_of(process)
    os.kill(killed, signal.SIGKILL)
    with pytest.raises(Problem) as died:
        pid_of(process)
    assert died.value.status == 503
    assert "prepare_document: its process was killed (signal 9); the machine may be out of memory" in caplog.text
    assert not is_alive(killed)
    assert pid_of(process) != killed


def test_a_text_that_needs_too_much_memory_is_refused_and_the_process_goes_on(process, acme) -> None:
    pid = pid_of(process)
    query = IndexQuery(document=whorl.Document("query", f"{prose(1, 30_000)} " * 150), tenant="acme")
    with pytest.raises(Problem, match="too much memory") as refused:
        process.call("whorl.service.search:find_hits", acme, query, False)
    assert refused.value.status == 422
    assert pid_of(process) == pid


def test_a_fault_of_the_program_is_reported_and_the_process_goes_on(process) -> None:
    pid = pid_of(process)
    with pytest.raises(Problem) as failed:
        process.call("whorl.service.documents:prepare_document", None, False)
    assert failed.value.status == 500
    assert pid_of(process) == pid


def test_it_gives_way_and_ends_with_its_server(process) -> None:
    niceness = os.getpriority(os.PRIO_PROCESS, pid_of(process))
    assert niceness == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    process._connection.close()  # as the system does when the server dies
    assert process._process.wait(PATIENCE) == 0


@pytest.mark.parametrize("length", [b"1000000", b""], ids=["announced", "not announced"])
def test_a_large_body_waits_for_room_and_is_refused_before_it_is_read(context, acme, monkeypatch, length) -> None:
    looks: list[int] = []

    @contextmanager
    def refuse(*_):
        looks.append(1)
        if len(looks) < 3:
            raise Problem(429, "busy")
        yield

    async def read() -> None:
        scope = {"type": "http", "path": "/api/v1/search", "headers": [(b"content-length", length)] if length else []}
        request = Request({**scope, "app": SimpleNamespace(state=SimpleNamespace(context=context))})
        request.state.principal = acme
        async with bodies.expected(request):
            assert len(looks) == 3

    monkeypatch.setattr(Context, "expecting_process", refuse)
    monkeypatch.setattr(bodies, "ROOM_LOOK", 0.0)
    with start_blocking_portal() as portal:
        portal.call(read)
        assert len(looks) == 3
        looks.clear()
        context.waiting_bodies["acme"] = bodies.MOST_WAITING  # connections are for everybody
        with pytest.raises(Problem, match="busy"):
            portal.call(read)
        assert len(looks) == 1
        assert context.waiting_bodies.pop("acme") == bodies.MOST_WAITING
        looks.clear()
        monkeypatch.setattr(bodies, "ROOM_SECONDS", 0.0)
        with pytest.raises(Problem, match="busy"):
            portal.call(read)
        assert len(looks) == 1
    assert not context.waiting_bodies


def test_a_large_body_is_answered_over_http(service: Running) -> None:
    with service.client(service.acme) as acme:
        acme.post("/documents", json={"name": "part of a large one", "text": TEXTS[0]})
        answer = acme.post("/search", json={"text": QUERY})
        assert answer.status_code == 200
        assert answer.json()["hits"][0]["document"]["name"] == "part of a large one"
        assert acme.post("/search", content=b'{"text": "' + b"x" * LARGE, headers=JSON).status_code == 422


JSON = {"Content-Type": "application/json"}


def test_what_fails_to_stop_keeps_nothing_else_open(crowded, monkeypatch) -> None:
    with crowded.in_process(tenant_of(crowded, "acme")) as process:
        pid = pid_of(process)

    def refuse() -> None:
        raise OSError("it does not stop")

    monkeypatch.setattr(crowded.runner, "stop", refuse)
    with pytest.raises(OSError, match="does not stop"):
        crowded.close()
    assert not is_alive(pid)
