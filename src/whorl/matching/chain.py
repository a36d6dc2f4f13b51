"""Chains of neighbouring matches over small gaps: edits and insertions part a copied piece into several matches."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from whorl.matching.evidence import Evidence
from whorl.matching.matches import Matches

# A gap may be as long as this many k-grams: an inserted statement or two in code, half a sentence in prose.
GAP = 3


class Link(NamedTuple):
    """A match, in symbols of the evidence, and the files that it is in."""

    left: int
    right: int
    length: int
    files: tuple[int, int]


Chain = list[Link]


def chains(matches: Matches, left: Evidence, right: Evidence, k: int) -> list[Chain]:
    """The matches in chains, in the order of the left side. Each is in the chain that it continues with the smallest
    gaps, or begins one. Two neighbours may claim the same symbols, but fewer than k."""
    found: list[Chain] = []
    growing: list[Chain] = []
    for link in _links(matches, left, right):
        growing = [chain for chain in growing if link.left - _end(chain[-1])[0] <= GAP * k]
        gaps = [(gap, number) for number, chain in enumerate(growing) if (gap := _gap(chain[-1], link, k)) is not None]
        if gaps:
            growing[min(gaps)[1]].append(link)
        else:
            found.append([link])
            growing.append(found[-1])
    return found


def symbols(chain: Chain) -> int:
    """How many symbols a chain's matches have; what two neighbours claim counts once."""
    overlaps = sum(
        max(0, before.left + before.length - link.left, before.right + before.length - link.right)
        for before, link in pairwise(chain)
    )
    return sum(link.length for link in chain) - overlaps


def covered(found: Sequence[Chain]) -> tuple[int, int]:
    """How many symbols of both sides are in the matches of chains, each counted once."""
    links = [link for chain in found for link in chain]
    return _union([(link.left, link.length) for link in links]), _union([(link.right, link.length) for link in links])


def _union(intervals: Iterable[tuple[int, int]]) -> int:
    total = reached = 0
    for start, length in sorted(intervals):
        total += max(0, start + length - max(start, reached))
        reached = max(reached, start + length)
    return total


def _links(matches: Matches, left: Evidence, right: Evidence) -> Iterable[Link]:
    files = zip(_files(left, matches.lefts), _files(right, matches.rights), strict=True)
    return map(Link, matches.lefts.tolist(), matches.rights.tolist(), matches.lengths.tolist(), files)


def _files(side: Evidence, starts: "np.typing.NDArray[np.int32]") -> list[int]:
    found: list[int] = side.files[np.searchsorted(side.bounds, starts, "right") - 1].tolist()
    return found


def _end(link: Link) -> tuple[int, int]:
    return link.left + link.length, link.right + link.length


def _gap(last: Link, link: Link, k: int) -> int | None:
    """How far a match is behind the last of a chain, both sides together; None if it does not continue the chain."""
    if last.files != link.files:
        return None
    ends = _end(last)
    gaps = link.left - ends[0], link.right - ends[1]
    forward = link.left > last.left and link.right > last.right and -k < min(gaps) and max(gaps) <= GAP * k
    return abs(gaps[0]) + abs(gaps[1]) if forward and _end(link) > ends and _end(link)[1] > ends[1] else None
