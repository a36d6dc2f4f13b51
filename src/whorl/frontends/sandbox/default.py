"""The sandbox of the whole process: made when it is first asked for, closed at exit."""

import atexit
import os
import threading

from whorl.frontends.sandbox.limits import Limits
from whorl.frontends.sandbox.pool import Sandbox

_lock = threading.Lock()
_sandbox: Sandbox | None = None
_limits = Limits()
_workers: int | None = None


def default_sandbox() -> Sandbox:
    """One sandbox, by default with the default limits and a worker for each core, shared by all who ask."""
    global _sandbox
    with _lock:
        if _sandbox is None or _sandbox.closed:
            _sandbox = Sandbox(_workers, _limits)
            atexit.register(_sandbox.close)
        return _sandbox


def configure(limits: Limits, workers: int | None = None) -> None:
    """Other limits, and another number of workers, for the sandbox of the whole process."""
    global _sandbox, _limits, _workers
    with _lock:
        if (limits, workers) == (_limits, _workers):
            return
        if _sandbox is not None:
            _sandbox.close()
        _sandbox, _limits, _workers = None, limits, workers


def _forget() -> None:
    """In a forked process: the workers are the parent's, and its lock may be held for ever."""
    global _sandbox, _lock
    _sandbox, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
