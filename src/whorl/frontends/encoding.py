"""Bytes to text: any bytes are accepted, none raises, and every byte that cannot be read is one U+FFFD.

The encoding is, in this order: what a byte order mark says; the declared one where it is no superset of ASCII, for
there valid UTF-8 proves nothing; UTF-8 if the bytes are valid, or nearly (see ``_Utf8``); the declared one; cp1252.
Declared is what the caller says, else what the document says of itself in its first kilobyte (an HTML meta element,
an XML declaration, a coding comment). Guessing by letter frequencies is refused: detectors were wrong on plain cp1252.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl import kernel
from whorl.frontends.source import BLOCK, Source

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

FALLBACK = "cp1252"  # gives a letter to nearly every byte, and is what undeclared Western text is in
HEAD = 1024  # where HTML requires the declaration to be; XML's and Python's stand in the first lines

# Longer marks first: that of UTF-32-LE begins with that of UTF-16-LE.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARATIONS = (
    re.compile(rb"""\A\s*<\?xml\s[^>]*?encoding\s*=\s*["']([-\w.:]+)""", re.ASCII),
    re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([-\w.:]+)""", re.ASCII | re.IGNORECASE),
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)", re.ASCII),
)
# Names that mean more than they say: the web reads Latin-1 and ASCII as their superset cp1252, and what has no byte
# order means the common one (Python would take the machine's).
STANDINS = {
    "iso8859-1": FALLBACK,
    "ascii": FALLBACK,
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
    "utf-8-sig": "utf-8",
}
WIDE = {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}
SEVEN_BIT = re.compile("iso2022|hz")
# Text encodings that are no charset of a document, or that cannot be read piece by piece.
REFUSED = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7", "mbcs", "oem"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the encoding that it was read in, and how many bytes were not decodable."""

    text: str
    encoding: str
    replaced: int


@dataclass(frozen=True, slots=True)
class Encoding:
    """How to read a document: a codec, the length of the byte order mark, and, in UTF-8, how many bytes are broken."""

    name: str
    mark: int = 0
    broken: int = 0

    @property
    def is_plain_utf8(self) -> bool:
        """Whether all of it is known to be well-formed UTF-8."""
        return self.name == "utf-8" and self.mark == 0 and self.broken == 0

    def decoder(self, errors: str = "whorl-each-byte") -> codecs.IncrementalDecoder:
        """A fresh decoder for what follows the mark."""
        decoder = codecs.getincrementaldecoder(self.name)(errors)
        return _Whole(decoder) if self.name.startswith("iso2022") else decoder


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """The text of any bytes."""
    encoding = detect([data], declared)
    body = data[encoding.mark :]
    text = encoding.decoder().decode(body, final=True)
    replaced = len(text) - len(encoding.decoder("ignore").decode(body, final=True)) if "\ufffd" in text else 0
    return Decoded(text, encoding.name, replaced)


def detect(blocks: Iterable[bytes], declared: str | None = None) -> Encoding:
    """The encoding of a document given in blocks, of which no more are taken than it needs."""
    utf8, head, settled = _Utf8(), b"", False
    for block in blocks:
        head += block[: HEAD - len(head)]
        if not settled and len(head) == HEAD:
            if certain := _certain(head, declared):
                return certain
            settled = True
        utf8.feed(block)
    if not settled and (certain := _certain(head, declared)):
        return certain
    if utf8.is_likely():
        return Encoding("utf-8", broken=utf8.broken)
    name = _declared(head, declared) or FALLBACK
    return Encoding(name, broken=utf8.broken if name == "utf-8" else 0)


class TextReader:
    """A document as chunks of text, the same text as ``decode`` of the whole.

    It is read twice: its encoding is known for certain only at its end. No more than a block of it is held, but in
    ISO 2022 (see ``_Whole``).
    """

    def __init__(self, content: Path | bytes, declared: str | None = None, block: int = BLOCK) -> None:
        self.content = content
        self.block = block
        with Source(content) as source:
            self._encoding = detect(source.blocks(size=block), declared)

    @property
    def encoding(self) -> str:
        """The encoding that the document is read in."""
        return self._encoding.name

    def __iter__(self) -> Iterator[str]:
        decoder = self._encoding.decoder()
        with Source(self.content) as source:
            for block in source.blocks(self._encoding.mark, self.block):
                if text := decoder.decode(block):
                    yield text
        if text := decoder.decode(b"", final=True):
            yield text


class _Utf8:
    """Whether bytes are UTF-8, perhaps damaged: they are if valid sequences have more bytes after their first than
    there are broken ones.

    Text in another encoding holds valid sequences only by rare accident (in cp1252, a capital with an accent before a
    symbol), so a damaged file passes easily; but one broken byte in a file that is ASCII otherwise is cp1252's.
    """

    def __init__(self) -> None:
        self._escaping = codecs.getincrementaldecoder("utf-8")("surrogateescape")  # a character for a broken byte
        self._ignoring = codecs.getincrementaldecoder("utf-8")("ignore")  # none
        self._bytes = self._characters = self.broken = 0

    def feed(self, block: bytes, final: bool = False) -> None:
        self._bytes += len(block)
        if self.broken == 0 and not self._ignoring.getstate()[0] and not final:
            read, characters = _well_formed(block)
            self._characters += characters
            block = block[read:]
        if block or final:
            kept = self._ignoring.decode(block, final)
            self._characters += len(kept)
            self.broken += len(self._escaping.decode(block, final)) - len(kept)

    def is_likely(self) -> bool:
        self.feed(b"", final=True)
        return self.broken == 0 or self._bytes - self.broken - self._characters > self.broken


def _well_formed(block: bytes) -> tuple[int, int]:
    """How many bytes the longest well-formed beginning has, and how many characters."""
    if block.isascii():
        return len(block), len(block)
    read, characters = kernel.utf8().well_formed(np.frombuffer(block, np.uint8))
    return read, characters


class _Whole(codecs.IncrementalDecoder):
    """Holds all until the end: Python's ISO 2022 decoders raise if a broken escape sequence is fed in pieces."""

    def __init__(self, inner: codecs.IncrementalDecoder) -> None:
        super().__init__()
        self._inner = inner
        self._held: list[bytes] = []

    def decode(self, data: "ReadableBuffer", final: bool = False) -> str:
        self._held.append(bytes(data))
        return self._inner.decode(b"".join(self._held), final=True) if final else ""


def _certain(head: bytes, declared: str | None) -> Encoding | None:
    """What the first bytes alone decide: a mark, or a declaration that UTF-8's validity does not contradict."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    name = _declared(head, declared) or ""
    return Encoding(name) if name in WIDE or SEVEN_BIT.match(name) else None


def _declared(head: bytes, declared: str | None) -> str | None:
    """The codec's name for the declared charset, if Python has one."""
    if declared is not None and (name := _codec(declared)):
        return name
    for pattern in DECLARATIONS:
        if found := pattern.search(head):
            name = _codec(found[1].decode("ascii"))
            # A declaration that could be read byte by byte is not in a wide encoding.
            return None if name in WIDE else name
    return None


def _codec(charset: str) -> str | None:
    try:
        codec = codecs.lookup(charset)
    except (LookupError, ValueError):
        return None
    name = STANDINS.get(codec.name, codec.name)
    is_charset = getattr(codec, "_is_text_encoding", True) and codec.incrementaldecoder is not None
    return name if is_charset and name.replace("_", "-") not in REFUSED else None


def _each_byte(error: UnicodeError) -> tuple[str, int]:
    """One U+FFFD for each byte that the codec could not read, so that spans keep their distance."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("whorl-each-byte", _each_byte)
