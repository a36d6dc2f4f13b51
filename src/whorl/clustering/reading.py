"""Documents to shingles and digests, a batch at a time. Runs in several threads: the loops are the kernel's."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.features import Features, identities
from whorl.clustering.records import RECORD, Batch, Item, packed
from whorl.corpus.sheets import Sheet
from whorl.errors import DocumentError
from whorl.frontends.detection import TEXT
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
BATCH_BYTES = 1 << 19
BATCH = 1024

# Bytes of a digest that are kept: nobody finds two contents with the same 128 bits.
DIGEST = 16
NO_DIGEST = bytes(DIGEST)

_NOTHING: Hashes = np.empty(0, np.uint64)


@overload
def batches(items: Iterable[Item]) -> Iterator[list[Item]]: ...
@overload
def batches(items: Iterable[Item | Sheet]) -> Iterator[list[Item] | Sheet]: ...
def batches(items: Iterable[Item | Sheet]) -> Iterator[list[Item] | Sheet]:
    """Documents that are read together. A sheet is a batch of its own."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if isinstance(item, Sheet):
            if batch:
                yield batch
                batch, size = [], 0
            yield item
            continue
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
        # Documents that say their format are read by the front-end of the first of them.
        self._fronts: dict[str, Frontend[Any]] = {}

    def read(self, items: Sequence[Item] | Sheet) -> Batch:
        """What phase 1 keeps of these documents. What cannot be read has the reason, and no shingles."""
        reading = _Reading(len(items))
        if isinstance(items, Sheet):
            self._open_sheet(reading, items)
        else:
            self._open_all(reading, items)
        reading.read_together()
        shingles, ends = kernel.shingles().distinct(*self._values(reading))
        records = np.zeros(len(items), RECORD)
        records["size"], records["shingles"] = reading.sizes, np.diff(ends)
        records["content"] = _column(reading.contents)
        records["lexical"] = _column(_digests(reading.symbols))
        records["shingle"] = _column(_digests(shingles[start:end] for start, end in pairwise(ends.tolist())))
        return Batch(records, _texts(items, reading.reasons, records), shingles)

    def _open_sheet(self, reading: "_Reading", sheet: Sheet) -> None:
        front = self._front(Document("", "", format=TEXT), "")
        if not isinstance(front, TextFrontend):
            self._open_all(reading, list(sheet.documents()))
            return
        texts, bounds = sheet.texts()
        data = texts.data
        waiting = reading.together.setdefault(front, {})
        for number, (start, end) in enumerate(pairwise(bounds.tolist())):
            text = data[start:end]
            if self._is_new(reading, number, text):
                waiting[number] = text

    def _open_all(self, reading: "_Reading", items: Sequence[Item]) -> None:
        for number, item in enumerate(items):
            try:
                self._open(reading, number, item)
            except DocumentError as error:
                reading.refuse(number, str(error))

    def _open(self, reading: "_Reading", number: int, item: Item) -> None:
        """Read a document, or leave it for the end if it can be read together with others."""
        if isinstance(item, Features):
            found = identities(item.features)
            if self._is_new(reading, number, b"features" + found.tobytes()):
                reading.features[number] = found
            return
        content = held(item.content)
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        if not self._is_new(reading, number, data):
            return
        front = self._front(item, content)
        if isinstance(front, TextFrontend) and isinstance(content, str):
            reading.together.setdefault(front, {})[number] = data
        else:
            pieces = front.pieces(replace(item, content=content))
            reading.symbols[number] = np.concatenate(
                [_NOTHING, *(_wide(front.read(piece).symbols) for piece in pieces)]
            )

    def _is_new(self, reading: "_Reading", number: int, data: bytes | memoryview) -> bool:
        reading.sizes[number] = len(data)
        reading.contents[number] = _digest(data)
        return reading.contents[number] not in self._seen

    def _front(self, document: Document, content: str | bytes) -> Frontend[Any]:
        if document.format in self._fronts:
            return self._fronts[document.format]
        front = choose(self._scheme, replace(document, content=content)).frontend
        if document.format is not None:
            self._fronts[document.format] = front
        return front

    def _values(self, reading: "_Reading") -> tuple[Hashes, NDArray[np.int64]]:
        """The permuted identities of all shingles of all documents, one after the other, and where each ends."""
        k, turn, symbols = self._scheme.k, permutation(self._key), reading.symbols
        lengths = np.array([len(row) for row in symbols], np.int64)
        flat = np.concatenate([_NOTHING, *symbols])
        values = kernel.shingles().values(flat, _bounds(lengths), k, *hasher(self._key, k).constants, turn.constants)
        bounds = _bounds(np.maximum(lengths - k + 1, 0))
        short = np.flatnonzero((lengths > 0) & (lengths < k)).tolist()
        others = {number: turn(whole(symbols[number], self._key)) for number in short}
        others |= {number: turn(found) for number, found in reading.features.items()}
        return _with(values, bounds, others) if others else (values, bounds)


class _Reading:
    """What is found of the documents of a batch: the symbols, or the features; digests of the contents; their sizes;
    why a document cannot be read. ``together`` are texts, in UTF-8, that wait to be read with others."""

    def __init__(self, count: int) -> None:
        self.symbols: list[Hashes] = [_NOTHING] * count
        self.features: dict[int, Hashes] = {}
        self.contents = [NO_DIGEST] * count
        self.sizes = [0] * count
        self.reasons: list[str | None] = [None] * count
        self.together: dict[TextFrontend, dict[int, bytes | memoryview]] = {}

    def refuse(self, number: int, reason: str) -> None:
        """A document that cannot be read is equal to none."""
        self.reasons[number], self.contents[number] = reason, NO_DIGEST

    def read_together(self) -> None:
        """The texts that were left for the end."""
        for front, waiting in self.together.items():
            symbols, bounds = front.read_all(list(waiting.values()))
            for number, (start, end) in zip(waiting, pairwise(bounds.tolist()), strict=True):
                self.symbols[number] = _wide(symbols[start:end])


def _texts(items: Sequence[Item] | Sheet, reasons: Sequence[str | None], records: NDArray[np.void]) -> dict[str, bytes]:
    columns: dict[str, Sequence[str | None]] = {"reason": reasons}
    if isinstance(items, Sheet):
        columns |= {"id": items.ids, "url": items.urls, "date": items.dates}
    else:
        columns |= {
            "id": [item.name for item in items],
            "url": [item.url for item in items],
            "date": [item.date for item in items],
        }
    texts = {}
    for field, column in columns.items():
        records[field], texts[field] = packed(column)
    return texts


def _wide(symbols: Symbols) -> Hashes:
    return np.asarray(symbols, np.uint64)


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


def _digest(data: bytes | memoryview | Hashes) -> bytes:
    # SHA-256, because processors have instructions for it: it is twice as fast as BLAKE2b here.
    return sha256(data.data if isinstance(data, np.ndarray) else data).digest()[:DIGEST]


def _digests(rows: Iterable[Hashes]) -> list[bytes]:
    """Of symbols or shingles. A document that has none says nothing, and is not equal by it."""
    return [_digest(row) if len(row) else NO_DIGEST for row in rows]


def _column(digests: list[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)


def _size(item: Item) -> int:
    if isinstance(item, Features):
        return 8 * len(item.features)
    content = item.content
    if isinstance(content, Path):
        # For the size of a batch alone; reading a file that is not there says so.
        return content.stat().st_size if content.exists() else 0
    return len(content)
