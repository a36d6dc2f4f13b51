"""Documents to shingles and digests, a batch at a time. Runs in several threads: the loops are the kernel's."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.features import Features, identities
from whorl.clustering.records import RECORD, Batch, Item, packed
from whorl.errors import DocumentError
from whorl.frontends.protocol import Frontend
from whorl.frontends.reading import choose
from whorl.frontends.source import held
from whorl.frontends.text import TextFrontend
from whorl.hashing.hasher import hasher
from whorl.hashing.key import Key
from whorl.model import Document, Hashes, Symbols
from whorl.scheme import Scheme
from whorl.sketches.permutation import permutation
from whorl.sketches.shingles import whole

# A batch has about as much text as a core reads in 3 ms: calls do not count, and the threads share the work evenly.
BATCH_BYTES = 1 << 18
BATCH = 1024

# Bytes of a digest that are kept: nobody finds two contents with the same 128 bits.
DIGEST = 16

_NOTHING: Hashes = np.empty(0, np.uint64)


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Documents that are read together."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += _size(item)
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class Reader:
    """Reads batches under one scheme. Content whose digest is in ``seen`` is not read again."""

    def __init__(self, scheme: Scheme, key: Key, seen: Container[bytes]) -> None:
        self._scheme, self._key, self._seen = scheme, key, seen

    def read(self, items: Sequence[Item]) -> Batch:
        """What phase 1 keeps of these documents. What cannot be read has the reason, and no shingles."""
        records = np.zeros(len(items), RECORD)
        reading = _Reading(self._scheme, records, self._seen)
        for number, item in enumerate(items):
            reading.open(number, item)
        reading.read_together()
        values, bounds = self._values(reading)
        shingles, ends = kernel.shingles().distinct(values, bounds)
        records["shingles"] = np.diff(ends)
        # Documents without a shingle say nothing, and are not equal by it.
        digests = [
            _digest(shingles[start:end]) if end > start else bytes(DIGEST) for start, end in pairwise(ends.tolist())
        ]
        records["shingle"] = np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)
        return Batch(records, self._texts(items, reading.reasons, records), shingles)

    def _values(self, reading: "_Reading") -> tuple[Hashes, NDArray[np.int64]]:
        """The permuted identities of all shingles of all documents, one after the other, and where each ends."""
        k, turn = self._scheme.k, permutation(self._key)
        symbols = [np.asarray(row, np.uint64) for row in reading.symbols]
        lengths = np.array([len(row) for row in symbols], np.int64)
        flat = np.concatenate([_NOTHING, *symbols])
        values = kernel.shingles().values(flat, _bounds(lengths), k, *hasher(self._key, k).constants, turn.constants)
        bounds = _bounds(np.maximum(lengths - k + 1, 0))
        others = {
            number: turn(whole(symbols[number], self._key))
            for number in np.flatnonzero((lengths > 0) & (lengths < k)).tolist()
        }
        others |= {number: turn(found) for number, found in reading.features.items()}
        return _with(values, bounds, others) if others else (values, bounds)

    def _texts(
        self, items: Sequence[Item], reasons: Sequence[str | None], records: NDArray[np.void]
    ) -> dict[str, bytes]:
        columns: dict[str, Sequence[str | None]] = {
            "id": [item.name for item in items],
            "url": [item.url for item in items],
            "date": [item.date for item in items],
            "reason": reasons,
        }
        texts = {}
        for field, column in columns.items():
            records[field], texts[field] = packed(column)
        return texts


class _Reading:
    """The symbols of a batch, or the features, as they are found."""

    def __init__(self, scheme: Scheme, records: NDArray[np.void], seen: Container[bytes]) -> None:
        self._scheme, self._records, self._seen = scheme, records, seen
        self.symbols: list[Symbols] = [_NOTHING] * len(records)
        self.features: dict[int, Hashes] = {}
        self.reasons: list[str | None] = [None] * len(records)
        self.is_read = np.zeros(len(records), np.bool_)
        self._together: dict[TextFrontend, dict[int, str]] = {}

    def open(self, number: int, item: Item) -> None:
        """Read a document, or leave it for the end if it can be read together with others."""
        try:
            if isinstance(item, Features):
                self._features(number, item)
            else:
                self._document(number, item)
        except DocumentError as error:
            self.reasons[number], self.is_read[number] = str(error), False

    def read_together(self) -> None:
        """The texts that were left for the end; then the digests of all symbols."""
        for front, texts in self._together.items():
            for number, symbols in zip(texts, front.read_all(list(texts.values())), strict=True):
                self.symbols[number] = symbols
        for number in np.flatnonzero(self.is_read).tolist():
            if len(self.symbols[number]):
                self._note("lexical", number, np.asarray(self.symbols[number], np.uint64))

    def _features(self, number: int, item: Features) -> None:
        found = identities(item.features)
        self._records["size"][number] = found.nbytes
        if self._is_new(number, b"features" + found.tobytes()):
            self.features[number] = found
            if len(found):
                self._note("lexical", number, np.sort(found))

    def _document(self, number: int, document: Document) -> None:
        content = held(document.content)
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        self._records["size"][number] = len(data)
        if not self._is_new(number, data):
            return
        document = replace(document, content=content)
        front = choose(self._scheme, document).frontend
        if isinstance(front, TextFrontend) and isinstance(content, str):
            self._together.setdefault(front, {})[number] = content
        else:
            self.symbols[number] = np.concatenate([_NOTHING, *_wide(front, document)])

    def _is_new(self, number: int, data: bytes) -> bool:
        digest = self._note("content", number, data)
        self.is_read[number] = digest not in self._seen
        return bool(self.is_read[number])

    def _note(self, field: str, number: int, data: bytes | NDArray[np.uint64]) -> bytes:
        digest = _digest(data)
        self._records[field][number] = np.frombuffer(digest, np.uint64)
        return digest


def _wide(front: Frontend[Any], document: Document) -> Iterator[Hashes]:
    return (np.asarray(front.read(piece).symbols, np.uint64) for piece in front.pieces(document))


def _with(values: Hashes, bounds: NDArray[np.int64], others: dict[int, Hashes]) -> tuple[Hashes, NDArray[np.int64]]:
    """The values of documents that have none yet, put in their places."""
    numbers = sorted(others)
    counts = [len(others[number]) for number in numbers]
    places = np.repeat(bounds[numbers], counts)
    lengths = np.diff(bounds)
    lengths[numbers] = counts
    return np.insert(values, places, np.concatenate([others[number] for number in numbers])), _bounds(lengths)


def _bounds(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _digest(data: bytes | NDArray[np.uint64]) -> bytes:
    # SHA-256, because processors have instructions for it: it is twice as fast as BLAKE2b here.
    return sha256(data.data if isinstance(data, np.ndarray) else data).digest()[:DIGEST]


def _size(item: Item) -> int:
    if isinstance(item, Features):
        return 8 * len(item.features)
    content = item.content
    if isinstance(content, Path):
        # For the size of a batch alone; reading a file that is not there says so.
        return content.stat().st_size if content.exists() else 0
    return len(content)
