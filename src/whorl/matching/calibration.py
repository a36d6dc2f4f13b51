"""How good a chain chance makes in a collection: measured on pairs of its own documents.

Most pairs of a collection are unrelated, even where some copied. What their best chains reach, beyond the bits of their
lengths, follows a Gumbel distribution (Karlin and Altschul 1990), which its median and upper quartile tell: those that
copied are in neither if they are fewer than a quarter.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from math import log

import numpy as np

from whorl.matching.background import MARGIN, Background, counted
from whorl.matching.evidence import Evidence
from whorl.matching.matches import Finding
from whorl.matching.unlikely import scored
from whorl.scheme import Scheme

# Documents of a collection that are looked at: of what one in twenty has, several have it.
DOCUMENTS = 64

# Pairs of them whose chains are looked at; of fewer than the second number nothing is told.
PAIRS, FEWEST = 32, 16

# One unrelated pair in so many may have a chain by chance.
RARE = 1000


def sample(documents: int) -> list[int]:
    """The numbers of the documents to look at, evenly spread."""
    return np.unique(np.linspace(0, documents - 1, min(documents, DOCUMENTS)).astype(int)).tolist() if documents else []


def calibrated(documents: Sequence[Evidence], scheme: Scheme, find: Finding) -> Background:
    """What some documents of a collection share. ``find`` finds the matches of two."""
    common = counted([own.hashes for own in documents])
    bests = [_best(documents[i], documents[j], scheme, find, common) for i, j in _pairs(len(documents))]
    return replace(common, margin=_margin(bests)) if len(bests) >= FEWEST else common


def _pairs(count: int) -> list[tuple[int, int]]:
    """Pairs of numbers below ``count``, those that are far apart first: neighbours have like names, and one author."""
    steps = sorted(range(1, count), key=lambda step: abs(step - count // 2))
    return list(islice(chain.from_iterable(((i, i + step) for i in range(count - step)) for step in steps), PAIRS))


def _best(left: Evidence, right: Evidence, scheme: Scheme, find: Finding, background: Background) -> float:
    """What the best chain of a pair has beyond the bits of their lengths."""
    found = scored(find(left, right), left, right, scheme, background)
    best: float = max((one.score for one in found), default=0.0)
    return best - background.least((len(left), len(right))) + background.margin


def _margin(bests: Sequence[float]) -> float:
    """What one in ``RARE`` unrelated pairs has; no less than what is asked where nothing is known."""
    middle, upper = np.quantile(bests, (0.5, 0.75)).tolist()
    width: float = (upper - middle) / (log(log(2)) - log(log(4 / 3)))
    reached: float = middle + width * (log(log(2)) - log(-log(1 - 1 / RARE)))
    return max(MARGIN, reached)
