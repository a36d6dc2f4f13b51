"""What a document is: its format, told by its content first and by its name second.

A format is a front-end of a document format (``pdf``), a programming language (``java``) or ``text``. What tells a
format is in its row: ``content`` is certain wherever it stands; ``hint`` is how documents of the format usually begin,
and is asked only if the name says nothing. Files without any of these are plain text, unless they are binary.
"""

import codecs
import re
from functools import cache
from pathlib import Path

from whorl.catalog import FRONTENDS, Row
from whorl.errors import DocumentError, UnknownNameError
from whorl.frontends.code import languages
from whorl.frontends.source import Source
from whorl.model import Document

TEXT = "text"

# How much is looked at. A PDF may begin with a kilobyte of other things, an office file names its parts in the first
# ten, and a C++ header has said what it is by then.
HEAD = 1 << 15

# Extensions that any text may have: they tell nothing.
PLAIN = frozenset({"", "txt", "text", "log", "asc"})

# The commonest binary files, so that a report can say what they are.
_BINARY = (
    (re.compile(rb"\x89PNG|GIF8|\xff\xd8\xff|II\*\0|MM\0\*|RIFF....WEBP|BM....\0\0\0\0", re.S), "an image"),
    (re.compile(rb"ID3|OggS|fLaC|RIFF....(?:WAVE|AVI )|....ftyp|\x1aE\xdf\xa3", re.S), "sound or video"),
    (re.compile(rb"\x7fELF|MZ.{58}|\xca\xfe\xba\xbe|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\0asm", re.S),
     "a compiled program"),
    (re.compile(rb"PK\x03\x04|PK\x05\x06|\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|Rar!|7z\xbc\xaf"), "an archive"),
    (re.compile(rb"SQLite format 3\0"), "a database"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an old office file: save it as DOCX or PPTX"),
)  # fmt: skip
_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def names() -> tuple[str, ...]:
    """Every format that can be named, sorted."""
    return tuple(sorted({*_rows(), *languages.LANGUAGES, TEXT}))


def format_of(document: Document) -> str:
    """The document's format: what it says itself, what its content and name tell, or ``text`` for a string."""
    if document.format is not None:
        if document.format not in names():
            raise UnknownNameError("format", document.format, names())
        return document.format
    if isinstance(document.content, str):
        return detect(document.name, b"") if document.name else TEXT
    return detect(document.name, head(document.content))


def detect(name: str, start: bytes) -> str:
    """The format of a file by its beginning and its name. Raises ``DocumentError`` if it is binary."""
    for found, row in _rows().items():
        if row.content is not None and re.match(row.content, start):
            return found
    if kind := binary(start):
        raise DocumentError(f"{name or 'the document'} is binary ({kind}), not text")
    return _named(name, start) or _hinted(start) or TEXT


def binary(start: bytes) -> str:
    """What kind of binary file begins like this; empty if it may be text."""
    for expression, kind in _BINARY:
        if expression.match(start):
            return kind
    return "it has NUL bytes" if b"\0" in start and not _is_text(start) else ""


def head(content: bytes | Path) -> bytes:
    """The beginning of a document, as much as tells its format."""
    with Source(content) as source:
        return source.read(0, HEAD)


def _is_text(start: bytes) -> bool:
    """Whether text can have these NUL bytes: in UTF-16 or UTF-32 nearly half of all bytes are, and in a text that
    somebody spoiled, a few."""
    if start.startswith(_WIDE):
        return True
    nuls = start.count(0)
    halves = start[::2].count(0), start[1::2].count(0)
    return nuls * 100 <= len(start) or (max(halves) * 10 >= len(start) * 4 and min(halves) * 100 <= len(start))


def _named(name: str, start: bytes) -> str | None:
    extension = _extension(name)
    if extension in _extensions():
        return _extensions()[extension]
    return languages.detect("" if extension in PLAIN else name, start)


def _hinted(start: bytes) -> str | None:
    for found, row in _rows().items():
        if row.hint is not None and re.match(row.hint, start):
            return found
    return None


@cache
def _rows() -> dict[str, Row]:
    """The front-ends that are formats: those that can tell a document of theirs."""
    rows = {name: FRONTENDS.row(name) for name in FRONTENDS.names()}
    return {name: row for name, row in rows.items() if row.extensions or row.content is not None}


@cache
def _extensions() -> dict[str, str]:
    return {extension: name for name, row in _rows().items() for extension in row.extensions}


def _extension(name: str) -> str:
    stem, dot, extension = re.split(r"[/\\]", name)[-1].rpartition(".")
    return extension.lower() if stem and dot else ""
