"""The code of notebooks: each code cell is a program in the notebook's language; text cells and outputs are no code."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from whorl.frontends.code.frontend import CodeFrontend, Program
from whorl.frontends.code.languages import LANGUAGES
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.frontend import NotebookFrontend
from whorl.model import Document, Stream

# What the extractor calls cells that hold no code.
TEXT_CELLS = frozenset({"markdown", "heading", "html", "raw"})


@dataclass(frozen=True, slots=True)
class Cell:
    """The code of a cell, and where the cell begins in the notebook's text."""

    language: str
    code: str
    offset: int


@dataclass(frozen=True, slots=True)
class CellsFrontend:
    """Turns the code cells of a notebook into tokens. Spans point into the text of all cells."""

    def extract(self, document: Document) -> Extracted:
        """The text of all cells."""
        return NotebookFrontend().extract(document)

    def pieces(self, document: Document) -> Iterator[Cell]:
        """The code cells, one by one."""
        found = self.extract(document)
        cells = [mark for mark in found.marks if mark.label not in TEXT_CELLS]
        for mark in cells:
            yield Cell(mark.label, found.text[mark.start : mark.end], mark.start)
        if not cells:
            yield Cell("", "", 0)

    def read(self, piece: Cell) -> Stream:
        """The tokens of a cell; none, and a note, if its language is unknown."""
        if piece.language not in LANGUAGES:
            note = f"cells left out: unknown language {piece.language!r}" if piece.code else ""
            nothing = np.zeros(0, np.int32)
            return Stream(np.zeros(0, np.uint32), nothing, nothing, piece.offset, note)
        front = CodeFrontend(piece.language)
        return replace(front.read(Program(piece.language, piece.code.encode("utf-8", "replace"))), offset=piece.offset)
