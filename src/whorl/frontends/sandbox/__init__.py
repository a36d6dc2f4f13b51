"""Runs parsers that nobody vouches for in processes that can be killed, and takes nothing but plain data from them.

``Sandbox`` is the pool, ``Limits`` what a task may use, ``WorkerFault`` what became of one that used more. Which parser
runs on what is the front-ends' matter. Names are imported when they are first used: a worker imports this package too,
and has no need of the pool.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.frontends.sandbox.default import default_sandbox
    from whorl.frontends.sandbox.faults import LimitsError, Outcome, SandboxError, WorkerFault
    from whorl.frontends.sandbox.limits import Limits
    from whorl.frontends.sandbox.pool import Sandbox

__all__ = [
    "Limits",
    "LimitsError",
    "Outcome",
    "Sandbox",
    "SandboxError",
    "WorkerFault",
    "default_sandbox",
]

_HOMES = {"Limits": "limits", "Sandbox": "pool", "default_sandbox": "default"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'faults')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
