"""Find the matches of two documents by fingerprints and rare k-grams; verify and extend them on their streams."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Key, hasher
from whorl.kernel import native_matching, native_passages
from whorl.matching.evidence import Evidence, KeptGrams, Once
from whorl.model import Symbols
from whorl.scheme import Scheme

# Added to a diagonal so that it is not negative: see ``whorl.kernel.native_matching``.
ORIGIN = 1 << 31

# How many times longer a side is whose k-grams are sorted once for many pairs. They take 12 bytes a symbol.
LOPSIDED = 16


def rare_keys(left: Evidence, right: Evidence, symbols: tuple[Symbols, Symbols], k: int) -> NDArray[np.uint64]:
    """Return the keys of such k-grams' positions, as ``kernel.matching`` takes them. ``symbols`` are those of both
    sides, in one width. A hash collision hides a k-gram or adds a key without a match; matches are verified later."""
    once = _lopsided(left, right, symbols, k)
    if once is None:
        hashes = _hashes(left, symbols[0], k), _hashes(right, symbols[1], k)
        possible = _possible(left, len(hashes[0]), k), _possible(right, len(hashes[1]), k)
        return native_matching.once(*hashes, possible[0].view(np.uint8), possible[1].view(np.uint8))
    _, lefts, rights = np.intersect1d(once[0][0], once[1][0], assume_unique=True, return_indices=True)
    starts, others = once[0][1][lefts], once[1][1][rights]
    keys: NDArray[np.uint64] = (starts - others + ORIGIN).astype(np.uint64) << np.uint64(32) | starts.astype(np.uint64)
    return keys


def _lopsided(left: Evidence, right: Evidence, symbols: tuple[Symbols, Symbols], k: int) -> list[Once] | None:
    """Return the k-grams that occur once on each side, at least those that both sides have, if one side is much longer,
    as a manuscript is beside each of its sources. The k-grams of the long side are sorted once and kept, so that a pair
    costs what the short side costs. None for other pairs."""
    sides = list(zip((left, right), symbols, strict=True))
    long = 0 if len(left) > len(right) else 1
    if len(sides[long][0]) < LOPSIDED * len(sides[1 - long][0]):
        return None
    kept = sides[long][0].once
    if k not in kept:
        kept[k] = KeptGrams(*_all_once(*sides[long], k))
    short = _all_once(*sides[1 - long], k, kept[k])
    shared = kept[k].shared(short[0])
    return [shared, short] if long == 0 else [short, shared]


def _all_once(side: Evidence, symbols: Symbols, k: int, among: KeptGrams | None = None) -> Once:
    """Return the k-grams that occur once on a side, at least those that are ``among`` others."""
    hashes = _hashes(side, symbols, k)
    is_possible = _possible(side, len(hashes), k)
    places = np.flatnonzero(is_possible if among is None else among.passing(hashes) & is_possible)
    return _once(hashes[places], places)


def _hashes(side: Evidence, symbols: Symbols, k: int) -> NDArray[np.uint32]:
    """Return the hashes of a side's k-grams. They are kept: a query is compared with many documents."""
    if len(symbols) < k:
        return np.zeros(0, np.uint32)
    key = k, symbols.itemsize
    if key not in side.grams:
        rolling = hasher(Key.PUBLIC, k)
        side.grams[key] = rolling.order(rolling.fold(symbols), k)
    return side.grams[key]


def _possible(side: Evidence, count: int, k: int) -> NDArray[np.bool_]:
    """Return which k-grams are evidence: those that cross no bound."""
    is_possible = np.ones(count, np.bool_)
    for bound in side.bounds[1:-1].tolist():
        is_possible[max(0, bound - k + 1) : bound] = False
    return is_possible


def _once(hashes: NDArray[np.uint32], places: NDArray[np.intp]) -> Once:
    """Return the hashes that occur once, ascending, and their positions."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    differs = np.ones(len(ordered) + 1, np.bool_)
    differs[1:-1] = ordered[1:] != ordered[:-1]
    is_once = differs[1:] & differs[:-1]
    return ordered[is_once], places[order[is_once]]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Maximal matches in the order of the left side: their starts on both sides, in symbols of the evidence, and their
    lengths, each at least ``shortest``."""

    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    lengths: NDArray[np.int32]
    shortest: int

    def __len__(self) -> int:
        return len(self.lengths)


# Finds the matches of two documents.
MatchFinder = Callable[[Evidence, Evidence], Matches]


def find_matches(
    left: Evidence, right: Evidence, scheme: Scheme, shortest: int | None = None, *, rare: bool = False
) -> Matches:
    """Return the matches of two documents. ``shortest`` is the minimum number of symbols that a fingerprint covers, if
    some cover fewer than k. ``rare`` adds matches through k-grams that occur once on each side, selected or not."""
    k = min(scheme.k, shortest or scheme.k)
    lefts, rights, lengths = _maximal(left, right, scheme, k, rare=rare)
    sizes, guarantee = (len(left), len(right)), scheme.guarantee or scheme.k
    chosen = native_passages.choose(lefts, rights, lengths, sizes, k, guarantee)
    lefts, rights, lengths = lefts[chosen], rights[chosen], lengths[chosen]
    order = np.lexsort((lengths, rights, lefts))
    return Matches(lefts[order], rights[order], lengths[order], k)


def longest_match(left: Evidence, right: Evidence, scheme: Scheme, *, rare: bool = False) -> int:
    """Return the length of the longest of the matches of two documents; 0 if there is none. The longest is always
    chosen, so there is no need to choose."""
    return int(_maximal(left, right, scheme, scheme.k, rare=rare)[2].max(initial=0))


def _maximal(
    left: Evidence, right: Evidence, scheme: Scheme, k: int, *, rare: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return all maximal matches: where they begin on both sides, and their lengths."""
    keys = native_matching.seeds(left.hashes, left.places, right.hashes, right.places)
    symbols = _in_one_width(left.symbols, right.symbols)
    if rare and len(keys):
        keys = np.sort(np.concatenate([keys, rare_keys(left, right, symbols, scheme.k)]))
    return native_matching.matches(symbols[0], left.bounds, symbols[1], right.bounds, keys, k)


def _in_one_width(left: Symbols, right: Symbols) -> tuple[Symbols, Symbols]:
    if left.dtype == right.dtype:
        return np.ascontiguousarray(left), np.ascontiguousarray(right)
    width = np.result_type(left, right)
    return np.ascontiguousarray(left, width), np.ascontiguousarray(right, width)
