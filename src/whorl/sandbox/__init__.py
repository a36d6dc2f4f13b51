"""Run untrusted parsers in processes that can be killed; only plain data comes back.

``Sandbox`` is the pool, ``Limits`` are the limits of a task, ``WorkerFault`` is the outcome of a task that failed or
exceeded them. The front-ends choose the parsers. Names are imported on first use, because a worker imports this package
too and does not need the pool.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.sandbox.limits import Limits, LimitsError, Outcome, SandboxError, WorkerFault
    from whorl.sandbox.pool import Sandbox, default_sandbox

__all__ = [
    "Limits",
    "LimitsError",
    "Outcome",
    "Sandbox",
    "SandboxError",
    "WorkerFault",
    "default_sandbox",
]

_HOMES = {
    "Limits": "whorl.sandbox.limits",
    "Sandbox": "whorl.sandbox.pool",
    "default_sandbox": "whorl.sandbox.pool",
}
_FAULTS = "whorl.sandbox.limits"


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, _FAULTS)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
