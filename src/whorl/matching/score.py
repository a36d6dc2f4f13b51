"""The score of a pair: a few parts that a person can check, damped if there is little evidence.

    score = (similarity + containment) / 2 · damping

Similarity and containment are means over the parts, in which the lowest counts half. A program has three parts: tokens,
normal form and statements; any other document has its symbols alone. Parts count fingerprints inside passages only, so
the score reflects what a report marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from operator import add
from typing import NamedTuple

from whorl.scheme import Scheme

# Evidence that needs no damping, in guarantees of the scheme: 110 tokens of a program, 390 letters. Below it, damp by
# the square root of the share, because chance overlap varies as the root of the length. Chosen by leaving out one
# labelled set at a time (docs/quality.md): 8 to 20 rank alike. Undamped, every program "contains" one of 12 tokens.
ENOUGH = 10

# Weight of the lowest part. A disguise lowers one part and leaves the others, so the lowest counts less. At 0, an
# independent program with the same normal form ties with a verbatim copy; at 1, the deepest disguises rank below
# independent programs.
LOWEST = 0.5


class ScorePart(NamedTuple):
    """One part of a score: ``tokens``, ``normal form``, ``statements``, ``characters`` or ``words``.

    ``similarity`` is the weighted share of the combined fingerprints that both have inside passages, ``containment``
    the weighted share of the smaller document's."""

    name: str
    similarity: float
    containment: float


@dataclass(frozen=True, slots=True)
class Score:
    """A score with its parts. ``matched`` counts the symbols inside passages, on the side with fewer; ``damping`` is
    the factor for this amount of evidence, from 0 to 1."""

    parts: tuple[ScorePart, ...]
    matched: int
    damping: float

    @property
    def similarity(self) -> float:
        """The mean similarity of the parts."""
        return mean([part.similarity for part in self.parts])

    @property
    def containment(self) -> float:
        """The mean containment of the parts."""
        return mean([part.containment for part in self.parts])

    @property
    def value(self) -> float:
        """The score: the damped mean of similarity and containment, because neither alone is enough."""
        return (self.similarity + self.containment) / 2 * self.damping


def mean(values: Sequence[float]) -> float:
    """Return the mean of values, in which the lowest of several has the weight ``LOWEST``."""
    if len(values) == 1:
        return values[0]
    # Not by sum(), which rounds otherwise from Python 3.12 on: the score of a pair is the same everywhere.
    return (reduce(add, values) - (1 - LOWEST) * min(values)) / (len(values) - 1 + LOWEST)


def make_score(parts: tuple[ScorePart, ...], matched: int, scheme: Scheme) -> Score:
    """Return the score of these parts for ``matched`` symbols inside passages."""
    return Score(parts, matched, damping(matched, scheme))


def damping(matched: int, scheme: Scheme) -> float:
    """Return the factor, from 0 to 1, for ``matched`` symbols of evidence."""
    return min(1.0, sqrt(matched / enough(scheme)))


def enough(scheme: Scheme) -> int:
    """Return the number of matched symbols that needs no damping."""
    return ENOUGH * (scheme.guarantee or scheme.k)


def make_part(name: str, shared: float, left: float, right: float) -> ScorePart:
    """Return a part, given the weights of the shared fingerprints and of each side's."""
    union, smaller = left + right - shared, min(left, right)
    if union <= 0 or smaller <= 0:
        return ScorePart(name, 0.0, 0.0)
    return ScorePart(name, min(1.0, shared / union), min(1.0, shared / smaller))
