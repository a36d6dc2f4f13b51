"""Work in a child of this process, which has everything imported: a child that dies takes nothing with it."""

import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Ended:
    """How a child ended: its answer, the error in one line that it told, or what should not happen."""

    answer: Any = None
    error: str = ""
    fault: str = ""
    was_killed: bool = False


class Child:
    """A child at work. ``work`` gives its answer; a WhorlError is told, anything else is a fault."""

    def __init__(self, work: Callable[[], Any]) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _live(work, writing)
        os.close(writing)
        self._pipe = os.fdopen(reading, "rb")

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def ended(self, seconds: float = 300.0) -> Ended:
        """Wait for its end; one that does not end is killed, which is a fault."""
        until = time.monotonic() + seconds
        with self._pipe as pipe:
            # It writes when it has its answer, and then ends.
            has_ended = bool(select.select([pipe], [], [], seconds)[0])
            data = pipe.read() if has_ended else b""
        while has_ended and (found := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            has_ended = time.monotonic() < until
            time.sleep(0.001)
        if not has_ended:
            self.kill()
            os.waitpid(self.pid, 0)
            return Ended(fault="it did not end")
        status = found[1]
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return Ended(was_killed=True) if number == signal.SIGKILL else Ended(fault=f"signal {number}")
        return Ended(**json.loads(data)) if data else Ended(fault="it ended without a word")


def done(work: Callable[[], Any]) -> Ended:
    """Let a child do it, and wait."""
    return Child(work).ended()


def outcome(work: Callable[[], Any]) -> dict[str, Any]:
    """Do it here: the fields of how it ended. Nothing that it raises leaves this function."""
    from whorl.errors import WhorlError

    try:
        answer = work()
    except (WhorlError, click.ClickException) as error:
        lines = str(error.message if isinstance(error, click.ClickException) else error).splitlines()
        return {"error": lines[0]} if len(lines) == 1 else {"fault": f"{len(lines)} lines: {error}"}
    except BaseException:
        return {"fault": traceback.format_exc()[-3000:]}
    return {"answer": sorted(answer) if isinstance(answer, set) else answer}


def _live(work: Callable[[], Any], pipe: int) -> None:
    """Nothing of the parent's may run here: it leaves by ``_exit`` alone."""
    data = json.dumps(outcome(work)).encode()
    while data:
        data = data[os.write(pipe, data) :]
    os._exit(0)
