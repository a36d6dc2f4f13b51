"""A process that does work of requests: large searches, documents and bodies at a low priority, and small ones while
others wait.

In the server's process, where threads take turns, they would hold up everybody. Both sides are here: the server calls
``IndexProcess.call``, the process runs ``main``. ``IndexThread`` does the same work in the server.
"""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from whorl.errors import WhorlError
from whorl.formats.documents.extraction import always_in_worker
from whorl.sandbox import WorkerFault, default_sandbox
from whorl.sandbox.pool import use_workers
from whorl.service.problems import Problem, problem_of, too_much_memory
from whorl.service.runner import epitaph
from whorl.service.tenant_index import Ownership, TenantIndex
from whorl.service.worker import limit_memory

# How much the process gives way to the server, which answers small requests: half of the way down, as jobs do.
NICENESS = 10

# Seconds for the process to end when it is asked to. Whatever it does then, nobody waits for.
GRACE_SECONDS = 1.0

# ``-P``: what lies in the folder where the server was started is not imported.
_COMMAND = (sys.executable, "-P", "-m", "whorl.service.index_process")

# The function that parses bodies.
PARSE_BODY = "whorl.service.index_process:parse_body"

_log = logging.getLogger(__name__)


class IndexProcess:
    """A process with an open index. Starts with the first call, and again after it died; ``tell`` is called then, with
    the new process. Not thread-safe."""

    def __init__(
        self, index: Path, memory: int, niceness: int = NICENESS,
        tell: Callable[["IndexProcess"], object] | None = None,
    ) -> None:  # fmt: skip
        """``memory`` are the bytes that the process may have."""
        self._index, self._memory, self._niceness, self._tell = index, memory, niceness, tell
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def call(self, target: str, *arguments: Any) -> Any:
        """Return ``target(index, *arguments)``, where ``target`` is a function, ``module:name``. Raise the problem that
        it ended with."""
        try:
            connection = self._connection or self.start()
            connection.send((target, arguments))
            is_done, value = connection.recv()
        except (EOFError, OSError) as error:
            status = self.close()
            _log.error("%s: %s", target, error if status is None else epitaph(status))
            detail = "The process of this request ended. Try again, with a smaller text if it happens again."
            raise Problem(503, detail) from error
        if not is_done:
            status, detail, title, retry_after = value
            raise Problem(status, detail, title=title, retry_after=retry_after)
        return value

    def close(self) -> int | None:
        """End the process; return its status, None if there is none. Idempotent; the next call starts another."""
        status = None
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)
            self._process.kill()
            status = self._process.wait()
        self._connection = self._process = None
        return status

    def start(self) -> Connection:
        """Start the process; call it once. Return the way to it."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            command = [
                *_COMMAND, str(self._index), str(theirs.fileno()), str(self._niceness), str(self._memory)
            ]  # fmt: skip
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
            self._connection = connection = Connection(ours.detach())
        if self._tell is not None:
            self._tell(self)
        return connection


class IndexThread:
    """The same for a thread of the server, with an index of its own. Not thread-safe."""

    def __init__(self, index: TenantIndex) -> None:
        self._index = index

    def call(self, target: str, *arguments: Any) -> Any:
        """Return ``target(index, *arguments)``, where ``target`` is a function, ``module:name``."""
        return _resolve(target)(self._index, *arguments)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def main(arguments: list[str]) -> int:
    """Answer calls until the server closes its end, or is gone."""
    os.nice(int(arguments[2]))
    limit_memory(int(arguments[3]))
    always_in_worker()
    use_workers(1)
    connection, ownership = Connection(int(arguments[1])), Ownership()
    with ExitStack() as opened, suppress(EOFError, BrokenPipeError, ConnectionError):
        index_of = cache(lambda: opened.enter_context(TenantIndex.again(Path(arguments[0]), ownership)))
        while True:
            target, values = connection.recv()
            connection.send(_answer(index_of, target, values))
    return 0


def parse_body(_index: TenantIndex, target: str, *arguments: Any) -> Any:
    """Parse a body of a request in a worker of the sandbox, whose priority is as low as this process's."""
    try:
        return default_sandbox().call(target, *arguments)
    except WorkerFault as fault:
        raise Problem(422, f"The body cannot be read: {fault.reason}.") from fault


def _answer(index_of: Callable[[], TenantIndex], target: str, values: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, _resolve(target)(index_of(), *values)
    except WhorlError as error:
        problem = problem_of(error)
        if problem.status >= 500 and problem is not error:
            _log.exception("a request failed")
    except MemoryError:
        _log.exception("a request failed")
        problem = too_much_memory()
    except Exception:  # a fault of the program: reported as one, and the next request is served
        _log.exception("a request failed")
        problem = Problem(500, "An internal error occurred. See the log of the service.")
    return False, (problem.status, problem.detail, problem.title, problem.retry_after)


@cache
def _resolve(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
