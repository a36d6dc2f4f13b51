"""Where values lie on an axis of a plot, linear or logarithmic, and which values are written beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from experiments.reproduction.record import Axis

# Labels that an axis has room for.
ROOM = 7

# A logarithmic axis of no more decades than this has room for 2 and 5 between the powers of ten.
FINE = 2.2


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``, drawn from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def place(self, value: float) -> float:
        """Return where a value is drawn."""
        if self.logarithmic:
            share = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the values that are written."""
        return self._powers() if self.logarithmic else self._steps()

    def _powers(self) -> list[float]:
        decades = log10(self.high / self.low)
        parts = (1, 2, 5) if decades <= FINE else (1,)
        every = 1 + int(decades / ROOM)
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        values = [part * 10.0**power for power in powers if power % every == 0 for part in parts]
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]

    def _steps(self) -> list[float]:
        step = _round((self.high - self.low) / ROOM)
        first = ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]


def scale(axis: Axis, values: Sequence[float], start: float, end: float) -> Scale:
    """Return a scale for some values, widened to round numbers where the axis does not say its range."""
    low, high = min(values), max(values)
    if axis.logarithmic:
        low, high = _decade(low, floor), _decade(high, ceil)
    else:
        step = _round((max(high, low + 1e-12) - min(low, 0)) / ROOM)
        low, high = min(0.0, floor(low / step) * step), ceil(high / step) * step
    low, high = low if axis.low is None else axis.low, high if axis.high is None else axis.high
    return Scale(low, high if high > low else low + 1, start, end, axis.logarithmic)


def _decade(value: float, rounded: Callable[[float], int]) -> float:
    """Rounded to one digit: a whole decade would leave half of a plot empty."""
    power = 10.0 ** floor(log10(value))
    return rounded(value / power) * power


def _round(step: float) -> float:
    """Return the next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next(part * power for part in (1, 2, 5, 10) if part * power >= step * 0.999)


def written(value: float) -> str:
    """Return a value as it stands beside an axis: 0.02, 50, 20k, 1M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1e3 if name == 'k' else unit):g}{name}"
    return f"{round(value, 9):g}"
