"""The interface of a front-end, and the choice of the front-end that reads a document under a scheme."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, TypeGuard, TypeVar

from whorl.catalog import FRONTENDS
from whorl.errors import DocumentError, UnsuitedError
from whorl.formats.detection import TEXT, format_of, head
from whorl.formats.encoding import decode
from whorl.model import Document, Stream
from whorl.scheme import Scheme

P = TypeVar("P")


class Frontend(Protocol[P]):
    """Turns documents of one format into streams."""

    def pieces(self, document: Document) -> Iterator[P]:
        """Yield the document in pieces, in order, at least one. A front-end that cannot divide a document yields it
        whole."""

    def read(self, piece: P) -> Stream:
        """Return the stream of a piece, on any thread. The streams of all pieces, joined, are the document's."""


class HasText(Protocol):
    """A text extracted from a document."""

    @property
    def text(self) -> str:
        """The text that spans refer to."""


class Extracting(Protocol):
    """A front-end whose spans refer to an extracted text, not to the decoded document."""

    def extract(self, document: Document) -> HasText:
        """Return the extracted text."""

    def parts(self, extracted: Any) -> Iterator[Any]:
        """Yield the pieces of an extracted text."""

    def read(self, piece: Any) -> Stream:
        """Return the stream of a piece."""


def is_extracting(frontend: Any) -> TypeGuard[Extracting]:
    """Return whether a front-end is ``Extracting``. ``isinstance`` looks at the protocol anew each time, which takes as
    long as reading a page of text."""
    return hasattr(frontend, "extract") and hasattr(frontend, "parts")


# Extensions of images, sounds, fonts and compiled programs: text under such a name is a disguise.
NO_TEXT = frozenset({
    "png", "jpg", "jpeg", "gif", "bmp", "ico", "webp", "tif", "tiff", "mp3", "mp4", "wav", "ogg", "flac", "avi", "mov",
    "mkv", "ttf", "otf", "woff", "woff2", "exe", "dll", "so", "o", "class", "pyc",
})  # fmt: skip
# The beginning of the pointer that Git LFS keeps in place of a large file.
_POINTER = "version https://git-lfs"

CODE = "code"
# How the reason begins why prose is not read among programs.
NO_LANGUAGE = "cannot tell the programming language"
NOTEBOOK = "notebook"


class Choice(NamedTuple):
    """A document's format, and the front-end that reads it."""

    format: str
    frontend: Frontend[Any]


def choose(scheme: Scheme, document: Document) -> Choice:
    """Return the front-end that produces the scheme's symbols for this document; raise ``DocumentError`` if there is
    none."""
    if scheme.frontend == CODE:
        return _for_code(document)
    if scheme.frontend != TEXT:
        return Choice(scheme.frontend, _load(scheme.frontend, scheme, document))
    name = format_of(document)
    if not _makes(name, scheme) and _is_notebook(document):
        name = NOTEBOOK
    return Choice(name, _load(name if _makes(name, scheme) else TEXT, scheme, document))


def _is_notebook(document: Document) -> bool:
    """Return whether a program is a notebook that Jupytext wrote. As code it stays a program: its text is comments."""
    from whorl.formats.documents.notebook import is_script

    if isinstance(document.content, str) or document.format is not None:
        return False
    return is_script(decode(head(document.content)).text)


def _makes(name: str, scheme: Scheme) -> bool:
    """Return whether a format has a front-end for the scheme's symbols. A program has none and is read as text."""
    return name in FRONTENDS and scheme.symbols in FRONTENDS.row(name).kinds


def _load(name: str, scheme: Scheme, document: Document) -> Frontend[Any]:
    row = FRONTENDS.row(name)
    if remedy := row.missing():
        raise DocumentError(f"cannot be read as {name}: {remedy}", document.name)
    frontend: Frontend[Any] = row.load()(**{setting: getattr(scheme, setting) for setting in row.takes})
    return frontend


def _for_code(document: Document) -> Choice:
    from whorl.formats.code.frontend import CodeFrontend  # text, which is read more often, starts without these
    from whorl.formats.code.languages import LANGUAGES

    if isinstance(document.content, str) and not document.name and document.format is None:
        return Choice(CODE, CodeFrontend())
    name = format_of(document)
    if name == NOTEBOOK:
        from whorl.formats.documents.frontend import CellsFrontend

        return Choice(name, CellsFrontend())
    if name == TEXT and (language := guessed(document)):
        return Choice(language, CodeFrontend(language))
    if name not in LANGUAGES:
        raise UnsuitedError(
            f"{NO_LANGUAGE}, and it looks like {name}: give the language, or use a scheme for text",
            document.name,
        )
    return Choice(name, CodeFrontend(name))


def guessed(document: Document) -> str | None:
    """Return the language of a text whose name does not tell it, such as a program called ``image.png``. Raise
    ``DocumentError`` if the name says that it is no text."""
    from whorl.formats.code.languages import guess

    if isinstance(document.content, str) or document.format is not None:
        return None
    start = decode(head(document.content)).text
    language = guess(document.name, start.encode())
    extension = document.name.rpartition(".")[2].lower()
    if language is None and extension in NO_TEXT and not start.startswith(_POINTER):
        raise DocumentError(f"called .{extension}, but holds text in no known programming language", document.name)
    return language
