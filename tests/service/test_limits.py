import threading
import time

import pytest

from tests.service.harness import prose, running, settings_in
from whorl.service.admission import Pool
from whorl.service.limits import REMEMBERED, Buckets
from whorl.service.problems import Problem


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    buckets = Buckets(2.0, 3, clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.take("b") == 0
    clock.time = 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 1]
    clock.time = 100
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_buckets_of_strangers_do_not_pile_up() -> None:
    buckets = Buckets(1.0, 1, Clock())
    for number in range(REMEMBERED + 100):
        buckets.take(str(number))
    assert len(buckets._buckets) == REMEMBERED


def test_whoever_comes_when_as_many_wait_as_may_hears_so_at_once() -> None:
    pool = Pool(object, 1, 1)
    held, release, waited = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        with pool.taken():
            held.set()
            release.wait(30)

    def wait() -> None:
        with pool.taken():
            waited.set()

    threads = [threading.Thread(target=hold), threading.Thread(target=wait)]
    threads[0].start()
    held.wait(30)
    threads[1].start()
    while not pool.waits:
        time.sleep(0.001)
    with pytest.raises(Problem) as refused, pool.taken():
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
        with pool.taken():
            served.append(number)

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(8)]
    with pool.taken():
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
    with pytest.raises(OSError, match="no"), pool.taken():
        pass
    with pool.taken() as item:
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
