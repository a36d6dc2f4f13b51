"""The text front-end: cut a document into pieces of code points, and read each as characters, words or consonants."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.formats import tables
from whorl.formats.encoding import Encoding, Source, detect
from whorl.kernel import native_shingles, native_text, native_utf8, native_words
from whorl.kernel.constants import BINDS, SOLO, SYMBOL
from whorl.model import Document, Hashes, Stream, Symbols

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint32]


def of_text(text: str) -> Codes:
    """Return the code points of a string, lone surrogates included."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def utf8_length(codes: Codes) -> int:
    """Return the number of bytes of these code points in UTF-8."""
    return len(codes) + sum(int(np.count_nonzero(codes > last)) for last in (0x7F, 0x7FF, 0xFFFF))


# Bytes, or characters of a string, in a piece: about a run of the engine.
PIECE = 1 << 19

# The longest part of a character that the end of a block can cut off.
INCOMPLETE = 3

# How many of the first code points a piece may have: the last place where it can be cut; 0 if it cannot.
Cut: TypeAlias = Callable[[Codes], int]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Consecutive code points of a document. ``note`` is a remark on its encoding."""

    offset: int
    codes: Codes
    note: str = ""


def pieces(content: str | bytes | Path, cut: Cut, size: int | None = None) -> Iterator[Piece]:
    """Yield the pieces of a document, at least one."""
    size = size or PIECE
    if isinstance(content, str):
        yield from _of_text(content, cut, size)
        return
    with Source(content) as source:
        encoding = detect(source.blocks())
        walk = _of_utf8 if encoding.is_plain_utf8 else _of_encoded
        yield from walk(source, encoding, cut, size)


def _of_text(text: str, cut: Cut, size: int) -> Iterator[Piece]:
    at, want = 0, size
    while True:
        codes = of_text(text[at : at + want])
        final = at + want >= len(text)
        length = len(codes) if final else cut(codes)
        if length:
            yield Piece(at, codes[:length])
            at, want = at + length, size
        elif not final:
            want *= 2
        elif at == 0:
            yield Piece(0, codes)
        if final:
            return


def _of_utf8(source: Source, encoding: Encoding, cut: Cut, size: int) -> Iterator[Piece]:
    """Yield pieces of well-formed UTF-8 without decoding to a string."""
    at, offset, want = encoding.mark, 0, size + INCOMPLETE
    while True:
        block = source.read(at, want)
        codes, read = _utf8(block)
        final = len(block) < want
        length = len(codes) if final else cut(codes)
        if length or final:
            yield Piece(offset, codes[:length])
            at += read - utf8_length(codes[length:])
            offset, want = offset + length, size + INCOMPLETE
        else:
            want *= 2
        if final:
            return


def _utf8(block: bytes) -> tuple[Codes, int]:
    data = np.frombuffer(block, np.uint8)
    if block.isascii():
        return data, len(block)
    codes, read = native_utf8.code_points(data)
    return codes, read


def _of_encoded(source: Source, encoding: Encoding, cut: Cut, size: int) -> Iterator[Piece]:
    """Yield pieces of any other encoding and of damaged UTF-8, decoded by Python block by block."""
    decoder = encoding.decoder()
    offset, text = 0, ""
    for block in source.blocks(encoding.mark, size):
        text += decoder.decode(block)
        codes = of_text(text)
        if length := cut(codes):
            yield Piece(offset, codes[:length], encoding.note)
            offset, text = offset + length, text[length:]
    yield Piece(offset, of_text(text + decoder.decode(b"", final=True)), encoding.note)


# Offsets of 32 bits serve any text whose offsets fit; a longer one is read in pieces and gets 64 bits.
LONGEST = 1 << 30

# Bytes of texts that are read together: what is made of them on the way stays in a core's cache.
TOGETHER = 1 << 17

_NO_SYMBOLS: Symbols = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class TextFrontend:
    """Turns a text into the stream of its characters, words or consonants.

    - ``characters``: letters and digits in Unicode's NFKC_Casefold form, look-alikes of Latin letters folded. A symbol
      is a code point.
    - ``words``: runs of such characters, each word hashed to 64 bits. Invisible characters and combining marks do not
      part a word, nor does an apostrophe between two letters. In scripts written without spaces (Han, Hiragana, Thai,
      Lao, Khmer, Myanmar) each letter is a word.
    - ``consonants``: the letters of ``characters`` without a, e, i, o, u and their accented forms (Koala's noise
      filter, Heintze 1996, section 5).
    """

    symbols: str = "characters"

    def __post_init__(self) -> None:
        if self.symbols not in tables.KINDS:
            raise InputError(f"unknown kind of symbol {self.symbols!r}: choose one of {', '.join(tables.KINDS)}")

    def stream(self, text: str) -> Stream:
        """Return the canonical form of a text."""
        streams = [self.read(piece) for piece in pieces(text, self._cut, LONGEST)]
        return streams[0] if len(streams) == 1 else _joined(streams)

    def pieces(self, document: Document) -> Iterator[Piece]:
        """Return the document in pieces that can be read on their own."""
        return pieces(document.content, self._cut)

    def read(self, piece: Piece) -> Stream:
        """Return the canonical form of a piece."""
        stream = self._ascii(piece) if piece.codes.dtype == np.uint8 else self._any(piece)
        return replace(stream, note=piece.note) if piece.note else stream

    def read_all(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[Symbols, NDArray[np.int64]]:
        """Return the symbols of consecutive texts in UTF-8, without spans, and their bounds. Words take no lock, so
        other threads go on."""
        if self.symbols != "words" or len(data) > LONGEST:
            return self._grouped(data, bounds)
        hashes, ends, parts = native_words.spelled(data, bounds, tables.spelling())
        if len(ends) < len(bounds):  # a lone surrogate, which UTF-8 has not
            return self._grouped(data, bounds)
        return self._filled(hashes, ends, parts, data, bounds) if len(parts) else (hashes, ends)

    def _filled(
        self,
        hashes: Hashes,
        ends: NDArray[np.int64],
        parts: NDArray[np.int64],
        data: NDArray[np.uint8],
        bounds: NDArray[np.int64],
    ) -> tuple[Symbols, NDArray[np.int64]]:
        """Return the words with those of the remaining parts in their places."""
        left = [data[start:end] for _, start, end in parts.tolist()]
        others, other_ends = self._grouped(np.concatenate(left), _bounds(map(len, left)))
        counts = np.diff(other_ends)
        texts = np.searchsorted(bounds, parts[:, 1], "right") - 1
        more = np.bincount(texts, counts, len(bounds) - 1).astype(np.int64)
        return np.insert(hashes, np.repeat(parts[:, 0], counts), others), ends + _bounds(more)

    def _grouped(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[Symbols, NDArray[np.int64]]:
        """Return the same by the general walk. Short texts are read together with a line feed between two, because a
        call costs more than a short text. A line feed is no symbol, and nothing is joined over it."""
        symbols, counts = [_NO_SYMBOLS], list[NDArray[np.int64]]()
        for first, last in _together(bounds):
            texts = [data[start:end].tobytes() for start, end in pairwise(bounds[first : last + 1].tolist())]
            stream, lengths = self._read_group(texts)
            # By where symbols end: one that opens a text with a mark begins, with it, at the line feed.
            places = np.searchsorted(stream.ends, np.cumsum(np.array(lengths) + 1) - 1, "right")
            symbols.append(stream.symbols)
            counts.append(np.diff(places, prepend=0))
        return np.concatenate(symbols), _bounds(np.concatenate([np.empty(0, np.int64), *counts]))

    def _read_group(self, texts: list[bytes]) -> tuple[Stream, list[int]]:
        """Return the stream of all texts, and the number of code points of each."""
        strings = [text.decode("utf-8", "surrogatepass") for text in texts]
        return self.stream("\n".join(strings)), list(map(len, strings))

    def cut(self, text: str, at: int) -> int:
        """Return the last position at or before ``at`` where a single look shows that the text can be divided; 0 if
        there is none. There ``stream(text[:c])`` followed by ``stream(text[c:])``, shifted by c, equals
        ``stream(text)``."""
        return len(text) if at >= len(text) else self._cut(of_text(text[: at + 1]))

    def _cut(self, codes: Codes) -> int:
        """Return the last position before the last of these code points where the text can be divided."""
        entries = tables.table(self.symbols).entries
        at = len(codes) - 1
        while at > 0 and entries[codes[at]] & BINDS:
            at -= 1
        return max(at, 0)

    def _ascii(self, piece: Piece) -> Stream:
        table = tables.table(self.symbols).ascii
        if self.symbols == "words":
            items = piece.codes.tobytes().translate(table.tobytes())
            hashes, starts, ends = native_words.words(np.frombuffer(items, np.uint8))
            return Stream(hashes, starts, ends, piece.offset)
        symbols, starts = native_text.ascii_symbols(piece.codes.astype(np.uint8, copy=False), table)
        return Stream(symbols, starts, starts + np.int32(1), piece.offset)

    def _any(self, piece: Piece) -> Stream:
        table = tables.table(self.symbols)
        codes = piece.codes.astype(np.uint32, copy=False)
        values, starts, ends = native_text.symbols(codes, table.entries, *tables.shapes())
        if self.symbols == "words":
            hashes, firsts, lasts = native_words.words(values)
            starts, ends = native_words.place(firsts, lasts, starts, ends)
            return Stream(hashes, starts, ends, piece.offset)
        return Stream(values, starts, ends, piece.offset)


# Half letters of a word in scripts written without spaces: in Thai, Lao, Khmer and Burmese, and in Chinese and
# Japanese. With these, unrelated pages share less than 3% of their shingles of four words, and a text with one word in
# 20 replaced is still found. The code points of the former are below the first number, or from the second up to the
# third.
LONG_WORD, SHORT_WORD = 5, 3
_LONG_WORDS = (0x2000, 0xA9E0, 0xAA80)

# Fewer symbols are looked up one by one: the kernel makes a table of all letters first, which takes a millisecond.
FEW_SYMBOLS = 5_000

# The first letter of Thai, whose code points come first of these scripts.
_FIRST_LETTER = 0xE01


def half_letters(symbols: Hashes) -> NDArray[np.uint8]:
    """Return for each word that is a letter of a script without spaces how many half letters a word of its language
    has; 0 for other words."""
    hashes, counts = _solo_letters()
    if len(symbols) < FEW_SYMBOLS:
        nearest = np.minimum(np.searchsorted(hashes, symbols), len(hashes) - 1)
        return np.where(hashes[nearest] == symbols, counts[nearest], 0).astype(np.uint8)
    letters = np.zeros(len(symbols), np.uint8)
    places = native_shingles.among(symbols, hashes)
    letters[places] = counts[np.searchsorted(hashes, symbols[places])]
    return letters


def may_have_letters(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of consecutive texts in UTF-8 can have letters of scripts without spaces, by the first bytes of
    characters."""
    places = np.flatnonzero(data >= 0xE0)
    first, second, third = (data[np.minimum(places + offset, len(data) - 1)] for offset in range(3))
    is_letter = (
        ((first == 0xE0) & (second >= 0xB8))  # Thai, Lao
        | ((first == 0xE1) & (second <= 0x9F))  # Burmese, Khmer
        | ((first == 0xE2) & (second >= 0xBA))  # radicals; dashes and quotation marks have a lower second byte
        | ((first >= 0xE3) & (first <= 0xE9))  # Hiragana, Han
        | ((first == 0xEA) & (second <= 0xAA))  # more of Burmese; Hangul comes later
        | ((first == 0xEF) & (second >= 0xA4) & (second <= 0xAB))  # compatibility ideographs
        | ((first == 0xF0) & ((second != 0x9F) | (third == 0x88) | (third == 0x89)))  # rare Han; most of 9F are emoji
    )
    may = np.zeros(len(bounds) - 1, np.bool_)
    may[np.searchsorted(bounds, places[is_letter], "right") - 1] = True
    return may


@cache
def _solo_letters() -> tuple[Hashes, NDArray[np.uint8]]:
    """Return the hashes of all letters that are words of their own, sorted, and how many make a word."""
    entries = tables.table("words").entries
    letters = np.unique(entries[(entries & SOLO) > 0] & np.uint32(SOLO | SYMBOL))
    # Some that look like Latin letters are folded to those, and cannot be told from Latin words of one letter.
    letters = letters[(letters & SYMBOL) >= _FIRST_LETTER]
    hashes, _, _ = native_words.words(letters)
    codes, (low, start, end) = letters & np.uint32(SYMBOL), _LONG_WORDS
    is_long = (codes < low) | ((codes >= start) & (codes < end))
    order = np.argsort(hashes)
    return hashes[order], np.where(is_long, LONG_WORD, SHORT_WORD).astype(np.uint8)[order]


def _together(bounds: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Return the first text and the end of those that are read together."""
    first = 0
    while first < len(bounds) - 1:
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + TOGETHER, "right")) - 1)
        yield first, last
        first = last


def _bounds(lengths: Iterable[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths if isinstance(lengths, np.ndarray) else list(lengths))]).astype(
        np.int64
    )


def _joined(streams: list[Stream]) -> Stream:
    """Join streams into one with wide offsets."""
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.starts.astype(np.int64) + stream.offset for stream in streams]),
        np.concatenate([stream.ends.astype(np.int64) + stream.offset for stream in streams]),
    )
