"""The chains that unrelated documents do not have: matches are weighed, chained, joined, and judged."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.reading import CODE
from whorl.matching.background import Background
from whorl.matching.chain import Chain, Gaps, Link, chains, symbols
from whorl.matching.evidence import Evidence
from whorl.matching.matches import Matches
from whorl.matching.turned import joined
from whorl.matching.worth import weights
from whorl.scheme import Scheme

# The longest gap, in k-grams: a dozen lines. Of prose that is a paragraph that was rewritten, of a program a block
# that was put between two others.
REACH, CODE_REACH = 40, 12


def unlikely(matches: Matches, left: Evidence, right: Evidence, scheme: Scheme, background: Background) -> list[Chain]:
    """The chains to show: those with a match that the scheme promises to find, and those that chance does not explain.

    Of documents that are shorter than the guarantee themselves, all that there is to show is promised. No passage has
    fewer symbols than that: a phrase that one side repeats is one phrase, however often.
    """
    sizes = len(left), len(right)
    sure, least = min(scheme.guarantee or scheme.k, *sizes), background.least(sizes)
    return [
        chain
        for chain in scored(matches, left, right, scheme, background)
        if any(link.length >= sure for link in chain.links) or (chain.score >= least and symbols(chain) >= sure)
    ]


def scored(matches: Matches, left: Evidence, right: Evidence, scheme: Scheme, background: Background) -> list[Chain]:
    """All chains of some matches. Functions that were moved stay passages of their own; sentences do not."""
    worth = weights(matches, left, right, scheme.k, background)
    is_code = scheme.frontend == CODE
    gaps = Gaps(scheme.k, scheme.k * (CODE_REACH if is_code else REACH))
    found = chains(list(_links(matches, left, right, worth)), gaps)
    return found if is_code else joined(found, gaps)


def _links(matches: Matches, left: Evidence, right: Evidence, worth: NDArray[np.float64]) -> Iterable[Link]:
    files = zip(_files(left, matches.lefts), _files(right, matches.rights), strict=True)
    columns = matches.lefts.tolist(), matches.rights.tolist(), matches.lengths.tolist(), files, worth.tolist()
    return map(Link, *columns)


def _files(side: Evidence, starts: NDArray[np.int32]) -> list[int]:
    found: list[int] = side.files[np.searchsorted(side.bounds, starts, "right") - 1].tolist()
    return found
