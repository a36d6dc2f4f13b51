"""The front-ends of documents: extract the text, or the code cells of notebooks, and turn it into a stream."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from shutil import which
from typing import Any, ClassVar

import numpy as np

from whorl.catalog import FRONTENDS
from whorl.errors import DocumentError
from whorl.formats.code.frontend import CodeFrontend, Program
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.tokens import NormalForm
from whorl.formats.documents.extraction import Extracted, extracted, isolated
from whorl.formats.documents.notebook import code_cells, program
from whorl.formats.documents.pages import extract_pdf
from whorl.formats.encoding import decode, detect, is_plain_ascii, load_content
from whorl.formats.text import Piece, TextFrontend
from whorl.model import Document, Stream
from whorl.sandbox.limits import one_line


@dataclass(frozen=True, slots=True, eq=False)
class ExtractedPiece:
    """A piece of an extracted text, and the note of the extraction."""

    piece: Piece
    note: str


@dataclass(frozen=True)
class DocumentFrontend(ABC):
    """A format whose text is extracted. ``symbols`` are those of the text front-end."""

    symbols: str = "characters"

    def __post_init__(self) -> None:
        self._text()

    @abstractmethod
    def extract(self, document: Document) -> Extracted:
        """Return the text that the document's spans refer to."""

    def pieces(self, document: Document) -> Iterator[ExtractedPiece]:
        """Return the document's text in pieces."""
        return self.parts(self.extract(document))

    def parts(self, extracted: Extracted) -> Iterator[ExtractedPiece]:
        """Yield an extracted text in pieces."""
        for piece in self._text().pieces(Document("", extracted.text)):
            yield ExtractedPiece(piece, extracted.note)

    def read(self, piece: ExtractedPiece) -> Stream:
        """Return the stream of a piece of the extracted text."""
        return replace(self._text().read(piece.piece), note=piece.note)

    def _text(self) -> TextFrontend:
        return TextFrontend(self.symbols)


class MarkupFrontend(DocumentFrontend):
    """Text with markup. If the markup cannot be read, the document is read as plain text, with a note. ``is_text``
    tells that its bytes are text in one encoding."""

    reader: ClassVar[str]
    is_text: ClassVar[bool] = True

    def extract(self, document: Document) -> Extracted:
        data = load_content(document.content)
        guessed = ""
        if self.is_text and isinstance(data, bytes) and not is_plain_ascii(data):
            guessed = detect([data]).note
        try:
            found = extracted(self.reader, data, *self._settings())
        except DocumentError as error:
            text = data if isinstance(data, str) else decode(data).text
            found = Extracted(text, note=f"read as plain text: {error}")
        return replace(found, note="; ".join(filter(None, [guessed, found.note]))) if guessed else found

    def _settings(self) -> tuple[Any, ...]:
        """Return the reader's arguments after the document."""
        return ()


@dataclass(frozen=True)
class HtmlFrontend(MarkupFrontend):
    """The visible text of a web page, or only its main content."""

    main_only: bool = False
    reader = "html"

    def _settings(self) -> tuple[Any, ...]:
        return (self.main_only,)


class MarkdownFrontend(MarkupFrontend):
    """The prose and the code of a Markdown document."""

    reader = "markdown"


class NotebookFrontend(MarkupFrontend):
    """The cells of a Jupyter notebook, without their outputs."""

    reader = "notebook"


class LatexFrontend(MarkupFrontend):
    """The text of a LaTeX document, formulas included."""

    reader = "latex"


class RtfFrontend(MarkupFrontend):
    reader = "rtf"
    is_text = False


class BinaryFrontend(DocumentFrontend):
    """A binary format. Damaged documents are refused."""

    reader: ClassVar[str]
    title: ClassVar[str]

    def extract(self, document: Document) -> Extracted:
        """Return the text, read in a worker."""
        data = load_content(document.content)
        if isinstance(data, str):
            raise DocumentError(f"{self.title} is binary: give bytes or a file, not a string", document.name)
        if not data:
            raise DocumentError(f"cannot be read as {self.title}: it is empty", document.name)
        if remedy := FRONTENDS.row(self.reader).missing():
            raise DocumentError(f"cannot be read as {self.title}: {remedy}", document.name)
        try:
            return self._read(data)
        except DocumentError as error:
            raise DocumentError(f"cannot be read as {self.title}: {error}", document.name) from error

    def _read(self, data: bytes) -> Extracted:
        return isolated(self.reader, data)


class PdfFrontend(BinaryFrontend):
    """The pages of a PDF document."""

    reader, title = "pdf", "PDF"

    def _read(self, data: bytes) -> Extracted:
        return extract_pdf(data)


class PostscriptFrontend(BinaryFrontend):
    """The pages of a PostScript document."""

    reader, title = "postscript", "PostScript"

    def _read(self, data: bytes) -> Extracted:
        program = which(FRONTENDS.row(self.reader).program)
        return isolated(self.reader, data, program, run=program)


class DocxFrontend(BinaryFrontend):
    """The text of a Word document, with its notes, headers and footers."""

    reader, title = "docx", "DOCX"


class OdtFrontend(BinaryFrontend):
    """The text of an OpenDocument text."""

    reader, title = "odt", "ODT"


class PptxFrontend(BinaryFrontend):
    """The slides of a presentation, with their notes."""

    reader, title = "pptx", "PPTX"


class EpubFrontend(BinaryFrontend):
    """The chapters of an electronic book."""

    reader, title = "epub", "EPUB"


@dataclass(frozen=True, slots=True)
class CodeCell:
    """The code of a cell, and its offset in the notebook's text."""

    language: str
    code: str
    offset: int
    note: str


@dataclass(frozen=True, slots=True)
class CellsFrontend:
    """Turns the code cells of a notebook into tokens. Spans refer to the text of all cells."""

    def extract(self, document: Document) -> Extracted:
        return NotebookFrontend().extract(document)

    def pieces(self, document: Document) -> Iterator[CodeCell]:
        """Return the code cells, one by one."""
        return self.parts(self.extract(document))

    def parts(self, extracted: Extracted) -> Iterator[CodeCell]:
        """Yield the code cells of an extracted text."""
        cells = code_cells(extracted)
        for mark in cells:
            yield CodeCell(mark.label, extracted.text[mark.start : mark.end], mark.start, extracted.note)
        if not cells:
            yield CodeCell("", "", 0, extracted.note or "a notebook without code")

    def normal_form(self, extracted: Extracted) -> NormalForm | None:
        """Return the normal form of the code of all cells; None if their language has none. What one cell defines
        another uses, so they are one program."""
        name, text = program(extracted)
        if name not in LANGUAGES or not text.strip():
            return None
        ((_, normal),) = CodeFrontend(name).read_both([Program(name, text.encode("utf-8", "replace"))])
        return normal

    def read(self, piece: CodeCell) -> Stream:
        """Return the tokens of a cell; none, and a note, if its language is unknown."""
        if piece.language not in LANGUAGES:
            unknown = one_line(f"cells left out: unknown language {piece.language!r}")
            note = unknown if piece.code else piece.note
            nothing = np.zeros(0, np.int32)
            return Stream(np.zeros(0, np.uint32), nothing, nothing, piece.offset, note)
        front = CodeFrontend(piece.language)
        return replace(front.read(Program(piece.language, piece.code.encode("utf-8", "replace"))), offset=piece.offset)
