"""Phase 1: read documents into shingles and digests, a batch at a time, in several threads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.records import (
    RECORD,
    DocumentBatch,
    Features,
    Item,
    TextColumn,
    UnreadDocument,
    identities,
    packed,
)
from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import permutation
from whorl.engine.shingles import whole
from whorl.errors import DocumentError, InputError
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.records import DigestSet
from whorl.formats.detection import TEXT
from whorl.formats.encoding import load_content
from whorl.formats.reading import Frontend, choose
from whorl.formats.text import Piece, TextFrontend, half_letters, may_have_letters
from whorl.kernel import native_shingles
from whorl.model import Document, Hashes, Stream, Symbols
from whorl.scheme import Scheme

# A batch takes a core about 3 ms: calls cost little, and the threads share the work evenly.
BATCH_BYTES = 1 << 19
BATCH = 1024

# Bytes of a digest: collisions of 128 bits cannot be found.
DIGEST = 16

_NOTHING: Hashes = np.empty(0, np.uint64)

# Raised when the same text gets other shingles. 2: letters of scripts without spaces are joined.
REVISION = 2

# The base of the hash of joined letters and its inverse modulo 2^64, and an odd factor that mixes. The base is 3 modulo
# 8, so that its powers differ in their low bits.
_BASE = 0x9E3779B97F4A7C13
_INVERSE, _MIX = pow(_BASE, -1, 1 << 64), 0xBB67AE8584CAA73B


def joined_letters(symbols: Hashes, bounds: NDArray[np.int64], k: int) -> Hashes:
    """Return the words of documents with each letter of a script without spaces joined to the letters behind it, so
    that k of them are about as long as k words of the language.

    A letter is no word: any two Thai pages share many sequences of four letters. The letters joined are consecutive,
    of one document, and of scripts with words of the same length.
    """
    letters = half_letters(symbols).astype(np.int64)
    if not letters.any():
        return symbols
    ends = np.minimum(*letter_ends(letters, bounds, k))
    powers, inverses = _powers(_BASE, len(symbols)), _powers(_INVERSE, len(symbols))
    sums = np.append(np.uint64(0), np.cumsum(symbols * powers, dtype=np.uint64))
    hashes = (sums[np.maximum(ends, 0)] - sums[:-1]) * inverses
    hashes = (hashes ^ hashes >> np.uint64(32)) * np.uint64(_MIX)
    return np.where(letters > 0, hashes ^ hashes >> np.uint64(32), symbols)


def letter_ends(
    letters: NDArray[np.int64], bounds: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the letters end that each is joined to, and where the sequence of such letters ends, which comes
    first at the end of a sequence. ``letters`` has the half letters of a word for each symbol."""
    is_first = np.append(True, letters[1:] != letters[:-1])
    is_first[bounds[:-1][bounds[:-1] < len(letters)]] = True
    firsts = np.flatnonzero(is_first)
    lasts = np.repeat(np.append(firsts[1:], len(letters)), np.diff(np.append(firsts, len(letters))))
    return np.arange(len(letters)) + letters * k // 2 - k + 1, lasts


def _powers(base: int, count: int) -> Hashes:
    """Return the powers of a number from 0 on, modulo 2^64."""
    factors = np.full(count, base, np.uint64)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint64)


@overload
def batches(items: Iterable[Item]) -> Iterator[list[Item]]: ...
@overload
def batches(items: Iterable[Item | Sheet]) -> Iterator[list[Item] | Sheet]: ...
def batches(items: Iterable[Item | Sheet]) -> Iterator[list[Item] | Sheet]:
    """Group documents that are read together. A sheet is a batch by itself."""
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


def base_shingles(items: Iterable[Item | Sheet], scheme: Scheme) -> Hashes:
    """Return the shingles of material that does not count, in order. All of it must be readable."""
    reader, parts = ShingleReader(scheme, Key.PUBLIC, DigestSet()), [_NOTHING]
    for batch in batches(items):
        documents = reader.read(batch)
        if (unread := np.flatnonzero(documents.records["reason"] >= 0)).size:
            number = int(unread[0])
            texts = (TextColumn(np.frombuffer(documents.texts[field], np.uint8), documents.records[field])
                     for field in ("id", "reason"))  # fmt: skip
            name, reason = (column[number] for column in texts)
            raise InputError(f"base: {name}: {reason}")
        parts.append(documents.shingles)
    return np.unique(np.concatenate(parts))


class Known(Protocol):
    """Digests of contents that were read."""

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of the digests are known."""


class ShingleReader:
    """Read batches under one scheme. Content whose digest is in ``seen`` is not read again. Letters of scripts without
    spaces are joined to words, unless ``joins_letters`` is false."""

    def __init__(self, scheme: Scheme, key: Key, seen: Known, joins_letters: bool = True) -> None:
        self._scheme, self._key, self._seen = scheme, key, seen
        self._joins_letters = joins_letters and scheme.symbols == "words"
        # One front-end for each format that documents name.
        self._fronts: dict[str, Frontend[Any]] = {}

    def read(self, items: Sequence[Item] | Sheet) -> DocumentBatch:
        """Return the records of these documents. Unreadable ones have a reason and no shingles."""
        reading = self._sheet(items) if isinstance(items, Sheet) else self._each(items)
        shingles, ends = native_shingles.distinct(*self._values(reading))
        records = np.zeros(len(items), RECORD)
        records["size"], records["length"], records["shingles"] = reading.sizes, reading.lengths, np.diff(ends)
        records["content"] = reading.contents
        records["lexical"] = native_shingles.digests(reading.symbols, reading.bounds)
        records["shingle"] = native_shingles.digests(shingles, ends)
        return DocumentBatch(records, _texts(items, reading.reasons, records), shingles)

    def _sheet(self, sheet: Sheet) -> "_Reading":
        """Read texts that lie together already."""
        front = self._front(Document("", "", format=TEXT), "")
        if not isinstance(front, TextFrontend):
            return self._each(list(sheet.documents()))
        data, bounds = sheet.texts()
        contents = _contents([data.data[start:end] for start, end in pairwise(bounds.tolist())])
        sizes, new, characters = np.diff(bounds), ~self._seen.known(contents), _characters(data, bounds)
        if not new.all():
            data = np.concatenate([data[:0], *(data[bounds[row] : bounds[row + 1]] for row in np.flatnonzero(new))])
        symbols, ends = front.read_all(data, _bounds(sizes[new]))
        lengths = np.zeros(len(sizes), np.int64)
        lengths[new] = np.diff(ends)
        letters = np.zeros(len(sizes), np.bool_)
        letters[new] = may_have_letters(data, _bounds(sizes[new]))
        reasons = [None] * len(sizes)
        return _Reading(_wide(symbols), _bounds(lengths), {}, contents, sizes, characters, reasons, letters)

    def _each(self, items: Sequence[Item]) -> "_Reading":
        opened = [_opened(item) for item in items]
        contents = _contents([each.data for each in opened])
        features, rows = dict[int, Hashes](), [_NOTHING] * len(items)
        together: dict[TextFrontend, dict[int, bytes]] = {}
        for number in np.flatnonzero(~self._seen.known(contents)).tolist():
            each = opened[number]
            if each.features is not None:
                features[number], each.length = each.features, len(each.features)
            elif each.reason is None:
                self._read(each, number, rows, together)
        letters = np.array([len(row) > 0 for row in rows], np.bool_)
        for front, waiting in together.items():
            joined = np.frombuffer(b"".join(waiting.values()), np.uint8)
            text_bounds = _bounds(np.array([*map(len, waiting.values())], np.int64))
            letters[list(waiting)] = may_have_letters(joined, text_bounds)
            symbols, bounds = front.read_all(joined, text_bounds)
            for number, (start, end) in zip(waiting, pairwise(bounds.tolist()), strict=True):
                rows[number] = _wide(symbols[start:end])
        # An unreadable document equals none.
        contents[[each.reason is not None for each in opened]] = 0
        lengths, sizes, characters = (
            np.array(counts, np.int64)
            for counts in ([*map(len, rows)], [len(each.data) for each in opened], [each.length for each in opened])
        )
        reasons = [each.reason for each in opened]
        return _Reading(np.concatenate([_NOTHING, *rows]), _bounds(lengths), features, contents, sizes, characters,
                        reasons, letters)  # fmt: skip

    def _read(
        self, each: "_Opened", number: int, rows: list[Hashes], together: dict[TextFrontend, dict[int, bytes]]
    ) -> None:
        """Read the symbols of a document, unless it is faster together with others."""
        document = each.document
        try:
            front = self._front(document, document.content)
            if isinstance(front, TextFrontend) and isinstance(document.content, str):
                together.setdefault(front, {})[number] = each.data
                each.length = len(document.content)
            else:
                parts = [_NOTHING]
                for piece in front.pieces(document):
                    stream = front.read(piece)
                    parts.append(_wide(stream.symbols))
                    each.length = max(each.length, _end(piece, stream))
                rows[number] = np.concatenate(parts)
        except DocumentError as error:
            each.reason = error.reason

    def _front(self, document: Document, content: str | bytes | Path) -> Frontend[Any]:
        if document.format in self._fronts:
            return self._fronts[document.format]
        front = choose(self._scheme, replace(document, content=content)).frontend
        if document.format is not None:
            self._fronts[document.format] = front
        return front

    def _values(self, reading: "_Reading") -> tuple[Hashes, NDArray[np.int64]]:
        """Return the permuted identities of all shingles, concatenated, and where those of each document end."""
        k, turn, bounds = self._scheme.k, permutation(self._key), reading.bounds
        symbols = reading.with_letters_joined(k) if self._joins_letters else reading.symbols
        lengths = np.diff(bounds)
        values = native_shingles.values(symbols, bounds, k, *hasher(self._key, k).constants, turn.constants)
        short = np.flatnonzero((lengths > 0) & (lengths < k)).tolist()
        others = {number: turn(whole(symbols[bounds[number] : bounds[number + 1]], self._key)) for number in short}
        others |= {number: turn(features) for number, features in reading.features.items()}
        ends = _bounds(np.maximum(lengths - k + 1, 0))
        return _with(values, ends, others) if others else (values, ends)


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """The documents of a batch: all symbols and their bounds, or the features; digests and sizes of the contents; the
    lengths of the texts in characters; the reasons why documents cannot be read; and which may have letters of scripts
    without spaces."""

    symbols: Hashes
    bounds: NDArray[np.int64]
    features: dict[int, Hashes]
    contents: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]
    reasons: Sequence[str | None]
    may_have_letters: NDArray[np.bool_]

    def with_letters_joined(self, k: int) -> Hashes:
        """Return the symbols with letters of scripts without spaces joined."""
        if not self.may_have_letters.any():
            return self.symbols
        lengths, symbols = np.diff(self.bounds), self.symbols.copy()
        chosen = np.repeat(self.may_have_letters, lengths)
        symbols[chosen] = joined_letters(symbols[chosen], _bounds(lengths[self.may_have_letters]), k)
        return symbols


@dataclass(slots=True)
class _Opened:
    """A document with its content as bytes, or its features, or why it cannot be read. ``length``: the characters up to
    the end of its text, or the number of its features, if it is read."""

    document: Document
    data: bytes = b""
    features: Hashes | None = None
    reason: str | None = None
    length: int = 0


def _opened(item: Item) -> _Opened:
    if isinstance(item, Features):
        features = identities(item.features)
        return _Opened(Document("", ""), b"features" + features.tobytes(), features)
    if isinstance(item, UnreadDocument):
        return _Opened(item, reason=item.reason)
    try:
        content = load_content(item.content)
    except DocumentError as error:
        return _Opened(item, reason=error.reason)
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
    """Insert the values of documents that have none yet."""
    numbers = sorted(others)
    counts = [len(others[number]) for number in numbers]
    places = np.repeat(bounds[numbers], counts)
    lengths = np.diff(bounds)
    lengths[numbers] = counts
    return np.insert(values, places, np.concatenate([others[number] for number in numbers])), _bounds(lengths)


def _end(piece: Any, stream: Stream) -> int:
    """Return where a piece of a text ends; of a text that was extracted, where its last symbol does."""
    if isinstance(piece, Piece):
        return piece.offset + len(piece.codes)
    return stream.offset + int(stream.ends[-1]) if len(stream) else 0


def _characters(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of characters of consecutive texts in UTF-8."""
    inside = np.flatnonzero((data & 0xC0) == 0x80)  # all bytes of a character but the first
    return np.diff(bounds) - np.diff(np.searchsorted(inside, bounds))


def _bounds(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _contents(texts: Iterable[bytes | memoryview]) -> NDArray[np.uint64]:
    """Return digests of contents. SHA-256, because processors have instructions for it: twice as fast as BLAKE2b
    here."""
    digests = b"".join([sha256(text).digest() for text in texts])
    return np.frombuffer(digests, np.uint64).reshape(-1, 4)[:, : DIGEST // 8].copy()


def _size(item: Item) -> int:
    if isinstance(item, Features):
        return 8 * len(item.features)
    content = item.content
    if isinstance(content, Path):
        # Only for the size of a batch; reading a missing file reports it.
        return content.stat().st_size if content.exists() else 0
    return len(content)
