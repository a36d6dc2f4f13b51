"""The shingles of a document as 64-bit identities: all of them, piece by piece.

A document with fewer than k symbols has no k-gram. Here it is one shingle, itself, so that two short documents
resemble each other if they are equal and not otherwise. A document without symbols has no shingle.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from whorl.fingerprinting.fingerprint import checked
from whorl.frontends.reading import choose
from whorl.hashing.hasher import Hasher, hasher
from whorl.hashing.key import Key
from whorl.model import Document, Hashes, Symbols
from whorl.scheme import Scheme

Readable: TypeAlias = str | Path | bytes | Document | Symbols

# Symbols of an array that are hashed at a time: what a run of the engine has.
RUN = 1 << 19

# Parts the identities of short documents from those of k-grams, and those of different lengths from each other:
# padding with zeros would make (5) and (5, 0) the same. 2^64 divided by the golden ratio, odd.
LENGTHS = 0x9E3779B97F4A7C15


def identity_runs(document: Readable, scheme: Scheme, key: Key) -> Iterator[Hashes]:
    """The identities of a document's shingles, in order, in runs. The key must be the scheme's."""
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
    """Each run is put after the k - 1 symbols before it; one too short for a k-gram waits for the next."""
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
    """The identity of a document that is shorter than a k-gram."""
    identity = hasher(key, len(symbols)).identity(symbols, np.zeros(1, np.int64))
    return identity ^ np.uint64(LENGTHS * len(symbols) & 0xFFFFFFFFFFFFFFFF)
