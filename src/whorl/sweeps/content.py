"""Documents become digests, shingles and sketches: all that sweeps know about how a clustering reads documents.

Read in batches, on several threads. The digests are those by which a clustering sets equal documents aside: of the
bytes, of the symbols, of the shingles. They are zero where there is nothing: documents without a word are not equal.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.reading import DIGEST, batches
from whorl.clustering.reading import Reader as BatchReader
from whorl.clustering.records import Batch, Item, Texts
from whorl.clustering.settings import ClusterSettings
from whorl.fingerprinting.ahead import Ahead
from whorl.hashing.key import Key
from whorl.model import Document, Hashes
from whorl.scheme import Scheme

# How a content is equal to the one that stands for it; the one that stands for itself has no kind.
LEXICAL, SHINGLE, ITSELF = "lexical", "shingle", ""

NOTHING = bytes(DIGEST)

Bounds = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What a document is: the digest of its bytes; unless that is known, those of its symbols and shingles, the sorted
    distinct shingles, and one in how many a sketch keeps. Or the ``reason`` why it cannot be read."""

    document: Document
    digest: bytes
    is_new: bool
    lexical: bytes
    shingles: bytes
    hashes: Hashes
    sketch: Hashes
    modulus: int
    reason: str | None


class Seen:
    """Digests of contents, by their first eight bytes: whoever takes one for known looks again."""

    def __init__(self, digests: Iterable[bytes] = ()) -> None:
        self._starts = np.sort(np.frombuffer(b"".join(digest[:8] for digest in digests), np.uint64))

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of them are among these."""
        return np.isin(digests[:, 0], self._starts)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads documents under one scheme."""

    scheme: Scheme
    key: Key
    settings: ClusterSettings

    def read(self, documents: Iterable[Document], seen: Seen, threads: int = 1) -> Iterator[Read]:
        """What each document is, in order. One whose digest was seen is not read any further."""
        reader = BatchReader(self.scheme, self.key, seen)
        with Ahead(threads) as ahead:
            for batch, found in ahead.map(lambda batch: (batch, reader.read(batch)), batches(documents)):
                yield from self._reads(batch, found, seen)

    def read_one(self, document: Document) -> Read:
        """What a document is, seen or not."""
        return next(self.read([document], Seen()))

    def sketch(self, hashes: Hashes) -> Hashes:
        """Those of a document's shingles that are looked up."""
        return self._sketches(hashes, np.array([0, len(hashes)], np.int64))[0]

    def _reads(self, documents: list[Item], found: Batch, seen: Seen) -> Iterator[Read]:
        records = found.records
        reasons = Texts(np.frombuffer(found.texts["reason"], np.uint8), records["reason"])
        bounds = np.concatenate([[0], np.cumsum(records["shingles"])]).astype(np.int64)
        sketches, ends, moduli = self._sketches(found.shingles, bounds)
        spans = zip(pairwise(bounds.tolist()), pairwise(ends.tolist()), moduli.tolist(), strict=True)
        new = (~seen.known(records["content"])).tolist()
        for document, record, reason, is_new, (whole, kept, modulus) in zip(
            documents, records, reasons, new, spans, strict=True
        ):
            digest, lexical, shingles = (record[name].tobytes() for name in ("content", "lexical", "shingle"))
            hashes, sketch = found.shingles[slice(*whole)], sketches[slice(*kept)]
            if isinstance(document, Document):
                yield Read(document, digest, is_new, lexical, shingles, hashes, sketch, modulus, reason)

    def _sketches(self, hashes: Hashes, bounds: Bounds) -> tuple[Hashes, Bounds, NDArray[np.int32]]:
        found: tuple[Hashes, Bounds, NDArray[np.int32]] = kernel.shingles().sample(
            hashes, bounds, self.settings.modulus, self.settings.least
        )
        return found


def tie(shingles: bytes) -> int:
    """The number that breaks ties between contents in the last phase, whatever their order: of their own shingles."""
    return int.from_bytes(shingles[:8], "little")
