"""Documents to shingles and digests, a batch at a time. Runs in several threads: the loops are the kernel's."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, overload

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


class Known(Protocol):
    """Digests of contents that were read."""

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of them are among these."""


class Reader:
    """Reads batches under one scheme. Content whose digest is in ``seen`` is not read again."""

    def __init__(self, scheme: Scheme, key: Key, seen: Known) -> None:
        self._scheme, self._key, self._seen = scheme, key, seen
        # Documents that say their format are read by the front-end of the first of them.
        self._fronts: dict[str, Frontend[Any]] = {}

    def read(self, items: Sequence[Item] | Sheet) -> Batch:
        """What phase 1 keeps of these documents. What cannot be read has the reason, and no shingles."""
        reading = self._sheet(items) if isinstance(items, Sheet) else self._each(items)
        shingles, ends = kernel.shingles().distinct(*self._values(reading))
        records = np.zeros(len(items), RECORD)
        records["size"], records["shingles"] = reading.sizes, np.diff(ends)
        records["content"] = reading.contents
        records["lexical"] = kernel.shingles().digests(reading.symbols, reading.bounds)
        records["shingle"] = kernel.shingles().digests(shingles, ends)
        return Batch(records, _texts(items, reading.reasons, records), shingles)

    def _sheet(self, sheet: Sheet) -> "_Reading":
        """Texts that lie together already."""
        front = self._front(Document("", "", format=TEXT), "")
        if not isinstance(front, TextFrontend):
            return self._each(list(sheet.documents()))
        data, bounds = sheet.texts()
        contents = _contents([data.data[start:end] for start, end in pairwise(bounds.tolist())])
        sizes, new = np.diff(bounds), ~self._seen.known(contents)
        if not new.all():
            data = np.concatenate([data[:0], *(data[bounds[row] : bounds[row + 1]] for row in np.flatnonzero(new))])
        symbols, found = front.read_all(data, _bounds(sizes[new]))
        lengths = np.zeros(len(sizes), np.int64)
        lengths[new] = np.diff(found)
        return _Reading(_wide(symbols), _bounds(lengths), {}, contents, sizes, [None] * len(sizes))

    def _each(self, items: Sequence[Item]) -> "_Reading":
        opened = [_opened(item) for item in items]
        contents = _contents([each.data for each in opened])
        features, rows = dict[int, Hashes](), [_NOTHING] * len(items)
        together: dict[TextFrontend, dict[int, bytes]] = {}
        for number in np.flatnonzero(~self._seen.known(contents)).tolist():
            each = opened[number]
            if each.features is not None:
                features[number] = each.features
            elif each.reason is None:
                self._read(each, number, rows, together)
        for front, waiting in together.items():
            joined = np.frombuffer(b"".join(waiting.values()), np.uint8)
            symbols, bounds = front.read_all(joined, _bounds(np.array([*map(len, waiting.values())], np.int64)))
            for number, (start, end) in zip(waiting, pairwise(bounds.tolist()), strict=True):
                rows[number] = _wide(symbols[start:end])
        # A document that cannot be read is equal to none.
        contents[[each.reason is not None for each in opened]] = 0
        lengths, sizes = ([len(part) for part in parts] for parts in (rows, [each.data for each in opened]))
        reasons = [each.reason for each in opened]
        return _Reading(np.concatenate([_NOTHING, *rows]), _bounds(np.array(lengths, np.int64)), features, contents,
                        np.array(sizes, np.int64), reasons)  # fmt: skip

    def _read(
        self, each: "_Opened", number: int, rows: list[Hashes], together: dict[TextFrontend, dict[int, bytes]]
    ) -> None:
        """The symbols of a document, unless it is better read together with others."""
        document = each.document
        try:
            front = self._front(document, document.content)
            if isinstance(front, TextFrontend) and isinstance(document.content, str):
                together.setdefault(front, {})[number] = each.data
            else:
                parts = (_wide(front.read(piece).symbols) for piece in front.pieces(document))
                rows[number] = np.concatenate([_NOTHING, *parts])
        except DocumentError as error:
            each.reason = str(error)

    def _front(self, document: Document, content: str | bytes | Path) -> Frontend[Any]:
        if document.format in self._fronts:
            return self._fronts[document.format]
        front = choose(self._scheme, replace(document, content=content)).frontend
        if document.format is not None:
            self._fronts[document.format] = front
        return front

    def _values(self, reading: "_Reading") -> tuple[Hashes, NDArray[np.int64]]:
        """The permuted identities of all shingles of all documents, one after the other, and where each ends."""
        k, turn, symbols, bounds = self._scheme.k, permutation(self._key), reading.symbols, reading.bounds
        lengths = np.diff(bounds)
        values = kernel.shingles().values(symbols, bounds, k, *hasher(self._key, k).constants, turn.constants)
        short = np.flatnonzero((lengths > 0) & (lengths < k)).tolist()
        others = {number: turn(whole(symbols[bounds[number] : bounds[number + 1]], self._key)) for number in short}
        others |= {number: turn(found) for number, found in reading.features.items()}
        ends = _bounds(np.maximum(lengths - k + 1, 0))
        return _with(values, ends, others) if others else (values, ends)


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """What is found of the documents of a batch: all symbols and their bounds, or the features; digests of the
    contents; their sizes; why a document cannot be read."""

    symbols: Hashes
    bounds: NDArray[np.int64]
    features: dict[int, Hashes]
    contents: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    reasons: Sequence[str | None]


@dataclass(slots=True)
class _Opened:
    """A document whose content is at hand, as bytes too; or the features of one; or why it cannot be read."""

    document: Document
    data: bytes = b""
    features: Hashes | None = None
    reason: str | None = None


def _opened(item: Item) -> _Opened:
    if isinstance(item, Features):
        found = identities(item.features)
        return _Opened(Document("", ""), b"features" + found.tobytes(), found)
    try:
        content = held(item.content)
    except DocumentError as error:
        return _Opened(item, reason=str(error))
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return _Opened(replace(item, content=content), data)


def _texts(items: Sequence[Item] | Sheet, reasons: Sequence[str | None], records: NDArray[np.void]) -> dict[str, bytes]:
    if isinstance(items, Sheet):
        columns = {"id": items.ids.packed(), "url": items.urls.packed(), "date": items.dates.packed()}
    else:
        columns = {
            "id": packed([item.name for item in items]),
            "url": packed([item.url for item in items]),
            "date": packed([item.date for item in items]),
        }
    texts = {}
    for field, (lengths, data) in {**columns, "reason": packed(reasons)}.items():
        records[field], texts[field] = lengths, data
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


def _contents(texts: Iterable[bytes | memoryview]) -> NDArray[np.uint64]:
    """Digests of contents: nobody must find two with the same one. SHA-256, because processors have instructions for
    it: it is twice as fast as BLAKE2b here."""
    digests = b"".join([sha256(text).digest() for text in texts])
    return np.frombuffer(digests, np.uint64).reshape(-1, 4)[:, : DIGEST // 8].copy()


def _size(item: Item) -> int:
    if isinstance(item, Features):
        return 8 * len(item.features)
    content = item.content
    if isinstance(content, Path):
        # For the size of a batch alone; reading a file that is not there says so.
        return content.stat().st_size if content.exists() else 0
    return len(content)
