"""Jupyter notebooks to text: text cells as Markdown, code cells as they stand, outputs ignored; a mark for each cell.

Versions 3 and 4 of the format are read. Nothing is validated beyond what is needed to find the cells.
"""

import json
from collections.abc import Iterator
from typing import Any

from whorl.errors import DocumentError
from whorl.frontends.documents import markdown
from whorl.frontends.documents.extracted import Extracted, Mark
from whorl.frontends.encoding import decode

BETWEEN = "\n\n"
UNKNOWN = "code"  # the label of a code cell whose language nobody says


def extract(data: bytes | str, name: str = "notebook") -> Extracted:
    """The text of all cells, one after the other. ``name`` is what an error calls the document."""
    notebook = _parsed(data if isinstance(data, str) else decode(data).text, name)
    language = _language(notebook)
    parts: list[str] = []
    marks: list[Mark] = []
    start = 0
    for number, cell in enumerate(_cells(notebook, name), 1):
        label, text = _cell(cell, language, f"{name}, cell {number}")
        marks.append(Mark("cell", number, start, start + len(text), label))
        parts.append(text)
        start += len(text) + len(BETWEEN)
    return Extracted(BETWEEN.join(parts), tuple(marks))


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"cannot read {name} as a notebook: it is not JSON: {error}") from error
    except RecursionError as error:
        raise DocumentError(f"cannot read {name} as a notebook: its JSON is nested too deeply") from error
    if not isinstance(found, dict):
        raise DocumentError(f"cannot read {name} as a notebook: its JSON is no object")
    return found


def _cells(notebook: dict[str, Any], name: str) -> Iterator[Any]:
    """The cells: of version 4 at the top, of version 3 in worksheets."""
    sheets = notebook["worksheets"] if "cells" not in notebook and "worksheets" in notebook else [notebook]
    if not isinstance(sheets, list):
        raise DocumentError(f"cannot read {name} as a notebook: its worksheets are no list")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            raise DocumentError(f"cannot read {name} as a notebook: it has no list of cells")
        yield from cells


def _cell(cell: Any, language: str, place: str) -> tuple[str, str]:
    """What a cell is, and its text."""
    if not isinstance(cell, dict):
        raise DocumentError(f"cannot read {place}: it is no JSON object")
    source = _source(cell.get("source", cell.get("input", "")), place)
    kind = cell.get("cell_type")
    if kind == "code":
        own = cell.get("language")  # version 3 says it in each cell
        return (own if isinstance(own, str) and own else language), source
    if kind in ("markdown", "heading", "html"):
        return kind, markdown.extract(source).text if source else ""
    return "raw", source


def _source(source: Any, place: str) -> str:
    """A string, or a list of lines."""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    if not isinstance(source, str):
        raise DocumentError(f"cannot read {place}: its source is neither a string nor a list of strings")
    return source


def _language(notebook: dict[str, Any]) -> str:
    """The kernel's language."""
    metadata = notebook.get("metadata")
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(section) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(found.get(key), str) and found[key]:
            return str(found[key])
    return UNKNOWN
