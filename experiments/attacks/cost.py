"""What it costs to get away by inserting dead statements: how much larger the copy must be until its score is low."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from experiments.attacks import insertion
from experiments.attacks.measuring import COPY, attacked
from experiments.attacks.program import Program, programs
from experiments.attacks.scoring import scores
from experiments.attacks.syntax import size
from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.findings import findings

# What is left of a copy's score when its author stops: a quarter.
TARGET = 0.25

# How much larger programs are made, step by step; the last is more than anybody would dare.
STEPS = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
QUICK = (1.5, 3.0, 5.0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one copy cost: its growth when its score was low enough, None if it never was; and whether the submission
    was flagged, at that size or at the last."""

    program: str
    growth: float | None
    is_flagged: bool


@dataclass(frozen=True, slots=True)
class Bill:
    """The costs of all copies in a language, by one source of statements."""

    language: str
    source: str
    costs: tuple[Cost, ...]

    @property
    def growth(self) -> float | None:
        """The median growth; None if half of the copies or more never got away."""
        return _finite(median(cost.growth or float("inf") for cost in self.costs))

    @property
    def flagged(self) -> float:
        """The share of copies that are flagged."""
        return sum(cost.is_flagged for cost in self.costs) / len(self.costs)

    @property
    def escaped(self) -> int:
        """How many copies got away at less than five times their size, and were not flagged."""
        return sum(cost.growth is not None and cost.growth < 5 and not cost.is_flagged for cost in self.costs)


def bills(language: str, seed: int, steps: Sequence[float] = STEPS, *, normal_form: bool = True) -> Iterator[Bill]:
    """Yield the costs by each source of statements."""
    for source in insertion.SOURCES:
        yield Bill(language, source, tuple(_costs(language, source, seed, steps, normal_form)))


def _costs(language: str, source: str, seed: int, steps: Sequence[float], normal_form: bool) -> Iterator[Cost]:
    every = {each.name: each for each in programs(language)}
    # A program without a place for such statements is not attacked.
    waiting = {name: each for name, each in every.items() if _grown(each, source, seed, steps[0]) != each}
    copies = dict(waiting)
    for step in steps:
        grown = {name: _grown(each, source, seed, step) for name, each in waiting.items()}
        copies |= grown
        low = _low(language, grown, normal_form)
        for name in low:
            original = waiting.pop(name)
            yield Cost(name, _growth(original, copies[name]), is_flagged(copies[name]))
    for name in waiting:
        yield Cost(name, None, is_flagged(copies[name]))


def _grown(program: Program, source: str, seed: int, growth: float) -> Program:
    def attack(each: Program, chance: random.Random) -> Program:
        return insertion.attack(each, chance, growth, source)

    return attacked(program, attack, seed)


def _low(language: str, copies: dict[str, Program], normal_form: bool) -> list[str]:
    """Return the copies whose score is low enough. An untouched copy scores 1."""
    if not copies:
        return []
    whole = {each.name: each.files for each in programs(language)}
    disguised = {COPY.format(name): copy.files for name, copy in copies.items()}
    found = scores({**whole, **disguised}, "code", normal_form=normal_form)
    return [name for name in copies if found.of(name, COPY.format(name)) <= TARGET]


def _growth(original: Program, copy: Program) -> float:
    return size(copy.language, copy.text) / size(original.language, original.text)


def is_flagged(copy: Program) -> bool:
    """Return whether a copy, handed in among the examples, is flagged for what was inserted."""
    every = [*programs(copy.language), copy]
    texts = [
        SubmissionTexts(each.name, tuple(Text(name, each.language, text) for name, text in each.files))
        for each in every
    ]
    return bool(findings(texts).of_submission(len(every) - 1))


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value
