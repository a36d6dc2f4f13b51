"""Chains of neighbouring matches over small gaps: edits and insertions part a copied piece into several matches."""

from collections.abc import Iterable
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


def chains(matches: Matches, left: Evidence, right: Evidence, k: int) -> list[list[Link]]:
    """The matches in chains, in the order of the left side. Each is in the chain that it continues with the smallest
    gaps, or begins one. Two neighbours may claim the same symbols, but fewer than k."""
    found: list[list[Link]] = []
    growing: list[list[Link]] = []
    for link in _links(matches, left, right):
        growing = [chain for chain in growing if link.left - _end(chain[-1])[0] <= GAP * k]
        gaps = [(gap, number) for number, chain in enumerate(growing) if (gap := _gap(chain[-1], link, k)) is not None]
        if gaps:
            growing[min(gaps)[1]].append(link)
        else:
            found.append([link])
            growing.append(found[-1])
    return found


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
