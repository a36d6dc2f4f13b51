"""What is told of a match in somebody else's document: enough to know that there is one, too little to find out what
it says by asking again and again.

Somebody who may ask as often as he likes could try sentences one by one, and learn from exact figures which of them
are stored. So a short query gets no answer about others, nor does a small overlap, and figures are three words.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whorl.service.settings import Others

# Letters that a query must have: some hundred words. Below, the few things that are tried could be told apart.
LETTERS = 600
# Fingerprints that must be shared: about eight windows, a paragraph and not a sentence.
SHARED = 8
# The least share of the query, or of the document, that must be the other's; and where "much" and "most" begin.
LEVELS = (0.2, 0.5, 0.8)
# Matches that are told: whether there are many more is nobody's business.
TOLD = 3

Level = Literal["some", "much", "most"]
NAMES: tuple[Level, ...] = ("some", "much", "most")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A match in somebody else's document. ``contact`` is told only under the policy of that name."""

    level: Level
    contact: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """What others' documents share with a query: their numbers, the shared fingerprints of each, and those of each
    document in all; and how many fingerprints of the query count."""

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    fingerprints: NDArray[np.int64]
    evidence: int


def levels(overlap: Overlap, letters: int, others: Others) -> list[tuple[int, Level]]:
    """The documents that are told, the highest level first: number and level. Within a level the oldest document comes
    first, which says nothing about how much it shares."""
    if others is Others.NOTHING or letters < LETTERS or not overlap.evidence:
        return []
    share = np.maximum(overlap.shared / overlap.evidence, overlap.shared / np.maximum(1, overlap.fingerprints))
    level = np.searchsorted(LEVELS, np.minimum(share, 1.0), side="right")
    level[overlap.shared < SHARED] = 0
    told = np.flatnonzero(level)
    order = told[np.lexsort((overlap.numbers[told], -level[told]))][:TOLD]
    return [(int(overlap.numbers[place]), NAMES[int(level[place]) - 1]) for place in order]
