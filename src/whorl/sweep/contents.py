"""Read documents into digests, shingles and sketches, as a clustering does.

Documents are read in batches, on several threads. A clustering sets equal documents aside by digests of the bytes, the
symbols and the shingles. A digest of nothing is zero: documents without a word are not equal.

The sketches of all contents are in segments: ⟨sketch value, content⟩ in immutable sorted files.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.reading import DIGEST, batches
from whorl.clustering.reading import ShingleReader as BatchReader
from whorl.clustering.records import DocumentBatch, Item, Rows, TextColumn
from whorl.clustering.sketching import Boilerplate
from whorl.engine.hashing import Key
from whorl.formats.corpora.jsonl import Sheet
from whorl.kernel import native_shingles
from whorl.model import Document, Hashes
from whorl.scheme import Scheme
from whorl.storage.database import LAST_SEGMENT
from whorl.storage.postings import Postings
from whorl.storage.segment_writer import SegmentFolder
from whorl.storage.segments import Segment
from whorl.sweep.store import SweepStore
from whorl.threads import Prefetch

# How a content equals its representative. A content that represents itself has no kind.
LEXICAL, SHINGLE, ITSELF = "lexical", "shingle", ""

NOTHING = bytes(DIGEST)

Bounds = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A document that was read: the digest of its bytes; unless that is known, the digests of its symbols and shingles,
    its sorted distinct shingles, its sketch, and the modulus of the sketch. Or the ``reason`` why it cannot be read."""

    document: Document
    digest: bytes
    is_new: bool
    lexical: bytes
    shingles: bytes
    hashes: Hashes
    sketch: Hashes
    modulus: int
    reason: str | None


class KnownDigests:
    """Digests of stored contents, by their first eight bytes. The caller confirms a match by the whole digest."""

    def __init__(self, digests: Iterable[bytes] = ()) -> None:
        self._starts = np.sort(np.frombuffer(b"".join(digest[:8] for digest in digests), np.uint64))

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which digests are known."""
        return np.isin(digests[:, 0], self._starts)


@dataclass(frozen=True, slots=True, eq=False)
class ContentReader:
    """Reads documents under one scheme. Shingles of the ``base`` do not count. Stores of format 2 have the shingles of
    single letters of scripts without spaces: for them, ``joins_letters`` is false."""

    scheme: Scheme
    key: Key
    settings: ClusterSettings
    joins_letters: bool = True
    base: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))

    def read(self, documents: Iterable[Document], known: KnownDigests, threads: int = 1) -> Iterator[Read]:
        """Read documents, in order. Stop reading one whose digest is known."""
        for reads in self.read_batches(documents, known, threads):
            yield from reads

    def read_batches(
        self, items: Iterable[Item | Sheet], known: KnownDigests, threads: int = 1
    ) -> Iterator[list[Read]]:
        """Read documents, in order, in batches. The documents of a sheet come back without their texts."""
        reader = BatchReader(self.scheme, self.key, known, joins_letters=self.joins_letters)
        with Prefetch(threads) as ahead:
            for batch_items, batch in ahead.map(lambda batch: (batch, reader.read(batch)), batches(items)):
                yield list(self._reads(_documents(batch_items), batch, known))

    def read_one(self, document: Document) -> Read:
        """Read one document, known or not."""
        return next(self.read([document], KnownDigests()))

    def sketch(self, hashes: Hashes) -> Hashes:
        """Return the shingles of a document that are looked up."""
        return self._sketches(hashes, np.array([0, len(hashes)], np.int64))[0]

    def _reads(self, documents: Sequence[Item], batch: DocumentBatch, known: KnownDigests) -> Iterator[Read]:
        records = batch.records
        reasons = TextColumn(np.frombuffer(batch.texts["reason"], np.uint8), records["reason"])
        bounds = np.concatenate([[0], np.cumsum(records["shingles"])]).astype(np.int64)
        counting = Boilerplate(self.base, self.base[:0]).left_out(Rows(batch.shingles, bounds))
        bounds = counting.bounds
        sketches, ends, moduli = self._sketches(counting.hashes, bounds)
        spans = zip(pairwise(bounds.tolist()), pairwise(ends.tolist()), moduli.tolist(), strict=True)
        new = (~known.known(records["content"])).tolist()
        for document, record, reason, is_new, (whole, sketched, modulus) in zip(
            documents, records, reasons, new, spans, strict=True
        ):
            digest, lexical, shingles = (record[name].tobytes() for name in ("content", "lexical", "shingle"))
            hashes, sketch = counting.hashes[slice(*whole)], sketches[slice(*sketched)]
            if isinstance(document, Document):
                yield Read(document, digest, is_new, lexical, shingles, hashes, sketch, modulus, reason)

    def _sketches(self, hashes: Hashes, bounds: Bounds) -> tuple[Hashes, Bounds, NDArray[np.int32]]:
        return native_shingles.sample(hashes, bounds, self.settings.modulus, self.settings.least)


def _documents(items: Sequence[Item] | Sheet) -> Sequence[Item]:
    """Return the documents of a batch, those of a sheet without their texts."""
    if not isinstance(items, Sheet):
        return items
    columns = zip(items.ids, items.urls, items.dates, strict=True)
    return [Document(name or "", "", url, date) for name, url, date in columns]


def tie(shingles: bytes) -> int:
    """Return the number that breaks ties between contents in the last phase. It depends only on their shingles."""
    return int.from_bytes(shingles[:8], "little")


# Merge a segment with the next larger one unless that is more than so many times as large. So there are at most a dozen
# or two, and a posting is written again each time its segment grows by half: about 2 log n times.
GROWTH = 2


class SweepSegments:
    """The open segments of a store during an add: the ``old`` ones of the last commit, and ``new`` ones."""

    def __init__(self, store: SweepStore, folder: SegmentFolder) -> None:
        self._store, self._folder = store, folder
        self.old: list[Segment] = []
        self.new: list[Segment] = []

    def load(self) -> None:
        """Open the listed segments."""
        self.close()
        self.old = [self._folder.open(name) for name in self._store.keys("segments")]

    def close(self) -> None:
        """Close all segments."""
        for segment in self.all():
            segment.close()
        self.old, self.new = [], []

    def all(self) -> list[Segment]:
        """Return old and new segments."""
        return [*self.old, *self.new]

    def write(self, postings: Postings) -> None:
        """Write a new segment, and list it in the open transaction."""
        if len(postings):
            documents = int(postings.documents.min()), int(postings.documents.max())
            name, _ = self._folder.write(self._next_number(), [postings.in_order()], len(postings), documents)
            self.new.append(self._folder.open(name))
            self._store.swap_segments([], name, len(postings))

    def merge(self) -> list[Path]:
        """Merge segments of about one size. Return the files to remove after the commit."""
        obsolete: list[Path] = []
        while len(segments := mergeable(self.all())) > 1:
            name, header = self._folder.merge(self._next_number(), segments)
            merged = self._folder.open(name)
            self._store.swap_segments([segment.path.name for segment in segments], name, header.postings)
            obsolete += [segment.path for segment in segments]
            self.old = [segment for segment in self.all() if segment not in segments]
            self.new = [merged]
        return obsolete

    def _next_number(self) -> int:
        return self._folder.next_number(self._store.total(LAST_SEGMENT))


def mergeable(segments: Sequence[Segment]) -> list[Segment]:
    """Return the smallest segments, as long as the next one is at most GROWTH times their total."""
    smallest: list[Segment] = []
    total = 0
    for segment in sorted(segments, key=len):
        if smallest and len(segment) > GROWTH * total:
            break
        smallest.append(segment)
        total += len(segment)
    return smallest


# Postings of sketches: in a file, or in memory.
Sketched: TypeAlias = Segment | Postings


def counts(segments: Iterable[Sketched], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many contents have each of the sorted values."""
    totals = np.zeros(len(hashes), np.int64)
    for segment in segments:
        totals += segment.count(hashes)
    return totals


def look_up(segments: Iterable[Sketched], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the postings of sorted values: the index of the value and the content, sorted by both."""
    parts = [segment.look_up(hashes) for segment in segments]
    which = np.concatenate([np.zeros(0, np.int64), *(part.which.astype(np.int64) for part in parts)])
    contents = np.concatenate([np.zeros(0, np.int64), *(part.documents.astype(np.int64) for part in parts)])
    order = np.lexsort((contents, which))
    return which[order], contents[order]
