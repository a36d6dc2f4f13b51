"""The exact shinglings of all texts at hand, and what pairs of them share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import whorl
from whorl.engine.shingles import shingling

Hashes = NDArray[np.uint64]


def hashes(texts: Iterable[str], k: int) -> list[Hashes]:
    """Return all runs of k words of each text, sorted."""
    scheme = whorl.Scheme(symbols="words", k=k, select="full")
    return [shingling(text, scheme).hashes for text in texts]


def shared(one: Hashes, two: Hashes) -> int:
    """Return how many shingles both have."""
    small, large = (one, two) if len(one) <= len(two) else (two, one)
    if not len(small):
        return 0
    places = np.minimum(np.searchsorted(large, small), len(large) - 1)
    return int((large[places] == small).sum())


def measure(one: Hashes, two: Hashes, name: str) -> float:
    """Resemblance, or the containment of the smaller in the larger. Texts without shingles are alike."""
    both = shared(one, two)
    whole = len(one) + len(two) - both if name == "resemblance" else min(len(one), len(two))
    return both / whole if whole else 1.0


@dataclass(frozen=True)
class Relatives:
    """Tells how much of a text is in any other."""

    texts: list[Hashes]
    sorted: Hashes
    owners: NDArray[np.int32]

    @classmethod
    def of(cls, texts: list[Hashes]) -> "Relatives":
        """Of these texts, by their shingles."""
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text) for text in texts])
        every = np.concatenate([np.zeros(0, np.uint64), *texts])
        order = np.argsort(every, kind="stable")
        return cls(texts, every[order], owners[order])

    def nearest(self, number: int) -> float:
        """Return the largest part of a text that another one holds."""
        own = self.texts[number]
        starts, ends = np.searchsorted(self.sorted, own, "left"), np.searchsorted(self.sorted, own, "right")
        lengths = ends - starts
        places = np.repeat(ends - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
        counts = np.bincount(self.owners[places], minlength=len(self.texts))
        counts[number] = 0
        return float(counts.max(initial=0) / max(1, len(own)))


def by_id(ids: Iterable[str], texts: Iterable[str], k: int) -> Mapping[str, Hashes]:
    """Return the shingles of each text by its id."""
    return dict(zip(ids, hashes(texts, k), strict=True))
