"""Order, look-ahead, threads, closing: the pool around the workers."""

import os
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sandbox.processes import eventually, marked
from whorl import sandbox as package
from whorl.errors import InputError, WhorlError
from whorl.sandbox import Limits, Outcome, Sandbox, SandboxError, WorkerFault, default_sandbox
from whorl.sandbox.pool import WorkerSlot

TARGETS = "tests.sandbox.targets:"


def test_the_public_names_are_those_declared():
    assert package.__all__ == sorted(package.__all__)
    assert dir(package) == package.__all__
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError):
        _ = package.Nothing


def test_map_keeps_the_order(marker):
    naps = [0.05, 0.0, 0.02, 0.0, 0.0, 0.03, 0.0]
    with Sandbox(workers=2) as sandbox:
        outcomes = list(sandbox.map(TARGETS + "nap", ((number, nap) for number, nap in enumerate(naps))))
    assert [outcome.result() for outcome in outcomes] == list(range(len(naps)))


def test_a_dead_worker_takes_one_task_with_it(marker):
    tasks = [(f"__import__('os')._exit({n})" if n % 4 == 3 else str(n),) for n in range(12)]
    with Sandbox(workers=2) as sandbox:
        outcomes = list(sandbox.map("builtins:eval", tasks))
    assert [outcome.fault is None for outcome in outcomes] == [n % 4 != 3 for n in range(12)]
    assert [outcome.value for outcome in outcomes if not outcome.fault] == [n for n in range(12) if n % 4 != 3]
    assert [outcome.fault.reason[-9:] for outcome in outcomes if outcome.fault] == [
        "status 3)",
        "status 7)",
        "tatus 11)",
    ]


def test_the_time_of_a_task_begins_when_it_runs(marker):
    """Although the next task is sent before this one is done."""
    with Sandbox(workers=1, limits=Limits(seconds=0.15)) as sandbox:
        sandbox.call("operator:add", 1, 2)
        assert not any(outcome.fault for outcome in sandbox.map("time:sleep", [(0.35,)] * 4))
        outcomes = list(sandbox.map("time:sleep", [(0,), (60,), (0,), (0,)]))
    assert [outcome.fault and outcome.fault.kind for outcome in outcomes] == [None, "timeout", None, None]


def test_large_results_and_tasks_sent_ahead_do_not_block_each_other(marker):
    with Sandbox(workers=2) as sandbox:
        sizes = [len(outcome.result()) for outcome in sandbox.map("builtins:bytes", [(5_000_000,)] * 12)]
        assert sizes == [5_000_000] * 12
        tasks = [(b"x" * (5_000_000 if number % 3 else 10),) for number in range(12)]
        assert [outcome.result() for outcome in sandbox.map("builtins:bytes", tasks)] == [data for (data,) in tasks]


def test_a_call_does_not_wait_for_the_end_of_a_map(marker):
    with Sandbox(workers=1) as sandbox, ThreadPoolExecutor(1) as threads:
        mapped = threads.submit(lambda: list(sandbox.map("time:sleep", [(0.05,)] * 25)))
        assert eventually(lambda: marked(marker))
        assert sandbox.call("operator:add", 1, 2) == 3
        assert not mapped.done()


def test_map_looks_ahead_only_a_little(marker):
    taken: list[int] = []

    def tasks():
        for number in range(100):
            taken.append(number)
            yield (number,)

    with Sandbox(workers=2) as sandbox:
        outcomes = sandbox.map(TARGETS + "double", tasks())
        assert not taken
        for number in range(20):
            assert next(outcomes).value == 2 * number
            assert len(taken) <= number + 6
        del outcomes
        assert sandbox.call(TARGETS + "double", 4) == 8


def test_an_iterable_that_raises_is_heard(marker):
    def tasks():
        yield (1,)
        raise KeyError("mine")

    with Sandbox(workers=1) as sandbox, pytest.raises(KeyError, match="mine"):
        list(sandbox.map(TARGETS + "double", tasks()))


def test_what_cannot_be_sent_is_heard(marker):
    with Sandbox(workers=1) as sandbox, pytest.raises(TypeError, match="cannot be sent"):
        list(sandbox.map(TARGETS + "double", [(object(),)]))


def test_workers_are_reused(marker):
    with Sandbox(workers=2) as sandbox:
        pids = {outcome.value for outcome in sandbox.map(TARGETS + "pid", [()] * 40)}
        assert len(pids) <= 2
        assert os.getpid() not in pids


def test_one_worker_is_started_for_one_caller(marker):
    with Sandbox(workers=4) as sandbox:
        assert not marked(marker)
        assert len({sandbox.call(TARGETS + "pid") for _ in range(10)}) == 1
        assert len(marked(marker)) == 1


def test_many_threads_share_a_sandbox(marker):
    def work(number):
        if number % 10 == 9:
            with pytest.raises(WorkerFault, match="status"):
                sandbox.call(TARGETS + "exit_now", 1)
        return sandbox.call(TARGETS + "double", number)

    with Sandbox(workers=2) as sandbox, ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(60))) == [2 * number for number in range(60)]


def test_a_worker_outlives_the_thread_that_started_it(marker):
    pids: list[int] = []
    with Sandbox(workers=1) as sandbox:
        thread = threading.Thread(target=lambda: pids.append(sandbox.call(TARGETS + "pid")))
        thread.start()
        thread.join()
        time.sleep(0.05)
        assert sandbox.call(TARGETS + "pid") == pids[0]


def test_closing_stops_busy_workers_and_those_who_wait(marker):
    sandbox = Sandbox(workers=1, limits=Limits(seconds=60))
    with ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(sandbox.call, TARGETS + "endless_in_c") for _ in range(3)]
        assert eventually(lambda: marked(marker))
        start = time.monotonic()
        sandbox.close()
        for call in calls:
            with pytest.raises(SandboxError, match="closed"):
                call.result()
        assert time.monotonic() - start < 30


def test_closing_again_does_nothing(marker):
    sandbox = Sandbox(workers=2)
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.call("operator:add", 1, 2)
    with pytest.raises(SandboxError, match="closed"):
        list(sandbox.map("operator:add", [(1, 2)]))


def test_a_close_that_was_interrupted_is_finished_by_the_next(marker, monkeypatch):
    sandbox = Sandbox(workers=1, limits=Limits(seconds=60))
    waiting = sandbox.begin(TARGETS + "wait_for_ever")
    assert eventually(lambda: marked(marker))

    def interrupted(_slot):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(WorkerSlot, "kill", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sandbox.close()
    assert marked(marker)
    sandbox.close()
    assert not marked(marker)
    with pytest.raises(SandboxError, match="closed"):
        waiting.take()


def test_no_descriptors_are_left(marker):
    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    with Sandbox(workers=1) as sandbox:
        for _ in range(3):
            with pytest.raises(WorkerFault):
                sandbox.call(TARGETS + "exit_now", 1)
    assert count() == before


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_cannot_use_or_harm_it(marker):
    with Sandbox(workers=1) as sandbox:
        before = sandbox.call(TARGETS + "pid")
        child = os.fork()
        if child == 0:
            try:
                sandbox.call(TARGETS + "pid")
            except SandboxError:
                sandbox.close()
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert sandbox.call(TARGETS + "pid") == before


def test_the_default_is_one_for_all(marker):
    sandbox = default_sandbox()
    assert default_sandbox() is sandbox
    assert sandbox.call("operator:add", 1, 2) == 3
    sandbox.close()
    assert default_sandbox() is not sandbox
    default_sandbox().close()


def test_a_worker_that_cannot_start_is_the_sandboxs_fault(marker, monkeypatch):
    with Sandbox(workers=1) as sandbox:
        monkeypatch.setattr("sys.executable", "/nowhere/python")
        with pytest.raises(SandboxError, match="no worker process can be started"):
            sandbox.call("operator:add", 1, 2)
        monkeypatch.setattr("sys.executable", "/bin/false")
        with pytest.raises(SandboxError, match="status 1"):
            sandbox.call("operator:add", 1, 2)
        monkeypatch.undo()
        assert sandbox.call("operator:add", 1, 2) == 3


def test_another_system_is_reported(monkeypatch):
    monkeypatch.setattr("whorl.sandbox.pool.os.name", "nt")
    with pytest.raises(SandboxError, match="POSIX"):
        Sandbox()


def test_no_workers_are_refused():
    with pytest.raises(InputError, match="workers: 0"):
        Sandbox(workers=0)


def test_a_fault_is_a_value_too():
    fault = WorkerFault("died", "a\nb")
    assert isinstance(fault, WhorlError)
    copy = pickle.loads(pickle.dumps(fault))
    assert (copy.kind, copy.reason) == ("died", "a b")
    with pytest.raises(WorkerFault, match="a b"):
        Outcome(fault=fault).result()
    assert Outcome(value=3).result() == 3
