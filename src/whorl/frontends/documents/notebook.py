"""Jupyter notebooks to text: text cells as Markdown, code cells as they stand, outputs ignored; a mark for each cell.

Versions 3 and 4 of the format are read. Nothing is validated beyond what is needed to find the cells. The label of a
code cell is its language, by the name that the code front-end has for it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from whorl.errors import DocumentError
from whorl.frontends.documents import markdown
from whorl.frontends.documents.extracted import Extracted, Mark, in_parts
from whorl.frontends.encoding import decode

UNKNOWN = "code"  # the label of a code cell whose language nobody says
TEXT = frozenset({"markdown", "heading", "html", "raw"})  # the labels of cells that are no code

# What kernels and cell magics call languages that have another name, without the version that may follow.
_NAMES = {
    "python": "ipython pypy cython sage sagemath pyodide xpython xeus-python",
    "r": "ir xr",
    "cpp": "c++ xcpp xeus-cling cling",
    "c": "xc",
    "csharp": "c# .net-csharp",
    "javascript": "js node nodejs ijavascript jslab",
    "typescript": "ts tslab itypescript",
    "java": "ijava jjava rapaio",
    "go": "golang gophernotes gonb",
    "rust": "evcxr",
    "ruby": "iruby",
    "bash": "sh shell zsh",
    "julia": "ijulia",
    "haskell": "ihaskell",
    "scala": "almond",
}
NAMES = {other: name for name, others in _NAMES.items() for other in others.split()}
_VERSION = re.compile(r"[-_ ]?[0-9][0-9.]*+\Z")
_MAGIC = re.compile(r"\s*%%([\w+#-]{1,32})")
# Magics of the form %%language that say what a cell is written in. Others, such as %%time, change nothing.
_MAGICS = "bash sh r ruby perl javascript js html latex cython julia sql java cpp c++ rust go"
MAGICS = frozenset(_MAGICS.split())


def extract(data: bytes | str) -> Extracted:
    """The text of all cells, one after the other."""
    notebook = _parsed(data if isinstance(data, str) else decode(data).text)
    language = _language(notebook)
    cells = [_cell(cell, language, number) for number, cell in enumerate(_cells(notebook), 1)]
    return in_parts("cell", [text for _, text in cells], [label for label, _ in cells])


def code_cells(extracted: Extracted) -> list[Mark]:
    """The marks of the cells that hold code: label, start and end say what to hand to the code front-end."""
    return [mark for mark in extracted.marks if mark.kind == "cell" and mark.label not in TEXT]


def normalised(language: str) -> str:
    """The name of a language, whatever a kernel calls it: ``python`` for ``Python 3``, ``cpp`` for ``xcpp17``."""
    plain = language.strip().lower()
    for name in (plain, _VERSION.sub("", plain)):
        if name in NAMES:
            return NAMES[name]
    return _VERSION.sub("", plain) or UNKNOWN


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"it is not JSON: {error}") from error
    except RecursionError as error:
        raise DocumentError("its JSON is nested too deeply") from error
    if not isinstance(found, dict):
        raise DocumentError("its JSON is no object")
    return found


def _cells(notebook: dict[str, Any]) -> Iterator[Any]:
    """The cells: of version 4 at the top, of version 3 in worksheets."""
    sheets = notebook["worksheets"] if "cells" not in notebook and "worksheets" in notebook else [notebook]
    if not isinstance(sheets, list):
        raise DocumentError("its worksheets are no list")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            raise DocumentError("it has no list of cells")
        yield from cells


def _cell(cell: Any, language: str, number: int) -> tuple[str, str]:
    """What a cell is, and its text."""
    if not isinstance(cell, dict):
        raise DocumentError(f"its cell {number} is no JSON object")
    source = _source(cell.get("source", cell.get("input", "")), number)
    kind = cell.get("cell_type")
    if kind == "code":
        own = cell.get("language")  # version 3 says it in each cell
        return _written_in(source, normalised(own) if isinstance(own, str) and own else language), source
    if kind in ("markdown", "heading", "html"):
        return kind, markdown.extract(source).text if source else ""
    return "raw", source


def _written_in(source: str, language: str) -> str:
    """The language of a code cell: its first line may say another than the notebook's."""
    magic = _MAGIC.match(source)
    return normalised(magic[1]) if magic and magic[1].lower() in MAGICS else language


def _source(source: Any, number: int) -> str:
    """A string, or a list of lines."""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    if not isinstance(source, str):
        raise DocumentError(f"its cell {number} has a source that is neither a string nor a list of strings")
    return source


def _language(notebook: dict[str, Any]) -> str:
    """The kernel's language."""
    metadata = notebook.get("metadata")
    for section, key in (("kernelspec", "language"), ("language_info", "name"), ("kernelspec", "name")):
        found = metadata.get(section) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(found.get(key), str) and found[key]:
            return normalised(found[key])
    return UNKNOWN
