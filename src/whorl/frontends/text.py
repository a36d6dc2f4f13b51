"""Text to stream: plain prose in any language, as characters, as words or as consonants.

The canonical form forgets what a copyist changes without effort or a converter changes without asking: case, width,
ligatures, accents written apart, punctuation, spacing, invisible characters, letters of another alphabet that look
like Latin ones. What each code point becomes is data (``tables``); the walk over the text is the kernel's; decoding
bytes is the matter of ``encoding``. Why this form: docs/decisions/0002-text-canonical-form.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.errors import InputError
from whorl.frontends import tables
from whorl.frontends.codes import Codes, of_text
from whorl.frontends.pieces import Piece, pieces
from whorl.kernel.twin_text import BINDS
from whorl.model import Document, Hashes, Stream, Symbols

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
        """The canonical form of a text."""
        streams = [self.read(piece) for piece in pieces(text, self._cut, LONGEST)]
        return streams[0] if len(streams) == 1 else _joined(streams)

    def pieces(self, document: Document) -> Iterator[Piece]:
        """The document in pieces that can be read on their own."""
        return pieces(document.content, self._cut)

    def read(self, piece: Piece) -> Stream:
        """The canonical form of a piece."""
        if piece.codes.dtype == np.uint8:
            return self._ascii(piece)
        return self._any(piece)

    def read_all(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[Symbols, NDArray[np.int64]]:
        """The symbols of texts in UTF-8, which lie one after the other, without spans, and their bounds. Words take no
        lock, so that other threads go on."""
        if self.symbols != "words" or len(data) > LONGEST:
            return self._grouped(data, bounds)
        hashes, ends, parts = kernel.words().spelled(data, bounds, tables.spelling())
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
        """The words with those of the parts that were left, put in their places."""
        left = [data[start:end] for _, start, end in parts.tolist()]
        others, other_ends = self._grouped(np.concatenate(left), _bounds(map(len, left)))
        counts = np.diff(other_ends)
        texts = np.searchsorted(bounds, parts[:, 1], "right") - 1
        more = np.bincount(texts, counts, len(bounds) - 1).astype(np.int64)
        return np.insert(hashes, np.repeat(parts[:, 0], counts), others), ends + _bounds(more)

    def _grouped(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[Symbols, NDArray[np.int64]]:
        """The same by the general walk. Short texts are read together, for each costs less than a call does.

        A line feed stands between two of them. It is no symbol, and nothing is joined over it.
        """
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
        """The stream of all, and how many code points each has."""
        strings = [text.decode("utf-8", "surrogatepass") for text in texts]
        return self.stream("\n".join(strings)), list(map(len, strings))

    def cut(self, text: str, at: int) -> int:
        """The last place at or before ``at`` where one look shows that the text can be divided, 0 if there is none.

        There ``stream(text[:c])`` followed by ``stream(text[c:])``, shifted by c, equals ``stream(text)``.
        """
        return len(text) if at >= len(text) else self._cut(of_text(text[: at + 1]))

    def _cut(self, codes: Codes) -> int:
        """The last place before the last of these code points where the text can be divided."""
        entries = tables.table(self.symbols).entries
        at = len(codes) - 1
        while at > 0 and entries[codes[at]] & BINDS:
            at -= 1
        return max(at, 0)

    def _ascii(self, piece: Piece) -> Stream:
        table = tables.table(self.symbols).ascii
        if self.symbols == "words":
            items = piece.codes.tobytes().translate(table.tobytes())
            hashes, starts, ends = kernel.words().words(np.frombuffer(items, np.uint8))
            return Stream(hashes, starts, ends, piece.offset)
        symbols, starts = kernel.text().ascii_symbols(piece.codes, table)
        return Stream(symbols, starts, starts + np.int32(1), piece.offset)

    def _any(self, piece: Piece) -> Stream:
        table = tables.table(self.symbols)
        values, starts, ends = kernel.text().symbols(piece.codes, table.entries, *tables.shapes())
        if self.symbols == "words":
            hashes, firsts, lasts = kernel.words().words(values)
            starts, ends = kernel.words().place(firsts, lasts, starts, ends)
            return Stream(hashes, starts, ends, piece.offset)
        return Stream(values, starts, ends, piece.offset)


def _together(bounds: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """First and last plus one of the texts that are read together."""
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
    """One stream of several, with wide offsets."""
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.starts.astype(np.int64) + stream.offset for stream in streams]),
        np.concatenate([stream.ends.astype(np.int64) + stream.offset for stream in streams]),
    )
