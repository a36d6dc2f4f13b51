"""The evidence of a document: the streams of its files, concatenated, without starter code."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.engine.fingerprints import Fingerprints
from whorl.kernel import native_matching
from whorl.model import Hashes, Offsets, Span, Stream, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class SiftedFile:
    """One file of a document: its stream, its fingerprints, the sorted disjoint spans of starter code in its text, and
    which symbols come from these spans; None without any starter code."""

    stream: Stream
    fingerprints: Fingerprints
    sanctioned: tuple[Span, ...] = ()
    covered: NDArray[np.bool_] | None = None


def sift(stream: Stream, fingerprints: Fingerprints, sanctioned: Sequence[Span] | None) -> SiftedFile:
    """Mark the symbols that come from spans of starter code."""
    if sanctioned is None:
        return SiftedFile(stream, fingerprints)
    return SiftedFile(stream, fingerprints, tuple(sanctioned), inside(stream, sanctioned))


def inside(stream: Stream, spans: Sequence[Span]) -> NDArray[np.bool_]:
    """Return which symbols lie inside these spans, which are sorted and disjoint."""
    if not spans:
        return np.zeros(len(stream), np.bool_)
    starts, ends = (np.array(column, np.int64) for column in zip(*spans, strict=True))
    at = np.searchsorted(starts, stream.spans.starts, "right") - 1
    is_inside: NDArray[np.bool_] = (at >= 0) & (stream.spans.ends <= ends[at])
    return is_inside


# Hashes of k-grams, ascending, and the position of each.
Once: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.intp]]

# Slots of a filter per k-gram, as a power of two: of other k-grams, one in four to eight passes.
SPARE = 2


class KeptGrams:
    """The k-grams that occur once in a document, with a filter that most k-grams of others do not pass."""

    def __init__(self, hashes: NDArray[np.uint32], places: NDArray[np.intp]) -> None:
        self._hashes, self._places = hashes, places
        self._shift = np.uint32(32 - min(32, len(hashes).bit_length() + SPARE))
        self._is_there = np.zeros(1 << (32 - int(self._shift)), np.bool_)
        self._is_there[hashes >> self._shift] = True

    def passing(self, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which hashes may be among these."""
        return self._is_there.take(hashes >> self._shift)

    def shared(self, hashes: NDArray[np.uint32]) -> Once:
        """Return those that are among some distinct hashes, which ascend."""
        if not len(self._hashes):
            return self._hashes, self._places
        at = np.minimum(self._hashes.searchsorted(hashes), len(self._hashes) - 1)
        at = at[self._hashes[at] == hashes]
        return self._hashes[at], self._places[at]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A document's symbols, each with its span in its file. No match crosses ``bounds``: the ends of
    files, and the places where starter code was removed. ``files`` is the number of the file between two bounds.

    ``hashes`` and ``places`` are the fingerprints, sorted by hash, then by position. ``once`` and ``grams`` are caches
    of ``whorl.matching.matches``: the k-grams that occur once, by k, and the hashes of all, by k and width of symbols.
    """

    symbols: Symbols
    starts: Offsets
    ends: Offsets
    bounds: NDArray[np.int32]
    files: NDArray[np.int32]
    hashes: Hashes
    places: NDArray[np.int32]
    once: dict[int, KeptGrams] = field(default_factory=dict, init=False, repr=False)
    grams: dict[tuple[int, int], NDArray[np.uint32]] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.symbols)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays, in the order of the fields."""
        return self.symbols, self.starts, self.ends, self.bounds, self.files, self.hashes, self.places


def shared_hashes(left: Hashes, right: Hashes) -> Hashes:
    """Return the hashes that both sides have, ascending and distinct; both ascend."""
    return native_matching.common(left, right)[0]


def gather(files: Sequence[Evidence]) -> Evidence:
    """Concatenate the evidence of a document's files; file number i is the i-th."""
    if len(files) == 1:
        return files[0]
    sizes = np.cumsum([0, *map(len, files)])
    shifted = list(zip(sizes.tolist(), files, strict=False))
    hashes = _row([each.hashes for each in files], np.uint64)
    places = _row([each.places + np.int32(shift) for shift, each in shifted], np.int32)
    order = np.lexsort((places, hashes))
    return Evidence(
        _row([each.symbols for each in files], np.uint8),
        _row([each.starts for each in files], np.int32),
        _row([each.ends for each in files], np.int32),
        _row([np.zeros(1, np.int32), *(each.bounds[1:] + np.int32(shift) for shift, each in shifted)], np.int32),
        _row([each.files + np.int32(number) for number, each in enumerate(files)], np.int32),
        hashes[order],
        places[order],
    )


def evidence(file: SiftedFile) -> Evidence:
    """Return the evidence of one file."""
    spans, fingerprints = file.stream.spans, file.fingerprints
    if file.covered is None:
        size = len(file.stream)
        hashes, places = fingerprints.hashes, fingerprints.positions
        symbols, starts, ends = file.stream.symbols, spans.starts, spans.ends
        bounds = np.array([0, size] if size else [0], np.int32)
    else:
        counts = ~file.covered
        before = np.concatenate([[0], np.cumsum(counts)])
        # A k-gram that contains starter code is no evidence.
        k, positions = fingerprints.scheme.k, fingerprints.positions
        chosen = np.flatnonzero(before[positions + k] - before[positions] == k)
        hashes, places = fingerprints.hashes[chosen], before[positions[chosen]]
        symbols, starts, ends = file.stream.symbols[counts], spans.starts[counts], spans.ends[counts]
        last = np.flatnonzero(counts & np.append(file.covered[1:], True))
        bounds = np.concatenate([[0], before[last + 1]]).astype(np.int32)
    order = hashes.argsort(kind="stable")  # the places ascend
    files = np.zeros(len(bounds) - 1, np.int32)
    return Evidence(symbols, starts, ends, bounds, files, hashes[order], places[order].astype(np.int32))


def _row(columns: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    """Concatenate columns; without any, return an empty array of this type."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns) if columns else np.zeros(0, kind)
