"""Clustering of search results: a list of hits becomes groups of near-identical documents.

The paper's application of this name. A list has an order already: the best hit that is in no group yet stands for the
next one, and those that resemble it join it. As in ``joining``, every member is as alike to the one that stands for its
group as was asked, and nothing is chained.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError, InputError
from whorl.hashing.key import Key
from whorl.index.base import BaseIndex
from whorl.index.search import Hit
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve
from whorl.sketches.shingles import Readable
from whorl.sketches.shingling import Shingling, shingling

# From here on two documents are roughly the same: the paper's 50%.
THRESHOLD = 0.5

# Holders of shingles that are looked at in one go: 32 MB of numbers, however many documents share everything.
AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Group:
    """Documents by their places in the list, the best first, and the resemblance of each to the first."""

    members: tuple[int, ...]
    resemblances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HitGroup:
    """Hits that are nearly the same, the best first, and the resemblance of each to the first."""

    hits: tuple[Hit, ...]
    resemblances: tuple[float, ...]


def group(
    documents: Iterable[Readable], scheme: Scheme | str = "web", threshold: float = THRESHOLD, *, key: Key = Key.PUBLIC
) -> list[Group]:
    """Groups of near-identical documents, in the order of the best of each. A string is a text, a path a file.

    The resemblance is exact, on the full shinglings.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"threshold: {threshold!r} is out of range; give a number above 0, up to 1")
    scheme = resolve(scheme)
    made = _Shinglings([shingling(document, scheme, key) for document in documents])
    free = np.ones(len(made), np.bool_)
    groups = []
    for best in range(len(made)):
        if free[best]:
            resemblances = made.resemblances(best)
            alike = free & (resemblances >= threshold)
            alike[best] = True
            members = np.flatnonzero(alike)
            free[members] = False
            groups.append(Group(tuple(members.tolist()), tuple(resemblances[members].tolist())))
    return groups


def group_hits(index: BaseIndex, hits: Iterable[Hit], threshold: float = THRESHOLD) -> list[HitGroup]:
    """The hits of a search in groups. Programs are compared by their tokens, all else by its words."""
    ranked = list(hits)
    scheme = "code" if index.scheme.frontend == "code" else "web"
    try:
        documents = [index.document(hit.document.name) for hit in ranked]
    except DocumentError as error:
        raise InputError(
            f"{error}: hits are grouped by the texts that an index keeps; search without grouping, or make an index "
            "that keeps texts"
        ) from error
    return [
        HitGroup(tuple(ranked[place] for place in found.members), found.resemblances)
        for found in group(documents, scheme, threshold)
    ]


class _Shinglings:
    """Shinglings whose shingles are sorted with the documents that have them: one look-up compares one with all."""

    def __init__(self, shinglings: list[Shingling]) -> None:
        self._own = [made.hashes for made in shinglings]
        self._sizes = np.array([len(hashes) for hashes in self._own], np.int64)
        hashes: Hashes = np.concatenate([np.empty(0, np.uint64), *self._own])
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._documents = np.repeat(np.arange(len(self._own)), self._sizes)[order]

    def __len__(self) -> int:
        return len(self._own)

    def resemblances(self, number: int) -> NDArray[np.float64]:
        """Of one document to each; 1 between two that have no shingles."""
        own, step = self._own[number], max(1, AT_ONCE // len(self))
        shared = np.zeros(len(self), np.int64)
        for start in range(0, len(own), step):
            shared += np.bincount(self._holders(own[start : start + step]), minlength=len(self))
        union = self._sizes + self._sizes[number] - shared
        return np.where(union, shared / np.maximum(1, union), 1.0)

    def _holders(self, hashes: Hashes) -> NDArray[np.int64]:
        """The documents that have these shingles, each as often as it has one of them."""
        first, last = (np.searchsorted(self._hashes, hashes, side) for side in ("left", "right"))
        counts = last - first
        # The ranges first:last, one after the other.
        places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
        holders: NDArray[np.int64] = self._documents[places]
        return holders
