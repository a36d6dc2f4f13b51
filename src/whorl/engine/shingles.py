"""The shingles of a document as 64-bit identities, and measures on them.

A document with fewer than k symbols has no k-gram. It counts as one shingle, itself, so that two short documents
resemble each other only if they are equal. A document without symbols has no shingle.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.engine.fingerprints import check_key, checked
from whorl.engine.hashing import Hasher, Key, hasher
from whorl.engine.sampling import first_of_each
from whorl.errors import SketchMismatchError
from whorl.formats.reading import choose
from whorl.model import Document, Hashes, Symbols
from whorl.scheme import Scheme, resolve

Readable: TypeAlias = str | Path | bytes | Document | Symbols

# Symbols of an array that are hashed at a time, as in ``select_streams``.
RUN = 1 << 19

# Separates the identities of short documents from those of k-grams, and those of different lengths from each other:
# padding with zeros would make (5) and (5, 0) the same. 2^64 divided by the golden ratio, odd.
LENGTHS = 0x9E3779B97F4A7C15


def identity_runs(document: Readable, scheme: Scheme, key: Key) -> Iterator[Hashes]:
    """Yield the identities of a document's shingles, in order, in runs. The key must be the scheme's."""
    return _identities(_symbol_runs(document, scheme), hasher(key, scheme.k), key)


def _symbol_runs(document: Readable, scheme: Scheme) -> Iterator[Symbols]:
    if isinstance(document, np.ndarray):
        symbols = checked(document)
        return (symbols[start : start + RUN] for start in range(0, len(symbols), RUN))
    if not isinstance(document, Document):
        document = Document(str(document) if isinstance(document, Path) else "", document)
    front = choose(scheme, document).frontend
    return (front.read(piece).symbols for piece in front.pieces(document))


def _identities(runs: Iterable[Symbols], grams: Hasher, key: Key) -> Iterator[Hashes]:
    """Put each run after the k - 1 symbols before it; join one too short for a k-gram to the next."""
    waiting: list[Symbols] = []
    length, is_short = 0, True
    for run in runs:
        waiting.append(run)
        length += len(run)
        if length < grams.k:
            continue
        symbols = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
        yield grams.identity(symbols, np.arange(length - grams.k + 1))
        length, is_short = grams.k - 1, False
        waiting = [symbols[len(symbols) - length :].copy()]
    if is_short and length:
        yield whole(np.concatenate(waiting), key)


def whole(symbols: Symbols, key: Key) -> Hashes:
    """Return the identity of a document that is shorter than a k-gram."""
    identity = hasher(key, len(symbols)).identity(symbols, np.zeros(1, np.int64))
    return identity ^ np.uint64(LENGTHS * len(symbols) & 0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class Shingling:
    """The distinct shingles of a document, as sorted identities, and how often each occurs: the paper's S(D, w).

    Two different shingles have the same identity with a probability below 2^-60.
    """

    scheme: str
    hashes: Hashes
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hashes)

    def size(self, counted: bool = False) -> int:
        """Return the number of shingles; with ``counted``, repeated shingles count as different ones."""
        return int(self.counts.sum()) if counted else len(self)

    def shared(self, other: "Shingling", counted: bool = False) -> int:
        """Return the number of shingles in both documents."""
        if self.scheme != other.scheme:
            raise SketchMismatchError(
                f"shinglings of different schemes cannot be compared: {self.scheme!r} and {other.scheme!r}"
            )
        small, large = (self, other) if len(self) <= len(other) else (other, self)
        if not len(small):
            return 0
        places = np.minimum(np.searchsorted(large.hashes, small.hashes), len(large) - 1)
        is_shared = large.hashes[places] == small.hashes
        if not counted:
            return int(is_shared.sum())
        return int(np.minimum(small.counts, large.counts[places])[is_shared].sum())

    def resemblance(self, other: "Shingling", counted: bool = False) -> float:
        """Return |A ∩ B| / |A ∪ B|; 1 for two documents without shingles."""
        shared = self.shared(other, counted)
        union = self.size(counted) + other.size(counted) - shared
        return shared / union if union else 1.0

    def containment(self, other: "Shingling", counted: bool = False) -> float:
        """Return |A ∩ B| / |A|, the containment of this document in the other; 1 if this one has no shingles."""
        size = self.size(counted)
        return self.shared(other, counted) / size if size else 1.0


def shingling(document: Readable, scheme: Scheme | str = "pages", key: Key = Key.PUBLIC) -> Shingling:
    """Return the full shingling of a document."""
    scheme = resolve(scheme)
    check_key(scheme, key)
    hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *identity_runs(document, scheme, key)]))
    first = np.flatnonzero(first_of_each(hashes))
    return Shingling(scheme.id, hashes[first], np.diff(first, append=len(hashes)))


def resemblance(
    a: Readable, b: Readable, scheme: Scheme | str = "pages", *, counted: bool = False, key: Key = Key.PUBLIC
) -> float:
    """Return the resemblance of two documents: shingles in both, divided by shingles in either (Jaccard index).

    1 - resemblance is a metric. With ``counted``, repeated shingles count as different ones, so repeating a passage
    changes the result. The default scheme has shingles of four words, as ``whorl.cluster`` has, which also joins the
    letters of scripts without spaces and leaves out boilerplate. The paper's shingles have ten: give "web".
    """
    return shingling(a, scheme, key).resemblance(shingling(b, scheme, key), counted)


def containment(
    a: Readable, b: Readable, scheme: Scheme | str = "pages", *, counted: bool = False, key: Key = Key.PUBLIC
) -> float:
    """Return the containment of the first document in the second: the share of its shingles that are in both. The
    shingles are those of ``resemblance``."""
    return shingling(a, scheme, key).containment(shingling(b, scheme, key), counted)
