"""Text to stream: plain prose in any language, as characters, as words or as consonants.

The canonical form forgets what a copyist changes without effort or a converter changes without asking: case, width,
ligatures, accents written apart, punctuation, spacing, invisible characters, letters of another alphabet that look
like Latin ones. What each code point becomes is data (``tables``); the walk over the text is the kernel's; decoding
bytes is the matter of ``encoding``. Why this form: docs/decisions/0002-text-canonical-form.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from whorl import kernel
from whorl.errors import InputError
from whorl.frontends import tables
from whorl.frontends.codes import Codes, of_text
from whorl.frontends.pieces import Piece, pieces
from whorl.kernel.twin_text import BINDS
from whorl.model import Document, Stream, Symbols

# Offsets of 32 bits serve any text whose offsets fit; a longer one is read in pieces and gets 64 bits.
LONGEST = 1 << 30

# Characters of texts that are read together: what is made of them on the way stays in a core's cache.
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

    def read_all(self, texts: Sequence[str], encoded: Sequence[bytes]) -> list[Symbols]:
        """The symbols of each text, without spans. ``encoded`` is the UTF-8 of each: decoding it takes no lock, so that
        other threads go on. Short texts are read together, for each costs less than a call does.

        A line feed stands between two of them. It is no symbol, and nothing is joined over it.
        """
        found: list[Symbols] = [_NO_SYMBOLS] * len(texts)
        for group in _together(texts):
            stream = self._read_group([texts[number] for number in group], [encoded[number] for number in group])
            ends = np.cumsum([len(texts[number]) + 1 for number in group]) - 1
            # By where symbols end: one that opens a text with a mark begins, with it, at the line feed.
            bounds = [0, *np.searchsorted(stream.ends, ends, "right").tolist()]
            for number, (start, end) in zip(group, pairwise(bounds), strict=True):
                found[number] = stream.symbols[start:end]
        return found

    def _read_group(self, texts: list[str], encoded: list[bytes]) -> Stream:
        data = np.frombuffer(b"\n".join(encoded), np.uint8)
        if len(data) > LONGEST:
            return self.stream("\n".join(texts))
        codes: Codes = data
        if not texts[0].isascii():
            codes, read = kernel.utf8().code_points(data)
            if read < len(data):  # UTF-8 has no lone surrogates
                return self.stream("\n".join(texts))
        return self.read(Piece(0, codes))

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


def _together(texts: Sequence[str]) -> Iterator[list[int]]:
    """The numbers of texts that are read together: ASCII apart from the rest, which takes longer to read."""
    for wanted in (True, False):
        group: list[int] = []
        size = 0
        for number, text in enumerate(texts):
            if text.isascii() != wanted:
                continue
            if group and size + len(text) > TOGETHER:
                yield group
                group, size = [], 0
            group.append(number)
            size += len(text)
        if group:
            yield group


def _joined(streams: list[Stream]) -> Stream:
    """One stream of several, with wide offsets."""
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.starts.astype(np.int64) + stream.offset for stream in streams]),
        np.concatenate([stream.ends.astype(np.int64) + stream.offset for stream in streams]),
    )
