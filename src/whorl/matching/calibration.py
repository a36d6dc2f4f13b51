"""How good a chain chance makes in a collection: measured on pairs of its own documents.

Most pairs of a collection are unrelated, even where some copied. What their best chains reach, beyond the bits of their
lengths, has an exponential tail (Karlin and Altschul 1990): every halving of the pairs costs the same number of bits.
The upper quarter and the upper eighth of the pairs tell how many; copies may be among the eighth.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from math import log2

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
    count = min(documents, DOCUMENTS)
    return [documents * number // count for number in range(count)]


def calibrated(documents: Sequence[Evidence], scheme: Scheme, find: Finding) -> Background:
    """What some documents of a collection share. ``find`` finds the matches of two."""
    common = counted([own.hashes for own in documents])
    bests = [_best(documents[i], documents[j], scheme, find, common) for i, j in _pairs(len(documents))]
    return replace(common, margin=margin(bests)) if len(bests) >= FEWEST else common


def margin(bests: Sequence[float]) -> float:
    """What one in ``RARE`` unrelated pairs reaches, by what some pairs do; no less than what is asked where nothing is
    known. A halving costs one bit at least, as it would if matches were independent."""
    quarter, eighth = sorted(bests)[-(len(bests) // 4)], sorted(bests)[-(len(bests) // 8)]
    return max(MARGIN, quarter + max(1.0, eighth - quarter) * log2(RARE / 4))


def _pairs(count: int) -> list[tuple[int, int]]:
    """Pairs of numbers below ``count``, those that are far apart first: neighbours have like names, and one author."""
    steps = sorted(range(1, count), key=lambda step: abs(step - count // 2))
    return list(islice(chain.from_iterable(((i, i + step) for i in range(count - step)) for step in steps), PAIRS))


def _best(left: Evidence, right: Evidence, scheme: Scheme, find: Finding, background: Background) -> float:
    """What the best chain of a pair has beyond the bits of their lengths."""
    sizes, found = (len(left), len(right)), scored(find(left, right), left, right, scheme, background)
    return max((one.score for one in found), default=0.0) - background.least(sizes) + background.margin
