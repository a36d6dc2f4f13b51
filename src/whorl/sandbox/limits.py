"""Limits of one task in the sandbox, and the outcome of a task: a value or a fault."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from whorl.errors import FaultsError, WhorlError

Kind = Literal["timeout", "memory", "died", "raised", "too-large"]

# A reason is one line of a report. Longer ones come from parsers that quote their input.
LONGEST_REASON = 200


class LimitsError(FaultsError):
    """Invalid limits; ``faults`` lists every fault."""


class SandboxError(WhorlError):
    """The sandbox itself cannot work, whatever the task."""


class WorkerFault(WhorlError):  # noqa: N818  (a fault is a task's outcome, expected and reported, not an error of ours)
    """One task failed. ``reason`` says why in one line for people."""

    def __init__(self, kind: Kind, reason: str) -> None:
        self.kind: Kind = kind
        self.reason = one_line(reason)
        super().__init__(self.reason)

    def __reduce__(self) -> tuple[type["WorkerFault"], tuple[Kind, str]]:
        return type(self), (self.kind, self.reason)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one task: ``value``, unless there is a ``fault``."""

    value: Any = None
    fault: WorkerFault | None = None

    def result(self) -> Any:
        """Return the value, or raise the fault."""
        if self.fault is not None:
            raise self.fault
        return self.value


def one_line(text: str) -> str:
    """Return the text on one line, shortened, without control characters, which a hostile file could send to the
    terminal.

    Only the beginning of an enormous text is read.
    """
    start = text[: 4 * LONGEST_REASON]
    line = " ".join("".join(char if char.isprintable() else " " for char in start).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


MEGABYTE = 1 << 20

# Wall time for a second of processor time, at most: for tasks that wait, and on a machine that is too loaded for them.
PATIENCE = 4

# (least, most) of each limit. Least: the interpreter with NumPy takes 50 MB of data, a parser needs some more; with
# less than 100 calls not even an import works; a C stack under 1 MB is less than C libraries count on.
RANGES: dict[str, tuple[float, float]] = {
    "seconds": (0.01, 86_400),
    "memory": (128 * MEGABYTE, 1 << 46),
    "result": (1, 1 << 40),
    "depth": (100, 1_000_000),
    "stack": (MEGABYTE, 1 << 30),
    "files": (0, 1 << 40),
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one task. Validates itself and reports all faults at once.

    The defaults pass the largest honest files (a 5 MB source file, a PDF of a thousand pages) and stop all known
    hostile ones, the worst of which wanted 16 s and 2.5 GB for 20 kB of Java.
    """

    # Processor time of the task, so that a loaded machine stops nothing that an idle one reads. Honest files take
    # milliseconds, the largest a second or two; ten leave room for a slow machine.
    seconds: float = 10
    # Bytes of private memory of the whole worker. A syntax tree takes some 100 bytes for each byte of source: 5 MB fit.
    memory: int = 1 << 30
    # Bytes that a task may give back; the parent holds them. Symbols and spans take some 20 bytes for each of a token,
    # so this is a file of over 10 million tokens.
    result: int = 256 * MEGABYTE
    # Python calls inside each other. Ten times Python's own default, for parsers that descend recursively.
    depth: int = 10_000
    # Bytes of C stack: 6 kB for each of the calls above. Past it the parser is stopped by the system (signal 11).
    stack: int = 64 * MEGABYTE
    # Bytes that a task may write to any one file. A parser has no reason to write.
    files: int = 0

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise LimitsError(faults)


def _faults(limits: Limits) -> Iterator[str]:
    for name, (least, most) in RANGES.items():
        value = getattr(limits, name)
        if not _number(value, whole=name != "seconds"):
            yield f"{name}: {value!r} is not a {'number' if name == 'seconds' else 'whole number'}"
        elif not least <= value <= most:
            yield f"{name}: {value:g} is out of range; give a number from {least:.15g} to {most:.15g}"


def _number(value: Any, *, whole: bool) -> bool:
    kinds = (int,) if whole else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)


def format_bytes(size: int, decimals: int = 1) -> str:
    """Return a number of bytes for people: 1.0 GB."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1024:
            return f"{amount:.{decimals if unit != 'bytes' else 0}f} {unit}"
        amount /= 1024
    return f"{amount:.{decimals}f} GB"
