"""Processes for tests that begin with Whorl imported: one process imports it, does nothing else, and forks them.

A new Python spends a quarter of a second of CPU time on importing NumPy and Whorl, and many tests need less for what
they do in it. A fork of the tests' own process would not do: SQLite would take the locks of its open databases for its
own.
"""

import atexit
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import cache
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

R = TypeVar("R")

ROOT = Path(__file__).parents[1]

# What each process would import otherwise: NumPy imports ``numpy.ma`` in the first ``np.unique`` only.
IMPORTED = (
    *("numpy.ma", "tests.forks", "tests.killing", "whorl.engine.fixed_size", "whorl.engine.winnowing", "zstandard"),
    *("whorl.index.index", "whorl.registry.registry", "whorl.sweep.sweep"),
)


class Fork:
    """A process that calls a function of a module, which talks to the test through ``pipe``."""

    def __init__(self, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self.pipe, theirs = Pipe()
        with theirs:
            socket.send_fds(_server(), [b"f"], [theirs.fileno()])
        self.pid: int = self.pipe.recv()
        self.pipe.send((function, arguments))

    def kill(self) -> None:
        """Kill the process and wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self) -> None:
        """Wait until the process has ended."""
        descriptor = os.pidfd_open(self.pid)
        select.select([descriptor], [], [])
        os.close(descriptor)
        self.pipe.close()


def start(function: Callable[..., None], *arguments: Any) -> Fork:
    """Call ``function(pipe, *arguments)`` in another process, and do not wait for it."""
    return Fork(function, arguments)


def run(function: Callable[..., R], *arguments: Any) -> R:
    """Return what a function returns in another process."""
    fork = start(_answer, function, arguments)
    try:
        answer: R = fork.pipe.recv()
    except EOFError:
        raise AssertionError(f"{function.__name__} failed in another process: see above") from None
    finally:
        fork.wait()
    return answer


def _answer(pipe: Connection, function: Callable[..., R], arguments: tuple[Any, ...]) -> None:
    pipe.send(function(*arguments))


@cache
def _server() -> socket.socket:
    """Start the process that forks the others, and return the socket on which it takes their pipes. It ends, and its
    CPU time is added to that of the tests, when these end."""
    ours, theirs = socket.socketpair()
    with theirs:
        descriptor = theirs.fileno()
        command = [sys.executable, "-c", f"from {__name__} import serve; serve({descriptor})"]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[descriptor])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def serve(descriptor: int) -> None:
    """Fork a process for each pipe that comes on a socket."""
    for name in IMPORTED:
        import_module(name)
    forks = []
    with socket.socket(fileno=descriptor) as control:
        while pipes := socket.recv_fds(control, 1, 1)[1]:
            pid = os.fork()
            if pid == 0:
                control.close()
                _live(Connection(pipes[0]))
            forks.append(pid)
            os.close(pipes[0])
    for pid in forks:
        os.waitpid(pid, 0)


def _live(pipe: Connection) -> None:
    """Call the function that comes on a pipe. Nothing of the server's may run here: it leaves by ``_exit`` alone."""
    status = 1
    try:
        pipe.send(os.getpid())
        function, arguments = pipe.recv()
        function(pipe, *arguments)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
