"""The programming languages: one row each, who reads it, and how a file finds its row.

``row`` says what a row holds; the rows are data and stand in ``rows_plain``, ``rows_parsed`` and ``rows_lexed``. What
all languages have in common stands in ``plan`` and ``pygmented``.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType

from whorl.errors import UnknownNameError
from whorl.frontends.code.contents import AMBIGUOUS
from whorl.frontends.code.row import Language
from whorl.frontends.code.rows_lexed import LEXED
from whorl.frontends.code.rows_parsed import PARSED
from whorl.frontends.code.rows_plain import PLAIN

__all__ = ["LANGUAGES", "ROWS", "Language", "detect", "installed", "language", "missing"]

ROWS = tuple(sorted((*PLAIN, *PARSED, *LEXED), key=lambda row: row.name))

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.name: row for row in ROWS})

_BY_EXTENSION = {extension: row.name for row in ROWS for extension in row.extensions}
_BY_FILE = {file: row.name for row in ROWS for file in row.files}
_BY_INTERPRETER = {interpreter: row.name for row in ROWS for interpreter in row.interpreters}

_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z][A-Za-z_-]*)")


def language(name: str) -> Language:
    """The row of this name."""
    if name not in LANGUAGES:
        raise UnknownNameError("language", name, LANGUAGES)
    return LANGUAGES[name]


def detect(name: str, head: bytes) -> str | None:
    """The language of a file by its extension, else by its whole name, else by the interpreter that its first line
    names; None if nothing says it. ``head`` is the beginning of the file: where several languages use an extension, it
    decides."""
    base = re.split(r"[/\\]", name)[-1].lower()
    stem, dot, extension = base.rpartition(".")
    found = _BY_EXTENSION.get(extension) if stem and dot else None
    if found is not None:
        return _by_content(extension, head) or found
    return _BY_FILE.get(base) or _by_interpreter(head)


@cache
def installed(name: str) -> bool:
    """Whether the reader of a language is at hand; without it the plain lexer reads the language."""
    row = language(name)
    if row.reader == "own":
        return True
    top = row.module.partition(".")[0]
    return find_spec(top) is not None and (row.reader == "pygments" or find_spec("tree_sitter") is not None)


def missing(name: str) -> str:
    """The command that installs the reader of a language."""
    extra = language(name).extra
    return f'pip install "whorl[{extra}]"' if extra else "pip install whorl"


def _by_content(extension: str, head: bytes) -> str | None:
    return next((name for name, pattern in AMBIGUOUS.get(extension, ()) if pattern.search(head)), None)


def _by_interpreter(head: bytes) -> str | None:
    shebang = _SHEBANG.match(head)
    return _BY_INTERPRETER.get(shebang[1].decode("ascii").lower()) if shebang else None
