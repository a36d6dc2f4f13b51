"""WARC: web pages as crawlers keep them (ISO 28500), as they are or compressed by gzip or zstd.

The framing is in ``frames``; here a record of it becomes a document, if it is one: a page that a server gave
(``response``), a file without HTTP (``resource``), or the text that somebody made of a page (``conversion``).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from whorl.collection.files import opened
from whorl.collection.names import printable, shortened
from whorl.collection.rules import Rules
from whorl.corpus.chunks import chunks
from whorl.corpus.frames import Frame, Frames
from whorl.corpus.http import Response, media_type, response
from whorl.corpus.records import BadRowError, Fault, LeftOutError, Record
from whorl.frontends.detection import TEXT
from whorl.frontends.encoding import decode
from whorl.model import Document

_OFFICE = "application/vnd.openxmlformats-officedocument."
# Media types that are documents, and the front-end of each.
FORMATS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": TEXT,
    "text/markdown": "markdown",
    "text/rtf": "rtf",
    "application/rtf": "rtf",
    "application/pdf": "pdf",
    "application/postscript": "postscript",
    "application/x-tex": "latex",
    "application/x-latex": "latex",
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    f"{_OFFICE}wordprocessingml.document": "docx",
    f"{_OFFICE}presentationml.presentation": "pptx",
}
# Records that are about others: they are neither documents nor left out.
_ABOUT = frozenset({"warcinfo", "request", "metadata", "revisit", "continuation"})
# Charsets that reading tells by itself.
_PLAIN_CHARSETS = frozenset({"utf-8", "utf8", "ascii", "us-ascii"})


def rows(path: Path, name: str, rules: Rules, prefix: str) -> Iterator[Record | Fault]:
    """Every record that is a document, and those that are left out or damaged. Records count from 1, of any type."""
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        for frame in Frames(source, rules.member):
            if isinstance(frame.content, str):
                yield Fault(name, frame.row, frame.content)
            elif frame.fields.get("warc-type", "").lower() not in _ABOUT:
                yield _record(frame, frame.content, name, rules, source.offset, prefix)


def _record(frame: Frame, content: bytes, name: str, rules: Rules, offset: int, prefix: str) -> Record | Fault:
    try:
        document = _document(frame.fields, content, rules.member, f"{prefix}{name}:{frame.row}")
    except BadRowError as error:
        return Fault(name, frame.row, printable(str(error)), isinstance(error, LeftOutError))
    return Record(document.name, document, name, frame.row, None, offset)


def _document(fields: Mapping[str, str], content: bytes, most: int, otherwise: str) -> Document:
    found = _response(fields, content, most)
    if found.type not in FORMATS:
        raise LeftOutError(f"no document: {shortened(found.type) or 'of no type'}")
    if not found.body or found.body.isspace():
        raise BadRowError("empty")
    return Document(
        fields.get("warc-record-id", "").strip("<>") or otherwise,
        _text(found),
        fields.get("warc-target-uri", "").strip("<>") or None,
        fields.get("warc-date") or None,
        format=FORMATS[found.type],
    )


def _response(fields: Mapping[str, str], content: bytes, most: int) -> Response:
    """The content with its type. A DNS look-up is a response too, and no page."""
    what = fields.get("warc-type", "").lower()
    kind, charset = media_type(fields.get("content-type", ""))
    if what == "response" and kind in ("application/http", ""):
        return response(content, most)
    if what in ("response", "resource", "conversion"):
        return Response(kind, charset, content)
    raise LeftOutError(f"a record of the type {shortened(what)!r}")


def _text(found: Response) -> bytes | str:
    """The body, decoded if the server names a charset that only it can know."""
    if found.charset is None or found.charset.lower() in _PLAIN_CHARSETS or not found.type.startswith("text/"):
        return found.body
    return decode(found.body, found.charset).text
