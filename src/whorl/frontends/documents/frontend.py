"""The front-ends of documents: the text is taken out of the format, and the text front-end reads it.

Spans point into the extracted text; ``extract`` gives it to those who must show it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from whorl.catalog import FRONTENDS
from whorl.errors import DocumentError
from whorl.frontends.documents import pdf
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.isolation import extracted, isolated
from whorl.frontends.encoding import decode
from whorl.frontends.pieces import Piece
from whorl.frontends.source import held
from whorl.frontends.text import TextFrontend
from whorl.model import Document, Stream


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece of an extracted text, and what is to be told of the extraction."""

    piece: Piece
    note: str


@dataclass(frozen=True)
class DocumentFrontend(ABC):
    """A format that is text once it is extracted. ``symbols`` as the text front-end has them."""

    symbols: str = "characters"

    def __post_init__(self) -> None:
        self._text()

    @abstractmethod
    def extract(self, document: Document) -> Extracted:
        """The text that the document's spans point into."""

    def pieces(self, document: Document) -> Iterator[Part]:
        """The document's text in pieces."""
        return self.parts(self.extract(document))

    def parts(self, extracted: Extracted) -> Iterator[Part]:
        """An extracted text in pieces."""
        for piece in self._text().pieces(Document("", extracted.text)):
            yield Part(piece, extracted.note)

    def read(self, piece: Part) -> Stream:
        """The stream of a piece of the extracted text."""
        return replace(self._text().read(piece.piece), note=piece.note)

    def _text(self) -> TextFrontend:
        return TextFrontend(self.symbols)


class MarkupFrontend(DocumentFrontend):
    """A format that is text with markup in it: what cannot be read as such is read as plain text, and noted."""

    reader: ClassVar[str]

    def extract(self, document: Document) -> Extracted:
        """The text without the markup."""
        data = held(document.content)
        try:
            return extracted(self.reader, data, *self._settings())
        except DocumentError as error:
            text = data if isinstance(data, str) else decode(data).text
            return Extracted(text, note=f"read as plain text: {error}")

    def _settings(self) -> tuple[Any, ...]:
        """What the reader takes beside the document."""
        return ()


@dataclass(frozen=True)
class HtmlFrontend(MarkupFrontend):
    """The visible text of a web page, or its main content only."""

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
    """The text of a document in the Rich Text Format."""

    reader = "rtf"


class BinaryFrontend(DocumentFrontend):
    """A format that is nothing but bytes to whoever cannot read it: what is damaged is refused."""

    reader: ClassVar[str]
    title: ClassVar[str]

    def extract(self, document: Document) -> Extracted:
        """The text, read in a worker."""
        data = held(document.content)
        if isinstance(data, str):
            raise DocumentError(f"cannot read {document.name}: {self.title} is made of bytes; give them, or the file")
        if remedy := FRONTENDS.row(self.reader).missing():
            raise DocumentError(f"cannot read {document.name} as {self.title}: {remedy}")
        try:
            return self._read(data)
        except DocumentError as error:
            raise DocumentError(f"cannot read {document.name} as {self.title}: {error}") from error

    def _read(self, data: bytes) -> Extracted:
        return isolated(self.reader, data)


class PdfFrontend(BinaryFrontend):
    """The pages of a PDF document."""

    reader, title = "pdf", "PDF"

    def _read(self, data: bytes) -> Extracted:
        return pdf.extract(data)


class PostscriptFrontend(BinaryFrontend):
    """The pages of a PostScript document."""

    reader, title = "postscript", "PostScript"

    def _read(self, data: bytes) -> Extracted:
        return isolated(self.reader, data, FRONTENDS.row(self.reader).program)


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
