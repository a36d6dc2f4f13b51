"""The text that was taken out of a document, and where its parts came from. No format is known here."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` is what a numbered part of the document held, counted from 1. The label says what the part
    is: of a notebook's cell, its language."""

    kind: Literal["cell", "page"]
    number: int
    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A text, and its marks in order."""

    text: str
    marks: tuple[Mark, ...] = ()
