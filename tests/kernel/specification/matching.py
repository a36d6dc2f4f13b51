"""What documents share, in plain Python: the specification of ``native_matching``.

A match is ``left[a : a + length] == right[b : b + length]``. A key packs a place in both documents so that keys in
order go through the diagonals one after the other: ``(a - b + 2**31) << 32 | a``.
"""

from bisect import bisect_right
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from whorl.model import Symbols

# Beyond this many pairs of places with one hash, each place is paired with one place of the other side, in turn: in a
# table of numbers a hash can stand in thousands of places, and all their pairs would say no more.
MANY = 1024

_ORIGIN = 1 << 31


def seeds(
    left_hashes: NDArray[np.uint64],
    left_places: NDArray[np.int32],
    right_hashes: NDArray[np.uint64],
    right_places: NDArray[np.int32],
) -> NDArray[np.uint64]:
    """The keys of all places with the same hash, in order. Both sides are sorted by hash, then by place."""
    right: dict[int, list[int]] = {}
    for hashed, place in zip(right_hashes.tolist(), right_places.tolist(), strict=True):
        right.setdefault(hashed, []).append(place)
    keys: list[int] = []
    for hashed, group in groupby(zip(left_hashes.tolist(), left_places.tolist(), strict=True), lambda item: item[0]):
        keys += _paired([place for _, place in group], right.get(hashed, []))
    return np.sort(np.array(keys, np.uint64))


def _paired(lefts: list[int], rights: list[int]) -> list[int]:
    if len(lefts) * len(rights) <= MANY:
        return [(a - b + _ORIGIN) << 32 | a for a in lefts for b in rights]
    turns = [(lefts[i % len(lefts)], rights[i % len(rights)]) for i in range(max(len(lefts), len(rights)))]
    return [(a - b + _ORIGIN) << 32 | a for a, b in turns]


def matches(
    left: Symbols,
    left_bounds: NDArray[np.int32],
    right: Symbols,
    right_bounds: NDArray[np.int32],
    keys: NDArray[np.uint64],
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The maximal matches through the keys, in their order: where they begin on both sides, and their lengths.

    A key whose k-grams differ (their hashes collided) gives none, and one inside the match before it gives no second.
    A match crosses no bound; the bounds of a side begin with 0 and end with its length.
    """
    result: list[tuple[int, int, int]] = []
    for key in keys.tolist():
        a = key & 0xFFFFFFFF
        b = a - ((key >> 32) - _ORIGIN)
        if result and result[-1][0] - result[-1][1] == a - b and a < result[-1][0] + result[-1][2]:
            continue
        if left[a : a + k].tolist() == right[b : b + k].tolist():
            result.append(_extended(left, _around(left_bounds, a), right, _around(right_bounds, b), a, b, k))
    columns = np.array(result, np.int32).reshape(-1, 3)
    return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy()


def _around(bounds: NDArray[np.int32], place: int) -> tuple[int, int]:
    """The bounds on both sides of a place."""
    at = bisect_right(bounds.tolist(), place)
    return int(bounds[at - 1]), int(bounds[at])


def _extended(
    left: Symbols, around_left: tuple[int, int], right: Symbols, around_right: tuple[int, int], a: int, b: int, k: int
) -> tuple[int, int, int]:
    back = 0
    while a - back > around_left[0] and b - back > around_right[0] and left[a - back - 1] == right[b - back - 1]:
        back += 1
    length = k
    while a + length < around_left[1] and b + length < around_right[1] and left[a + length] == right[b + length]:
        length += 1
    return a - back, b - back, back + length


def common(
    left_hashes: NDArray[np.uint64], right_hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The hashes that both sides have, ascending and distinct: each with its first place among those of the left side,
    and how often it occurs on each side. Both sides ascend."""
    lefts, rights = left_hashes.tolist(), right_hashes.tolist()
    both = sorted({*lefts} & {*rights})
    columns = ([function(each) for each in both] for function in (lefts.index, lefts.count, rights.count))
    begins, left_counts, right_counts = (np.array(column, np.int64) for column in columns)
    return np.array(both, np.uint64), begins, left_counts, right_counts


def once(
    left: NDArray[np.uint32],
    right: NDArray[np.uint32],
    left_possible: NDArray[np.uint8],
    right_possible: NDArray[np.uint8],
) -> NDArray[np.uint64]:
    """The keys, in any order, of the hashes that occur once at a possible place of each side. The sides are the hashes
    of all their places."""
    places: list[dict[int, list[int]]] = []
    for hashes, possible in ((left, left_possible), (right, right_possible)):
        places.append({})
        for place in np.flatnonzero(possible).tolist():
            places[-1].setdefault(int(hashes[place]), []).append(place)
    both = [(places[0][each], places[1][each]) for each in places[0] if each in places[1]]
    keys = [_paired(lefts, rights) for lefts, rights in both if len(lefts) == len(rights) == 1]
    return np.array([key for of_hash in keys for key in of_hash], np.uint64)


def shared_inside(
    left_hashes: NDArray[np.uint64],
    left_places: NDArray[np.int32],
    left_starts: NDArray[np.int32],
    left_size: int,
    right_hashes: NDArray[np.uint64],
    right_places: NDArray[np.int32],
    right_starts: NDArray[np.int32],
    right_size: int,
    lengths: NDArray[np.int32],
    width: int,
) -> tuple[NDArray[np.uint64], int, int]:
    """The hashes, ascending and distinct, that both sides have inside runs: some run covers each of their ``width``
    symbols; and how many symbols of each side are in runs. Runs may overlap."""
    left = _covered(left_starts, lengths, left_size)
    right = _covered(right_starts, lengths, right_size)
    hashes = _inside(left_hashes, left_places, left, width) & _inside(right_hashes, right_places, right, width)
    return np.array(sorted(hashes), np.uint64), sum(left), sum(right)


def _covered(starts: NDArray[np.int32], lengths: NDArray[np.int32], size: int) -> list[bool]:
    is_covered = [False] * size
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        is_covered[start : start + length] = [True] * length
    return is_covered


def _inside(hashes: NDArray[np.uint64], places: NDArray[np.int32], is_covered: list[bool], width: int) -> set[int]:
    placed = zip(hashes.tolist(), places.tolist(), strict=True)
    return {each for each, place in placed if is_covered[place : place + width] == [True] * width}


def weigh(known: NDArray[np.uint64], weights: NDArray[np.float64], hashes: NDArray[np.uint64]) -> float:
    """The sum of the weights of some hashes, added in their order; unknown ones weigh nothing. Both ascend."""
    by_hash = dict(zip(known.tolist(), weights.tolist(), strict=True))
    total = 0.0
    for each in hashes.tolist():
        total += by_hash.get(each, 0.0)
    return total


def match_weights(
    left_hashes: NDArray[np.uint64],
    left_places: NDArray[np.int32],
    right_hashes: NDArray[np.uint64],
    known: NDArray[np.uint64],
    rarities: NDArray[np.float64],
    costs: NDArray[np.float64],
    lefts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    size: int,
    shortest: int,
    bits: float,
    least: float,
) -> NDArray[np.float64]:
    """The weights of matches, by their starts on the left side and their lengths: ``bits`` a symbol, times the highest
    share of the shared fingerprints that begin in a match, ``shortest`` symbols or more before its end; their full
    weight without any. A share is the rarity of the fingerprint, less the cost of the number of its pairs of places;
    ``least`` at least, and beyond all ``costs``."""
    rarity = dict(zip(known.tolist(), rarities.tolist(), strict=True))
    shares = [0.0] * size
    columns = (column.tolist() for column in common(left_hashes, right_hashes))
    for hashed, begin, left, right in zip(*columns, strict=True):
        cost = costs[left * right] if left * right < len(costs) else np.inf
        for place in left_places[begin : begin + left].tolist():
            shares[place] = max(shares[place], least, rarity.get(hashed, 1.0) - cost)
    matched = zip(lefts.tolist(), lengths.tolist(), strict=True)
    kept = [(length, max(shares[start : start + length - shortest + 1])) for start, length in matched]
    return np.array([length * bits * (share or 1.0) for length, share in kept], np.float64)
