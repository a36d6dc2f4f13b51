"""How many shingles pairs of documents share, exactly.

Two documents are gone through side by side, which costs as much as both are long. Templated pages come in crowds, in
which each is compared with hundreds of others; what a crowd has is therefore numbered once, and then compared many
shingles at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import Rows, spans
from whorl.fingerprinting.ahead import Ahead

# Documents are a crowd if going through pairs would look at each of their shingles so often, and at so many in all.
AGAIN = 16
LEAST = 1 << 18

# Bytes that a shingle of a crowd takes, with the hash that is read of it.
EACH = 24
HASH = 8

# A crowd of more shingles than this is numbered in halves.
LARGE = 1 << 20

# Shingles of a crowd are numbered in 32 bits.
MOST = (1 << 31) - 1

# Pairs that are compared at a time.
STEP = 1 << 16

Numbers = NDArray[Any]

# Told how many pairs were compared.
Told = Callable[[int], object]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Pairs of documents by number, left < right, in order. ``needed`` tells how many shingles documents must share:
    those that share fewer may be told to share even less."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    needed: Callable[[Numbers, Numbers], NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.left)

    def starts(self, count: int) -> NDArray[np.int64]:
        """Where the pairs of each of so many documents begin, as the left one, and the last one's end."""
        return np.searchsorted(self.left, np.arange(count + 1, dtype=np.int32))


def shared(rows: Rows, asked: Asked, memory: int, ahead: Ahead, told: Told = lambda count: None) -> NDArray[np.int64]:
    """How many hashes the documents of each pair share. ``memory`` is what crowds may take, or hashes of pairs."""
    counts = np.zeros(len(asked), np.int64)
    starts = asked.starts(len(rows))
    numbers = np.full(len(rows), -1, np.int32)

    def build(ranged: _Range) -> tuple[_Range, Any]:
        members, own, places = ranged.members, ranged.rows, ranged.places
        pairs = int((starts[members + 1] - starts[members]).sum())
        begins, ends = own.bounds[places], own.bounds[places + 1]
        return ranged, kernel.crowds().Crowd(own.hashes, begins, ends, members, pairs, ranged.low, ranged.high)

    def compare(part: _Part) -> int:
        for crowd in part.crowds:
            crowd.shared(part.first, part.last, starts, asked.right, numbers, counts)
        return part.pairs

    for group in _within(crowded(rows, asked), rows, memory):
        for members in group:
            numbers[members] = np.arange(len(members))
        ranges = (ranged for members in group for ranged in _ranges(members, rows, memory))
        for pairs in ahead.map(compare, _parts(ahead.map(build, ranges), starts)):
            told(pairs)

    def go_through(part: Numbers) -> int:
        left, right = asked.left[part], asked.right[part]
        counts[part] = side_by_side(rows, left, right, asked.needed(left, right), memory, ahead.threads)
        return len(part)

    others = np.flatnonzero(numbers[asked.left] < 0)
    for pairs in ahead.map(go_through, (others[at : at + STEP] for at in range(0, len(others), STEP))):
        told(pairs)
    return counts


def side_by_side(
    rows: Rows, left: Numbers, right: Numbers, needed: NDArray[np.float64], memory: int, threads: int = 1
) -> NDArray[np.int64]:
    """The same of any pairs, one by one. So many threads do it, and share the memory."""
    if rows.fits(memory):
        return _side_by_side(rows, left, right, needed)
    counts = np.zeros(len(left), np.int64)
    sizes = np.concatenate([[0], np.cumsum(rows.sizes[left] + rows.sizes[right])])
    for start, end in spans(sizes, memory // threads // HASH):
        part = slice(start, end)
        documents, places = np.unique(np.concatenate([left[part], right[part]]), return_inverse=True)
        lefts, rights = np.split(places, 2)
        counts[part] = _side_by_side(rows.gathered(documents), lefts, rights, needed[part])
    return counts


def _side_by_side(rows: Rows, left: Numbers, right: Numbers, needed: NDArray[np.float64]) -> NDArray[np.int64]:
    lefts, rights = (np.ascontiguousarray(side, np.int64) for side in (left, right))
    counts: NDArray[np.int64] = kernel.pairs().shared(rows.hashes, rows.bounds, lefts, rights, needed)
    return counts


def crowded(rows: Rows, asked: Asked) -> list[Numbers]:
    """The members of each crowd: all that pairs connect, if numbering their shingles pays."""
    count = len(rows)
    roots = connected(count, asked.left, asked.right)
    degrees = np.diff(asked.starts(count)) + np.bincount(asked.right, minlength=count)
    each = np.bincount(roots, weights=rows.sizes, minlength=count)
    looks = np.bincount(roots, weights=rows.sizes * degrees, minlength=count)
    pays = (looks >= LEAST) & (looks >= AGAIN * each)
    members = np.flatnonzero(pays[roots])
    members = members[np.argsort(roots[members], kind="stable")]
    crowds = np.split(members, np.flatnonzero(np.diff(roots[members])) + 1) if len(members) else []
    # The largest first: the others are numbered while it is compared.
    return sorted(crowds, key=lambda own: -each[roots[own[0]]])


def connected(count: int, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each of so many documents the first of those that pairs connect it with: union-find over all pairs."""
    roots = np.arange(count, dtype=np.int32)
    kernel.matching().unite(roots, left, right)
    while (roots != roots[roots]).any():
        roots = roots[roots]
    return roots


def _within(crowds: Sequence[Numbers], rows: Rows, memory: int) -> Iterator[list[Numbers]]:
    """Crowds that fit the memory together. One that does not fit alone is left out, and gone through side by side."""
    sizes = rows.sizes
    group: list[Numbers] = []
    held = 0
    for members in crowds:
        shingles = int(sizes[members].sum())
        each = EACH * shingles
        if each > memory or shingles > MOST:
            continue
        if held + each > memory:
            yield group
            group, held = [], 0
        group.append(members)
        held += each
    if group:
        yield group


@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """A crowd's hashes from the lowest to the highest, the rows that have them, and where in these its members are."""

    members: Numbers
    rows: Rows
    places: Numbers
    low: int
    high: int


def _ranges(members: Numbers, rows: Rows, memory: int) -> list[_Range]:
    """A large crowd is numbered in halves, which two threads can do."""
    size = int(rows.sizes[members].sum())
    edges = [0, 1 << 63, 1 << 64] if size > LARGE else [0, 1 << 64]
    own, places = (rows, members) if rows.fits(memory) else (rows.gathered(members), np.arange(len(members)))
    return [_Range(members, own, places, low, end - 1) for low, end in pairwise(edges)]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What is compared at a time: members that are the left ones of so many pairs, in all ranges of their crowd."""

    crowds: list[Any]
    first: int
    last: int
    pairs: int


def _parts(crowds: Iterable[tuple[_Range, Any]], starts: NDArray[np.int64]) -> Iterator[_Part]:
    """About as many pairs at a time as are compared together."""
    for _, ranges in groupby(crowds, lambda built: built[0].members[0]):
        every = list(ranges)
        members = every[0][0].members
        bounds = np.concatenate([[0], np.cumsum(starts[members + 1] - starts[members])])
        for first, last in spans(bounds, STEP):
            yield _Part([crowd for _, crowd in every], first, last, int(bounds[last] - bounds[first]))
