"""What of a document can be matched: the streams of its files in one row, without what is sanctioned."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.matching.sanction import Sanction
from whorl.model import Hashes, Offsets, Span, Stream, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One file of a document, read: its stream, its fingerprints, and which of its symbols are sanctioned."""

    stream: Stream
    fingerprints: Fingerprints
    grams: NDArray[np.bool_] | None = None
    covered: NDArray[np.bool_] | None = None

    @property
    def sanctioned(self) -> tuple[Span, ...]:
        """The spans of the text that are sanctioned."""
        if self.covered is None:
            return ()
        edges = np.flatnonzero(np.diff(self.covered, prepend=False, append=False)).reshape(-1, 2)
        spans = self.stream.spans
        return tuple(Span(int(spans.starts[first]), int(spans.ends[end - 1])) for first, end in edges.tolist())


def sift(stream: Stream, fingerprints: Fingerprints, sanction: Sanction | None) -> Part:
    """Tell what of a file is sanctioned."""
    if not sanction:
        return Part(stream, fingerprints)
    scheme = fingerprints.scheme
    grams = sanction.grams(stream.symbols)
    return Part(stream, fingerprints, grams, sanction.covered(grams, len(stream), scheme.guarantee or scheme.k))


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A document's symbols, each with its span in its file; ``bounds`` part them where no match may cross: at the ends
    of files and where sanctioned material was taken out. ``files`` names the file between two bounds, by number.

    ``hashes`` and ``places`` are the fingerprints, sorted by hash, then by place. ``barred`` is where k-grams begin
    that are no evidence although all their symbols are.
    """

    symbols: Symbols
    starts: Offsets
    ends: Offsets
    bounds: NDArray[np.int32]
    files: NDArray[np.int32]
    hashes: Hashes
    places: NDArray[np.int32]
    barred: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def __len__(self) -> int:
        return len(self.symbols)


def gather(files: Sequence[Evidence]) -> Evidence:
    """The evidence of a document of several files, each given by its own: file number i is the i-th."""
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
        _row([each.barred + np.int32(shift) for shift, each in shifted], np.int32),
    )


def evidence(part: Part) -> Evidence:
    """The evidence of one file."""
    spans, chosen = part.stream.spans, part.fingerprints
    if part.covered is None or part.grams is None:
        size = len(part.stream)
        found, places = np.arange(len(chosen)), chosen.positions
        symbols, starts, ends = part.stream.symbols, spans.starts, spans.ends
        bounds, barred = np.array([0, size] if size else [0], np.int32), np.zeros(0, np.int32)
    else:
        own = ~part.covered
        before = np.concatenate([[0], np.cumsum(own)])
        # A k-gram of sanctioned material is no evidence, nor is one with sanctioned symbols in it.
        k = chosen.scheme.k
        is_own = before[chosen.positions + k] - before[chosen.positions] == k
        found = np.flatnonzero(is_own & ~part.grams[chosen.positions])
        places = before[chosen.positions[found]]
        symbols, starts, ends = part.stream.symbols[own], spans.starts[own], spans.ends[own]
        last_own = np.flatnonzero(own & np.append(part.covered[1:], True))
        bounds = np.concatenate([[0], before[last_own + 1]]).astype(np.int32)
        sanctioned = np.flatnonzero(part.grams)
        barred = before[sanctioned[before[sanctioned + k] - before[sanctioned] == k]].astype(np.int32)
    hashes = chosen.hashes[found]
    order = np.lexsort((places, hashes))
    files = np.zeros(len(bounds) - 1, np.int32)
    return Evidence(symbols, starts, ends, bounds, files, hashes[order], places[order].astype(np.int32), barred)


def _row(columns: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    """All columns in one array; an empty one of this kind if there are none."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns) if columns else np.zeros(0, kind)
