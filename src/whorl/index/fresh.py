"""Fresh postings: those of documents that are not in a segment yet, held in memory as the database has them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

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
        self._parts: dict[int, Postings] = {}
        self._row: Postings | None = Postings.none()

    def __len__(self) -> int:
        return sum(map(len, self._parts.values()))

    def documents(self) -> list[int]:
        """Whose postings are here."""
        return sorted(self._parts)

    def update(self, documents: Iterable[int], more: Iterable[tuple[int, bytes]]) -> None:
        """Keep those of ``documents``, and take what is new of them."""
        kept = set(documents)
        fresh = {number: unpack(number, data) for number, data in more}
        if fresh or kept != set(self._parts):
            self._parts = {number: part for number, part in self._parts.items() if number in kept} | fresh
            self._row = None

    def row(self) -> Postings:
        """All of them, in order."""
        if self._row is None:
            self._row = Postings.joined([self._parts[number] for number in self.documents()]).in_order()
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
