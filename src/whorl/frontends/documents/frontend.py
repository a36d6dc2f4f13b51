"""The front-ends of documents: the text is taken out of the format, and the text front-end reads it.

Spans point into the extracted text; ``extract`` gives it to those who must show it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from whorl.frontends.documents import html, markdown, notebook
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.pieces import Piece
from whorl.frontends.source import Source
from whorl.frontends.text import TextFrontend
from whorl.model import Document, Stream


@dataclass(frozen=True)
class DocumentFrontend(ABC):
    """A format that is text once it is extracted. ``symbols`` as the text front-end has them."""

    symbols: str = "characters"

    def __post_init__(self) -> None:
        self._text()

    @abstractmethod
    def extract(self, document: Document) -> Extracted:
        """The text that the document's spans point into."""

    def pieces(self, document: Document) -> Iterator[Piece]:
        """The extracted text in pieces."""
        text = self.extract(document).text
        return self._text().pieces(replace(document, content=text))

    def read(self, piece: Piece) -> Stream:
        """The stream of a piece of the extracted text."""
        return self._text().read(piece)

    def _text(self) -> TextFrontend:
        return TextFrontend(self.symbols)


@dataclass(frozen=True)
class HtmlFrontend(DocumentFrontend):
    """The visible text of a web page, or its main content only."""

    main_only: bool = False

    def extract(self, document: Document) -> Extracted:
        """The visible text."""
        return html.extract(_data(document), self.main_only)


@dataclass(frozen=True)
class MarkdownFrontend(DocumentFrontend):
    """The prose and the code of a Markdown document."""

    def extract(self, document: Document) -> Extracted:
        """The text without the markup."""
        return markdown.extract(_data(document))


@dataclass(frozen=True)
class NotebookFrontend(DocumentFrontend):
    """The cells of a Jupyter notebook, without their outputs."""

    def extract(self, document: Document) -> Extracted:
        """The text of the cells, each with its mark."""
        return notebook.extract(_data(document), document.name)


def _data(document: Document) -> bytes | str:
    if not isinstance(document.content, Path):
        return document.content
    with Source(document.content) as source:
        return b"".join(source.blocks())
