"""Fresh postings: those of documents that are not in a segment yet, held in memory as the database has them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.index.postings import Postings
from whorl.index.segment import Found

_ROW = np.dtype([("hash", "<u8"), ("place", "<u4")])

# Bytes of a posting as the database keeps it.
EACH = _ROW.itemsize


def pack(hashes: NDArray[np.uint64], places: NDArray[np.uint32]) -> bytes:
    """A document's postings as the database keeps them, sorted by hash, then by place."""
    rows = np.empty(len(hashes), _ROW)
    order = np.lexsort((places, hashes))
    rows["hash"], rows["place"] = hashes[order], places[order]
    return rows.tobytes()


def unpack(document: int, data: bytes) -> Postings:
    """The postings of a document."""
    rows = np.frombuffer(data, _ROW)
    documents = np.full(len(rows), document, np.uint32)
    return Postings(rows["hash"].astype(np.uint64), documents, rows["place"].astype(np.uint32))


class Fresh:
    """The fresh postings of all documents that have any."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._row = Postings.none()
        self._new: list[Postings] = []

    def __len__(self) -> int:
        return sum(self._counts.values())

    def documents(self) -> list[int]:
        """Whose postings are here."""
        return sorted(self._counts)

    def update(self, documents: Iterable[int], more: Iterable[tuple[int, bytes]]) -> None:
        """Keep those of ``documents``, and take what is new of them."""
        fresh = [(number, unpack(number, data)) for number, data in more]
        gone = set(self._counts) - set(documents)
        if gone:
            row = self.row()
            self._row = row[kernel.postings().keep(row.documents, np.array(sorted(gone), np.uint32))]
        self._new += [part for _, part in fresh]
        self._counts = {number: count for number, count in self._counts.items() if number not in gone}
        self._counts |= {number: len(part) for number, part in fresh}

    def row(self) -> Postings:
        """All of them, in order. What is new is sorted, and merged with what was in order before."""
        if self._new:
            new = Postings.joined(self._new).in_order()
            old = self._row
            merged = kernel.postings().merge(
                old.hashes, old.documents, old.places, new.hashes, new.documents, new.places
            )
            self._row, self._new = Postings(*merged), []
        return self._row

    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """The postings of some hashes, as a segment gives them."""
        row = self.row()
        starts = np.searchsorted(row.hashes, hashes, "left")
        counts = np.searchsorted(row.hashes, hashes, "right") - starts
        which = np.repeat(np.arange(len(hashes), dtype=np.int32), counts)
        before = np.cumsum(counts) - counts
        places = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
        return Found(which, row.documents[places], row.places[places], counts)
