"""What a parser that a file has taken over can do: nothing outside its worker."""

import os
import re
import socket
import sys
from pathlib import Path

import pytest

from whorl.errors import WhorlError
from whorl.sandbox import Sandbox, WorkerFault
from whorl.sandbox import jail as jail_module
from whorl.sandbox.jail import COMPLETE, LANDLOCK, SECCOMP, JailPolicy, describe_jail, readable

# How the kernel and Python say that something is not allowed: EPERM or EACCES.
REFUSED = re.compile(r"[Pp]ermission|not permitted|not allowed|Errno 13?\b")
ESCAPES = "tests.sandbox.escapes:"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is made of parts of Linux")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(workers=1) as found:
        if found.jail() != COMPLETE:
            pytest.skip(f"the jail is {describe_jail(found.jail())}")
        yield found


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.key"
    path.write_bytes(b"hush")
    return path


@pytest.fixture
def port():
    """A server that somebody in the worker would like to reach; ``accepted`` counts who did."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()


def closed(sandbox, name, *arguments):
    with pytest.raises(WorkerFault) as caught:
        sandbox.call(ESCAPES + name, *arguments)
    assert caught.value.kind == "raised", str(caught.value)
    assert REFUSED.search(str(caught.value)), str(caught.value)


def test_1_files_are_not_read(sandbox, secret):
    closed(sandbox, "read_file", str(secret))
    closed(sandbox, "read_file", "/etc/passwd")
    closed(sandbox, "read_by_link", str(secret.parent), str(secret))
    closed(sandbox, "list_folder", str(secret.parent))


def test_2_an_index_keeps_its_key_and_its_databases(sandbox, tmp_path):
    import whorl

    with whorl.Index.create(tmp_path / "index") as index:
        index.add(whorl.Document("a", "something borrowed " * 30))
    for path in sorted((tmp_path / "index").rglob("*")):
        if path.is_file():
            closed(sandbox, "read_file", str(path))


def test_3_nothing_is_written_truncated_or_removed(sandbox, secret):
    closed(sandbox, "write_file", str(secret))
    closed(sandbox, "truncate_file", str(secret))
    closed(sandbox, "remove_file", str(secret))
    assert secret.read_bytes() == b"hush"


def test_4_nobody_is_connected_to(sandbox, port):
    closed(sandbox, "connect", port)


def test_5_nothing_listens(sandbox):
    closed(sandbox, "bind_socket")


def test_6_no_program_runs(sandbox):
    closed(sandbox, "run_shell")
    closed(sandbox, "become_shell")


def test_7_no_process_is_forked(sandbox):
    closed(sandbox, "fork")


def test_8_the_parents_memory_is_its_own(sandbox):
    closed(sandbox, "parents_memory")
    closed(sandbox, "copy_parents_memory")
    closed(sandbox, "trace_parent")


def test_9_no_signal_reaches_another_process(sandbox):
    closed(sandbox, "signal_parent")
    closed(sandbox, "signal_by_descriptor")


def test_10_limits_are_not_changed(sandbox):
    closed(sandbox, "limit_parent")
    closed(sandbox, "raise_own_limits")


def test_11_the_parents_environment_is_its_own(sandbox):
    closed(sandbox, "environment_of_parent")


def test_12_there_is_no_way_round_the_kernel(sandbox):
    closed(sandbox, "new_namespace")
    closed(sandbox, "shared_memory")


def test_what_parsers_need_works(sandbox):
    assert sandbox.call(ESCAPES + "work") == [45, True]


def test_a_worker_may_run_the_one_program_that_it_is_for(tmp_path):
    with Sandbox(workers=1, policy=JailPolicy(run="/bin/echo")) as sandbox:
        target = "tests.sandbox.targets:run_program"
        assert sandbox.call(target, "/bin/echo", "hello") == b"hello\n"
        closed(sandbox, "run_shell")
        closed(sandbox, "connect", 1)
        closed(sandbox, "read_file", "/etc/passwd")
        closed(sandbox, "write_file", str(tmp_path / "x"))


def test_a_program_starts_no_other():
    with Sandbox(workers=1, policy=JailPolicy(run="/bin/sh")) as sandbox:
        target = "tests.sandbox.targets:run_alone"
        assert sandbox.call(target, "/bin/sh", "-c", "echo one") == b"one\n"
        with pytest.raises(WorkerFault, match="exit status"):
            sandbox.call(target, "/bin/sh", "-c", "(exit 0)")
        with pytest.raises(WorkerFault, match="exit status"):
            sandbox.call(target, "/bin/sh", "-c", "exec /bin/ls")


def test_what_is_readable_is_code_and_not_what_lies_beside_it(tmp_path, monkeypatch):
    (tmp_path / "borrowed.py").write_text("x = 1")
    (tmp_path / "secret.key").write_text("hush")
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("borrowed")
    paths = readable()
    assert str(tmp_path / "borrowed.py") in paths
    assert not any(path in (str(tmp_path), str(tmp_path / "secret.key"), str(Path.cwd()), "/") for path in paths)
    assert os.path.dirname(os.path.realpath(jail_module.__file__)).startswith(tuple(paths))  # noqa: PTH120
    del sys.modules["borrowed"]


def test_a_jail_that_is_required_and_missing_stops_everything(monkeypatch):
    monkeypatch.setattr("whorl.sandbox.process.COMPLETE", ("a jail that no kernel has",))
    with (
        Sandbox(workers=1, policy=JailPolicy(required=True)) as sandbox,
        pytest.raises(WhorlError, match="--require-jail forbids that"),
    ):
        sandbox.call("operator:add", 1, 2)


def test_the_jail_is_reported_in_words():
    assert describe_jail(COMPLETE) == "complete"
    assert describe_jail((SECCOMP,)) == f"incomplete: this kernel has no {LANDLOCK}"
    assert describe_jail(()) == "incomplete: this kernel has no landlock and seccomp"
