"""The row of a language, and the patterns of comments, strings and numbers. The rows themselves are in the ``rows_*``
modules, by reader."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Reader = Literal["grammar", "pygments", "own"]

C_COMMENTS = ("//", "/*")

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Language(NamedTuple):
    """A language. Languages of one family share their symbols, so copies are found across them.

    In a language with a grammar, a kind is a named node (``modifiers``) or a word of the grammar (``static``). In a
    language that Pygments reads, a kind is a token type (``Name.Builtin``) or the text of a keyword.
    """

    name: str
    module: str
    """What is imported to read it."""
    extensions: tuple[str, ...]
    reader: Reader = "grammar"
    function: str = "language"
    """What in the module gives the grammar, the lexer or the tokens."""
    extra: str = "languages"
    """The extra of Whorl that installs the reader; empty if the plain install does."""
    family: str = ""
    """Empty in the rows: ``languages`` puts the name of the language there."""
    files: tuple[str, ...] = ()
    """Whole names of files, in small letters."""
    interpreters: tuple[str, ...] = ()
    comments: tuple[str, ...] = C_COMMENTS
    folds_case: bool = False
    """Whether the language takes capitals and small letters for the same."""
    drops: frozenset[str] = frozenset()
    """Kinds that give no token, nor does anything inside them: imports, modifiers, annotations."""
    drops_bodiless: frozenset[str] = frozenset()
    """The same, unless code stands in their body: ``namespace a;`` goes, ``namespace a { ... }`` stays."""
    drops_lone: Mapping[str, str] = _NOTHING
    """Statements that go if they hold nothing but a node of this kind, and the next holds none: a docstring."""
    drops_until: Mapping[str, str] = _NOTHING
    """For Pygments: keywords that go with all that follows up to a sign: ``uses`` up to the semicolon."""
    keeps: frozenset[str] = frozenset()
    """What is punctuation elsewhere and an operator here."""
    merges: Mapping[str, str] = _NOTHING
    """Kinds that are one token with all that is in them, and its class."""
    opens: frozenset[str] = frozenset()
    """Kinds that are a token elsewhere and are looked into here."""
    spells: frozenset[str] = frozenset()
    """Kinds whose class is their own text: an operator that the grammar does not name, an instruction."""

    reserved: frozenset[str] = frozenset()
    """Words that are keywords although the reader takes them for names. In a language with a grammar, of the kinds in
    ``spells`` these alone are themselves then, and the others names."""
    blanks: str = ""
    """For Pygments: a pattern of what is made blank before the lexer sees it, comments that it would not know."""
    cards: bool = False
    """Whether programs may be in the form of punched cards."""
    preprocessed: bool = False
    """Whether ``#if 0`` puts code out of use."""
    macros: bool = False
    """Whether the language has C's macros, digraphs and trigraphs."""
    operator_words: bool = False
    """Whether ``and`` and the like are operators, as in C++, and need no header."""
    escapes: Literal["", "names", "everywhere"] = ""
    r"""Where ``\u0041`` is a letter, beside strings: in names, or wherever it stands."""
    opening: str = ""
    """The opening of code in a file that may begin with something else."""
    untabs: bool = False
    """Whether the grammar loses its way at a tab that does not indent."""
    trims: bool = False
    """Whether words of the grammar may have blanks before and after them."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def classes(*, name: str = "", **literals: str) -> dict[str, str]:
    """Return ``merges`` from the kinds that are names, and those that are literals of a kind: ``string="a b"``."""
    merges = dict.fromkeys(name.split(), "identifier")
    for literal, kinds in literals.items():
        merges |= dict.fromkeys(kinds.split(), f"literal:{literal}")
    return merges


# How a comment ends that does not end with its line.
CLOSERS = {
    "/*": "*/", "(*": "*)", "{": "}", "{-": "-}", "<!--": "-->", "--[[": "]]", "#=": "=#", "#|": "|#", "<#": "#>",
    "%{": "%}",
}  # fmt: skip

# Each alternative matches whatever follows its beginning, to the end of the line (a comment's, of the text) if it is
# never closed: a lexer that looks back is quadratic on unclosed comments. Triple quotes may look back: at most one of a
# kind is never closed.
STRINGS = (
    r'"""(?s:.*?)"""|"""[^\n]*+|'
    + r"'''(?s:.*?)'''|'''[^\n]*+|"
    + "|".join(rf"{quote}(?:[^{quote}\\\n]|\\(?s:.))*+{quote}?" for quote in "\"'`")
)
NUMBERS = r"\.?[0-9](?:[eEpP][-+]|[\w.])*+"


def comment_pattern(comments: Iterable[str]) -> str:
    """Return the pattern of comments that begin with one of these marks. It never backtracks, so an open comment costs
    no more."""
    return "|".join(_comment(mark) for mark in sorted(comments, key=len, reverse=True)) or "(?!)"


def _comment(mark: str) -> str:
    """Return a comment that begins with this mark. A star is one only at the beginning of a line, as in COBOL and
    SPICE."""
    if mark == "*":
        return r"(?m:^[^\S\n]*+\*[^\n]*+)"
    if mark in CLOSERS:
        return rf"{re.escape(mark)}(?s:.*?)(?:{re.escape(CLOSERS[mark])}|\Z)"
    return rf"{re.escape(mark)}[^\n]*+"
