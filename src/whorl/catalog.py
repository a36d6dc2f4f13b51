"""Front-ends and selectors by name, declared in tables and imported only when used.

A row names an implementation as ``module:attribute``. Other packages add rows through the entry-point groups
``whorl.formats`` and ``whorl.engine``; a declared name always wins over an entry point of the same name.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class CatalogRow:
    """One implementation: its target, a summary, and the settings of a scheme that it takes.

    Of a selector, ``window`` is the fixed window of one that takes none. Of a front-end, ``kinds`` are its kinds of
    symbols, the default first; ``extensions`` those of its files; ``content`` a regular expression that matches the
    beginning of its files only; ``hint`` one that may match others too; ``module`` and ``program`` its requirements;
    ``extra`` the package that installs these: Whorl's extra for a module, the system's package for a program.
    """

    target: str
    summary: str
    takes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("symbols",)
    window: int | None = None
    extensions: tuple[str, ...] = ()
    content: bytes | None = None
    hint: bytes | None = None
    module: str = ""
    program: str = ""
    extra: str = ""

    def load(self) -> Any:
        """Import the implementation."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)

    def missing(self) -> str:
        """Return how to install what it needs; empty if nothing is missing."""
        from importlib.util import find_spec
        from shutil import which

        if self.module and find_spec(self.module) is None:
            return f'pip install "whorl[{self.extra}]"'
        return f"install the package {self.extra}" if self.program and which(self.program) is None else ""


@dataclass(frozen=True)
class Catalog:
    """The rows of one kind of implementation, open to other packages through an entry-point group."""

    kind: str
    group: str
    declared: Mapping[str, CatalogRow] = field(repr=False)

    @cached_property
    def _plugins(self) -> dict[str, CatalogRow]:
        if not _may_offer(self.group):
            return {}
        from importlib.metadata import entry_points

        return {point.name: _row(point) for point in entry_points(group=self.group)}

    def __contains__(self, name: str) -> bool:
        return name in self.declared or name in self._plugins

    def names(self) -> tuple[str, ...]:
        """Return every name, sorted."""
        return tuple(sorted({*self.declared, *self._plugins}))

    def row(self, name: str) -> CatalogRow:
        """Return the row of this name. Raise UnknownNameError if there is none."""
        if name in self.declared:
            return self.declared[name]
        if name in self._plugins:
            return self._plugins[name]
        raise UnknownNameError(self.kind, name, self.names())


# How the names of folders end, in small letters, in which packages of today and of old say what they offer.
_OFFERING = (".dist-info", "egg-info")


def _may_offer(group: str) -> bool:
    """Return whether an installed package may offer something in a group. Most offer nothing, and to import what knows
    it for certain takes longer than to read a small program."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    header = f"[{group}]".encode()
    return any(header in offer for place in sys.path for offer in _offers(Path(place), header))


def _offers(place: Path, unknown: bytes) -> Iterator[bytes]:
    """Yield what the packages in a place offer; for one that is no folder, ``unknown``."""
    try:
        folders = [each for each in place.iterdir() if each.name.lower().endswith(_OFFERING)]
    except NotADirectoryError:
        yield unknown
        return
    except OSError:  # nobody finds a package where nothing can be listed
        return
    for folder in folders:
        try:
            yield (folder / "entry_points.txt").read_bytes()
        except (FileNotFoundError, NotADirectoryError, PermissionError):  # it offers nothing, or nobody may know
            continue


def _row(point: "EntryPoint") -> CatalogRow:
    """Make a row from the attributes of a plugin."""
    loaded = point.load()
    names = [field.name for field in fields(CatalogRow) if hasattr(loaded, field.name)]
    attributes = {name: getattr(loaded, name) for name in names}
    return CatalogRow(**{"summary": point.value, **attributes, "target": point.value})


# The kinds of symbols of text, whatever its format.
_OF_TEXT = ("characters", "words", "consonants")

_DOCUMENTS = "whorl.formats.documents.frontend"

# The first members of an office file; the next one tells its kind.
_PARTS = rb"(?s)PK\x03\x04.{26}(?:(?:\[Content_Types\]\.xml|_rels/|docProps/|customXml/).*?PK\x03\x04.{26})?"


def _document(name: str, summary: str, *extensions: str, **more: Any) -> CatalogRow:
    """Return the row of a format whose text is extracted and read as text."""
    return CatalogRow(f"{_DOCUMENTS}:{name}", summary, ("symbols",), kinds=_OF_TEXT, extensions=extensions, **more)


FRONTENDS = Catalog(
    "front-end",
    "whorl.formats",
    {
        "code": CatalogRow(
            "whorl.formats.code.frontend:CodeFrontend",
            "source code: tokens, without layout, comments and names",
            kinds=("tokens",),
        ),
        "docx": _document(
            "DocxFrontend", "Word documents, with notes and headers", "docx", "docm", "dotx", content=_PARTS + rb"word/"
        ),
        "epub": _document(
            "EpubFrontend",
            "electronic books, chapter by chapter",
            "epub",
            content=rb"(?s)PK\x03\x04.{26}(?:mimetype.{0,64}?application/epub\+zip"
            rb"|META-INF/container\.xml|mimetype.*?META-INF/container\.xml)",
        ),
        "html": _document(
            "HtmlFrontend",
            "the visible text of web pages",
            *("html", "htm", "xhtml", "xht"),
            hint=rb"(?is)(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.{0,999}?-->\s*)*<(?:!doctype\s+html|html[\s>])",
        ),
        "latex": _document(
            "LatexFrontend",
            "LaTeX without its commands, formulas included",
            *("tex", "ltx", "latex"),
            hint=rb"(?:\s|%[^\n]*+\n)*+\\document(?:class|style)",
        ),
        "markdown": _document("MarkdownFrontend", "Markdown without its markup", "md", "markdown", "mdown", "mkd"),
        "notebook": _document(
            "NotebookFrontend",
            "notebooks of Jupyter, R Markdown, Quarto and Jupytext: cells without outputs",
            *("ipynb", "qmd", "rmd", "rmarkdown"),
            content=rb"(?:\xef\xbb\xbf)?---[ \t]*+\r?\n(?:[^\n]*+\n){0,20}?[ \t]*+jupytext:",
            hint=rb'(?s)\s*\{.{0,2000}?"cell_type"',
        ),
        "odt": _document(
            "OdtFrontend",
            "OpenDocument texts",
            *("odt", "ott"),
            content=rb"(?s)PK\x03\x04.{26}mimetype.{0,64}?application/vnd\.oasis\.opendocument\.text",
        ),
        "pdf": _document(
            "PdfFrontend",
            "PDF, page by page",
            "pdf",
            content=rb"(?s).{0,1024}?%PDF-\d",
            module="pypdfium2",
            extra="documents",
        ),
        "postscript": _document(
            "PostscriptFrontend",
            "PostScript, page by page",
            *("ps", "eps"),
            content=rb"(?s)\x04?%!PS|\x1b%-12345X.{0,2000}?%!PS",
            program="gs",
            extra="ghostscript",
        ),
        "pptx": _document(
            "PptxFrontend",
            "presentations, slide by slide, with notes",
            "pptx",
            "pptm",
            "ppsx",
            content=_PARTS + rb"ppt/",
        ),
        "rtf": _document("RtfFrontend", "rich text", "rtf", content=rb"(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf"),
        "text": CatalogRow(
            "whorl.formats.text:TextFrontend", "plain text, whose encoding is detected", ("symbols",), kinds=_OF_TEXT
        ),
    },
)

SELECTORS = Catalog(
    "selector",
    "whorl.engine",
    {
        "full": CatalogRow("whorl.engine.selectors:Full", "every k-gram", window=1),
        "mod": CatalogRow("whorl.engine.selectors:Mod", "hashes that are 0 mod p; no guarantee", ("p",)),
        "safe-mod": CatalogRow("whorl.engine.selectors:SafeMod", "0 mod p, with every gap filled", ("p", "w")),
        "winnow": CatalogRow("whorl.engine.winnowing:Winnow", "the rightmost minimum of every window", ("w",)),
        "robust": CatalogRow("whorl.engine.winnowing:Robust", "winnowing that keeps its choice in ties", ("w",)),
        "minima": CatalogRow("whorl.engine.fixed_size:Minima", "the n smallest of the whole document", ("n",)),
        "rarity": CatalogRow(
            "whorl.engine.fixed_size:Rarity",
            "the n rarest by their first letters, of the whole document",
            ("n", "letters"),
        ),
        "random": CatalogRow("whorl.engine.fixed_size:Random", "n at random, for experiments", ("n",)),
        "mod-minimizer": CatalogRow(
            "whorl.engine.winnowing:ModMinimizer", "the window guarantee at a lower density", ("w", "r")
        ),
        "open-closed-mod-minimizer": CatalogRow(
            "whorl.engine.winnowing:OpenClosedModMinimizer", "lower still where k is small", ("w", "r")
        ),
    },
)
