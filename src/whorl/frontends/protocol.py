"""What a front-end is: all that the engine asks of one."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar, runtime_checkable

from whorl.model import Document, Stream

P = TypeVar("P")


class Frontend(Protocol[P]):
    """Turns documents of one format into streams."""

    def pieces(self, document: Document) -> Iterator[P]:
        """The document in pieces, in order, at least one. Whoever cannot divide a document gives it whole."""

    def read(self, piece: P) -> Stream:
        """The stream of a piece, on any thread. The streams of all pieces, one after the other, are the document's."""


class HasText(Protocol):
    """A text that was taken out of a document."""

    @property
    def text(self) -> str:
        """The text that spans point into."""


@runtime_checkable
class Extracting(Protocol):
    """A front-end whose spans do not point into the decoded document but into a text that it took out of it."""

    def extract(self, document: Document) -> HasText:
        """That text."""

    def parts(self, extracted: Any) -> Iterator[Any]:
        """The pieces of a document whose text was taken out already."""
