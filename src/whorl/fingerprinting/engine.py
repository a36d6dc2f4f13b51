"""The engine: consecutive pieces of a stream in, selected k-grams out. Knows no format.

A document is worked on in runs that overlap, so the memory that it takes does not grow with the document, only with
what is selected from it; and runs can be prepared on several threads. Neither changes the result.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.catalog import SELECTORS
from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.fingerprinting.prolog import without_prolog
from whorl.hashing.grams import Grams
from whorl.hashing.hasher import Hasher, hasher
from whorl.hashing.key import Key
from whorl.model import Offsets, Spans, Stream, Symbols
from whorl.scheme import Scheme
from whorl.selectors.protocol import Positions, Selection, Selector

T = TypeVar("T", bound=np.generic)

# Symbols in a run. Shorter ones spend their time in the interpreter: 2^16 costs a fifth of the speed; 2^20 gains 3% and
# takes twice the memory.
RUN = 1 << 19

# Below this, positions and spans are kept in 32 bits.
WIDE = 2**31


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive k-grams of a document, and the streams that their symbols come from, one after the other.

    Without streams, the symbols are the text.
    """

    grams: Grams
    streams: tuple[Stream, ...] = ()


def selector(scheme: Scheme) -> Selector:
    """The scheme's selector, with its parameters."""
    row = SELECTORS.row(scheme.select)
    made: Selector = row.load()(**{name: getattr(scheme, name) for name in row.takes})
    return made


def select_streams(streams: Iterable[Stream], scheme: Scheme, key: Key, ahead: Ahead) -> Fingerprints:
    """Fingerprint a document whose stream comes in consecutive pieces."""
    selection = selector(scheme).begin(scheme.k)
    streams = without_prolog(streams, scheme.prolog)
    return _select(_joined(streams, hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def select_symbols(symbols: Symbols, scheme: Scheme, key: Key, ahead: Ahead) -> Fingerprints:
    """Fingerprint a stream that is at hand as one array, and is its own text."""
    selection = selector(scheme).begin(scheme.k)
    return _select(_sliced(symbols, hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def _select(runs: Iterable[Run], selection: Selection, scheme: Scheme, ahead: Ahead) -> Fingerprints:
    found = Found()
    for run, prepared in ahead.map(lambda run: (run, selection.prepare(run.grams)), runs):
        found.add(run, selection.settle(run.grams, prepared))
    return found.close(scheme, selection)


def _sliced(symbols: Symbols, hashes: Hasher, overlap: int) -> Iterator[Run]:
    """Runs that are views of one array."""
    for start in range(0, max(1, len(symbols) - hashes.k + 1), RUN):
        begin = max(0, start - overlap)
        yield Run(Grams(symbols[begin : start + RUN + hashes.k - 1], hashes, begin))


def _joined(streams: Iterable[Stream], hashes: Hasher, overlap: int) -> Iterator[Run]:
    """Runs of one piece each, after the end of the piece before; a piece too short for a window waits for the next."""
    repeated = overlap + hashes.k - 1
    carried: tuple[Stream, ...] = ()
    start, waiting = 0, True
    for stream in streams:
        held = (*carried, stream)
        symbols = _symbols(held)
        if waiting := len(symbols) <= repeated:
            carried = held
            continue
        yield Run(Grams(symbols, hashes, start), held)
        start += len(symbols) - repeated
        carried = _last(held, repeated)
    if waiting and start == 0:
        yield Run(Grams(_symbols(carried), hashes), carried)


def _symbols(streams: tuple[Stream, ...]) -> Symbols:
    return streams[0].symbols if len(streams) == 1 else np.concatenate([stream.symbols for stream in streams])


def _last(streams: tuple[Stream, ...], count: int) -> tuple[Stream, ...]:
    """The last ``count`` symbols of consecutive streams, copied, so that the rest can be forgotten."""
    kept: list[Stream] = []
    for stream in reversed(streams):
        if count == 0:
            break
        tail = slice(max(0, len(stream) - count), None)
        symbols, starts, ends = stream.symbols[tail].copy(), stream.starts[tail].copy(), stream.ends[tail].copy()
        kept.append(Stream(symbols, starts, ends, stream.offset))
        count -= len(symbols)
    return tuple(reversed(kept))


class Found:
    """What was selected so far, run by run."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._positions: list[Offsets] = []
        self._starts: list[Offsets] = []
        self._ends: list[Offsets] = []
        self._symbols = 0
        self._notes: dict[str, None] = {}

    def add(self, run: Run, chosen: Positions) -> None:
        """Note the selected k-grams of a run."""
        self._symbols = run.grams.start + len(run.grams.symbols)
        self._hashes.append(run.grams.identity(chosen))
        self._positions.append(_shifted(chosen, run.grams.start, self._symbols))
        self._notes.update(dict.fromkeys(stream.note for stream in run.streams if stream.note))
        if run.streams:
            starts = [stream.starts for stream in run.streams]
            ends = [stream.ends for stream in run.streams]
            self._starts.append(_looked_up(run.streams, starts, chosen))
            self._ends.append(_looked_up(run.streams, ends, chosen + (run.grams.k - 1)))

    def close(self, scheme: Scheme, selection: Selection) -> Fingerprints:
        """The fingerprints, once all runs are in."""
        hashes = _concatenated(self._hashes)
        positions = _concatenated(self._positions)
        if self._starts:
            starts, ends = _concatenated(self._starts), _concatenated(self._ends)
        else:
            starts, ends = positions, positions + scheme.k
        kept = selection.finish(hashes)
        if kept is not None:
            hashes, positions, starts, ends = hashes[kept], positions[kept], starts[kept], ends[kept]
        return Fingerprints(scheme, hashes, positions, Spans(starts, ends), self._symbols, tuple(self._notes))


def _looked_up(streams: tuple[Stream, ...], columns: list[Offsets], indices: Positions) -> Offsets:
    """The starts or ends (one column a stream), in the text, of symbols given by ascending indices into all streams."""
    bounds = np.cumsum([0, *map(len, streams)])
    cuts = np.searchsorted(indices, bounds)
    parts = []
    for stream, column, bound, first, last in zip(streams, columns, bounds[:-1], cuts[:-1], cuts[1:], strict=True):
        inside = indices[first:last] - bound if bound else indices[first:last]
        limit = stream.offset + (int(stream.ends[-1]) if len(stream) else 0)
        parts.append(_shifted(column.take(inside), stream.offset, limit))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _shifted(offsets: Offsets, by: int, limit: int) -> Offsets:
    """Moved, and in 32 bits if what they can be at most fits: there are many of them."""
    return np.add(offsets, by, dtype=np.int32 if limit < WIDE else np.int64, casting="unsafe")


def _concatenated(parts: list[NDArray[T]]) -> NDArray[T]:
    """All parts in one array; the list is emptied, so that the parts do not outlive it."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole
