"""Measuring in turns: what is compared runs alternately, so that a noisy machine disturbs all alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of several rounds of one thing."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle round."""
        return statistics.median(self.seconds)

    def speed(self, size: int) -> str:
        """Megabytes a second: the median, and the range of the rounds."""
        low, high = size / max(self.seconds) / 1e6, size / min(self.seconds) / 1e6
        return f"{size / self.median / 1e6:7.0f} MB/s ({low:.0f}–{high:.0f})"


def in_turns(
    work: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, Timing]:
    """Run everything once to warm up, then ``rounds`` times in turns."""
    for run in work.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, run in work.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def ratio(slower: Timing, faster: Timing) -> str:
    """Return how many times faster: the median of the rounds' ratios, and their range."""
    ratios = [a / b for a, b in zip(slower.seconds, faster.seconds, strict=True)]
    return f"{statistics.median(ratios):.2f}× ({min(ratios):.2f}–{max(ratios):.2f})"
