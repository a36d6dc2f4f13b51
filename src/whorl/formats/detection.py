"""Detect the format of a document by its content first and its name second.

A format is a front-end of a document format (``pdf``), a programming language (``java``) or ``text``. Each row of the
catalog says how to detect its format: ``content`` is certain; ``hint`` is how documents of the format usually begin and
is used only if the name says nothing. Other files are plain text, unless they are binary.
"""

import re
from functools import cache
from pathlib import Path

from whorl.catalog import FRONTENDS, CatalogRow
from whorl.errors import DocumentError, UnknownNameError
from whorl.formats.binary import binary, is_clean
from whorl.formats.encoding import Source
from whorl.model import Document

TEXT = "text"

# How much is looked at. A PDF may begin with a kilobyte of other things, an office file names its parts in the first
# ten, and a C++ header has said what it is by then.
HEAD = 1 << 15

# Every PDF has this; without it, the mark of the format in a text does not make it one.
_PDF_OBJECT = re.compile(rb"^[ \t]*+\d++\s++\d++\s++obj\b", re.M)

# Extensions of programs that servers make web pages with: a page saved under its address has one, too, but no script.
SERVED = frozenset({"php", "asp", "aspx", "jsp", "cgi"})
PAGE = "html"
_SCRIPT = re.compile(rb"<\?(?:php|=)|<%")

# Extensions that any text may have: they tell nothing.
PLAIN = frozenset({"", "txt", "text", "log", "asc"})


def names() -> tuple[str, ...]:
    """Return every format that can be named, sorted."""
    from whorl.formats.code.languages import LANGUAGES  # who reads text alone does without them

    return tuple(sorted({*_rows(), *LANGUAGES, TEXT}))


@cache
def extensions() -> frozenset[str]:
    """Return the extensions, without the dot, of all formats and languages, and those that any text may have."""
    from whorl.formats.code.languages import LANGUAGES

    of_languages = {extension for row in LANGUAGES.values() for extension in row.extensions}
    return frozenset({*_extensions(), *of_languages, *PLAIN} - {""})


def format_of(document: Document) -> str:
    """Return the document's format: the stated one, the detected one, or ``text`` for a string."""
    if document.format is not None:
        if document.format != TEXT and document.format not in names():
            raise UnknownNameError("format", document.format, names())
        return document.format
    if isinstance(document.content, str):
        # Of a string only the name is asked: whoever made it one has taken it out of its format.
        return _named(document.name, b"") or TEXT
    return detect(document.name, head(document.content))


def detect(name: str, start: bytes) -> str:
    """Return the format of a file by its beginning and its name. Raises ``DocumentError`` if it is binary."""
    is_program = _is_program(name)
    if _extension(name) in SERVED and re.match(_rows()[PAGE].hint or b"", start) and not _SCRIPT.search(start):
        return PAGE
    if is_program and is_clean(start):  # whatever its first line says: ``#%PDF-1`` makes a program no PDF
        return _named(name, start) or _hinted(start) or TEXT
    for format_name, row in _rows().items():
        if row.content is not None and re.match(row.content, start) and not _is_disguised(name, start, format_name):
            return format_name
    if kind := binary(start, is_program=is_program):
        raise DocumentError(f"binary ({kind}), not text", name)
    return _named(name, start) or _hinted(start) or TEXT


def _is_disguised(name: str, start: bytes, format_name: str) -> bool:
    """Return whether a text only begins like a PDF."""
    if format_name != "pdf" or _extension(name) == "pdf":
        return False
    return is_clean(start) and _PDF_OBJECT.search(start) is None


def _is_program(name: str) -> bool:
    from whorl.formats.code.languages import is_program

    return is_program(name)


def head(content: bytes | Path) -> bytes:
    """Return the beginning of a document, long enough to detect its format."""
    with Source(content) as source:
        return source.read(0, HEAD)


def _named(name: str, start: bytes) -> str | None:
    extension = _extension(name)
    if extension in _extensions():
        return _extensions()[extension]
    from whorl.formats.code.languages import detect

    return detect("" if extension in PLAIN else name, start)


def _hinted(start: bytes) -> str | None:
    for format_name, row in _rows().items():
        if row.hint is not None and re.match(row.hint, start):
            return format_name
    return None


@cache
def _rows() -> dict[str, CatalogRow]:
    """Return the front-ends whose documents can be detected."""
    rows = {name: FRONTENDS.row(name) for name in FRONTENDS.names()}
    return {name: row for name, row in rows.items() if row.extensions or row.content is not None}


@cache
def _extensions() -> dict[str, str]:
    return {extension: name for name, row in _rows().items() for extension in row.extensions}


def _extension(name: str) -> str:
    stem, dot, extension = re.split(r"[/\\]", name)[-1].rpartition(".")
    return extension.lower() if stem and dot else ""
