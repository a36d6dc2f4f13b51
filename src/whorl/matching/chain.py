"""Chains of matches over gaps: edits and insertions part a copied piece into several matches.

A sparse chaining with gap costs, as genomes are aligned by their seeds (Eppstein, Galil, Giancarlo, Italiano 1992). A
chain is worth the bits of its matches, less what its gaps cost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Bits that a k-gram is worth. The k of a scheme is the length from which on chance matches are seldom: between two
# documents of a thousand symbols, 2^20 pairs of places, there is about one.
BITS = 20.0

# Matches that are looked back at, in the order of the left side: what continues a chain is near. Two texts that were
# made to share a piece everywhere cost this much a match and no more.
LOOK = 32


class Link(NamedTuple):
    """A match, in symbols of the evidence, the files that it is in, and its worth in bits."""

    left: int
    right: int
    length: int
    files: tuple[int, int]
    weight: float


@dataclass(frozen=True, slots=True)
class Chain:
    """Matches that a person reads as one piece, in the order of the left side, and what they are worth together."""

    links: tuple[Link, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Gaps:
    """What gaps cost: a bit for every ``k`` symbols on the side that has more of them. One may be ``reach`` symbols
    long. Neighbours may claim the same symbols, but fewer than k of them; these count once."""

    k: int
    reach: int

    def cost(self, last: Link, link: Link) -> float | None:
        """What it costs to continue a chain; None if the match cannot, or is too far off."""
        left, right = link.left - last.left - last.length, link.right - last.right - last.length
        gap, least = (left, right) if left > right else (right, left)
        if gap > self.reach or least <= -self.k or link.left <= last.left or link.right <= last.right:
            return None
        if last.files != link.files or left <= -link.length or right <= -link.length:
            return None
        return max(0, gap) / self.k + max(0, -least) * BITS / self.k


def chains(links: Sequence[Link], gaps: Gaps) -> list[Chain]:
    """All matches, given in the order of the left side, in chains: the best first, then the best of what it left."""
    scores, before = _best(links, gaps)
    used = [False] * len(links)
    found = []
    for last in sorted(range(len(links)), key=lambda at: -scores[at]):
        members, at = [], last
        while at >= 0 and not used[at]:
            used[at] = True
            members.append(links[at])
            at = before[at]
        if members:
            found.append(Chain(tuple(reversed(members)), scores[last] - (scores[at] if at >= 0 else 0)))
    return found


def _best(links: Sequence[Link], gaps: Gaps) -> tuple[list[float], list[int]]:
    """The score of the best chain that ends with each match, and the match before it there; -1 if there is none."""
    scores, before = [link.weight for link in links], [-1] * len(links)
    furthest = gaps.reach + max((link.length for link in links), default=0)
    for at, link in enumerate(links):
        for other in range(at - 1, max(-1, at - 1 - LOOK), -1):
            if link.left - links[other].left > furthest:
                break
            cost = gaps.cost(links[other], link)
            if cost is not None and scores[other] - cost + link.weight > scores[at]:
                scores[at], before[at] = scores[other] - cost + link.weight, other
    return scores, before


def symbols(chain: Chain) -> int:
    """How many symbols a chain's matches have, on the side that has fewer; what two of them claim counts once."""
    return chain.links[0].length if len(chain.links) == 1 else min(covered([chain]))


def covered(found: Sequence[Chain]) -> tuple[int, int]:
    """How many symbols of both sides are in the matches of chains, each counted once."""
    links = [link for chain in found for link in chain.links]
    return _union([(link.left, link.length) for link in links]), _union([(link.right, link.length) for link in links])


def _union(intervals: Iterable[tuple[int, int]]) -> int:
    total = reached = 0
    for start, length in sorted(intervals):
        total += max(0, start + length - max(start, reached))
        reached = max(reached, start + length)
    return total
