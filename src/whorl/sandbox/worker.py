"""The worker's side: limit itself, lock itself in, then run tasks until its parent is gone.

This module runs in the child process only. It imports little, so that a worker starts fast; a target's dependencies are
imported with the target.
"""

import errno
import fcntl
import gc
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from whorl.sandbox import wire
from whorl.sandbox.jail import lock

# How a worker says that memory ran out: by its exit status, since anything longer would need memory.
OUT_OF_MEMORY = 77

# What a parser may have open at once: its libraries, the worker's pipes, and some more.
_OPEN_FILES = 64

# Trees have no cycles, so few collections find anything.
_GC_THRESHOLD = 50_000

# Address space beyond the limit of memory: room for libraries, which are mapped and shared, and for the unused reserve
# of each thread. It is bounded at all because shared mappings count here and nowhere else.
_MAPPED = 1 << 30


def main(settings: dict[str, Any]) -> NoReturn:
    """Serve until the parent is gone, or until memory runs out."""
    try:
        _watch(settings["lifeline"])
        _confine(settings["limits"])
        jail = lock(settings["read"], settings["run"])
        _serve(settings["tasks"], settings["answers"], settings["limits"], settings["alarm"], jail)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (wire.ClosedError, BrokenPipeError):
        pass
    os._exit(0)


def _watch(lifeline: int) -> None:
    """Have the system kill this process and its children when the parent's end of the lifeline closes.

    A killed parent notifies nobody, and a watching thread would need the interpreter's lock, which a parser in an
    endless loop never releases. Where the system has no such signal, the alarm of each task must do.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # closed before the system was told to watch
        os._exit(0)


def _confine(limits: dict[str, Any]) -> None:
    _cap(resource.RLIMIT_CORE, 0)
    _cap(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _cap(resource.RLIMIT_FSIZE, limits["files"])
    _cap(resource.RLIMIT_STACK, limits["stack"])
    _cap(resource.RLIMIT_DATA, limits["memory"])
    _cap(resource.RLIMIT_AS, limits["memory"] + _MAPPED)
    sys.setrecursionlimit(limits["depth"])
    gc.set_threshold(_GC_THRESHOLD)


def _cap(what: int, value: int) -> None:
    """Lower a limit and its hard limit. A stricter one stays."""
    _, hard = resource.getrlimit(what)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _serve(tasks: int, answers: int, limits: dict[str, Any], alarm: float, jail: tuple[str, ...]) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wire.send(answers, _never, wire.READY, 0, wire.encode((peak, *jail)))
    while True:
        task = wire.receive(tasks, _never)
        signal.setitimer(signal.ITIMER_PROF, limits["seconds"])
        signal.setitimer(signal.ITIMER_REAL, alarm)
        kind, answer = _answer(task.value, limits["result"])
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        wire.send(answers, _never, kind, task.number, answer, last=_has_children())
        del task, answer  # not held while the next one is awaited


def _never() -> None:
    raise AssertionError("a worker's pipes block")


def _answer(task: Any, largest: int) -> tuple[bytes, wire.Encoded]:
    """Run a task. Every exception becomes an answer, except lack of memory."""
    target, *arguments = task
    worker = os.getpid()
    try:
        return wire.VALUE, wire.encode(_resolve(target)(*arguments), largest)
    except wire.TooLargeError:
        return wire.TOO_LARGE, wire.encode(None)
    except BaseException as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            raise MemoryError from error
        return wire.RAISED, wire.encode(_reason(error))
    finally:
        if os.getpid() != worker:  # the target forked, and this is the child: it has no business here
            os._exit(0)


@cache
def _resolve(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _reason(error: BaseException) -> str:
    """Return the message of an exception, or its type if it has none, shortened before it is sent."""
    from whorl.sandbox.limits import one_line

    try:
        message = one_line(str(error))
    except Exception:
        message = ""
    name = type(error).__name__
    if isinstance(error, Exception) and message and not isinstance(error, LookupError):
        return message
    return f"{name}: {message}" if message else name  # a KeyError's message is the key alone


def _has_children() -> bool:
    """Return whether a task left processes behind: then the parent kills this worker with them."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
