import errno
import os
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from tests.service.harness import prose, running, settings_in
from tests.service.stage import until
from whorl.errors import InputError, StoreIOError
from whorl.index.index import Index
from whorl.service.admission import PACED_AHEAD, REMEMBERED, BytePacer, DeletionReserve, Pool, RateLimiter
from whorl.service.context import RESERVE, Context
from whorl.service.database import ServiceDatabaseError
from whorl.service.middleware import GONE, LOG
from whorl.service.problems import PROBLEM_MEDIA, Problem, disk_full, problem_of
from whorl.service.runner import LOCK
from whorl.storage.folder import writing


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    buckets = RateLimiter(2.0, 3, clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.take("b") == 0
    clock.time = 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 1]
    clock.time = 100
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_buckets_of_strangers_do_not_pile_up() -> None:
    buckets = RateLimiter(1.0, 1, Clock())
    for number in range(REMEMBERED + 100):
        buckets.take(str(number))
    assert len(buckets._buckets) == REMEMBERED


def test_bytes_come_at_a_pace_that_all_bodies_of_a_tenant_share() -> None:
    clock = Clock()
    pacer = BytePacer(100.0, clock)
    assert pacer.delay("a", int(100 * PACED_AHEAD)) == 0
    assert pacer.delay("a", 100) == pytest.approx(1)
    assert pacer.delay("a", 50) == pytest.approx(1.5)
    assert pacer.delay("b", int(100 * PACED_AHEAD)) == 0
    clock.time = 100
    assert pacer.delay("a", int(100 * PACED_AHEAD)) == 0
    for number in range(REMEMBERED + 100):
        pacer.delay(str(number), 1)
    assert len(pacer._due) == REMEMBERED


def test_an_answer_that_comes_before_a_large_body_ends_the_connection(tmp_path) -> None:
    head = "POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n"
    with running(settings_in(tmp_path)) as service:
        for length, is_closed in ((10 << 20, True), (100, False)):
            with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
                connection.sendall(head.format(length).encode())
                answer = b""
                while b"A token is needed" not in answer:
                    answer += connection.recv(1 << 16)
            assert answer.startswith(b"HTTP/1.1 401 ")
            assert (b"connection: close" in answer) == is_closed


def test_whoever_comes_when_as_many_wait_as_may_hears_so_at_once() -> None:
    pool = Pool(object, 1, 1)
    held, release, waited = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        with pool.borrowed():
            held.set()
            release.wait(30)

    def wait() -> None:
        with pool.borrowed():
            waited.set()

    threads = [threading.Thread(target=hold), threading.Thread(target=wait)]
    threads[0].start()
    held.wait(30)
    threads[1].start()
    while not pool.waits:
        time.sleep(0.001)
    with pytest.raises(Problem, match="busy"), pool.expected(None):
        pass
    with pytest.raises(Problem) as refused, pool.borrowed():
        pass
    assert refused.value.status == 429
    assert refused.value.retry_after
    release.set()
    for thread in threads:
        thread.join()
    assert waited.is_set()
    assert len(pool.free()) == 1


def test_whoever_waits_longest_comes_first() -> None:
    pool, served = Pool(object, 1, 8), list[int]()

    def wait(number: int) -> None:
        with pool.borrowed():
            served.append(number)

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(8)]
    with pool.borrowed():
        for number, thread in enumerate(threads, 1):
            thread.start()
            while pool.waits < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert served == list(range(8))
    assert pool.waits == 0


def test_what_cannot_be_opened_leaves_its_place() -> None:
    attempts = iter([OSError("no"), None])

    def opener() -> object:
        if (error := next(attempts)) is not None:
            raise error
        return object()

    pool = Pool(opener, 1, 1)
    with pytest.raises(OSError, match="no"), pool.borrowed():
        pass
    with pool.borrowed() as item:
        assert item is not None


def test_a_token_that_asks_too_often_is_429_and_others_are_not(tmp_path) -> None:
    with running(settings_in(tmp_path, rate=0.01, burst=5)) as service:
        with service.client(service.acme) as acme:
            answers = [acme.get("/collections") for _ in range(8)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
        assert int(answers[-1].headers["retry-after"]) > 1
        with service.client(service.bolt) as bolt:
            assert bolt.get("/collections").status_code == 200


def test_wrong_tokens_of_an_address_are_limited_and_the_right_one_still_works(tmp_path) -> None:
    with running(settings_in(tmp_path, failures=3, failures_minute=0.01)) as service:
        with service.client("whorl_wrong") as guesser:
            codes = [guesser.get("/documents").status_code for _ in range(5)]
        assert codes == [401] * 3 + [429] * 2
        with service.client(service.acme) as acme:
            assert acme.get("/documents").status_code == 200


def test_beyond_capacity_is_429_and_never_5xx(tmp_path) -> None:
    with running(settings_in(tmp_path, threads=1, waiting=1)) as service:
        with service.client(service.acme) as acme:
            acme.post("/documents", json={"name": "x", "text": prose(700, 20_000)})
        codes: list[int] = []

        def ask() -> None:
            with service.client(service.acme) as client:
                codes.extend(client.post("/search", json={"text": prose(700, 20_000)}).status_code for _ in range(3))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(codes) == {200, 429}


def test_a_tenant_that_asks_without_end_keeps_nobody_out() -> None:
    """It never has all of the things nor all of the places to wait, and the others come first."""
    pool, served, release = Pool(object, 2, 8), list[str](), threading.Event()

    def use(tenant: str) -> None:
        with pool.borrowed(tenant):
            served.append(tenant)
            release.wait(30)

    greedy = [threading.Thread(target=use, args=("acme",)) for _ in range(5)]
    for number, thread in enumerate(greedy):
        thread.start()
        while len(served) + pool.waits < number + 1:
            time.sleep(0.001)
    assert (served, pool.waits) == (["acme"], 4)  # one of two things, and half of the places
    with pytest.raises(Problem) as refused, pool.borrowed("acme"):
        pass
    assert refused.value.status == 429
    with pool.borrowed("bolt"):
        late = threading.Thread(target=use, args=("cora",))
        late.start()
        while pool.waits < 5:
            time.sleep(0.001)
    while len(served) < 2:
        time.sleep(0.001)
    assert served == ["acme", "cora"]  # before the four that waited longer
    release.set()
    for thread in (*greedy, late):
        thread.join()
    assert len(served) == 6


def test_what_is_added_later_is_given_to_whoever_waits_and_preferred_from_then_on() -> None:
    pool, served = Pool[str](lambda: "opened", 2, 8), list[str]()

    def use() -> None:
        with pool.borrowed("acme") as item:
            served.append(item)

    waiting = threading.Thread(target=use)
    with pool.borrowed("cora"), pool.borrowed("bolt"):
        waiting.start()
        while not pool.waits:
            time.sleep(0.001)
        pool.add("first")
        waiting.join()
        assert served == ["first"]
        pool.add("second")
        assert (pool.size, pool.most) == (4, 12)
    with pool.borrowed("acme") as first, pool.borrowed("acme") as second, pool.borrowed("bolt") as third:
        assert ({first, second}, third) == ({"first", "second"}, "opened")
    assert sorted(pool.free()) == ["first", "opened", "opened", "second"]


def test_no_more_are_expected_of_a_tenant_than_may_wait() -> None:
    """Whatever is received for the others would be refused once it is there."""
    pool = Pool(object, 2, 8)
    with ExitStack() as coming:
        for _ in range(4):  # half of the places
            coming.enter_context(pool.expected("acme"))
        with pytest.raises(Problem) as refused, pool.expected("acme"):
            pass
        assert refused.value.status == 429
        with pool.borrowed("acme"), pool.borrowed("bolt"), pool.expected("bolt"):
            pass  # those who are expected keep nothing from anybody
    with pool.expected("acme"):
        pass


def test_a_disk_that_is_nearly_full_takes_nothing_in_and_answers_searches(tmp_path) -> None:
    settings = settings_in(tmp_path)
    with running(settings) as service, service.client(service.acme) as acme:
        assert acme.post("/documents", json={"name": "a", "text": prose(1)}).status_code == 201
    with running(replace(settings, disk_reserve=1 << 62)) as service, service.client(service.acme) as acme:
        refused = [
            acme.post("/documents", json={"name": "b", "text": prose(2)}),
            acme.post("/comparisons", files=[("submissions", (f"{name}.txt", prose(3).encode())) for name in "ab"]),
            acme.post("/clusters", json={}),
            acme.put("/collections/new", json={"retention_days": 3}),
        ]
        with service.client(service.admin) as admin:
            refused.append(admin.post("/tokens", json={"scopes": ["search"]}))
        assert {(answer.status_code, answer.headers["retry-after"]) for answer in refused} == {(503, "600")}
        assert {answer.json()["detail"] for answer in refused} == {disk_full().detail}
        assert [hit["document"]["name"] for hit in acme.post("/search", json={"text": prose(1)}).json()["hits"]] == [
            "a"
        ]
        number = acme.get("/documents").json()["documents"][0]["id"]
        assert acme.delete(f"/documents/{number}").status_code in (200, 202)  # so that room can be made


def test_health_says_that_the_disk_cannot_be_written(tmp_path, monkeypatch) -> None:
    def read_only(path, *rest, opened=os.open):
        if Path(path).name == LOCK:
            raise OSError(errno.EROFS, "Read-only file system")
        return opened(path, *rest)

    with running(settings_in(tmp_path)) as service, service.client() as anybody:
        assert anybody.get("/health").status_code == 200
        with monkeypatch.context() as patched:
            patched.setattr("whorl.service.context.os.open", read_only)
            answer = anybody.get("/health")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "600")
    assert answer.json()["detail"] == "The disk of the service cannot be written: Read-only file system."


def test_a_deletion_has_room_when_nothing_is_free(tmp_path, monkeypatch) -> None:
    free = 1 << 40
    monkeypatch.setattr("whorl.service.context.free_bytes", lambda _: free)
    settings = settings_in(tmp_path)
    reserve = settings.index / RESERVE
    with running(settings) as service, service.client(service.acme) as acme:
        assert reserve.stat().st_blocks * 512 >= DeletionReserve.SIZE
        numbers = [
            acme.post("/documents", json={"name": name, "text": prose(1)}).json()["document"]["id"] for name in "ab"
        ]
        assert acme.delete(f"/documents/{numbers[0]}").status_code == 200
        assert reserve.exists()
        free = 0
        assert acme.post("/documents", json={"name": "c", "text": prose(2)}).status_code == 503
        assert reserve.exists()  # only deletions may use it
        assert acme.delete(f"/documents/{numbers[1]}").status_code == 200
        assert not reserve.exists()
        free = 1 << 40
        assert acme.put("/collections/new", json={}).status_code == 200
        assert reserve.exists()
        with pytest.raises(InputError, match="another server"), running(settings):
            pass
        assert reserve.exists()  # the server that was refused left it
    assert not reserve.exists()


def test_a_full_database_is_told_as_a_full_disk(tmp_path, caplog) -> None:
    with running(settings_in(tmp_path)) as service, service.client(service.acme) as acme:
        service.context.database._writer.rows("PRAGMA max_page_count = 1")
        while (answer := acme.put("/collections/full", json={})).status_code == 200:
            pass  # until the page of the audit log is full
        assert (answer.json()["detail"], answer.headers["retry-after"]) == (disk_full().detail, "600")
    (line,) = [each for each in caplog.records if each.name == LOG.name]
    assert "PUT /api/v1/collections/full: " in line.getMessage()
    assert "database or disk is full" in line.getMessage()
    assert line.exc_info is None


@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        (MemoryError(), 422, "too much memory"),
        (OSError(errno.ENOSPC, "No space left on device"), 503, "The disk of the service is full"),
        (OSError(errno.EIO, "Input/output error"), 500, "An internal error"),
    ],
    ids=["memory", "disk", "other"],
)
def test_a_shortage_of_the_machine_is_reported(service, monkeypatch, fault, status, message) -> None:
    def refuse(*_):
        raise fault

    monkeypatch.setattr(Context, "check_room", refuse)
    with service.client(service.acme) as acme:
        answer = acme.put("/collections/lacking", json={})
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM_MEDIA)
    assert message in answer.json()["detail"]


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (BlockingIOError(errno.EAGAIN, "locked"), "Another process is writing"),
        (apsw.BusyError("locked"), "Another process is writing"),
        (OSError(errno.EFBIG, "File too large"), "A disk or database error"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "The disk of the service is full"),
    ],
)
def test_only_a_lock_is_reported_as_one(cause, message) -> None:
    for error in (StoreIOError(Path("index.sqlite"), "write", "reason"), ServiceDatabaseError(Path("x"), "reason")):
        error.__cause__ = cause
        problem = problem_of(error)
        assert problem.status == 503
        assert problem.detail.startswith(message)


def test_a_database_that_a_full_disk_keeps_from_being_opened_says_so(tmp_path, monkeypatch) -> None:
    """SQLite calls it a disk I/O error."""

    def refuse(*_: object) -> None:
        error = apsw.IOError("disk I/O error")
        error.extendedresult = apsw.SQLITE_IOERR_SHMSIZE  # type: ignore[attr-defined] # apsw sets it
        raise error

    settings = settings_in(tmp_path)
    monkeypatch.setattr("whorl.storage.connection.Connection.rows", refuse)
    with pytest.raises(StoreIOError, match="No space left on device") as refused:
        Index.open(settings.index)
    assert problem_of(refused.value).detail == disk_full().detail


def test_slow_requests_of_a_tenant_leave_connections_and_streams_to_others(tmp_path) -> None:
    with running(settings_in(tmp_path, connections=20, streams=4)) as service, ExitStack() as opened:
        service.context.runner.stop()  # its jobs wait
        acme, bolt = (opened.enter_context(service.client(token)) for token in (service.acme, service.bolt))
        follow = [f"/jobs/{each.post('/clusters', json={}).json()['id']}/events" for each in (acme, bolt)]
        for _ in range(2):
            assert opened.enter_context(acme.stream("GET", follow[0])).status_code == 200
        with acme.stream("GET", follow[0]) as third, bolt.stream("GET", follow[1]) as other:
            assert (third.status_code, other.status_code) == (429, 200)
        head = f"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.acme}\r\n"
        for _ in range(18):  # all but those that are kept for requests with a token
            slow = opened.enter_context(socket.create_connection(("127.0.0.1", service.port)))
            slow.sendall((head + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{").encode())
        until(lambda: acme.get("/documents").status_code == 429)
        assert bolt.get("/documents").status_code == 200
    with running(settings_in(tmp_path / "again", connections=2)) as service, service.client(service.acme) as acme:
        assert {acme.get("/documents").status_code for _ in range(5)} == {200}  # what has ended holds nothing


def test_the_index_says_that_its_lock_is_held(tmp_path) -> None:
    settings = settings_in(tmp_path)
    with writing(settings.index / "lock", 1), pytest.raises(StoreIOError) as held, writing(settings.index / "lock", 0):
        pass
    assert problem_of(held.value).detail.startswith("Another process is writing")


def test_an_index_that_was_moved_away_is_told_as_that_and_not_as_damaged(tmp_path) -> None:
    with running(settings_in(tmp_path)) as service, service.client(service.acme) as acme:
        assert acme.get("/documents").status_code == acme.get("/health").status_code == 200
        service.context.settings.index.rename(tmp_path / "elsewhere")
        searches = [acme.post("/search", json={"text": prose(2, words)}) for words in (400, 40_000)]
        changes = [acme.post("/documents", json={"name": "a", "text": prose(1)}), acme.post("/clusters", json={})]
        answers = [acme.get("/health"), *searches, *changes]
        (tmp_path / "elsewhere").rename(service.context.settings.index)
    assert [answer.status_code for answer in answers] == [503] * 5
    assert all(answer.json()["detail"].startswith("The index was removed or replaced") for answer in answers)


@pytest.mark.parametrize(
    ("proxies", "address"),
    [((), "127.0.0.1"), (("10.9.8.7",), "127.0.0.1"), (("127.0.0.1",), "203.0.113.9")],
    ids=["nobody is trusted", "another is trusted", "the sender is trusted"],
)
def test_only_a_trusted_proxy_says_where_a_request_comes_from(tmp_path, proxies, address) -> None:
    with running(settings_in(tmp_path, proxies=proxies)) as service, service.client("whorl_wrong") as stranger:
        assert stranger.get("/documents", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 401
        assert service.context.audit.listed(None, everyone=True)[0].address == address


def test_a_client_that_leaves_before_its_body_is_complete_is_no_fault_of_the_service(tmp_path, caplog) -> None:
    with running(settings_in(tmp_path)) as service:
        with socket.create_connection(("127.0.0.1", service.port)) as leaving:
            head = f"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.acme}\r\n"
            leaving.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode())
            leaving.recv(0)
        counted = f'status="{GONE}"'
        with service.client(service.admin) as admin:
            until(lambda: counted in admin.get("/metrics").text)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
