"""What a clustering said at its end, in ``summary.json``, as its page shows it. Nothing in it is taken on trust."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.written import BINS, HUNDREDTHS
from whorl.report.clusters_names import short
from whorl.report.clusters_plots import share

# Documents that were left out, and settings and phases, that are listed.
LEFT_OUT = 100
FACTS = 40

# No count or size is larger. JSON can hold numbers of a thousand digits, infinity, and what is no number.
LARGEST = 1 << 63

# Units of a size, as the command takes them.
UNITS = {1 << 30: "G", 1 << 20: "M", 1 << 10: "K"}


@dataclass(frozen=True, slots=True)
class Phase:
    """What a part of the work took."""

    name: str
    seconds: float
    cpu_seconds: float
    items: int
    bytes: int
    width: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document that is not in the clustering, and why."""

    file: str
    row: int
    reason: str


def phases(told: Mapping[str, Any]) -> tuple[Phase, ...]:
    """What each phase took, as the clustering has said."""
    given = [phase for phase in _list(told, "phases") if isinstance(phase, dict)][:FACTS]
    largest = max((_number(phase, "seconds") for phase in given), default=0.0)
    return tuple(
        Phase(
            short(str(phase.get("name", ""))), _number(phase, "seconds"), _number(phase, "cpu_seconds"),
            int(_number(phase, "items")), int(_number(phase, "bytes")), share(_number(phase, "seconds"), largest),
        )
        for phase in given
    )  # fmt: skip


def left_out(told: Mapping[str, Any]) -> tuple[tuple[LeftOut, ...], int]:
    """The first documents that were left out, and how many there are: the summary counts all, and lists some."""
    given = [item for item in _list(told, "skipped") if isinstance(item, dict)]
    listed = tuple(
        LeftOut(short(str(item.get("file", ""))), int(_number(item, "row")), short(str(item.get("reason", ""))))
        for item in given[:LEFT_OUT]
    )
    return listed, max(len(given), number(told, "left_out"))


def settings(told: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What was asked for, by name."""
    return tuple(_settings(told))[:FACTS]


def _settings(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if told.get("scheme"):
        yield "scheme", short(str(told["scheme"]))
    given = told.get("settings")
    for name, value in given.items() if isinstance(given, dict) else ():
        if name != "scheme":
            yield short(str(name)).replace("_", " "), _value(name, value)


def _value(name: str, value: Any) -> str:
    """A setting as a person writes it."""
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    if not isinstance(value, int):
        return short(str(value))
    # The option takes sizes by powers of two, such as 500M.
    units = [unit for unit in UNITS if value and value % unit == 0] if name == "memory" else []
    return short(f"{value // units[0]:,}{UNITS[units[0]]}" if units else f"{value:,}")


def hundredths(told: Mapping[str, Any]) -> NDArray[np.int64]:
    """How many pairs have a measure of so many hundredths; none if the summary does not say it of all."""
    given = _list(told, HUNDREDTHS)
    sound = len(given) == BINS and all(isinstance(count, int) and 0 <= count < LARGEST // BINS for count in given)
    return np.array(given if sound else [0] * BINS, np.int64)


def number(told: Mapping[str, Any], name: str) -> int:
    """A count of the summary; 0 if it says nothing."""
    return int(_number(told, name))


def _list(told: Mapping[str, Any], name: str) -> list[Any]:
    given = told.get(name)
    return given if isinstance(given, list) else []


def _number(told: Mapping[str, Any], name: str) -> float:
    """A number that is one, and not below 0; 0 for anything else."""
    given = told.get(name)
    return float(given) if isinstance(given, int | float) and 0 <= given < LARGEST else 0.0
