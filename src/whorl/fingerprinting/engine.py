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
from whorl.hashing.grams import Grams
from whorl.hashing.hasher import Hasher
from whorl.hashing.key import Key
from whorl.model import Offsets, Spans, Stream, Symbols
from whorl.scheme import Scheme
from whorl.selectors.protocol import Positions, Selection, Selector

T = TypeVar("T", bound=np.generic)

# Symbols in a run. Shorter ones spend their time in the interpreter: 2^16 costs a quarter of the speed, 2^20 gains
# nothing any more and needs twice the memory.
RUN = 1 << 19

# Below this, positions and spans are kept in 32 bits.
WIDE = 2**31


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive k-grams of a document and where they are in its text, as symbol by symbol starts and ends.

    Without those, the symbols are the text.
    """

    grams: Grams
    where: tuple[Offsets, Offsets] | None = None


def selector(scheme: Scheme) -> Selector:
    """The scheme's selector, with its parameters."""
    row = SELECTORS.row(scheme.select)
    made: Selector = row.load()(**{name: getattr(scheme, name) for name in row.takes})
    return made


def select_streams(streams: Iterable[Stream], scheme: Scheme, key: Key, ahead: Ahead) -> Fingerprints:
    """Fingerprint a document whose stream comes in consecutive pieces."""
    selection = selector(scheme).begin(scheme.k)
    return _select(_joined(streams, Hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def select_symbols(symbols: Symbols, scheme: Scheme, key: Key, ahead: Ahead) -> Fingerprints:
    """Fingerprint a stream that is at hand as one array, and is its own text."""
    selection = selector(scheme).begin(scheme.k)
    return _select(_sliced(symbols, Hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def _select(runs: Iterable[Run], selection: Selection, scheme: Scheme, ahead: Ahead) -> Fingerprints:
    found = Found()
    for run, prepared in ahead.map(lambda run: (run, selection.prepare(run.grams)), runs):
        found.add(run, selection.settle(run.grams, prepared))
    return found.close(scheme, selection)


def _sliced(symbols: Symbols, hasher: Hasher, overlap: int) -> Iterator[Run]:
    """Runs that are views of one array."""
    for start in range(0, max(1, len(symbols) - hasher.k + 1), RUN):
        begin = max(0, start - overlap)
        yield Run(Grams(symbols[begin : start + RUN + hasher.k - 1], hasher, begin))


def _joined(streams: Iterable[Stream], hasher: Hasher, overlap: int) -> Iterator[Run]:
    """Runs of one piece each, after the end of the piece before; a piece too short for a window waits for the next."""
    repeated = overlap + hasher.k - 1
    start, carried, waiting = 0, _nothing(), True
    for stream in streams:
        joined = _join(carried, stream)
        if waiting := len(joined) <= repeated:
            carried = joined
            continue
        yield Run(Grams(joined.symbols, hasher, start), (joined.starts, joined.ends))
        done = len(joined) - repeated
        start += done
        carried = _after(joined, done)
    if waiting and start == 0:
        yield Run(Grams(carried.symbols, hasher), (carried.starts, carried.ends))


def _nothing() -> Stream:
    return Stream(np.empty(0, np.uint8), np.empty(0, np.int32), np.empty(0, np.int32))


def _join(first: Stream, second: Stream) -> Stream:
    if not len(first):
        return second
    return Stream(
        np.concatenate((first.symbols, second.symbols)),
        np.concatenate((first.starts, second.starts)),
        np.concatenate((first.ends, second.ends)),
    )


def _after(stream: Stream, done: int) -> Stream:
    return Stream(stream.symbols[done:], stream.starts[done:], stream.ends[done:])


class Found:
    """What was selected so far, run by run."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._positions: list[Offsets] = []
        self._starts: list[Offsets] = []
        self._ends: list[Offsets] = []
        self._symbols = 0

    def add(self, run: Run, chosen: Positions) -> None:
        """Note the selected k-grams of a run."""
        k = run.grams.k
        self._symbols = run.grams.start + len(run.grams.symbols)
        self._hashes.append(run.grams.identity(chosen))
        self._positions.append(self._narrow(chosen + run.grams.start))
        if run.where is not None:
            starts, ends = run.where
            self._starts.append(starts[chosen])
            self._ends.append(ends[chosen + (k - 1)])

    def _narrow(self, positions: Positions) -> Offsets:
        return positions.astype(np.int32) if self._symbols < WIDE else positions

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
        return Fingerprints(scheme, hashes, positions, Spans(starts, ends), self._symbols)


def _concatenated(parts: list[NDArray[T]]) -> NDArray[T]:
    """All parts in one array; the list is emptied, so that the parts do not outlive it."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole
