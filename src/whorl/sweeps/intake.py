"""Phases 1 and 2 for what is new: documents become contents and places, and new contents postings.

A content whose bytes were seen before costs one digest. One with the same symbols or the same shingles as another is
set aside (section "Identical documents"): the other stands for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from whorl.errors import DocumentError, InputError
from whorl.index.postings import Postings
from whorl.model import Hashes, Skipped
from whorl.sweeps.content import ITSELF, LEXICAL, NOTHING, SHINGLE, Read, Reader
from whorl.sweeps.dates import day
from whorl.sweeps.rows import Content
from whorl.sweeps.segments import Segments
from whorl.sweeps.store import SweepStore

# Bytes that sorting a posting takes: itself, its copy, and the order.
EACH = 48


@dataclass(slots=True)
class Taken:
    """What was read: documents, contents that were new, those of them that stand for themselves, and what was left
    out."""

    documents: int = 0
    contents: int = 0
    rows: list[int] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


class Intake:
    """Takes documents into a store, inside a transaction."""

    def __init__(self, store: SweepStore, segments: Segments, reader: Reader, memory: int) -> None:
        self._store, self._segments, self._reader = store, segments, reader
        self._room = max(1, memory // EACH)
        self._sketches: list[tuple[int, Hashes]] = []
        self._held = 0
        self._contents = store.total("contents")
        self._sweeps: dict[str, int] = {}
        self.taken = Taken()

    def add(self, read: Read, date: str | None, own_dates: bool) -> None:
        """A document, seen on its own day or on this date; one that cannot be read is left out, with the reason."""
        document = read.document
        try:
            place = document.url or document.name
            when = day(document.date) if own_dates and document.date else date
            if when is None:
                raise DocumentError("it has no date of its own, and no other was given: give --date")
            _check_place(place)
            content = self._content(read)
        except (DocumentError, InputError) as error:
            self.taken.skipped.append(Skipped(document.name, str(error)))
            return
        self._store.put_place(self._store.put_page(place), self._sweep(when), content, document.contact)
        self.taken.documents += 1

    def _sweep(self, date: str) -> int:
        if date not in self._sweeps:
            self._sweeps[date] = self._store.sweep(date)
        return self._sweeps[date]

    def flush(self) -> None:
        """The postings that are held become a segment."""
        self._segments.write(_postings(self._sketches))
        self._sketches, self._held = [], 0

    def _content(self, read: Read) -> int:
        """The number of a document's content."""
        if read.reason is not None:
            raise DocumentError(read.reason)
        known = self._store.known("digest", read.digest)
        if known is not None:
            return known.id
        if not read.is_new:
            read = self._reader.read_one(read.document)
        number = self._contents + 1
        for kind, column, digest in ((LEXICAL, "lexical", read.lexical), (SHINGLE, "shingles", read.shingles)):
            equal = self._store.known(column, digest) if digest != NOTHING else None
            if equal is not None:
                return self._put(Content(number, read.digest, read.lexical, None, equal.row, kind, 0, 0), None)
        return self._stand(read, number)

    def _stand(self, read: Read, number: int) -> int:
        """A content that is equal to none before: its sketch becomes postings."""
        size = len(read.hashes)
        content = Content(number, read.digest, read.lexical, read.shingles, number, ITSELF, size, read.modulus)
        self._put(content, read.hashes)
        self.taken.rows.append(number)
        self._sketches.append((number, read.sketch))
        self._held += len(read.sketch)
        if self._held >= self._room:
            self.flush()
        return number

    def _put(self, content: Content, hashes: Hashes | None) -> int:
        self._store.put_content(content, hashes)
        self._contents += 1
        self.taken.contents += 1
        return content.id


def _postings(sketches: Iterable[tuple[int, Hashes]]) -> Postings:
    sketches = list(sketches)
    hashes = np.concatenate([np.zeros(0, np.uint64), *(sketch for _, sketch in sketches)])
    lengths = [len(sketch) for _, sketch in sketches]
    documents = np.repeat(np.array([number for number, _ in sketches], np.uint32), lengths)
    return Postings(hashes, documents, np.zeros(len(documents), np.uint32))


def _check_place(place: str) -> None:
    if not place:
        raise DocumentError("it has neither an address nor a name")
    try:
        place.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DocumentError(f"its address {place!r} is no Unicode text") from error
