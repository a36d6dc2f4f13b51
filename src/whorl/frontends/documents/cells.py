"""The code of notebooks: each code cell is a program in the notebook's language; text cells and outputs are no code."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from whorl.frontends.code.frontend import CodeFrontend, Program
from whorl.frontends.code.languages import LANGUAGES
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.frontend import NotebookFrontend
from whorl.frontends.documents.notebook import code_cells
from whorl.frontends.sandbox.faults import one_line
from whorl.model import Document, Stream


@dataclass(frozen=True, slots=True)
class Cell:
    """The code of a cell, and where the cell begins in the notebook's text."""

    language: str
    code: str
    offset: int
    note: str


@dataclass(frozen=True, slots=True)
class CellsFrontend:
    """Turns the code cells of a notebook into tokens. Spans point into the text of all cells."""

    def extract(self, document: Document) -> Extracted:
        """The text of all cells."""
        return NotebookFrontend().extract(document)

    def pieces(self, document: Document) -> Iterator[Cell]:
        """The code cells, one by one."""
        return self.parts(self.extract(document))

    def parts(self, extracted: Extracted) -> Iterator[Cell]:
        """The code cells of an extracted text."""
        cells = code_cells(extracted)
        for mark in cells:
            yield Cell(mark.label, extracted.text[mark.start : mark.end], mark.start, extracted.note)
        if not cells:
            yield Cell("", "", 0, extracted.note or "a notebook without code")

    def read(self, piece: Cell) -> Stream:
        """The tokens of a cell; none, and a note, if its language is unknown."""
        if piece.language not in LANGUAGES:
            unknown = one_line(f"cells left out: unknown language {piece.language!r}")
            note = unknown if piece.code else piece.note
            nothing = np.zeros(0, np.int32)
            return Stream(np.zeros(0, np.uint32), nothing, nothing, piece.offset, note)
        front = CodeFrontend(piece.language)
        return replace(front.read(Program(piece.language, piece.code.encode("utf-8", "replace"))), offset=piece.offset)
