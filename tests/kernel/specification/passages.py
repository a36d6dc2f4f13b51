"""Passages made of matches, in plain Python: the specification of ``native_passages``."""

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.model import Symbols


def choose(
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    lengths: NDArray[np.int32],
    sizes: tuple[int, int],
    shortest: int,
    sure: int,
) -> NDArray[np.int64]:
    """The matches to show, by their numbers, ascending: greedy string tiling, longest first.

    First one to one: a match is chosen if, without its ends that longer ones have taken on either side, ``shortest``
    symbols are left of it; these are then taken on both sides. One that has lost an end waits for its turn among the
    shorter ones. Of equally long ones the first given goes first, those that have lost an end going before the others,
    the last to lose it first. Then, among the matches of at least ``sure`` symbols that were not chosen, those that
    hold ``shortest`` symbols on one side that no chosen match of at least ``sure`` symbols holds there: a passage that
    was pasted twice is found twice, and none is lost to shorter ones that may not be shown.
    """
    tiled = [bytearray(sizes[0]), bytearray(sizes[1])]
    chosen = _tiled(lefts, rights, lengths, shortest, tiled)
    covered = [bytearray(sizes[0]), bytearray(sizes[1])]
    for i in chosen:
        if lengths[i] >= sure:
            _take(covered, int(lefts[i]), int(rights[i]), int(lengths[i]))
    for i in sorted(range(len(lengths)), key=lambda i: (-int(lengths[i]), i)):
        a, b, length = int(lefts[i]), int(rights[i]), int(lengths[i])
        fresh = max(covered[0][a : a + length].count(0), covered[1][b : b + length].count(0))
        if i not in chosen and length >= sure and fresh >= shortest:
            chosen.add(i)
            _take(covered, a, b, length)
    return np.array(sorted(chosen), np.int64)


def _tiled(
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    lengths: NDArray[np.int32],
    shortest: int,
    tiled: list[bytearray],
) -> set[int]:
    waiting: dict[int, list[tuple[int, int, int]]] = {}
    for i in reversed(range(len(lengths))):
        waiting.setdefault(int(lengths[i]), []).append((i, int(lefts[i]), int(rights[i])))
    chosen = set()
    for length in range(max(waiting, default=0), shortest - 1, -1):
        stack = waiting.pop(length, [])
        while stack:
            i, a, b = stack.pop()
            first, last = 0, length
            while first < last and (tiled[0][a + first] or tiled[1][b + first]):
                first += 1
            while first < last and (tiled[0][a + last - 1] or tiled[1][b + last - 1]):
                last -= 1
            if last - first == length:
                chosen.add(i)
                _take(tiled, a, b, length)
            elif last - first >= shortest:
                waiting.setdefault(last - first, []).append((i, a + first, b + first))
    return chosen


def _take(marks: list[bytearray], a: int, b: int, length: int) -> None:
    marks[0][a : a + length] = b"\1" * length
    marks[1][b : b + length] = b"\1" * length


def chain(
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    lengths: NDArray[np.int32],
    left_files: NDArray[np.int32],
    right_files: NDArray[np.int32],
    weights: NDArray[np.float64],
    k: int,
    reach: int,
    bits: float,
    look: int,
    sure: int,
    enough: float,
) -> tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]
]:
    """Chains of matches, given in the order of the left side: repeatedly the best chain of unused matches. Of those
    with a match of ``sure`` symbols or a score of ``enough``: the starts and lengths of their matches, the bounds of
    each chain among them, its files on both sides, and its score."""
    files = list(zip(left_files.tolist(), right_files.tolist(), strict=True))
    links = list(zip(lefts.tolist(), rights.tolist(), lengths.tolist(), files, strict=True))
    scores, before = weights.tolist(), [-1] * len(links)
    for at, link in enumerate(links):
        best = weight = scores[at]
        for other in range(at - 1, max(-1, at - 1 - look), -1):
            cost = _cost(links[other], link, k, reach, bits)
            if cost is not None and scores[other] - cost + weight > best:
                best, before[at] = scores[other] - cost + weight, other
        scores[at] = best
    is_used, members, bounds, chained = [False] * len(links), list[int](), [0], list[float]()
    for last in sorted(range(len(links)), key=lambda at: -scores[at]):
        chain, at = list[int](), last
        while at >= 0 and not is_used[at]:
            is_used[at] = True
            chain.append(at)
            at = before[at]
        score = scores[last] - (scores[at] if at >= 0 else 0)
        if any(links[member][2] >= sure or score >= enough for member in chain):
            members += reversed(chain)
            bounds.append(len(members))
            chained.append(score)
    in_files = np.array([files[members[bound]] for bound in bounds[:-1]], np.int32).reshape(-1, 2).T
    numbers = np.array(members, np.intp)
    starts = lefts[numbers], rights[numbers]
    return *starts, lengths[numbers], np.array(bounds, np.int64), in_files, np.array(chained, np.float64)


# The starts of a match, its length and its files.
_Link: TypeAlias = tuple[int, int, int, tuple[int, int]]


def _cost(last: _Link, link: _Link, k: int, reach: int, bits: float) -> float | None:
    """What it costs to continue a chain with a match; None if it cannot follow: a gap costs one bit per ``k`` symbols,
    an overlap ``bits``."""
    gaps = link[0] - last[0] - last[2], link[1] - last[1] - last[2]
    begins_later = link[0] > last[0] and link[1] > last[1]
    ends_later = min(gaps) > -link[2]
    if last[3] != link[3] or max(gaps) > reach or min(gaps) <= -k or not begins_later or not ends_later:
        return None
    return max(0, *gaps) / k + max(0, -min(gaps)) * bits / k


def united(
    starts: NDArray[np.int32], lengths: NDArray[np.int32], bounds: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """How many places the runs of each group cover. The runs between two bounds are a group. None if the starts of a
    group do not ascend."""
    runs = list(zip(starts.tolist(), lengths.tolist(), strict=True))
    groups = [runs[first:last] for first, last in pairwise(bounds.tolist())]
    if any(one[0] > other[0] for group in groups for one, other in pairwise(group)):
        return None
    covered = [{at for start, length in group for at in range(start, start + length)} for group in groups]
    return np.array([len(places) for places in covered], np.int64)


def joined(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The union of spans as disjoint spans, ascending; those that touch are joined."""
    spans: list[list[int]] = []
    for start, end in sorted(zip(starts.tolist(), ends.tolist(), strict=True)):
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([start, end])
    table = np.array(spans, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def within(
    starts: NDArray[np.int64], ends: NDArray[np.int64], firsts: NDArray[np.int64], lasts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which spans lie inside one of several disjoint spans: from ``firsts`` to ``lasts``."""
    spans = list(zip(firsts.tolist(), lasts.tolist(), strict=True))
    inner = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.array([any(first <= start and end <= last for first, last in spans) for start, end in inner], np.bool_)


def uncovered(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    begins: NDArray[np.int32],
    lengths: NDArray[np.int32],
    bounds: NDArray[np.int64],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many symbols of the runs of each group lie outside of several disjoint spans: from ``firsts`` to ``lasts``.
    A symbol lies from one of ``starts`` to one of ``ends``. The runs between two bounds are a group."""
    is_inside = within(starts, ends, firsts, lasts)
    runs = list(zip(begins.tolist(), lengths.tolist(), strict=True))
    groups = [runs[first:last] for first, last in pairwise(bounds.tolist())]
    counts = [sum(int((~is_inside[begin : begin + length]).sum()) for begin, length in group) for group in groups]
    return np.array(counts, np.int64)


def statements(
    symbols: Symbols, marks: NDArray[np.uint32], shortest: int
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
    """The statements of a stream that have ``shortest`` symbols at least: the hash of each, its first symbol and its
    length. They begin at the marks with the highest bit; the first begins with the stream."""
    first = [i for i, mark in enumerate(marks.tolist()) if i == 0 or mark >> 31]
    rows = []
    for start, end in pairwise([*first, len(symbols)]):
        if end - start >= shortest:
            parts = (_mixed(_mixed(symbol) + at * _STEP) for at, symbol in enumerate(symbols[start:end].tolist()))
            rows.append((_mixed(sum(parts)), start, end - start))
    hashes, places, sizes = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(hashes, np.uint64), np.array(places, np.int32), np.array(sizes, np.int32)


# The step of SplitMix64 (Steele, Lea and Flood).
_STEP = 0x9E3779B97F4A7C15


def _mixed(value: int) -> int:
    """The number that SplitMix64 makes of another one."""
    value = value + _STEP & _ALL
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _ALL
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _ALL
    return value ^ value >> 31


_ALL = (1 << 64) - 1
