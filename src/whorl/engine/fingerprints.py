"""Fingerprint a document under a scheme, in overlapping runs, with the same result on any number of threads."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.catalog import SELECTORS
from whorl.engine.hashing import Grams, Hasher, Key, hasher
from whorl.engine.selectors import Positions, Selection, Selector
from whorl.errors import InputError, KeyMismatchError
from whorl.formats.reading import choose
from whorl.model import Document, Hashes, Offsets, Spans, Stream, Symbols
from whorl.scheme import Scheme, resolve
from whorl.threads import Prefetch


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The fingerprints of one document under one scheme, in the order of their positions.

    ``hashes[i]`` is the identity of the k-gram that starts at symbol ``positions[i]`` and covers ``spans[i]`` of the
    text. ``symbols`` is the length of the stream. ``notes`` are remarks on reading the document.
    """

    scheme: Scheme
    hashes: Hashes
    positions: Offsets
    spans: Spans
    symbols: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def grams(self) -> int:
        """Number of k-grams of the document."""
        return max(0, self.symbols - self.scheme.k + 1)

    @property
    def density(self) -> float:
        """Share of the k-grams that were selected."""
        return len(self) / self.grams if self.grams else 0.0


def without_prolog(streams: Iterable[Stream], prolog: int | None) -> Iterator[Stream]:
    """Drop the symbols that begin in the first ``prolog`` characters of a document (Heintze 1996, section 6.3).

    They are addresses, thanks, a converter's remarks. At most the first half of a document is dropped.
    """
    if prolog is None:
        yield from streams
        return
    rest = iter(streams)
    first, length = list[Stream](), 0
    for stream in rest:
        first.append(stream)
        length = max(length, _end(stream))
        if length >= 2 * prolog:
            break
    for stream in chain(first, rest):
        yield _from(stream, min(prolog, length // 2))


def _end(stream: Stream) -> int:
    return stream.offset + int(stream.ends[-1]) if len(stream) else 0


def _from(stream: Stream, start: int) -> Stream:
    first = int(np.searchsorted(stream.starts, start - stream.offset))
    if not first:
        return stream
    return Stream(stream.symbols[first:], stream.starts[first:], stream.ends[first:], stream.offset, stream.note)


T = TypeVar("T", bound=np.generic)

# Symbols in a run. Shorter ones spend their time in the interpreter: 2^16 costs a fifth of the speed; 2^20 gains 3% and
# takes twice the memory.
RUN = 1 << 19

# Below this, positions and spans are stored in 32 bits.
WIDE = 2**31


@dataclass(frozen=True, slots=True)
class GramRun:
    """Consecutive k-grams of a document, and the consecutive streams that their symbols come from.

    Without streams, the symbols are the text.
    """

    grams: Grams
    streams: tuple[Stream, ...] = ()


def selector(scheme: Scheme) -> Selector:
    """Return the scheme's selector with its parameters."""
    row = SELECTORS.row(scheme.select)
    chosen: Selector = row.load()(**{name: getattr(scheme, name) for name in row.takes})
    return chosen


def select_streams(streams: Iterable[Stream], scheme: Scheme, key: Key, ahead: Prefetch) -> Fingerprints:
    """Fingerprint a document whose stream comes in consecutive pieces."""
    selection = selector(scheme).begin(scheme.k)
    streams = without_prolog(streams, scheme.prolog)
    return _select(_joined(streams, hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def select_stream(stream: Stream, scheme: Scheme, key: Key) -> Fingerprints:
    """Fingerprint a document that is one piece, which takes less than one of several pieces does."""
    if scheme.prolog is not None:
        (stream,) = without_prolog([stream], scheme.prolog)
    selection = selector(scheme).begin(scheme.k)
    run = GramRun(Grams(stream.symbols, hasher(key, scheme.k)), (stream,))
    builder = FingerprintsBuilder()
    builder.add(run, selection.settle(run.grams, selection.prepare(run.grams)))
    return builder.close(scheme, selection)


def select_symbols(symbols: Symbols, scheme: Scheme, key: Key, ahead: Prefetch) -> Fingerprints:
    """Fingerprint an array of symbols, which is its own text."""
    selection = selector(scheme).begin(scheme.k)
    return _select(_sliced(symbols, hasher(key, scheme.k), selection.overlap), selection, scheme, ahead)


def _select(runs: Iterable[GramRun], selection: Selection, scheme: Scheme, ahead: Prefetch) -> Fingerprints:
    builder = FingerprintsBuilder()
    for run, prepared in ahead.map(lambda run: (run, selection.prepare(run.grams)), runs):
        builder.add(run, selection.settle(run.grams, prepared))
    return builder.close(scheme, selection)


def _sliced(symbols: Symbols, hashes: Hasher, overlap: int) -> Iterator[GramRun]:
    """Divide one array into overlapping runs, as views."""
    for start in range(0, max(1, len(symbols) - hashes.k + 1), RUN):
        begin = max(0, start - overlap)
        yield GramRun(Grams(symbols[begin : start + RUN + hashes.k - 1], hashes, begin))


def _joined(streams: Iterable[Stream], hashes: Hasher, overlap: int) -> Iterator[GramRun]:
    """Make runs of one piece each, after the end of the piece before. Join a piece below a window to the next."""
    repeated = overlap + hashes.k - 1
    carried: tuple[Stream, ...] = ()
    start, waiting = 0, True
    for stream in streams:
        pieces = (*carried, stream)
        symbols = _symbols(pieces)
        if waiting := len(symbols) <= repeated:
            carried = pieces
            continue
        yield GramRun(Grams(symbols, hashes, start), pieces)
        start += len(symbols) - repeated
        carried = _last(pieces, repeated)
    if waiting and start == 0:
        yield GramRun(Grams(_symbols(carried), hashes), carried)


def _symbols(streams: tuple[Stream, ...]) -> Symbols:
    return streams[0].symbols if len(streams) == 1 else np.concatenate([stream.symbols for stream in streams])


def _last(streams: tuple[Stream, ...], count: int) -> tuple[Stream, ...]:
    """Copy the last ``count`` symbols of consecutive streams, so that the rest can be freed."""
    tails: list[Stream] = []
    for stream in reversed(streams):
        if count == 0:
            break
        tail = slice(max(0, len(stream) - count), None)
        symbols, starts, ends = stream.symbols[tail].copy(), stream.starts[tail].copy(), stream.ends[tail].copy()
        tails.append(Stream(symbols, starts, ends, stream.offset))
        count -= len(symbols)
    return tuple(reversed(tails))


class FingerprintsBuilder:
    """Collect the selected k-grams of a document, run by run."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._positions: list[Offsets] = []
        self._starts: list[Offsets] = []
        self._ends: list[Offsets] = []
        self._symbols = 0
        self._notes: dict[str, None] = {}

    def add(self, run: GramRun, chosen: Positions) -> None:
        """Add the selected k-grams of a run."""
        self._symbols = run.grams.start + len(run.grams.symbols)
        self._hashes.append(run.grams.identity(chosen))
        self._positions.append(_shifted(chosen, run.grams.start, self._symbols))
        self._notes.update(dict.fromkeys(stream.note for stream in run.streams if stream.note))
        if run.streams:
            starts = [stream.starts for stream in run.streams]
            ends = [stream.ends for stream in run.streams]
            self._starts.append(_offsets(run.streams, starts, chosen))
            self._ends.append(_offsets(run.streams, ends, chosen + (run.grams.k - 1)))

    def close(self, scheme: Scheme, selection: Selection) -> Fingerprints:
        """Return the fingerprints, once all runs are added."""
        hashes = _concatenated(self._hashes)
        positions = _concatenated(self._positions)
        if self._starts:
            starts, ends = _concatenated(self._starts), _concatenated(self._ends)
        else:
            starts, ends = positions, positions + scheme.k
        final = selection.finish(hashes)
        if final is not None:
            hashes, positions, starts, ends = hashes[final], positions[final], starts[final], ends[final]
        return Fingerprints(scheme, hashes, positions, Spans(starts, ends), self._symbols, tuple(self._notes))


def _offsets(streams: tuple[Stream, ...], columns: list[Offsets], indices: Positions) -> Offsets:
    """Return the starts or ends (one column a stream) in the text of symbols, by ascending indices into all streams."""
    if len(streams) == 1:
        return _shifted(columns[0].take(indices), streams[0].offset, _end(streams[0]))
    bounds = np.cumsum([0, *map(len, streams)])
    cuts = np.searchsorted(indices, bounds)
    parts = []
    for stream, column, bound, first, last in zip(streams, columns, bounds[:-1], cuts[:-1], cuts[1:], strict=True):
        inside = indices[first:last] - bound if bound else indices[first:last]
        limit = stream.offset + (int(stream.ends[-1]) if len(stream) else 0)
        parts.append(_shifted(column.take(inside), stream.offset, limit))
    return np.concatenate(parts)


def _shifted(offsets: Offsets, by: int, limit: int) -> Offsets:
    """Return offsets moved by ``by``, in 32 bits if ``limit`` fits: there are many of them."""
    kind = np.int32 if limit < WIDE else np.int64
    return np.add(offsets, by, dtype=kind, casting="unsafe") if by else offsets.astype(kind, copy=False)


def _concatenated(parts: list[NDArray[T]]) -> NDArray[T]:
    """Join all parts, and empty the list to free them."""
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
    parts.clear()
    return whole


def fingerprint(
    document: str | Path | bytes | Document | Symbols,
    scheme: Scheme | str = "text",
    *,
    key: Key = Key.PUBLIC,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Fingerprints:
    """Fingerprint a document.

    A string is a text, a path a file, bytes are decoded, and an array of unsigned integers is a stream of symbols. The
    format of a file or of bytes is detected; a ``Document`` can name it. The result does not depend on ``threads``.
    ``progress`` is called from time to time with the number of code points done.
    """
    scheme = resolve(scheme)
    check_key(scheme, key)
    with Prefetch(threads) as ahead:
        if isinstance(document, np.ndarray):
            return select_symbols(checked(document), scheme, key, ahead)
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        front = choose(scheme, document).frontend
        streams = ahead.map(front.read, front.pieces(document))
        if progress is not None:
            streams = _observed(streams, progress)
        return select_streams(streams, scheme, key, ahead)


def _observed(streams: Iterator[Stream], progress: Callable[[int], object]) -> Iterator[Stream]:
    for stream in streams:
        yield stream
        progress(stream.offset + (int(stream.ends[-1]) if len(stream) else 0))


def check_key(scheme: Scheme, key: Key) -> None:
    """Raise KeyMismatchError unless the key is the one that the scheme names."""
    if key.id != scheme.key:
        raise KeyMismatchError(
            f"key: the scheme needs the key {scheme.key!r}, not {key.id!r}; use scheme.with_key(key.id) or that key"
        )


def checked(symbols: Symbols) -> Symbols:
    """Return an array of symbols in a form that the kernel takes. Raise InputError if it cannot be one."""
    if symbols.ndim != 1 or symbols.dtype.kind != "u":
        raise InputError(
            f"symbols: cannot use an array of {symbols.dtype} in {symbols.ndim} dimensions; "
            "give unsigned integers of 8, 16, 32 or 64 bits in one dimension"
        )
    return np.ascontiguousarray(symbols, symbols.dtype.newbyteorder("="))
