"""Postings in memory: columns of hash, document and place; and the fresh postings, which are in no segment yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import RLock
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.kernel import native_postings
from whorl.threads import Prefetch

_ROW = np.dtype([("hash", "<u8"), ("place", "<u4")])

# Bytes of a posting in the database.
EACH = _ROW.itemsize


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Columns of equal length: a hash, the document that has it, and its place in the document."""

    hashes: NDArray[np.uint64]
    documents: NDArray[np.uint32]
    places: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, part: slice | NDArray[np.bool_] | NDArray[np.intp]) -> "Postings":
        return Postings(self.hashes[part], self.documents[part], self.places[part])

    @classmethod
    def none(cls) -> Self:
        """Return empty columns."""
        return cls(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))

    @classmethod
    def joined(cls, parts: Sequence["Postings"]) -> "Postings":
        """Concatenate postings."""
        if len(parts) == 1:
            return parts[0]
        parts = parts or [cls.none()]
        return cls(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.places for part in parts]),
        )

    def in_order(self, threads: int = 1) -> "Postings":
        """Sort by hash, document and place, the order of a segment."""
        rows, bounds = native_postings.deal(self.hashes, self.documents, self.places)
        columns = tuple(map(np.empty_like, (self.hashes, self.documents, self.places)))
        heaps = len(bounds) - 1
        parts = pairwise(heaps * part // threads for part in range(threads + 1))
        with Prefetch(threads) as ahead:
            for _ in ahead.map(lambda part: native_postings.settle(rows, bounds, *part, *columns), parts):
                pass
        return Postings(*columns)

    def count(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many of these sorted postings each hash has."""
        return np.searchsorted(self.hashes, hashes, "right") - np.searchsorted(self.hashes, hashes, "left")

    def look_up(self, hashes: NDArray[np.uint64]) -> "PostingHits":
        """Look hashes up in these sorted postings, as ``Segment.look_up`` does."""
        starts, counts = np.searchsorted(self.hashes, hashes, "left"), self.count(hashes)
        which = np.repeat(np.arange(len(hashes), dtype=np.int32), counts)
        before = np.cumsum(counts) - counts
        rows = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
        return PostingHits(which, self.documents[rows], self.places[rows], counts)

    def merged(self, other: "Postings") -> "Postings":
        """Merge with other postings; both are sorted."""
        merge = native_postings.merge
        return Postings(*merge(self.hashes, self.documents, self.places, other.hashes, other.documents, other.places))


@dataclass(frozen=True, slots=True, eq=False)
class PostingHits:
    """The postings of looked-up hashes: the index of the hash (``which``), the document and the place of each.

    ``counts`` has the number of postings of each hash, even if fewer are returned.
    """

    which: NDArray[np.int32]
    documents: NDArray[np.uint32]
    places: NDArray[np.uint32]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.which)


def pack(hashes: NDArray[np.uint64], places: NDArray[np.uint32]) -> bytes:
    """Encode a document's postings for the database, sorted by hash, then by place."""
    rows = np.empty(len(hashes), _ROW)
    order = np.lexsort((places, hashes))
    rows["hash"], rows["place"] = hashes[order], places[order]
    return rows.tobytes()


def unpack(document: int, data: bytes) -> Postings:
    """Decode the postings of a document."""
    rows = np.frombuffer(data, _ROW)
    documents = np.full(len(rows), document, np.uint32)
    return Postings(rows["hash"].astype(np.uint64), documents, rows["place"].astype(np.uint32))


class FreshPostings:
    """The postings of all documents that are in no segment yet. Searching threads share them with one writer."""

    def __init__(self) -> None:
        self._turn = RLock()
        self._counts: dict[int, int] = {}
        self._sorted = Postings.none()
        self._new: list[Postings] = []

    def __len__(self) -> int:
        return sum(self._counts.values())

    def update(self, documents: Iterable[int], more: Iterable[tuple[int, bytes]]) -> None:
        """Drop the postings of all but ``documents``, and add ``more``: the new ones among them."""
        fresh = [(number, unpack(number, data)) for number, data in more]
        with self._turn:
            gone = set(self._counts) - set(documents)
            if gone:
                postings = self.row()
                self._sorted = postings[native_postings.keep(postings.documents, np.array(sorted(gone), np.uint32))]
            self._new += [part for _, part in fresh]
            self._counts = {number: count for number, count in self._counts.items() if number not in gone}
            self._counts |= {number: len(part) for number, part in fresh}

    def state(self) -> tuple[list[int], Postings]:
        """Return the documents and all their postings, of one moment."""
        with self._turn:
            return sorted(self._counts), self.row()

    def row(self) -> Postings:
        """Return all postings, sorted. Sort the new ones and merge them with the others."""
        with self._turn:
            if self._new:
                self._sorted, self._new = self._sorted.merged(Postings.joined(self._new).in_order()), []
            return self._sorted

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Look hashes up, as ``Segment.look_up`` does."""
        return self.row().look_up(hashes)
