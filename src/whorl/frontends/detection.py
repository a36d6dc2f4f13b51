"""What a document is: its format, told by its content first and by its name second.

A format is a front-end of a document format (``pdf``), a programming language (``java``) or ``text``. What tells a
format is in its row: ``content`` is certain wherever it stands; ``hint`` is how documents of the format usually begin,
and is asked only if the name says nothing. Files without any of these are plain text, unless they are binary.
"""

import re
from functools import cache
from pathlib import Path

from whorl.catalog import FRONTENDS, Row
from whorl.errors import DocumentError, UnknownNameError
from whorl.frontends.binary import binary
from whorl.frontends.source import Source
from whorl.model import Document

TEXT = "text"

# How much is looked at. A PDF may begin with a kilobyte of other things, an office file names its parts in the first
# ten, and a C++ header has said what it is by then.
HEAD = 1 << 15

# Extensions that any text may have: they tell nothing.
PLAIN = frozenset({"", "txt", "text", "log", "asc"})


def names() -> tuple[str, ...]:
    """Every format that can be named, sorted."""
    from whorl.frontends.code.languages import LANGUAGES  # who reads text alone does without them

    return tuple(sorted({*_rows(), *LANGUAGES, TEXT}))


@cache
def extensions() -> frozenset[str]:
    """The extensions of all formats and languages, and those that any text may have; without the dot."""
    from whorl.frontends.code.languages import LANGUAGES

    of_languages = {extension for row in LANGUAGES.values() for extension in row.extensions}
    return frozenset({*_extensions(), *of_languages, *PLAIN} - {""})


def format_of(document: Document) -> str:
    """The document's format: what it says itself, what its content and name tell, or ``text`` for a string."""
    if document.format is not None:
        if document.format != TEXT and document.format not in names():
            raise UnknownNameError("format", document.format, names())
        return document.format
    if isinstance(document.content, str):
        # Of a string only the name is asked: whoever made it one has taken it out of its format.
        return _named(document.name, b"") or TEXT
    return detect(document.name, head(document.content))


def detect(name: str, start: bytes) -> str:
    """The format of a file by its beginning and its name. Raises ``DocumentError`` if it is binary."""
    for found, row in _rows().items():
        if row.content is not None and re.match(row.content, start):
            return found
    if kind := binary(start):
        raise DocumentError(f"{name or 'the document'} is binary ({kind}), not text")
    return _named(name, start) or _hinted(start) or TEXT


def head(content: bytes | Path) -> bytes:
    """The beginning of a document, as much as tells its format."""
    with Source(content) as source:
        return source.read(0, HEAD)


def _named(name: str, start: bytes) -> str | None:
    extension = _extension(name)
    if extension in _extensions():
        return _extensions()[extension]
    from whorl.frontends.code.languages import detect

    return detect("" if extension in PLAIN else name, start)


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
