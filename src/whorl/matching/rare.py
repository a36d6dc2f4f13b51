"""K-grams that stand once in each of two documents: they carry nearly all that short matches tell."""

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.hasher import hasher
from whorl.hashing.key import Key
from whorl.matching.evidence import Evidence
from whorl.model import Symbols

# Added to a diagonal so that it is not negative: see ``twin_matching``.
ORIGIN = 1 << 31

# Slots of the sieve for each k-gram, as a power of two: one in four to eight of those that only one side has passes.
SPARE = 2


def rare_keys(left: Evidence, right: Evidence, symbols: tuple[Symbols, Symbols], k: int) -> NDArray[np.uint64]:
    """The keys of the places of such k-grams, as ``kernel.matching`` has them. ``symbols`` are those of both sides, in
    one width. Hashes that collide hide a k-gram, or give a key that is no match; matches are verified."""
    hashes = _hashes(symbols[0], k), _hashes(symbols[1], k)
    places = _both(hashes, (_possible(left, len(hashes[0]), k), _possible(right, len(hashes[1]), k)))
    once = [_once(own[at], at) for own, at in zip(hashes, places, strict=True)]
    _, lefts, rights = np.intersect1d(once[0][0], once[1][0], assume_unique=True, return_indices=True)
    starts, others = once[0][1][lefts], once[1][1][rights]
    keys: NDArray[np.uint64] = (starts - others + ORIGIN).astype(np.uint64) << np.uint64(32) | starts.astype(np.uint64)
    return keys


def _hashes(symbols: Symbols, k: int) -> NDArray[np.uint32]:
    if len(symbols) < k:
        return np.zeros(0, np.uint32)
    rolling = hasher(Key.PUBLIC, k)
    return rolling.order(rolling.fold(symbols), k)


def _possible(side: Evidence, count: int, k: int) -> NDArray[np.bool_]:
    """Which k-grams are evidence: none crosses a bound, none is sanctioned."""
    is_possible = np.ones(count, np.bool_)
    for bound in side.bounds[1:-1].tolist():
        is_possible[max(0, bound - k + 1) : bound] = False
    is_possible[side.barred] = False
    return is_possible


def _both(
    hashes: tuple[NDArray[np.uint32], NDArray[np.uint32]], possible: tuple[NDArray[np.bool_], NDArray[np.bool_]]
) -> list[NDArray[np.intp]]:
    """The places of k-grams that both sides may have: sorting all of them would cost most of the time."""
    width = (len(hashes[0]) + len(hashes[1])).bit_length() + SPARE
    slots = [own >> np.uint32(max(0, 32 - width)) for own in hashes]
    taken = [np.zeros(1 << min(32, width), np.bool_) for _ in slots]
    for full, own, are in zip(taken, slots, possible, strict=True):
        full[own[are]] = True
    return [np.flatnonzero(full.take(own) & are) for full, own, are in zip(taken[::-1], slots, possible, strict=True)]


def _once(hashes: NDArray[np.uint32], places: NDArray[np.intp]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Hashes that come once, ascending, and their places."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    differs = np.ones(len(ordered) + 1, np.bool_)
    differs[1:-1] = ordered[1:] != ordered[:-1]
    is_once = differs[1:] & differs[:-1]
    return ordered[is_once], places[order[is_once]]
