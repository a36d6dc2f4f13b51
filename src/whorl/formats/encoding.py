"""Decode bytes to text. Any bytes are accepted; every undecodable byte becomes one U+FFFD.

The encoding is, in this order: that of a byte order mark; the declared one if it is no superset of ASCII, because there
valid UTF-8 proves nothing; UTF-16 or UTF-32 if NUL bytes show it (see ``_Wide``); UTF-8 if the bytes are valid, or
nearly (see ``_Utf8``); the declared one; what ``whorl.formats.guessing`` finds, which is cp1252 unless another one is
plainly better.

The declared encoding is the caller's, else the one stated in the document's first kilobyte (an HTML meta element, an
XML declaration, a coding comment).
"""

import codecs
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

import numpy as np

from whorl.errors import DocumentError
from whorl.formats.guessing import FALLBACK, guess, guess_escaped
from whorl.kernel import native_utf8
from whorl.stores import refuse

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


BLOCK = 1 << 20  # large enough that a block's overhead does not count, small enough for the cache


class Source:
    """Bytes with random access. A pipe or another special file is read once and kept in memory."""

    def __init__(self, content: bytes | Path) -> None:
        if not isinstance(content, bytes | Path):
            raise DocumentError(f"a document is a string, bytes or a path, not a {type(content).__name__}")
        self._path = content if isinstance(content, Path) else None
        self._file: BinaryIO | None = None
        self._data = b"" if isinstance(content, Path) else content
        if self._path is not None:
            self._open(self._path)

    def _open(self, path: Path) -> None:
        refuse(path)
        try:
            file = path.open("rb")
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                self._file = file
                return
            with file:
                self._data = file.read()
        except OSError as error:
            raise _unreadable(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, at: int, size: int) -> bytes:
        """Return up to ``size`` bytes from ``at``; fewer only at the end."""
        if self._file is None:
            return self._data[at : at + size]
        try:
            self._file.seek(at)
            return self._file.read(size)
        except OSError as error:
            raise _unreadable(self._path, error) from error

    def blocks(self, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
        """Yield all bytes from ``start``."""
        while block := self.read(start, size):
            yield block
            start += len(block)


def load_content(content: str | bytes | Path) -> str | bytes:
    """Return all of a document's content; read it if it is a file."""
    if not isinstance(content, Path):
        return content
    with Source(content) as source:
        return b"".join(source.blocks())


def _unreadable(path: Path | None, error: OSError) -> DocumentError:
    return DocumentError(f"cannot be read: {error.strerror or error}", None if path is None else str(path))


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
    """A text, its encoding, and the number of undecodable bytes."""

    text: str
    encoding: str
    replaced: int


@dataclass(frozen=True, slots=True)
class Encoding:
    """How to decode a document: a codec, the length of the byte order mark and, in UTF-8, the number of broken
    bytes. ``note`` is a remark for the user if the encoding was guessed."""

    name: str
    mark: int = 0
    broken: int = 0
    note: str = ""

    @property
    def is_plain_utf8(self) -> bool:
        """Whether all of it is known to be well-formed UTF-8."""
        return self.name == "utf-8" and self.mark == 0 and self.broken == 0

    def decoder(self, errors: str = "whorl-each-byte") -> codecs.IncrementalDecoder:
        """Return a fresh decoder for what follows the mark."""
        decoder = codecs.getincrementaldecoder(self.name)(errors)
        return _Whole(decoder) if self.name.startswith("iso2022") else decoder


def is_plain_ascii(data: bytes) -> bool:
    """Return whether a document is ASCII without an encoding declaration: a cheap test that most programs pass. NUL
    bytes may be half of UTF-16, and escape sequences begin Japanese."""
    head = data[:HEAD].lower()
    is_other = b"\0" in data or _ESCAPE in data or b"coding" in head or b"charset" in head
    return data.isascii() and not is_other


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode any bytes."""
    if declared is None and is_plain_ascii(data):
        return Decoded(data.decode("ascii"), "utf-8", 0)
    encoding = detect([data], declared)
    body = data[encoding.mark :]
    text = encoding.decoder().decode(body, final=True)
    replaced = len(text) - len(encoding.decoder("ignore").decode(body, final=True)) if "\ufffd" in text else 0
    return Decoded(text, encoding.name, replaced)


def detect(blocks: Iterable[bytes], declared: str | None = None) -> Encoding:
    """Return the encoding of a document given in blocks; no more blocks are read than needed."""
    utf8, wide, sample, head, settled = _Utf8(), _Wide(), _Sample(), b"", False
    for block in blocks:
        head += block[: HEAD - len(head)]
        if not settled and len(head) == HEAD:
            if certain := _certain(head, declared):
                return certain
            settled = True
        utf8.feed(block)
        wide.feed(block)
        sample.feed(block)
    if not settled and (certain := _certain(head, declared)):
        return certain
    if name := wide.encoding():
        return Encoding(name)
    if utf8.is_likely():
        return sample.escaped_encoding() or Encoding("utf-8", broken=utf8.broken)
    if name := _declared(head, declared):
        return Encoding(name, broken=utf8.broken if name == "utf-8" else 0)
    return sample.encoding()


class TextReader:
    """Decodes a document in chunks; their text is that of ``decode`` of the whole.

    The document is read twice, because its encoding is certain only at its end. At most one block is in memory, except
    in ISO 2022 (see ``_Whole``).
    """

    def __init__(self, content: Path | bytes, declared: str | None = None, block: int = BLOCK) -> None:
        self.content = content
        self.block = block
        with Source(content) as source:
            self._encoding = detect(source.blocks(size=block), declared)

    @property
    def encoding(self) -> str:
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
    """Decides whether bytes are UTF-8, perhaps damaged: valid sequences must have more continuation bytes than there
    are broken bytes.

    Text in another encoding holds valid sequences only by rare accident (in cp1252, an accented capital before a
    symbol), so a damaged file passes easily. A single broken byte in an otherwise ASCII file means cp1252.
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
            decodable = self._ignoring.decode(block, final)
            self._characters += len(decodable)
            self.broken += len(self._escaping.decode(block, final)) - len(decodable)

    def is_likely(self) -> bool:
        self.feed(b"", final=True)
        return self.broken == 0 or self._bytes - self.broken - self._characters > self.broken


class _Wide:
    """Decides whether bytes without a mark are UTF-16 or UTF-32. In programs and most texts nearly every character has
    a NUL, always on the same side. The whole document counts, so that a comment at its beginning cannot decide."""

    # Bytes below which NULs tell nothing.
    LEAST = 32

    def __init__(self) -> None:
        self._bytes = 0
        self._nuls = [0, 0, 0, 0]  # by the place of the byte among four

    def feed(self, block: bytes) -> None:
        if b"\0" in block:
            for place in range(4):
                self._nuls[(self._bytes + place) % 4] += block[place::4].count(0)
        self._bytes += len(block)

    def encoding(self) -> str | None:
        """Return the encoding: at least four of five characters have their NULs, and at most one byte in fifty
        elsewhere."""
        if self._bytes < self.LEAST or not any(self._nuls):
            return None
        for name, empty in (
            ("utf-32-le", (1, 2, 3)),
            ("utf-32-be", (0, 1, 2)),
            ("utf-16-le", (1, 3)),
            ("utf-16-be", (0, 2)),
        ):
            elsewhere = sum(nuls for place, nuls in enumerate(self._nuls) if place not in empty)
            if all(self._nuls[place] * 5 >= self._bytes for place in empty) and elsewhere * 50 <= self._bytes:
                return name
        return None


# How Japanese begins in ISO 2022, which is ASCII to the last byte.
_ESCAPE = b"\x1b$"
_HIGH = re.compile(rb"[\x80-\xff]")


class _Sample:
    """Collects some bytes to guess an encoding by: those from the first one beyond ASCII, and those from the first
    escape sequence."""

    # Bytes of each: in a program, comments may be far apart.
    MOST = 1 << 16

    def __init__(self) -> None:
        self._high, self._escaped, self._last = bytearray(), bytearray(), b""

    def feed(self, block: bytes) -> None:
        if self._high or not block.isascii():
            beyond = None if self._high else _HIGH.search(block)
            start = 0 if beyond is None else beyond.start()
            self._high += block[start : start + self.MOST - len(self._high)]
        if self._escaped:
            self._escaped += block[: self.MOST - len(self._escaped)]
        elif (start := (joined := self._last + block).find(_ESCAPE)) >= 0:
            self._escaped += joined[start : start + self.MOST]
        self._last = block[-1:]

    def encoding(self) -> Encoding:
        """Return the guessed encoding of text that is no UTF-8."""
        name, is_plain = guess(bytes(self._high), is_cut=len(self._high) == self.MOST)
        if name != FALLBACK:
            return Encoding(name, note=f"read as {name}, which was guessed: save it as UTF-8 to be sure")
        doubt = f"read as {name}, though its letters are unusual for that: save it as UTF-8 to be sure"
        return Encoding(name, note="" if is_plain else doubt)

    def escaped_encoding(self) -> Encoding | None:
        """Return the encoding of ASCII that is Japanese in ISO 2022; None for any other."""
        if self._high or (name := guess_escaped(bytes(self._escaped))) is None:
            return None
        return Encoding(name, note=f"read as {name}, which was guessed: save it as UTF-8 to be sure")


def _well_formed(block: bytes) -> tuple[int, int]:
    """Return the length of the longest well-formed prefix, in bytes and in characters."""
    if block.isascii():
        return len(block), len(block)
    read, characters = native_utf8.well_formed(np.frombuffer(block, np.uint8))
    return read, characters


class _Whole(codecs.IncrementalDecoder):
    """Buffers all bytes until the end: Python's ISO 2022 decoders raise if a broken escape sequence is fed in
    pieces."""

    def __init__(self, inner: codecs.IncrementalDecoder) -> None:
        super().__init__()
        self._inner = inner
        self._blocks: list[bytes] = []

    def decode(self, data: "ReadableBuffer", final: bool = False) -> str:
        self._blocks.append(bytes(data))
        return self._inner.decode(b"".join(self._blocks), final=True) if final else ""


def _certain(head: bytes, declared: str | None) -> Encoding | None:
    """Return the encoding if the first bytes decide it: a mark, or a declaration that valid UTF-8 does not
    contradict."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    name = _declared(head, declared) or ""
    return Encoding(name) if name in WIDE or SEVEN_BIT.match(name) else None


def _declared(head: bytes, declared: str | None) -> str | None:
    """Return the codec's name for the declared charset, if Python has one."""
    if declared is not None and (name := _codec(declared)):
        return name
    for pattern in DECLARATIONS:
        if declaration := pattern.search(head):
            name = _codec(declaration[1].decode("ascii"))
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
    """Return one U+FFFD for each undecodable byte, so that spans keep their distance."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("whorl-each-byte", _each_byte)
