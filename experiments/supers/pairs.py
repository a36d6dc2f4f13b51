"""Pairs of documents with a planted resemblance, as sorted permuted hashes of their shingles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import whorl
from whorl.engine.sampling import permutation
from whorl.engine.shingles import shingling
from whorl.model import Hashes

# Words of a vocabulary so large that no shingle of ten comes twice by chance.
VOCABULARY = 1 << 31

Words = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two documents, and what is exactly true of them."""

    left: Hashes
    right: Hashes
    resemblance: float


def permuted(words: Words, scheme: str = "web") -> Hashes:
    """Return what the clustering sees of a document: every shingle, permuted, in order, each once."""
    hashes = permutation(whorl.Key.PUBLIC)(shingling(words, scheme).hashes)
    hashes.sort()
    return hashes


def drawn(count: int, rng: np.random.Generator) -> Words:
    """Words without any structure."""
    return rng.integers(VOCABULARY, size=count, dtype=np.uint32)


def edited(words: int, resemblance: float, rng: np.random.Generator) -> tuple[Words, Words]:
    """Both as long; the second has single words replaced all over, and its end is another."""
    k = whorl.PRESETS["web"].k
    left = drawn(words, rng)
    right = left.copy()
    # Of n shingles c change, and r = (n - c) / (n + c). A word changes k of them, a word of the end one.
    changes = max(0, words - k + 1) * (1 - resemblance) / (1 + resemblance)
    edits = int(changes / 2 / k)
    tail = round(changes - edits * k)
    places = ((np.arange(edits) + rng.random(edits)) * (words - tail) / max(1, edits)).astype(np.int64)
    right[places] = drawn(edits, rng)
    right[words - tail :] = drawn(tail, rng)
    return left, right


def grown(words: int, resemblance: float, rng: np.random.Generator) -> tuple[Words, Words]:
    """Return a pair whose second text continues the first: the first is contained, and r = n / (n + m)."""
    left = drawn(words, rng)
    shingles = max(1, words - whorl.PRESETS["web"].k + 1)
    return left, np.concatenate([left, drawn(round(shingles * (1 / resemblance - 1)), rng)])


KINDS: Mapping[str, Callable[[int, float, np.random.Generator], tuple[Words, Words]]] = {
    "edited": edited,
    "grown": grown,
}


def planted(kind: str, words: int, resemblance: float, rng: np.random.Generator) -> Pair:
    """Return a pair of about this resemblance; the pair tells the exact one."""
    left, right = map(permuted, KINDS[kind](words, resemblance, rng))
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return Pair(left, right, shared / (len(left) + len(right) - shared))
