"""Threads that make calls for another one, which may be interrupted at any moment."""

import subprocess
import sys
from threading import Event

import pytest

from whorl.threads import Threads

# Each program is interrupted some thousand times, at any moment, and then works on and ends.
INTERRUPTED = """
import random, time
from tests.interrupts import interrupted
{setup}
def seconds():
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
usual, draw = min(seconds() for _ in range(20)), random.Random(3)
came = 0
while came < 2000:
    came += interrupted(work, draw.uniform(1e-6, usual))
    work()
"""
PREFETCH = """
from whorl.threads import Prefetch
def work():
    with Prefetch(2) as ahead:
        assert list(ahead.map(abs, range(6))) == list(range(6))
"""
SANDBOX = """
from whorl.sandbox.pool import Sandbox
sandbox = Sandbox(2)
def work():
    assert sandbox.call("operator:neg", 1) == -1
    assert [outcome.result() for outcome in sandbox.map("operator:neg", [(1,)] * 6)] == [-1] * 6
"""


@pytest.mark.parametrize("setup", [PREFETCH, SANDBOX], ids=["prefetch", "sandbox"])
def test_interrupts_leave_nothing_stuck(setup):
    """What hangs is killed in the end, which fails."""
    program = [sys.executable, "-c", INTERRUPTED.format(setup=setup)]
    assert subprocess.run(program, capture_output=True, timeout=300, check=False).returncode == 0


def test_each_call_has_its_own_answer():
    with Threads(3) as threads:
        answers = [threads.submit(divmod, number, 7) for number in range(50)]
        assert [answer.take() for answer in answers] == [divmod(number, 7) for number in range(50)]


def test_an_error_is_raised_where_the_answer_is_taken():
    with Threads(1) as threads:
        wrong, right = threads.submit(int, "seven"), threads.submit(int, "7")
        assert right.take() == 7
        assert wrong.is_given()
        with pytest.raises(ValueError, match="seven"):
            wrong.take()
        assert not wrong.is_given()


def test_what_has_begun_ends_and_what_has_not_is_dropped(monkeypatch):
    begun, closing, done, threads = Event(), Event(), [], Threads(1)
    join = threads._crew.join

    def told():
        closing.set()
        return join()

    monkeypatch.setattr(threads._crew, "join", told)

    def slow():
        begun.set()
        closing.wait()
        done.append("slow")

    threads.submit(slow)
    threads.submit(done.append, "dropped")
    begun.wait()
    threads.close()
    threads.close()
    assert done == ["slow"]


def test_threads_that_nobody_closed_end():
    threads = Threads(2)
    crew = threads._crew
    assert threads.submit(int, "7").take() == 7
    del threads
    assert crew.join(60)
