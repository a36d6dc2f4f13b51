"""Which front-end reads a document under a scheme.

A scheme for text reads any format: each has a front-end that takes the text out, and a program is text as it stands. A
scheme for code reads programs, in their languages, and the code cells of notebooks. A scheme that names a single
format's front-end takes every document for one of that format.
"""

from typing import Any, NamedTuple

from whorl.catalog import FRONTENDS
from whorl.errors import DocumentError
from whorl.frontends.detection import TEXT, format_of
from whorl.frontends.protocol import Frontend
from whorl.model import Document
from whorl.scheme import Scheme

CODE = "code"
NOTEBOOK = "notebook"


class Choice(NamedTuple):
    """What a document is, and the front-end that reads it."""

    format: str
    frontend: Frontend[Any]


def choose(scheme: Scheme, document: Document) -> Choice:
    """The front-end that makes the scheme's symbols of this document. Raises ``DocumentError`` if there is none."""
    if scheme.frontend == CODE:
        return _for_code(document)
    if scheme.frontend != TEXT:
        return Choice(scheme.frontend, _made(scheme.frontend, scheme, document))
    found = format_of(document)
    return Choice(found, _made(found if _makes(found, scheme) else TEXT, scheme, document))


def _makes(name: str, scheme: Scheme) -> bool:
    """Whether a format has a front-end that makes the scheme's symbols: a program has none, and is read as text."""
    return name in FRONTENDS and scheme.symbols in FRONTENDS.row(name).kinds


def _made(name: str, scheme: Scheme, document: Document) -> Frontend[Any]:
    row = FRONTENDS.row(name)
    if remedy := row.missing():
        raise DocumentError(f"cannot read {document.name or 'the document'} as {name}: {remedy}")
    made: Frontend[Any] = row.load()(**{setting: getattr(scheme, setting) for setting in row.takes})
    return made


def _for_code(document: Document) -> Choice:
    from whorl.frontends.code.frontend import CodeFrontend  # text, which is read more often, starts without these
    from whorl.frontends.code.languages import LANGUAGES

    if isinstance(document.content, str) and not document.name and document.format is None:
        return Choice(CODE, CodeFrontend())
    found = format_of(document)
    if found == NOTEBOOK:
        from whorl.frontends.documents.cells import CellsFrontend

        return Choice(found, CellsFrontend())
    if found not in LANGUAGES:
        raise DocumentError(
            f"cannot tell the programming language of {document.name or 'the document'}, which looks like {found}: "
            "give the language, or use a scheme for text"
        )
    return Choice(found, CodeFrontend(found))
