"""What one task may use. All defaults of the sandbox are here."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from whorl.frontends.sandbox.faults import LimitsError

MEGABYTE = 1 << 20

# (least, most) of each limit. Least: the interpreter with NumPy takes 50 MB of data, a parser needs some more; with
# less than 100 calls not even an import works; a C stack under 1 MB is less than C libraries count on.
_RANGES: dict[str, tuple[float, float]] = {
    "seconds": (0.01, 86_400),
    "memory": (128 * MEGABYTE, 1 << 46),
    "result": (1, 1 << 40),
    "depth": (100, 1_000_000),
    "stack": (MEGABYTE, 1 << 30),
    "files": (0, 1 << 40),
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one task may use before it is stopped. Checks itself, and reports all its faults at once.

    The defaults let the largest honest files through (a 5 MB source file, a PDF of a thousand pages) and stop the
    hostile ones seen so far, the worst of which wanted 16 s and 2.5 GB for 20 kB of Java.
    """

    # Wall time, from when the worker takes the task. Honest files take milliseconds, the largest a second or two;
    # ten leave room for a loaded machine.
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
    for name, (least, most) in _RANGES.items():
        value = getattr(limits, name)
        if not _number(value, whole=name != "seconds"):
            yield f"{name}: {value!r} is not a {'number' if name == 'seconds' else 'whole number'}"
        elif not least <= value <= most:
            yield f"{name}: {value:g} is out of range; give a number from {least:.15g} to {most:.15g}"


def _number(value: Any, *, whole: bool) -> bool:
    kinds = (int,) if whole else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)


def in_words(size: int) -> str:
    """A number of bytes for people: 1.0 GB."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"
