"""What can go wrong in a sandbox, and the outcome of one task: a value or a fault.

WhorlError
├── InputError
│   └── LimitsError     limits have faults: all of them, in ``faults``
├── SandboxError        the sandbox itself cannot work: closed, not this system, no worker starts
└── WorkerFault         one task came to nothing; the sandbox carries on
"""

from dataclasses import dataclass
from typing import Any, Literal

from whorl.errors import FaultsError, WhorlError

Kind = Literal["timeout", "memory", "died", "raised", "too-large"]

# A reason is one line of a report. Longer ones come from parsers that quote their input.
LONGEST_REASON = 200


class LimitsError(FaultsError):
    """Limits have faults."""


class SandboxError(WhorlError):
    """The sandbox itself cannot work, whatever the task."""


class WorkerFault(WhorlError):  # noqa: N818  (a fault is a task's outcome, expected and reported, not an error of ours)
    """One task came to nothing. ``reason`` says why in one line that a person understands."""

    def __init__(self, kind: Kind, reason: str) -> None:
        self.kind: Kind = kind
        self.reason = one_line(reason)
        super().__init__(self.reason)

    def __reduce__(self) -> tuple[type["WorkerFault"], tuple[Kind, str]]:
        return type(self), (self.kind, self.reason)


@dataclass(frozen=True)
class Outcome:
    """What became of one task: ``value``, unless there is a ``fault``."""

    value: Any = None
    fault: WorkerFault | None = None

    def result(self) -> Any:
        """The value, or the fault raised."""
        if self.fault is not None:
            raise self.fault
        return self.value


def one_line(text: str) -> str:
    """The text without line breaks and control characters, which a hostile file would send to the terminal, and short.

    Only the beginning of an enormous text is looked at.
    """
    start = text[: 4 * LONGEST_REASON]
    line = " ".join("".join(char if char.isprintable() else " " for char in start).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"
