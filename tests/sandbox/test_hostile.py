"""Each way in which a parser can misbehave: bounded time, the right fault, and the next task works."""

import os
import re
import signal
import struct
import time

import pytest

from tests.sandbox.processes import eventually, marked
from whorl.sandbox import Limits, Sandbox, WorkerFault, process
from whorl.sandbox.jail import JailPolicy

TARGETS = "tests.sandbox.targets:"
LIMITS = Limits(seconds=8, memory=256 << 20, result=1 << 20, stack=16 << 20)
CRASHED = r"the parser crashed \(signal %d\)"
ENORMOUS = struct.pack("<4sc?2xQIQ", b"WSB1", b"V", False, 1, 16, 1 << 60)
NESTED = struct.pack("<4sc?2xQIQ", b"WSB1", b"V", False, 1, 1 << 16, 0) + b"[" * (1 << 16)
FOREIGN = struct.pack("<4sc?2xQIQ", b"WSB1", b"V", False, 99, 16, 0) + b"7" + b" " * 15

HOSTILE = {
    "huge allocation": ("allocate", (10 << 30,), "memory", "needed more than 256.0 MB"),
    "huge array": ("allocate_array", (10 << 30,), "memory", "needed more than 256.0 MB"),
    "huge shared mapping": ("allocate_shared", (10 << 30,), "memory", "needed more than 256.0 MB"),
    "gradual growth": ("grow", (), "memory", "needed more than 256.0 MB"),
    # Why C code aborted is a guess from its peak memory, which Linux hides if the parent's own was higher.
    "abort for want of memory": (
        "abort_without_memory",
        (),
        "memory|died",
        r"(needed more than 256.0 MB|the parser crashed) \(signal 6\)",
    ),
    "segmentation fault": ("segfault", (), "died", CRASHED % signal.SIGSEGV),
    "C stack": ("overflow_c_stack", (), "died", CRASHED % signal.SIGSEGV),
    "exit": ("exit_now", (3,), "died", r"the parser ended its process \(status 3\)"),
    "exit without an answer": ("exit_now", (0,), "died", r"the parser ended its process \(status 0\)"),
    "sys.exit": ("leave", (), "raised", "SystemExit: enough"),
    "SIGKILL": ("kill", (int(signal.SIGKILL),), "died", CRASHED % signal.SIGKILL),
    "SIGALRM": ("kill", (int(signal.SIGALRM),), "timeout", "took longer than 32 s"),
    "SIGPROF": ("kill", (int(signal.SIGPROF),), "timeout", "took longer than 8 s"),
    "deep recursion": ("recurse", (), "raised", "maximum recursion depth exceeded.*"),
    "huge message": ("shout", (), "raised", r"\[31mbad line x{150,}…"),
    "message that raises": ("mute", (), "raised", "MuteError"),
    "lookup": ("missing", ("k",), "raised", "KeyError: 'k'"),
    "too much": ("produce", (2 << 20,), "too-large", "gave more than 1.0 MB.*"),
    "too many": ("produce_items", (1 << 20,), "too-large", "gave more than 1.0 MB.*"),
    "unsendable": ("unsendable", (), "raised", "a value of type dict cannot be sent"),
    "no such function": ("nowhere", (), "raised", ".*no attribute 'nowhere'"),
    "random bytes, then silence": ("write_pipes", (b"\x8f\x02" * 5000, "wait"), "died", "the parser damaged.*"),
    "random bytes, then an answer": ("write_pipes", (b"\x8f\x02" * 5000, "return"), "died", "the parser damaged.*"),
    "a frame of 2^60 bytes": ("write_pipes", (ENORMOUS, "wait"), "too-large", "gave more than 1.0 MB.*"),
    "a deeply nested frame": ("write_pipes", (NESTED, "wait"), "died", "the parser damaged.*"),
    "an answer to another task": ("write_pipes", (FOREIGN, "wait"), "died", "the parser damaged.*"),
    "closed pipe": ("close_pipes", (), "died", "the parser broke the connection.*"),
    "fork": ("fork_both_return", (), "raised", ".*[Pp]ermission.*|.*not permitted"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_fault_and_nothing_else(name, marker):
    target, arguments, kind, reason = HOSTILE[name]
    start = time.monotonic()
    with Sandbox(workers=1, limits=LIMITS) as sandbox:
        with pytest.raises(WorkerFault) as caught:
            sandbox.call(TARGETS + target, *arguments)
        assert re.fullmatch(kind, caught.value.kind)
        assert re.fullmatch(reason, str(caught.value))
        assert len(str(caught.value)) <= 200
        assert sandbox.call("operator:add", 1, 2) == 3
        assert len(marked(marker)) == 1
    assert time.monotonic() - start < 60


RUNS = JailPolicy(run="/bin/true")


@pytest.mark.parametrize(
    ("target", "patience", "least"),
    [("slow", 80, 0.25), ("endless_in_c", 80, 0.25), ("wait_for_ever", 4, 1), ("slow_without_its_timer", 4, 1)],
)
def test_an_endless_task_is_killed(target, patience, least, marker, monkeypatch):
    """After so much processor time; after a multiple of it in wall time if it waits, or if it disarms its timer."""
    monkeypatch.setattr(process, "PATIENCE", patience)
    with Sandbox(workers=1, limits=Limits(seconds=0.25)) as sandbox:
        sandbox.call(TARGETS + "pid")
        start = time.monotonic()
        with pytest.raises(WorkerFault, match=re.escape(f"took longer than {least:g} s")) as caught:
            sandbox.call(TARGETS + target)
        assert caught.value.kind == "timeout"
        assert least * 0.9 <= time.monotonic() - start < 20
        assert sandbox.call("operator:add", 1, 2) == 3


def test_a_task_that_has_to_wait_for_a_processor_is_not_killed(marker):
    with Sandbox(workers=1, limits=Limits(seconds=0.5)) as sandbox:
        assert sandbox.call(TARGETS + "nap", 7, 0.8) == 7


def test_one_that_may_start_a_program_is(marker):
    """The processor time of the program is not known."""
    limits, reason = Limits(seconds=0.5), re.escape("took longer than 0.5 s")
    with Sandbox(workers=1, limits=limits, policy=RUNS) as sandbox, pytest.raises(WorkerFault, match=reason):
        sandbox.call(TARGETS + "nap", 7, 30)


def test_what_it_prints_goes_nowhere(marker, capfd):
    with Sandbox(workers=1) as sandbox:
        assert sandbox.call(TARGETS + "chatter") == "said"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("target", ["fork_and_return", "fork_both_return"])
def test_a_child_that_a_task_leaves_behind_is_ended(target, marker):
    with Sandbox(workers=1, policy=RUNS) as sandbox:
        assert sandbox.call(TARGETS + target) > 0
        assert eventually(lambda: not marked(marker))
        assert sandbox.call("operator:add", 1, 2) == 3


def test_a_child_does_not_outlive_a_task_that_exits(marker):
    with Sandbox(workers=1, policy=RUNS) as sandbox:
        with pytest.raises(WorkerFault, match=r"the parser ended its process \(status 3\)"):
            sandbox.call(TARGETS + "fork_and_exit")
        assert eventually(lambda: not marked(marker))


def test_an_exception_costs_no_worker(marker):
    with Sandbox(workers=1, limits=LIMITS) as sandbox:
        before = sandbox.call(TARGETS + "pid")
        for target in ("mute", "unsendable", "recurse"):
            with pytest.raises(WorkerFault):
                sandbox.call(TARGETS + target)
        assert sandbox.call(TARGETS + "pid") == before


def test_what_a_task_did_to_its_worker_is_not_the_next_ones_fault(marker):
    """Memory that was not given back makes the next task fail in the same worker, so it is tried in a new one."""
    with Sandbox(workers=1, limits=LIMITS) as sandbox:
        assert [sandbox.call(TARGETS + "leak", 150 << 20) for _ in range(3)] == [1, 1, 1]


def test_bytes_that_a_task_writes_later_are_not_the_next_ones_fault(marker):
    with Sandbox(workers=1, limits=LIMITS) as sandbox:
        before = sandbox.call(TARGETS + "write_later", 0.05)
        assert eventually(lambda: sandbox.call(TARGETS + "pid") != before)


def test_a_worker_that_dies_between_tasks_is_replaced(marker):
    with Sandbox(workers=1, limits=LIMITS) as sandbox:
        before = sandbox.call(TARGETS + "pid")
        os.kill(before, signal.SIGKILL)
        assert eventually(lambda: not marked(marker))
        assert sandbox.call(TARGETS + "pid") != before


def test_deep_but_honest_recursion_works(marker):
    with Sandbox(workers=1) as sandbox:
        assert sandbox.call(TARGETS + "nest", 9_000) == 9_000


def test_a_worker_has_nothing_that_it_does_not_need(marker, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "hush")
    with (tmp_path / "open").open("w") as file, Sandbox(workers=1) as sandbox:
        assert file.fileno() > 2
        names = sandbox.call(TARGETS + "descriptors")
        assert names[:3] == ["/dev/null"] * 3
        assert len(names) == 6
        assert all(name.startswith("pipe:") for name in names[3:])
        assert not any("hush" in line for line in sandbox.call(TARGETS + "environment"))
        with pytest.raises(WorkerFault, match=r"[Pp]ermission|not permitted"):
            sandbox.call(TARGETS + "write_file", str(tmp_path / "written"))


def test_a_worker_imports_only_what_the_target_needs(marker):
    with Sandbox(workers=1) as sandbox:
        assert sandbox.call("operator:add", 1, 2) == 3
        loaded = sandbox.call("builtins:eval", "sorted(__import__('sys').modules)")
        assert not {"numpy", "subprocess", "whorl.sandbox.pool"} & set(loaded)
