"""What Whorl can do, by name: front-ends and selectors, declared in tables and imported only when used.

A row names an implementation as ``module:attribute``. Other packages add rows through the entry-point groups
``whorl.frontends`` and ``whorl.selectors``; a declared name always wins over an entry point of the same name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Row:
    """One implementation: where it is, what it is for, and which settings of a scheme it takes.

    ``kinds``, of a front-end: what a symbol can be, the default first. ``window``, of a selector that takes none: the
    one that it always has.
    """

    target: str
    summary: str
    takes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("symbols",)
    window: int | None = None

    def load(self) -> Any:
        """Import the implementation."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)


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
    loaded = point.load()
    return Row(
        point.value,
        getattr(loaded, "summary", point.value),
        tuple(getattr(loaded, "takes", ())),
        tuple(getattr(loaded, "kinds", ("symbols",))),
        getattr(loaded, "window", None),
    )


# What the text of a document can be made of, whatever format it was in.
_OF_TEXT = ("characters", "words", "consonants")

FRONTENDS = Catalog(
    "front-end",
    "whorl.frontends",
    {
        "code": Row(
            "whorl.frontends.code.frontend:CodeFrontend",
            "source code: tokens, without layout, comments and names",
            kinds=("tokens",),
        ),
        "html": Row(
            "whorl.frontends.documents.frontend:HtmlFrontend",
            "the visible text of web pages",
            ("symbols",),
            kinds=_OF_TEXT,
        ),
        "markdown": Row(
            "whorl.frontends.documents.frontend:MarkdownFrontend",
            "Markdown without its markup",
            ("symbols",),
            kinds=_OF_TEXT,
        ),
        "notebook": Row(
            "whorl.frontends.documents.frontend:NotebookFrontend",
            "Jupyter notebooks: cells without outputs",
            ("symbols",),
            kinds=_OF_TEXT,
        ),
        "text": Row(
            "whorl.frontends.text:TextFrontend",
            "plain text in any encoding",
            ("symbols",),
            kinds=_OF_TEXT,
        ),
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
        "mod-minimizer": Row(
            "whorl.selectors.minimizer:ModMinimizer", "the window guarantee at a lower density", ("w", "r")
        ),
        "open-closed-mod-minimizer": Row(
            "whorl.selectors.minimizer:OpenClosedModMinimizer", "lower still where k is small", ("w", "r")
        ),
    },
)
