"""Extract the text of notebooks: text cells as Markdown, code cells as they stand, no outputs; a mark per cell.

Jupyter's format is read in versions 3 and 4; only what is needed to find the cells is validated. A notebook that is a
text is R Markdown, Quarto or Jupytext: Markdown with chunks of code, or a program with comments that divide it into
cells. The label of a code cell is its language, by its name in the code front-end.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from whorl.errors import DocumentError
from whorl.formats.documents import markdown
from whorl.formats.documents.extraction import Extracted, SectionMark, in_parts
from whorl.formats.encoding import decode

DEFAULT = "python"
UNKNOWN = "code"  # the label of a code cell whose language nobody says
TEXT = frozenset({"markdown", "heading", "html", "raw"})  # the labels of cells that are no code

# Names of languages in kernels and cell magics, without the version that may follow.
_NAMES = {
    "python": "ipython pypy cython sage sagemath pyodide xpython xeus-python",
    "r": "ir xr",
    "cpp": "c++ xcpp xeus-cling cling rcpp",
    "c": "xc",
    "csharp": "c# .net-csharp",
    "javascript": "js node nodejs ijavascript jslab ojs",
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
_VERSION = re.compile(r"[-_ ]?(?<![0-9.])[0-9][0-9.]*+\Z")
_MAGIC = re.compile(r"\s*%%([\w+#-]{1,32})")
# Magics of the form %%language that say what a cell is written in. Others, such as %%time, change nothing.
_MAGICS = "bash sh r ruby perl javascript js html latex cython julia sql java cpp c++ rust go"
MAGICS = frozenset(_MAGICS.split())

# A text that is not JSON.
_TEXTUAL = re.compile(r"\s*+(?:[^\s{\[]|\{\{)")

# Fences of a chunk: ```{r setup, echo=FALSE}, ```{code-cell} ipython3, and plain ones, which Jupytext runs.
_FENCE = re.compile(
    r"(?P<indent>[ \t>]*+)(?P<fence>`{3,}+(?=[^`]*\Z)|~{3,}+)[ \t]*+"
    r"(?:\{[ \t]*+(?P<engine>[A-Za-z][\w+#.-]*+)|(?P<plain>[A-Za-z][\w+#.-]*+))?+[^\n]*+"
)
_FRONT_MATTER = re.compile(r"\s*+---[ \t]*+\n(?P<facts>(?:(?!---|\.\.\.)[^\n]*+\n)*+)")
_KERNEL = re.compile(r"^[ \t]*+(?:language|name):[ \t]*+[\"']?([\w+#.-]+)", re.M)
# Engines of knitr whose chunks are text.
_PROSE_ENGINES = frozenset({"asis", "block", "block2", "comment", "cat", "verbatim", "embed"})

# Characters of a program in which its header, or its first cell of text, is looked for.
SCRIPT_HEAD = 1 << 14
# A program that Jupytext made: a header in comments, or a cell of text.
_SCRIPT = re.compile(r"^(?P<mark>#|//|--|;;)[ \t]*+(?:jupytext:|%%[^\n]*\[(?:markdown|md|raw)\])", re.M)


def is_script(start: str) -> bool:
    """Return whether a program is a notebook that Jupytext wrote, by its beginning."""
    return _SCRIPT.search(start[:SCRIPT_HEAD]) is not None


def _chunks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of Markdown with chunks of code. A chunk that is never closed ends with the document."""
    header = _FRONT_MATTER.match(text)
    facts = header["facts"] if header else ""
    stated = _KERNEL.search(facts.partition("kernelspec:")[2])
    kernel = normalised(stated[1]) if stated else UNKNOWN
    opening: re.Match[str] | None = None
    label, lines = "", list[str]()
    for line in text.splitlines(keepends=True):
        match = _FENCE.fullmatch(line.rstrip("\r\n"))
        if opening is None and match:
            opening = match
            if label := _chunk_label(match, kernel, "jupytext:" in facts):
                yield from _prose(lines)
                lines = []
                continue
        elif opening and match and match["fence"].startswith(opening["fence"]) and not match[0].strip(" \t>`~"):
            opening = None
            if label:
                yield label, "".join(lines)
                label, lines = "", []
                continue
        lines.append(line.removeprefix(opening["indent"]) if opening and label else line)
    yield from [(label, "".join(lines))] if label else _prose(lines)


def _chunk_label(fence: re.Match[str], kernel: str, is_jupytext: bool) -> str:
    """Return the language of a chunk; "" for code that is shown and not run."""
    engine = (fence["engine"] or "").lower()
    if engine == "code-cell":
        return kernel
    if engine:
        return "raw" if engine in _PROSE_ENGINES else normalised(engine)
    return normalised(fence["plain"]) if is_jupytext and fence["plain"] else ""


def _prose(lines: list[str]) -> Iterator[tuple[str, str]]:
    text = markdown.extract("".join(lines)).text
    if text.strip():
        yield "markdown", text


def _script_cells(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a program that Jupytext wrote. Its language is that of its header."""
    stated = _KERNEL.search(text[:SCRIPT_HEAD].partition("kernelspec:")[2].replace(f"\n{mark}", "\n"))
    language, label, lines = normalised(stated[1]) if stated else UNKNOWN, "", list[str]()
    divider = re.compile(rf"{re.escape(mark)}[ \t]*+%%(?P<rest>(?:[ \t][^\n]*+)?)")
    for line in [*text.splitlines(keepends=True), f"{mark} %%"]:
        match = divider.fullmatch(line.rstrip("\r\n"))
        if match is None:
            lines.append(line)
            continue
        if label == "markdown":
            yield from _prose([_uncommented(each, mark) for each in lines])
        elif "".join(lines).strip() and (label or not _is_header(lines, mark)):
            yield label or language, "".join(lines)
        kind = re.search(r"\[(markdown|md|raw)\]", match["rest"])
        label, lines = ("" if kind is None else "raw" if kind[1] == "raw" else "markdown") or language, []


def _uncommented(line: str, mark: str) -> str:
    return line.removeprefix(mark).removeprefix(" ") if line.startswith(mark) else line


def _is_header(lines: list[str], mark: str) -> bool:
    """Return whether the lines before the first cell are comments only."""
    return all(line.startswith(mark) or not line.strip() for line in lines)


def extract(data: bytes | str) -> Extracted:
    """Return the text of all cells, one after the other."""
    text = data if isinstance(data, str) else decode(data).text
    if script := _SCRIPT.search(text[:SCRIPT_HEAD]):
        cells = list(_script_cells(text, script["mark"]))
    elif _TEXTUAL.match(text):
        cells = list(_chunks(text))
    else:
        notebook = _parsed(text)
        language = _language(notebook)
        cells = [_cell(cell, language, number) for number, cell in enumerate(_cells(notebook), 1)]
    return in_parts("cell", [text for _, text in cells], [label for label, _ in cells])


def code_cells(extracted: Extracted) -> list[SectionMark]:
    """Return the marks of the code cells, for the code front-end."""
    return [mark for mark in extracted.marks if mark.kind == "cell" and mark.label not in TEXT]


# Lines that IPython runs and Python does not: magics, commands of the shell, requests for help.
_COMMAND = re.compile(r"^[ \t]*+(?:%%?(?=[A-Za-z])|!(?!=)|\?)[^\n]*+", re.M)
_CODE = re.compile(r"\S")


def program(extracted: Extracted) -> tuple[str, str]:
    """Return the language of most of the code, and that code as one program: the text with blanks for all else."""
    cells = code_cells(extracted)
    sizes: Counter[str] = Counter()
    for mark in cells:
        sizes[mark.label] += mark.end - mark.start
    language = max(sizes, key=lambda name: sizes[name], default=UNKNOWN)
    parts, done = list[str](), 0
    for mark in cells:
        if mark.label == language:
            code = extracted.text[mark.start : mark.end]
            if language == DEFAULT:
                code = _COMMAND.sub(lambda match: " " * len(match[0]), code)
            parts += [_CODE.sub(" ", extracted.text[done : mark.start]), code]
            done = mark.end
    return language, "".join([*parts, _CODE.sub(" ", extracted.text[done:])])


def normalised(language: str) -> str:
    """Return Whorl's name of a kernel's language: ``python`` for ``Python 3``, ``cpp`` for ``xcpp17``."""
    plain = language.strip().lower()
    for name in (plain, _VERSION.sub("", plain)):
        if name in NAMES:
            return NAMES[name]
    return _VERSION.sub("", plain) or UNKNOWN


def _parsed(text: str) -> dict[str, Any]:
    try:
        notebook = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"it is not JSON: {error}") from error
    except RecursionError as error:
        raise DocumentError("its JSON is nested too deeply") from error
    if not isinstance(notebook, dict):
        raise DocumentError("its JSON is no object")
    return notebook


def _cells(notebook: dict[str, Any]) -> Iterator[Any]:
    """Yield the cells: at the top in version 4, in worksheets in version 3."""
    sheets = notebook["worksheets"] if "cells" not in notebook and "worksheets" in notebook else [notebook]
    if not isinstance(sheets, list):
        raise DocumentError("its worksheets are no list")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            raise DocumentError("it has no list of cells")
        yield from cells


def _cell(cell: Any, language: str, number: int) -> tuple[str, str]:
    """Return the kind of a cell and its text."""
    if not isinstance(cell, dict):
        raise DocumentError(f"its cell {number} is no JSON object")
    source = _source(cell.get("source", cell.get("input", "")), number)
    kind = cell.get("cell_type")
    if kind == "code":
        stated = cell.get("language")  # version 3 says it in each cell
        return _written_in(source, normalised(stated) if isinstance(stated, str) and stated else language), source
    if kind in ("markdown", "heading", "html"):
        return kind, markdown.extract(source).text if source else ""
    return "raw", source


def _written_in(source: str, language: str) -> str:
    """Return the language of a code cell: its first line may override the notebook's."""
    magic = _MAGIC.match(source)
    return normalised(magic[1]) if magic and magic[1].lower() in MAGICS else language


def _source(source: Any, number: int) -> str:
    """Return a cell's source, which is a string or a list of lines."""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    if not isinstance(source, str):
        raise DocumentError(f"its cell {number} has a source that is neither a string nor a list of strings")
    return source


def _language(notebook: dict[str, Any]) -> str:
    """Return the language that the metadata state, or else Python, in which Jupyter opens such a notebook."""
    metadata = notebook.get("metadata")
    for section, key in (("kernelspec", "language"), ("language_info", "name"), ("kernelspec", "name")):
        entry = metadata.get(section) if isinstance(metadata, dict) else None
        if isinstance(entry, dict) and isinstance(entry.get(key), str) and entry[key]:
            return normalised(entry[key])
    return DEFAULT
