"""What Whorl can do, by name: front-ends and selectors, declared in tables and imported only when used.

A row names an implementation as ``module:attribute``. Other packages add rows through the entry-point groups
``whorl.frontends`` and ``whorl.selectors``; a declared name always wins over an entry point of the same name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Row:
    """One implementation: where it is, what it is for, and which settings of a scheme it takes.

    ``window``, of a selector that takes none: the one that it always has. Of a front-end: ``kinds``, what a symbol can
    be, the default first; ``extensions``, of its files; ``content``, an expression that the beginning of its files
    matches and no other file's; ``hint``, one that other files may match too; ``module`` and ``program``, what it
    needs; ``extra``, what installs that: Whorl's extra for a module, the system's package for a program.
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
        """What a person must do before it can be used; empty if nothing."""
        from importlib.util import find_spec
        from shutil import which

        if self.module and find_spec(self.module) is None:
            return f'pip install "whorl[{self.extra}]"'
        return f"install the package {self.extra}" if self.program and which(self.program) is None else ""


@dataclass(frozen=True)
class Catalog:
    """The rows of one kind of thing, open to other packages through an entry-point group."""

    kind: str
    group: str
    declared: Mapping[str, Row] = field(repr=False)

    @cached_property
    def _plugins(self) -> dict[str, Row]:
        from importlib.metadata import entry_points  # costs more than the rest of a start; seldom needed

        return {point.name: _row(point) for point in entry_points(group=self.group)}

    def __contains__(self, name: str) -> bool:
        return name in self.declared or name in self._plugins

    def names(self) -> tuple[str, ...]:
        """Every name that can be used, sorted."""
        return tuple(sorted({*self.declared, *self._plugins}))

    def row(self, name: str) -> Row:
        """The row of this name; raises ``UnknownNameError`` if nobody declared it."""
        if name in self.declared:
            return self.declared[name]
        if name in self._plugins:
            return self._plugins[name]
        raise UnknownNameError(self.kind, name, self.names())


def _row(point: "EntryPoint") -> Row:
    """A plugin says in attributes what a row says."""
    loaded = point.load()
    told = {field.name: getattr(loaded, field.name) for field in fields(Row) if hasattr(loaded, field.name)}
    return Row(**{"summary": point.value, **told, "target": point.value})


# What the text of a document can be made of, whatever format it was in.
_OF_TEXT = ("characters", "words", "consonants")

_DOCUMENTS = "whorl.frontends.documents.frontend"

# What an office file's first members are; which kind it is, the next one tells.
_PARTS = rb"(?s)PK\x03\x04.{26}(?:(?:\[Content_Types\]\.xml|_rels/|docProps/|customXml/).*?PK\x03\x04.{26})?"


def _document(name: str, summary: str, *extensions: str, **more: Any) -> Row:
    """The row of a format whose text is taken out and read as text."""
    return Row(f"{_DOCUMENTS}:{name}", summary, ("symbols",), kinds=_OF_TEXT, extensions=extensions, **more)


FRONTENDS = Catalog(
    "front-end",
    "whorl.frontends",
    {
        "code": Row(
            "whorl.frontends.code.frontend:CodeFrontend",
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
        "markdown": _document(
            "MarkdownFrontend", "Markdown without its markup", "md", "markdown", "mdown", "mkd", "qmd", "rmd"
        ),
        "notebook": _document(
            "NotebookFrontend",
            "Jupyter notebooks: cells without outputs",
            "ipynb",
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
        "text": Row("whorl.frontends.text:TextFrontend", "plain text in any encoding", ("symbols",), kinds=_OF_TEXT),
    },
)

SELECTORS = Catalog(
    "selector",
    "whorl.selectors",
    {
        "full": Row("whorl.selectors.full:Full", "every k-gram", window=1),
        "mod": Row("whorl.selectors.mod:Mod", "hashes that are 0 mod p; no guarantee", ("p",)),
        "safe-mod": Row("whorl.selectors.mod:SafeMod", "0 mod p, with every gap filled", ("p", "w")),
        "winnow": Row("whorl.selectors.winnow:Winnow", "the rightmost minimum of every window", ("w",)),
        "robust": Row("whorl.selectors.winnow:Robust", "winnowing that keeps to its choice in ties", ("w",)),
        "minima": Row("whorl.selectors.minima:Minima", "the n smallest of the whole document", ("n",)),
        "rarity": Row(
            "whorl.selectors.rarity:Rarity",
            "the n rarest by their first letters, of the whole document",
            ("n", "letters"),
        ),
        "random": Row("whorl.selectors.random:Random", "n drawn anew for every document: for experiments", ("n",)),
        "mod-minimizer": Row(
            "whorl.selectors.minimizer:ModMinimizer", "the window guarantee at a lower density", ("w", "r")
        ),
        "open-closed-mod-minimizer": Row(
            "whorl.selectors.minimizer:OpenClosedModMinimizer", "lower still where k is small", ("w", "r")
        ),
    },
)
