"""Text to stream: plain prose in any language, as characters, as words or as consonants.

The canonical form forgets what a copyist changes without effort or a converter changes without asking: case, width,
ligatures, accents written apart, punctuation, spacing, invisible characters, letters of another alphabet that look
like Latin ones. What each code point becomes is data (``tables``); the walk over the text is the kernel's; decoding
bytes is the matter of ``encoding``. Why this form: docs/decisions/0002-text-canonical-form.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.errors import InputError
from whorl.frontends import tables
from whorl.kernel.twin_text import BINDS
from whorl.model import Stream

# Offsets of 32 bits serve any text whose offsets fit; a longer one is read in blocks and gets 64 bits.
LONGEST_BLOCK = 1 << 30


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
        if len(text) > LONGEST_BLOCK:
            return self._long(text)
        return self._ascii(text.encode("ascii")) if text.isascii() else self._any(text)

    def cut(self, text: str, at: int) -> int:
        """The last place at or before ``at`` where one look shows that the text can be divided, 0 if there is none.

        There ``stream(text[:c])`` followed by ``stream(text[c:])``, shifted by c, equals ``stream(text)``.
        """
        if at >= len(text):
            return len(text)
        entries = tables.table(self.symbols).entries
        while at > 0 and entries[ord(text[at])] & BINDS:
            at -= 1
        return max(at, 0)

    def _ascii(self, data: bytes) -> Stream:
        table = tables.table(self.symbols).ascii
        if self.symbols == "words":
            return Stream(*kernel.text().words(np.frombuffer(data.translate(table.tobytes()), np.uint8)))
        symbols, starts = kernel.text().ascii_symbols(np.frombuffer(data, np.uint8), table)
        return Stream(symbols, starts, starts + np.int32(1))

    def _any(self, text: str) -> Stream:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
        values, starts, ends = kernel.text().symbols(codes, tables.table(self.symbols).entries, *tables.shapes())
        if self.symbols == "words":
            hashes, *indices = kernel.text().words(values)
            return Stream(hashes, *kernel.text().place(*indices, starts, ends))
        return Stream(_narrow(values), starts, ends)

    def _long(self, text: str) -> Stream:
        pieces, at = [], 0
        while at < len(text):
            end = self.cut(text, at + LONGEST_BLOCK)
            if end <= at:
                raise InputError(f"the text has no place to divide it within {LONGEST_BLOCK} characters")
            pieces.append((at, self.stream(text[at:end])))
            at = end
        return Stream(
            np.concatenate([piece.symbols for _, piece in pieces]),
            np.concatenate([piece.starts.astype(np.int64) + shift for shift, piece in pieces]),
            np.concatenate([piece.ends.astype(np.int64) + shift for shift, piece in pieces]),
        )


def _narrow(values: NDArray[np.uint32]) -> NDArray[np.unsignedinteger]:
    """Eight bits where they are enough: hashing is faster on them."""
    is_narrow = len(values) == 0 or int(np.bitwise_or.reduce(values)) < 256
    return values.astype(np.uint8) if is_narrow else values
